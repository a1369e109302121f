//! Methods that remember the step before.

use crate::one_step::ImplicitEuler;
use crate::stage::{Lag, Stage};
use crate::step::{Integrator, StageSolver, StepError, StepReport, single_stage};

use resile_linalg::Vec3;
use resile_system::{Previous, State, System};

/// Two-step backward differentiation: second order, L-stable, dissipative.
///
/// ```text
/// (3 x - 4 x_n + x_n-1) / 2h = v        (3 v - 4 v_n + v_n-1) / 2h = -m^-1 grad P(x)
/// ```
///
/// It starts with a step of implicit Euler, and so it does again whenever the
/// step changes, because its history then lies at the wrong times.
#[derive(Debug, Clone, Copy)]
pub struct Bdf2;

fn stage(state: &State, previous: &Previous, h: f64) -> Stage {
    let n = state.positions.len();
    let (x, v) = (&state.positions, &state.velocities);
    let past = |new: &[Vec3], old: &[Vec3], i: usize| (4.0 * new[i] - old[i]) / 3.0;
    let predictor = (0..n)
        .map(|i| past(x, &previous.positions, i) + 2.0 / 3.0 * h * past(v, &previous.velocities, i))
        .collect();
    let shift = (0..n).map(|i| (previous.positions[i] - 4.0 * x[i]) / (2.0 * h)).collect();
    let weight = 4.0 / 9.0 * h * h;
    let lag = Lag { force_weight: weight, rate: 1.5 / h, shift };
    Stage::at_end(state.time + h, predictor, weight, lag)
}

impl Integrator for Bdf2 {
    fn name(&self) -> &'static str {
        "BDF2"
    }

    fn step(
        &self,
        system: &mut System,
        solver: &mut StageSolver,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, StepError> {
        let present = Previous {
            positions: state.positions.clone(),
            velocities: state.velocities.clone(),
            step: h,
        };
        // Steps that are the same rational number are the same to the bit.
        let report = match state.previous.as_ref().filter(|previous| previous.step == h) {
            None => ImplicitEuler.step(system, solver, state, h)?,
            Some(previous) => {
                let stage = stage(state, previous, h);
                let velocity = |_: &State, i: usize, x| stage.lag.velocity(i, x);
                single_stage(system, solver, state, &stage, h, velocity)?
            }
        };
        state.previous = Some(present);
        Ok(report)
    }
}
