//! Torques distributed over nodes.

use resile_math::{Mat3, cholesky, outer};
use resile_system::Vec3;

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
        let total: f64 = self.weights.iter().map(|(_, weight)| weight).sum();
        let centre = self.weights.iter().map(|&(i, weight)| x[i] * weight).sum::<Vec3>() / total;
        let arm = |i: usize| x[i] - centre;
        let inertia = |&(i, weight): &(usize, f64)| {
            let r = arm(i);
            (Mat3::IDENTITY * r.length_squared() - outer(r, r)) * weight
        };
        let inertia = self
            .weights
            .iter()
            .map(inertia)
            .fold(Mat3::ZERO, |sum, inertia_of_node| sum + inertia_of_node);
        // For one node or none the inertia is zero or NaN.
        cholesky(inertia).filter(Mat3::is_finite).ok_or(TorqueError::OnLine)?;
        let omega = inertia.inverse() * self.torque;
        let force = |&(i, weight): &(usize, f64)| (i, omega.cross(arm(i)) * weight);
        Ok(self.weights.iter().map(force).collect())
    }
}
