//! The matrix by rows, in the order of the sweep, in single precision.
//!
//! An iteration is bound by reading the matrix (full rows are 12 MB at 4,900 nodes), so it is stored
//! as compactly as possible: conjugate gradients and the smoother share one copy, in single precision,
//! with only the blocks below the diagonal. Each read of a block serves twice: its row *pulls* the
//! block times the values at earlier rows, and *pushes* its transpose times the row's own value.
//!
//! Rounded blocks change a product by 6e-8 of the largest block of a row. That is much for a rigid
//! motion, where the terms of a row cancel except for inertia. The rounding errors are therefore added
//! to the diagonal blocks, which are in double precision: translations keep their exact energy, and
//! other motions have an error of 6e-8 of the energy of the *differences* between neighbours.
//! Couplings of stiff contact, whose rounding would disturb a soft body, are stored exactly in
//! `stiff`.

use super::loading::{Loader, StoredBlock};
use super::row_partition::{Part, RowPartition, sum_over_parts};
use crate::cg::{add_multiple, dot};
use glam::{Mat3A, Vec3A, Vec4, Vec4Swizzles};
use rayon::prelude::*;
use resile_math::elementary::ilogb;
use resile_math::{Mat3, Vec3};
use resile_sparse::scratch::resize_closely;
use resile_sparse::{BlockPattern, SymmetricBlockMatrix};
use std::ops::Range;
use wide::f64x4;

/// Least number of diagonal blocks per task.
const MIN_BLOCKS_PER_TASK: usize = 256;

/// Number of entries of a block.
pub(super) const BLOCK_ENTRIES: usize = 9;

/// The blocks of a row left of its diagonal, ascending by the sweep index of their column.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Row {
    start: u32,
    own_start: u32,
    end: u32,
}

impl Row {
    /// Blocks in columns of the row's own part (of the separator for a row of the separator).
    pub(super) fn same_part_blocks(self) -> Range<u32> {
        self.own_start..self.end
    }

    /// Blocks in columns of parts, for a row of the separator; empty otherwise.
    pub(super) fn part_column_blocks(self) -> Range<u32> {
        self.start..self.own_start
    }
}

/// The rows of `scale * A`.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    /// For each part, and then for the separator, the first block of each separator row in its columns.
    separator_starts: Vec<u32>,
    /// Rows of the separator.
    separator_rows: usize,
    /// Sweep index of the column of each block.
    columns: Vec<u32>,
    sources: Vec<StoredBlock>,
    /// Blocks by columns.
    values: Vec<f32>,
    /// Diagonal blocks plus the rounding errors of the others.
    diagonal: Vec<Mat3>,
    /// Inverses of the true diagonal blocks.
    inverses: Vec<Mat3A>,
    /// Rounding errors of the blocks of each row and column.
    rounding_error: Vec<Mat3A>,
    /// Scratch for the values that rows of the separator pull from each part.
    pulled: Vec<Vec3>,
    /// Factor that brings the matrix into the range of single precision: a power of two, so that
    /// scaling is exact.
    pub(super) scale: f64,
}

impl Rows {
    /// Lays out the rows of `pattern`. O(blocks).
    pub(super) fn arrange(&mut self, pattern: &BlockPattern, row_partition: &RowPartition) {
        let count = pattern.rows();
        let sweep_index = |node: u32| row_partition.sweep_index_of_node[node as usize];
        let couplings = || {
            let pairs = pattern.pairs().enumerate().filter(|(_, (i, j))| i != j);
            pairs.map(|(slot, (i, j))| match (sweep_index(i), sweep_index(j)) {
                (row, column) if row > column => (row, column, StoredBlock::stored(slot)),
                (column, row) => (row, column, StoredBlock::transposed(slot)),
            })
        };
        let (mut by_row, mut by_column) = (vec![0u32; count + 1], vec![0u32; count + 1]);
        for (row, column, _) in couplings() {
            by_row[row as usize + 1] += 1;
            by_column[column as usize + 1] += 1;
        }
        for k in 0..count {
            by_row[k + 1] += by_row[k];
            by_column[k + 1] += by_column[k];
        }
        let blocks = by_row[count] as usize;
        // Sorted by columns first, so that each row is filled in ascending order of columns.
        let mut sorted_by_column = vec![(0u32, 0u32, StoredBlock::default()); blocks];
        for (row, column, source) in couplings() {
            let slot = &mut by_column[column as usize];
            sorted_by_column[*slot as usize] = (row, column, source);
            *slot += 1;
        }
        let starts = by_row.clone();
        resize_closely(&mut self.columns, blocks, 0);
        resize_closely(&mut self.sources, blocks, StoredBlock::default());
        for (row, column, source) in sorted_by_column {
            let slot = &mut by_row[row as usize];
            self.columns[*slot as usize] = column;
            self.sources[*slot as usize] = source;
            *slot += 1;
        }
        resize_closely(&mut self.values, blocks * BLOCK_ENTRIES, 0.0);
        self.diagonal.resize(count, Mat3::ZERO);
        self.inverses.resize(count, Mat3A::ZERO);
        self.rounding_error.resize(count, Mat3A::ZERO);
        self.find_part_starts(&starts, row_partition);
    }

