//! How a run shows how far it is.

use crate::arguments::RunArguments;
use indicatif::{ProgressBar, ProgressStyle};
use resile_scene::run::{Progress, Run};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// In which form progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// A bar that moves.
    Bar,
    /// A line now and then.
    Plain,
    /// Not at all.
    Quiet,
}

impl Style {
    /// A bar where a terminal can show one.
    pub(crate) fn choose(arguments: &RunArguments) -> Self {
        match (arguments.quiet, arguments.plain || !std::io::stderr().is_terminal()) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Plain,
            (false, false) => Self::Bar,
        }
    }
}

/// What is on the screen.
#[derive(Debug)]
pub(crate) struct Display {
    style: Style,
    bar: Option<ProgressBar>,
    started: Instant,
    last_line: Instant,
    first_step: Option<u64>,
}

/// Time between two plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

impl Display {
    pub(crate) fn new(style: Style, run: &Run) -> Self {
        let bar = (style == Style::Bar).then(|| {
            let bar = ProgressBar::new(run.steps_asked());
            let template = "{bar:30} {pos}/{len} steps, {msg}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        let now = Instant::now();
        Self { style, bar, started: now, last_line: now, first_step: None }
    }

    /// Shows a step just taken.
    pub(crate) fn show(&mut self, progress: &Progress) {
        let first = *self.first_step.get_or_insert(progress.steps);
        if let Some(bar) = &self.bar {
            bar.set_position(progress.steps);
            bar.set_message(numbers(progress));
        }
        if self.style == Style::Plain
            && (self.last_line.elapsed() >= LINE_INTERVAL
                || progress.steps == first
                || progress.steps == progress.steps_asked)
        {
            self.last_line = Instant::now();
            let done = (progress.steps - first + 1) as f64;
            let left = (progress.steps_asked - progress.steps) as f64;
            let seconds = self.started.elapsed().as_secs_f64() / done * left;
            eprintln!(
                "step {}/{}, {}, {seconds:.0} s left",
                progress.steps,
                progress.steps_asked,
                numbers(progress)
            );
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }
}

fn numbers(progress: &Progress) -> String {
    format!(
        "t = {:.3} s, {} Newton, energy {:.4e} of {:.4e} J",
        progress.time, progress.newton, progress.energy, progress.expected_energy
    )
}
