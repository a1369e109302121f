//! Release of prescribed nodes.
//!
//! A released node continues with the velocity of its last step, which stems from the prescribed motion. The
//! kinetic energy of prescribed nodes is not part of the energy balance. When a node is released, its kinetic
//! energy is therefore booked as external work, and the energy target increases accordingly.

use super::{World, WorldBody};
use crate::island::Solvers;
use crate::{Collisions, PrescribedMotions, StepRecord};
use resile_integrators::EnergyControl;
use resile_system::{Memory, Prescribed};

/// Rounding tolerance of a time, relative to the time: that of the sum of 4,500 steps, each rounded.
const TIME_ROUNDING: f64 = 1e-12;

/// Whether the prescribed motion of a node has ended at `time` (s).
fn is_over(prescribed: &Prescribed, time: f64) -> bool {
    let tolerance = TIME_ROUNDING * time.abs();
    prescribed.until.is_some_and(|end| end <= time + tolerance)
}

impl WorldBody {
    /// Releases the nodes whose prescribed motion has ended at the time of the state. Returns their kinetic energy (J);
    /// `None` if there are none. `index` is that of the body in the world.
    pub(super) fn release(&mut self, index: usize, collisions: Option<&Collisions>) -> Option<f64> {
        let time = self.state.time;
        let has_ended = |prescribed: &&Prescribed| is_over(prescribed, time);
        let released: Vec<Prescribed> =
            self.body.prescribed.iter().filter(has_ended).cloned().collect();
        if released.is_empty() {
            return None;
        }
        self.body.prescribed.retain(|prescribed| !is_over(prescribed, time));
        if let Some(collisions) = collisions {
            self.prescribed = PrescribedMotions::new(&self.body, &collisions.surfaces[index]);
        }
        let kinetic_energy = |hold: &Prescribed| {
            let velocity = hold.held.part(self.state.velocities[hold.node]);
            0.5 * self.body.masses[hold.node] * velocity.length_squared()
        };
        Some(released.iter().map(kinetic_energy).sum())
    }

    /// Clears the history that methods keep of the motion, and raises the energy target by the energy (J) of released
    /// nodes.
    fn clear_history_and_raise_target(&mut self, released_energy: f64) {
        let control = EnergyControl::recall(&self.state.memory);
        self.state.memory = Memory::default();
        self.state.suggested_step = None;
        if let Some(mut control) = control {
            for body in &mut control {
                body.target += released_energy;
                body.mean += released_energy;
            }
            EnergyControl::remember(&control, &mut self.state.memory);
        }
    }
}

impl World {
    /// Releases nodes whose prescribed motion ends with this step, and books their kinetic energy.
    pub(super) fn release(&mut self, record: &mut StepRecord) {
        let collisions = self.collisions.as_ref();
        let mut has_released = false;
        for (b, member) in self.members.iter_mut().enumerate() {
            let Some(released_energy) = member.release(b, collisions) else { continue };
            has_released = true;
            member.clear_history_and_raise_target(released_energy);
            record.work[b] += released_energy;
            let observed = &mut record.observed.bodies[b];
            observed.kinetic += released_energy;
            observed.target = observed.target.map(|target| target + released_energy);
        }
        if has_released {
            // Cached matrix patterns do not fit other unknowns.
            self.solvers = Solvers::new(&self.settings, &self.interrupt);
        }
    }
}
