//! Summing element blocks into a sparse matrix whose pattern is mostly known.
//!
//! Terms push blocks; they know node numbers and nothing of slots. The stream
//! of a term that does not change its topology (elasticity) is the same in each
//! evaluation, so the slot of each push is remembered in a *route* and replayed:
//! one compare and one addition a block instead of a search. What comes
//! after the static terms (contact) is searched for, if it was not found a moment ago, and what is not
//! found grows the pattern; `forget_growth` returns to the static one. A stream that is another
//! after all is recorded anew.

use crate::block_matrix::{Block, BlockPattern, SymmetricBlockMatrix};
use rayon::prelude::*;
use resile_math::Mat3;
use std::sync::Arc;

/// Blocks that may wait for their place in any case.
const FEW: usize = 1 << 12;

/// Pairs from which on their blocks are added by several threads, and those that one of them adds. Of fewer the
/// blocks are wanted where they are: by the thread that makes the preconditioner.
const FEWEST_SHARED: usize = 20_000;
const SHARE: usize = 512;

/// Slots that are remembered, in 12 kB: a part of the nearest cache.
const RECENT: usize = 1 << 10;
const NOTHING_RECENT: (u32, u32, u32) = (NO_ROW, NO_ROW, 0);

/// Rows from which on slots are remembered. Of fewer the pattern is in the nearest cache itself, and there may be a
/// hundred thousand such systems, of a body each.
const FEWEST_REMEMBERED: usize = 64;

/// Slots of neighbouring nodes are remembered at places apart.
const SPREAD: u32 = 0x9e37_79b1;

/// Something that takes the blocks of a symmetric matrix.
pub trait BlockSink<B = Mat3> {
    /// Adds `block` at `(i, j)` and, if `i != j`, its transpose at `(j, i)`.
    /// A symmetric contribution therefore pushes each unordered pair once. A
    /// diagonal block is taken as it is and must be symmetric.
    fn add(&mut self, i: usize, j: usize, block: B);

    /// Adds the `block` of each of `pairs`, by its number among them. The pairs `(i, j)`, `i <= j`, are ascending and
    /// each is there once; `offset` is added to both nodes. Blocks may be asked for from several
    /// threads at once.
    ///
    /// # Panics
    /// It may, but adds nothing in a wrong place, if the pairs do not ascend.
    fn add_each(
        &mut self,
        offset: usize,
        pairs: &[(u32, u32)],
        block: &(dyn Fn(usize) -> B + Sync),
    ) {
        for (k, &(i, j)) in pairs.iter().enumerate() {
            self.add(i as usize + offset, j as usize + offset, block(k));
        }
    }
}

/// The reusable sum of all blocks of one system.
#[derive(Debug, Clone)]
pub struct Assembly<B = Mat3> {
    matrix: SymmetricBlockMatrix<B>,
    static_pattern: Arc<BlockPattern>,
    /// For the k-th push of the static part: its pair and its slot.
    route: Vec<(u32, u32, u32)>,
    stream: Stream,
    /// Whether what is pushed is of the static part.
    in_static: bool,
    cursor: usize,
    /// Trace of each diagonal block before the terms that may be stiff.
    smooth_traces: Vec<f64>,
    /// Slots that were found in the present pattern: pairs of primitives that are listed one after the other have
    /// most of their pairs of nodes in common.
    /// Empty until one is.
    recent: Vec<(u32, u32, u32)>,
    /// Pushed pairs that the pattern lacks.
    unplaced: Vec<(u32, u32, B)>,
    /// The row of each node that terms number, if these are not the same.
    rows_of_nodes: Option<Arc<[u32]>>,
}

/// What is known of the pushes of the static part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    /// Nothing yet: they are recorded, and make the pattern.
    New,
    /// The route.
    Known,
    /// The route was another: they are recorded, and the pattern has more places than theirs.
    Another,
}

/// The row of a node whose blocks are left out.
pub const NO_ROW: u32 = u32::MAX;

impl<B: Block> Assembly<B> {
    /// An assembly for `rows` nodes that knows no pattern yet.
    pub fn new(rows: usize) -> Self {
        let pattern = Arc::new(BlockPattern::new(rows, []));
        Self {
            matrix: SymmetricBlockMatrix::zeros(pattern.clone()),
            static_pattern: pattern,
            route: Vec::new(),
            stream: Stream::New,
            in_static: true,
            cursor: 0,
            smooth_traces: Vec::new(),
            recent: Vec::new(),
            unplaced: Vec::new(),
            rows_of_nodes: None,
        }
    }

    /// What `push` makes of the sum if the blocks of each node go to these rows: the caller goes on numbering nodes
    /// as it does. Blocks of a node with [`NO_ROW`] are left out. Rows that are numbered anew
    /// already are numbered so again.
    pub fn renumbered<R>(&mut self, rows: &Arc<[u32]>, push: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.rows_of_nodes.take();
        self.rows_of_nodes = Some(match &before {
            None => rows.clone(),
            Some(before) => {
                let of = |&row: &u32| if row == NO_ROW { NO_ROW } else { before[row as usize] };
                rows.iter().map(of).collect()
            }
        });
        let pushed = push(self);
        self.rows_of_nodes = before;
        pushed
    }

