//! Springs from nodes to targets that are fixed or move as prescribed.
//!
//! This is a soft (penalty) hold. An exact hold is a Dirichlet condition, which removes the
//! degrees of freedom. The potential of a spring depends on time through its target; the term
//! reports the work of the prescribed motion to the energy ledger.

use crate::anchor::{Anchor, AnchorError};
use resile_system::{Energy, Hessian, Laplacian, Mat3, Motion, Psd, Vec3};

/// A spring of rest length zero between a point and a moving target.
#[derive(Debug, Clone, PartialEq)]
pub struct Spring {
    /// The point, which may be a node.
    pub point: Anchor,
    /// Initial position of the target (m).
    pub start: Vec3,
    /// Motion of the target.
    pub motion: Motion,
    /// Stiffness k (N/m).
    pub stiffness: f64,
}

impl Spring {
    /// Position of the target (m) at `time` (s).
    fn target(&self, time: f64) -> Vec3 {
        self.motion.position(self.start, time)
    }
}

/// Invalid spring.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum AttachmentError {
    /// The held point is not a point of the body.
    #[error("the point of spring {spring} {cause}")]
    Point {
        /// The spring, counted from zero.
        spring: usize,
        /// The error of the point.
        cause: AnchorError,
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

/// `P(x, t) = sum_s k_s/2 |x_s - target_s(t)|^2`.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    springs: Vec<Spring>,
}

impl Attachment {
    /// Springs on a body of `nodes` nodes.
    ///
    /// # Errors
    /// The first spring without a point of the body or without a positive stiffness.
    pub fn new(nodes: usize, springs: Vec<Spring>) -> Result<Self, AttachmentError> {
        for (index, spring) in springs.iter().enumerate() {
            let point = spring.point.check(nodes);
            point.map_err(|cause| AttachmentError::Point { spring: index, cause })?;
            let stiffness = spring.stiffness;
            if !(stiffness > 0.0 && stiffness.is_finite()) {
                return Err(AttachmentError::Stiffness { spring: index, stiffness });
            }
        }
        Ok(Self { springs })
    }

    /// Each spring with the vector (m) from its target to its point.
    fn elongations<'a>(
        &'a self,
        time: f64,
        x: &'a [Vec3],
    ) -> impl Iterator<Item = (&'a Spring, Vec3)> {
        self.springs.iter().map(move |s| (s, s.point.at(x) - s.target(time)))
    }
}

impl Energy for Attachment {
    fn name(&self) -> &str {
        "attachment"
    }

    fn next_change(&self, time: f64) -> f64 {
        let next_changes = self.springs.iter().map(|spring| spring.motion.next_change(time));
        next_changes.fold(f64::INFINITY, f64::min)
    }

    /// The mean of the targets, weighted by the stiffness of their springs.
    fn support_velocity(&self, [start, end]: [f64; 2]) -> Option<Vec3> {
        let total: f64 = self.springs.iter().map(|spring| spring.stiffness).sum();
        let displacement = |spring: &Spring| {
            (spring.target(end) - spring.target(start)) * (spring.stiffness / total)
        };
        (total > 0.0).then(|| self.springs.iter().map(displacement).sum::<Vec3>() / (end - start))
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        self.elongations(time, x).map(|(s, d)| 0.5 * s.stiffness * d.length_squared()).sum()
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for (spring, d) in self.elongations(time, x) {
            for &(node, weight) in &spring.point.nodes {
                out[node] += d * (scale * spring.stiffness * weight);
            }
        }
    }

    fn add_hessian(&self, _time: f64, _x: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        for spring in &self.springs {
            let nodes = &spring.point.nodes;
            for (k, &(i, weight_i)) in nodes.iter().enumerate() {
                for &(j, weight_j) in &nodes[k..] {
                    let block = Vec3::splat(spring.stiffness * weight_i * weight_j);
                    out.add(i, j, Mat3::from_diagonal(block));
                }
            }
        }
    }

    /// The exact Hessian; its block for each pair of nodes is a multiple of the identity.
    fn add_laplacian(&self, _time: f64, _x: &[Vec3], out: &mut Laplacian<'_>) {
        for spring in &self.springs {
            let nodes = &spring.point.nodes;
            for (k, &(i, weight_i)) in nodes.iter().enumerate() {
                nodes[k..].iter().for_each(|&(j, weight_j)| {
                    out.add(i, j, spring.stiffness * weight_i * weight_j);
                });
            }
        }
    }

    /// `sum_s (f_0 + f_1)/2 . (target_1 - target_0)` with the force `f = k (target - x)` that
    /// moves the target: the trapezoidal rule for the work, exact if nodes and targets move
    /// straight at constant speed.
    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        let work = |spring: &Spring| {
            let [target_0, target_1] = times.map(|t| spring.target(t));
            let elongation_sum =
                (target_0 - spring.point.at(from)) + (target_1 - spring.point.at(to));
            0.5 * spring.stiffness * elongation_sum.dot(target_1 - target_0)
        };
        self.springs.iter().map(work).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_system::check::{DenseSink, energy_derivatives, energy_derivatives_at};

