//! Displacement of prescribed nodes to their targets.

use crate::descent::{Descent, IterationResult};
use crate::error::SolveError;
use crate::failure::Failure;
use crate::iterate::Evaluation;
use crate::iteration::{Cut, Outcome};
use crate::line_search::AcceptanceCriterion;
use crate::objective::Objective;
use resile_math::{Mat3, Vec3};

/// Maximum number of iterations until prescribed nodes reach their targets. A step bound stops a node a fixed fraction
/// before an obstacle, so a free path takes a few steps, and an obstructed one would take any number.
const MAX_STEPS: usize = 30;

/// Permitted deviation of a guided node from its target in the constrained directions, in roundings of the coordinates:
/// a projection sums three products.
const PROJECTION_ROUNDINGS: f64 = 64.0;

/// A prescribed node and its target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) node: usize,
    /// The target position (m).
    position: Vec3,
    /// The projector onto the constrained directions of a guided node; `None` if all directions are constrained.
    pub(crate) constrained: Option<Mat3>,
}

impl Target {
    /// The remaining displacement (m) in the constrained directions.
    pub(crate) fn displacement(&self, u: &[Vec3]) -> Vec3 {
        let displacement = self.position - u[self.node];
        self.constrained.map_or(displacement, |projector| projector * displacement)
    }

    /// Whether the node has reached its target: bitwise, a guided node up to rounding.
    pub(crate) fn has_arrived(&self, u: &[Vec3]) -> bool {
        let current = u[self.node];
        match self.constrained {
            None => current == self.position,
            Some(_) => {
                let size = current.abs().max(self.position.abs()).max_element();
                self.displacement(u).abs().max_element()
                    <= PROJECTION_ROUNDINGS * f64::EPSILON * size
            }
        }
    }
}

/// The prescribed nodes of one solve.
#[derive(Debug, Clone)]
pub(crate) struct Prescription {
    targets: Vec<Target>,
    /// Largest distance (m) of a node from its target at the start.
    start_distance: f64,
    /// Number of steps towards the targets so far.
    steps: usize,
}

impl Prescription {
    /// The prescription for nodes that start at `u` (m). `targets` has the prescribed nodes with their target positions
    /// (m), and `guided` the projectors onto the free directions of guided nodes, ascending by node.
    pub(crate) fn new(targets: &[(usize, Vec3)], guided: &[(usize, Mat3)], u: &[Vec3]) -> Self {
        let target = |&(node, position): &(usize, Vec3)| {
            let index = guided.binary_search_by_key(&node, |(guided_node, _)| *guided_node).ok();
            let constrained = index.map(|index| Mat3::IDENTITY - guided[index].1);
            Target { node, position, constrained }
        };
        let targets = targets.iter().map(target).collect();
        let mut prescription = Self { targets, start_distance: 0.0, steps: 0 };
        prescription.start_distance = prescription.remaining(u);
        prescription
    }

    pub(crate) fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Largest remaining distance (m).
    pub(crate) fn remaining(&self, u: &[Vec3]) -> f64 {
        self.targets.iter().map(|target| target.displacement(u).length()).fold(0.0, f64::max)
    }

    /// The node with the largest remaining distance.
    pub(crate) fn farthest_node(&self, u: &[Vec3]) -> usize {
        let distance = |target: &Target| target.displacement(u).length();
        let farthest = self.targets.iter().max_by(|a, b| distance(a).total_cmp(&distance(b)));
        farthest.map_or(0, |target| target.node)
    }

    /// Fraction of the largest distance that has been covered.
    pub(crate) fn progress(&self, u: &[Vec3]) -> f64 {
        1.0 - self.remaining(u) / self.start_distance
    }

    /// Whether every node has reached its target: bitwise, guided nodes up to rounding.
    pub(crate) fn has_arrived(&self, u: &[Vec3]) -> bool {
        self.targets.iter().all(|target| target.has_arrived(u))
    }

    /// Root of the sum of the squared remaining distances (m) of all nodes.
    pub(crate) fn lag(&self, u: &[Vec3]) -> f64 {
        let squares = self.targets.iter().map(|target| target.displacement(u).length_squared());
        squares.sum::<f64>().sqrt()
    }

    /// Replaces the targets of nodes that have not reached them by their positions in `u` (m).
    pub(crate) fn accept_lag(&mut self, u: &[Vec3]) {
        for target in self.targets.iter_mut().filter(|target| !target.has_arrived(u)) {
            target.position = u[target.node];
        }
    }

    /// Writes the remaining displacements to the constrained components of `step`; the free components of guided nodes
    /// are unchanged.
    pub(crate) fn write_step(&self, u: &[Vec3], step: &mut [Vec3]) {
        for target in &self.targets {
            let step = &mut step[target.node];
            let free_part =
                target.constrained.map_or(Vec3::ZERO, |projector| *step - projector * *step);
            *step = free_part + target.displacement(u);
        }
    }

    /// Moves the nodes exactly to their targets, from which `u + (target - u)` may differ by rounding.
    pub(crate) fn move_to_targets(&self, u: &mut [Vec3]) {
        self.move_some_to_targets(u, |_| true);
    }

    /// [Moves](Self::move_to_targets) those nodes for which `moves` is true.
    pub(crate) fn move_some_to_targets(&self, u: &mut [Vec3], moves: impl Fn(usize) -> bool) {
        for target in self.targets.iter().filter(|target| moves(target.node)) {
            u[target.node] = match target.constrained {
                None => target.position,
                Some(_) => u[target.node] + target.displacement(u),
            };
        }
    }
}

