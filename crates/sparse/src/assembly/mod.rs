//! Assembly of element blocks into a sparse matrix whose pattern is mostly known.
//!
//! Energy terms push blocks by node numbers. A term of constant topology (elasticity) pushes the same sequence of
//! pairs in each evaluation. The slot of each push is therefore recorded in a *route* and replayed, with one
//! comparison and one addition per block instead of a search. Blocks after the static terms (contact) are looked up
//! in a small cache of recent slots, then in the pattern; a missing pair grows the pattern. `forget_growth` returns
//! to the static pattern. If the static sequence changes, the route is recorded again.

use crate::block_matrix::{Block, BlockPattern, SymmetricBlockMatrix};
use crate::dyad::Dyad;
use rayon::prelude::*;
use resile_math::{Mat3, Vec3};
use std::sync::Arc;

/// Number of pending blocks that is always permitted before the pattern grows.
const MIN_PENDING: usize = 1 << 12;

/// Minimum number of pairs for parallel addition. With fewer pairs one thread is
/// faster, because the same thread then builds the preconditioner from its cache.
const MIN_PARALLEL_PAIRS: usize = 20_000;
/// Number of pairs that one task adds.
const PAIRS_PER_TASK: usize = 512;

/// Number of recent slots remembered (12 kB, a part of the L1 cache).
const RECENT_SLOTS: usize = 1 << 10;
const NO_RECENT_SLOT: (u32, u32, u32) = (NO_ROW, NO_ROW, 0);

/// Least number of rows for which recent slots are remembered. The pattern of a smaller matrix fits
/// in the L1 cache itself, and there may be a hundred thousand such systems, one for each body.
const MIN_ROWS_WITH_RECENT: usize = 64;

/// Multiplier of the hash: a prime near 2^32 / golden ratio (Knuth), which spreads neighbouring nodes.
const HASH_MULTIPLIER: u32 = 0x9e37_79b1;

/// A receiver of the blocks of a symmetric matrix.
pub trait BlockSink<B = Mat3> {
    /// Adds `block` at `(i, j)` and, if `i != j`, its transpose at `(j, i)`.
    /// A symmetric contribution therefore pushes each unordered pair once. A
    /// diagonal block must be symmetric.
    fn add(&mut self, i: usize, j: usize, block: B);

    /// Adds `block(k)` at the k-th of `pairs`. The pairs `(i, j)`, `i <= j`, are strictly ascending;
    /// `offset` is added to both nodes. `block` may be called from several threads at once.
    ///
    /// # Panics
    /// It may panic if the pairs do not ascend; it never adds a block in a wrong place.
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

    /// Adds `weight a a^T`, where `entries` are the nonzero rows of a, each once. Returns false, without adding
    /// anything, if the sink does not support such matrices.
    fn add_dyad(&mut self, _weight: f64, _entries: &[(usize, Vec3)]) -> bool {
        false
    }
}

/// The reusable sum of all blocks of one system.
#[derive(Debug, Clone)]
pub struct Assembly<B = Mat3> {
    matrix: SymmetricBlockMatrix<B>,
    static_pattern: Arc<BlockPattern>,
    /// Pair and slot of the k-th push of the static part.
    route: Vec<(u32, u32, u32)>,
    route_state: RouteState,
    /// Whether pushes belong to the static part.
    in_static: bool,
    /// Number of pushes of the static part in this evaluation.
    cursor: usize,
    /// Trace of each diagonal block at `mark_smooth`.
    smooth_traces: Vec<f64>,
    /// Cache of slots found in the present pattern: successive contact pairs have most of their pairs of
    /// nodes in common. Empty until the first lookup.
    recent: Vec<(u32, u32, u32)>,
    /// Pushed blocks whose pairs are not in the pattern yet.
    pending: Vec<(u32, u32, B)>,
    /// Map from node numbers of the terms to rows, if these differ.
    rows_of_nodes: Option<Arc<[u32]>>,
}

/// State of the recording of the route of the static part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RouteState {
    /// The first evaluation: pushes are recorded and define the pattern.
    New,
    /// The route is complete: pushes follow it.
    Known,
    /// The sequence has changed: pushes are recorded again, and the pattern keeps its other slots.
    Rerecorded,
}

