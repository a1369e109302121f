//! Progress of a sweep.

use crate::progress::{LINE_INTERVAL, Style};
use crate::stream::{note, show};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use resile_sweep::{RunsLeft, remaining_seconds};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Parts of a run in the bar.
const BAR_LENGTH: f64 = 1000.0;

/// A run in progress.
#[derive(Debug)]
struct Running {
    started: Instant,
    /// Completed parts at its start and now.
    parts: Option<[f64; 2]>,
}

/// One bar for all runs.
#[derive(Debug)]
pub(super) struct SweepDisplay {
    style: Style,
    bar: Option<ProgressBar>,
    workers: usize,
    runs: usize,
    done: usize,
    failed: usize,
    running: BTreeMap<usize, Running>,
    /// Lengths of finished runs (s).
    lengths: Vec<f64>,
    last_line: Instant,
}

impl SweepDisplay {
    pub(super) fn new(style: Style, workers: usize) -> Self {
        let bar = (style == Style::Bar).then(|| {
            let bar = ProgressBar::new(1);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self {
            style,
            bar,
            workers,
            runs: 0,
            done: 0,
            failed: 0,
            running: BTreeMap::new(),
            lengths: Vec::new(),
            last_line: Instant::now(),
        }
    }

    /// Begins `runs`, of which `done` are finished.
    pub(super) fn begin(&mut self, runs: usize, done: usize) {
        (self.runs, self.done) = (runs, done);
        if let Some(bar) = &self.bar {
            bar.set_length((runs as f64 * BAR_LENGTH) as u64);
        }
    }

    pub(super) fn started(&mut self, run: usize) {
        self.running.insert(run, Running { started: Instant::now(), parts: None });
    }

    pub(super) fn steps(&mut self, run: usize, [done, total]: [u64; 2]) {
        let part = done as f64 / total.max(1) as f64;
        if let Some(running) = self.running.get_mut(&run) {
            let first = running.parts.map_or(part, |[first, _]| first);
            running.parts = Some([first, part]);
        }
    }

    /// Records the end of a run and, if it succeeded, its extrapolated total duration.
    pub(super) fn ended(&mut self, run: usize, failed: bool) {
        if let Some(running) = self.running.remove(&run) {
            let before = running.parts.map_or(0.0, |[first, _]| first);
            if !failed && before < 1.0 {
                self.lengths.push(running.started.elapsed().as_secs_f64() / (1.0 - before));
            }
        }
        self.done += 1;
        self.failed += usize::from(failed);
    }

    pub(super) fn stopped(&mut self, run: usize) {
        self.running.remove(&run);
    }

    /// Updates the bar; `waiting` runs have not started.
    pub(super) fn show(&mut self, waiting: usize) {
        let parts = self.running.values().filter_map(|running| running.parts);
        let done = self.done as f64 + parts.map(|[_, part]| part).sum::<f64>();
        if let Some(bar) = &self.bar {
            bar.set_position((done * BAR_LENGTH) as u64);
            show(bar, self.progress_text(waiting));
        } else if self.style == Style::Plain && self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            note(self.progress_text(waiting));
        }
    }

    pub(super) fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }

    fn progress_text(&self, waiting: usize) -> String {
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let running = self.running.values().map(|running| {
            let [first, now] = running.parts.unwrap_or_default();
            [running.started.elapsed().as_secs_f64(), now - first]
        });
        let left = RunsLeft { running: running.collect(), waiting, workers: self.workers };
        let left = remaining_seconds(&self.lengths, &left).map_or_else(String::new, remaining_text);
        format!("{}/{} runs{failed}{left}", self.done, self.runs)
    }
}

/// The interval of the remaining time, such as `, 12 to 15 minutes left`.
fn remaining_text(seconds: [f64; 2]) -> String {
    let [low, high] = seconds.map(|seconds| {
        let duration = Duration::from_secs(seconds.clamp(0.0, 1e12).round() as u64);
        HumanDuration(duration).to_string()
    });
    match (low.split_once(' '), high.split_once(' ')) {
        _ if low == high => format!(", {high} left"),
        (Some((number, unit)), Some((_, same)))
            if unit.trim_end_matches('s') == same.trim_end_matches('s') =>
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