impl Descent<'_> {
    /// Moves all nodes along the step that leads prescribed nodes towards their targets. Any point of the domain is
    /// accepted, because the value may have to increase.
    ///
    /// # Errors
    /// [`Failure::Blocked`] if the nodes cannot move, or have taken [`MAX_STEPS`] steps without reaching their targets.
    pub(crate) fn move_prescribed(
        &mut self,
        objective: &mut dyn Objective,
    ) -> Result<IterationResult, Failure> {
        let (bound, start_value) = (self.bound_step_to_targets(objective), self.work.current.value);
        let result = self.search_line(
            objective,
            bound,
            self.settings.max_backtracks,
            AcceptanceCriterion::Finite,
            Evaluation::ValueAndGradient,
        );
        let fraction = result.unwrap_or(0.0);
        let cut = if fraction < bound { Cut::Decrease } else { Cut::of_bound(bound) };
        let actual = start_value - self.work.current.value;
        self.trace_outcome(Outcome { actual, bound, fraction, cut, ..Outcome::NONE });
        self.prescription.steps += 1;
        // The gradient changes with the prescribed positions, so its reduction has no meaning.
        self.monitor.forget_gradient();
        let has_arrived = self.prescription.has_arrived(&self.work.current.u);
        if result.is_err() || bound == 0.0 || (self.prescription.steps == MAX_STEPS && !has_arrived)
        {
            return Err(Failure::Blocked);
        }
        Ok(IterationResult::Moved)
    }

    /// Moves from the initial positions to the targets by the augmented Lagrangian if `error` is that of blocked
    /// prescribed nodes, once in a minimisation. Returns `error` in all other cases, and if the augmented Lagrangian does
    /// not come nearer to the targets.
    pub(crate) fn try_augmented(
        &mut self,
        objective: &mut dyn Objective,
        error: SolveError,
    ) -> Result<IterationResult, SolveError> {
        let SolveError::PrescribedBlocked { remaining, .. } = error else { return Err(error) };
        let Some(start) = self.start.take() else { return Err(error) };
        match self.reach_targets(objective, start) {
            Ok(()) => Ok(IterationResult::Moved),
            Err(SolveError::PrescribedBlocked { remaining: augmented_remaining, .. })
                if augmented_remaining >= remaining =>
            {
                Err(error)
            }
            Err(augmented_error) => Err(augmented_error),
        }
    }

    /// The error of prescribed nodes that cannot move beyond the current point.
    pub(crate) fn blocked_error(&self) -> SolveError {
        SolveError::PrescribedBlocked {
            fraction: self.prescription.progress(&self.work.current.u),
            remaining: self.prescription.remaining(&self.work.current.u),
            node: self.prescription.farthest_node(&self.work.current.u),
        }
    }
}

/// Projects a field onto the free directions of guided nodes, which `guided` lists with the projectors.
pub(crate) fn project(guided: &[(usize, Mat3)], field: &mut [Vec3]) {
    guided.iter().for_each(|&(node, projector)| field[node] = projector * field[node]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prescribed_progress_is_that_of_the_farthest_node() {
        let targets = [(0, Vec3::new(4.0, 1.0, 1.0)), (2, Vec3::new(1.0, 1.0, 3.0))];
        let start = [Vec3::ONE, Vec3::ZERO, Vec3::ONE];
        let prescription = Prescription::new(&targets, &[], &start);
        assert_eq!((prescription.remaining(&start), prescription.progress(&start)), (3.0, 0.0));
        assert_eq!(prescription.farthest_node(&start), 0);
        let mut step = [Vec3::Y; 3];
        prescription.write_step(&start, &mut step);
        assert_eq!(step, [Vec3::X * 3.0, Vec3::Y, Vec3::Z * 2.0], "others keep theirs");
        let on_the_way = [0, 1, 2].map(|i| start[i] + step[i] * 0.25);
        assert_eq!(
            (prescription.remaining(&on_the_way), prescription.progress(&on_the_way)),
            (2.25, 0.25)
        );
        assert!(!prescription.has_arrived(&on_the_way));
        let mut end = on_the_way;
        prescription.move_to_targets(&mut end);
        assert!(prescription.has_arrived(&end) && end[1] == on_the_way[1]);
        assert_eq!(prescription.progress(&end), 1.0);
    }

    /// On a guide along z that moves by (3, 4, 0).
    #[test]
    fn guided_node_moves_to_its_guide_and_not_along_it() {
        let (start, guide) = ([Vec3::new(1.0, 1.0, 7.0)], Mat3::from_diagonal(Vec3::Z));
        let targets = [(0, Vec3::new(4.0, 5.0, 0.0))];
        let prescription = Prescription::new(&targets, &[(0, guide)], &start);
        assert_eq!(prescription.remaining(&start), 5.0);
        let mut step = [Vec3::splat(0.5)];
        prescription.write_step(&start, &mut step);
        assert_eq!(step, [Vec3::new(3.0, 4.0, 0.5)]);
        let mut end = [start[0] + step[0]];
        prescription.move_to_targets(&mut end);
        assert!(prescription.has_arrived(&end) && !prescription.has_arrived(&start));
        assert_eq!(end, [Vec3::new(4.0, 5.0, 7.5)]);
        let mut force = [Vec3::ONE];
        project(&[(0, guide)], &mut force);
        assert_eq!(force, [Vec3::Z]);
    }
}
