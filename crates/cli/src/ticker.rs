//! Progress of long computations, sampled periodically by a separate thread.

use crate::stream::set_message;
use indicatif::ProgressBar;
use resile_scene::description::Units;
use resile_watch::{Activity, RunningJob};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Polling interval.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Solves shorter than this are not shown.
const MIN_SHOWN_DURATION: Duration = Duration::from_secs(1);

/// Shows the current activity in a progress bar until it is dropped.
#[derive(Debug)]
pub(crate) struct Ticker {
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Shows in `bar` the solve of `activity` that has lasted longest, if it has lasted [`MIN_SHOWN_DURATION`].
    pub(crate) fn new(bar: ProgressBar, activity: Activity, units: Units) -> Self {
        Self::polling(move || {
            let others = activity.len().saturating_sub(1);
            if let Some(ongoing) =
                activity.longest().filter(|ongoing| ongoing.elapsed > MIN_SHOWN_DURATION)
            {
                set_message(&bar, describe_solve(&ongoing, others, units));
            }
        })
    }

    /// Calls `poll` four times a second.
    pub(crate) fn polling(mut poll: impl FnMut() + Send + 'static) -> Self {
        let (stop, stopped) = channel::<()>();
        let poll_until_stopped = move || {
            while stopped.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                poll();
            }
        };
        // If the thread cannot be started, progress is shown only after each step.
        let thread =
            std::thread::Builder::new().name("ticker".into()).spawn(poll_until_stopped).ok();
        Self { stop: Some(stop), thread }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // The thread ends at once; a panic in it only means that the bar is not redrawn.
            let _ = thread.join();
        }
    }
}

/// One line about a solve in progress and the number of other solves.
fn describe_solve(
    RunningJob { name, elapsed, progress }: &RunningJob,
    others: usize,
    units: Units,
) -> String {
    let others_text = if others > 0 { format!(" and {others} more") } else { String::new() };
    let (seconds, iteration, pairs) = (elapsed.as_secs(), progress.iteration, progress.pairs);
    let last_step_text = match progress.step > 0.0 {
        true => format!(", last Newton step {:.1e}", units.show(progress.step, "m")),
        false => String::new(),
    };
    format!(
        "solving {name}{others_text} for {seconds} s: Newton {iteration}, {pairs} active pairs{last_step_text}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_watch::SolveProgress;

    #[test]
    fn long_solve_is_described_with_bodies_iteration_pairs_and_step() {
        let progress = SolveProgress { iteration: 12, pairs: 34_567, step: 1.5e-3 };
        let elapsed = Duration::from_secs(75);
        let ongoing = RunningJob { name: "\"ball\", \"net\"".into(), elapsed, progress };
        assert_eq!(
            describe_solve(&ongoing, 3, Units::Metres),
            "solving \"ball\", \"net\" and 3 more for 75 s: Newton 12, 34567 active pairs, \
             last Newton step 1.5e-3 m"
        );
        let begun = RunningJob { progress: SolveProgress::default(), ..ongoing };
        assert_eq!(
            describe_solve(&begun, 0, Units::Metres),
            "solving \"ball\", \"net\" for 75 s: Newton 0, 0 active pairs"
        );
    }

    #[test]
    fn ticker_thread_ends_when_dropped() {
        drop(Ticker::new(ProgressBar::hidden(), Activity::new(), Units::Metres));
    }
}
