//! Limits of time and memory, which a thread enforces.

use crate::{Cause, Interrupt, Stopwatch};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Polling interval. A program can allocate 100 MB in this time.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Limits of a piece of work.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Wall-clock time from the beginning of the work.
    pub time: Option<Duration>,
    /// Memory of the whole process (bytes).
    pub memory: Option<u64>,
}

/// Raises an [`Interrupt`] while a piece of work exceeds its time limit or the process its memory
/// limit. It raises nothing between two pieces of work.
#[derive(Debug)]
pub struct Watchdog {
    shared: Arc<Shared>,
    /// `None` without limits.
    thread: Option<JoinHandle<()>>,
}

/// Data that the watchdog shares with its thread.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Notified when the watchdog is closed.
    closing: Condvar,
    interrupt: Interrupt,
    limits: Limits,
}

#[derive(Debug, Default)]
struct State {
    /// Time since the beginning of the current piece of work; `None` between two pieces.
    work_time: Option<Stopwatch>,
    /// Whether the watchdog was dropped, so that its thread must end.
    closed: bool,
}

impl Watchdog {
    /// A watchdog that raises `interrupt` when a piece of work exceeds `limits`. `used_memory` returns the memory of the
    /// process (bytes), if known. Without limits, or if the system refuses a thread, the watchdog raises nothing.
    pub fn new(interrupt: Interrupt, limits: Limits, used_memory: fn() -> Option<u64>) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            closing: Condvar::new(),
            interrupt,
            limits,
        });
        let shared_with_thread = shared.clone();
        let thread = (limits != Limits::default()).then(|| {
            let thread = std::thread::Builder::new().name("watchdog".into());
            thread.spawn(move || shared_with_thread.poll_limits(used_memory)).ok()
        });
        Self { shared, thread: thread.flatten() }
    }

    /// A watchdog without limits.
    pub fn unlimited() -> Self {
        Self::new(Interrupt::new(), Limits::default(), || None)
    }

    /// Begins a piece of work.
    pub fn begin(&self) {
        self.shared.lock().work_time = Some(Stopwatch::start());
    }

    /// Ends the piece of work and clears the causes raised because of it.
    pub fn end(&self) {
        let mut state = self.shared.lock();
        state.work_time = None;
        self.shared.interrupt.lower(Cause::Time);
        self.shared.interrupt.lower(Cause::Memory);
    }
}

impl Shared {
    /// Locks the state and ignores poisoning: every write is a single assignment, so a panic leaves the state valid.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares time and memory with the limits at intervals, until the watchdog is closed.
    fn poll_limits(&self, used_memory: fn() -> Option<u64>) {
        let mut state = self.lock();
        while !state.closed {
            if let Some(work_time) = state.work_time {
                if self.limits.time.is_some_and(|limit| work_time.elapsed() > limit) {
                    self.interrupt.raise(Cause::Time);
                }
                if let (Some(limit), Some(used)) = (self.limits.memory, used_memory())
                    && used > limit
                {
                    self.interrupt.raise(Cause::Memory);
                }
            }
            let waited = self.closing.wait_timeout(state, POLL_INTERVAL);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.closing.notify_all();
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
