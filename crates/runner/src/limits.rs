//! Limits of time and memory of a step, and its interruption.

use super::analysis::AnalysisFailure;
use super::{Run, RunError};
use crate::memory;
use resile_watch::{Activity, Cause, Interrupt, Limits, Patrol, Watchdog};
use resile_world::{SettleFailure, StepFailure};
use std::sync::Arc;
use std::time::Duration;

impl Run {
    /// Sets the limits of the following steps: they end when `interrupt` is raised, list solves in progress in
    /// `activity`, and fail if the process uses more than `memory` (bytes), or if a step exceeds
    /// `solver.max_seconds_per_step`.
    pub fn watch(&mut self, interrupt: Interrupt, activity: Activity, memory: Option<u64>) {
        self.watchdog = Watchdog::new(interrupt.clone(), self.limits(memory), memory::used);
        self.memory_limit = memory;
        self.world.watch(interrupt, activity);
    }

    /// As [`watch`](Self::watch), by the thread of `patrol`, which must know the [memory in use](memory::used).
    pub fn watch_on(&mut self, patrol: &Arc<Patrol>, interrupt: Interrupt, memory: Option<u64>) {
        self.watchdog = Watchdog::on(patrol, interrupt.clone(), self.limits(memory));
        self.memory_limit = memory;
        self.world.watch(interrupt, Activity::unobserved());
    }

    /// The limits of a step, with that of memory (bytes).
    fn limits(&self, memory: Option<u64>) -> Limits {
        let time = self.scene.solver.max_seconds_per_step;
        let time = time.map(|s| Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX));
        Limits { time, memory }
    }

    /// The error of the run for the failure of a step.
    pub(super) fn step_error(&self, step: u64, failure: AnalysisFailure) -> RunError {
        self.run_error(step, format!("step {step}"), failure)
    }

    /// The error of the run for the failure of settling.
    pub(super) fn settling_error(&self, failure: SettleFailure) -> RunError {
        let step = match failure {
            SettleFailure::Step { step, .. } => format!("step {step} of settling"),
            _ => "settling".to_owned(),
        };
        match self.run_error(0, step, AnalysisFailure::Load(failure)) {
            RunError::LoadStep { failure, .. } => failure.into(),
            other => other,
        }
    }

    /// The error of the run for the failure of a step with this number and name; distinguishes interruptions and
    /// limits.
    fn run_error(&self, step: u64, name: String, failure: AnalysisFailure) -> RunError {
        match (failure.interruption(), failure) {
            (Some(cause), AnalysisFailure::Time(failure)) => {
                self.interruption_error(name, cause, failure)
            }
            (
                Some(cause),
                AnalysisFailure::Load(
                    SettleFailure::Step { cause: failure, .. }
                    | SettleFailure::Load { cause: failure },
                ),
            ) => self.interruption_error(name, cause, *failure),
            (_, failure) => failure.at_step(step, self.clock.after(step)),
        }
    }

    /// The error of a run whose step was interrupted for this cause.
    fn interruption_error(&self, step: String, cause: Cause, failure: StepFailure) -> RunError {
        let limit = match cause {
            Cause::Asked => return RunError::Interrupted { step },
            Cause::Time => format!(
                "solver.max_seconds_per_step allows {} s",
                self.scene.solver.max_seconds_per_step.unwrap_or_default()
            ),
            Cause::Memory => {
                format!(
                    "the program may use {}",
                    memory::format_bytes(self.memory_limit.unwrap_or_default())
                )
            }
        };
        RunError::Limit { step, failure: Box::new(failure), limit }
    }
}
