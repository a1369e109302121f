//! Implicit solids: functions that are negative inside and positive outside.
//!
//! A [`Field`] is a tree of plain data with primitives at the leaves and combinations above. It
//! guarantees exactly what a mesher needs:
//!
//! * its sign says on which side of the surface a point is;
//! * it is Lipschitz continuous with constant 1, so that its value never exceeds
//!   the distance to the surface: a cell whose centre has a value above the
//!   cell's radius is not cut.
//!
//! Primitives are exact signed distances, the ellipsoid included. Unions are
//! exact outside, intersections and differences inside; elsewhere, and wherever
//! shapes are blended, the value is a lower bound of the distance.
//!
//! Closures could not be written to a file, compared or printed. The usual bound for ellipsoids by
//! scaling space has a gradient above 1 near the centre.

mod blend;
mod check;
mod ellipsoid;
mod extent;
mod primitive;

pub use check::FieldError;

use resile_math::{Mat3, Vec3};

/// One of the three directions of space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// The first.
    X,
    /// The second, which is up.
    Y,
    /// The third.
    Z,
}

/// A solid described by a function of position; all lengths in metres.
///
/// [`check`](Self::check) validates its parameters. For invalid parameters the other methods return
/// meaningless numbers, but do not panic.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// A ball.
    Sphere {
        /// Its middle.
        center: Vec3,
        /// Positive.
        radius: f64,
    },
    /// An ellipsoid along the axes.
    Ellipsoid {
        /// Its middle.
        center: Vec3,
        /// Half its lengths along x, y and z.
        radii: Vec3,
    },
    /// The convex hull of two balls: a capsule, or a round cone.
    Capsule {
        /// The middle of the first ball.
        from: Vec3,
        /// The middle of the second.
        to: Vec3,
        /// Of the first and the second ball.
        radii: [f64; 2],
    },
    /// A box along the axes, its edges rounded.
    Box {
        /// Its middle.
        center: Vec3,
        /// Half its lengths, the rounding included.
        half: Vec3,
        /// The radius of edges and corners; at most the smallest of `half`, and 0
        /// for a sharp box.
        rounding: f64,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// The middle of one end.
        from: Vec3,
        /// The middle of the other.
        to: Vec3,
        /// Positive.
        radius: f64,
    },
    /// A ring.
    Torus {
        /// Its middle.
        center: Vec3,
        /// The direction around which it goes, of any length but zero.
        axis: Vec3,
        /// From the middle to the middle of the tube.
        ring_radius: f64,
        /// Of the tube; smaller than `ring_radius`.
        tube_radius: f64,
    },
    /// The union of the parts.
    Union(Vec<Self>),
    /// The intersection of the parts.
    Intersection(Vec<Self>),
    /// The first without the second.
    Difference(Box<Self>, Box<Self>),
    /// The union of the parts with rounded creases between them.
    ///
    /// With values `a_i` of the parts the value `m` solves
    ///
    /// ```text
    /// sum over i of max(0, m + r - a_i)^2 = r^2.
    /// ```
    ///
    /// A part whose value is more than `r` above the others' has no influence. The
    /// derivatives by the `a_i` are not negative and sum to one, so the blend
    /// is Lipschitz 1 if its parts are; it lies below the smallest `a_i`, by
    /// `r (1 - 1/sqrt(n))` where `n` parts are equal. Unlike a smooth minimum of
    /// two values applied again and again it does not depend on the order of the
    /// parts.
    SmoothUnion {
        /// `r` above; about the radius of the fillets.
        radius: f64,
        /// In any order.
        parts: Vec<Self>,
    },
    /// A part together with its mirror image in a plane through the origin.
    Mirrored {
        /// The direction perpendicular to the plane.
        normal: Axis,
        /// On either side of the plane, or across it.
        part: Box<Self>,
    },
    /// A part rotated about the origin and then translated.
    Moved {
        /// A rotation matrix.
        rotation: Mat3,
        /// In metres.
        translation: Vec3,
        /// Where it was.
        part: Box<Self>,
    },
}

impl Axis {
    /// The image of `point` in the plane through the origin perpendicular to this.
    fn mirror(self, point: Vec3) -> Vec3 {
        match self {
            Self::X => Vec3::new(-point.x, point.y, point.z),
            Self::Y => Vec3::new(point.x, -point.y, point.z),
            Self::Z => Vec3::new(point.x, point.y, -point.z),
        }
    }
}

impl Field {
    /// The signed distance from `point` to the surface, or a lower bound of it;
    /// negative inside, in metres. Costs a walk over the tree.
    pub fn value(&self, point: Vec3) -> f64 {
        match self {
            Self::Sphere { center, radius } => point.distance(*center) - radius,
            Self::Ellipsoid { center, radii } => ellipsoid::distance(point - center, *radii),
            Self::Capsule { from, to, radii } => primitive::capsule(point, *from, *to, *radii),
            Self::Box { center, half, rounding } => {
                primitive::rounded_box(point - center, *half, *rounding)
            }
            Self::Cylinder { from, to, radius } => primitive::cylinder(point, *from, *to, *radius),
            Self::Torus { center, axis, ring_radius, tube_radius } => {
                primitive::torus(point - center, *axis, *ring_radius, *tube_radius)
            }
            Self::Union(parts) => {
                parts.iter().map(|part| part.value(point)).fold(f64::INFINITY, f64::min)
            }
            Self::Intersection(parts) => {
                parts.iter().map(|part| part.value(point)).fold(f64::NEG_INFINITY, f64::max)
            }
            Self::Difference(kept, taken) => kept.value(point).max(-taken.value(point)),
            Self::SmoothUnion { radius, parts } => {
                blend::smooth_minimum(*radius, parts.iter().map(|part| part.value(point)))
            }
            Self::Mirrored { normal, part } => {
                part.value(point).min(part.value(normal.mirror(point)))
            }
            Self::Moved { rotation, translation, part } => {
                part.value(rotation.transpose() * (point - translation))
            }
        }
    }
}
