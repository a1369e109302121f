//! Progress of work that consists of parts with a known number of work items.

use crate::{Cause, Interrupt};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Progress of one part of some work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartProgress {
    /// Name of the part.
    pub part: &'static str,
    /// Number of finished work items; at most `total`.
    pub done: u64,
    /// Number of work items; zero if unknown.
    pub total: u64,
}

/// A progress counter for work in parts; clones share the counter.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// `None` if the counter has no reader.
    shared: Option<Arc<TallyState>>,
}

#[derive(Debug, Default)]
struct TallyState {
    /// Name of the current part and its number of work items; `None` before the first part.
    part: Mutex<Option<(&'static str, u64)>>,
    /// Number of finished work items of the current part.
    done: AtomicU64,
}

impl Tally {
    /// A counter for work that has not begun.
    pub fn new() -> Self {
        Self { shared: Some(Arc::default()) }
    }

    /// Ends the current part and begins one of `total` work items (zero if unknown).
    pub fn begin(&self, part: &'static str, total: usize) {
        let Some(shared) = &self.shared else { return };
        let mut current_part = shared.part.lock().unwrap_or_else(PoisonError::into_inner);
        shared.done.store(0, Ordering::Relaxed);
        *current_part = Some((part, total as u64));
    }

    /// Adds a number of finished work items to the current part.
    pub fn add(&self, items: usize) {
        if let Some(shared) = &self.shared {
            shared.done.fetch_add(items as u64, Ordering::Relaxed);
        }
    }

    /// Progress of the current part; `None` before the first part, and if the counter has no reader.
    pub fn progress(&self) -> Option<PartProgress> {
        let shared = self.shared.as_ref()?;
        let current_part = shared.part.lock().unwrap_or_else(PoisonError::into_inner);
        let (part, total) = (*current_part)?;
        Some(PartProgress { part, done: shared.done.load(Ordering::Relaxed).min(total), total })
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
    /// A context without an observer: the work cannot be stopped and reports no progress.
    pub fn unobserved() -> Self {
        Self::default()
    }

    /// Returns an error if the interrupt is raised.
    ///
    /// # Errors
    /// The cause of the interrupt.
    pub fn check_interrupt(&self) -> Result<(), Cause> {
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
        assert_eq!(tally.progress(), None);
        held.begin("first", 3);
        held.add(2);
        assert_eq!(tally.progress(), Some(PartProgress { part: "first", done: 2, total: 3 }));
        held.add(2);
        assert_eq!(tally.progress(), Some(PartProgress { part: "first", done: 3, total: 3 }));
        held.begin("second", 5);
        assert_eq!(tally.progress(), Some(PartProgress { part: "second", done: 0, total: 5 }));
        let watched = TaskContext::unobserved();
        watched.tally.begin("first", 3);
        assert_eq!((watched.tally.progress(), watched.check_interrupt()), (None, Ok(())));
        watched.interrupt.raise(Cause::Asked);
        assert_eq!(watched.check_interrupt(), Err(Cause::Asked));
    }
}
