//! Static equilibrium, load step by load step.
//!
//! A load step goes to a later time in one step of implicit Euler from rest, so that prescribed motions arrive there and
//! nothing crosses on the way, and then settles while time stands still: the balance of forces is that of
//! [`Settling`], contact and friction included.

use super::{SettleFailure, Settled, Settling};
use crate::{StepRecord, World, WorldBody};
use resile_integrators::ImplicitEuler;
use resile_system::{State, Vec3};

/// A static equilibrium.
#[derive(Debug, Clone)]
pub struct LoadStep {
    /// What is known of the step, observed in equilibrium; Newton iterations are those of all of it.
    pub record: StepRecord,
    /// The certificate of the equilibrium.
    pub settled: Settled,
}

impl World {
    /// Goes to the static equilibrium under what is prescribed at `end` (s), `h` (s) after where it is. Bodies are at
    /// rest afterwards. `h` is no more than a measure of how far loads go in one step, but where friction or plastic
    /// flow make the way there count.
    ///
    /// # Errors
    /// If a step cannot be solved, or something still moves when all steps of settling are spent; the world is then as it
    /// was before.
    pub fn load_step(&mut self, h: f64, end: f64) -> Result<LoadStep, SettleFailure> {
        let before = self.states();
        let reached = self.reach(h, end);
        if reached.is_err() {
            self.members.iter_mut().zip(before).for_each(|(member, state)| member.state = state);
        }
        reached
    }

    fn reach(&mut self, h: f64, end: f64) -> Result<LoadStep, SettleFailure> {
        self.stop();
        let integrator = std::mem::replace(&mut self.integrator, Box::new(ImplicitEuler));
        let taken = self.step(h, end);
        self.integrator = integrator;
        let failed = |cause| SettleFailure::Step { step: 0, cause: Box::new(cause) };
        let mut record = taken.map_err(failed)?;
        self.stop();
        let mut settling = Settling::new(self, h);
        let settled = loop {
            if let Some(settled) = settling.advance(self)?.settled {
                break settled;
            }
        };
        self.stop();
        record.iterations += settled.newton as usize;
        record.observed = self.observe();
        Ok(LoadStep { record, settled })
    }

    /// Takes velocities and what methods remember from all bodies.
    pub(super) fn stop(&mut self) {
        for WorldBody { state, .. } in &mut self.members {
            let State { time, positions, internal, .. } = state.clone();
            let velocities = vec![Vec3::ZERO; positions.len()];
            *state = State::new(time, positions, velocities).with_internal(internal);
        }
    }
}
