//! Newmark's family (N. M. Newmark, *A method of computation for structural
//! dynamics*, J. Eng. Mech. Div. ASCE 85, 1959).

use crate::error::StepError;
use crate::methods::runge_kutta::{begins_with_friction, velocity_in_balance};
use crate::parameters::ParameterError;
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
        let (start, h, Self { beta, gamma }) = (step.state, step.h, *self);
        let start_gradient = step.start_gradient();
        let mut start_velocities = step.velocities_at_start();
        if gamma < 1.0 && begins_with_friction(step, start.time) {
            let (x, kick) = (&start.positions, h * (1.0 - gamma));
            start_velocities =
                velocity_in_balance(step, x, &start_velocities, &start_gradient, kick)?;
        }
        let mut a = step.acceleration(
            &start_gradient,
            &step.dissipative_gradient(&step.dissipation_frame_at_start(), &start_velocities),
        );
        let [start_frame, end_frame] = [0.0, 1.0].map(|fraction| step.frame(fraction));
        start_frame.straighten_impulses(1.0, &start.positions, &mut a);
        let n = a.len();
        // The new straightened position without the contribution of the new acceleration.
        let known_position =
            |i: usize| start.positions[i] + h * start.velocities[i] + h * h * (0.5 - beta) * a[i];
        let known_positions: Vec<Vec3> = (0..n).map(known_position).collect();
        let mut predictor = known_positions.clone();
        end_frame.to_space(&mut predictor);
        // The new acceleration is (x - known) / (beta h^2), so the velocity is affine in x.
        let rate = gamma / (beta * h);
        let velocity = |i: usize, x: Vec3, known_x: Vec3| {
            start.velocities[i] + h * (1.0 - gamma) * a[i] + rate * (x - known_x)
        };
        let shift = (0..n).map(|i| velocity(i, Vec3::ZERO, predictor[i])).collect();
        let weight = beta * h * h;
        end_frame.subtract_acceleration(weight, &mut predictor);
        let time = step.end_time();
        let co_rotation = step.rotation_of_straightened(&end_frame, &predictor);
        let lag = Lag { time, force_weight: weight, rate, shift, co_rotation };
        let lag = step.with_prescribed_velocities(1.0, time, lag);
        let stage = Stage::at_end(time, predictor, weight, lag);
        let mut stage_heat = StageHeat::zero(step);
        let start_damping_frame = step.dissipation_frame_at_start();
        stage_heat.add_stage(step, &start_damping_frame, h * (1.0 - gamma), &start_velocities);
        let x = step.solve_with_friction(&stage, &start.positions)?;
        let mut v = x.clone();
        end_frame.straighten(&mut v);
        v.iter_mut().enumerate().for_each(|(i, v)| *v = velocity(i, *v, known_positions[i]));
        end_frame.velocities_to_space(&x, &mut v);
        step.set_prescribed_velocities(1.0, &mut v);
        let mut next = State::new(stage.time, x, v);
        stage_heat.add_stage(step, &step.dissipation_frame_at_end(), h * gamma, &next.velocities);
        let heat = stage_heat.finish(step, &next.velocities);
        let end_gradient = step.balancing_gradient(&stage, weight, &next.positions);
        memory::remember_gradient(end_gradient, &mut next.memory);
        Ok(StepEnd::new(next, heat))
    }
}
