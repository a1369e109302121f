//! Steps as long as they may be: a controller around any method.
//!
//! Time is divided into intervals, the scene's step; inside one the method takes as many
//! steps as its error asks for, and all end where the interval ends. The step proposed
//! for the next time is part of the state, so bodies that do not meet keep their own pace.
//!
//! The controller is the textbook's (Hairer, Norsett, Wanner, *Solving Ordinary
//! Differential Equations I*, section II.4): `h <- h clamp(0.9 (tolerance / error)^(1/2),
//! 0.2, 2)`. Every method is taken for one of first order, which is careful with the
//! others. Growth by at most two keeps BDF2 stable, whose coefficients follow the step.

use crate::error::StepError;
use crate::step::{Integrator, StageSolver, StepReport, advance};
use resile_system::{State, System};

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
    /// (proposed in ASEARCH, section 7). Steps that miss are kept; only the next one is
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
    Taken(Vec<StepReport>),
    /// Its error is too large: the state is as it was, but for its pace.
    Rejected(Vec<StepReport>),
}

/// Tries a step of `h`, and leaves in `state` what should be tried next.
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
) -> Result<Attempt, StepError> {
    match adaptive.measure {
        Measure::Doubling { error: tolerance } => {
            let mut whole = state.clone();
            let mut halves = state.clone();
            let reports = [
                advance(integrator, system, solver, &mut whole, h)?,
                advance(integrator, system, solver, &mut halves, h / 2.0)?,
                advance(integrator, system, solver, &mut halves, h / 2.0)?,
            ];
            let apart = whole.positions.iter().zip(&halves.positions);
            let error = apart.map(|(a, b)| (*a - *b).abs().max_element()).fold(0.0, f64::max) / h;
            let next = proposal(h, tolerance / error);
            let [wasted, first, second] = reports;
            if error <= tolerance || h <= adaptive.shortest {
                *state = State { pace: Some(next.max(adaptive.shortest)), ..halves };
                return Ok(Attempt::Taken(vec![only_work(wasted), first, second]));
            }
            state.pace = Some(next.max(adaptive.shortest));
            Ok(Attempt::Rejected([wasted, first, second].map(only_work).into()))
        }
        Measure::Alpha { deviation } => {
            let report = advance(integrator, system, solver, state, h)?;
            let off = report.alphas.iter().map(|group| (group.alpha - 1.0).abs());
            let next = proposal(h, deviation / off.fold(0.0, f64::max));
            state.pace = Some(next.max(adaptive.shortest));
            Ok(Attempt::Taken(vec![report]))
        }
    }
}

/// The next step after one of `h` with this tolerance over its error.
fn proposal(h: f64, room: f64) -> f64 {
    h * (0.9 * room.sqrt()).clamp(0.2, 2.0)
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
