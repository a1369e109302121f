//! Progress of `sim mesh` and `sim check`.

use crate::progress::{LINE_INTERVAL, Style};
use crate::stream::{note, show};
use crate::ticker::Ticker;
use indicatif::{ProgressBar, ProgressStyle};
use resile_watch::{Count, Tally};
use std::time::Instant;

/// Displays the counts of `tally` until it is dropped.
#[derive(Debug)]
pub(crate) struct MeshProgress {
    bar: Option<ProgressBar>,
    /// Dropped before the bar.
    ticker: Option<Ticker>,
}

impl MeshProgress {
    pub(crate) fn show(style: Style, tally: Tally) -> Self {
        match style {
            Style::Quiet => Self { bar: None, ticker: None },
            Style::Plain => Self { bar: None, ticker: Some(lines(tally)) },
            Style::Bar => {
                let bar = ProgressBar::no_length();
                if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}, {elapsed}") {
                    bar.set_style(style);
                }
                Self { ticker: Some(moving(bar.clone(), tally)), bar: Some(bar) }
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

/// Moves a bar through the current part of the work; each part has its own length.
fn moving(bar: ProgressBar, tally: Tally) -> Ticker {
    Ticker::polling(move || {
        if let Some(count) = tally.count() {
            bar.set_length(count.all);
            bar.set_position(count.done);
            show(&bar, describe_count(&count));
        }
    })
}

/// Plain lines at intervals.
fn lines(tally: Tally) -> Ticker {
    let mut last = Instant::now();
    Ticker::polling(move || {
        if let Some(count) = tally.count().filter(|_| last.elapsed() >= LINE_INTERVAL) {
            last = Instant::now();
            note(describe_count(&count));
        }
    })
}

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
