//! Penalty contact of nodes with fixed analytic solids.
//!
//! BLEND and AVF use this contact model in their examples: a spring pushes nodes out of a solid.
//! The potential is finite everywhere, but fast nodes and soft springs permit tunnelling, and edges
//! and triangles are ignored. The barrier of `resile-contact` has neither defect.

use resile_math::outer;
use resile_system::{Energy, Hessian, Mat3, Psd, Vec3};

/// A solid that nodes must not enter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Solid {
    /// Everything behind a plane.
    HalfSpace {
        /// A point of the plane (m).
        point: Vec3,
        /// The outward normal, of any length except zero.
        normal: Vec3,
    },
    /// A ball; nodes stay outside.
    Ball {
        /// The centre (m).
        center: Vec3,
        /// The radius (m).
        radius: f64,
    },
    /// The complement of a ball; nodes stay inside the ball.
    Cavity {
        /// The centre (m).
        center: Vec3,
        /// The radius (m).
        radius: f64,
    },
}

/// Invalid repulsion.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum RepulsionError {
    /// The parameters of the solid are invalid.
    #[error(
        "a solid needs finite numbers, a normal that is not zero or a radius > 0, not {solid:?}"
    )]
    Shape {
        /// The given value.
        solid: Solid,
    },
    /// A node does not exist.
    #[error("spring {spring} pushes node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The spring, counted from zero.
        spring: usize,
        /// Index of the node.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// The stiffness is not a positive number.
    #[error(
        "spring {spring} has the stiffness {stiffness} N/m, but must have a positive, finite one"
    )]
    Stiffness {
        /// The spring, counted from zero.
        spring: usize,
        /// The given value (N/m).
        stiffness: f64,
    },
}

/// `P(x) = sum_i k_i/2 min(0, d(x_i))^2` with d the signed distance from the solid, negative
/// inside it. C1: the curvature jumps at its surface. O(nodes).
///
/// At the centre of a ball the direction is undefined: the force there is zero (the mean of the
/// surrounding forces), and the curvature is k in all directions.
#[derive(Debug, Clone, PartialEq)]
pub struct Repulsion {
    solid: Solid,
    /// Node and k (N/m).
    springs: Vec<(usize, f64)>,
}

/// Distance d, its gradient n, and the curvature c of its level sets: `d2d = c (1 - n n^T)`.
struct Gap {
    /// Signed distance (m), negative inside the solid.
    distance: f64,
    normal: Vec3,
    curvature: f64,
}

impl Solid {
    /// The solid with a unit normal; `None` if the parameters are invalid.
    fn normalised(self) -> Option<Self> {
        match self {
            Self::HalfSpace { point, normal } => {
                let normal = normal.try_normalize().filter(|_| point.is_finite())?;
                Some(Self::HalfSpace { point, normal })
            }
            Self::Ball { center, radius } | Self::Cavity { center, radius } => {
                (center.is_finite() && radius > 0.0 && radius.is_finite()).then_some(self)
            }
        }
    }

    /// The gap between a point and the solid.
    fn gap(&self, x: Vec3) -> Gap {
        // The distance r from a centre has the gradient x/r and the curvature 1/r.
        let round = |center: Vec3, radius: f64, sign: f64| {
            let arm = x - center;
            let length = arm.length();
            let (normal, curvature) = match length > 0.0 {
                true => (arm * (sign / length), sign / length),
                false => (Vec3::ZERO, 0.0),
            };
            Gap { distance: sign * (length - radius), normal, curvature }
        };
        match *self {
            Self::HalfSpace { point, normal } => {
                Gap { distance: (x - point).dot(normal), normal, curvature: 0.0 }
            }
            Self::Ball { center, radius } => round(center, radius, 1.0),
            Self::Cavity { center, radius } => round(center, radius, -1.0),
        }
    }
}

impl Repulsion {
    /// Springs that push nodes of a body of `node_count` nodes out of `solid`: node and
    /// stiffness k (N/m).
    ///
    /// # Errors
    /// An invalid solid; the first spring without a node or without a positive stiffness.
    pub fn new(
        node_count: usize,
        solid: Solid,
        springs: Vec<(usize, f64)>,
    ) -> Result<Self, RepulsionError> {
        let solid = solid.normalised().ok_or(RepulsionError::Shape { solid })?;
        for (spring, &(node, stiffness)) in springs.iter().enumerate() {
            if node >= node_count {
                return Err(RepulsionError::NoSuchNode { spring, node, nodes: node_count });
            }
            if !(stiffness > 0.0 && stiffness.is_finite()) {
                return Err(RepulsionError::Stiffness { spring, stiffness });
            }
        }
        Ok(Self { solid, springs })
    }

    /// For each node inside the solid: its index, k (N/m) and gap.
    fn penetrating_nodes<'a>(&'a self, x: &'a [Vec3]) -> impl Iterator<Item = (usize, f64, Gap)> {
        let gaps = self.springs.iter().map(|&(node, k)| (node, k, self.solid.gap(x[node])));
        gaps.filter(|(_, _, gap)| gap.distance < 0.0)
    }
}

impl Energy for Repulsion {
    fn name(&self) -> &str {
        "repulsion"
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        self.penetrating_nodes(x).map(|(_, k, gap)| 0.5 * k * gap.distance * gap.distance).sum()
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for (node, k, gap) in self.penetrating_nodes(x) {
            out[node] += gap.normal * (scale * k * gap.distance);
        }
    }

    /// The eigenvalues are k along the normal and `k d c` (twice) in transverse directions: negative in a ball,
    /// positive in a cavity.
    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        // Blocks of all nodes are added, because the sparsity pattern must be the same in every call.
        for &(node, k) in &self.springs {
            let Gap { distance, normal, curvature } = self.solid.gap(x[node]);
            let transverse = match psd {
                _ if normal == Vec3::ZERO => k,
                Psd::Exact => k * distance * curvature,
                Psd::Clamp => (k * distance * curvature).max(0.0),
            };
            let block = match distance < 0.0 {
                true => {
                    let dyad = outer(normal, normal);
                    dyad * k + (Mat3::IDENTITY - dyad) * transverse
                }
                false => Mat3::ZERO,
            };
            out.add(node, node, block);
        }
    }
}
