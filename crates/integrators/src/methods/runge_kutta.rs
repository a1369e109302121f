//! One driver for all Runge-Kutta methods, explicit or diagonally implicit.

use crate::error::StepError;
use crate::methods::kick::{self, ForcesAt};
use crate::parameters::ParameterError;
use crate::rigid::frame::Frame;
use crate::stage::{Lag, Stage};
use crate::step::{Integrator, StageHeat, Step, StepEnd};
use crate::step::{integrator, memory};
use crate::tableau::{Damping, Tableau, TableauError};
use resile_math::Vec3;
use resile_system::DissipationFrame;
use resile_system::{Links, State};

/// Stability function for stiff modes, in magnitude, below which a method damps them.
const MAX_DAMPED_GROWTH: f64 = 0.99;

/// A Runge-Kutta method: one of the named methods, or that of any tableau ([`RungeKutta::butcher`]).
#[derive(Debug, Clone, PartialEq)]
pub struct RungeKutta {
    /// Name in tables and plots.
    pub name: &'static str,
    /// The coefficients.
    pub tableau: Tableau,
    /// The order of positions and velocities.
    pub order: u32,
    /// Weights of another method for the same stages, by which the error is estimated.
    pub companion: Option<Companion>,
}

/// Weights for positions `x_n + h (start v_n + sum_i weights_i V_i)` of another order.
#[derive(Debug, Clone, PartialEq)]
pub struct Companion {
    /// The weight of the velocity at the start.
    pub start: f64,
    /// Weights of the velocities of the stages.
    pub weights: Vec<f64>,
}

