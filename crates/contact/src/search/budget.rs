//! How many pairs a search may list.

use resile_watch::Interrupt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pairs counted at a time.
const PORTION: usize = 1 << 10;

/// How many pairs may be listed. Whether they were too many does not depend on which thread counted
/// first: all are counted, unless they are too many already. After an interruption any number
/// is too many.
pub(crate) struct Budget<'a> {
    most: usize,
    taken: AtomicUsize,
    interrupt: &'a Interrupt,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(most: usize, interrupt: &'a Interrupt) -> Self {
        Self { most, taken: AtomicUsize::new(0), interrupt }
    }

    pub(crate) fn endless(interrupt: &'a Interrupt) -> Self {
        Self::new(usize::MAX, interrupt)
    }

    /// Pairs that were listed.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// Whether they are too many.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.taken() > self.most || self.interrupt.is_raised()
    }

    /// To be called after each pair, with how many there are in a list.
    #[inline]
    pub(crate) fn listed(&self, count: usize) -> ControlFlow<()> {
        if count.is_multiple_of(PORTION) {
            self.take(PORTION);
            if self.is_exceeded() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// To be called for a list of so many pairs that is complete.
    pub(crate) fn complete(&self, count: usize) {
        self.take(count % PORTION);
    }

    fn take(&self, count: usize) {
        self.taken.fetch_add(count, Ordering::Relaxed);
    }
}
