//! Block Gauss-Seidel, forward and backward, in single precision.
//!
//! A preconditioner need not be exact, and half the bytes are half the time of what
//! is bound by memory. Numbers are scaled so that single precision has the range
//! for them.
//!
//! Large matrices are swept by several threads: rows are divided into *parts* that
//! are not coupled with each other, and a *separator* that holds one end of every
//! coupling between them. Parts first and the separator last is an order of
//! Gauss-Seidel like any other, so nothing is lost but the threads on the separator.
//! The division depends on the matrix alone, so bits do not depend on threads.

use super::aggregates::Aggregates;
use crate::block_matrix::BlockPattern;
use crate::{SymmetricBlockMatrix, Vec3};
use rayon::prelude::*;
use std::sync::Arc;
use wide::f32x4;

/// A vector of three in single precision.
pub(super) type Vec3f = glam::Vec3;
type Mat3f = glam::Mat3;

/// Numbers of a block.
const BLOCK: usize = 9;
/// Rows of a part at least.
const PART_ROWS: usize = 2000;
/// Parts at most: separators grow with their number.
const MOST_PARTS: usize = 8;
/// Rows that one task works on where rows are independent.
const TASK_ROWS: usize = 1024;

/// The matrix in the order in which it is swept.
#[derive(Debug, Clone, Default)]
pub(super) struct Smoother {
    pattern: Option<Arc<BlockPattern>>,
    /// Node at each place.
    pub(super) order: Vec<u32>,
    /// Place of each node.
    pub(super) place: Vec<u32>,
    /// First place of each part, of the separator, and of nothing.
    starts: Vec<usize>,
    /// Where the blocks of each row begin: those to earlier places of its part, to
    /// later ones, and those from part to separator or back.
    marks: Vec<[u32; 3]>,
    /// Column of each block, counted within its part; from the separator to parts
    /// it is the place.
    columns: Vec<u32>,
    /// Where each stored block and its transpose go. Diagonal blocks go nowhere.
    targets: Vec<[u32; 2]>,
    /// Blocks by columns, and one number more for the last load.
    values: Vec<f32>,
    /// Inverses of the diagonal blocks.
    inverses: Vec<Mat3f>,
    /// What the matrix was multiplied by.
    pub(super) scale: f64,
}

/// Which blocks of a row.
#[derive(Debug, Clone, Copy)]
enum Blocks {
    Earlier,
    Later,
    Own,
    Across,
}

impl Smoother {
    /// Says that the aggregates are others than last time.
    pub(super) fn forget(&mut self) {
        self.pattern = None;
    }

    /// Takes over the values of `a`. `inverses` are those of its diagonal blocks.
    pub(super) fn load(
        &mut self,
        a: &SymmetricBlockMatrix,
        inverses: &[crate::Mat3],
        aggregates: &Aggregates,
    ) {
        if !self.pattern.as_ref().is_some_and(|known| Arc::ptr_eq(known, &a.pattern)) {
            self.adopt(&a.pattern, aggregates);
        }
        let trace = |i: usize| {
            let block = a.diagonal(i);
            block.x_axis.x.max(block.y_axis.y).max(block.z_axis.z)
        };
        let largest = (0..a.rows()).map(trace).fold(f64::MIN_POSITIVE, f64::max);
        self.scale = 1.0 / largest;
        let scale = self.scale;
        for (block, &[own, transposed]) in a.blocks.iter().zip(&self.targets) {
            if own == transposed {
                continue;
            }
            let block = (*block * scale).as_mat3();
            let own = own as usize * BLOCK;
            self.values[own..own + BLOCK].copy_from_slice(&block.to_cols_array());
            let other = transposed as usize * BLOCK;
            self.values[other..other + BLOCK].copy_from_slice(&block.transpose().to_cols_array());
        }
        self.inverses.clear();
        self.inverses
            .extend(self.order.iter().map(|&node| (inverses[node as usize] * largest).as_mat3()));
    }

