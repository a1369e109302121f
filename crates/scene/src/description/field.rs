//! Solids given by signed distance functions.

use super::{Axis, Rotation};
use resile_math::{Mat3, Vec3};
use resile_mesher::implicit;
use serde::{Deserialize, Serialize};

/// A solid, or a combination of solids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Field {
    /// A ball.
    Sphere {
        /// Centre (m).
        center: [f64; 3],
        /// Radius (m).
        radius: f64,
    },
    /// An ellipsoid along the axes.
    Ellipsoid {
        /// Centre (m).
        center: [f64; 3],
        /// Half lengths along x, y and z (m).
        radii: [f64; 3],
    },
    /// The convex hull of two balls: a capsule or a round cone.
    Capsule {
        /// Centre of the first ball (m).
        from: [f64; 3],
        /// Centre of the second ball (m).
        to: [f64; 3],
        /// Radii of the first and the second ball (m).
        radii: [f64; 2],
    },
    /// A box along the axes.
    Box {
        /// Centre (m).
        center: [f64; 3],
        /// Half lengths along x, y and z (m).
        half: [f64; 3],
        /// Radius of its edges (m).
        #[serde(default)]
        rounding: f64,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// Centre of one end (m).
        from: [f64; 3],
        /// Centre of the other end (m).
        to: [f64; 3],
        /// Radius (m).
        radius: f64,
    },
    /// A torus.
    Torus {
        /// Centre (m).
        center: [f64; 3],
        /// Direction of its axis.
        axis: [f64; 3],
        /// Radius from the axis to the centre of the tube (m).
        ring_radius: f64,
        /// Radius of the tube (m).
        tube_radius: f64,
    },
    /// The union of parts.
    Union(Vec<Self>),
    /// The intersection of parts.
    Intersection(Vec<Self>),
    /// The first part without the second.
    Difference {
        /// The first.
        whole: Box<Self>,
        /// The second.
        hole: Box<Self>,
    },
    /// The smooth union of parts.
    SmoothUnion {
        /// Approximate radius of the fillets (m).
        radius: f64,
        /// The parts, in any order.
        parts: Vec<Self>,
    },
    /// A part together with its mirror image in a plane through the origin.
    Mirrored {
        /// The direction perpendicular to the plane.
        normal: Axis,
        /// The part, which may lie on either side of the plane or across it.
        part: Box<Self>,
    },
    /// A part rotated about the origin, then translated.
    Moved {
        /// Rotations, applied in this order.
        #[serde(default)]
        rotate: Vec<Rotation>,
        /// Translation (m).
        #[serde(default)]
        translate: [f64; 3],
        /// The part.
        part: Box<Self>,
    },
}

impl Field {
    /// The corresponding field of the mesher.
    pub fn to_implicit(&self) -> implicit::Field {
        use implicit::Field as To;
        let v = Vec3::from_array;
        let boxed = |part: &Self| Box::new(part.to_implicit());
        let convert_all = |parts: &[Self]| parts.iter().map(Self::to_implicit).collect();
        match self {
            Self::Sphere { center, radius } => To::Sphere { center: v(*center), radius: *radius },
            Self::Ellipsoid { center, radii } => {
                To::Ellipsoid { center: v(*center), radii: v(*radii) }
            }
            Self::Capsule { from, to, radii } => {
                To::Capsule { from: v(*from), to: v(*to), radii: *radii }
            }
            Self::Box { center, half, rounding } => {
                To::Box { center: v(*center), half: v(*half), rounding: *rounding }
            }
            Self::Cylinder { from, to, radius } => {
                To::Cylinder { from: v(*from), to: v(*to), radius: *radius }
            }
            Self::Torus { center, axis, ring_radius, tube_radius } => To::Torus {
                center: v(*center),
                axis: v(*axis),
                ring_radius: *ring_radius,
                tube_radius: *tube_radius,
            },
            Self::Union(parts) => To::Union(convert_all(parts)),
            Self::Intersection(parts) => To::Intersection(convert_all(parts)),
            Self::Difference { whole, hole } => To::Difference(boxed(whole), boxed(hole)),
            Self::SmoothUnion { radius, parts } => {
                To::SmoothUnion { radius: *radius, parts: convert_all(parts) }
            }
            Self::Mirrored { normal, part } => {
                To::Mirrored { normal: to_implicit_axis(*normal), part: boxed(part) }
            }
            Self::Moved { rotate, translate, part } => To::Moved {
                rotation: rotate
                    .iter()
                    .fold(Mat3::IDENTITY, |product, rotation| rotation.matrix() * product),
                translation: v(*translate),
                part: boxed(part),
            },
        }
    }
}

/// The axis type of the mesher.
fn to_implicit_axis(axis: Axis) -> implicit::Axis {
    match axis {
        Axis::X => implicit::Axis::X,
        Axis::Y => implicit::Axis::Y,
        Axis::Z => implicit::Axis::Z,
    }
}
