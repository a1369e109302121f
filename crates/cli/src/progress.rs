//! Progress of runs.

use crate::options::WorkArguments;
use crate::report::short_time;
use crate::stream::{has_terminal, note, set_message};
use crate::ticker::Ticker;
use indicatif::{ProgressBar, ProgressStyle};
use resile_runner::Progress;
use resile_scene::description::Units;
use resile_watch::Activity;
use resile_world::SettlingStep;
use std::time::{Duration, Instant};

/// How progress is displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// A progress bar.
    Bar,
    /// Plain lines at intervals.
    Plain,
    /// No progress.
    Quiet,
}

impl Style {
    /// The style for the arguments of a command.
    pub(crate) fn choose(arguments: &WorkArguments) -> Self {
        Self::of_options(arguments.quiet, arguments.plain)
    }

    /// The style for `--quiet` and `--plain`.
    pub(crate) fn of_options(quiet: bool, plain: bool) -> Self {
        match Self::of_terminal(quiet) {
            Self::Bar if plain => Self::Plain,
            style => style,
        }
    }

    /// The style for `--quiet` alone: a bar on a terminal, and otherwise plain lines.
    pub(crate) fn of_terminal(quiet: bool) -> Self {
        match (quiet, has_terminal()) {
            (true, _) => Self::Quiet,
            (false, false) => Self::Plain,
            (false, true) => Self::Bar,
        }
    }
}

/// A progress bar in the style of a template of `indicatif`; without `length` it has no length yet.
pub(crate) fn styled_bar(length: Option<u64>, template: &str) -> ProgressBar {
    let bar = length.map_or_else(ProgressBar::no_length, ProgressBar::new);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A [`styled_bar`] if `is_shown`, and otherwise a bar that draws nothing.
pub(crate) fn bar_or_hidden(is_shown: bool, length: u64, template: &str) -> ProgressBar {
    if is_shown { styled_bar(Some(length), template) } else { ProgressBar::hidden() }
}

/// One bar for all steps of one or several runs.
#[derive(Debug)]
pub(crate) struct Display {
    style: Style,
    bar: Option<ProgressBar>,
    started: Instant,
    last_line: Instant,
    /// Requested steps of all runs together.
    requested_steps: u64,
    /// Steps of finished runs.
    finished_steps: u64,
    /// Number of the first step that was shown; above one in a resumed run.
    first_step: Option<u64>,
    /// The name of the current run, if there are several.
    prefix: String,
    activity: Activity,
    units: Units,
    /// Shows long solves in the bar.
    ticker: Option<Ticker>,
}

/// Time between two plain lines.
pub(crate) const LINE_INTERVAL: Duration = Duration::from_secs(5);

impl Display {
    /// Starts the display of `requested_steps` steps.
    pub(crate) fn new(style: Style, requested_steps: u64, units: Units) -> Self {
        let bar = (style == Style::Bar).then(|| {
            styled_bar(Some(requested_steps), "{bar:30} {pos}/{len} steps, {msg}, {eta} left")
        });
        let activity = if bar.is_some() { Activity::new() } else { Activity::unobserved() };
        let ticker = bar.as_ref().map(|bar| Ticker::new(bar.clone(), activity.clone(), units));
        let now = Instant::now();
        Self {
            style,
            bar,
            started: now,
            last_line: now,
            requested_steps,
            finished_steps: 0,
            first_step: None,
            prefix: String::new(),
            activity,
            units,
            ticker,
        }
    }

    /// The list of solves in progress, to which the run must report for the ticker to show them.
    pub(crate) fn activity(&self) -> Activity {
        self.activity.clone()
    }

    /// Begins the next of several runs.
    pub(crate) fn begin(&mut self, name: &str) {
        self.prefix = format!("{name}: ");
        if let Some(bar) = &self.bar {
            set_message(bar, format_args!("{}begins", self.prefix));
        }
    }

    /// Ends one of several runs after `done` of `total` requested steps.
    pub(crate) fn end(&mut self, done: u64, total: u64) {
        self.finished_steps += done;
        self.requested_steps -= total.saturating_sub(done);
        if let Some(bar) = &self.bar {
            bar.set_length(self.requested_steps);
        }
    }

    /// Shows a step of settling just taken.
    pub(crate) fn settling(&mut self, step: &SettlingStep) {
        let speed = self.units.show(step.speed, "m/s");
        let text = format!("{}settling, step {}, {speed:.1e}", self.prefix, step.steps);
        if let Some(bar) = &self.bar {
            set_message(bar, text);
        } else if self.style == Style::Plain
            && (self.last_line.elapsed() >= LINE_INTERVAL
                || step.steps == 1
                || step.settled.is_some())
        {
            self.last_line = Instant::now();
            note(format_args!("{text}{}", if step.settled.is_some() { ", settled" } else { "" }));
        }
    }

    /// Shows a step just taken.
    pub(crate) fn show(&mut self, progress: &Progress) {
        let steps = self.finished_steps + progress.steps;
        let first = *self.first_step.get_or_insert(steps);
        if let Some(bar) = &self.bar {
            bar.set_position(steps);
            set_message(bar, format_args!("{}{}", self.prefix, step_text(progress, self.units)));
        }
        if self.style == Style::Plain
            && (self.last_line.elapsed() >= LINE_INTERVAL
                || steps == first
                || progress.steps == progress.steps_asked)
        {
            self.last_line = Instant::now();
            let done = (steps - first + 1) as f64;
            let remaining = (self.requested_steps - steps) as f64;
            let seconds = self.started.elapsed().as_secs_f64() / done * remaining;
            note(format_args!(
                "step {steps}/{}, {}{}, {seconds:.0} s left",
                self.requested_steps,
                self.prefix,
                step_text(progress, self.units)
            ));
        }
    }

    /// Stops the display; the bar stays on the terminal.
    pub(crate) fn finish(&mut self) {
        self.ticker = None;
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }
}

/// Time, Newton iterations and energy after a step.
fn step_text(progress: &Progress, units: Units) -> String {
    let energy = match progress.expected_energy {
        Some(expected) => format!(
            "{:.4e} of {:.4e}",
            units.number(progress.energy, "J"),
            units.show(expected, "J")
        ),
        None => format!("{:.4e}", units.show(progress.energy, "J")),
    };
    let time = short_time(progress.time, 3);
    format!("t = {time} s, {} Newton, energy {energy}", progress.newton)
}