impl Integrator for RungeKutta {
    fn check(&self) -> Result<(), ParameterError> {
        self.tableau.check()?;
        let stages = self.tableau.stages();
        match &self.companion {
            Some(Companion { weights, .. }) if weights.len() != stages => {
                Err(TableauError::WeightCount { found: weights.len(), stages }.into())
            }
            _ => Ok(()),
        }
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn max_energy_gain(&self) -> Option<f64> {
        let tableau = &self.tableau;
        let is_damping =
            !tableau.is_explicit() && tableau.growth_when_stiff().abs() < MAX_DAMPED_GROWTH;
        let takes_forces_at_start = tableau.velocity_rows[0][0] == 0.0;
        is_damping.then_some(match takes_forces_at_start {
            true => integrator::MAX_GAIN_WITH_START_FORCES,
            false => integrator::MAX_GAIN_WITHOUT_START_FORCES,
        })
    }

    fn order(&self) -> u32 {
        self.order
    }

    fn estimates_its_error(&self) -> bool {
        self.companion.is_some()
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let mut links = step.empty_links();
        let mut stepped = compute_stages(step, &self.tableau, &mut links)?;
        stepped.end.stage_links = Some(links);
        let Some(companion) = &self.companion else { return Ok(stepped.end) };
        let (h, v) = (step.h, step.start_velocities());
        let weight_difference = |k: usize| companion.weights[k] - self.tableau.position_weights[k];
        let error = step.largest_error(|i| {
            let stages = stepped.velocities.iter().enumerate();
            h * stages.fold(companion.start * v[i], |sum, (k, v)| sum + weight_difference(k) * v[i])
        });
        Ok(stepped.end.with_error(error))
    }
}

/// The end of a Runge-Kutta step, with the velocities of its stages.
pub(crate) struct RungeKuttaEnd {
    /// The end of the step.
    pub(crate) end: StepEnd,
    /// `h sum_i b_i m^-1 grad P(X_i)` (m/s): the negated change of the straightened velocities by potentials.
    pub(crate) impulse: Vec<Vec3>,
    /// The straightened velocities of the stages; see [`crate::rigid::free_flight`].
    velocities: Vec<Vec<Vec3>>,
}

/// The contributions of the start and of earlier stages to the straightened positions (m) and velocities (m/s) of a
/// stage.
struct KnownPart {
    x: Vec<Vec3>,
    v: Vec<Vec3>,
}

/// A stage at which a force was evaluated.
struct EvaluatedStage {
    /// The positions (m) in space.
    x: Vec<Vec3>,
    /// The straightened velocities (m/s).
    v: Vec<Vec3>,
    /// The velocities (m/s) at which friction and damping are evaluated.
    damping_velocities: Vec<Vec3>,
    /// The frame in which they are evaluated.
    dissipation_frame: DissipationFrame,
    /// `grad P(x)` (N).
    gradient: Vec<Vec3>,
}

/// The stages computed so far, and their weighted sums. All vectors are those of the straightened motion.
struct StageSums {
    /// The velocities (m/s) of each stage.
    velocities: Vec<Vec<Vec3>>,
    /// The accelerations (m/s^2) of each stage; empty where they are not needed.
    accelerations: Vec<Vec<Vec3>>,
    /// See [`RungeKuttaEnd::impulse`].
    impulse: Vec<Vec3>,
    /// Heat of friction and damping.
    heat: StageHeat,
}

impl StageSums {
    /// Adds an evaluated stage with the given `weight` in the end of the step (s).
    fn add(&mut self, step: &Step<'_>, weight: f64, stage: &EvaluatedStage, frame: &Frame) {
        let dissipation_frame = &stage.dissipation_frame;
        let dissipative_gradient =
            step.dissipative_gradient(dissipation_frame, &stage.damping_velocities);
        self.heat.add_stage(step, dissipation_frame, weight, &stage.damping_velocities);
        let straightened = |mut a: Vec<Vec3>| {
            frame.straighten_impulses(1.0, &stage.x, &mut a);
            a
        };
        let no_drag = vec![Vec3::ZERO; dissipative_gradient.len()];
        let potential_acceleration = straightened(step.acceleration(&stage.gradient, &no_drag));
        self.impulse
            .iter_mut()
            .zip(&potential_acceleration)
            .for_each(|(sum, a)| *sum -= weight * *a);
        self.accelerations
            .push(straightened(step.acceleration(&stage.gradient, &dissipative_gradient)));
        self.velocities.push(stage.v.clone());
    }
}

/// Takes a step of `tableau`, stage by stage, and records in `links` the bodies that exchange forces at the stages.
///
/// # Errors
/// If a stage cannot be solved, or the path to an explicit stage or to the end is blocked.
pub(crate) fn compute_stages(
    step: &mut Step<'_>,
    tableau: &Tableau,
    links: &mut Links,
) -> Result<RungeKuttaEnd, StepError> {
    let h = step.h;
    let start = KnownPart { x: step.state.positions.clone(), v: step.start_velocities() };
    let mut sums = StageSums {
        velocities: Vec::new(),
        accelerations: Vec::new(),
        impulse: vec![Vec3::ZERO; start.x.len()],
        heat: StageHeat::zero(step),
    };
    // Paths to explicit stages start at x_n. Implicit stages and the end start at the last implicit solution.
    let mut current = start.x.clone();
    let mut last_stage = None;
    for i in 0..tableau.stages() {
        let mut known = KnownPart {
            x: weighted_sum(&start.x, h, &tableau.position_rows[i][..i], &sums.velocities),
            v: weighted_sum(&start.v, h, &tableau.velocity_rows[i][..i], &sums.accelerations),
        };
        step.set_prescribed_velocities(tableau.abscissa(i), &mut known.v);
        if !tableau.needs_acceleration(i) {
            sums.velocities.push(known.v);
            sums.accelerations.push(Vec::new());
            continue;
        }
        let frame = frame_at(step, tableau, tableau.abscissa(i));
        let stage = if tableau.velocity_rows[i][i] == 0.0 {
            explicit_stage(step, tableau, i, known, &frame)?
        } else {
            let solved = implicit_stage(step, tableau, i, &known, &current, &frame)?;
            current.clone_from(&solved.x);
            solved
        };
        step.system.link(&stage.x, links);
        sums.add(step, h * tableau.velocity_weights[i], &stage, &frame);
        last_stage = Some(stage);
    }
    let last_stage = last_stage.filter(|_| tableau.ends_at_its_last_stage());
    end_step(step, tableau, &start, &current, sums, last_stage)
}

/// The frame at a `fraction` of the step. Frames of explicit methods fall but do not rotate, because their steps
/// resolve the elastic forces and thus the rotation.
fn frame_at(step: &Step<'_>, tableau: &Tableau, fraction: f64) -> Frame {
    match tableau.is_explicit() {
        true => step.flight.fall_frame(fraction * step.h),
        false => step.frame(fraction),
    }
}

/// Computes the end of the step: the position of `last_stage`, which is given if that stage is at the end, otherwise the
/// weighted sums over the stages. `current` (m) is the admissible position at which the path to the end starts.
///
/// # Errors
/// If the path to the end is blocked.
fn end_step(
    step: &mut Step<'_>,
    tableau: &Tableau,
    start: &KnownPart,
    current: &[Vec3],
    sums: StageSums,
    last_stage: Option<EvaluatedStage>,
) -> Result<RungeKuttaEnd, StepError> {
    let (h, end_time) = (step.h, step.end_time());
    let frame = frame_at(step, tableau, 1.0);
    let mut v = weighted_sum(&start.v, h, &tableau.velocity_weights, &sums.accelerations);
    let state = match last_stage {
        Some(EvaluatedStage { x, gradient, .. }) => {
            frame.velocities_to_space(&x, &mut v);
            let mut state = State::new(end_time, x, v);
            memory::remember_gradient(gradient, &mut state.memory);
            state
        }
        None => {
            let mut x = weighted_sum(&start.x, h, &tableau.position_weights, &sums.velocities);
            frame.to_space(&mut x);
            step.move_straight(current, &mut x, end_time)?;
            frame.velocities_to_space(&x, &mut v);
            State::new(end_time, x, v)
        }
    };
    let StageSums { velocities, impulse, heat: stage_heat, .. } = sums;
    let heat = stage_heat.finish(step, &state.velocities);
    Ok(RungeKuttaEnd { end: StepEnd::new(state, heat), impulse, velocities })
}

/// `base + h sum_j row_j vectors_j`. Vectors with the coefficient zero may be empty.
fn weighted_sum(base: &[Vec3], h: f64, row: &[f64], vectors: &[Vec<Vec3>]) -> Vec<Vec3> {
    let mut sum = base.to_vec();
    for (fraction, vector) in row.iter().zip(vectors).filter(|(fraction, _)| **fraction != 0.0) {
        sum.iter_mut().zip(vector).for_each(|(sum, v)| *sum += h * fraction * *v);
    }
    sum
}

/// Evaluates stage `i`, which is explicit, from its `known` part. `frame` is the frame at the stage.
///
/// # Errors
/// If the path to its position is blocked.
fn explicit_stage(
    step: &mut Step<'_>,
    tableau: &Tableau,
    i: usize,
    known: KnownPart,
    frame: &Frame,
) -> Result<EvaluatedStage, StepError> {
    let drift = step.h * tableau.position_rows[i][i];
    let mut x: Vec<Vec3> = (0..known.x.len()).map(|k| known.x[k] + drift * known.v[k]).collect();
    frame.to_space(&mut x);
    let time = step.time_at(tableau.abscissa(i));
    let start = &step.state.positions;
    // At the start of the step the stored gradient of the last step replaces an evaluation.
    let gradient = match memory::gradient(&step.state.memory) {
        Some(stored) if time == step.state.time && x == *start => {
            step.at_start();
            stored.to_vec()
        }
        _ => {
            step.move_straight(start, &mut x, time)?;
            step.potential_gradient(time, &x)
        }
    };
    let co_rotation = step.rotation_of_straightened(frame, &x);
    let dissipation_frame = DissipationFrame { time, co_rotation };
    let damping_velocities = match tableau.damping {
        Damping::Centred if step.system.dissipates() => {
            let half_kick = 0.5 * step.h * tableau.velocity_weights[i];
            let forces = ForcesAt { x: &x, gradient: &gradient, frame: &dissipation_frame };
            kick::kicked(step, &forces, &known.v, half_kick)?
        }
        Damping::AtStage if !tableau.is_explicit() && kick::starts_with_friction(step, time) => {
            let duration = step.h * tableau.velocity_weights[i];
            let frame = &step.dissipation_frame_at_start();
            kick::kicked(step, &ForcesAt { x: &x, gradient: &gradient, frame }, &known.v, duration)?
        }
        _ => known.v.clone(),
    };
    Ok(EvaluatedStage { x, v: known.v, damping_velocities, dissipation_frame, gradient })
}

/// Solves stage `i`, which is implicit: `u = X + h p v`, `v = V + h a K` with the known parts `X`, `V`. Its predictor
/// is `X + h p V`, its weight `h^2 p a`, and its velocity `(u - X) / (h p)`, all of the straightened motion. The solve
/// starts at the admissible positions `from` (m), and `frame` is the frame at the stage.
///
/// # Errors
/// If the solve fails.
fn implicit_stage(
    step: &mut Step<'_>,
    tableau: &Tableau,
    i: usize,
    known: &KnownPart,
    from: &[Vec3],
    frame: &Frame,
) -> Result<EvaluatedStage, StepError> {
    let drift = step.h * tableau.position_rows[i][i];
    let weight = drift * step.h * tableau.velocity_rows[i][i];
    let n = known.x.len();
    let mut predictor: Vec<Vec3> = (0..n).map(|k| known.x[k] + drift * known.v[k]).collect();
    frame.to_space(&mut predictor);
    frame.subtract_acceleration(weight, &mut predictor);
    let shift: Vec<Vec3> = known.x.iter().map(|x| -*x / drift).collect();
    let time = step.time_at(tableau.abscissa(i));
    let co_rotation = step.rotation_of_straightened(frame, &predictor);
    let rate = 1.0 / drift;
    let lag = Lag { time, force_weight: weight, rate, shift: shift.clone(), co_rotation };
    let lag = lag.straightened(&frame.motion_offsets(n));
    let lag = step.with_prescribed_velocities(tableau.abscissa(i), time, lag);
    let stage = Stage::at_end(time, predictor, weight, lag);
    let x = step.solve_with_friction(&stage, from)?;
    let mut v = x.clone();
    frame.straighten(&mut v);
    v.iter_mut().zip(&shift).for_each(|(v, shift)| *v = stage.lag.rate * *v + *shift);
    step.set_prescribed_velocities(tableau.abscissa(i), &mut v);
    let gradient = step.balancing_gradient(&stage, weight, &x);
    let (damping_velocities, dissipation_frame) = (v.clone(), stage.lag.frame());
    Ok(EvaluatedStage { x, v, damping_velocities, dissipation_frame, gradient })
}
