//! Progress of long computations, sampled periodically by a separate thread.

use crate::stream::show;
use indicatif::ProgressBar;
use resile_watch::{Activity, Ongoing};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(250);

/// A solve that lasts no longer than this is not shown: the next step is soon here.
const LONG: Duration = Duration::from_secs(1);

/// Shows in a bar what goes on, until it is dropped.
#[derive(Debug)]
pub(crate) struct Ticker {
    /// Dropped to end the thread.
    open: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Shows the work of `activity` that has lasted longest in `bar`.
    pub(crate) fn new(bar: ProgressBar, activity: Activity) -> Self {
        Self::looking(move || {
            let others = activity.len().saturating_sub(1);
            if let Some(ongoing) = activity.longest().filter(|ongoing| ongoing.lasts > LONG) {
                show(&bar, told(&ongoing, others));
            }
        })
    }

    /// Calls `look` four times a second.
    pub(crate) fn looking(mut look: impl FnMut() + Send + 'static) -> Self {
        let (open, closed) = channel::<()>();
        let looks = move || {
            while closed.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                look();
            }
        };
        // Without it less is shown.
        let thread = std::thread::Builder::new().name("ticker".into()).spawn(looks).ok();
        Self { open: Some(open), thread }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.open = None;
        if let Some(thread) = self.thread.take() {
            // It ends at once, and a bar that is not drawn any more is no failure.
            let _ = thread.join();
        }
    }
}

/// A solve in a few words.
fn told(Ongoing { name, lasts, reading }: &Ongoing, others: usize) -> String {
    let beside = if others > 0 { format!(" and {others} more") } else { String::new() };
    let (seconds, iteration, pairs) = (lasts.as_secs(), reading.iteration, reading.pairs);
    let moved = match reading.step > 0.0 {
        true => format!(", last Newton step {:.1e} m", reading.step),
        false => String::new(),
    };
    format!(
        "solving {name}{beside} for {seconds} s: Newton {iteration}, {pairs} active pairs{moved}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_watch::Reading;

    #[test]
    fn long_solve_is_described_with_bodies_iteration_pairs_and_step() {
        let reading = Reading { iteration: 12, pairs: 34_567, step: 1.5e-3 };
        let lasts = Duration::from_secs(75);
        let ongoing = Ongoing { name: "\"ball\", \"net\"".into(), lasts, reading };
        assert_eq!(
            told(&ongoing, 3),
            "solving \"ball\", \"net\" and 3 more for 75 s: Newton 12, 34567 active pairs, \
             last Newton step 1.5e-3 m"
        );
        let begun = Ongoing { reading: Reading::default(), ..ongoing };
        assert_eq!(told(&begun, 0), "solving \"ball\", \"net\" for 75 s: Newton 0, 0 active pairs");
    }

    #[test]
    fn ticker_thread_ends_when_dropped() {
        drop(Ticker::new(ProgressBar::hidden(), Activity::new()));
    }
}
