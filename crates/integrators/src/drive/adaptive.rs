//! Adaptive time steps: an error controller for any method.
//!
//! Time is divided into intervals, the step of the scene. Within an interval the method takes as many steps as its
//! error requires, the last of which ends with the interval. The next proposed step is part of the state, so bodies of
//! different islands have different steps.
//!
//! # The controller
//! The standard controller (Hairer, Norsett, Wanner, *Solving Ordinary Differential Equations I*, section II.4): the
//! error of a step of a method of order `p` is `C h^(p+1)`, so `h <- h clamp(0.9 (allowed / error)^(1/(p+1)), 0.2, 2)`.
//! The factor is at most 1.2 for BDF2, whose full step after two halves has twice the ratio.
//!
//! # Tolerance
//! The tolerance of a step is a length, the given speed times the interval. Equal errors of all steps need the smallest
//! number of steps for a given total error. In an impact at speed `v` the error is about `v h` until the collision is
//! resolved; a tolerance of *speed* would shorten steps without bound there. The residual error of Newton's method, its
//! tolerance times the step, does not decrease with the step and is always permitted.

use crate::drive::advance::advance_to;
use crate::error::StepError;
use crate::step::{Integrator, StageSolver, StepReport};
use resile_math::elementary;
use resile_system::{State, System, Vec3};

/// Factor by which the next step is shorter than the step that would just meet the tolerance.
const SAFETY_FACTOR: f64 = 0.9;

/// Smallest and largest ratio of the next step to a step that was not divided into halves.
const MIN_STEP_FACTOR: f64 = 0.2;
const MAX_STEP_FACTOR: f64 = 2.0;

/// Relative rounding of step lengths, within which a step counts as the shortest.
const STEP_ROUNDING: f64 = 1e-6;

/// Excess of the number of steps over an integer that counts as rounding.
const COUNT_ROUNDING: f64 = 1e-9;

/// Estimators of the error of a step, a length (m, maximum over coordinates).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// A full step and two half steps, of which the half steps are accepted. The error is their difference over
    /// `2^p - 1` (Richardson). Applies to any method and costs 50 % more.
    Doubling,
    /// The embedded estimate of the method, at no cost ([`Integrator::estimates_its_error`]); without one, steps are
    /// never shortened.
    Embedded,
}

/// Adaptive stepping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptive {
    /// The estimator.
    pub measure: Measure,
    /// The tolerance (m); a step with a larger error is repeated.
    pub error: f64,
    /// The shortest step (s), which is accepted with any error.
    pub shortest: f64,
}

impl Adaptive {
    /// Whether a step of `h` (s) is the shortest within rounding.
    pub fn is_shortest(&self, h: f64) -> bool {
        h <= self.shortest * (1.0 + STEP_ROUNDING)
    }

    /// The time (s) at which a step from `start` must end on the way to `end`: just before the next change of
    /// prescribed motions, so that no step sees a later value. Changes within the shortest step after `start` are
    /// ignored, and at least a shortest step remains before `end`.
    pub fn next_stop(&self, system: &System, start: f64, end: f64) -> f64 {
        let change = system.next_change(start + self.shortest);
        if change > end {
            return end;
        }
        let stop = change.next_down().min(end - self.shortest);
        if stop > start + 0.5 * self.shortest { stop } else { end }
    }
}

/// The length (s) of the next step in an interval of which `remaining` seconds are left: `remaining` divided by the
/// smallest number of equal steps that are not longer than `suggested` (s), the last proposal of the controller.
pub fn next_step(remaining: f64, suggested: Option<f64>) -> f64 {
    let step_count =
        suggested.map_or(1.0, |step| (remaining / step - COUNT_ROUNDING).ceil().max(1.0));
    remaining / step_count
}

/// Result of an attempted step.
#[derive(Debug)]
pub enum Attempt {
    /// The step is accepted.
    Taken {
        /// Reports, including those of discarded work.
        reports: Vec<StepReport>,
        /// Positions (m) after the first half, if the step was taken in two halves.
        middle: Option<Vec<Vec3>>,
    },
    /// The error is too large: the state is unchanged except for the suggested step.
    Rejected(Vec<StepReport>),
}

