//! One driver for all Runge-Kutta methods, explicit or diagonally implicit.

use crate::error::StepError;
use crate::parameters::ParameterError;
use crate::rigid::frame::Frame;
use crate::stage::{Lag, Stage};
use crate::step::memory;
use crate::step::{Integrator, StageHeat, Step, StepEnd};
use crate::tableau::{Damping, Tableau, TableauError};
use resile_math::Vec3;
use resile_system::{Links, State};

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

    fn damps_from_start(&self) -> bool {
        self.tableau.velocity_rows[0][0] == 0.0
            && !self.tableau.is_explicit()
            && self.tableau.growth_when_stiff().abs() < 0.99
    }

    fn order(&self) -> u32 {
        self.order
    }

    fn estimates_its_error(&self) -> bool {
        self.companion.is_some()
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let mut links = step.empty_links();
        let stepped = compute_stages(step, &self.tableau, &mut links)?;
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

/// The contributions of earlier stages to the straightened position and velocity of a stage.
struct Known {
    x: Vec<Vec3>,
    v: Vec<Vec3>,
}

/// A stage at which a force was evaluated.
struct Reached {
    /// (s).
    time: f64,
    x: Vec<Vec3>,
    /// Straightened.
    v: Vec<Vec3>,
    /// Positions at which friction and damping are evaluated.
    damped: Vec<Vec3>,
    /// `grad P`.
    gradient: Vec<Vec3>,
}

/// The stages computed so far, and their weighted sums.
struct StageSums {
    velocities: Vec<Vec<Vec3>>,
    accelerations: Vec<Vec<Vec3>>,
    impulse: Vec<Vec3>,
    heat: StageHeat,
}

impl StageSums {
    /// Adds a stage of weight `b` (s).
    fn add(&mut self, step: &Step<'_>, b: f64, reached: &Reached, frame: &Frame) {
        let drag = step.dissipative_gradient(reached.time, &reached.damped);
        self.heat.add_stage(step, reached.time, b, &reached.damped);
        let straightened = |mut a: Vec<Vec3>| {
            frame.straighten_impulses(1.0, &reached.x, &mut a);
            a
        };
        let undamped = vec![Vec3::ZERO; drag.len()];
        let pull = straightened(step.acceleration(&reached.gradient, &undamped));
        self.impulse.iter_mut().zip(&pull).for_each(|(sum, pull)| *sum -= b * *pull);
        self.accelerations.push(straightened(step.acceleration(&reached.gradient, &drag)));
        self.velocities.push(reached.v.clone());
    }
}

/// Computes the stages of `tableau`, and records in `links` the bodies that exchange forces there.
pub(crate) fn compute_stages(
    step: &mut Step<'_>,
    tableau: &Tableau,
    links: &mut Links,
) -> Result<RungeKuttaEnd, StepError> {
    let h = step.h;
    let start = Known { x: step.state.positions.clone(), v: step.start_velocities() };
    let mut sums = StageSums {
        velocities: Vec::new(),
        accelerations: Vec::new(),
        impulse: vec![Vec3::ZERO; start.x.len()],
        heat: StageHeat::zero(step),
    };
    // Explicit stages are evaluated from x_n, implicit ones from the previous solution.
    let mut here = start.x.clone();
    let mut last = None;
    for i in 0..tableau.stages() {
        let known = Known {
            x: plus(&start.x, h, &tableau.position_rows[i][..i], &sums.velocities),
            v: plus(&start.v, h, &tableau.velocity_rows[i][..i], &sums.accelerations),
        };
        if !tableau.needs_acceleration(i) {
            sums.velocities.push(known.v);
            sums.accelerations.push(Vec::new());
            continue;
        }
        let frame = frame(step, tableau, tableau.abscissa(i));
        let reached = if tableau.velocity_rows[i][i] == 0.0 {
            explicit_stage(step, tableau, i, known, &frame)?
        } else {
            let reached = implicit_stage(step, tableau, i, &known, (&here, &frame))?;
            here.clone_from(&reached.x);
            reached
        };
        step.system.link(&reached.x, links);
        sums.add(step, h * tableau.velocity_weights[i], &reached, &frame);
        last = Some(reached);
    }
    let last = last.filter(|_| tableau.ends_at_its_last_stage());
    arrive(step, tableau, &start, &here, sums, last)
}

/// The frame at a `fraction` of the step. Frames of explicit methods fall but do not rotate, because their steps
/// resolve the elastic forces and thus the rotation.
fn frame(step: &Step<'_>, tableau: &Tableau, fraction: f64) -> Frame {
    match tableau.is_explicit() {
        true => step.flight.fall_frame(fraction * step.h),
        false => step.frame(fraction),
    }
}

/// Computes the end of the step: the last stage if it is at the end, otherwise the weighted sums over the stages.
/// `here` is the admissible position at which the path to the end starts.
fn arrive(
    step: &mut Step<'_>,
    tableau: &Tableau,
    start: &Known,
    here: &[Vec3],
    sums: StageSums,
    last: Option<Reached>,
) -> Result<RungeKuttaEnd, StepError> {
    let (h, end) = (step.h, step.end_time());
    let frame = frame(step, tableau, 1.0);
    let mut v = plus(&start.v, h, &tableau.velocity_weights, &sums.accelerations);
    let state = match last {
        Some(Reached { x, gradient, .. }) => {
            frame.velocities_to_space(&x, &mut v);
            let mut state = State::new(end, x, v);
            memory::remember_gradient(gradient, &mut state.memory);
            state
        }
        None => {
            let mut x = plus(&start.x, h, &tableau.position_weights, &sums.velocities);
            frame.to_space(&mut x);
            step.move_straight(here, &mut x, end)?;
            frame.velocities_to_space(&x, &mut v);
            State::new(end, x, v)
        }
    };
    let StageSums { velocities, impulse, heat: taken, .. } = sums;
    let heat = taken.finish(step, &state.velocities);
    Ok(RungeKuttaEnd { end: StepEnd::new(state, heat), impulse, velocities })
}

/// `base + h sum_j row_j vectors_j`.
fn plus(base: &[Vec3], h: f64, row: &[f64], vectors: &[Vec<Vec3>]) -> Vec<Vec3> {
    let mut sum = base.to_vec();
    for (fraction, vector) in row.iter().zip(vectors).filter(|(fraction, _)| **fraction != 0.0) {
        sum.iter_mut().zip(vector).for_each(|(sum, v)| *sum += h * fraction * *v);
    }
    sum
}

/// Computes an explicit stage from its known parts.
fn explicit_stage(
    step: &mut Step<'_>,
    tableau: &Tableau,
    i: usize,
    known: Known,
    frame: &Frame,
) -> Result<Reached, StepError> {
    let drift = step.h * tableau.position_rows[i][i];
    let mut x: Vec<Vec3> = (0..known.x.len()).map(|k| known.x[k] + drift * known.v[k]).collect();
    frame.to_space(&mut x);
    let time = step.time_at(tableau.abscissa(i));
    let start = &step.state.positions;
    let gradient = match memory::gradient(&step.state.memory) {
        Some(known) if time == step.state.time && x == *start => {
            step.at_start();
            known.to_vec()
        }
        _ => {
            step.move_straight(start, &mut x, time)?;
            step.potential_gradient(time, &x)
        }
    };
    let damped = match tableau.damping {
        Damping::Centred if step.system.dissipates() => {
            let half_kick = 0.5 * step.h * tableau.velocity_weights[i];
            let at = Known { x: x.clone(), v: known.v.clone() };
            middle_of_kick(step, &at, &gradient, half_kick, time)?
        }
        _ => known.v.clone(),
    };
    Ok(Reached { time, x, v: known.v, damped, gradient })
}

/// The velocity `w = v - k m^-1 (grad P(x) + dD/dv(w))` after half a kick.
///
/// As a stage its unknown is `x + k w`, with the target `x + k v - k^2 m^-1 grad P`. Prescribed nodes, which have
/// their positions at `time`, keep their velocity.
fn middle_of_kick(
    step: &mut Step<'_>,
    Known { x, v }: &Known,
    gradient: &[Vec3],
    k: f64,
    time: f64,
) -> Result<Vec<Vec3>, StepError> {
    let (masses, system) = (step.system.masses(), &step.system);
    let shift = |i: usize| system.compose(i, -x[i] / k, v[i] - x[i] / k);
    let target = |i: usize| x[i] + k * v[i] - k * k / masses[i] * gradient[i];
    let stage = Stage {
        time,
        predictor: (0..x.len()).map(target).collect(),
        terms: Vec::new(),
        lag: Lag {
            time,
            force_weight: k * k,
            rate: 1.0 / k,
            shift: (0..x.len()).map(shift).collect(),
        },
    };
    let u = step.solve(&stage, x)?;
    Ok((0..u.len()).map(|i| stage.lag.velocity(i, u[i])).collect())
}

/// A stage that is solved for: `u = X + h p v`, `v = V + h a K` with the known parts
/// `X`, `V`; so the target is `X + h p V`, the weight `h^2 p a`, and the velocity
/// `(u - X) / (h p)`, all of the straightened motion.
fn implicit_stage(
    step: &mut Step<'_>,
    tableau: &Tableau,
    i: usize,
    known: &Known,
    (from, frame): (&[Vec3], &Frame),
) -> Result<Reached, StepError> {
    let drift = step.h * tableau.position_rows[i][i];
    let weight = drift * step.h * tableau.velocity_rows[i][i];
    let n = known.x.len();
    let mut predictor: Vec<Vec3> = (0..n).map(|k| known.x[k] + drift * known.v[k]).collect();
    frame.to_space(&mut predictor);
    frame.subtract_acceleration(weight, &mut predictor);
    let shift: Vec<Vec3> = known.x.iter().map(|x| -*x / drift).collect();
    let time = step.time_at(tableau.abscissa(i));
    let lag = Lag { time, force_weight: weight, rate: 1.0 / drift, shift: shift.clone() };
    let lag = lag.straightened(&frame.motion_offsets(n));
    let stage = Stage::at_end(time, predictor, weight, lag);
    let x = step.solve_with_friction(&stage, from)?;
    let mut v = x.clone();
    frame.straighten(&mut v);
    v.iter_mut().zip(&shift).for_each(|(v, shift)| *v = stage.lag.rate * *v + *shift);
    let gradient = step.balancing_gradient(&stage, weight, &x);
    Ok(Reached { time, damped: v.clone(), x, v, gradient })
}
