//! The state of a system.

use crate::{Internal, Memory, Vec3};
use std::ops::Range;

/// The state of a system: all data that a step reads and writes, and hence all data that a
/// checkpoint must contain. Integrators have no state.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// Node positions (m).
    pub positions: Vec<Vec3>,
    /// Node velocities (m/s).
    pub velocities: Vec<Vec3>,
    /// Memory of the integrator; empty at a start or restart.
    pub memory: Memory,
    /// The next step (s) that adaptive stepping suggests; `None` before the first step.
    pub suggested_step: Option<f64>,
    /// Internal (history) variables, such as plastic deformation.
    pub internal: Internal,
}

impl State {
    /// A state at `time` of virgin bodies, without memory.
    pub fn new(time: f64, positions: Vec<Vec3>, velocities: Vec<Vec3>) -> Self {
        assert_eq!(positions.len(), velocities.len(), "one velocity a node");
        let (memory, internal) = (Memory::default(), Internal::default());
        Self { time, positions, velocities, memory, suggested_step: None, internal }
    }

    /// This state with other history variables.
    #[must_use]
    pub fn with_internal(self, internal: Internal) -> Self {
        Self { internal, ..self }
    }

    /// Concatenates the states of bodies at the time of the first. The suggested step is the shortest one, and the
    /// memories are [joined](Memory::join).
    pub fn join<'s>(states: impl Iterator<Item = &'s Self> + Clone) -> Self {
        let time = states.clone().next().map_or(0.0, |state| state.time);
        let nodes =
            |quantity: fn(&Self) -> &[Vec3]| states.clone().flat_map(quantity).copied().collect();
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
