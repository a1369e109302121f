//! Implicit methods that remember nothing: implicit Euler, the trapezoidal rule
//! and the implicit midpoint rule (methods table of Hairer, Norsett, Wanner,
//! *Solving Ordinary Differential Equations*; position form as in ASEARCH,
//! section 3.1).

use crate::accounting::{self, Path};
use crate::stage::{Lag, PotentialTerm, Stage};
use crate::step::{Integrator, StageSolver, StepError, StepReport, solve_stage};
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

/// Solves a one-stage method and takes the velocity from the displacement.
fn step(
    system: &mut System,
    solver: &mut StageSolver,
    state: &mut State,
    stage: &Stage,
    velocity: impl Fn(Vec3, Vec3) -> Vec3,
) -> Result<StepReport, StepError> {
    let h = stage.time - state.time;
    let start_gradient = system.is_driven().then(|| {
        system.set_time(state.time);
        system.prepare(&state.positions);
        accounting::potential_gradient(system, &state.positions)
    });
    system.freeze(&state.positions);
    let (x, solve) = solve_stage(system, solver, stage, &state.positions, h)?;
    let path = Path { from: &state.positions, to: &x, times: [state.time, stage.time] };
    let end_gradient = start_gradient.is_some().then(|| accounting::potential_gradient(system, &x));
    let gradients = start_gradient.as_deref().zip(end_gradient.as_deref()).map(|(a, b)| [a, b]);
    let report = StepReport {
        solve,
        dissipated: accounting::dissipated(system, stage, path),
        work: accounting::work(system, path, gradients),
        alphas: Vec::new(),
    };
    let mut v: Vec<Vec3> = (0..x.len())
        .map(|i| velocity((x[i] - state.positions[i]) / h, state.velocities[i]))
        .collect();
    accounting::prescribe_velocities(system, path, &mut v);
    *state = State { control: state.control.take(), ..State::new(stage.time, x, v) };
    Ok(report)
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
        step(system, solver, state, &stage, |mean, _| mean)
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
        step(system, solver, state, &stage, |mean, old| 2.0 * mean - old)
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
        step(system, solver, state, &stage, |mean, old| 2.0 * mean - old)
    }
}
