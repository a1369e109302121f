//! A symmetric sparse matrix of 3x3 blocks or of numbers; only the upper triangle is stored.
//!
//! Half the blocks halve the assembly work and the memory traffic of a product, and a Cholesky factorisation reads
//! no more.

use crate::dyad::Dyad;
use crate::scratch::resize_closely;
use resile_math::{Mat3, Vec3};
use std::ops::AddAssign;
use std::sync::Arc;

/// An entry of a sparse matrix at a pair of nodes: a 3x3 block, or one number that stands for a
/// multiple of the identity.
pub trait Block: Copy + AddAssign + Send + Sync + 'static {
    /// The zero block.
    const ZERO: Self;

    /// Scalar rows of a block.
    const WIDTH: usize;

    /// Appends entries `from..` of row `row` to `out`.
    fn append_row(&self, row: usize, from: usize, out: &mut Vec<f64>);

    /// The transposed block.
    #[must_use]
    fn transpose(&self) -> Self;

    /// The sum of the diagonal.
    fn trace(&self) -> f64;

    /// The block times a vector of three.
    fn apply(&self, x: Vec3) -> Vec3;
}

impl Block for Mat3 {
    const ZERO: Self = Self::ZERO;
    const WIDTH: usize = 3;

    fn append_row(&self, row: usize, from: usize, out: &mut Vec<f64>) {
        out.extend_from_slice(&[self.x_axis[row], self.y_axis[row], self.z_axis[row]][from..]);
    }

    fn transpose(&self) -> Self {
        Self::transpose(self)
    }

    fn trace(&self) -> f64 {
        self.x_axis.x + self.y_axis.y + self.z_axis.z
    }

    #[inline]
    fn apply(&self, x: Vec3) -> Vec3 {
        *self * x
    }
}

impl Block for f64 {
    const ZERO: Self = 0.0;
    const WIDTH: usize = 1;

    fn append_row(&self, _: usize, _: usize, out: &mut Vec<f64>) {
        out.push(*self);
    }

    fn transpose(&self) -> Self {
        *self
    }

    fn trace(&self) -> f64 {
        *self
    }

    #[inline]
    fn apply(&self, x: Vec3) -> Vec3 {
        x * *self
    }
}

/// Sparsity pattern: for each block row `i` the columns `j >= i`, ascending, the diagonal always first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockPattern {
    /// First slot of each row, and the number of slots.
    row_start: Vec<u32>,
    /// Column of each slot.
    columns: Vec<u32>,
}

impl BlockPattern {
    /// The pattern with the diagonal and the given pairs `(i, j)`, in any order,
    /// either triangle, repetitions allowed. O(p log p) in the number of pairs.
    pub fn new(rows: usize, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut keys: Vec<u64> = (0..rows as u64).map(|i| (i << 32) | i).collect();
        keys.extend(pairs.into_iter().map(|(i, j)| {
            let (i, j) = if i <= j { (i, j) } else { (j, i) };
            (u64::from(i) << 32) | u64::from(j)
        }));
        keys.sort_unstable();
        keys.dedup();
        let mut row_start = vec![0u32; rows + 1];
        for key in &keys {
            row_start[(key >> 32) as usize + 1] += 1;
        }
        for i in 0..rows {
            row_start[i + 1] += row_start[i];
        }
        let columns = keys.iter().map(|key| (key & 0xffff_ffff) as u32).collect();
        Self { row_start, columns }
    }

    /// The union of this pattern and `pairs` (as in [`new`](Self::new)), and the slot in the union of each slot of this
    /// pattern. O(slots), and O(p log p) in the number of pairs.
    pub(crate) fn grown(&self, pairs: impl IntoIterator<Item = (u32, u32)>) -> (Self, Vec<u32>) {
        let ordered = |(i, j): (u32, u32)| (i.min(j), i.max(j));
        let mut added: Vec<(u32, u32)> = pairs.into_iter().map(ordered).collect();
        added.sort_unstable();
        added.dedup();
        let mut added = added.into_iter().peekable();
        let mut row_start = Vec::with_capacity(self.rows() + 1);
        let mut columns = Vec::with_capacity(self.len() + added.len());
        let mut new_slots = Vec::with_capacity(self.len());
        row_start.push(0);
        for i in 0..self.rows() {
            for slot in self.row(i) {
                let column = self.columns[slot];
                while let Some((_, j)) = added.next_if(|&pair| pair < (i as u32, column)) {
                    columns.push(j);
                }
                added.next_if_eq(&(i as u32, column));
                new_slots.push(columns.len() as u32);
                columns.push(column);
            }
            while let Some((_, j)) = added.next_if(|&(row, _)| row == i as u32) {
                columns.push(j);
            }
            row_start.push(columns.len() as u32);
        }
        (Self { row_start, columns }, new_slots)
    }

