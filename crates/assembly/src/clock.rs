//! The times of the steps of a run.

use resile_scene::description::{StepSize, Time};

/// The end times of steps of a run that begins at zero or at the end of another run.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    step: StepSize,
    /// Start of the run (s).
    start: f64,
    /// Number of steps from time zero to the start, if it is an integer.
    steps_before: Option<u64>,
}

impl Clock {
    /// The clock of a run that begins at `start` (s).
    pub fn new(time: &Time, start: f64) -> Self {
        let steps_before = (start / time.step.seconds()).round() as u64;
        let is_exact = time.step.time_after(steps_before) == start;
        Self { step: time.step, start, steps_before: is_exact.then_some(steps_before) }
    }

    /// The time (s) after `steps` steps. If the start is an integer number of steps, it is bitwise equal to the time in
    /// a run that begins at zero.
    pub fn after(&self, steps: u64) -> f64 {
        match self.steps_before {
            Some(steps_before) => self.step.time_after(steps_before + steps),
            None => self.start + self.step.time_after(steps),
        }
    }

    /// Number of steps from the start of the run to the end of the duration.
    pub fn steps(&self, time: &Time) -> u64 {
        match self.steps_before {
            Some(steps_before) => time.steps().saturating_sub(steps_before),
            None => Time { duration: time.duration - self.start, ..*time }.steps(),
        }
    }
}
