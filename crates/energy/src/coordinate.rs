//! Potentials of one coordinate: oscillators, pendulums and walls, the test problems of
//! integrators.
//!
//! These terms depend on one of the three components of a node. With [`CoordinateLaw::Cosine`]
//! the coordinate is an angle (rad), and the mass of the node is a moment of inertia (kg m^2).
//! The units below are those of a coordinate in metres.

use crate::step_bound;
use resile_math::elementary;
use resile_math::outer;
use resile_system::{Energy, Hessian, Path, Psd, Vec3};

/// The potential of one coordinate q.
#[derive(Debug, Clone, PartialEq)]
pub enum CoordinateLaw {
    /// `sum_k c_k q^k`.
    Polynomial {
        /// The coefficients `c_k` (J/m^k), constant first.
        coefficients: Vec<f64>,
    },
    /// `-amplitude cos q`: a pendulum of angle q, with amplitude m g l.
    Cosine {
        /// Half the energy (J) between the lowest and the highest point.
        amplitude: f64,
    },
    /// `k/2 min(q - at, 0)^2`: the penalty wall of ASEARCH, appendix E. It is C1 only:
    /// the curvature jumps from zero to k at the wall.
    PenaltyWall {
        /// Position of the wall (m); the admissible side is above it.
        at: f64,
        /// Stiffness k (N/m).
        stiffness: f64,
    },
    /// `-kappa (d/d_hat - 1)^2 ln(d/d_hat)` for `0 < d = q - at < d_hat`, zero beyond,
    /// `+inf` for `d <= 0`: the barrier wall of ASEARCH, section 5.5. C2.
    BarrierWall {
        /// Position of the wall (m); nodes stay above it.
        at: f64,
        /// Stiffness kappa of the barrier (J).
        kappa: f64,
        /// Range `d_hat` (m) of the barrier.
        d_hat: f64,
    },
}

impl CoordinateLaw {
    /// Value, first and second derivative at q.
    fn derivatives(&self, q: f64) -> [f64; 3] {
        match *self {
            Self::Polynomial { ref coefficients } => polynomial(coefficients, q),
            Self::Cosine { amplitude } => {
                let (sin, cos) = elementary::sin_cos(q);
                [-amplitude * cos, amplitude * sin, amplitude * cos]
            }
            Self::PenaltyWall { at, stiffness } => {
                let depth = (q - at).min(0.0);
                let curvature = if depth < 0.0 { stiffness } else { 0.0 };
                [0.5 * stiffness * depth * depth, stiffness * depth, curvature]
            }
            Self::BarrierWall { at, kappa, d_hat } => {
                let [b, b1, b2] = barrier((q - at) / d_hat);
                [kappa * b, kappa * b1 / d_hat, kappa * b2 / (d_hat * d_hat)]
            }
        }
    }
}

/// Value, first and second derivative of a polynomial at q, by Horner's scheme.
fn polynomial(coefficients: &[f64], q: f64) -> [f64; 3] {
    let [p, p1, half_p2] = coefficients
        .iter()
        .rev()
        .fold([0.0; 3], |[p, p1, p2], c| [p * q + c, p1 * q + p, p2 * q + p1]);
    [p, p1, 2.0 * half_p2]
}

/// `-(s - 1)^2 ln s` and its first two derivatives, with s the distance relative to `d_hat`.
fn barrier(s: f64) -> [f64; 3] {
    if s >= 1.0 {
        return [0.0; 3];
    }
    if s <= 0.0 {
        return [f64::INFINITY, 0.0, 0.0];
    }
    let (t, log) = (s - 1.0, elementary::ln(s));
    [-t * t * log, -2.0 * t * log - t * t / s, -2.0 * log - 4.0 * t / s + t * t / (s * s)]
}

/// A potential of one component of each listed node. O(nodes).
#[derive(Debug, Clone, PartialEq)]
pub struct CoordinateTerm {
    nodes: Vec<usize>,
    axis: Vec3,
    law: CoordinateLaw,
}

impl CoordinateTerm {
    /// `law` of the component `axis` (0, 1, 2 for x, y, z) of each of `nodes`, which
    /// are counted within the body.
    ///
    /// # Panics
    /// If there is no such axis. Evaluation panics if there is no such node.
    pub fn new(nodes: Vec<usize>, axis: usize, law: CoordinateLaw) -> Self {
        Self { nodes, axis: Vec3::AXES[axis], law }
    }

    /// Each node with the value, first and second derivative of the law at its coordinate.
    fn node_derivatives<'a>(&'a self, x: &'a [Vec3]) -> impl Iterator<Item = (usize, [f64; 3])> {
        self.nodes.iter().map(|&node| (node, self.law.derivatives(x[node].dot(self.axis))))
    }
}

impl Energy for CoordinateTerm {
    /// `wall` for the walls, `potential` for the others.
    fn name(&self) -> &str {
        match self.law {
            CoordinateLaw::Polynomial { .. } | CoordinateLaw::Cosine { .. } => "potential",
            CoordinateLaw::PenaltyWall { .. } | CoordinateLaw::BarrierWall { .. } => "wall",
        }
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        self.node_derivatives(x).map(|(_, [value, ..])| value).sum()
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for (node, [_, slope, _]) in self.node_derivatives(x) {
            out[node] += self.axis * (scale * slope);
        }
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        for (node, [.., curvature]) in self.node_derivatives(x) {
            let curvature = match psd {
                Psd::Exact => curvature,
                Psd::Clamp => curvature.max(0.0),
            };
            out.add(node, node, outer(self.axis, self.axis) * curvature);
        }
    }

    /// Returns the largest fraction of the paths after which a tenth of the distance of each node to the wall remains.
    fn step_bound(&self, paths: &[Path<'_>]) -> f64 {
        let CoordinateLaw::BarrierWall { at, .. } = self.law else {
            return 1.0;
        };
        let distance = |x: &[Vec3], k: usize| x[self.nodes[k]].dot(self.axis) - at;
        step_bound::max_step_fraction(paths, self.nodes.len(), distance)
    }
}
