//! A step of settling: implicit Euler from rest at constant time, a proximal step towards the minimum of the potential.

use super::slip::SlipOrigin;
use super::{MAX_RELATIVE_CREEP_CHANGE, RELATIVE_TOLERANCE};
use crate::island::Solvers;
use crate::{Collisions, StepFailure, StepRecord, World, WorldSettings};
use resile_integrators::ImplicitEuler;
use resile_system::{State, Vec3};

impl World {
    /// The states of all bodies.
    pub(super) fn states(&self) -> Vec<State> {
        self.members.iter().map(|member| member.state.clone()).collect()
    }

    /// Sets the states of all bodies to `states`.
    pub(super) fn restore(&mut self, states: &[State]) {
        for (member, state) in self.members.iter_mut().zip(states) {
            member.state = state.clone();
        }
    }

    /// The speed of slow motion (m/s): the slip speed, or the tolerance of the solver without contact.
    pub(super) fn slow_speed(&self) -> f64 {
        let collisions = self.collisions.as_ref();
        collisions.map_or(self.settings.tolerance, |collisions| collisions.friction.slip_speed)
    }

    /// Whether a pair of colliders has friction.
    pub(crate) fn has_friction(&self) -> bool {
        self.collisions.as_ref().is_some_and(|collisions| !collisions.pairs.is_frictionless())
    }

    /// Takes a step of `h` (s) from rest at constant time, with the slip length of a step of `scene_step` (s) or of an origin.
    /// Afterwards states have no memory and meaningless velocities.
    pub(super) fn step_from_rest(
        &mut self,
        h: f64,
        scene_step: f64,
        origin: Option<&SlipOrigin>,
    ) -> Result<StepRecord, StepFailure> {
        let time = self.members.first().map_or(0.0, |member| member.state.time);
        self.stop_bodies();
        let tolerance = match origin {
            Some(origin) => {
                origin.store(self, h);
                RELATIVE_TOLERANCE * MAX_RELATIVE_CREEP_CHANGE * origin.slip_length / h
            }
            None => {
                RELATIVE_TOLERANCE * MAX_RELATIVE_CREEP_CHANGE * self.slow_speed() * scene_step / h
            }
        };
        let settings =
            WorldSettings { tolerance, max_halvings: 0, adaptive: None, ..self.settings };
        let collisions = self.collisions.clone();
        if let Some(Collisions { friction, gravity, .. }) = &mut self.collisions {
            friction.slip_speed *= scene_step / h;
            // Without gravity in the predicted sweeps few bodies are joined. Bodies that do collide are joined after
            // the solve.
            *gravity = Vec3::ZERO;
        }
        let integrator = std::mem::replace(&mut self.integrator, Box::new(ImplicitEuler));
        let solvers =
            std::mem::replace(&mut self.solvers, Solvers::new(&settings, &self.interrupt));
        let settings = std::mem::replace(&mut self.settings, settings);
        let record = self.step_keeping_slip(h, time);
        (self.integrator, self.settings, self.solvers) = (integrator, settings, solvers);
        self.collisions = collisions;
        record
    }
}
