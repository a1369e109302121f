//! Steps as long as they may be: a controller around any method.
//!
//! Time is divided into intervals, the scene's step; inside one the method takes as many
//! steps as its error asks for, and all end where the interval ends. The step proposed
//! for the next time is part of the state, so bodies that do not meet keep their own steps.
//!
//! # The controller
//! It is the textbook's (Hairer, Norsett, Wanner, *Solving Ordinary Differential Equations I*,
//! section II.4): a method of order `p` errs by `C h^(p+1)` a step, so
//! `h <- h clamp(0.9 (allowed / error)^(1/(p+1)), 0.2, 2)`, or 1.2 at most with BDF2, whose whole
//! step after two halves is twice as much longer than the last one.
//!
//! # What a step may err by
//! A length: the given speed times the interval. So each step errs by as much as any other,
//! which of all paths to share out a given error takes fewest steps, and impacts bound
//! themselves: what hits at speed `v` errs by about `v h` until the collision is resolved, and a
//! *speed* would shorten steps to nothing there. What Newton's method leaves open, its tolerance
//! times the step, is no error that a shorter step would mend, and always allowed.

use crate::error::StepError;
use crate::step::{Integrator, StageSolver, StepReport, advance_to};
use resile_math::elementary;
use resile_system::{State, System, Vec3};

/// How the error of a step, a length (m, largest over coordinates), is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// One step against two of half the length, the two are kept: their error is
    /// their difference over `2^p - 1` (Richardson). Works around any method, for half as much
    /// work again.
    Doubling,
    /// The estimate that the method itself makes, at no cost
    /// ([`Integrator::estimates_its_error`]); of other methods no step is shortened.
    Embedded,
}

/// Adaptive stepping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptive {
    /// How errors are known.
    pub measure: Measure,
    /// The error (m) that a step may have; one that misses it is taken again.
    pub error: f64,
    /// The shortest step (s); it is kept whatever its error.
    pub shortest: f64,
}

impl Adaptive {
    /// Whether a step of `h` is the shortest, but for rounding: equal parts of what is left
    /// of an interval are not exact.
    pub fn is_shortest(&self, h: f64) -> bool {
        h <= self.shortest * (1.0 + 1e-6)
    }

    /// Where the steps from `start` have to stop on their way to `end` (s): just before the next
    /// change of what is prescribed, so that no step feels a value that does not hold yet. One
    /// that is less than the shortest step after `start` is not waited for, and before `end` there is room
    /// for a shortest step.
    pub fn next_stop(&self, system: &System, start: f64, end: f64) -> f64 {
        let change = system.next_change(start + self.shortest);
        if change > end {
            return end;
        }
        let stop = change.next_down().min(end - self.shortest);
        if stop > start + 0.5 * self.shortest { stop } else { end }
    }
}

/// The next step in an interval of which `remaining` seconds are left: an equal part of it.
///
/// `suggested` is what the controller proposed last.
pub fn next_step(remaining: f64, suggested: Option<f64>) -> f64 {
    let parts = suggested.map_or(1.0, |step| (remaining / step - 1e-9).ceil().max(1.0));
    remaining / parts
}

/// What became of a step that was tried.
#[derive(Debug)]
pub enum Attempt {
    /// It was taken.
    Taken {
        /// What was done, thrown-away work included.
        reports: Vec<StepReport>,
        /// Positions (m) on the way, if it was taken in two parts.
        middle: Option<Vec<Vec3>>,
    },
    /// Its error is too large: the state is as it was, but for the step it suggests.
    Rejected(Vec<StepReport>),
}

/// Tries a step of `h` to the time `end` (s), `h` later but for rounding, and leaves in
/// `state` what should be tried next.
///
/// # Errors
/// If the method could not take the step.
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
        Measure::Doubling => double(integrator, system, solver, state, h, end)?,
        Measure::Embedded => {
            let mut next = state.clone();
            let report = advance_to(integrator, system, solver, &mut next, h, end)?;
            let error = report.error.unwrap_or(0.0);
            AdaptiveTrial { state: next, reports: vec![report], middle: None, error }
        }
    };
    let allowed = adaptive.error.max(solver.tolerance * h);
    let taken = error <= allowed || adaptive.is_shortest(h);
    // After halves the whole next step has twice the ratio, which BDF2 bounds.
    let growth = if middle.is_some() { integrator.largest_growth() } else { 2.0 };
    let factor =
        0.9 * elementary::pow(allowed / error, 1.0 / (f64::from(integrator.order()) + 1.0));
    let mut suggested = h * factor.clamp(0.2, growth);
    if taken && factor >= growth {
        // A step that was cut short to end in time says nothing against the one suggested before it.
        suggested = suggested.max(state.suggested_step.unwrap_or(0.0));
    }
    let suggested_step = Some(suggested.max(adaptive.shortest));
    if taken {
        *state = State { suggested_step, ..next };
        return Ok(Attempt::Taken { reports, middle });
    }
    state.suggested_step = suggested_step;
    Ok(Attempt::Rejected(reports.into_iter().map(only_work).collect()))
}

/// A step as it might be taken.
struct AdaptiveTrial {
    state: State,
    reports: Vec<StepReport>,
    middle: Option<Vec<Vec3>>,
    /// Its error (m).
    error: f64,
}

/// Takes a step in whole and in halves.
fn double(
    integrator: &dyn Integrator,
    system: &mut System,
    solver: &mut StageSolver,
    state: &State,
    h: f64,
    end: f64,
) -> Result<AdaptiveTrial, StepError> {
    let [mut whole, mut halves] = [state.clone(), state.clone()];
    let half = h / 2.0;
    let between = state.time + half;
    let wasted = advance_to(integrator, system, solver, &mut whole, h, end)?;
    let first = advance_to(integrator, system, solver, &mut halves, half, between)?;
    let middle = Some(halves.positions.clone());
    let second = advance_to(integrator, system, solver, &mut halves, half, end)?;
    let apart = whole.positions.iter().zip(&halves.positions);
    let apart = apart.map(|(a, b)| (*a - *b).abs().max_element()).fold(0.0, f64::max);
    let error = apart / (2f64.powi(integrator.order() as i32) - 1.0);
    Ok(AdaptiveTrial {
        state: halves,
        reports: vec![only_work(wasted), first, second],
        middle,
        error,
    })
}

/// What is left of the report of a step that was thrown away: the solver's work. As a step
/// of no particular length it is neither the smallest nor the worst.
fn only_work(mut report: StepReport) -> StepReport {
    report.dissipated.fill(0.0);
    report.plastic.fill(0.0);
    report.damping.fill(0.0);
    report.contact.fill(0.0);
    report.rest_loss.fill(0.0);
    report.motion.fill(0.0);
    report.work.fill(0.0);
    report.alphas.clear();
    report.solve.residual = 0.0;
    report.step = f64::INFINITY;
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_step_is_known_as_such_whatever_rounding_left_of_the_interval() {
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
