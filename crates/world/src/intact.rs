//! The parts of a world that a step does not change, and the elastic slip that is removed during a step.

use super::collide::Collisions;
use super::island::JointList;
use super::{World, WorldBody};
use resile_integrators::ElasticSlip;
use resile_system::Memory;
use resile_watch::Interrupt;

/// The unchanging parts of a world, from which islands are built.
pub(super) struct Surroundings<'w> {
    /// Colliders and contact laws; `None` without contact.
    pub(super) collisions: Option<&'w Collisions>,
    /// Joints between bodies.
    pub(super) joints: &'w JointList,
    /// Ends searches for contact.
    pub(super) interrupt: Interrupt,
}

/// Access to a world whose bodies temporarily have no elastic slip of a load step. The slip is restored unless
/// [`make_permanent`](Self::make_permanent) is called.
pub(super) struct WithoutSlip<'w> {
    pub(super) world: &'w mut World,
    /// The bodies that had slip, with their original memories.
    memories: Vec<(usize, Memory)>,
}

impl<'w> WithoutSlip<'w> {
    /// Removes the elastic slip from the memory of all bodies.
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

    /// Makes the removal of the slip permanent.
    pub(super) fn make_permanent(mut self) {
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