    fn adopt(&mut self, pattern: &Arc<BlockPattern>, aggregates: &Aggregates) {
        self.arrange(pattern, aggregates);
        let part_of = |place: usize| self.starts.partition_point(|&start| start <= place) - 1;
        let rows = pattern.rows();
        let part: Vec<u32> = (0..rows).map(|place| part_of(place) as u32).collect();
        let links = || {
            pattern.pairs().enumerate().filter(|(_, (i, j))| i != j).flat_map(|(slot, (i, j))| {
                let (i, j) = (self.place[i as usize], self.place[j as usize]);
                [(slot, 0, i, j), (slot, 1, j, i)]
            })
        };
        let kind = |i: u32, j: u32| match part[i as usize] == part[j as usize] {
            true => usize::from(j > i),
            false => 2,
        };
        let mut next = vec![[0u32; 3]; rows + 1];
        links().for_each(|(_, _, i, j)| next[i as usize][kind(i, j)] += 1);
        let mut total = 0;
        for counts in &mut next {
            for count in counts {
                (*count, total) = (total, total + *count);
            }
        }
        let marks = next.clone();
        let mut columns = vec![0; total as usize];
        let mut targets = vec![[0; 2]; pattern.len()];
        for (slot, end, i, j) in links() {
            let kind = kind(i, j);
            let at = &mut next[i as usize][kind];
            let separator = self.starts.len() - 2;
            let from_separator = kind == 2 && part[i as usize] as usize == separator;
            let start = if from_separator { 0 } else { self.starts[part[j as usize] as usize] };
            columns[*at as usize] = j - start as u32;
            targets[slot][end] = *at;
            *at += 1;
        }
        self.marks = marks;
        self.columns = columns;
        self.targets = targets;
        self.values = vec![0.0; total as usize * BLOCK + 1];
        self.pattern = Some(pattern.clone());
    }

    /// Divides the nodes into parts, aggregate by aggregate, and a separator.
    fn arrange(&mut self, pattern: &BlockPattern, aggregates: &Aggregates) {
        let rows = pattern.rows();
        let parts = (rows / PART_ROWS).clamp(1, MOST_PARTS);
        let mut sequence = aggregates.all_members().to_vec();
        let mut part = vec![parts - 1; rows];
        sequence.iter().enumerate().for_each(|(k, &i)| part[i as usize] = k * parts / rows);
        let mut grouped = vec![false; rows];
        sequence.iter().for_each(|&i| grouped[i as usize] = true);
        sequence.extend((0..rows as u32).filter(|&i| !grouped[i as usize]));
        let inner = part.clone();
        for (i, j) in pattern.pairs() {
            let (i, j) = (i as usize, j as usize);
            if inner[i] != inner[j] && part[i] != parts && part[j] != parts {
                part[if inner[i] > inner[j] { i } else { j }] = parts;
            }
        }
        self.starts = vec![0];
        self.order.clear();
        for p in 0..=parts {
            self.order.extend(sequence.iter().filter(|&&i| part[i as usize] == p));
            self.starts.push(self.order.len());
        }
        self.place.resize(rows, 0);
        for (place, &node) in self.order.iter().enumerate() {
            self.place[node as usize] = place as u32;
        }
    }

    /// First place of the separator.
    fn separator(&self) -> usize {
        self.starts[self.starts.len() - 2]
    }

    /// Runs `f` for each part with its first place and its share of `x`.
    fn for_parts(&self, x: &mut [Vec3f], f: impl Fn(usize, &mut [Vec3f]) + Sync) {
        let parts = self.starts.len() - 2;
        if parts == 1 {
            return f(0, x);
        }
        let mut rest = x;
        let mut shares = Vec::with_capacity(parts);
        for p in 0..parts {
            let (share, others) = rest.split_at_mut(self.starts[p + 1] - self.starts[p]);
            shares.push((self.starts[p], share));
            rest = others;
        }
        shares.into_par_iter().for_each(|(start, share)| f(start, share));
    }

    /// `x = (D + L)^-1 r`.
    pub(super) fn forward(&self, r: &[Vec3f], x: &mut [Vec3f]) {
        let (inner, separator) = x.split_at_mut(self.separator());
        self.for_parts(inner, |start, x| {
            for k in 0..x.len() {
                let row = start + k;
                x[k] = self.inverses[row] * (r[row] - self.sum(row, Blocks::Earlier, x));
            }
        });
        for k in 0..separator.len() {
            let row = inner.len() + k;
            let known = self.sum(row, Blocks::Across, inner);
            let known = known + self.sum(row, Blocks::Earlier, separator);
            separator[k] = self.inverses[row] * (r[row] - known);
        }
    }