    /// Finds the start of the blocks of each row's own part.
    fn find_part_starts(&mut self, starts: &[u32], row_partition: &RowPartition) {
        let separator = row_partition.separator_start() as u32;
        self.rows.clear();
        for (index, ends) in starts.windows(2).enumerate() {
            let (start, end) = (ends[0], ends[1]);
            let columns = &self.columns[start as usize..end as usize];
            let part_blocks = columns.partition_point(|&column| column < separator) as u32;
            let own_start = if (index as u32) < separator { start } else { start + part_blocks };
            self.rows.push(Row { start, own_start, end });
        }
        self.rows.push(Row { start: starts[row_partition.rows()], ..Row::default() });
        self.separator_rows = row_partition.separator_rows();
        self.separator_starts.clear();
        let firsts = row_partition.parts().iter().map(|part| part.range.start);
        for first in firsts.chain([row_partition.separator_start()]) {
            for row in &self.rows[row_partition.separator_start()..row_partition.rows()] {
                let columns = &self.columns[row.start as usize..row.own_start as usize];
                let before = columns.partition_point(|&column| (column as usize) < first);
                self.separator_starts.push(row.start + before as u32);
            }
        }
        self.pulled.resize(row_partition.parts().len() * self.separator_rows, Vec3::ZERO);
    }

    /// Loads the off-diagonal blocks of `a`. Call [`load_diagonal`](Self::load_diagonal) next.
    pub(super) fn load(&mut self, a: &SymmetricBlockMatrix, row_partition: &RowPartition) {
        let largest_diagonal_entry = |i: usize| {
            let block = a.diagonal(i);
            block.x_axis.x.max(block.y_axis.y).max(block.z_axis.z)
        };
        let largest = (0..a.rows()).map(largest_diagonal_entry).fold(f64::MIN_POSITIVE, f64::max);
        self.scale = 2f64.powi(-ilogb(largest));
        let Self { rows, columns, sources, values, rounding_error, scale, .. } = self;
        let loader = Loader { a, rows, columns, sources, scale: *scale };
        let separator = row_partition.separator_start();
        let (part_errors, separator_errors) = rounding_error.split_at_mut(separator);
        let (part_values, separator_values) =
            values.split_at_mut(rows[separator].start as usize * BLOCK_ENTRIES);
        sum_over_parts(
            row_partition.parts(),
            (part_values, &mut *part_errors, &mut [(); 0]),
            &|part| {
                let Range { start, end } = part.range;
                let blocks = (rows[end].start - rows[start].start) as usize;
                [blocks * BLOCK_ENTRIES, end - start, 0]
            },
            &|part, values, rounding_error, _| {
                loader.load_part(part, values, rounding_error);
                0.0
            },
        );
        loader.load_separator(separator_values, part_errors, separator_errors);
    }