    /// The slot in `other`, a superset of this pattern, of each slot of this pattern. O(slots of both).
    pub(crate) fn slots_in(&self, other: &Self) -> Vec<u32> {
        let mut slots = Vec::with_capacity(self.len());
        for i in 0..self.rows() {
            let mut candidates = other.row(i);
            for slot in self.row(i) {
                let has_same_column =
                    |&candidate: &usize| other.columns[candidate] == self.columns[slot];
                slots
                    .push(candidates.find(has_same_column).expect("it has all slots of this one")
                        as u32);
            }
        }
        slots
    }

    /// Number of block rows (nodes).
    pub fn rows(&self) -> usize {
        self.row_start.len() - 1
    }

    /// Number of stored blocks.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether the matrix has no rows.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The slots (positions among the stored blocks) of row `i`.
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.row_start[i] as usize..self.row_start[i + 1] as usize
    }

    /// Column of each slot.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The slot of block `(i, j)`, `i <= j`, if it is stored.
    pub fn find(&self, i: u32, j: u32) -> Option<usize> {
        let row = self.row(i as usize);
        let position = self.columns[row.clone()].binary_search(&j).ok()?;
        Some(row.start + position)
    }

    /// All stored pairs `(i, j)`, `i <= j`, in storage order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.rows()).flat_map(move |i| self.row(i).map(move |s| (i as u32, self.columns[s])))
    }
}

/// A symmetric matrix over a [`BlockPattern`], and a sum of matrices of rank one beside it.
#[derive(Debug, Clone)]
pub struct SymmetricBlockMatrix<B = Mat3> {
    /// Sparsity pattern; shared, because patterns outlive values.
    pub pattern: Arc<BlockPattern>,
    /// The stored blocks, in the order of the pattern. Diagonal blocks are symmetric.
    pub blocks: Vec<B>,
    /// Matrices of rank one, not contained in the blocks.
    pub dyads: Vec<Dyad>,
}

impl<B: Block> SymmetricBlockMatrix<B> {
    /// The zero matrix over `pattern`.
    pub fn zeros(pattern: Arc<BlockPattern>) -> Self {
        let blocks = vec![B::ZERO; pattern.len()];
        Self { pattern, blocks, dyads: Vec::new() }
    }

    /// Sets the matrix to the zero matrix over `pattern`, in the same allocation.
    pub(crate) fn clear(&mut self, pattern: Arc<BlockPattern>) {
        self.blocks.clear();
        resize_closely(&mut self.blocks, pattern.len(), B::ZERO);
        self.pattern = pattern;
        self.dyads.clear();
    }

    /// Enlarges the matrix to a larger `pattern`, in which slot `k` of the present one is slot `new_slots[k]`; new
    /// slots are zero. Blocks move in place, because a second copy of a large matrix would raise the peak memory.
    pub(crate) fn grow(&mut self, pattern: Arc<BlockPattern>, new_slots: &[u32]) {
        resize_closely(&mut self.blocks, pattern.len(), B::ZERO);
        let mut end = pattern.len();
        for (slot, &new_slot) in new_slots.iter().enumerate().rev() {
            let new_slot = new_slot as usize;
            self.blocks[new_slot + 1..end].fill(B::ZERO);
            self.blocks[new_slot] = self.blocks[slot];
            end = new_slot;
        }
        self.blocks[..end].fill(B::ZERO);
        self.pattern = pattern;
    }

    /// Number of block rows.
    pub fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// The diagonal block of row `i`.
    pub fn diagonal(&self, i: usize) -> &B {
        &self.blocks[self.pattern.row(i).start]
    }

