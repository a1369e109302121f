//! The times of the steps of a run.

use resile_scene::description::{StepSize, Time};

/// The end times of steps of a run that begins at zero or at the end of another run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    step: StepSize,
    /// Start of the run (s).
    start: f64,
    /// The start as a number of steps from zero, if it is an integer.
    before: Option<u64>,
}

impl Clock {
    /// The clock of a run that begins at `start` (s).
    pub(super) fn new(time: &Time, start: f64) -> Self {
        let before = (start / time.step.seconds()).round() as u64;
        let exact = time.step.time_after(before) == start;
        Self { step: time.step, start, before: exact.then_some(before) }
    }

    /// The time (s) after `steps`, bitwise equal to that of a run from zero if `before` is known.
    pub(super) fn after(&self, steps: u64) -> f64 {
        match self.before {
            Some(before) => self.step.time_after(before + steps),
            None => self.start + self.step.time_after(steps),
        }
    }

    /// Number of steps to the end of the duration.
    pub(super) fn steps(&self, time: &Time) -> u64 {
        match self.before {
            Some(before) => time.steps().saturating_sub(before),
            None => Time { duration: time.duration - self.start, ..*time }.steps(),
        }
    }
}
