//! Budget of the number of pairs in a search.

use resile_watch::Interrupt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of pairs counted at a time.
const PAIRS_PER_COUNT: usize = 1 << 10;

/// Budget of listed pairs, shared by all threads. The verdict does not depend on the order of threads: counting
/// stops only once the budget is exceeded. After an interruption the budget counts as exceeded.
pub(crate) struct Budget<'a> {
    max_pairs: usize,
    count: AtomicUsize,
    interrupt: &'a Interrupt,
}

impl<'a> Budget<'a> {
    /// Budget of `max_pairs` pairs; an interruption counts as an excess.
    pub(crate) fn new(max_pairs: usize, interrupt: &'a Interrupt) -> Self {
        Self { max_pairs, count: AtomicUsize::new(0), interrupt }
    }

    /// Budget that only an interruption exceeds.
    pub(crate) fn unlimited(interrupt: &'a Interrupt) -> Self {
        Self::new(usize::MAX, interrupt)
    }

    /// Number of pairs listed so far.
    pub(crate) fn listed_pairs(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether the budget is exceeded or the search interrupted.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.listed_pairs() > self.max_pairs || self.interrupt.is_raised()
    }

    /// Counts the pairs of a growing list in portions: to be called after each pair with the `length` of the list.
    #[inline]
    pub(crate) fn count_listed(&self, length: usize) -> ControlFlow<()> {
        if length.is_multiple_of(PAIRS_PER_COUNT) {
            self.add(PAIRS_PER_COUNT);
            if self.is_exceeded() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Counts the pairs of a complete list of this `length` that [`count_listed`](Self::count_listed) has not counted.
    pub(crate) fn count_remainder(&self, length: usize) {
        self.add(length % PAIRS_PER_COUNT);
    }

    /// Adds to the number of listed pairs.
    fn add(&self, count: usize) {
        self.count.fetch_add(count, Ordering::Relaxed);
    }
}
