//! Limits of time and memory, looked at from another thread.

use crate::{Cause, Interrupt};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the watchdog looks. A program can take 100 MB of new memory in this time.
const LOOK: Duration = Duration::from_millis(50);

/// What a piece of work may take.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Time from its beginning.
    pub time: Option<Duration>,
    /// Memory of the whole process (bytes).
    pub memory: Option<u64>,
}

/// Raises an [`Interrupt`] when a piece of work takes longer than it may, or the process more
/// memory. Between two pieces of work it raises nothing.
#[derive(Debug)]
pub struct Watchdog {
    shared: Arc<WatchdogState>,
    /// None if there is nothing to look at.
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
    /// When the piece of work began that goes on.
    began: Option<Instant>,
    closed: bool,
}

impl Watchdog {
    /// Looks at `limits` of each piece of work and raises `interrupt` beyond them; `used` says
    /// how much memory (bytes) the process uses, if that is known. Without limits, or if the
    /// system has no thread to give, nothing is looked at.
    pub fn new(interrupt: Interrupt, limits: Limits, used: fn() -> Option<u64>) -> Self {
        let shared =
            WatchdogState { state: Mutex::default(), changed: Condvar::new(), interrupt, limits };
        let shared = Arc::new(shared);
        let looked_at = shared.clone();
        let thread = (limits != Limits::default()).then(|| {
            let thread = std::thread::Builder::new().name("watchdog".into());
            thread.spawn(move || looked_at.look(used)).ok()
        });
        Self { shared, thread: thread.flatten() }
    }

    /// One that looks at nothing.
    pub fn unlimited() -> Self {
        Self::new(Interrupt::new(), Limits::default(), || None)
    }

    /// A piece of work begins.
    pub fn begin(&self) {
        self.shared.locked().began = Some(Instant::now());
    }

    /// It has ended: what was raised because of it is taken back.
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

    fn look(&self, used: fn() -> Option<u64>) {
        let mut state = self.locked();
        while !state.closed {
            if let Some(began) = state.began {
                if self.limits.time.is_some_and(|most| began.elapsed() > most) {
                    self.interrupt.raise(Cause::Time);
                }
                if let (Some(most), Some(used)) = (self.limits.memory, used())
                    && used > most
                {
                    self.interrupt.raise(Cause::Memory);
                }
            }
            let waited = self.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.locked().closed = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It ends at once, and it has nothing to say.
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
    fn work_that_takes_more_than_it_may_is_interrupted_until_it_ends() {
        let no_time = Limits { time: Some(Duration::ZERO), memory: None };
        assert_eq!(raised(no_time, || None), Some(Cause::Time));
        let no_memory = Limits { time: None, memory: Some(10) };
        assert_eq!(raised(no_memory, || Some(11)), Some(Cause::Memory));
    }

    #[test]
    fn between_two_pieces_of_work_nothing_is_raised() {
        let interrupt = Interrupt::new();
        let limits = Limits { time: Some(Duration::ZERO), memory: Some(0) };
        let watchdog = Watchdog::new(interrupt.clone(), limits, || Some(1));
        watchdog.begin();
        watchdog.end();
        drop(watchdog);
        assert!(!interrupt.is_raised());
    }
}
