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
    /// The thread that enforces the limits; `None` without limits.
    patrol: Option<Arc<Patrol>>,
}

/// Data that the watchdog shares with its thread.
#[derive(Debug)]
struct Shared {
    /// Time since the beginning of the current piece of work; `None` between two pieces.
    work_time: Mutex<Option<Stopwatch>>,
    interrupt: Interrupt,
    limits: Limits,
}

/// A thread that enforces the limits of any number of watchdogs. Starting a thread takes as long as a step of a few
/// nodes, so many short works share one. The thread ends when the patrol is dropped.
#[derive(Debug)]
pub struct Patrol {
    rounds: Arc<Rounds>,
    /// `None` if the system refuses a thread; then no limit is enforced.
    thread: Option<JoinHandle<()>>,
}

/// Data that the patrol shares with its thread.
#[derive(Debug)]
struct Rounds {
    list: Mutex<List>,
    /// Notified when the patrol is closed.
    closing: Condvar,
    /// Returns the memory of the process (bytes), if known.
    used_memory: fn() -> Option<u64>,
}

/// The watchdogs of a patrol.
#[derive(Debug, Default)]
struct List {
    watchdogs: Vec<Arc<Shared>>,
    /// Whether the patrol was dropped, so that its thread must end.
    is_closed: bool,
}

impl Watchdog {
    /// A watchdog that raises `interrupt` when a piece of work exceeds `limits`. `used_memory` returns the memory of
    /// the process (bytes), if known. Without limits, or if the system refuses a thread, the watchdog raises nothing.
    pub fn new(interrupt: Interrupt, limits: Limits, used_memory: fn() -> Option<u64>) -> Self {
        let patrol = (limits != Limits::default()).then(|| Patrol::new(used_memory));
        Self::with_patrol(patrol, interrupt, limits)
    }

    /// A watchdog like [`new`](Self::new) whose limits the thread of `patrol` enforces.
    pub fn on(patrol: &Arc<Patrol>, interrupt: Interrupt, limits: Limits) -> Self {
        let patrol = (limits != Limits::default()).then(|| Arc::clone(patrol));
        Self::with_patrol(patrol, interrupt, limits)
    }

    /// A watchdog on a patrol; `None` if it has no limits.
    fn with_patrol(patrol: Option<Arc<Patrol>>, interrupt: Interrupt, limits: Limits) -> Self {
        let shared = Arc::new(Shared { work_time: Mutex::default(), interrupt, limits });
        if let Some(patrol) = &patrol {
            patrol.rounds.lock().watchdogs.push(Arc::clone(&shared));
        }
        Self { shared, patrol }
    }

    /// A watchdog without limits.
    pub fn unlimited() -> Self {
        Self::new(Interrupt::new(), Limits::default(), || None)
    }

    /// Begins a piece of work.
    pub fn begin(&self) {
        *self.shared.lock() = Some(Stopwatch::start());
    }

    /// Ends the piece of work and clears the causes raised because of it.
    pub fn end(&self) {
        let mut work_time = self.shared.lock();
        *work_time = None;
        self.shared.interrupt.lower(Cause::Time);
        self.shared.interrupt.lower(Cause::Memory);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Some(patrol) = &self.patrol {
            let mut list = patrol.rounds.lock();
            list.watchdogs.retain(|watchdog| !Arc::ptr_eq(watchdog, &self.shared));
        }
    }
}

impl Shared {
    /// Locks the time and ignores poisoning: every write is a single assignment, so a panic leaves it valid.
    fn lock(&self) -> MutexGuard<'_, Option<Stopwatch>> {
        self.work_time.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares time and memory with the limits. `used_memory` returns the memory of the process (bytes), if known.
    fn check_limits(&self, used_memory: fn() -> Option<u64>) {
        // The lock is held, so that the work cannot end before its interrupt is raised.
        let work_time = self.lock();
        let Some(work_time) = &*work_time else { return };
        if self.limits.time.is_some_and(|limit| work_time.elapsed() > limit) {
            self.interrupt.raise(Cause::Time);
        }
        if let (Some(limit), Some(used)) = (self.limits.memory, used_memory())
            && used > limit
        {
            self.interrupt.raise(Cause::Memory);
        }
    }
}

impl Patrol {
    /// A patrol without watchdogs. `used_memory` returns the memory of the process (bytes), if known.
    #[must_use]
    pub fn new(used_memory: fn() -> Option<u64>) -> Arc<Self> {
        let (list, closing) = (Mutex::default(), Condvar::new());
        let rounds = Arc::new(Rounds { list, closing, used_memory });
        let rounds_of_thread = Arc::clone(&rounds);
        let thread = std::thread::Builder::new().name("watchdog".into());
        let thread = thread.spawn(move || rounds_of_thread.check_until_closed()).ok();
        Arc::new(Self { rounds, thread })
    }
}

impl Drop for Patrol {
    fn drop(&mut self) {
        self.rounds.lock().is_closed = true;
        self.rounds.closing.notify_all();
        if let Some(thread) = self.thread.take() {
            // The thread ends at once and returns nothing.
            let _ = thread.join();
        }
    }
}

impl Rounds {
    /// Locks the list and ignores poisoning: no write to it can panic halfway.
    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks all watchdogs at intervals, until the patrol is closed.
    fn check_until_closed(&self) {
        let mut list = self.lock();
        while !list.is_closed {
            list.watchdogs.iter().for_each(|watchdog| watchdog.check_limits(self.used_memory));
            let waited = self.closing.wait_timeout(list, POLL_INTERVAL);
            (list, _) = waited.unwrap_or_else(PoisonError::into_inner);
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
    fn watchdogs_on_one_patrol_have_their_own_limits_until_they_are_dropped() {
        let patrol = Patrol::new(|| Some(11));
        let works = [(None, 10), (None, 12), (Some(Duration::ZERO), 12)].map(|(time, memory)| {
            let interrupt = Interrupt::new();
            let limits = Limits { time, memory: Some(memory) };
            let watchdog = Watchdog::on(&patrol, interrupt.clone(), limits);
            watchdog.begin();
            (interrupt, watchdog)
        });
        // They are checked in this order.
        while works[2].0.cause().is_none() {
            std::thread::yield_now();
        }
        let causes = works.each_ref().map(|(interrupt, _)| interrupt.cause());
        assert_eq!(causes, [Some(Cause::Memory), None, Some(Cause::Time)]);
        drop(works);
        assert!(patrol.rounds.lock().watchdogs.is_empty());
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