/// Attempts a step of `h` (s) to the time `end` (s), which is `h` later within rounding, and accepts it if its error is
/// permitted. Stores the next suggested step in `state` in both cases.
///
/// # Errors
/// If the method could not take the step; `state` is then unchanged.
pub fn attempt(
    integrator: &dyn Integrator,
    adaptive: &Adaptive,
    system: &mut System,
    solver: &mut StageSolver,
    state: &mut State,
    h: f64,
    end: f64,
) -> Result<Attempt, StepError> {
    let AdaptiveTrial { state: next, reports, middle, error } = match adaptive.measure {
        Measure::Doubling => step_doubling(integrator, system, solver, state, h, end)?,
        Measure::Embedded => {
            let mut next = state.clone();
            let report = advance_to(integrator, system, solver, &mut next, h, end)?;
            let error = report.error.unwrap_or(0.0);
            AdaptiveTrial { state: next, reports: vec![report], middle: None, error }
        }
    };
    let allowed_error = adaptive.error.max(solver.tolerance * h);
    let is_accepted = error <= allowed_error || adaptive.is_shortest(h);
    // After two half steps the ratio of the next full step to the last half step is twice the factor. BDF2 bounds this
    // ratio.
    let max_factor = if middle.is_some() { integrator.largest_growth() } else { MAX_STEP_FACTOR };
    let exponent = 1.0 / (f64::from(integrator.order()) + 1.0);
    let factor = SAFETY_FACTOR * elementary::pow(allowed_error / error, exponent);
    let mut suggested = h * factor.clamp(MIN_STEP_FACTOR, max_factor);
    if is_accepted && factor >= max_factor {
        // A step shortened by the end of the interval does not invalidate the suggestion before it.
        suggested = suggested.max(state.suggested_step.unwrap_or(0.0));
    }
    let suggested_step = Some(suggested.max(adaptive.shortest));
    if is_accepted {
        *state = State { suggested_step, ..next };
        return Ok(Attempt::Taken { reports, middle });
    }
    state.suggested_step = suggested_step;
    Ok(Attempt::Rejected(reports.into_iter().map(discarded_report).collect()))
}

/// The end of an attempted step, before it is accepted or rejected.
struct AdaptiveTrial {
    state: State,
    /// The reports of all steps taken, including discarded ones.
    reports: Vec<StepReport>,
    /// Positions (m) after the first half, if the step was taken in two halves.
    middle: Option<Vec<Vec3>>,
    /// The estimated error of the step (m).
    error: f64,
}

/// Takes a full step and two half steps, and estimates the error of the latter by their difference (Richardson).
fn step_doubling(
    integrator: &dyn Integrator,
    system: &mut System,
    solver: &mut StageSolver,
    state: &State,
    h: f64,
    end: f64,
) -> Result<AdaptiveTrial, StepError> {
    let [mut full, mut halves] = [state.clone(), state.clone()];
    let half = h / 2.0;
    let middle_time = state.time + half;
    let full_report = advance_to(integrator, system, solver, &mut full, h, end)?;
    let first_report = advance_to(integrator, system, solver, &mut halves, half, middle_time)?;
    let middle = Some(halves.positions.clone());
    let second_report = advance_to(integrator, system, solver, &mut halves, half, end)?;
    let position_pairs = full.positions.iter().zip(&halves.positions);
    let difference = position_pairs.map(|(a, b)| (*a - *b).abs().max_element()).fold(0.0, f64::max);
    let error = difference / (2f64.powi(integrator.order() as i32) - 1.0);
    Ok(AdaptiveTrial {
        state: halves,
        reports: vec![discarded_report(full_report), first_report, second_report],
        middle,
        error,
    })
}

/// The report of a discarded step: only the cost of the solver and repetitions remain. Step length and last step are set
/// such that minima and maxima over steps do not include them.
fn discarded_report(mut report: StepReport) -> StepReport {
    report.dissipated.fill(0.0);
    report.plastic.fill(0.0);
    report.damping.fill(0.0);
    report.contact_damping.fill(0.0);
    report.contact.fill(0.0);
    report.rest_loss.fill(0.0);
    report.motion.fill(0.0);
    report.work.fill(0.0);
    report.alphas.clear();
    report.solve.last_step = 0.0;
    report.step = f64::INFINITY;
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_step_is_recognised_despite_rounding() {
        for h in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 120.0, 0.01, 0.1] {
            let shortest = h / 1024.0;
            let adaptive = Adaptive { measure: Measure::Doubling, error: 0.0, shortest };
            let (mut left, mut steps) = (h, 0);
            while left > 0.0 {
                let step = next_step(left, Some(shortest));
                assert!(adaptive.is_shortest(step), "{step} of {shortest}, {left} left");
                left = if step == left { 0.0 } else { left - step };
                steps += 1;
            }
            assert_eq!(steps, 1024);
        }
    }
}
