//! Everything that evolves.

use crate::{Internal, Memory, Vec3};
use std::ops::Range;

/// The state of a system: all that a step reads and writes, so all that a
/// checkpoint has to hold. Integrators themselves are plain descriptions.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// Node positions (m).
    pub positions: Vec<Vec3>,
    /// Node velocities (m/s).
    pub velocities: Vec<Vec3>,
    /// What the last step has left for the next one; empty at a start or restart.
    pub memory: Memory,
    /// The step (s) that adaptive stepping proposes next; `None` before its first.
    pub suggested_step: Option<f64>,
    /// What bodies have kept of what was done to them.
    pub internal: Internal,
}

impl State {
    /// A state at `time` of virgin bodies, without a past.
    pub fn new(time: f64, positions: Vec<Vec3>, velocities: Vec<Vec3>) -> Self {
        assert_eq!(positions.len(), velocities.len(), "one velocity a node");
        let (memory, internal) = (Memory::default(), Internal::default());
        Self { time, positions, velocities, memory, suggested_step: None, internal }
    }

    /// The same state of bodies that have kept what others have.
    #[must_use]
    pub fn with_internal(self, internal: Internal) -> Self {
        Self { internal, ..self }
    }

    /// The states of bodies one after the other, all at the time of the first. Together they
    /// take the shortest of the suggested steps, and [remember](Memory::join) what all of them do.
    pub fn join<'s>(states: impl Iterator<Item = &'s Self> + Clone) -> Self {
        let time = states.clone().next().map_or(0.0, |state| state.time);
        let nodes = |of: fn(&Self) -> &[Vec3]| states.clone().flat_map(of).copied().collect();
        Self {
            time,
            positions: nodes(|state| &state.positions),
            velocities: nodes(|state| &state.velocities),
            memory: Memory::join(states.clone().map(|state| &state.memory)),
            internal: Internal::join(states.clone().map(|state| &state.internal)),
            suggested_step: states.filter_map(|state| state.suggested_step).reduce(f64::min),
        }
    }

    /// The state of body `body`, which has these nodes.
    #[must_use]
    pub fn part(&self, nodes: Range<usize>, body: usize) -> Self {
        Self {
            time: self.time,
            positions: self.positions[nodes.clone()].to_vec(),
            velocities: self.velocities[nodes.clone()].to_vec(),
            memory: self.memory.part(nodes, body),
            suggested_step: self.suggested_step,
            internal: self.internal.part(body),
        }
    }
}
