//! Implicit methods that remember nothing: implicit Euler, the trapezoidal rule
//! and the implicit midpoint rule (methods table of Hairer, Norsett, Wanner,
//! *Solving Ordinary Differential Equations*; position form as in ASEARCH,
//! section 3.1).

use crate::accounting;
use crate::stage::{Lag, PotentialTerm, Stage};
use crate::step::{Integrator, StageSolver, StepError, StepReport, single_stage};
use resile_linalg::Vec3;
use resile_system::{State, System};

/// First order, dissipates everything it does not resolve.
#[derive(Debug, Clone, Copy)]
pub struct ImplicitEuler;

/// Second order, keeps the energy of linear problems, explodes on stiff contact.
#[derive(Debug, Clone, Copy)]
pub struct Trapezoidal;

/// Second order, symplectic, keeps angular momentum; forces are taken half way.
#[derive(Debug, Clone, Copy)]
pub struct ImplicitMidpoint;

/// `x_n + h v_n`.
pub(crate) fn inertial_target(state: &State, h: f64) -> Vec<Vec3> {
    state.positions.iter().zip(&state.velocities).map(|(x, v)| *x + h * *v).collect()
}

/// The stage of implicit Euler, which A-1 and A-search share.
pub(crate) fn implicit_euler_stage(state: &State, h: f64) -> Stage {
    let lag = Lag::mean_velocity(h * h, &state.positions, h);
    Stage::at_end(state.time + h, inertial_target(state, h), h * h, lag)
}

/// The velocity whose mean with the old one led to `x`: `2 (x - x_n) / h - v_n`.
fn reflected(old: &State, node: usize, x: Vec3, h: f64) -> Vec3 {
    2.0 / h * (x - old.positions[node]) - old.velocities[node]
}

impl Integrator for ImplicitEuler {
    fn name(&self) -> &'static str {
        "implicit Euler"
    }

    fn step(
        &self,
        system: &mut System,
        solver: &mut StageSolver,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, StepError> {
        let stage = implicit_euler_stage(state, h);
        single_stage(system, solver, state, &stage, h, |old, i, x| (x - old.positions[i]) / h)
    }
}

impl Integrator for Trapezoidal {
    fn name(&self) -> &'static str {
        "trapezoidal"
    }

    fn step(
        &self,
        system: &mut System,
        solver: &mut StageSolver,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, StepError> {
        system.set_time(state.time);
        system.prepare(&state.positions);
        let gradient = accounting::potential_gradient(system, &state.positions);
        let mut target = inertial_target(state, h);
        for i in 0..target.len() {
            target[i] -= h * h / 4.0 / system.masses()[i] * gradient[i];
        }
        let lag = Lag::mean_velocity(h * h / 2.0, &state.positions, h);
        let stage = Stage::at_end(state.time + h, target, h * h / 4.0, lag);
        single_stage(system, solver, state, &stage, h, |old, i, x| reflected(old, i, x, h))
    }
}

impl Integrator for ImplicitMidpoint {
    fn name(&self) -> &'static str {
        "implicit midpoint"
    }

    fn step(
        &self,
        system: &mut System,
        solver: &mut StageSolver,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, StepError> {
        let half_way = PotentialTerm { weight: h * h, share: 0.5, base: state.positions.clone() };
        let stage = Stage {
            time: state.time + h,
            predictor: inertial_target(state, h),
            terms: vec![half_way],
            lag: Lag::mean_velocity(h * h / 2.0, &state.positions, h),
        };
        single_stage(system, solver, state, &stage, h, |old, i, x| reflected(old, i, x, h))
    }
}
