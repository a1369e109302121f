//! Implicit Euler and the inner theta method, with the midpoint rule in its middle
//! (Hairer, Norsett, Wanner, *Solving Ordinary Differential Equations*; position
//! form as in ASEARCH, section 3.1).

use crate::error::StepError;
use crate::stage::{Lag, PotentialTerm, Stage};
use crate::step::{Integrator, Step};
use resile_linalg::Vec3;
use resile_system::State;

/// First order, dissipates everything it does not resolve.
#[derive(Debug, Clone, Copy)]
pub struct ImplicitEuler;

/// The inner theta method: forces at `x_n + theta (x_n+1 - x_n)`.
///
/// ```text
/// x_n+1 = x_n + h ((1 - theta) v_n + theta v_n+1)
/// v_n+1 = v_n - h m^-1 grad P(x_n + theta (x_n+1 - x_n))
/// ```
///
/// At one half it is the implicit midpoint rule: second order, symplectic, keeps
/// angular momentum. Above, it damps; at one it is implicit Euler.
#[derive(Debug, Clone, Copy)]
pub struct Theta {
    /// Where forces are taken, in (0, 1]; below one half no large step is stable.
    pub theta: f64,
}

impl Theta {
    /// The implicit midpoint rule.
    pub const MIDPOINT: Self = Self { theta: 0.5 };
}

/// `x_n + h v_n`.
pub(crate) fn inertial_target(state: &State, h: f64) -> Vec<Vec3> {
    state.positions.iter().zip(&state.velocities).map(|(x, v)| *x + h * *v).collect()
}

/// The stage of implicit Euler, which A-1 and A-search share.
pub(crate) fn implicit_euler_stage(step: &Step<'_>) -> Stage {
    let (state, h) = (step.state, step.h);
    let lag = Lag::mean_velocity(h * h, &state.positions, h);
    Stage::at_end(step.end_time(), inertial_target(state, h), h * h, lag)
}

/// The error of `x_n + h w`, `w` being the mean velocity of a step of implicit Euler, beside
/// the trapezoidal rule's position `x_n + h (v_n + w) / 2`, which is of second order: `h (w - v_n) / 2`.
pub(crate) fn compare_with_trapezoidal(step: &mut Step<'_>, w: &[Vec3]) {
    let (h, v) = (step.h, &step.state.velocities);
    step.set_error(|i| 0.5 * h * (w[i] - v[i]));
}

impl Integrator for ImplicitEuler {
    fn name(&self) -> &'static str {
        "implicit Euler"
    }

    fn order(&self) -> u32 {
        1
    }

    fn estimates_its_error(&self) -> bool {
        true
    }

    fn step(&self, step: &mut Step<'_>) -> Result<State, StepError> {
        let (old, h) = (step.state, step.h);
        let stage = implicit_euler_stage(step);
        let end = step.solve_only(&stage, |i, x| (x - old.positions[i]) / h)?;
        step.lose_on_the_way(&end.positions);
        compare_with_trapezoidal(step, &end.velocities);
        Ok(end)
    }
}

impl Integrator for Theta {
    fn name(&self) -> &'static str {
        if self.theta == 0.5 { "implicit midpoint" } else { "inner theta" }
    }

    fn order(&self) -> u32 {
        if self.theta == 0.5 { 2 } else { 1 }
    }

    fn step(&self, step: &mut Step<'_>) -> Result<State, StepError> {
        let (old, h, theta) = (step.state, step.h, self.theta);
        let on_the_way = PotentialTerm { weight: h * h, share: theta, base: old.positions.clone() };
        let stage = Stage {
            time: step.end_time(),
            predictor: inertial_target(old, h),
            terms: vec![on_the_way],
            lag: Lag::mean_velocity(h * h * theta, &old.positions, h),
        };
        let end = step.solve_only(&stage, |i, x| {
            let (mean, v) = ((x - old.positions[i]) / h, old.velocities[i]);
            v + (mean - v) / theta
        })?;
        step.lose_on_the_way(&end.positions);
        Ok(end)
    }
}
