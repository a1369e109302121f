//! Records of the iterations of islands, for the analysis of the solver.

use super::World;
use super::island::SolvedIsland;
use resile_integrators::TracedSolve;

/// The solves of an island in a step.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedIsland {
    /// Bodies of the island, ascending.
    pub bodies: Vec<usize>,
    /// Kinematic bodies of which it has copies, ascending.
    pub kinematic: Vec<usize>,
    /// Whether the result became part of the step: false if the island was merged with another one and solved
    /// again, or if the step failed.
    pub kept: bool,
    /// Solves, including those of halved and repeated steps.
    pub solves: Vec<TracedSolve>,
}

impl TracedIsland {
    /// Index in the world of the body with the index `body` in the island's system, in which kinematic bodies come
    /// last.
    pub fn world_index(&self, body: usize) -> Option<usize> {
        self.bodies.iter().chain(&self.kinematic).nth(body).copied()
    }
}

impl World {
    /// Switches the recording of all iterations of all solves on or off. States are bitwise equal in both cases.
    /// Without recording nothing is allocated, and the cost is one test per iteration.
    pub fn trace(&mut self, enabled: bool) {
        self.trace = enabled.then(Vec::new);
    }

    /// Islands solved since the last call, including those of failed steps, in the order of their solution. The
    /// order is the same for any number of threads.
    pub fn take_trace(&mut self) -> Vec<TracedIsland> {
        self.trace.as_mut().map_or_else(Vec::new, std::mem::take)
    }

    /// Moves the records of solved islands to the trace, not yet marked as kept.
    pub(super) fn record_solves(&mut self, islands: &mut [SolvedIsland]) {
        let Some(trace) = &mut self.trace else { return };
        trace.extend(islands.iter_mut().map(|island| TracedIsland {
            bodies: island.group.bodies.clone(),
            kinematic: island.group.kinematic.clone(),
            kept: false,
            solves: std::mem::take(&mut island.solves),
        }));
    }

    /// Marks those of the islands recorded in this step that became part of it: `islands` by their bodies. The trace
    /// had `previous_length` entries before the step.
    pub(super) fn mark_accepted(&mut self, previous_length: usize, islands: &[Vec<usize>]) {
        let Some(trace) = &mut self.trace else { return };
        for island in &mut trace[previous_length..] {
            island.kept = islands.contains(&island.bodies);
        }
    }
}
