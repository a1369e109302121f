//! How far ahead to look for contact.
//!
//! Newton's method now and then proposes a way of many times a body's size, on which
//! nearly everything comes near to everything: millions of pairs would be listed, nearly all
//! of them beyond the first impact. So pairs are counted while they are listed, and where
//! they become too many, the way is walked in pieces that have fewer, up to the first impact:
//! hopeless directions have one soon. At commit e0829a6 one such way in 60 steps took 255 MiB
//! (`sim run scenes/chain-net-small.ron --steps 60`, `peak_memory_bytes` of `summary.json`);
//! with this search there, 69.
//!
//! Too many means many more than there are where a piece begins: with a `d_hat` of several
//! edges there are hundreds to a primitive, and a shorter piece has no fewer.

use crate::arrangement::Arrangement;
use crate::broad_phase::find_near;
use crate::candidates::Candidates;
use resile_math::Vec3;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pairs for each vertex, edge and triangle that are no reason to ask how many there are at
/// the start. Printed for every search of nine scenes (a line put in for the purpose): below
/// 4 in 99 of 100 searches, and 41 at most.
const MANY: usize = 64;

/// Pairs that are not too many in any case: half a megabyte.
const FEW: usize = 1 << 16;

/// How many times the pairs where a piece begins are too many.
const GROWTH: usize = 4;

/// Pieces of a way that are looked at. What flies apart doubles its size in each, so that
/// this is the end only of ways that nothing physical goes.
const PIECES: usize = 64;

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
    if from == to {
        // No piece has fewer pairs.
        let search = find_near(arrangement, from, to, &Budget::new(usize::MAX));
        return search.expect("the budget has no end");
    }
    let most = FEW.max(MANY * arrangement.primitive_count());
    find_near(arrangement, from, to, &Budget::new(most))
        .unwrap_or_else(|| walk(arrangement, from, to, most))
}

/// The same for a way with too many pairs.
fn walk(arrangement: &Arrangement, from: &[Vec3], to: &[Vec3], most: usize) -> Search {
    let mut candidates = Candidates::default();
    let (mut at, mut share) = (0.0, 1.0);
    for _ in 0..PIECES {
        let start = along(from, to, at);
        let here = Budget::new(usize::MAX);
        find_near(arrangement, &start, &start, &here);
        let most = most.max(GROWTH * here.taken());
        let piece = loop {
            let end = along(from, to, at + share);
            // Ends at the latest where nothing moves any more.
            match find_near(arrangement, &start, &end, &Budget::new(most)) {
                Some(piece) => break piece,
                None => share *= 0.5,
            }
        };
        candidates.join(piece.candidates);
        at += share * piece.free;
        if piece.free < 1.0 || at == 1.0 {
            break;
        }
        // Halves of halves: both are exact.
        share = (2.0 * share).min(1.0 - at);
    }
    Search { candidates, free: at }
}

fn along(from: &[Vec3], to: &[Vec3], fraction: f64) -> Vec<Vec3> {
    from.iter().zip(to).map(|(x, y)| *x + (*y - *x) * fraction).collect()
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
