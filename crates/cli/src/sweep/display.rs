//! Progress of a sweep.

use crate::progress::{LINE_INTERVAL, Style, styled_bar};
use crate::stream::{note, set_message};
use indicatif::{HumanDuration, ProgressBar};
use resile_sweep::{RunsLeft, remaining_seconds};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Units of the bar for each run.
const UNITS_PER_RUN: f64 = 1000.0;

/// A run in progress.
#[derive(Debug)]
struct ActiveRun {
    start_time: Instant,
    /// Completed fraction of the run when its process started and now; `None` before the first report.
    fractions: Option<[f64; 2]>,
}

/// One bar for all runs.
#[derive(Debug)]
pub(super) struct SweepDisplay {
    style: Style,
    bar: Option<ProgressBar>,
    /// Number of concurrent processes.
    workers: usize,
    total_runs: usize,
    /// Finished runs.
    finished_runs: usize,
    failed_runs: usize,
    active_runs: BTreeMap<usize, ActiveRun>,
    /// Durations of successful runs (s).
    durations: Vec<f64>,
    last_line: Instant,
}

impl SweepDisplay {
    /// The display before the first run of a sweep that runs this number of workers at once.
    pub(super) fn new(style: Style, workers: usize) -> Self {
        let bar = (style == Style::Bar).then(|| styled_bar(Some(1), "{bar:30} {msg}"));
        Self {
            style,
            bar,
            workers,
            total_runs: 0,
            finished_runs: 0,
            failed_runs: 0,
            active_runs: BTreeMap::new(),
            durations: Vec::new(),
            last_line: Instant::now(),
        }
    }

    /// Begins a sweep of `runs` runs, of which `done` are finished.
    pub(super) fn begin(&mut self, runs: usize, done: usize) {
        (self.total_runs, self.finished_runs) = (runs, done);
        if let Some(bar) = &self.bar {
            bar.set_length((runs as f64 * UNITS_PER_RUN) as u64);
        }
    }

    /// Records that the process of a run has started.
    pub(super) fn started(&mut self, run: usize) {
        self.active_runs.insert(run, ActiveRun { start_time: Instant::now(), fractions: None });
    }

    /// Records the completed and the requested number of steps of a run.
    pub(super) fn record_steps(&mut self, run: usize, [done, total]: [u64; 2]) {
        let fraction = done as f64 / total.max(1) as f64;
        if let Some(active_run) = self.active_runs.get_mut(&run) {
            let first = active_run.fractions.map_or(fraction, |[first, _]| first);
            active_run.fractions = Some([first, fraction]);
        }
    }

    /// Records the end of a run. If it succeeded, its duration is extrapolated from the fraction that this process
    /// computed.
    pub(super) fn ended(&mut self, run: usize, failed: bool) {
        if let Some(active_run) = self.active_runs.remove(&run) {
            let first_fraction = active_run.fractions.map_or(0.0, |[first, _]| first);
            if !failed && first_fraction < 1.0 {
                self.durations
                    .push(active_run.start_time.elapsed().as_secs_f64() / (1.0 - first_fraction));
            }
        }
        self.finished_runs += 1;
        self.failed_runs += usize::from(failed);
    }

    /// Records that the process of a run ended before the run did.
    pub(super) fn stopped(&mut self, run: usize) {
        self.active_runs.remove(&run);
    }

    /// Updates the bar, or prints a line at intervals; `waiting` runs have not started.
    pub(super) fn show(&mut self, waiting: usize) {
        let fractions = self.active_runs.values().filter_map(|active_run| active_run.fractions);
        let completed =
            self.finished_runs as f64 + fractions.map(|[_, fraction]| fraction).sum::<f64>();
        if let Some(bar) = &self.bar {
            bar.set_position((completed * UNITS_PER_RUN) as u64);
            set_message(bar, self.progress_text(waiting));
        } else if self.style == Style::Plain && self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            note(self.progress_text(waiting));
        }
    }

    /// Ends the display; the bar stays on the terminal.
    pub(super) fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }

    /// Numbers of finished and failed runs, and the remaining time.
    fn progress_text(&self, waiting: usize) -> String {
        let failed = match self.failed_runs {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let progress_of_runs = self.active_runs.values().map(|active_run| {
            let [first, now] = active_run.fractions.unwrap_or_default();
            [active_run.start_time.elapsed().as_secs_f64(), now - first]
        });
        let runs_left =
            RunsLeft { running: progress_of_runs.collect(), waiting, workers: self.workers };
        let seconds = remaining_seconds(&self.durations, &runs_left);
        let remaining_time = seconds.map_or_else(String::new, remaining_text);
        format!("{}/{} runs{failed}{remaining_time}", self.finished_runs, self.total_runs)
    }
}

/// The bounds of the remaining time (s) as text, such as `, 12 to 15 minutes left`.
fn remaining_text(seconds: [f64; 2]) -> String {
    let [low, high] = seconds.map(|seconds| {
        let duration = Duration::from_secs(seconds.clamp(0.0, 1e12).round() as u64);
        HumanDuration(duration).to_string()
    });
    match (low.split_once(' '), high.split_once(' ')) {
        _ if low == high => format!(", {high} left"),
        (Some((number, unit)), Some((_, other_unit)))
            if unit.trim_end_matches('s') == other_unit.trim_end_matches('s') =>
        {
            format!(", {number} to {high} left")
        }
        _ => format!(", {low} to {high} left"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_has_its_unit_once() {
        assert_eq!(remaining_text([12.0, 29.6]), ", 12 to 30 seconds left");
        assert_eq!(remaining_text([40.0, 600.0]), ", 40 seconds to 10 minutes left");
        assert_eq!(remaining_text([-3.0, 0.2]), ", 0 seconds left");
    }
}
