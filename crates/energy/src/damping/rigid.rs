//! Damping that does not affect rigid motion.

use resile_math::small::SymmetricEigen;
use resile_math::{Mat3, Vec3, cross_matrix, outer};
use resile_system::{Dissipation, DissipationPotential, Hessian, Psd};
use std::sync::Arc;

/// Largest number of nodes of a body whose second derivative is exact.
const MAX_DENSE_NODES: usize = 16;

/// A principal moment of inertia below this fraction of the largest is treated as zero: the
/// nodes lie on its axis up to rounding.
const MIN_RELATIVE_MOMENT: f64 = 1e-12;

/// `D(v) = k/2 sum_i m_i |w_i|^2`, `w_i = v_i - v_cm - omega x r_i`: the momentum
/// preserving damping of BLEND, eqs. 32-33, as a rate.
///
/// Centre of mass, arms `r_i` and inertia I are taken at the start of the step;
/// `omega = I^-1 L`. Since `w` is the remainder of the projection onto rigid motions
/// (orthogonal in the inner product of the masses), the gradient is `k m_i w_i`, and the forces
/// preserve momentum and angular momentum about the lagged positions. A single node and
/// collinear nodes have axes without inertia; `I^-1` is then the pseudo-inverse, and omega
/// has no component along these axes.
///
/// The second derivative couples all nodes (by a matrix of rank six). Bodies of more than
/// 16 nodes use its block diagonal upper bound `k m_i 1` under either [`Psd`],
/// which differs from it in rigid directions only. Newton's method still descends and the matrix stays
/// sparse, but convergence is linear where a body moves rigidly. O(nodes).
#[derive(Debug, Clone, PartialEq)]
pub struct RigidPreservingDamping {
    masses: Arc<[f64]>,
    rate: f64,
}

/// The damping of nodes at given positions.
struct RigidPreserving {
    masses: Arc<[f64]>,
    rate: f64,
    /// Positions of the nodes relative to the centre of mass (m).
    arms: Vec<Vec3>,
    /// Pseudo-inverse of the inertia about the centre of mass (1/(kg m^2)).
    inverse_inertia: Mat3,
}

impl RigidPreservingDamping {
    /// Damping of nodes of mass `masses` (kg, positive) at the rate k (1/s), not
    /// negative.
    pub fn new(masses: Vec<f64>, rate: f64) -> Self {
        Self { masses: masses.into(), rate }
    }
}

/// The mean of `vectors`, weighted by `masses`.
fn mean(masses: &[f64], vectors: &[Vec3]) -> Vec3 {
    let moment: Vec3 = masses.iter().zip(vectors).map(|(m, a)| *a * *m).sum();
    moment / masses.iter().sum::<f64>()
}

impl RigidPreserving {
    /// For each node its mass and the non-rigid part of its velocity.
    fn nonrigid_velocities<'a>(&'a self, v: &'a [Vec3]) -> impl Iterator<Item = (f64, Vec3)> {
        let nodes = || self.masses.iter().zip(&self.arms).zip(v);
        let mean_velocity = mean(&self.masses, v);
        let angular_momentum: Vec3 =
            nodes().map(|((m, r), v)| r.cross(*v - mean_velocity) * *m).sum();
        let omega = self.inverse_inertia * angular_momentum;
        nodes().map(move |((m, r), v)| (*m, *v - mean_velocity - omega.cross(*r)))
    }
}

/// The pseudo-inverse of a symmetric, positive semi-definite matrix; eigenvalues below `threshold`
/// are treated as zero.
fn pseudo_inverse(a: &Mat3, threshold: f64) -> Mat3 {
    let eigen = SymmetricEigen::new(&a.to_cols_array_2d());
    let largest = eigen.values.iter().fold(0.0, |a: f64, b| a.max(*b));
    let mut inverse = Mat3::ZERO;
    for k in 0..3 {
        if eigen.values[k] > threshold.max(MIN_RELATIVE_MOMENT * largest) {
            let axis = Vec3::from_array(std::array::from_fn(|i| eigen.vectors[i][k]));
            inverse += outer(axis, axis) * eigen.values[k].recip();
        }
    }
    inverse
}

impl Dissipation for RigidPreservingDamping {
    fn name(&self) -> &str {
        "rigid preserving damping"
    }

    fn is_galilean_invariant(&self) -> bool {
        true
    }

    fn lagged(&self, x: &[Vec3]) -> Arc<dyn DissipationPotential> {
        let centre = mean(&self.masses, x);
        let arms: Vec<Vec3> = x.iter().map(|x| *x - centre).collect();
        let mut inertia = Mat3::ZERO;
        for (m, r) in self.masses.iter().zip(&arms) {
            inertia += (Mat3::from_diagonal(Vec3::splat(r.length_squared())) - outer(*r, *r)) * *m;
        }
        // Length of arms that consist of rounding errors of the positions only.
        let rounding_length =
            x.iter().fold(0.0, |a: f64, x| a.max(x.length())) * 4.0 * f64::EPSILON;
        let threshold = self.masses.iter().sum::<f64>() * rounding_length * rounding_length;
        let inverse_inertia = pseudo_inverse(&inertia, threshold);
        let (masses, rate) = (self.masses.clone(), self.rate);
        Arc::new(RigidPreserving { masses, rate, arms, inverse_inertia })
    }
}

impl DissipationPotential for RigidPreserving {
    fn rotates_with_body(&self) -> bool {
        true
    }

    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        0.5 * self.rate
            * self.nonrigid_velocities(v).map(|(m, w)| m * w.length_squared()).sum::<f64>()
    }

    fn add_gradient(&self, _time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for (out, (m, w)) in out.iter_mut().zip(self.nonrigid_velocities(v)) {
            *out += w * (scale * self.rate * m);
        }
    }

    fn add_hessian(&self, _time: f64, _v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        let identity = |factor: f64| Mat3::from_diagonal(Vec3::splat(factor));
        let total: f64 = self.masses.iter().sum();
        for (i, m) in self.masses.iter().enumerate() {
            out.add(i, i, identity(self.rate * m));
            if self.masses.len() > MAX_DENSE_NODES {
                continue;
            }
            let rotation = cross_matrix(self.arms[i]) * self.inverse_inertia;
            for j in i..self.masses.len() {
                let rigid = rotation * cross_matrix(self.arms[j]) - identity(1.0 / total);
                out.add(i, j, rigid * (self.rate * m * self.masses[j]));
            }
        }
    }
}