    /// The diagonal block of row `i`, mutable.
    pub fn diagonal_mut(&mut self, i: usize) -> &mut B {
        &mut self.blocks[self.pattern.row(i).start]
    }

    /// `out = A x`. Each stored block is read once.
    pub fn multiply(&self, x: &[Vec3], out: &mut [Vec3]) {
        self.multiply_blocks(x, out);
        self.dyads.iter().for_each(|dyad| dyad.add_to(dyad.weight * dyad.dot(x), out));
    }

    /// `out = A x` without the dyads.
    pub fn multiply_blocks(&self, x: &[Vec3], out: &mut [Vec3]) {
        out.fill(Vec3::ZERO);
        let columns = self.pattern.columns();
        for i in 0..self.rows() {
            let row = self.pattern.row(i);
            let xi = x[i];
            let mut sum = self.blocks[row.start].apply(xi);
            for slot in row.start + 1..row.end {
                let j = columns[slot] as usize;
                let block = &self.blocks[slot];
                sum += block.apply(x[j]);
                out[j] += block.transpose().apply(xi);
            }
            out[i] += sum;
        }
    }
}

impl SymmetricBlockMatrix {
    /// Restricts the matrix to the free directions of its rows: `A <- P A P + (I - P) S`, where `P` is block
    /// diagonal. Its blocks are zero for rows that are not `free`, the projector of `guided` for rows that are free
    /// in some directions only, and the identity otherwise. `S` is the identity, or the mean of the diagonal block
    /// of a guided row. The restricted matrix is positive definite if `A` is positive definite on the range of `P`;
    /// the solution for a right-hand side in that range lies in it. O(blocks).
    pub fn constrain(&mut self, free: &[bool], guided: &[(usize, Mat3)]) {
        if guided.is_empty() && free.iter().all(|free| *free) {
            return;
        }
        let held_blocks: Vec<(usize, Mat3)> =
            guided.iter().map(|&(i, p)| (i, self.held_block(i, p))).collect();
        let mut projector: Vec<Option<Mat3>> = Vec::new();
        if !guided.is_empty() {
            projector.resize(free.len(), None);
            guided.iter().for_each(|&(i, p)| projector[i] = Some(p));
        }
        let projector_of = |i: usize| projector.get(i).copied().flatten();
        self.dyads.iter_mut().for_each(|dyad| dyad.constrain(free, guided));
        let Self { pattern, blocks, .. } = self;
        for (block, (i, j)) in blocks.iter_mut().zip(pattern.pairs()) {
            let (i, j) = (i as usize, j as usize);
            if !(free[i] && free[j]) {
                *block = if i == j { Mat3::IDENTITY } else { Mat3::ZERO };
                continue;
            }
            if let Some(p) = projector_of(i) {
                *block = p * *block;
            }
            if let Some(p) = projector_of(j) {
                *block *= p;
            }
        }
        held_blocks
            .into_iter()
            .filter(|(i, _)| free[*i])
            .for_each(|(i, held_block)| *self.diagonal_mut(i) += held_block);
    }

    /// Diagonal block of the constrained directions of row `i`, whose free directions are the range of the
    /// projector `p`.
    fn held_block(&self, i: usize, p: Mat3) -> Mat3 {
        let mean = self.diagonal(i).trace() / 3.0;
        (Mat3::IDENTITY - p) * if mean > 0.0 { mean } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sparse_product_equals_the_dense_product(
            pairs in prop::collection::vec((0u32..7, 0u32..7), 0..20),
            numbers in prop::collection::vec(-2.0f64..2.0, 400),
        ) {
            let pattern = Arc::new(BlockPattern::new(7, pairs));
            let mut a = SymmetricBlockMatrix::zeros(pattern.clone());
            let mut dense = [[0.0; 21]; 21];
            for (slot, (i, j)) in pattern.pairs().enumerate() {
                let at = |k: usize| numbers[(9 * slot + k) % 400];
                let mut block = Mat3::from_cols_array(&std::array::from_fn(at));
                if i == j { block = block + block.transpose(); }
                a.blocks[slot] = block;
                for r in 0..3 { for c in 0..3 {
                    dense[3 * i as usize + r][3 * j as usize + c] = block.col(c)[r];
                    dense[3 * j as usize + c][3 * i as usize + r] = block.col(c)[r];
                }}
            }
            let x: Vec<Vec3> = (0..7).map(|i| Vec3::new(numbers[i], numbers[i + 50], numbers[i + 99])).collect();
            let mut y = vec![Vec3::ZERO; 7];
            a.multiply(&x, &mut y);
            for row in 0..21 {
                let want: f64 = (0..21).map(|c| dense[row][c] * x[c / 3][c % 3]).sum();
                prop_assert!((y[row / 3][row % 3] - want).abs() < 1e-12);
            }
        }
    }