    /// `out = r - A x` after `x = forward(r)`, which is `-U x`.
    pub(super) fn residual_after_forward(&self, x: &[Vec3f], out: &mut [Vec3f]) {
        let at = self.separator();
        let (inner, separator) = x.split_at(at);
        self.for_parts(&mut out[..at], |start, out| {
            let x = &inner[start..start + out.len()];
            for k in 0..out.len() {
                let later = self.sum(start + k, Blocks::Later, x);
                out[k] = -(later + self.sum(start + k, Blocks::Across, separator));
            }
        });
        for k in 0..separator.len() {
            out[at + k] = -self.sum(at + k, Blocks::Later, separator);
        }
    }

    /// `x += (D + U)^-1 (r - A x)`.
    pub(super) fn backward(&self, r: &[Vec3f], x: &mut [Vec3f]) {
        let (inner, separator) = x.split_at_mut(self.separator());
        for k in (0..separator.len()).rev() {
            let row = inner.len() + k;
            let known = self.sum(row, Blocks::Across, inner);
            let known = known + self.sum(row, Blocks::Own, separator);
            separator[k] = self.inverses[row] * (r[row] - known);
        }
        let separator = &*separator;
        self.for_parts(inner, |start, x| {
            for k in (0..x.len()).rev() {
                let row = start + k;
                let known = self.sum(row, Blocks::Across, separator);
                let known = known + self.sum(row, Blocks::Own, x);
                x[k] = self.inverses[row] * (r[row] - known);
            }
        });
    }

    /// Runs `f` for each place with the entry there of `out`.
    pub(super) fn for_places(&self, out: &mut [Vec3f], f: impl Fn(usize, &mut Vec3f) + Sync) {
        if self.starts.len() == 3 {
            return out.iter_mut().enumerate().for_each(|(place, out)| f(place, out));
        }
        out.par_chunks_mut(TASK_ROWS).enumerate().for_each(|(task, out)| {
            out.iter_mut().enumerate().for_each(|(k, out)| f(task * TASK_ROWS + k, out));
        });
    }

    /// Some of the blocks of a row times what they stand for.
    #[inline(always)]
    fn sum(&self, row: usize, blocks: Blocks, x: &[Vec3f]) -> Vec3f {
        let [earlier, later, across] = self.marks[row];
        let (first, end) = match blocks {
            Blocks::Earlier => (earlier, later),
            Blocks::Later => (later, across),
            Blocks::Own => (earlier, across),
            Blocks::Across => (across, self.marks[row + 1][0]),
        };
        let range = first as usize..end as usize;
        let values = &self.values[range.start * BLOCK..range.end * BLOCK + 1];
        let mut sums = [f32x4::ZERO; 3];
        for (n, &column) in self.columns[range].iter().enumerate() {
            let block = &values[n * BLOCK..n * BLOCK + BLOCK + 1];
            let x = x[column as usize];
            sums[0] = load(&block[0..4]).mul_add(f32x4::splat(x.x), sums[0]);
            sums[1] = load(&block[3..7]).mul_add(f32x4::splat(x.y), sums[1]);
            sums[2] = load(&block[6..10]).mul_add(f32x4::splat(x.z), sums[2]);
        }
        let sum = (sums[0] + sums[1] + sums[2]).to_array();
        Vec3f::new(sum[0], sum[1], sum[2])
    }

    /// The vector of a place from that of a node, scaled.
    pub(super) fn gather(&self, r: &[Vec3], scale: f64, out: &mut [Vec3f]) {
        let order = &self.order;
        self.for_places(out, |place, out| *out = (r[order[place] as usize] * scale).as_vec3());
    }
}

#[inline(always)]
fn load(four: &[f32]) -> f32x4 {
    f32x4::from(<[f32; 4]>::try_from(four).expect("four numbers are asked for"))
}