/// Row of a node whose blocks are dropped.
pub const NO_ROW: u32 = u32::MAX;

impl<B: Block> Assembly<B> {
    /// An assembly for `rows` nodes without a pattern.
    pub fn new(rows: usize) -> Self {
        let pattern = Arc::new(BlockPattern::new(rows, []));
        Self {
            matrix: SymmetricBlockMatrix::zeros(pattern.clone()),
            static_pattern: pattern,
            route: Vec::new(),
            route_state: RouteState::New,
            in_static: true,
            cursor: 0,
            smooth_traces: Vec::new(),
            recent: Vec::new(),
            pending: Vec::new(),
            rows_of_nodes: None,
        }
    }

    /// Calls `push` with nodes mapped to `rows`: the caller keeps its node numbers, and the block of nodes
    /// `i, j` is added at `rows[i], rows[j]`. Blocks of a node with [`NO_ROW`] are dropped. Nested calls
    /// compose their maps.
    pub fn renumbered<R>(&mut self, rows: &Arc<[u32]>, push: impl FnOnce(&mut Self) -> R) -> R {
        let outer_rows = self.rows_of_nodes.take();
        self.rows_of_nodes = Some(match &outer_rows {
            None => rows.clone(),
            Some(outer_rows) => {
                let row_of =
                    |&row: &u32| if row == NO_ROW { NO_ROW } else { outer_rows[row as usize] };
                rows.iter().map(row_of).collect()
            }
        });
        let result = push(self);
        self.rows_of_nodes = outer_rows;
        result
    }

    /// Sets all values to zero; patterns and routes stay.
    pub fn begin(&mut self) {
        self.matrix.blocks.fill(B::ZERO);
        self.matrix.dyads.clear();
        self.in_static = true;
        self.cursor = 0;
        self.pending.clear();
    }

    /// Ends the static part: later pushes may differ from one evaluation to the next. The first
    /// call fixes the static pattern, and so does a call after a changed static sequence; until that
    /// call the caller should forget growth.
    pub fn end_static(&mut self) {
        if self.cursor < self.route.len() {
            self.start_rerecording();
        }
        if self.route_state != RouteState::Known {
            self.add_pending();
            if self.route_state == RouteState::Rerecorded {
                self.drop_unused_slots();
            }
            self.static_pattern = self.matrix.pattern.clone();
            self.route_state = RouteState::Known;
            self.route.shrink_to_fit();
            self.find_slots();
        }
        self.in_static = false;
        self.mark_smooth();
    }

    /// Starts to record the route again where the static sequence departs from it.
    fn start_rerecording(&mut self) {
        self.route.truncate(self.cursor);
        self.route_state = RouteState::Rerecorded;
    }

    /// Drops the slots that the route does not use.
    fn drop_unused_slots(&mut self) {
        let pairs = self.route.iter().map(|&(i, j, _)| (i, j));
        let pattern = BlockPattern::new(self.matrix.rows(), pairs);
        let slots = pattern.slots_in(&self.matrix.pattern);
        let blocks = slots.iter().map(|&slot| self.matrix.blocks[slot as usize]).collect();
        self.recent.clear();
        let dyads = std::mem::take(&mut self.matrix.dyads);
        self.matrix = SymmetricBlockMatrix { pattern: Arc::new(pattern), blocks, dyads };
    }

    /// Marks the beginning of terms that act on few nodes and may be stiff, such as contact:
    /// [`stiffened`](Self::stiffened) finds those nodes. `end_static` marks it too.
    pub fn mark_smooth(&mut self) {
        self.add_pending();
        self.smooth_traces.clear();
        self.smooth_traces.extend((0..self.matrix.rows()).map(|i| self.matrix.diagonal(i).trace()));
    }

    /// The pattern of the static part, once `end_static` was called.
    pub fn static_pattern(&self) -> &Arc<BlockPattern> {
        &self.static_pattern
    }

