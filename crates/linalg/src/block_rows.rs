//! A symmetric block matrix written out in full rows, for many products.
//!
//! A product with the stored triangle writes to two places a block and transposes
//! half of them; one with full rows only reads, four doubles at a time: a column of
//! a block and the first number of what follows it. It is worth the copy as soon as
//! two products are done with the same values. Rows are independent, so large
//! products run in parallel, with the same bits.

use crate::{BlockPattern, Mat3, SymmetricBlockMatrix, Vec3};
use rayon::prelude::*;
use std::sync::Arc;
use wide::f64x4;

/// Numbers of a block.
const BLOCK: usize = 9;
/// Rows that one task multiplies.
const TASK_ROWS: usize = 512;
/// Blocks from which on a product is shared between threads: below it waking them
/// costs more than the product.
const PARALLEL_BLOCKS: usize = 20_000;

/// Blocks that one task copies.
const TASK_BLOCKS: usize = 8192;

/// A stored block or its transpose.
#[derive(Debug, Clone, Copy, Default)]
struct Source(u32);

impl Source {
    fn stored(slot: u32) -> Self {
        Self(2 * slot)
    }

    fn transposed(slot: u32) -> Self {
        Self(2 * slot + 1)
    }

    #[inline(always)]
    fn read(self, a: &SymmetricBlockMatrix) -> Mat3 {
        let block = a.blocks[(self.0 / 2) as usize];
        if self.0.is_multiple_of(2) { block } else { block.transpose() }
    }
}

/// Full rows of 3x3 blocks, ascending by column.
#[derive(Debug, Clone, Default)]
pub struct BlockRows {
    pattern: Option<Arc<BlockPattern>>,
    row_start: Vec<u32>,
    columns: Vec<u32>,
    /// Where each block comes from.
    sources: Vec<Source>,
    /// Blocks by columns, and one number more for the last load.
    values: Vec<f64>,
}

impl BlockRows {
    /// Takes over the values of `a`, and its pattern if that is another than last time.
    pub fn load(&mut self, a: &SymmetricBlockMatrix) {
        let known = self.pattern.as_ref().is_some_and(|p| Arc::ptr_eq(p, &a.pattern));
        if !known {
            self.adopt(&a.pattern);
        }
        let sources = &self.sources;
        let fill = |(task, values): (usize, &mut [f64])| {
            let sources = sources[task * TASK_BLOCKS..].iter();
            for (value, source) in values.chunks_exact_mut(BLOCK).zip(sources) {
                value.copy_from_slice(&source.read(a).to_cols_array());
            }
        };
        let end = self.values.len() - 1;
        let tasks = &mut self.values[..end];
        if a.blocks.len() < PARALLEL_BLOCKS {
            tasks.chunks_mut(TASK_BLOCKS * BLOCK).enumerate().for_each(fill);
        } else {
            tasks.par_chunks_mut(TASK_BLOCKS * BLOCK).enumerate().for_each(fill);
        }
    }

    fn adopt(&mut self, pattern: &Arc<BlockPattern>) {
        let rows = pattern.rows();
        self.row_start = vec![0; rows + 1];
        for (i, j) in pattern.pairs() {
            self.row_start[i as usize + 1] += 1;
            if i != j {
                self.row_start[j as usize + 1] += 1;
            }
        }
        for i in 0..rows {
            self.row_start[i + 1] += self.row_start[i];
        }
        let blocks = self.row_start[rows] as usize;
        let mut next = self.row_start.clone();
        self.columns = vec![0; blocks];
        self.sources = vec![Source::default(); blocks];
        let mut place = |row: u32, column: u32, source: Source| {
            let at = next[row as usize] as usize;
            next[row as usize] += 1;
            self.columns[at] = column;
            self.sources[at] = source;
        };
        // Pairs come row by row: what a row receives from earlier ones comes first.
        for (slot, (i, j)) in (0u32..).zip(pattern.pairs()) {
            place(i, j, Source::stored(slot));
            if i != j {
                place(j, i, Source::transposed(slot));
            }
        }
        self.values = vec![0.0; blocks * BLOCK + 1];
        self.pattern = Some(pattern.clone());
    }

    /// `out = A x`.
    pub fn multiply(&self, x: &[Vec3], out: &mut [Vec3]) {
        if self.columns.len() < PARALLEL_BLOCKS {
            return self.multiply_rows(0, x, out);
        }
        out.par_chunks_mut(TASK_ROWS)
            .enumerate()
            .for_each(|(task, out)| self.multiply_rows(task * TASK_ROWS, x, out));
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_start.len() - 1
    }

