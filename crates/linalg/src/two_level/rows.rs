//! The matrix by rows, in the order of places, in single precision.
//!
//! An iteration is bound by reading the matrix (full rows are 12 MB at 4,900 nodes), so it is stored
//! as compactly as possible: conjugate gradients and the smoother share one copy, in single precision,
//! with only the blocks below the diagonal. Each read of a block serves twice: its row *pulls* the
//! block times the values at earlier places, and *pushes* its transpose times the row's own value.
//!
//! Rounded blocks change a product by 6e-8 of the largest block of a row. That is much for a rigid
//! motion, where the terms of a row cancel except for inertia. The rounding errors are therefore added
//! to the diagonal blocks, which are in double precision: translations keep their exact energy, and
//! other motions have an error of 6e-8 of the energy of the *differences* between neighbours.
//! Couplings of stiff contact, whose rounding would disturb a soft body, are stored exactly in
//! `stiff`.

use super::division::{Division, Part, over_parts};
use super::loading::{Loader, StoredBlock};
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

pub(super) const BLOCK_ENTRIES: usize = 9;

/// The blocks of a row left of its diagonal, ascending by the place of their column.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Row {
    start: u32,
    own: u32,
    end: u32,
}

impl Row {
    /// Blocks in columns of the row's own part (of the separator for a row of the separator).
    pub(super) fn own(self) -> Range<u32> {
        self.own..self.end
    }

    /// Blocks in columns of parts, for a row of the separator; empty otherwise.
    pub(super) fn across(self) -> Range<u32> {
        self.start..self.own
    }
}