    /// Rows whose diagonal block has a trace of more than `factor` times that at `mark_smooth`: nodes
    /// where contact is stiffer than the body. Valid for the sum of the last evaluation until that is
    /// changed.
    pub fn stiffened(&self, factor: f64) -> impl Iterator<Item = usize> + '_ {
        let traces = self.smooth_traces.iter().enumerate();
        traces
            .filter(move |(i, smooth_trace)| {
                self.matrix.diagonal(*i).trace() > factor * **smooth_trace
            })
            .map(|(i, _)| i)
    }

    /// Adds the blocks whose pairs were not in the pattern, and returns the sum. [Ends the static
    /// part](Self::end_static) if that has not been done.
    pub fn finish(&mut self) -> &mut SymmetricBlockMatrix<B> {
        if self.in_static {
            self.end_static();
        }
        self.add_pending();
        &mut self.matrix
    }

    /// The sum of the last evaluation.
    pub fn matrix(&self) -> &SymmetricBlockMatrix<B> {
        &self.matrix
    }

    /// The sum of the last evaluation, after [`finish`](Self::finish).
    pub fn into_matrix(self) -> SymmetricBlockMatrix<B> {
        self.matrix
    }

    /// Returns to the static pattern; drops the slots that contact added.
    pub fn forget_growth(&mut self) {
        if self.route_state != RouteState::Known
            || Arc::ptr_eq(&self.matrix.pattern, &self.static_pattern)
        {
            return;
        }
        let mut static_slots = vec![0; self.matrix.pattern.len()];
        let slots = self.static_pattern.slots_in(&self.matrix.pattern);
        (0..).zip(slots).for_each(|(slot, grown_slot)| static_slots[grown_slot as usize] = slot);
        self.route.iter_mut().for_each(|(_, _, slot)| *slot = static_slots[*slot as usize]);
        self.recent.clear();
        self.matrix.clear(self.static_pattern.clone());
    }

    /// Grows the pattern by the pairs of the pending blocks, and adds these.
    fn add_pending(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let pairs = self.pending.iter().map(|&(i, j, _)| (i, j));
        let (grown, new_slots) = self.matrix.pattern.grown(pairs);
        self.recent.clear();
        self.matrix.grow(Arc::new(grown), &new_slots);
        if self.route_state == RouteState::Known {
            self.route.iter_mut().for_each(|(_, _, slot)| *slot = new_slots[*slot as usize]);
        }
        for (i, j, block) in std::mem::take(&mut self.pending) {
            self.add_by_search(i, j, block);
        }
    }

    /// Looks up the slot of each pair of the route.
    fn find_slots(&mut self) {
        for (i, j, slot) in &mut self.route {
            let position = self.matrix.pattern.find(*i, *j);
            *slot = position.expect("a pattern holds its static part") as u32;
        }
    }

    /// Adds a block to the next slot of the route; returns false if that belongs to another pair.
    #[inline]
    fn follow_route(&mut self, i: u32, j: u32, block: B) -> bool {
        let (i, j, block) = if i <= j { (i, j, block) } else { (j, i, block.transpose()) };
        if let Some(&(route_i, route_j, slot)) = self.route.get(self.cursor)
            && (route_i, route_j) == (i, j)
        {
            self.cursor += 1;
            self.matrix.blocks[slot as usize] += block;
            return true;
        }
        false
    }

    /// Whether the route continues with these pairs.
    fn continues_with(&self, offset: u32, pairs: &[(u32, u32)]) -> bool {
        let Some(route) = self.route.get(self.cursor..self.cursor + pairs.len()) else {
            return false;
        };
        let is_same_pair = |(&(route_i, route_j, _), &(i, j)): (&(u32, u32, u32), &(u32, u32))| {
            (route_i, route_j) == (i + offset, j + offset)
        };
        let parts = route.par_chunks(PAIRS_PER_TASK).zip(pairs.par_chunks(PAIRS_PER_TASK));
        parts.all(|(route, pairs)| route.iter().zip(pairs).all(is_same_pair))
    }

    /// Adds a block outside the route or with mapped rows. It is a separate function, so that the path of element
    /// blocks is inlined.
    #[inline(never)]
    fn add_outside_route(&mut self, i: u32, j: u32, block: B) {
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
        if self.in_static && self.route_state == RouteState::Known {
            self.start_rerecording();
        }
        if self.route_state != RouteState::Known {
            // The slot is written when the pattern is complete.
            self.route.push((i, j, 0));
            self.cursor += 1;
        }
        self.add_by_search(i, j, block);
        // Elements push each pair several times. Adding the pending blocks occasionally bounds their memory.
        let max_pending = (self.matrix.pattern.len() / 4).max(MIN_PENDING);
        if self.route_state != RouteState::Known && self.pending.len() > max_pending {
            self.add_pending();
        }
    }

    /// Adds a block to the slot of its pair, or to the pending blocks if the pattern lacks the pair.
    fn add_by_search(&mut self, i: u32, j: u32, block: B) {
        match self.slot(i, j) {
            Some(slot) => self.matrix.blocks[slot] += block,
            None => self.pending.push((i, j, block)),
        }
    }

    /// The slot of a pair, if the pattern has it.
    fn slot(&mut self, i: u32, j: u32) -> Option<usize> {
        if self.matrix.rows() < MIN_ROWS_WITH_RECENT {
            return self.matrix.pattern.find(i, j);
        }
        if self.recent.is_empty() {
            self.recent.resize(RECENT_SLOTS, NO_RECENT_SLOT);
        }
        let entry = i.wrapping_mul(HASH_MULTIPLIER).wrapping_add(j) as usize % RECENT_SLOTS;
        let (recent_i, recent_j, slot) = self.recent[entry];
        if (recent_i, recent_j) == (i, j) {
            return Some(slot as usize);
        }
        let slot = self.matrix.pattern.find(i, j)?;
        self.recent[entry] = (i, j, slot as u32);
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
        self.add_outside_route(i, j, block);
    }

    fn add_each(
        &mut self,
        offset: usize,
        pairs: &[(u32, u32)],
        block: &(dyn Fn(usize) -> B + Sync),
    ) {
        let is_sequential = pairs.len() < MIN_PARALLEL_PAIRS;
        if is_sequential
            || self.rows_of_nodes.is_some()
            || !self.continues_with(offset as u32, pairs)
        {
            for (k, &(i, j)) in pairs.iter().enumerate() {
                self.add(i as usize + offset, j as usize + offset, block(k));
            }
            return;
        }
        let route = &self.route[self.cursor..][..pairs.len()];
        self.cursor += pairs.len();
        add_along_route(route, 0, (&mut self.matrix.blocks, 0), block);
    }

    fn add_dyad(&mut self, weight: f64, entries: &[(usize, Vec3)]) -> bool {
        let row = |&(i, a): &(usize, Vec3)| match &self.rows_of_nodes {
            None => Some((i, a)),
            Some(rows) => (rows[i] != NO_ROW).then(|| (rows[i] as usize, a)),
        };
        let entries = entries.iter().filter_map(row).collect();
        self.matrix.dyads.push(Dyad { weight, entries });
        true
    }
}

/// Adds the blocks `block(first_index)`, `block(first_index + 1)`, ... along a route of ascending pairs. Its slots
/// ascend as well, so two halves of the route write to disjoint halves of `slots`, which begins at slot `start`.
fn add_along_route<B: Block>(
    route: &[(u32, u32, u32)],
    first_index: usize,
    (slots, start): (&mut [B], usize),
    block: &(dyn Fn(usize) -> B + Sync),
) {
    if route.len() <= PAIRS_PER_TASK {
        for (k, &(_, _, slot)) in route.iter().enumerate() {
            slots[slot as usize - start] += block(first_index + k);
        }
        return;
    }
    let middle = route.len() / 2;
    let (left, right) = route.split_at(middle);
    let middle_slot = right[0].2 as usize;
    let (left_slots, right_slots) = slots.split_at_mut(middle_slot - start);
    rayon::join(
        || add_along_route(left, first_index, (left_slots, start), block),
        || add_along_route(right, first_index + middle, (right_slots, middle_slot), block),
    );
}

#[cfg(test)]
mod tests;