    /// The pattern of the matrix last loaded.
    pub(crate) fn pattern(&self) -> Option<&Arc<BlockPattern>> {
        self.pattern.as_ref()
    }

    /// Number and column of each block of row `i`.
    pub(crate) fn row(&self, i: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let range = self.row_start[i]..self.row_start[i + 1];
        range.map(|block| (block, self.columns[block as usize]))
    }

    /// The numbers of a block, by columns.
    #[inline(always)]
    pub(crate) fn block(&self, block: u32) -> &[f64] {
        &self.values[block as usize * BLOCK..][..BLOCK]
    }

    /// Row `i` of `A x`.
    pub fn row_times(&self, i: usize, x: &[Vec3]) -> Vec3 {
        let mut out = [Vec3::ZERO];
        self.multiply_rows(i, x, &mut out);
        out[0]
    }

    /// `out -= A e x`, e the unit vector of row `i`.
    pub fn subtract_column(&self, i: usize, x: Vec3, out: &mut [Vec3]) {
        let range = self.row_start[i] as usize..self.row_start[i + 1] as usize;
        let values = self.values[range.start * BLOCK..].chunks_exact(BLOCK);
        for (block, &j) in values.zip(&self.columns[range]) {
            out[j as usize] -= Mat3::from_cols_slice(block).transpose() * x;
        }
    }

    fn multiply_rows(&self, first: usize, x: &[Vec3], out: &mut [Vec3]) {
        for (k, out) in out.iter_mut().enumerate() {
            let range = self.row_start[first + k] as usize..self.row_start[first + k + 1] as usize;
            let values = &self.values[range.start * BLOCK..range.end * BLOCK + 1];
            // One sum a column, so that no multiplication waits for another.
            let mut sums = [f64x4::ZERO; 3];
            for (n, &column) in self.columns[range].iter().enumerate() {
                let block = &values[n * BLOCK..n * BLOCK + BLOCK + 1];
                let x = x[column as usize];
                sums[0] = load(&block[0..4]).mul_add(f64x4::splat(x.x), sums[0]);
                sums[1] = load(&block[3..7]).mul_add(f64x4::splat(x.y), sums[1]);
                sums[2] = load(&block[6..10]).mul_add(f64x4::splat(x.z), sums[2]);
            }
            let sum = (sums[0] + sums[1] + sums[2]).to_array();
            *out = Vec3::new(sum[0], sum[1], sum[2]);
        }
    }
}

#[inline(always)]
fn load(four: &[f64]) -> f64x4 {
    // As one array: number by number the compiler shuffles what it could load at once.
    f64x4::from(<[f64; 4]>::try_from(four).expect("four numbers are asked for"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: u32) -> SymmetricBlockMatrix {
        let near = |i: u32| (1..8).map(move |d| (i, i + d * d)).filter(move |&(_, j)| j < rows);
        let pattern = Arc::new(BlockPattern::new(rows as usize, (0..rows).flat_map(near)));
        let mut a = SymmetricBlockMatrix::zeros(pattern.clone());
        for (slot, (i, j)) in pattern.pairs().enumerate() {
            let number = |k: usize| ((slot * 9 + k) as f64 * 0.7).sin();
            let block = Mat3::from_cols_array(&std::array::from_fn(number));
            a.blocks[slot] = if i == j { block + block.transpose() } else { block };
        }
        a
    }

    #[test]
    fn products_agree_with_those_of_the_stored_triangle() {
        let mut rows = BlockRows::default();
        for n in [1, 5, 90, 3000] {
            let mut a = matrix(n);
            let x: Vec<Vec3> = (0..n).map(|i| Vec3::new(f64::from(i).cos(), 1.0, -0.3)).collect();
            for _ in 0..2 {
                rows.load(&a);
                let (mut got, mut want) = (vec![Vec3::ZERO; x.len()], vec![Vec3::ZERO; x.len()]);
                rows.multiply(&x, &mut got);
                a.multiply(&x, &mut want);
                for (got, want) in got.iter().zip(&want) {
                    assert!((*got - *want).length() < 1e-13, "{got} {want}");
                }
                a.blocks.iter_mut().for_each(|block| *block *= 2.0);
            }
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let a = matrix(6000);
        let mut rows = BlockRows::default();
        rows.load(&a);
        assert!(rows.columns.len() > PARALLEL_BLOCKS, "large enough to be shared");
        let x: Vec<Vec3> = (0..6000).map(|i| Vec3::new(f64::from(i).sin(), 0.1, 7.0)).collect();
        let product = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = vec![Vec3::ZERO; x.len()];
            pool.install(|| rows.multiply(&x, &mut out));
            out
        };
        assert_eq!(product(1), product(3));
    }
}