    /// `(P A P + (I - P) S) x` for a held and a guided row, of x in and out of the range of P.
    #[test]
    fn constrained_matrix_acts_only_in_free_directions() {
        let pattern = Arc::new(BlockPattern::new(3, [(0, 1), (0, 2), (1, 2)]));
        let mut a = SymmetricBlockMatrix::zeros(pattern.clone());
        for (slot, (i, j)) in pattern.pairs().enumerate() {
            let number = |k: usize| ((9 * slot + k) as f64 * 1.7).sin();
            let block = Mat3::from_cols_array(&std::array::from_fn(number));
            a.blocks[slot] =
                if i == j { block * block.transpose() + Mat3::IDENTITY } else { block };
        }
        let normal = Vec3::new(0.6, 0.0, 0.8);
        let free = Mat3::IDENTITY - resile_math::outer(normal, normal);
        let project = |x: &[Vec3]| vec![Vec3::ZERO, free * x[1], x[2]];
        let x = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, 0.5, 2.0), Vec3::new(0.3, -0.2, 0.9)];
        let multiply = |a: &SymmetricBlockMatrix, x: &[Vec3]| {
            let mut out = vec![Vec3::ZERO; 3];
            a.multiply(x, &mut out);
            out
        };
        let expected = project(&multiply(&a, &project(&x)));
        let mean = a.diagonal(1).trace() / 3.0;
        a.constrain(&[false, true, true], &[(1, free)]);
        let found = multiply(&a, &x);
        let fill = [x[0], (x[1] - free * x[1]) * mean, Vec3::ZERO];
        for i in 0..3 {
            assert!((found[i] - expected[i] - fill[i]).length() < 1e-14, "{i}: {}", found[i]);
        }
    }

    proptest! {
        #[test]
        fn grown_pattern_equals_a_new_one_and_maps_every_slot(
            first in prop::collection::vec((0u32..9, 0u32..9), 0..20),
            more in prop::collection::vec((0u32..9, 0u32..9), 0..20),
        ) {
            let before = BlockPattern::new(9, first.clone());
            let (grown, moved) = before.grown(more.clone());
            prop_assert_eq!(&grown, &BlockPattern::new(9, first.into_iter().chain(more)));
            let pairs: Vec<_> = grown.pairs().collect();
            for (slot, pair) in before.pairs().enumerate() {
                prop_assert_eq!(pairs[moved[slot] as usize], pair);
            }
            prop_assert_eq!(&before.slots_in(&grown), &moved);

            let grown = Arc::new(grown);
            let mut matrix = SymmetricBlockMatrix::<f64>::zeros(Arc::new(before));
            for (value, slot) in matrix.blocks.iter_mut().zip(1..) {
                *value = f64::from(slot);
            }
            let mut want = vec![0.0; grown.len()];
            moved.iter().zip(&matrix.blocks).for_each(|(&at, value)| want[at as usize] = *value);
            matrix.grow(grown.clone(), &moved);
            prop_assert_eq!(matrix.blocks, want);
        }
    }

    #[test]
    fn diagonal_is_first_in_every_row() {
        let p = BlockPattern::new(4, [(3, 0), (1, 2), (0, 3), (2, 2)]);
        assert_eq!(p.pairs().collect::<Vec<_>>(), [(0, 0), (0, 3), (1, 1), (1, 2), (2, 2), (3, 3)]);
        assert_eq!(p.find(0, 3), Some(1));
        assert_eq!(p.find(1, 3), None);
    }
}
