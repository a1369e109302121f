//! Torques distributed over nodes.

use resile_math::{Mat3, cholesky, outer};
use resile_system::{Hessian, Vec3};

/// A torque cannot be distributed over these nodes.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum TorqueError {
    /// A weight is not finite.
    #[error("node {node} has the weight {weight}, but must have a finite one")]
    Weight {
        /// The node.
        node: usize,
        /// The given value.
        weight: f64,
    },
    /// All nodes with weight are collinear, or weights are negative on the whole.
    #[error("the nodes lie on one line, so forces on them have no torque about it")]
    OnLine,
}

/// A torque M as forces on nodes with weights `w_i`, which minimise `sum of |f_i|^2 / w_i` if these are positive:
///
/// ```text
/// f_i = w_i omega x (x_i - c),   J omega = M,   J = sum of w_i (|r_i|^2 I - r_i r_i^T),   r_i = x_i - c,
/// ```
///
/// where c is the weighted mean of the positions. The resultant force is zero and the resultant torque is M about
/// any point. With masses as weights the nodes get the angular acceleration omega of a rigid body; with
/// [areas](crate::SurfacePatch::areas) the forces are those of the traction `omega x r` on a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct SpreadTorque {
    torque: Vec3,
    weights: Vec<(usize, f64)>,
}

impl SpreadTorque {
    /// The `torque` (N m) on nodes by `weights` in any unit: node and weight.
    ///
    /// # Errors
    /// The first weight that is not finite. Corners of curved quadratic faces have negative areas.
    pub fn new(torque: Vec3, weights: Vec<(usize, f64)>) -> Result<Self, TorqueError> {
        let is_invalid = |&&(_, weight): &&(usize, f64)| !weight.is_finite();
        match weights.iter().find(is_invalid) {
            Some(&(node, weight)) => Err(TorqueError::Weight { node, weight }),
            None => Ok(Self { torque, weights }),
        }
    }

    /// Forces (N) by nodes for nodes at `x` (m). O(nodes).
    ///
    /// # Errors
    /// If the nodes with weight are collinear up to rounding.
    pub fn forces(&self, x: &[Vec3]) -> Result<Vec<(usize, Vec3)>, TorqueError> {
        let SpreadShape { arms, omega, .. } = self.shape(x)?;
        let force = |(&(i, weight), arm): (&(usize, f64), &Vec3)| (i, omega.cross(*arm) * weight);
        Ok(self.weights.iter().zip(&arms).map(force).collect())
    }

    /// The arms and the inertia of nodes at `x` (m).
    fn shape(&self, x: &[Vec3]) -> Result<SpreadShape, TorqueError> {
        let total: f64 = self.weights.iter().map(|(_, weight)| weight).sum();
        let centre = self.weights.iter().map(|&(i, weight)| x[i] * weight).sum::<Vec3>() / total;
        let arms: Vec<Vec3> = self.weights.iter().map(|&(i, _)| x[i] - centre).collect();
        let mut inertia = Mat3::ZERO;
        for (&(_, weight), &r) in self.weights.iter().zip(&arms) {
            inertia += (Mat3::IDENTITY * r.length_squared() - outer(r, r)) * weight;
        }
        // For one node or none the inertia is zero or NaN.
        cholesky(inertia).filter(Mat3::is_finite).ok_or(TorqueError::OnLine)?;
        let compliance = inertia.inverse();
        Ok(SpreadShape { arms, compliance, omega: compliance * self.torque, total })
    }

    /// Adds `scale` times the symmetric part of the derivative of minus the [forces](Self::forces) (N/m).
    ///
    /// With the displacements u, `-df_i = w_i (J^-1 sum of w_j (2 (r_j . u_j) omega - (r_j . omega) u_j -
    /// (omega . u_j) r_j)) x r_i`, and an antisymmetric rest. This is `P Q^T u` with three columns p and q, one for each
    /// axis; `(p q^T + q p^T) / 2` is the difference of the dyads of `(p + q) / 2` and `(p - q) / 2`. O(nodes).
    pub(crate) fn add_load_stiffness(&self, x: &[Vec3], scale: f64, out: &mut Hessian<'_>) {
        let Ok(shape) = self.shape(x) else { return };
        for axis in Vec3::AXES {
            let p = self.products(&shape.arms, |r| axis.cross(r));
            let turned = shape.compliance * axis;
            let q = self.products(&shape.arms, |r| shape.change_by_arm(r, turned));
            // The ratio of both lengths, so that their sum and their difference do not cancel.
            let balance = (length(&q) / length(&p)).sqrt();
            if !(balance > 0.0 && balance.is_finite()) {
                continue;
            }
            for (sign, weight) in [(1.0, scale), (-1.0, -scale)] {
                let half_sum = |(&(node, p), &(_, q)): (&(usize, Vec3), &(usize, Vec3))| {
                    (node, (p * balance + q * (sign / balance)) * 0.5)
                };
                out.add_dyad(weight, &p.iter().zip(&q).map(half_sum).collect::<Vec<_>>());
            }
        }
    }

    /// `out += scale * A u`, where A is the antisymmetric part of the derivative of minus the [forces](Self::forces).
    /// O(nodes).
    pub(crate) fn add_antisymmetric_load(
        &self,
        (x, u): (&[Vec3], &[Vec3]),
        scale: f64,
        out: &mut [Vec3],
    ) {
        let Ok(shape) = self.shape(x) else { return };
        let SpreadShape { arms, compliance, omega, total } = &shape;
        let weighted = || self.weights.iter().zip(arms).map(|(&(i, weight), &r)| (u[i], r, weight));
        let mean = weighted().map(|(u, _, weight)| u * weight).sum::<Vec3>() / *total;
        let change: Vec3 = weighted()
            .map(|(u, r, weight)| {
                (*omega * (2.0 * r.dot(u)) - u * r.dot(*omega) - r * omega.dot(u)) * weight
            })
            .sum();
        let moment: Vec3 = weighted().map(|(u, r, weight)| r.cross(u) * weight).sum();
        let (change, moment) = (*compliance * change, *compliance * moment);
        for (&(i, weight), &r) in self.weights.iter().zip(arms) {
            let low_rank = change.cross(r) - shape.change_by_arm(r, moment);
            out[i] += (low_rank * 0.5 - omega.cross(u[i] - mean)) * (weight * scale);
        }
    }

    /// The values of a function of the arm, times the weight, by nodes.
    fn products(&self, arms: &[Vec3], value: impl Fn(Vec3) -> Vec3) -> Vec<(usize, Vec3)> {
        let product = |(&(i, weight), &r): (&(usize, f64), &Vec3)| (i, value(r) * weight);
        self.weights.iter().zip(arms).map(product).collect()
    }
}

/// Nodes with weights as a rigid body.
struct SpreadShape {
    /// `r_i` of each node with weight.
    arms: Vec<Vec3>,
    /// `J^-1`.
    compliance: Mat3,
    omega: Vec3,
    /// Sum of the weights.
    total: f64,
}

impl SpreadShape {
    /// `2 (omega . y) r - (r . omega) y - (r . y) omega`: the transpose of the change of `J omega` by the arm r of a
    /// node of unit weight, times y.
    fn change_by_arm(&self, r: Vec3, y: Vec3) -> Vec3 {
        r * (2.0 * self.omega.dot(y)) - y * r.dot(self.omega) - self.omega * r.dot(y)
    }
}

/// Euclidean length of a nodal field.
fn length(field: &[(usize, Vec3)]) -> f64 {
    field.iter().map(|(_, v)| v.length_squared()).sum::<f64>().sqrt()
}
