//! Two-step backward differentiation (BDF2), with the previous point in the memory of the state.

use crate::error::StepError;
use crate::methods::one_step::ImplicitEuler;
use crate::rigid::frame::Frame;
use crate::stage::{Lag, Stage};
use crate::step::memory::{self, FrictionImpulse, Previous};
use crate::step::{Heat, Integrator, Step, StepEnd, integrator};
use resile_math::Vec3;
use resile_system::{RecordFormat, State};

/// Two-step backward differentiation: second order, L-stable, dissipative.
///
/// ```text
/// (3 x - 4 x_n + x_n-1) / 2h = v        (3 v - 4 v_n + v_n-1) / 2h = -m^-1 grad P(x)
/// ```
///
/// After a step of `h / r`, the derivative at the end of a step of `h` is
/// `[(1 + 2r)/(1 + r) x - (1 + r) x_n + r^2/(1 + r) x_n-1] / h` (Hairer, Norsett,
/// Wanner, *Solving Ordinary Differential Equations I*, section III.5), so it stays second
/// order when the step changes. The first step is one of implicit Euler. So is a step longer
/// than `1 + sqrt 2` times the previous one, for which BDF2 is unstable.
#[derive(Debug, Clone, Copy)]
pub struct Bdf2;

/// Ratio of a step to the previous one up to which the method is zero-stable.
const MAX_STEP_GROWTH: f64 = 1.0 + std::f64::consts::SQRT_2;

/// Largest ratio of an adaptive step to the previous one. The previous one was taken in two halves, and the ratio to
/// the second half is twice as large.
pub(crate) const GROWTH_OVER_HALVES: f64 = 1.2;

/// Coefficients of the derivative at the end of a step, of the new, the current and the previous point.
struct Bdf2Coefficients {
    c_new: f64,
    c_current: f64,
    c_previous: f64,
}

impl Bdf2Coefficients {
    /// The coefficients for a ratio `r` of the step to the previous one.
    fn new(r: f64) -> Self {
        Self {
            c_new: (1.0 + 2.0 * r) / (1.0 + r),
            c_current: -(1.0 + r),
            c_previous: r * r / (1.0 + r),
        }
    }
}

/// The stage of a step of BDF2.
struct Bdf2Stage {
    stage: Stage,
    /// The velocities (m/s) of the straightened motion at `u = 0`.
    straightened_shift: Vec<Vec3>,
}

/// The stage of a step after the `previous` point; `end_frame` is the frame at its end.
fn bdf2_stage(step: &Step<'_>, previous: &Previous<'_>, end_frame: &Frame) -> Bdf2Stage {
    let (state, h) = (step.state, step.h);
    let Bdf2Coefficients { c_new, c_current, c_previous } =
        Bdf2Coefficients::new(h / previous.step);
    let history = |current: Vec3, previous: Vec3| c_current * current + c_previous * previous;
    let previous_frame = step.flight.frame(-previous.step);
    let [mut previous_x, mut previous_v] =
        [previous.positions, previous.velocities].map(<[Vec3]>::to_vec);
    previous_frame.straighten_velocities(&previous_x, &mut previous_v);
    previous_frame.straighten(&mut previous_x);
    // Implicit Euler with this step has the same weight of forces.
    let h_new = h / c_new;
    let history_of_x = |i: usize| history(state.positions[i], previous_x[i]);
    let target =
        |i: usize| -(history_of_x(i) + h_new * history(state.velocities[i], previous_v[i])) / c_new;
    let mut predictor: Vec<Vec3> = (0..previous_x.len()).map(target).collect();
    end_frame.to_space(&mut predictor);
    end_frame.subtract_acceleration(h_new * h_new, &mut predictor);
    let straightened_shift: Vec<Vec3> =
        (0..previous_x.len()).map(|i| history_of_x(i) / h).collect();
    let time = step.end_time();
    let co_rotation = step.rotation_of_straightened(end_frame, &predictor);
    let (force_weight, rate) = (h_new * h_new, c_new / h);
    let shift = straightened_shift.clone();
    let lag = Lag { time, force_weight, rate, shift, co_rotation };
    let lag = lag.straightened(&end_frame.motion_offsets(previous_x.len()));
    let stage = Stage::at_end(time, predictor, force_weight, lag);
    Bdf2Stage { stage, straightened_shift }
}

