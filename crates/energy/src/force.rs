//! Given forces on nodes.

use crate::factor::Factor;
use crate::schedule::between;
use resile_system::{Energy, Hessian, Psd, Vec3};

/// Invalid forces.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ForceError {
    /// A node does not exist.
    #[error("force {force} acts on node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The force, counted from zero.
        force: usize,
        /// Index of the node.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A force is not finite.
    #[error("force {force} is {newtons} N, but must be finite")]
    NotFinite {
        /// The force, counted from zero.
        force: usize,
        /// The given value (N).
        newtons: Vec3,
    },
    /// A weight is not finite.
    #[error("force {force} has the weight {weight}, but must have a finite one")]
    Weight {
        /// The force, counted from zero.
        force: usize,
        /// The given value.
        weight: f64,
    },
    /// The sum of the weights is not positive.
    #[error("the weights of the nodes sum up to {sum}, so the force acts on no node")]
    NoWeight {
        /// Sum of the weights.
        sum: f64,
    },
}

/// `P(x, t) = -s(t) sum_i f_i . x_i`: dead loads, which depend on a schedule s only. Their
/// direction does not rotate with the body. P is zero at the origin. O(forces).
#[derive(Debug, Clone, PartialEq)]
pub struct Force {
    forces: Vec<(usize, Vec3)>,
    schedule: Factor,
}

impl Force {
    /// `forces` on nodes of a body of `node_count` nodes: node and force (N), times the
    /// `schedule`. Several forces on one node add up.
    ///
    /// # Errors
    /// The first force without a node, or that is not finite.
    pub fn new(
        node_count: usize,
        forces: Vec<(usize, Vec3)>,
        schedule: impl Into<Factor>,
    ) -> Result<Self, ForceError> {
        for (force, &(node, newtons)) in forces.iter().enumerate() {
            if node >= node_count {
                return Err(ForceError::NoSuchNode { force, node, nodes: node_count });
            }
            if !newtons.is_finite() {
                return Err(ForceError::NotFinite { force, newtons });
            }
        }
        Ok(Self { forces, schedule: schedule.into() })
    }

    /// Distributes the force `total` (N) over nodes in proportion to their weights; with masses as
    /// weights the acceleration is uniform, with consistent areas the traction. `weights` lists nodes and their weights
    /// in any unit; the corners of curved quadratic faces have negative consistent areas.
    ///
    /// # Errors
    /// As [`new`](Self::new), and if weights are not finite or their sum is not positive.
    pub fn spread(
        node_count: usize,
        total: Vec3,
        weights: &[(usize, f64)],
        schedule: impl Into<Factor>,
    ) -> Result<Self, ForceError> {
        let is_invalid = |&(_, weight): &(usize, f64)| !weight.is_finite();
        if let Some(force) = weights.iter().position(is_invalid) {
            return Err(ForceError::Weight { force, weight: weights[force].1 });
        }
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(ForceError::NoWeight { sum });
        }
        let forces = weights.iter().map(|&(node, weight)| (node, total * (weight / sum)));
        Self::new(node_count, forces.collect(), schedule)
    }
}

impl Energy for Force {
    fn name(&self) -> &str {
        "force"
    }

    fn next_change(&self, time: f64) -> f64 {
        self.schedule.next_change(time)
    }

    fn is_varying_dead_load(&self, times: [f64; 2]) -> bool {
        let [start, end] = times.map(|time| self.schedule.at(time));
        start != end
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        -self.schedule.at(time) * self.forces.iter().map(|&(node, f)| f.dot(x[node])).sum::<f64>()
    }

    fn add_gradient(&self, time: f64, _x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let factor = self.schedule.at(time);
        for &(node, force) in &self.forces {
            out[node] -= force * (scale * factor);
        }
    }

    /// Zero: the potential is linear.
    fn add_hessian(&self, _time: f64, _x: &[Vec3], _psd: Psd, _out: &mut Hessian<'_>) {}

    /// `sum (s_old - s_new) sum_i f_i . x_i` over the changes of s.
    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        self.schedule.work(times, |fraction, factor| {
            let potential =
                |&(node, f): &(usize, Vec3)| f.dot(between(from[node], to[node], fraction));
            -factor * self.forces.iter().map(potential).sum::<f64>()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schedule;

    fn always() -> Schedule<f64> {
        Schedule::constant(1.0)
    }

    #[test]
    fn a_distributed_force_has_the_total_and_follows_the_weights() {
        let total = Vec3::new(1.0, -2.0, 4.0);
        let force = Force::spread(5, total, &[(4, 3.0), (1, 1.0)], always()).expect("in order");
        let mut gradient = [Vec3::ZERO; 5];
        force.add_gradient(0.0, &[Vec3::ZERO; 5], 2.0, &mut gradient);
        assert_eq!(gradient[4], total * -1.5);
        assert_eq!(gradient[1], total * -0.5);
        assert_eq!(gradient.iter().sum::<Vec3>(), total * -2.0);
    }

    #[test]
    fn invalid_forces_are_refused_with_their_number() {
        let make = |forces| Force::new(2, forces, always());
        let lost = make(vec![(0, Vec3::X), (2, Vec3::X)]);
        assert_eq!(lost, Err(ForceError::NoSuchNode { force: 1, node: 2, nodes: 2 }));
        let newtons = Vec3::new(0.0, f64::INFINITY, 0.0);
        assert_eq!(make(vec![(0, newtons)]), Err(ForceError::NotFinite { force: 0, newtons }));
        let spread = |weights: &[(usize, f64)]| Force::spread(2, Vec3::X, weights, always());
        let weight = f64::INFINITY;
        let infinite = spread(&[(0, 1.0), (1, weight)]);
        assert_eq!(infinite, Err(ForceError::Weight { force: 1, weight }));
        assert!(spread(&[(0, 1.0), (1, -0.5)]).is_ok());
        assert_eq!(spread(&[(0, -0.5)]), Err(ForceError::NoWeight { sum: -0.5 }));
        assert_eq!(spread(&[(0, 0.0)]), Err(ForceError::NoWeight { sum: 0.0 }));
        assert_eq!(spread(&[]), Err(ForceError::NoWeight { sum: 0.0 }));
    }
}
