//! Implicit solids: functions that are negative inside and positive outside.
//!
//! A [`Field`] is a tree of plain data with primitives at the leaves and combinations above. It guarantees what
//! a mesher needs:
//!
//! * its sign determines the side of the surface on which a point lies;
//! * it is Lipschitz continuous with constant 1, so that its value never exceeds
//!   the distance to the surface: a cell whose centre has a value above the
//!   cell's radius is not cut.
//!
//! Primitives are exact signed distances, the ellipsoid included. Unions are exact outside, intersections and
//! differences inside. Elsewhere, and for blended shapes, the value is a lower bound of the distance.
//!
//! Alternatives: closures could not be stored in a file, compared or printed. The usual bound for ellipsoids by
//! scaling space has a gradient above 1 near the centre.

mod blend;
mod check;
mod ellipsoid;
mod extent;
mod primitive;

pub use check::FieldError;

use resile_math::{Mat3, Vec3};

/// A coordinate axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// The x axis.
    X,
    /// The y axis, which is up.
    Y,
    /// The z axis.
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
        /// Centre.
        center: Vec3,
        /// Radius; positive.
        radius: f64,
    },
    /// An ellipsoid along the axes.
    Ellipsoid {
        /// Centre.
        center: Vec3,
        /// Half lengths along x, y and z.
        radii: Vec3,
    },
    /// The convex hull of two balls: a capsule, or a round cone.
    Capsule {
        /// Centre of the first ball.
        from: Vec3,
        /// Centre of the second ball.
        to: Vec3,
        /// Radii of the first and the second ball.
        radii: [f64; 2],
    },
    /// An axis-aligned box with rounded edges.
    Box {
        /// Centre.
        center: Vec3,
        /// Half lengths, including the rounding.
        half: Vec3,
        /// Radius of edges and corners; at most the smallest of `half`, and 0 for a sharp box.
        rounding: f64,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// Centre of one end.
        from: Vec3,
        /// Centre of the other end.
        to: Vec3,
        /// Radius; positive.
        radius: f64,
    },
    /// A torus.
    Torus {
        /// Centre.
        center: Vec3,
        /// Axis of revolution, of any nonzero length.
        axis: Vec3,
        /// Distance from the centre to the tube's centreline.
        ring_radius: f64,
        /// Radius of the tube; smaller than `ring_radius`.
        tube_radius: f64,
    },
    /// Union of the parts.
    Union(Vec<Self>),
    /// Intersection of the parts.
    Intersection(Vec<Self>),
    /// Difference: the first part without the second.
    Difference(Box<Self>, Box<Self>),
    /// Union of the parts with rounded creases between them.
    ///
    /// For values `a_i` of the parts, the value `m` solves
    ///
    /// ```text
    /// sum over i of max(0, m + r - a_i)^2 = r^2.
    /// ```
    ///
    /// A part whose value exceeds the others' by more than `r` has no influence. The derivatives with respect
    /// to the `a_i` are nonnegative and sum to one, so the blend is Lipschitz 1 if its parts are. It lies below
    /// the smallest `a_i`, by `r (1 - 1/sqrt(n))` where `n` parts are equal. Unlike a repeated smooth minimum
    /// of two values, it does not depend on the order of the parts.
    SmoothUnion {
        /// The `r` above; about the radius of the fillets.
        radius: f64,
        /// Parts, in any order.
        parts: Vec<Self>,
    },
    /// Union of a part and its mirror image in a plane through the origin.
    Mirrored {
        /// Normal of the plane.
        normal: Axis,
        /// The part, on either side of the plane or across it.
        part: Box<Self>,
    },
    /// A part rotated about the origin and then translated.
    Moved {
        /// Rotation matrix.
        rotation: Mat3,
        /// Translation in metres.
        translation: Vec3,
        /// The part before the motion.
        part: Box<Self>,
    },
}

impl Axis {
    /// Mirror image of `point` in the plane through the origin perpendicular to this axis.
    fn mirror(self, point: Vec3) -> Vec3 {
        match self {
            Self::X => Vec3::new(-point.x, point.y, point.z),
            Self::Y => Vec3::new(point.x, -point.y, point.z),
            Self::Z => Vec3::new(point.x, point.y, -point.z),
        }
    }
}

impl Field {
    /// Signed distance (m) from `point` (m) to the surface, or a lower bound of it; negative inside. Costs one
    /// traversal of the tree.
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
            Self::Difference(minuend, subtrahend) => {
                minuend.value(point).max(-subtrahend.value(point))
            }
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
