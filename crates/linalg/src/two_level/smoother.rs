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
use crate::block_rows::BlockRows;
use crate::{BlockPattern, Vec3};
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
/// Blocks that one task copies.
const TASK_BLOCKS: usize = 8192;
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
    /// Which block of the full rows each one is.
    sources: Vec<u32>,
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

    /// Takes over the values of `a`. `inverses` are those of its diagonal blocks,
    /// `largest` the largest number there.
    pub(super) fn load(
        &mut self,
        a: &BlockRows,
        inverses: &[crate::Mat3],
        largest: f64,
        aggregates: &Aggregates,
    ) {
        let pattern = a.pattern().expect("rows are loaded before they are smoothed");
        if !self.pattern.as_ref().is_some_and(|known| Arc::ptr_eq(known, pattern)) {
            self.adopt(a, aggregates);
            self.pattern = Some(pattern.clone());
        }
        let scale = 1.0 / largest;
        self.scale = scale;
        let sources = &self.sources;
        let fill = |(task, values): (usize, &mut [f32])| {
            let sources = sources[task * TASK_BLOCKS..].iter();
            for (block, source) in values.chunks_exact_mut(BLOCK).zip(sources) {
                for (single, double) in block.iter_mut().zip(a.block(*source)) {
                    *single = (double * scale) as f32;
                }
            }
        };
        let end = self.values.len() - 1;
        let tasks = &mut self.values[..end];
        if self.starts.len() == 3 {
            tasks.chunks_mut(TASK_BLOCKS * BLOCK).enumerate().for_each(fill);
        } else {
            tasks.par_chunks_mut(TASK_BLOCKS * BLOCK).enumerate().for_each(fill);
        }
        self.inverses.clear();
        self.inverses
            .extend(self.order.iter().map(|&node| (inverses[node as usize] * largest).as_mat3()));
    }

    /// Sorts the blocks of the full rows by place, part and side.
    fn adopt(&mut self, a: &BlockRows, aggregates: &Aggregates) {
        self.arrange(a, aggregates);
        let separator = self.starts.len() - 2;
        self.marks.clear();
        self.columns.clear();
        self.sources.clear();
        let mut sorted: [Vec<(u32, u32)>; 3] = Default::default();
        for part in 0..=separator {
            let own = self.starts[part]..self.starts[part + 1];
            for place in own.clone() {
                sorted.iter_mut().for_each(Vec::clear);
                for (block, node) in a.row(self.order[place] as usize) {
                    let other = self.place[node as usize] as usize;
                    let (kind, first) = match other {
                        _ if other == place => continue,
                        _ if !own.contains(&other) && part == separator => (2, 0),
                        _ if !own.contains(&other) => (2, self.starts[separator]),
                        _ => (usize::from(other > place), own.start),
                    };
                    sorted[kind].push(((other - first) as u32, block));
                }
                let mut mark = [0; 3];
                for (mark, blocks) in mark.iter_mut().zip(&mut sorted) {
                    *mark = self.columns.len() as u32;
                    // The row before is needed last, when it is ready.
                    blocks.sort_unstable();
                    self.columns.extend(blocks.iter().map(|(column, _)| column));
                    self.sources.extend(blocks.iter().map(|(_, source)| source));
                }
                self.marks.push(mark);
            }
        }
        self.marks.push([self.columns.len() as u32; 3]);
        self.values.clear();
        self.values.resize(self.columns.len() * BLOCK + 1, 0.0);
    }

    /// Divides the nodes into parts, aggregate by aggregate, and a separator.
    fn arrange(&mut self, a: &BlockRows, aggregates: &Aggregates) {
        let rows = a.rows();
        let parts = (rows / PART_ROWS).clamp(1, MOST_PARTS);
        let mut sequence = aggregates.all_members().to_vec();
        let mut part = vec![parts - 1; rows];
        sequence.iter().enumerate().for_each(|(k, &i)| part[i as usize] = k * parts / rows);
        let mut grouped = vec![false; rows];
        sequence.iter().for_each(|&i| grouped[i as usize] = true);
        sequence.extend((0..rows as u32).filter(|&i| !grouped[i as usize]));
        let inner = part.clone();
        let pairs = (0..rows).flat_map(|i| a.row(i).map(move |(_, j)| (i, j as usize)));
        for (i, j) in pairs {
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
