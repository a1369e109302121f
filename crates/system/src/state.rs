//! Everything that evolves.

use crate::{Memory, Vec3};
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
}

impl State {
    /// A state at `time` without a past.
    pub fn new(time: f64, positions: Vec<Vec3>, velocities: Vec<Vec3>) -> Self {
        assert_eq!(positions.len(), velocities.len(), "one velocity a node");
        Self { time, positions, velocities, memory: Memory::default(), suggested_step: None }
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
        }
    }
}
