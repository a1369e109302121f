//! Holds that end.
//!
//! A node that is released goes on with the velocity of its last step. What gave it that velocity was the motion
//! that held it, and the kinetic energy of what is held is in no account; so where a node becomes free its kinetic energy
//! is booked as work from outside, and energy control aims that much higher.

use super::{World, WorldBody};
use crate::island::Solvers;
use crate::{Collisions, PrescribedMotions, StepRecord};
use resile_integrators::EnergyControl;
use resile_system::{Memory, Prescribed};

/// Rounding of a time, over the time.
const TIME_ROUNDING: f64 = 1e-12;

/// Whether a node is free at `time` (s).
fn is_over(prescribed: &Prescribed, time: f64) -> bool {
    let slack = TIME_ROUNDING * time.abs();
    prescribed.until.is_some_and(|until| until <= time + slack)
}

impl WorldBody {
    /// Frees the nodes that are not held any more at the time of its state. Returns their kinetic energy (J);
    /// nothing if there are none.
    pub(super) fn release(
        &mut self,
        number: usize,
        collisions: Option<&Collisions>,
    ) -> Option<f64> {
        let time = self.state.time;
        let over = |prescribed: &&Prescribed| is_over(prescribed, time);
        let freed: Vec<Prescribed> = self.body.prescribed.iter().filter(over).cloned().collect();
        if freed.is_empty() {
            return None;
        }
        self.body.prescribed.retain(|prescribed| !is_over(prescribed, time));
        if let Some(collisions) = collisions {
            self.prescribed = PrescribedMotions::of(&self.body, &collisions.surfaces[number]);
        }
        let energy = |hold: &Prescribed| {
            let velocity = hold.held.part(self.state.velocities[hold.node]);
            0.5 * self.body.masses[hold.node] * velocity.length_squared()
        };
        Some(freed.iter().map(energy).sum())
    }

    /// Forgets what methods remember of the motion, and raises the energy that control aims at.
    fn begin_anew_with(&mut self, gained: f64) {
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
    /// Frees what is held until the end of the step that was taken, and books it.
    pub(super) fn release(&mut self, record: &mut StepRecord) {
        let collisions = self.collisions.as_ref();
        let mut any = false;
        for (b, member) in self.members.iter_mut().enumerate() {
            let Some(gained) = member.release(b, collisions) else { continue };
            any = true;
            member.begin_anew_with(gained);
            record.work[b] += gained;
            let observed = &mut record.observed.bodies[b];
            observed.kinetic += gained;
            observed.target = observed.target.map(|target| target + gained);
        }
        if any {
            // What is remembered of matrices does not fit other unknowns.
            self.solvers = Solvers::new(&self.settings, &self.interrupt);
        }
    }
}