    /// Sets all values to zero; patterns and routes stay.
    pub fn begin(&mut self) {
        self.matrix.blocks.fill(B::ZERO);
        self.in_static = true;
        self.cursor = 0;
        self.unplaced.clear();
    }

    /// Says that all later pushes of this evaluation may differ from one
    /// evaluation to the next. The first call fixes the static pattern, and so does
    /// one after other pushes than before: until then growth should be forgotten.
    pub fn end_static(&mut self) {
        if self.cursor < self.route.len() {
            self.leave_route();
        }
        if self.stream != Stream::Known {
            self.place_unplaced();
            if self.stream == Stream::Another {
                self.drop_unrecorded();
            }
            self.static_pattern = self.matrix.pattern.clone();
            self.stream = Stream::Known;
            self.route.shrink_to_fit();
            self.find_slots();
        }
        self.in_static = false;
        self.mark_smooth();
    }

    /// The static stream is another one from here on.
    fn leave_route(&mut self) {
        self.route.truncate(self.cursor);
        self.stream = Stream::Another;
    }

    /// Leaves no places but those that the route leads to.
    fn drop_unrecorded(&mut self) {
        let pairs = self.route.iter().map(|&(i, j, _)| (i, j));
        let pattern = BlockPattern::new(self.matrix.rows(), pairs);
        let slots = pattern.slots_in(&self.matrix.pattern);
        let blocks = slots.iter().map(|&slot| self.matrix.blocks[slot as usize]).collect();
        self.recent.clear();
        self.matrix = SymmetricBlockMatrix { pattern: Arc::new(pattern), blocks };
    }

    /// Says that later pushes are of terms that act on few nodes and may be stiff,
    /// such as contact: [`stiffened`](Self::stiffened) finds those nodes. `end_static`
    /// says it too.
    pub fn mark_smooth(&mut self) {
        self.place_unplaced();
        self.smooth_traces.clear();
        self.smooth_traces.extend((0..self.matrix.rows()).map(|i| self.matrix.diagonal(i).trace()));
    }

    /// The pattern of the static part, once `end_static` was called.
    pub fn static_pattern(&self) -> &Arc<BlockPattern> {
        &self.static_pattern
    }

