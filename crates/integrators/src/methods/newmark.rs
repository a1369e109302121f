//! Newmark's family (N. M. Newmark, *A method of computation for structural
//! dynamics*, J. Eng. Mech. Div. ASCE 85, 1959).

use crate::error::StepError;
use crate::methods::kick::{self, ForcesAt};
use crate::methods::newmark_formulas::NewmarkFormulas;
use crate::parameters::ParameterError;
use crate::rigid::frame::Frame;
use crate::stage::{Lag, Stage};
use crate::step::{Integrator, StageHeat, Step, StepEnd};
use crate::step::{integrator, memory};
use resile_math::Vec3;
use resile_math::parameters::Allowed;
use resile_system::State;

/// Newmark's method.
///
/// ```text
/// x_n+1 = x_n + h v_n + h^2 ((1/2 - beta) a_n + beta a_n+1)
/// v_n+1 = v_n + h ((1 - gamma) a_n + gamma a_n+1)
/// ```
///
/// Second order at `gamma` = 1/2, else first. (1/4, 1/2) is the trapezoidal rule. On
/// the linear oscillator it is stable at every step if `2 beta >= gamma >= 1/2`.
#[derive(Debug, Clone, Copy)]
pub struct Newmark {
    /// Weight of the new acceleration in the position, above 0 and at most 1.
    pub beta: f64,
    /// Weight of the new acceleration in the velocity, above 0 and at most 1.
    pub gamma: f64,
}

impl Newmark {
    /// Range of `beta`; central differences, `beta` = 0, are [`RungeKutta::verlet`](crate::RungeKutta::verlet).
    pub const BETA: Allowed = Allowed::Fraction;
    /// Range of `gamma`.
    pub const GAMMA: Allowed = Allowed::Fraction;
}

impl Integrator for Newmark {
    fn check(&self) -> Result<(), ParameterError> {
        Self::BETA.check("beta", self.beta)?;
        Ok(Self::GAMMA.check("gamma", self.gamma)?)
    }

    fn name(&self) -> &'static str {
        "Newmark"
    }

    fn max_energy_gain(&self) -> Option<f64> {
        (self.gamma > 0.5).then_some(integrator::MAX_GAIN_WITH_START_FORCES)
    }

    fn order(&self) -> u32 {
        if self.gamma == 0.5 { 2 } else { 1 }
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let (start, h, Self { gamma, .. }) = (step.state, step.h, *self);
        let start_gradient = step.start_gradient();
        let start_velocities = self.start_velocities(step, &start_gradient)?;
        let a = start_accelerations(step, &start_gradient, &start_velocities);
        let formulas = NewmarkFormulas::new(*self, h, &start.positions, &start.velocities, &a);
        let end_frame = step.frame(1.0);
        let stage = end_stage(step, &formulas, &end_frame);
        let mut stage_heat = StageHeat::zero(step);
        let start_damping_frame = step.dissipation_frame_at_start();
        stage_heat.add_stage(step, &start_damping_frame, h * (1.0 - gamma), &start_velocities);
        let x = step.solve_with_friction(&stage, &start.positions)?;
        let mut v = x.clone();
        end_frame.straighten(&mut v);
        v.iter_mut().enumerate().for_each(|(i, v)| *v = formulas.velocity(i, *v));
        end_frame.velocities_to_space(&x, &mut v);
        step.set_prescribed_velocities(1.0, &mut v);
        let mut next = State::new(stage.time, x, v);
        stage_heat.add_stage(step, &step.dissipation_frame_at_end(), h * gamma, &next.velocities);
        let heat = stage_heat.finish(step, &next.velocities);
        let weight = formulas.acceleration_weight;
        let end_gradient = step.balancing_gradient(&stage, weight, &next.positions);
        memory::remember_gradient(end_gradient, &mut next.memory);
        Ok(StepEnd::new(next, heat))
    }
}

impl Newmark {
    /// The velocities (m/s) at which friction and damping act at the start of the step, where the gradient of the
    /// potential is `gradient` (N).
    ///
    /// # Errors
    /// If the solve for velocities that balance these forces fails.
    fn start_velocities(
        &self,
        step: &mut Step<'_>,
        gradient: &[Vec3],
    ) -> Result<Vec<Vec3>, StepError> {
        let velocities = step.velocities_at_start();
        if self.gamma == 1.0 || !kick::starts_with_friction(step, step.state.time) {
            return Ok(velocities);
        }
        let (x, frame) = (&step.state.positions, &step.dissipation_frame_at_start());
        kick::kicked(
            step,
            &ForcesAt { x, gradient, frame },
            &velocities,
            step.h * (1.0 - self.gamma),
        )
    }
}

/// The accelerations (m/s^2) of the straightened motion at the start of the step, where the gradient of the potential is
/// `gradient` (N), and friction and damping act at `velocities` (m/s).
fn start_accelerations(step: &Step<'_>, gradient: &[Vec3], velocities: &[Vec3]) -> Vec<Vec3> {
    let dissipative = step.dissipative_gradient(&step.dissipation_frame_at_start(), velocities);
    let mut accelerations = step.acceleration(gradient, &dissipative);
    step.frame(0.0).straighten_impulses(1.0, &step.state.positions, &mut accelerations);
    accelerations
}

/// The problem for the positions at the end of the step, where the frame is `end_frame`.
fn end_stage(step: &Step<'_>, formulas: &NewmarkFormulas, end_frame: &Frame) -> Stage {
    let NewmarkFormulas { known_velocities, rate, acceleration_weight: weight, .. } = formulas;
    let mut predictor = formulas.known_positions.clone();
    end_frame.to_space(&mut predictor);
    let velocity_at_zero = |(v, x): (&Vec3, &Vec3)| *v + *rate * (Vec3::ZERO - *x);
    let shift = known_velocities.iter().zip(&predictor).map(velocity_at_zero).collect();
    end_frame.subtract_acceleration(*weight, &mut predictor);
    let time = step.end_time();
    let co_rotation = step.rotation_of_straightened(end_frame, &predictor);
    let lag = Lag { time, force_weight: *weight, rate: *rate, shift, co_rotation };
    let lag = step.with_prescribed_velocities(1.0, time, lag);
    Stage::at_end(time, predictor, *weight, lag)
}