/// An estimate (m) of the largest error of a coordinate, `(1 + r)^2 / (6 r (1 + 2r)) h^3 x'''` of a step `h` after one
/// of `h / r` (Hairer, Norsett, Wanner, section III.5). `x'''` is computed from three velocities; for equal steps the
/// error is two ninths of `h (v - 2 v_n + v_n-1)`.
fn estimate_error(step: &Step<'_>, previous: &Previous<'_>, v: &[Vec3]) -> f64 {
    let (h, previous_step, current) = (step.h, previous.step, &step.state.velocities);
    let r = h / previous_step;
    let constant = (1.0 + r).powi(2) / (6.0 * r * (1.0 + 2.0 * r)) * h.powi(3);
    let acceleration_change =
        |i: usize| (v[i] - current[i]) / h - (current[i] - previous.velocities[i]) / previous_step;
    step.largest_error(|i| constant * 2.0 / (h + previous_step) * acceleration_change(i))
}

/// The heat of a step that ends with the velocities `v` (m/s), and the impulse of friction; `None` for a system without
/// dissipation.
///
/// With the coefficients of the new and the previous point, velocities change by
/// `v_n+1 - v_n = (h a_n+1 + c_previous (v_n - v_n-1)) / c_new`. The impulse of friction in a step is therefore
///
/// ```text
/// J_n+1 = (h dD/dv(v_n+1) + c_previous J_n) / c_new
/// ```
///
/// and removes `J_n+1 . (v_n + v_n+1) / 2` from the kinetic energy.
fn bdf2_heat(
    step: &Step<'_>,
    previous: &Previous<'_>,
    v: &[Vec3],
) -> (Heat, Option<FrictionImpulse>) {
    let start_velocities = &step.state.velocities;
    if !step.system.dissipates() {
        return (Heat::none(step.system.bodies().len()), None);
    }
    let Bdf2Coefficients { c_new, c_previous, .. } = Bdf2Coefficients::new(step.h / previous.step);
    let mut friction = step.friction_impulse(step.end_time(), step.h / c_new, v);
    if let Some(last) = FrictionImpulse::recall(&step.state.memory) {
        friction.add(c_previous / c_new, &last);
    }
    let mean_velocities: Vec<Vec3> =
        start_velocities.iter().zip(v).map(|(start, end)| 0.5 * (*start + *end)).collect();
    let mut heat = step.friction_heat(&friction, &mean_velocities);
    let start_frame = step.dissipation_frame_at_start();
    heat += &step.damping_heat(&start_frame, 0.5, [start_velocities; 2]);
    heat += &step.damping_heat(&step.dissipation_frame_at_end(), 0.5, [v; 2]);
    (heat, Some(friction))
}

impl Integrator for Bdf2 {
    fn name(&self) -> &'static str {
        "BDF2"
    }

    fn order(&self) -> u32 {
        2
    }

    fn max_energy_gain(&self) -> Option<f64> {
        Some(integrator::MAX_GAIN_OF_TWO_STEPS)
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
        let (start, h) = (step.state, step.h);
        let is_usable = |previous: &Previous<'_>| h <= MAX_STEP_GROWTH * previous.step;
        let mut end = match Previous::recall(&start.memory).filter(is_usable) {
            None => {
                let mut euler_end = ImplicitEuler.step(step)?;
                if step.system.dissipates() {
                    let friction =
                        step.friction_impulse(step.end_time(), h, &euler_end.state.velocities);
                    friction.remember(&mut euler_end.state.memory);
                }
                euler_end
            }
            Some(previous) => {
                let end_frame = step.frame(1.0);
                let Bdf2Stage { stage, straightened_shift } =
                    bdf2_stage(step, &previous, &end_frame);
                let x = step.solve_with_friction(&stage, &start.positions)?;
                let mut v = x.clone();
                end_frame.straighten(&mut v);
                v.iter_mut()
                    .zip(&straightened_shift)
                    .for_each(|(v, shift)| *v = stage.lag.rate * *v + *shift);
                end_frame.velocities_to_space(&x, &mut v);
                let mut next = State::new(stage.time, x, v);
                let (heat, friction) = bdf2_heat(step, &previous, &next.velocities);
                let error = estimate_error(step, &previous, &next.velocities);
                if let Some(friction) = friction {
                    friction.remember(&mut next.memory);
                }
                StepEnd::new(next, heat).with_error(error)
            }
        };
        Previous::remember(start, h, &mut end.state.memory);
        Ok(end)
    }
}
