//! Displacement of prescribed nodes to their targets.

use crate::descent::{Descent, IterationResult};
use crate::error::SolveError;
use crate::failure::Failure;
use crate::iteration::{Cut, Outcome};
use crate::line_search::{Evaluation, Test};
use crate::objective::Objective;
use resile_math::{Mat3, Vec3};

/// Maximum number of iterations until prescribed nodes reach their targets. A step bound stops a node a fixed fraction
/// before an obstacle, so a free path takes a few steps, and an obstructed one would take any number.
const MAX_STEPS: usize = 30;

/// Permitted deviation of a guided node from its guide, in roundings of the coordinates: a projection sums three products.
const PROJECTION_ROUNDINGS: f64 = 64.0;

/// A prescribed node and its target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) node: usize,
    place: Vec3,
    /// The projector onto the directions in which a guided node is held; `None` if it is held in all.
    pub(crate) held: Option<Mat3>,
}

impl Target {
    /// The remaining displacement (m).
    pub(crate) fn displacement(&self, u: &[Vec3]) -> Vec3 {
        let displacement = self.place - u[self.node];
        self.held.map_or(displacement, |held| held * displacement)
    }

    /// Whether the node has reached its target.
    pub(crate) fn arrived(&self, u: &[Vec3]) -> bool {
        let at = u[self.node];
        match self.held {
            None => at == self.place,
            Some(_) => {
                let size = at.abs().max(self.place.abs()).max_element();
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
    start: f64,
    pub(crate) steps: usize,
}

impl Prescription {
    /// Prescribed nodes with their target positions, and the projectors onto the free directions of the `guided`
    /// ones.
    pub(crate) fn new(targets: &[(usize, Vec3)], guided: &[(usize, Mat3)], u: &[Vec3]) -> Self {
        let target = |&(node, place): &(usize, Vec3)| {
            let at = guided.binary_search_by_key(&node, |guide| guide.0);
            Target { node, place, held: at.ok().map(|at| Mat3::IDENTITY - guided[at].1) }
        };
        let targets = targets.iter().map(target).collect();
        let mut out = Self { targets, start: 0.0, steps: 0 };
        out.start = out.remaining(u);
        out
    }

    pub(crate) fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Largest remaining distance (m).
    pub(crate) fn remaining(&self, u: &[Vec3]) -> f64 {
        self.targets.iter().map(|target| target.displacement(u).length()).fold(0.0, f64::max)
    }

    /// Fraction of the path covered.
    pub(crate) fn progress(&self, u: &[Vec3]) -> f64 {
        1.0 - self.remaining(u) / self.start
    }

    /// Whether every node has reached its target: bitwise, guided nodes up to rounding.
    pub(crate) fn arrived(&self, u: &[Vec3]) -> bool {
        self.targets.iter().all(|target| target.arrived(u))
    }

    /// Writes the remaining displacements; guided nodes keep theirs in the free directions.
    pub(crate) fn write_step(&self, u: &[Vec3], step: &mut [Vec3]) {
        for target in &self.targets {
            let step = &mut step[target.node];
            let free_part = target.held.map_or(Vec3::ZERO, |held| *step - held * *step);
            *step = free_part + target.displacement(u);
        }
    }

    /// Moves the nodes exactly to their targets, from which `u + (target - u)` may differ by rounding.
    pub(crate) fn place(&self, u: &mut [Vec3]) {
        self.place_some(u, |_| true);
    }

    /// [Moves](Self::place) those nodes for which `moves` is true.
    pub(crate) fn place_some(&self, u: &mut [Vec3], moves: impl Fn(usize) -> bool) {
        for target in self.targets.iter().filter(|target| moves(target.node)) {
            u[target.node] = match target.held {
                None => target.place,
                Some(_) => u[target.node] + target.displacement(u),
            };
        }
    }
}

impl Descent<'_> {
    /// Moves prescribed nodes towards their targets. Any point of the domain is accepted, because the value may have
    /// to increase on the way.
    pub(crate) fn move_prescribed(
        &mut self,
        objective: &mut dyn Objective,
    ) -> Result<IterationResult, Failure> {
        let (bound, before) = (self.bound_step(objective, true), self.work.at.value);
        let halvings = self.settings.max_backtracks;
        let moved =
            self.search(objective, bound, halvings, Test::Finite, Evaluation::ValueAndGradient);
        let fraction = moved.unwrap_or(0.0);
        let cut = if fraction < bound { Cut::Decrease } else { Cut::of_bound(bound) };
        let actual = before - self.work.at.value;
        self.note(Outcome { actual, bound, fraction, cut, ..Outcome::NONE });
        self.prescription.steps += 1;
        // The gradient changes with the prescribed positions, so its reduction has no meaning.
        self.monitor.forget_gradient();
        let arrived = self.prescription.arrived(&self.work.at.u);
        if moved.is_err() || bound == 0.0 || (self.prescription.steps == MAX_STEPS && !arrived) {
            return Err(Failure::Blocked);
        }
        Ok(IterationResult::Moved)
    }

    /// Moves blocked prescribed nodes to their targets from the start, once in a minimisation; other errors remain.
    pub(crate) fn try_augmented(
        &mut self,
        objective: &mut dyn Objective,
        error: SolveError,
    ) -> Result<IterationResult, SolveError> {
        let SolveError::PrescribedBlocked { remaining, .. } = error else { return Err(error) };
        let Some(start) = self.start.take() else { return Err(error) };
        match self.reach_targets(objective, start) {
            Ok(()) => Ok(IterationResult::Moved),
            // Of both attempts the farther one is reported.
            Err(SolveError::PrescribedBlocked { remaining: left, .. }) if left >= remaining => {
                Err(error)
            }
            Err(other) => Err(other),
        }
    }

    /// The error for prescribed nodes that are where they are now.
    pub(crate) fn blocked(&self) -> SolveError {
        SolveError::PrescribedBlocked {
            fraction: self.prescription.progress(&self.work.at.u),
            remaining: self.prescription.remaining(&self.work.at.u),
        }
    }
}

/// Removes the components of a field at guided nodes in held directions.
pub(crate) fn project(guided: &[(usize, Mat3)], field: &mut [Vec3]) {
    guided.iter().for_each(|&(node, free)| field[node] = free * field[node]);
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
        let mut step = [Vec3::Y; 3];
        prescription.write_step(&start, &mut step);
        assert_eq!(step, [Vec3::X * 3.0, Vec3::Y, Vec3::Z * 2.0], "others keep theirs");
        let on_the_way = [0, 1, 2].map(|i| start[i] + step[i] * 0.25);
        assert_eq!(
            (prescription.remaining(&on_the_way), prescription.progress(&on_the_way)),
            (2.25, 0.25)
        );
        assert!(!prescription.arrived(&on_the_way));
        let mut end = on_the_way;
        prescription.place(&mut end);
        assert!(prescription.arrived(&end) && end[1] == on_the_way[1]);
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
        prescription.place(&mut end);
        assert!(prescription.arrived(&end) && !prescription.arrived(&start));
        assert_eq!(end, [Vec3::new(4.0, 5.0, 7.5)]);
        let mut force = [Vec3::ONE];
        project(&[(0, guide)], &mut force);
        assert_eq!(force, [Vec3::Z]);
    }
}
