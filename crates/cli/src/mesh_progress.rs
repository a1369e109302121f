//! Progress of `sim mesh` and `sim check`.

use crate::progress::{LINE_INTERVAL, Style, styled_bar};
use crate::stream::{note, set_message};
use crate::ticker::Ticker;
use indicatif::ProgressBar;
use resile_watch::{Count, Tally};
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
        if let Some(count) = tally.count() {
            bar.set_length(count.all);
            bar.set_position(count.done);
            set_message(&bar, describe_count(&count));
        }
    })
}

/// Prints the current part of the work as a plain line every [`LINE_INTERVAL`].
fn line_ticker(tally: Tally) -> Ticker {
    let mut last_line = Instant::now();
    Ticker::polling(move || {
        if let Some(count) = tally.count().filter(|_| last_line.elapsed() >= LINE_INTERVAL) {
            last_line = Instant::now();
            note(describe_count(&count));
        }
    })
}

/// The part of the work with the number of its finished items; only its name if their total is unknown.
fn describe_count(&Count { part, done, all }: &Count) -> String {
    match all {
        0 => part.to_owned(),
        all => format!("{part}: {done} of {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_line_names_the_part_and_its_fraction() {
        let count = Count { part: "lattice points", done: 12, all: 340 };
        assert_eq!(describe_count(&count), "lattice points: 12 of 340");
        assert_eq!(
            describe_count(&Count { all: 0, ..count }),
            "lattice points",
            "their number is unknown"
        );
    }
}
