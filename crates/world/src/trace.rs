//! The iterations of islands, for programs that look at what the solver does.

use super::World;
use super::island::Solved;
use resile_integrators::TracedSolve;

/// The solves of an island in a step.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedIsland {
    /// Its bodies, ascending.
    pub bodies: Vec<usize>,
    /// The kinematic bodies that it has copies of, ascending.
    pub kinematic: Vec<usize>,
    /// Whether what it did became part of the step: not if it was joined with another island and solved again, or the step
    /// failed.
    pub kept: bool,
    /// Its solves, those of halved and repeated steps too.
    pub solves: Vec<TracedSolve>,
}

impl TracedIsland {
    /// The world's number of a body of its solves, whose kinematic bodies come last.
    pub fn number(&self, body: usize) -> Option<usize> {
        self.bodies.iter().chain(&self.kinematic).nth(body).copied()
    }
}

impl World {
    /// Lists all iterations of all solves from now on, or no more. States are the same to the bit; without a list nothing is
    /// allocated, and each iteration asks once whether there is one.
    pub fn trace(&mut self, on: bool) {
        self.trace = on.then(Vec::new);
    }

    /// The islands that were solved since the last call, of failed steps too, in the order in which they were: the same for
    /// any number of threads.
    pub fn take_trace(&mut self) -> Vec<TracedIsland> {
        self.trace.as_mut().map_or_else(Vec::new, std::mem::take)
    }

    /// Adds islands that were solved, not kept yet.
    pub(super) fn note_solves(&mut self, islands: &mut [Solved]) {
        let Some(trace) = &mut self.trace else { return };
        trace.extend(islands.iter_mut().map(|island| TracedIsland {
            bodies: island.group.bodies.clone(),
            kinematic: island.group.kinematic.clone(),
            kept: false,
            solves: std::mem::take(&mut island.solves),
        }));
    }

    /// Notes that a step consists of these islands; `begun` islands were listed before it.
    pub(super) fn note_kept(&mut self, begun: usize, islands: &[Vec<usize>]) {
        let Some(trace) = &mut self.trace else { return };
        for island in &mut trace[begun..] {
            island.kept = islands.contains(&island.bodies);
        }
    }
}
