//! Static equilibrium, load step by load step.
//!
//! A load step advances to a later time in one step of implicit Euler from rest, which moves prescribed nodes
//! without intersections. It then settles at constant time to the balance of forces of [`Settling`], including
//! contact and friction. Plastic and viscous flow is that from the start of the load step to equilibrium: the state after
//! the first step, which is not in balance, leaves none.

use super::{SettleFailure, Settled, Settling, SlipOrigin};
use crate::{StepRecord, World, WorldBody};
use resile_integrators::ImplicitEuler;
use resile_system::{State, Vec3};

/// A static equilibrium.
#[derive(Debug, Clone)]
pub struct LoadStep {
    /// Record of the step, observed in equilibrium; it counts all Newton iterations.
    pub record: StepRecord,
    /// The certificate of the equilibrium.
    pub settled: Settled,
}

impl World {
    /// Advances to the static equilibrium under the loads and prescribed motions at the time `end`, `h` (s) after
    /// the present time. Bodies are at rest afterwards. `h` only determines the load increment, unless friction or
    /// plastic flow make the result depend on the path.
    ///
    /// # Errors
    /// If a step cannot be solved, or a body still moves after the maximum number of settling steps; the world is
    /// then unchanged.
    pub fn load_step(&mut self, h: f64, end: f64) -> Result<LoadStep, SettleFailure> {
        let start_states = self.states();
        let result = self.load_and_settle(h, end);
        if result.is_err() {
            self.restore(&start_states);
        }
        result
    }

    /// Advances in one step from rest, then settles at constant time. On errors the world is in an intermediate state.
    fn load_and_settle(&mut self, h: f64, end: f64) -> Result<LoadStep, SettleFailure> {
        let mut origin = SlipOrigin::new(self);
        self.stop_bodies();
        if let Some(origin) = &origin {
            origin.store(self, h);
        }
        let history_variables: Vec<_> =
            self.members.iter().map(|member| member.state.internal.clone()).collect();
        let integrator = std::mem::replace(&mut self.integrator, Box::new(ImplicitEuler));
        let result = self.step_keeping_slip(h, end);
        self.integrator = integrator;
        let step_error = |cause| SettleFailure::Load { cause: Box::new(cause) };
        let mut record = result.map_err(step_error)?;
        self.stop_bodies();
        for (member, internal) in self.members.iter_mut().zip(history_variables) {
            member.state.internal = internal;
        }
        if let Some(origin) = &mut origin {
            origin.move_new_contacts(self);
        }
        let mut settling = Settling::for_load_step(self, h, origin);
        let settled = loop {
            if let Some(settled) = settling.advance(self)?.settled {
                break settled;
            }
        };
        self.stop_bodies();
        if let Some(origin) = settling.origin.take() {
            origin.store_elastic_slip(self);
        }
        replace_plastic_heat(&mut record, &settling.plastic);
        record.iterations += settled.newton as usize;
        record.observed = self.observe();
        Ok(LoadStep { record, settled })
    }

    /// Sets all velocities to zero and clears the history that methods keep.
    pub(super) fn stop_bodies(&mut self) {
        for WorldBody { state, .. } in &mut self.members {
            let State { time, positions, internal, .. } = state.clone();
            let velocities = vec![Vec3::ZERO; positions.len()];
            *state = State::new(time, positions, velocities).with_internal(internal);
        }
    }
}

/// Replaces the heat (J) of plastic flow in the first step by that from the start to equilibrium.
fn replace_plastic_heat(record: &mut StepRecord, settled: &[f64]) {
    let bodies = record.dissipated.iter_mut().zip(&mut record.plastic).zip(settled);
    for ((dissipated, plastic), settled) in bodies {
        *dissipated += *settled - *plastic;
        *plastic = *settled;
    }
}
