//! Limits of time and memory, enforced by a thread.

use crate::{Cause, Interrupt, Stopwatch};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Polling interval. A program can allocate 100 MB in this time.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Limits of a piece of work.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Wall-clock time from its beginning.
    pub time: Option<Duration>,
    /// Memory of the whole process (bytes).
    pub memory: Option<u64>,
}

/// Raises an [`Interrupt`] while a piece of work exceeds its time limit or the process its memory
/// limit. It raises nothing between two pieces of work.
#[derive(Debug)]
pub struct Watchdog {
    shared: Arc<WatchdogState>,
    /// `None` without limits.
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct WatchdogState {
    state: Mutex<State>,
    changed: Condvar,
    interrupt: Interrupt,
    limits: Limits,
}

#[derive(Debug, Default)]
struct State {
    /// Start of the current piece of work.
    began: Option<Stopwatch>,
    closed: bool,
}

impl Watchdog {
    /// Raises `interrupt` when a piece of work exceeds `limits`; `used` returns the memory of the process
    /// (bytes), if known. Without limits, or if the system refuses a thread, it raises nothing.
    pub fn new(interrupt: Interrupt, limits: Limits, used: fn() -> Option<u64>) -> Self {
        let shared =
            WatchdogState { state: Mutex::default(), changed: Condvar::new(), interrupt, limits };
        let shared = Arc::new(shared);
        let looked_at = shared.clone();
        let thread = (limits != Limits::default()).then(|| {
            let thread = std::thread::Builder::new().name("watchdog".into());
            thread.spawn(move || looked_at.poll_limits(used)).ok()
        });
        Self { shared, thread: thread.flatten() }
    }

    /// A watchdog without limits.
    pub fn unlimited() -> Self {
        Self::new(Interrupt::new(), Limits::default(), || None)
    }

    /// Begins a piece of work.
    pub fn begin(&self) {
        self.shared.locked().began = Some(Stopwatch::start());
    }

    /// Ends the piece of work and clears the causes raised because of it.
    pub fn end(&self) {
        let mut state = self.shared.locked();
        state.began = None;
        self.shared.interrupt.lower(Cause::Time);
        self.shared.interrupt.lower(Cause::Memory);
    }
}

impl WatchdogState {
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll_limits(&self, used: fn() -> Option<u64>) {
        let mut state = self.locked();
        while !state.closed {
            if let Some(began) = state.began {
                if self.limits.time.is_some_and(|limit| began.elapsed() > limit) {
                    self.interrupt.raise(Cause::Time);
                }
                if let (Some(limit), Some(used)) = (self.limits.memory, used())
                    && used > limit
                {
                    self.interrupt.raise(Cause::Memory);
                }
            }
            let waited = self.changed.wait_timeout(state, POLL_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.locked().closed = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // The thread ends at once and returns nothing.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raised(limits: Limits, used: fn() -> Option<u64>) -> Option<Cause> {
        let interrupt = Interrupt::new();
        let watchdog = Watchdog::new(interrupt.clone(), limits, used);
        watchdog.begin();
        while interrupt.cause().is_none() {
            std::thread::yield_now();
        }
        let cause = interrupt.cause();
        watchdog.end();
        assert_eq!(interrupt.cause(), None, "it ends with the work");
        cause
    }

    #[test]
    fn work_above_its_limits_is_interrupted_until_it_ends() {
        let no_time = Limits { time: Some(Duration::ZERO), memory: None };
        assert_eq!(raised(no_time, || None), Some(Cause::Time));
        let no_memory = Limits { time: None, memory: Some(10) };
        assert_eq!(raised(no_memory, || Some(11)), Some(Cause::Memory));
    }

    #[test]
    fn watchdog_raises_nothing_between_two_pieces_of_work() {
        let interrupt = Interrupt::new();
        let limits = Limits { time: Some(Duration::ZERO), memory: Some(0) };
        let watchdog = Watchdog::new(interrupt.clone(), limits, || Some(1));
        watchdog.begin();
        watchdog.end();
        drop(watchdog);
        assert!(!interrupt.is_raised());
    }
}
