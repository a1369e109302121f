//! How far work is that knows how much there is to do.

use crate::{Cause, Interrupt};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A part of some work, and how much of it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// What is done.
    pub part: &'static str,
    /// How many pieces of it are done; no more than `all`.
    pub done: u64,
    /// How many there are; zero if that is unknown.
    pub all: u64,
}

/// How far work is, part by part; clones are the same tally.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// `None` where the count is not observed.
    shared: Option<Arc<TallyState>>,
}

#[derive(Debug, Default)]
struct TallyState {
    /// The part that goes on, and of how many pieces it is.
    part: Mutex<Option<(&'static str, u64)>>,
    done: AtomicU64,
}

impl Tally {
    /// A tally of work that has not begun.
    pub fn new() -> Self {
        Self { shared: Some(Arc::default()) }
    }

    /// A part of `all` pieces begins, zero if their number is unknown; the part before has ended.
    pub fn begin(&self, part: &'static str, all: usize) {
        let Some(shared) = &self.shared else { return };
        let mut open = shared.part.lock().unwrap_or_else(PoisonError::into_inner);
        shared.done.store(0, Ordering::Relaxed);
        *open = Some((part, all as u64));
    }

    /// So many pieces more are done.
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

/// What a caller hands to long work: a flag that stops it and a count of its progress.
#[derive(Debug, Clone, Default)]
pub struct Watched {
    /// Says stop.
    pub interrupt: Interrupt,
    /// Is told how far the work is.
    pub tally: Tally,
}

impl Watched {
    /// Unwatched: work that cannot be stopped and reports no progress.
    pub fn by_nobody() -> Self {
        Self::default()
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// If the flag is raised: why.
    pub fn go_on(&self) -> Result<(), Cause> {
        self.interrupt.cause().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_counts_the_part_that_goes_on_and_no_more_than_there_is() {
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
        let unseen = Watched::by_nobody();
        unseen.tally.begin("first", 3);
        assert_eq!((unseen.tally.count(), unseen.go_on()), (None, Ok(())));
        unseen.interrupt.raise(Cause::Asked);
        assert_eq!(unseen.go_on(), Err(Cause::Asked));
    }
}
