//! Steps as long as they may be: a controller around any method.
//!
//! Time is divided into intervals, the scene's step; inside one the method takes as many
//! steps as its error asks for, and all end where the interval ends. The step proposed
//! for the next time is part of the state, so bodies that do not meet keep their own pace.
//!
//! The controller is the textbook's (Hairer, Norsett, Wanner, *Solving Ordinary
//! Differential Equations I*, section II.4): `h <- h clamp(0.9 (tolerance / error)^(1/2),
//! 0.2, 2)`, or 1.2 at most with BDF2, whose whole step after two halves is twice as much
//! longer than the last one. Every method is taken for one of first order, which is careful
//! with the others.

use crate::error::StepError;
use crate::step::{Integrator, StageSolver, StepReport, advance_to};
use resile_system::{State, System, Vec3};

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// One step against two of half the length. The error is their largest difference in
    /// positions over the step, and at most this (m/s); the two are kept. A step that
    /// misses is taken again. Works around any method, for half as much work again.
    Doubling {
        /// Largest error (m/s): after `t` seconds errors of a stable motion add up to
        /// about `t` times as many metres.
        error: f64,
    },
    /// The largest `|alpha - 1|` of a method that searches for alpha, which costs nothing
    /// (proposed in ASEARCH, section 6). Steps that miss are kept; only the next one is
    /// shorter.
    Alpha {
        /// The `|alpha - 1|` aimed at.
        deviation: f64,
    },
}

/// Adaptive stepping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptive {
    /// What is looked at.
    pub measure: Measure,
    /// The shortest step (s); it is kept whatever its error.
    pub shortest: f64,
}

impl Adaptive {
    /// Whether a step of `h` is the shortest, but for rounding: equal parts of what is left
    /// of an interval are not exact.
    pub fn is_shortest(&self, h: f64) -> bool {
        h <= self.shortest * (1.0 + 1e-6)
    }
}

/// The next step in an interval of which `remaining` seconds are left: an equal part of it.
///
/// `pace` is what the controller proposed last.
pub fn next_step(remaining: f64, pace: Option<f64>) -> f64 {
    let parts = pace.map_or(1.0, |pace| (remaining / pace - 1e-9).ceil().max(1.0));
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
    /// Its error is too large: the state is as it was, but for its pace.
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
    match adaptive.measure {
        Measure::Doubling { error: tolerance } => {
            let mut whole = state.clone();
            let mut halves = state.clone();
            let half = h / 2.0;
            let middle = state.time + half;
            let wasted = advance_to(integrator, system, solver, &mut whole, h, end)?;
            let first = advance_to(integrator, system, solver, &mut halves, half, middle)?;
            let middle = Some(halves.positions.clone());
            let second = advance_to(integrator, system, solver, &mut halves, half, end)?;
            let apart = whole.positions.iter().zip(&halves.positions);
            let error = apart.map(|(a, b)| (*a - *b).abs().max_element()).fold(0.0, f64::max) / h;
            // After halves the whole next step has twice the ratio, which BDF2 bounds.
            let growth = if halves.previous.is_some() { 1.2 } else { 2.0 };
            let next = proposal(h, tolerance / error, growth);
            if error <= tolerance || adaptive.is_shortest(h) {
                *state = State { pace: Some(next.max(adaptive.shortest)), ..halves };
                let reports = vec![only_work(wasted), first, second];
                return Ok(Attempt::Taken { reports, middle });
            }
            state.pace = Some(next.max(adaptive.shortest));
            Ok(Attempt::Rejected([wasted, first, second].map(only_work).into()))
        }
        Measure::Alpha { deviation } => {
            let report = advance_to(integrator, system, solver, state, h, end)?;
            let off = report.alphas.iter().map(|group| (group.alpha - 1.0).abs());
            let next = proposal(h, deviation / off.fold(0.0, f64::max), 2.0);
            state.pace = Some(next.max(adaptive.shortest));
            Ok(Attempt::Taken { reports: vec![report], middle: None })
        }
    }
}

/// The next step after one of `h` with this tolerance over its error.
fn proposal(h: f64, room: f64, growth: f64) -> f64 {
    h * (0.9 * room.sqrt()).clamp(0.2, growth)
}

/// What is left of the report of a step that was thrown away: the solver's work. As a step
/// of no particular length it is neither the smallest nor the worst.
fn only_work(mut report: StepReport) -> StepReport {
    report.dissipated.fill(0.0);
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
            let adaptive = Adaptive { measure: Measure::Doubling { error: 0.0 }, shortest };
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
