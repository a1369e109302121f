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
    let slack = TIME_ROUNDING * time.abs();
    prescribed.until.is_some_and(|end| end <= time + slack)
}

impl WorldBody {
    /// Releases the nodes whose prescribed motion has ended at the time of the state. Returns their kinetic energy
    /// (J); `None` if there are none.
    pub(super) fn release(
        &mut self,
        number: usize,
        collisions: Option<&Collisions>,
    ) -> Option<f64> {
        let time = self.state.time;
        let has_ended = |prescribed: &&Prescribed| is_over(prescribed, time);
        let freed: Vec<Prescribed> =
            self.body.prescribed.iter().filter(has_ended).cloned().collect();
        if freed.is_empty() {
            return None;
        }
        self.body.prescribed.retain(|prescribed| !is_over(prescribed, time));
        if let Some(collisions) = collisions {
            self.prescribed = PrescribedMotions::new(&self.body, &collisions.surfaces[number]);
        }
        let energy = |hold: &Prescribed| {
            let velocity = hold.held.part(self.state.velocities[hold.node]);
            0.5 * self.body.masses[hold.node] * velocity.length_squared()
        };
        Some(freed.iter().map(energy).sum())
    }

    /// Clears the history that methods keep of the motion, and raises the energy target.
    fn clear_history_and_raise_target(&mut self, gained: f64) {
        let control = EnergyControl::recall(&self.state.memory);
        self.state.memory = Memory::default();
        self.state.suggested_step = None;
        if let Some(mut control) = control {
            for own in &mut control {
                own.target += gained;
                own.mean += gained;
            }
            EnergyControl::remember(&control, &mut self.state.memory);
        }
    }
}

impl World {
    /// Releases nodes whose prescribed motion ends with this step, and books their kinetic energy.
    pub(super) fn release(&mut self, record: &mut StepRecord) {
        let collisions = self.collisions.as_ref();
        let mut any = false;
        for (b, member) in self.members.iter_mut().enumerate() {
            let Some(gained) = member.release(b, collisions) else { continue };
            any = true;
            member.clear_history_and_raise_target(gained);
            record.work[b] += gained;
            let observed = &mut record.observed.bodies[b];
            observed.kinetic += gained;
            observed.target = observed.target.map(|target| target + gained);
        }
        if any {
            // Cached matrix patterns do not fit other unknowns.
            self.solvers = Solvers::new(&self.settings, &self.interrupt);
        }
    }
}