/// The rows of `scale * A`.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    /// For each row of the separator, the first block of each part and the first of its own.
    across: Vec<u32>,
    /// Rows of the separator.
    outer: usize,
    /// Place of the column of each block.
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
    pub(super) fn arrange(&mut self, pattern: &BlockPattern, division: &Division) {
        let count = pattern.rows();
        let place = |node: u32| division.place[node as usize];
        let couplings = || {
            let pairs = pattern.pairs().enumerate().filter(|(_, (i, j))| i != j);
            pairs.map(|(slot, (i, j))| match (place(i), place(j)) {
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
        let mut below = vec![(0u32, 0u32, StoredBlock::default()); blocks];
        for (row, column, source) in couplings() {
            let at = &mut by_column[column as usize];
            below[*at as usize] = (row, column, source);
            *at += 1;
        }
        let starts = by_row.clone();
        resize_closely(&mut self.columns, blocks, 0);
        resize_closely(&mut self.sources, blocks, StoredBlock::default());
        for (row, column, source) in below {
            let at = &mut by_row[row as usize];
            self.columns[*at as usize] = column;
            self.sources[*at as usize] = source;
            *at += 1;
        }
        resize_closely(&mut self.values, blocks * BLOCK_ENTRIES, 0.0);
        self.diagonal.resize(count, Mat3::ZERO);
        self.inverses.resize(count, Mat3A::ZERO);
        self.rounding_error.resize(count, Mat3A::ZERO);
        self.mark(&starts, division);
    }

    /// Finds the start of the blocks of each row's own part.
    fn mark(&mut self, starts: &[u32], division: &Division) {
        let separator = division.separator() as u32;
        self.rows.clear();
        for (index, ends) in starts.windows(2).enumerate() {
            let (start, end) = (ends[0], ends[1]);
            let columns = &self.columns[start as usize..end as usize];
            let across = columns.partition_point(|&column| column < separator) as u32;
            let own = if (index as u32) < separator { start } else { start + across };
            self.rows.push(Row { start, own, end });
        }
        self.rows.push(Row { start: starts[division.rows()], ..Row::default() });
        self.outer = division.across();
        self.across.clear();
        let firsts = division.parts().iter().map(|part| part.places.start);
        for first in firsts.chain([division.separator()]) {
            for row in &self.rows[division.separator()..division.rows()] {
                let columns = &self.columns[row.start as usize..row.own as usize];
                let before = columns.partition_point(|&column| (column as usize) < first);
                self.across.push(row.start + before as u32);
            }
        }
        self.pulled.resize(division.parts().len() * self.outer, Vec3::ZERO);
    }

    /// Loads the off-diagonal blocks of `a`. Call [`load_diagonal`](Self::load_diagonal) next.
    pub(super) fn load(&mut self, a: &SymmetricBlockMatrix, division: &Division) {
        let entry = |i: usize| {
            let block = a.diagonal(i);
            block.x_axis.x.max(block.y_axis.y).max(block.z_axis.z)
        };
        let largest = (0..a.rows()).map(entry).fold(f64::MIN_POSITIVE, f64::max);
        self.scale = 2f64.powi(-ilogb(largest));
        let Self { rows, columns, sources, values, rounding_error, scale, .. } = self;
        let loader = Loader { a, rows, columns, sources, scale: *scale };
        let at = division.separator();
        let (inner, outer) = rounding_error.split_at_mut(at);
        let (inner_values, outer_values) =
            values.split_at_mut(rows[at].start as usize * BLOCK_ENTRIES);
        over_parts(
            division.parts(),
            (inner_values, &mut *inner, &mut [(); 0]),
            &|part| {
                let Range { start, end } = part.places;
                let blocks = (rows[end].start - rows[start].start) as usize;
                [blocks * BLOCK_ENTRIES, end - start, 0]
            },
            &|part, values, rounding_error, _| {
                loader.load_part(part, values, rounding_error);
                0.0
            },
        );
        loader.load_separator(outer_values, inner, outer);
    }

    /// Loads the diagonal blocks; returns whether all are positive definite.
    pub(super) fn load_diagonal(&mut self, a: &SymmetricBlockMatrix, division: &Division) -> bool {
        let Self { rows, columns, sources, diagonal, inverses, rounding_error, scale, .. } = self;
        let loader = Loader { a, rows, columns, sources, scale: *scale };
        let places =
            division.node.par_iter().zip(&*rounding_error).with_min_len(MIN_BLOCKS_PER_TASK);
        let blocks = diagonal.par_iter_mut().zip(&mut *inverses);
        places.zip(blocks).for_each(|((&node, rounding_error), (block, inverse))| {
            (*block, *inverse) = loader.diagonal(node, rounding_error);
        });
        // An indefinite block has a zero inverse.
        inverses.iter().all(|inverse| *inverse != Mat3A::ZERO)
    }

    #[inline(always)]
    pub(super) fn row(&self, place: usize) -> Row {
        self.rows[place]
    }

    /// The blocks of row `row` of the separator in columns of part `part`.
    #[inline(always)]
    pub(super) fn across(&self, part: usize, row: usize) -> Range<u32> {
        let at = part * self.outer + row;
        self.across[at]..self.across[at + self.outer]
    }

    /// The inverse of the diagonal block of `place`.
    #[inline(always)]
    pub(super) fn inverse(&self, place: usize) -> Mat3A {
        self.inverses[place]
    }

    /// The blocks of a range with the places of their columns.
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

    /// Calls `to` with the column and the transposed block times `x` for each block of a range.
    #[inline(always)]
    pub(super) fn push(&self, range: Range<u32>, x: Vec3A, mut to: impl FnMut(usize, Vec3A)) {
        let (x, y, z) = (Vec3A::splat(x.x), Vec3A::splat(x.y), Vec3A::splat(x.z));
        for (block, column) in self.blocks(range) {
            let rows = block.read().transpose();
            to(column, rows.x_axis.mul_add(x, rows.y_axis.mul_add(y, rows.z_axis * z)));
        }
    }

    /// The error of rounding the scaled block to single precision.
    pub(super) fn rounding_error(&self, block: &Mat3) -> Mat3 {
        let scaled = *block * self.scale;
        scaled - scaled.as_mat3().as_dmat3()
    }

    /// The diagonal block of a row, mutable.
    pub(super) fn diagonal_mut(&mut self, place: usize) -> &mut Mat3 {
        &mut self.diagonal[place]
    }

    /// Sets `p = z + beta p` and `out = scale A p`; returns their scalar product.
    pub(super) fn update_direction(
        &mut self,
        division: &Division,
        beta: f64,
        z: &[Vec3],
        p: &mut [Vec3],
        out: &mut [Vec3],
    ) -> f64 {
        let mut pulled = std::mem::take(&mut self.pulled);
        let at = division.separator();
        let (inner, outer) = p.split_at_mut(at);
        let (inner_out, outer_out) = out.split_at_mut(at);
        add_multiple(beta, &z[at..], outer);
        let sum = over_parts(
            division.parts(),
            (inner, inner_out, &mut pulled),
            &|part| [part.places.len(), part.places.len(), self.outer],
            &|part, p, out, pulled| {
                add_multiple(beta, &z[part.places.clone()], p);
                self.multiply_part(part, p, outer, out, pulled);
                dot(p, out)
            },
        );
        for k in 0..self.outer {
            let (place, row) = (at + k, self.rows[at + k]);
            let (earlier, out) = outer_out.split_at_mut(k);
            out[0] = self.diagonal[place] * outer[k];
            out[0] += self.pull_and_push(row.own(), (outer, at), outer[k], earlier);
            for of_part in pulled.chunks_exact(self.outer) {
                out[0] += of_part[k];
            }
        }
        self.pulled = pulled;
        sum + dot(outer, outer_out)
    }

    /// Multiplies the rows of a part and its blocks in rows of the separator, where the vector is `outer`; the latter
    /// results go to `pulled`.
    fn multiply_part(
        &self,
        part: &Part,
        p: &[Vec3],
        outer: &[Vec3],
        out: &mut [Vec3],
        pulled: &mut [Vec3],
    ) {
        let start = part.places.start;
        for (k, place) in part.places.clone().enumerate() {
            let (earlier, out) = out.split_at_mut(k);
            let own = self.rows[place].own();
            out[0] = self.diagonal[place] * p[k];
            out[0] += self.pull_and_push(own, (p, start), p[k], earlier);
        }
        for (k, (pulled, here)) in pulled.iter_mut().zip(outer).enumerate() {
            *pulled = self.pull_and_push(self.across(part.number, k), (p, start), *here, out);
        }
    }

    /// Returns the blocks of a row times `x` and adds their transposes times `here`, the row's own value,
    /// to `out`; `x` and `out` begin at place `start`.
    #[inline(always)]
    fn pull_and_push(
        &self,
        range: Range<u32>,
        (x, start): (&[Vec3], usize),
        here: Vec3,
        out: &mut [Vec3],
    ) -> Vec3 {
        // Unrolled: `map` is not always inlined here.
        let here = [f64x4::splat(here.x), f64x4::splat(here.y), f64x4::splat(here.z)];
        let mut sums = [f64x4::ZERO; 3];
        for (block, column) in self.blocks(range) {
            let there = x[column - start];
            let block = block.read();
            sums[0] = widened(block.x_axis).mul_add(f64x4::splat(there.x), sums[0]);
            sums[1] = widened(block.y_axis).mul_add(f64x4::splat(there.y), sums[1]);
            sums[2] = widened(block.z_axis).mul_add(f64x4::splat(there.z), sums[2]);
            let rows = block.transpose();
            let push = widened(rows.z_axis) * here[2];
            let push = widened(rows.y_axis).mul_add(here[1], push);
            let push = widened(rows.x_axis).mul_add(here[0], push).to_array();
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
    #[inline(always)]
    fn read(self) -> Mat3A {
        let four = |at: usize| Vec4::from_slice(&self.0[at..at + 4]);
        // The fourth component of each column is unused.
        let last = Vec3A::from_vec4(four(5).yzww());
        Mat3A::from_cols(Vec3A::from_vec4(four(0)), Vec3A::from_vec4(four(3)), last)
    }
}

/// A vector of three in double precision; the fourth component is unused.
#[inline(always)]
fn widened(v: Vec3A) -> f64x4 {
    f64x4::from([v.x.into(), v.y.into(), v.z.into(), v.z.into()])
}
