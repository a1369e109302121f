//! Guards that leave the world as it was where a step fails or panics.

use super::collide::Collisions;
use super::island::{Island, JointList, Solved, Solvers};
use super::island_graph::IslandBodies;
use super::{World, WorldBody};
use resile_integrators::ElasticSlip;
use resile_system::Memory;
use resile_watch::Interrupt;

/// Islands that hold bodies of the world. When it is dropped, as by a panic of a term or of an integrator, the bodies are back
/// in the world, with the states that they have there.
pub(super) struct Gathered<'w> {
    pub(super) islands: Vec<Island>,
    members: &'w mut [WorldBody],
    solvers: &'w mut Solvers,
}

/// Where islands come from: the parts of a world that they do not change.
pub(super) struct Surroundings<'w> {
    pub(super) collisions: Option<&'w Collisions>,
    pub(super) joints: &'w JointList,
    /// Ends searches for contact.
    pub(super) interrupt: Interrupt,
}

impl<'w> Gathered<'w> {
    /// Moves the bodies of these islands out of `members`.
    pub(super) fn new(
        groups: &[IslandBodies],
        surroundings: &Surroundings<'_>,
        members: &'w mut [WorldBody],
        solvers: &'w mut Solvers,
    ) -> Self {
        let mut gathered = Self { islands: Vec::with_capacity(groups.len()), members, solvers };
        for group in groups {
            let Self { members, solvers, .. } = &mut gathered;
            let island = Island::gather(group.clone(), members, surroundings, solvers);
            gathered.islands.push(island);
        }
        gathered
    }

    /// Moves the bodies back and returns the results of the step of each island.
    pub(super) fn finish(mut self) -> Vec<Solved> {
        let islands = std::mem::take(&mut self.islands).into_iter();
        islands.map(|island| island.finish(self.members, self.solvers)).collect()
    }
}

impl Drop for Gathered<'_> {
    fn drop(&mut self) {
        for island in self.islands.drain(..) {
            match std::thread::panicking() {
                // A solver that was interrupted anywhere is not used again.
                true => island.return_bodies(self.members),
                false => island.release(self.members, self.solvers),
            }
        }
    }
}

/// A world whose bodies have no elastic slip of a load step. They get it back unless
/// [`keep`](Self::keep) is called.
pub(super) struct WithoutSlip<'w> {
    pub(super) world: &'w mut World,
    /// The bodies that had slip, with their memories.
    memories: Vec<(usize, Memory)>,
}

impl<'w> WithoutSlip<'w> {
    pub(super) fn of(world: &'w mut World) -> Self {
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