    /// Loads the diagonal blocks; returns whether all are positive definite.
    pub(super) fn load_diagonal(
        &mut self,
        a: &SymmetricBlockMatrix,
        row_partition: &RowPartition,
    ) -> bool {
        let Self { rows, columns, sources, diagonal, inverses, rounding_error, scale, .. } = self;
        let loader = Loader { a, rows, columns, sources, scale: *scale };
        let sweep_indices = row_partition
            .node_in_order
            .par_iter()
            .zip(&*rounding_error)
            .with_min_len(MIN_BLOCKS_PER_TASK);
        let blocks = diagonal.par_iter_mut().zip(&mut *inverses);
        sweep_indices.zip(blocks).for_each(|((&node, rounding_error), (block, inverse))| {
            (*block, *inverse) = loader.diagonal(node, rounding_error);
        });
        // An indefinite block has a zero inverse.
        inverses.iter().all(|inverse| *inverse != Mat3A::ZERO)
    }

    /// Layout of the row with this sweep index.
    #[inline(always)]
    pub(super) fn row(&self, sweep_index: usize) -> Row {
        self.rows[sweep_index]
    }

    /// The blocks of row `row` of the separator in columns of part `part`.
    #[inline(always)]
    pub(super) fn separator_blocks(&self, part: usize, row: usize) -> Range<u32> {
        let index = part * self.separator_rows + row;
        self.separator_starts[index]..self.separator_starts[index + self.separator_rows]
    }

    /// The inverse of the diagonal block of a row.
    #[inline(always)]
    pub(super) fn inverse(&self, sweep_index: usize) -> Mat3A {
        self.inverses[sweep_index]
    }

    /// The blocks of a range with the sweep indices of their columns.
    #[inline(always)]
    fn blocks(&self, range: Range<u32>) -> impl Iterator<Item = (SingleBlock<'_>, usize)> {
        let range = range.start as usize..range.end as usize;
        let values = self.values[range.start * BLOCK_ENTRIES..range.end * BLOCK_ENTRIES]
            .chunks_exact(BLOCK_ENTRIES);
        values
            .zip(&self.columns[range])
            .map(|(block, &column)| (SingleBlock(block), column as usize))
    }

    /// The sum of the blocks of a range times `x` at their columns.
    #[inline(always)]
    pub(super) fn pull(&self, range: Range<u32>, x: impl Fn(usize) -> Vec3A) -> Vec3A {
        // One sum per column of the blocks, so that the multiplications are independent.
        let mut sums = [Vec3A::ZERO; 3];
        for (block, column) in self.blocks(range) {
            let (block, x) = (block.read(), x(column));
            sums[0] = block.x_axis.mul_add(Vec3A::splat(x.x), sums[0]);
            sums[1] = block.y_axis.mul_add(Vec3A::splat(x.y), sums[1]);
            sums[2] = block.z_axis.mul_add(Vec3A::splat(x.z), sums[2]);
        }
        sums[0] + sums[1] + sums[2]
    }

    /// Calls `add` with the column and the transposed block times `x` for each block of a range.
    #[inline(always)]
    pub(super) fn push(&self, range: Range<u32>, x: Vec3A, mut add: impl FnMut(usize, Vec3A)) {
        let (x, y, z) = (Vec3A::splat(x.x), Vec3A::splat(x.y), Vec3A::splat(x.z));
        for (block, column) in self.blocks(range) {
            let rows = block.read().transpose();
            add(column, rows.x_axis.mul_add(x, rows.y_axis.mul_add(y, rows.z_axis * z)));
        }
    }

    /// The error of rounding the scaled block to single precision.
    pub(super) fn rounding_error(&self, block: &Mat3) -> Mat3 {
        let scaled = *block * self.scale;
        scaled - scaled.as_mat3().as_dmat3()
    }

    /// The diagonal block of a row, mutable.
    pub(super) fn diagonal_mut(&mut self, sweep_index: usize) -> &mut Mat3 {
        &mut self.diagonal[sweep_index]
    }