    /// Rows whose diagonal block is more than `factor` times (in its trace) what it was
    /// at `mark_smooth`: where contact is stiffer than what it acts on. For the
    /// sum of the last evaluation, before anything else is done to it.
    pub fn stiffened(&self, factor: f64) -> impl Iterator<Item = usize> + '_ {
        let traces = self.smooth_traces.iter().enumerate();
        traces
            .filter(move |(i, before)| self.matrix.diagonal(*i).trace() > factor * **before)
            .map(|(i, _)| i)
    }

    /// Places what the pattern lacked and returns the sum.
    pub fn finish(&mut self) -> &mut SymmetricBlockMatrix<B> {
        self.place_unplaced();
        &mut self.matrix
    }

    /// The sum of the last evaluation.
    pub fn matrix(&self) -> &SymmetricBlockMatrix<B> {
        &self.matrix
    }

    /// Returns to the static pattern, dropping what contact made it grow.
    pub fn forget_growth(&mut self) {
        if self.stream != Stream::Known || Arc::ptr_eq(&self.matrix.pattern, &self.static_pattern) {
            return;
        }
        let mut place = vec![0; self.matrix.pattern.len()];
        let slots = self.static_pattern.slots_in(&self.matrix.pattern);
        (0..).zip(slots).for_each(|(slot, grown)| place[grown as usize] = slot);
        self.route.iter_mut().for_each(|(_, _, slot)| *slot = place[*slot as usize]);
        self.recent.clear();
        self.matrix.clear(self.static_pattern.clone());
    }

    fn place_unplaced(&mut self) {
        if self.unplaced.is_empty() {
            return;
        }
        let pairs = self.unplaced.iter().map(|&(i, j, _)| (i, j));
        let (grown, moved) = self.matrix.pattern.grown(pairs);
        self.recent.clear();
        self.matrix.grow(Arc::new(grown), &moved);
        if self.stream == Stream::Known {
            self.route.iter_mut().for_each(|(_, _, slot)| *slot = moved[*slot as usize]);
        }
        for (i, j, block) in std::mem::take(&mut self.unplaced) {
            self.add_by_search(i, j, block);
        }
    }

    fn find_slots(&mut self) {
        for (i, j, slot) in &mut self.route {
            let found = self.matrix.pattern.find(*i, *j);
            *slot = found.expect("a pattern holds its static part") as u32;
        }
    }

    /// Adds a block to the slot of the next push of the route, if it is this pair's.
    #[inline]
    fn follow_route(&mut self, i: u32, j: u32, block: B) -> bool {
        let (i, j, block) = if i <= j { (i, j, block) } else { (j, i, block.transpose()) };
        if let Some(&(ri, rj, slot)) = self.route.get(self.cursor)
            && (ri, rj) == (i, j)
        {
            self.cursor += 1;
            self.matrix.blocks[slot as usize] += block;
            return true;
        }
        false
    }

    /// Whether the next pushes of the route are of these pairs.
    fn leads_to(&self, offset: u32, pairs: &[(u32, u32)]) -> bool {
        let Some(route) = self.route.get(self.cursor..self.cursor + pairs.len()) else {
            return false;
        };
        let same = |(&(ri, rj, _), &(i, j)): (&(u32, u32, u32), &(u32, u32))| {
            (ri, rj) == (i + offset, j + offset)
        };
        let parts = route.par_chunks(SHARE).zip(pairs.par_chunks(SHARE));
        parts.all(|(route, pairs)| route.iter().zip(pairs).all(same))
    }

    /// Adds a block that no route leads to, or in rows that are not numbered as nodes are. Kept apart from what is
    /// done for each block of each element, which is to be small.
    #[inline(never)]
    fn add_off_route(&mut self, i: u32, j: u32, block: B) {
        let (i, j) = match &self.rows_of_nodes {
            None => (i, j),
            Some(rows) => (rows[i as usize], rows[j as usize]),
        };
        if i == NO_ROW || j == NO_ROW {
            return;
        }
        if self.rows_of_nodes.is_some() && self.follow_route(i, j, block) {
            return;
        }
        let (i, j, block) = if i <= j { (i, j, block) } else { (j, i, block.transpose()) };
        if self.in_static && self.stream == Stream::Known {
            self.leave_route();
        }
        if self.stream != Stream::Known {
            // The slot is written when the pattern is complete.
            self.route.push((i, j, 0));
            self.cursor += 1;
        }
        self.add_by_search(i, j, block);
        // Elements push each pair several times: what waits is placed now and then, so
        // that it takes little memory beside the matrix.
        let most = (self.matrix.pattern.len() / 4).max(FEW);
        if self.stream != Stream::Known && self.unplaced.len() > most {
            self.place_unplaced();
        }
    }

    fn add_by_search(&mut self, i: u32, j: u32, block: B) {
        match self.slot(i, j) {
            Some(slot) => self.matrix.blocks[slot] += block,
            None => self.unplaced.push((i, j, block)),
        }
    }

    /// The slot of a pair, if the pattern has it.
    fn slot(&mut self, i: u32, j: u32) -> Option<usize> {
        if self.matrix.rows() < FEWEST_REMEMBERED {
            return self.matrix.pattern.find(i, j);
        }
        if self.recent.is_empty() {
            self.recent.resize(RECENT, NOTHING_RECENT);
        }
        let place = i.wrapping_mul(SPREAD).wrapping_add(j) as usize % RECENT;
        let (ri, rj, slot) = self.recent[place];
        if (ri, rj) == (i, j) {
            return Some(slot as usize);
        }
        let slot = self.matrix.pattern.find(i, j)?;
        self.recent[place] = (i, j, slot as u32);
        Some(slot)
    }
}

impl<B: Block> BlockSink<B> for Assembly<B> {
    #[inline]
    fn add(&mut self, i: usize, j: usize, block: B) {
        let (i, j) = (i as u32, j as u32);
        if self.rows_of_nodes.is_none() && self.follow_route(i, j, block) {
            return;
        }
        self.add_off_route(i, j, block);
    }

    fn add_each(
        &mut self,
        offset: usize,
        pairs: &[(u32, u32)],
        block: &(dyn Fn(usize) -> B + Sync),
    ) {
        let few = pairs.len() < FEWEST_SHARED;
        if few || self.rows_of_nodes.is_some() || !self.leads_to(offset as u32, pairs) {
            for (k, &(i, j)) in pairs.iter().enumerate() {
                self.add(i as usize + offset, j as usize + offset, block(k));
            }
            return;
        }
        let route = &self.route[self.cursor..][..pairs.len()];
        self.cursor += pairs.len();
        add_along(route, 0, (&mut self.matrix.blocks, 0), block);
    }
}

/// Adds the blocks from the `first` on to the slots of a route whose pairs ascend, and so do the slots: halves of the
/// route have halves of the slots, which begin at `start`, to themselves.
fn add_along<B: Block>(
    route: &[(u32, u32, u32)],
    first: usize,
    (slots, start): (&mut [B], usize),
    block: &(dyn Fn(usize) -> B + Sync),
) {
    if route.len() <= SHARE {
        for (k, &(_, _, slot)) in route.iter().enumerate() {
            slots[slot as usize - start] += block(first + k);
        }
        return;
    }
    let middle = route.len() / 2;
    let (left, right) = route.split_at(middle);
    let cut = right[0].2 as usize;
    let (left_slots, right_slots) = slots.split_at_mut(cut - start);
    rayon::join(
        || add_along(left, first, (left_slots, start), block),
        || add_along(right, first + middle, (right_slots, cut), block),
    );
}

#[cfg(test)]
mod tests;
