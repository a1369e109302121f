//! Progress of work with a known number of pieces.

use crate::{Cause, Interrupt};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Progress of one part of some work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Name of the part.
    pub part: &'static str,
    /// Number of finished pieces; at most `all`.
    pub done: u64,
    /// Number of pieces; zero if unknown.
    pub all: u64,
}

/// A progress counter for work in parts; clones share the counter.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// `None` where the count is not observed.
    shared: Option<Arc<TallyState>>,
}

#[derive(Debug, Default)]
struct TallyState {
    /// Name of the current part and its number of pieces.
    part: Mutex<Option<(&'static str, u64)>>,
    done: AtomicU64,
}

impl Tally {
    /// A counter for work that has not begun.
    pub fn new() -> Self {
        Self { shared: Some(Arc::default()) }
    }

    /// Begins a part of `all` pieces (zero if unknown) and ends the part before.
    pub fn begin(&self, part: &'static str, all: usize) {
        let Some(shared) = &self.shared else { return };
        let mut open = shared.part.lock().unwrap_or_else(PoisonError::into_inner);
        shared.done.store(0, Ordering::Relaxed);
        *open = Some((part, all as u64));
    }

    /// Adds finished pieces.
    pub fn add(&self, pieces: usize) {
        if let Some(shared) = &self.shared {
            shared.done.fetch_add(pieces as u64, Ordering::Relaxed);
        }
    }

    /// Progress of the current part; `None` before the first and where the count is not observed.
    pub fn count(&self) -> Option<Count> {
        let shared = self.shared.as_ref()?;
        let open = shared.part.lock().unwrap_or_else(PoisonError::into_inner);
        let (part, all) = (*open)?;
        Some(Count { part, done: shared.done.load(Ordering::Relaxed).min(all), all })
    }
}

/// Arguments of a long computation: a cancellation flag and a counter of its progress.
#[derive(Debug, Clone, Default)]
pub struct TaskContext {
    /// Requests the work to stop.
    pub interrupt: Interrupt,
    /// Receives the progress.
    pub tally: Tally,
}

impl TaskContext {
    /// Unwatched: work that cannot be stopped and reports no progress.
    pub fn unobserved() -> Self {
        Self::default()
    }

    /// Returns an error if the interrupt is raised.
    ///
    /// # Errors
    /// The cause of the interrupt.
    pub fn go_on(&self) -> Result<(), Cause> {
        self.interrupt.cause().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tally_counts_the_current_part_up_to_its_total() {
        let tally = Tally::new();
        let held = tally.clone();
        assert_eq!(tally.count(), None);
        held.begin("first", 3);
        held.add(2);
        assert_eq!(tally.count(), Some(Count { part: "first", done: 2, all: 3 }));
        held.add(2);
        assert_eq!(tally.count(), Some(Count { part: "first", done: 3, all: 3 }));
        held.begin("second", 5);
        assert_eq!(tally.count(), Some(Count { part: "second", done: 0, all: 5 }));
        let watched = TaskContext::unobserved();
        watched.tally.begin("first", 3);
        assert_eq!((watched.tally.count(), watched.go_on()), (None, Ok(())));
        watched.interrupt.raise(Cause::Asked);
        assert_eq!(watched.go_on(), Err(Cause::Asked));
    }
}