    /// Sets `p = z + beta p` and `out = scale A p`; returns their scalar product.
    pub(super) fn update_direction(
        &mut self,
        row_partition: &RowPartition,
        beta: f64,
        z: &[Vec3],
        p: &mut [Vec3],
        out: &mut [Vec3],
    ) -> f64 {
        let mut pulled = std::mem::take(&mut self.pulled);
        let separator = row_partition.separator_start();
        let (part_p, separator_p) = p.split_at_mut(separator);
        let (part_out, separator_out) = out.split_at_mut(separator);
        add_multiple(beta, &z[separator..], separator_p);
        let sum = sum_over_parts(
            row_partition.parts(),
            (part_p, part_out, &mut pulled),
            &|part| [part.range.len(), part.range.len(), self.separator_rows],
            &|part, p, out, pulled| {
                add_multiple(beta, &z[part.range.clone()], p);
                self.multiply_part(part, p, separator_p, out, pulled);
                dot(p, out)
            },
        );
        for k in 0..self.separator_rows {
            let (sweep_index, row) = (separator + k, self.rows[separator + k]);
            let (earlier, out) = separator_out.split_at_mut(k);
            out[0] = self.diagonal[sweep_index] * separator_p[k];
            out[0] += self.pull_and_push(
                row.same_part_blocks(),
                (separator_p, separator),
                separator_p[k],
                earlier,
            );
            for part_products in pulled.chunks_exact(self.separator_rows) {
                out[0] += part_products[k];
            }
        }
        self.pulled = pulled;
        sum + dot(separator_p, separator_out)
    }

    /// Multiplies the rows of a part and its blocks in rows of the separator, where the vector is `separator_p`; the
    /// latter results go to `pulled`.
    fn multiply_part(
        &self,
        part: &Part,
        p: &[Vec3],
        separator_p: &[Vec3],
        out: &mut [Vec3],
        pulled: &mut [Vec3],
    ) {
        let start = part.range.start;
        for (k, sweep_index) in part.range.clone().enumerate() {
            let (earlier, out) = out.split_at_mut(k);
            let blocks = self.rows[sweep_index].same_part_blocks();
            out[0] = self.diagonal[sweep_index] * p[k];
            out[0] += self.pull_and_push(blocks, (p, start), p[k], earlier);
        }
        for (k, (pulled, row_value)) in pulled.iter_mut().zip(separator_p).enumerate() {
            *pulled = self.pull_and_push(
                self.separator_blocks(part.index, k),
                (p, start),
                *row_value,
                out,
            );
        }
    }

    /// Returns the blocks of a row times `x` and adds their transposes times `row_value`, the entry of `x` at the row,
    /// to `out`; `x` and `out` begin at sweep index `start`.
    #[inline(always)]
    fn pull_and_push(
        &self,
        range: Range<u32>,
        (x, start): (&[Vec3], usize),
        row_value: Vec3,
        out: &mut [Vec3],
    ) -> Vec3 {
        // Unrolled: `map` is not always inlined here.
        let row_value =
            [f64x4::splat(row_value.x), f64x4::splat(row_value.y), f64x4::splat(row_value.z)];
        let mut sums = [f64x4::ZERO; 3];
        for (block, column) in self.blocks(range) {
            let column_value = x[column - start];
            let block = block.read();
            sums[0] = widen(block.x_axis).mul_add(f64x4::splat(column_value.x), sums[0]);
            sums[1] = widen(block.y_axis).mul_add(f64x4::splat(column_value.y), sums[1]);
            sums[2] = widen(block.z_axis).mul_add(f64x4::splat(column_value.z), sums[2]);
            let rows = block.transpose();
            let push = widen(rows.z_axis) * row_value[2];
            let push = widen(rows.y_axis).mul_add(row_value[1], push);
            let push = widen(rows.x_axis).mul_add(row_value[0], push).to_array();
            out[column - start] += Vec3::new(push[0], push[1], push[2]);
        }
        let sum = (sums[0] + sums[1] + sums[2]).to_array();
        Vec3::new(sum[0], sum[1], sum[2])
    }
}

/// The nine numbers of a block, by columns.
#[derive(Clone, Copy)]
struct SingleBlock<'a>(&'a [f32]);

impl SingleBlock<'_> {
    /// Reads a block with unused fourth components.
    #[inline(always)]
    fn read(self) -> Mat3A {
        let four = |first: usize| Vec4::from_slice(&self.0[first..first + 4]);
        // The fourth component of each column is unused.
        let last = Vec3A::from_vec4(four(5).yzww());
        Mat3A::from_cols(Vec3A::from_vec4(four(0)), Vec3A::from_vec4(four(3)), last)
    }
}

/// A vector of three in double precision; the fourth component is unused.
#[inline(always)]
fn widen(v: Vec3A) -> f64x4 {
    f64x4::from([v.x.into(), v.y.into(), v.z.into(), v.z.into()])
}
