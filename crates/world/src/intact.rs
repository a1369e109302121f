//! What steps do not change, and what they put aside.

use super::collide::Collisions;
use super::island::JointList;
use super::{World, WorldBody};
use resile_integrators::ElasticSlip;
use resile_system::Memory;
use resile_watch::Interrupt;

/// Where islands come from: the parts of a world that they do not change.
pub(super) struct Surroundings<'w> {
    pub(super) collisions: Option<&'w Collisions>,
    pub(super) joints: &'w JointList,
    /// Ends searches for contact.
    pub(super) interrupt: Interrupt,
}

/// A world whose bodies have no elastic slip of a load step. They get it back unless
/// [`keep`](Self::keep) is called.
pub(super) struct WithoutSlip<'w> {
    pub(super) world: &'w mut World,
    /// The bodies that had slip, with their memories.
    memories: Vec<(usize, Memory)>,
}

impl<'w> WithoutSlip<'w> {
    pub(super) fn new(world: &'w mut World) -> Self {
        let mut memories = Vec::new();
        for (b, WorldBody { state, .. }) in world.members.iter_mut().enumerate() {
            if ElasticSlip::recall(&state.memory).is_some() {
                memories.push((b, state.memory.clone()));
                ElasticSlip::forget(&mut state.memory);
            }
        }
        Self { world, memories }
    }

    /// Leaves the bodies without slip.
    pub(super) fn keep(mut self) {
        self.memories.clear();
    }
}

impl Drop for WithoutSlip<'_> {
    fn drop(&mut self) {
        for (b, memory) in self.memories.drain(..) {
            self.world.members[b].state.memory = memory;
        }
    }
}
