//! How far ahead to look for contact.
//!
//! Newton's method now and then proposes a way of many times a body's size, on which
//! nearly everything comes near to everything: millions of pairs would be listed, nearly all
//! of them beyond the first impact (chain-net-small once took 255 MiB and a second for one
//! such way, and 22 MiB for the rest of its run). So pairs are counted while they are
//! listed, and where they become too many, half of the way is looked at instead; half of a
//! hopeless direction is as good as the whole.
//!
//! Too many means many more than there are at the start: with a `d_hat` of several edges
//! there are hundreds to a primitive, and a shorter way has no fewer.

use crate::arrangement::Arrangement;
use crate::broad_phase::find_near;
use crate::candidates::Candidates;
use resile_linalg::Vec3;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pairs for each vertex, edge and triangle that are no reason to ask how many there are at
/// the start. In the scenes of the repository there are up to 4, and on long ways up to 40.
const MANY: usize = 64;

/// Pairs in any case: a few megabytes.
const FEW: usize = 1 << 16;

/// How many times the pairs at the start are too many.
const GROWTH: usize = 4;

/// Pairs counted at a time.
const PORTION: usize = 1 << 10;

/// Candidates together with how far the way is free.
pub(crate) struct Search {
    pub(crate) candidates: Candidates,
    /// Safe fraction of the way.
    pub(crate) free: f64,
}

/// Every pair that is nearer than `d_hat` somewhere on the free part of the way between
/// these positions of points, and some more.
pub(crate) fn search(arrangement: &Arrangement, from: &[Vec3], to: &[Vec3]) -> Search {
    let most = FEW.max(MANY * arrangement.primitive_count());
    if let Some(found) = find_near(arrangement, from, to, &Budget::new(most)) {
        return found;
    }
    let at_start = Budget::new(usize::MAX);
    find_near(arrangement, from, from, &at_start);
    let most = most.max(GROWTH * at_start.taken());
    let mut share = 1.0;
    let mut end = to.to_vec();
    loop {
        // Ends at the latest where nothing moves any more.
        if let Some(found) = find_near(arrangement, from, &end, &Budget::new(most)) {
            return Search { free: share * found.free, ..found };
        }
        share *= 0.5;
        let half = from.iter().zip(to).map(|(x, y)| *x + (*y - *x) * share);
        end.iter_mut().zip(half).for_each(|(end, half)| *end = half);
    }
}

/// How many pairs may be listed. Whether they were too many does not depend on who counted
/// first: all are counted, unless they are too many already.
pub(crate) struct Budget {
    most: usize,
    taken: AtomicUsize,
}

impl Budget {
    fn new(most: usize) -> Self {
        Self { most, taken: AtomicUsize::new(0) }
    }

    /// Pairs that were listed.
    fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// Whether they are too many.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.taken() > self.most
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