    fn pulled() -> Attachment {
        let motion = Motion::Steady {
            start: 1.0,
            end: 3.0,
            velocity: Vec3::new(0.5, 0.0, -1.0),
            angular_velocity: Vec3::ZERO,
            pivot: Vec3::ZERO,
        };
        let spring = |node: usize, k| Spring {
            point: node.into(),
            start: Vec3::Y,
            motion: motion.clone(),
            stiffness: k,
        };
        Attachment::new(3, vec![spring(2, 40.0), spring(0, 7.0)]).expect("springs are in order")
    }

    const X: [Vec3; 3] =
        [Vec3::new(0.3, 0.2, 0.1), Vec3::new(9.0, 9.0, 9.0), Vec3::new(-1.0, 2.0, 0.5)];

    #[test]
    fn derivatives_are_those_of_the_value() {
        let term = pulled();
        let errors = energy_derivatives_at(2.0, &term, &X, 1e-3).expect("springs are stretched");
        assert!(errors.gradient < 1e-10 && errors.hessian < 1e-10, "{errors:?}");
        let mut sink = DenseSink::new(3);
        term.add_hessian(2.0, &X, Psd::Clamp, &mut Hessian::new(&mut sink, 0, 1.0));
        assert_eq!((sink.at(6, 6), sink.at(4, 4), sink.at(0, 0)), (40.0, 0.0, 7.0));
    }

    #[test]
    fn a_point_between_nodes_has_the_derivatives_of_its_value() {
        let point = Anchor::new(vec![(0, 0.7), (2, -0.4), (1, 0.7)]);
        let spring = Spring { point, start: Vec3::Y, motion: Motion::Fixed, stiffness: 30.0 };
        let term = Attachment::new(3, vec![spring.clone()]).expect("the weights sum up to one");
        let errors = energy_derivatives(&term, &X, 1e-3).expect("the spring is stretched");
        assert!(errors.gradient < 1e-10 && errors.hessian < 1e-10, "{errors:?}");
        let nowhere = Spring { point: Anchor::new(vec![(0, 0.7)]), ..spring };
        let refused = Attachment::new(3, vec![nowhere]);
        assert_eq!(
            refused,
            Err(AttachmentError::Point { spring: 0, cause: AnchorError::Weights { sum: 0.7 } })
        );
    }

    #[test]
    fn work_of_moving_targets_equals_the_energy_gain() {
        // Fixed nodes do no work, so the energy gain is the work of the targets.
        let term = pulled();
        let before = term.value(1.5, &X);
        let gain = term.value(2.75, &X) - before;
        let work = term.work(&X, &X, [1.5, 2.75]);
        assert!((gain - work).abs() < 1e-12 * work.abs(), "{gain} {work}");
        assert!(work > 1.0, "the case is not an empty one");

        // Moving nodes do part of the work.
        let moved = X.map(|x| x * 1.5 + Vec3::Z);
        let gain = term.value(2.75, &moved) - before;
        let mut forces = [Vec3::ZERO; 3];
        term.add_gradient(2.75, &moved, 0.5, &mut forces);
        term.add_gradient(1.5, &X, 0.5, &mut forces);
        let by_nodes: f64 = (0..3).map(|i| forces[i].dot(moved[i] - X[i])).sum();
        let work = term.work(&X, &moved, [1.5, 2.75]);
        assert!((gain - work - by_nodes).abs() < 1e-12 * gain.abs(), "{gain} {work} {by_nodes}");
    }

    #[test]
    fn targets_follow_their_motion_and_start_at_time_zero() {
        let term = pulled();
        let targets = |time| [0, 1].map(|spring: usize| term.springs[spring].target(time));
        assert_eq!(targets(0.0), [Vec3::Y; 2]);
        assert_eq!(targets(2.0)[0], Vec3::new(0.5, 1.0, -1.0));
    }

    #[test]
    fn invalid_springs_are_refused_with_their_number() {
        let good =
            Spring { point: 0.into(), start: Vec3::ZERO, motion: Motion::Fixed, stiffness: 1.0 };
        let lost =
            Attachment::new(2, vec![good.clone(), Spring { point: 2.into(), ..good.clone() }]);
        let cause = AnchorError::NoSuchNode { node: 2, nodes: 2 };
        assert_eq!(lost, Err(AttachmentError::Point { spring: 1, cause }));
        for stiffness in [0.0, -1.0, f64::INFINITY] {
            let limp = Attachment::new(2, vec![good.clone(), Spring { stiffness, ..good.clone() }]);
            assert_eq!(limp, Err(AttachmentError::Stiffness { spring: 1, stiffness }));
        }
    }
}
