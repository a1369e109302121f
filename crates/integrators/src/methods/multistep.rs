//! Methods that remember the step before.

use crate::error::StepError;
use crate::methods::one_step::ImplicitEuler;
use crate::rigid::frame::Frame;
use crate::stage::{Lag, Stage};
use crate::step::memory::{self, FrictionImpulse, Previous};
use crate::step::{Heat, Integrator, Step, StepEnd};
use resile_math::Vec3;
use resile_system::{RecordFormat, State};

/// Two-step backward differentiation: second order, L-stable, dissipative.
///
/// ```text
/// (3 x - 4 x_n + x_n-1) / 2h = v        (3 v - 4 v_n + v_n-1) / 2h = -m^-1 grad P(x)
/// ```
///
/// Of steps `h` after `h / r` the derivative is
/// `[(1 + 2r)/(1 + r) x - (1 + r) x_n + r^2/(1 + r) x_n-1] / h` (Hairer, Norsett,
/// Wanner, *Solving Ordinary Differential Equations I*, section III.5), so it stays second
/// order when the step changes. It starts with a step of implicit Euler, and so it does
/// again where the step grows by more than `1 + sqrt 2`, beyond which it is unstable.
#[derive(Debug, Clone, Copy)]
pub struct Bdf2;

/// Ratio of a step to the previous one up to which the method is zero-stable.
const MAX_STEP_GROWTH: f64 = 1.0 + std::f64::consts::SQRT_2;

/// Largest ratio of an adaptive step to the previous one, whose second half is the last step.
pub(crate) const GROWTH_OVER_HALVES: f64 = 1.2;

/// The stage, and the velocity at `u = 0` of the straightened motion (m/s).
fn stage(step: &Step<'_>, previous: &Previous<'_>, end: &Frame) -> (Stage, Vec<Vec3>) {
    let (state, h) = (step.state, step.h);
    let r = h / previous.step;
    let [new, now, old] = [(1.0 + 2.0 * r) / (1.0 + r), -(1.0 + r), r * r / (1.0 + r)];
    let past = |present: Vec3, before: Vec3| now * present + old * before;
    let before = step.flight.frame(-previous.step);
    let [mut x, mut v] = [previous.positions, previous.velocities].map(<[Vec3]>::to_vec);
    before.straighten(&mut x);
    before.straighten_velocities(&mut v);
    let h_new = h / new;
    let past_x = |i: usize| past(state.positions[i], x[i]);
    let target = |i: usize| -(past_x(i) + h_new * past(state.velocities[i], v[i])) / new;
    let mut predictor: Vec<Vec3> = (0..x.len()).map(target).collect();
    end.to_space(&mut predictor);
    end.subtract_acceleration(h_new * h_new, &mut predictor);
    let shift: Vec<Vec3> = (0..x.len()).map(|i| past_x(i) / h).collect();
    let time = step.end_time();
    let lag = Lag { time, force_weight: h_new * h_new, rate: new / h, shift: shift.clone() };
    let lag = lag.straightened(&end.motion_offsets(x.len()));
    (Stage::at_end(time, predictor, h_new * h_new, lag), shift)
}

/// The error `(1 + r)^2 / (6 r (1 + 2r)) h^3 x'''` of a step `h` after one of `h / r` (Hairer, Norsett, Wanner,
/// section III.5). The derivative is computed from three velocities: for equal steps the error is two ninths of
/// `h (v - 2 v_n + v_n-1)`.
fn estimate_error(step: &Step<'_>, previous: &Previous<'_>, v: &[Vec3]) -> f64 {
    let (h, before, now) = (step.h, previous.step, &step.state.velocities);
    let r = h / before;
    let constant = (1.0 + r).powi(2) / (6.0 * r * (1.0 + 2.0 * r)) * h.powi(3);
    let change = |i: usize| (v[i] - now[i]) / h - (now[i] - previous.velocities[i]) / before;
    step.largest_error(|i| constant * 2.0 / (h + before) * change(i))
}

/// The heat of a step that ends with the velocities `v` (m/s), and the impulse of friction.
///
/// The method changes velocities by `v_n+1 - v_n = (h a_n+1 + old (v_n - v_n-1)) / new`, so the impulse of friction in
/// a step is
///
/// ```text
/// J_n+1 = (h dD/dv(v_n+1) + old J_n) / new
/// ```
///
/// and removes `J_n+1 . (v_n + v_n+1) / 2` from the kinetic energy.
fn heat(step: &Step<'_>, previous: &Previous<'_>, v: &[Vec3]) -> (Heat, Option<FrictionImpulse>) {
    let before = &step.state.velocities;
    if !step.system.dissipates() {
        return (Heat::none(step.system.bodies().len()), None);
    }
    let r = step.h / previous.step;
    let [new, old] = [(1.0 + 2.0 * r) / (1.0 + r), r * r / (1.0 + r)];
    let mut friction = step.friction_impulse(step.end_time(), step.h / new, v);
    if let Some(last) = FrictionImpulse::recall(&step.state.memory) {
        friction.add(old / new, &last);
    }
    let mean: Vec<Vec3> = before.iter().zip(v).map(|(a, b)| 0.5 * (*a + *b)).collect();
    let mut heat = step.friction_heat(&friction, &mean);
    heat += &step.damping_heat(step.state.time, 0.5, before);
    heat += &step.damping_heat(step.end_time(), 0.5, v);
    (heat, Some(friction))
}

impl Integrator for Bdf2 {
    fn name(&self) -> &'static str {
        "BDF2"
    }

    fn order(&self) -> u32 {
        2
    }

    fn estimates_its_error(&self) -> bool {
        true
    }

    fn is_multistep(&self) -> bool {
        true
    }

    fn largest_growth(&self) -> f64 {
        GROWTH_OVER_HALVES
    }

    fn records(&self) -> Vec<RecordFormat> {
        let [friction, contact_damping] = memory::friction_formats();
        vec![memory::previous_format(), friction, contact_damping]
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let (old, h) = (step.state, step.h);
        let usable = |previous: &Previous<'_>| h <= MAX_STEP_GROWTH * previous.step;
        let mut end = match Previous::recall(&old.memory).filter(usable) {
            None => {
                let mut end = ImplicitEuler.step(step)?;
                if step.system.dissipates() {
                    let friction = step.friction_impulse(step.end_time(), h, &end.state.velocities);
                    friction.remember(&mut end.state.memory);
                }
                end
            }
            Some(previous) => {
                let end = step.frame(1.0);
                let (stage, shift) = stage(step, &previous, &end);
                let x = step.solve_with_friction(&stage, &old.positions)?;
                let mut v = x.clone();
                end.straighten(&mut v);
                v.iter_mut().zip(&shift).for_each(|(v, shift)| *v = stage.lag.rate * *v + *shift);
                end.velocities_to_space(&x, &mut v);
                let mut next = State::new(stage.time, x, v);
                let (heat, friction) = heat(step, &previous, &next.velocities);
                let error = estimate_error(step, &previous, &next.velocities);
                if let Some(friction) = friction {
                    friction.remember(&mut next.memory);
                }
                StepEnd::new(next, heat).with_error(error)
            }
        };
        Previous::remember(old, h, &mut end.state.memory);
        Ok(end)
    }
}
