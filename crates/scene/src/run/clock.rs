//! The times of a run's steps.

use crate::description::{StepSize, Time};

/// When the steps of a run end: it begins at zero, or where another run stopped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    step: StepSize,
    /// When the run begins (s).
    start: f64,
    /// How many steps of its length lead there from zero, if a whole number does.
    before: Option<u64>,
}

impl Clock {
    /// The clock of a run that begins at `start` (s).
    pub(super) fn new(time: &Time, start: f64) -> Self {
        let before = (start / time.step.seconds()).round() as u64;
        let exact = time.step.time_after(before) == start;
        Self { step: time.step, start, before: exact.then_some(before) }
    }

    /// The time (s) after so many steps: to the bit that of a run that began at zero, if it
    /// has come by here.
    pub(super) fn after(&self, steps: u64) -> f64 {
        match self.before {
            Some(before) => self.step.time_after(before + steps),
            None => self.start + self.step.time_after(steps),
        }
    }

    /// How many steps there are to the end of the duration.
    pub(super) fn steps(&self, time: &Time) -> u64 {
        match self.before {
            Some(before) => time.steps().saturating_sub(before),
            None => Time { duration: time.duration - self.start, ..*time }.steps(),
        }
    }
}
