//! Limits of time and memory of a step, and its interruption.

use super::analysis::{AnalysisFailure, interruption_of_settling};
use super::pressed::pressed_bodies;
use super::{Pressed, Run, RunError};
use crate::memory;
use resile_scene::description::Scene;
use resile_watch::{Activity, Cause, Interrupt, Limits, Patrol, Watchdog};
use resile_world::{SettleFailure, StepFailure};
use std::sync::Arc;
use std::time::Duration;

/// The limits of a step, in the units of their messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepLimits {
    /// `solver.max_seconds_per_step`.
    seconds: Option<f64>,
    /// Memory of the process (bytes).
    memory: Option<u64>,
    /// `solver.dirichlet_tolerance`.
    dirichlet_tolerance: f64,
}

impl Run {
    /// Sets the limits of the following steps: they end when `interrupt` is raised, list solves in progress in
    /// `activity`, and fail if the process uses more than `memory` (bytes), or if a step exceeds
    /// `solver.max_seconds_per_step`.
    pub fn watch(&mut self, interrupt: Interrupt, activity: Activity, memory: Option<u64>) {
        self.watchdog = StepLimits::new(&self.scene, memory).watchdog(interrupt.clone());
        self.memory_limit = memory;
        self.world.watch(interrupt, activity);
    }

    /// As [`watch`](Self::watch), by the thread of `patrol`, which must know the [memory in use](memory::used).
    pub fn watch_on(&mut self, patrol: &Arc<Patrol>, interrupt: Interrupt, memory: Option<u64>) {
        let limits = StepLimits::new(&self.scene, memory).limits();
        self.watchdog = Watchdog::on(patrol, interrupt.clone(), limits);
        self.memory_limit = memory;
        self.world.watch(interrupt, Activity::unobserved());
    }

    /// The error of the run for the failure of a step.
    pub(super) fn step_error(&self, step: u64, failure: AnalysisFailure) -> RunError {
        let limits = StepLimits::new(&self.scene, self.memory_limit);
        let pressed = pressed_bodies(&self.scene, &self.world, &failure);
        limits.step_error(step, self.clock.after(step), failure, pressed)
    }

    /// The error of the run for the failure of settling.
    pub(super) fn settling_error(&self, failure: SettleFailure) -> RunError {
        StepLimits::new(&self.scene, self.memory_limit).settling_error(failure)
    }
}

impl StepLimits {
    /// The limits of a scene, with that of memory (bytes).
    pub(super) fn new(scene: &Scene, memory: Option<u64>) -> Self {
        let solver = &scene.solver;
        let (seconds, dirichlet_tolerance) =
            (solver.max_seconds_per_step, solver.dirichlet_tolerance);
        Self { seconds, memory, dirichlet_tolerance }
    }

    /// A watchdog with a thread of its own that raises `interrupt` when a step exceeds the limits.
    pub(super) fn watchdog(self, interrupt: Interrupt) -> Watchdog {
        Watchdog::new(interrupt, self.limits(), memory::used)
    }

    /// The limits for a watchdog.
    fn limits(self) -> Limits {
        let time = self.seconds.map(|s| Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX));
        Limits { time, memory: self.memory }
    }

    /// The error for the failure of a step with this number to the `end` time (s); `pressed` are the bodies that block
    /// prescribed motion.
    pub(super) fn step_error(
        self,
        step: u64,
        end: f64,
        failure: AnalysisFailure,
        pressed: Vec<Pressed>,
    ) -> RunError {
        match failure.into_interruption() {
            Ok((cause, failure)) => self.interruption_error(format!("step {step}"), cause, failure),
            Err(failure) => failure.at_step(step, end, pressed, self.dirichlet_tolerance),
        }
    }

    /// The error for the failure of settling.
    pub(super) fn settling_error(self, failure: SettleFailure) -> RunError {
        let step = match failure {
            SettleFailure::Step { step, .. } => format!("step {step} of settling"),
            _ => "settling".to_owned(),
        };
        match interruption_of_settling(failure) {
            Ok((cause, failure)) => self.interruption_error(step, cause, failure),
            Err(failure) => failure.into(),
        }
    }

    /// The error of a step with this name that was interrupted for this cause.
    fn interruption_error(self, step: String, cause: Cause, failure: StepFailure) -> RunError {
        let limit = match cause {
            Cause::Asked => return RunError::Interrupted { step },
            Cause::Time => {
                let seconds = self.seconds.unwrap_or_default();
                format!("solver.max_seconds_per_step allows {seconds} s")
            }
            Cause::Memory => {
                let memory = memory::format_bytes(self.memory.unwrap_or_default());
                format!("the program may use {memory}")
            }
        };
        RunError::Limit { step, failure: Box::new(failure), limit }
    }
}
