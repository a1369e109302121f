//! Progress of `sim mesh` and `sim check`.

use crate::progress::{LINE_INTERVAL, Style, styled_bar};
use crate::stream::{note, set_message};
use crate::ticker::Ticker;
use indicatif::ProgressBar;
use resile_watch::{PartProgress, Tally};
use std::time::Instant;

/// Displays the counts of `tally` until it is dropped.
#[derive(Debug)]
pub(crate) struct MeshProgress {
    bar: Option<ProgressBar>,
    /// Stopped before the bar is cleared.
    ticker: Option<Ticker>,
}

impl MeshProgress {
    /// Starts the display in a style.
    pub(crate) fn show(style: Style, tally: Tally) -> Self {
        match style {
            Style::Quiet => Self { bar: None, ticker: None },
            Style::Plain => Self { bar: None, ticker: Some(line_ticker(tally)) },
            Style::Bar => {
                let bar = styled_bar(None, "{bar:30} {msg}, {elapsed}");
                Self { ticker: Some(bar_ticker(bar.clone(), tally)), bar: Some(bar) }
            }
        }
    }
}

impl Drop for MeshProgress {
    fn drop(&mut self) {
        self.ticker = None;
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Shows the current part of the work in a bar, whose length is the number of items of that part.
fn bar_ticker(bar: ProgressBar, tally: Tally) -> Ticker {
    Ticker::polling(move || {
        if let Some(progress) = tally.progress() {
            bar.set_length(progress.total);
            bar.set_position(progress.done);
            set_message(&bar, describe_progress(&progress));
        }
    })
}

/// Prints the current part of the work as a plain line every [`LINE_INTERVAL`].
fn line_ticker(tally: Tally) -> Ticker {
    let mut last_line = Instant::now();
    Ticker::polling(move || {
        if let Some(progress) = tally.progress().filter(|_| last_line.elapsed() >= LINE_INTERVAL) {
            last_line = Instant::now();
            note(describe_progress(&progress));
        }
    })
}

/// The part of the work with the number of its finished items; only its name if their total is unknown.
fn describe_progress(&PartProgress { part, done, total }: &PartProgress) -> String {
    match total {
        0 => part.to_owned(),
        total => format!("{part}: {done} of {total}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_line_names_the_part_and_its_fraction() {
        let progress = PartProgress { part: "lattice points", done: 12, total: 340 };
        assert_eq!(describe_progress(&progress), "lattice points: 12 of 340");
        assert_eq!(
            describe_progress(&PartProgress { total: 0, ..progress }),
            "lattice points",
            "their number is unknown"
        );
    }
}
