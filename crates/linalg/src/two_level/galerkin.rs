//! The matrix of the coarse level, `P^T A P`, and its factor.
//!
//! Each block `A_ij` contributes four blocks to the pair of aggregates of i and j: force by translation, force by
//! rotation, and torque by both. These are summed about the centroids and multiplied by the orthonormalising
//! matrices once per pair, not once per block. Each pair sums its blocks in the order of storage, so results do not
//! depend on the number of threads.

use super::modes::Modes;
use super::row_partition::RowPartition;
use crate::direct::{Cholesky, DirectError};
use rayon::prelude::*;
use resile_math::{Mat3, Vec3};
use resile_sparse::scratch::reserve_closely;
use resile_sparse::{BlockPattern, SymmetricBlockMatrix};
use resile_watch::Interrupt;
use std::sync::Arc;

/// Minimum number of blocks for a parallel sum.
const PARALLEL_BLOCKS: usize = 20_000;

/// The coarse matrix, its factor, and the map from fine blocks.
#[derive(Debug, Default)]
pub(super) struct Galerkin {
    /// Pairs of aggregates `(a, b)`, `a <= b`.
    pairs: Vec<Pair>,
    /// Blocks of the fine matrix, pair by pair.
    sources: Vec<Source>,
    /// Sums of the sources of each pair.
    sums: Vec<Sums>,
    matrix: Option<SymmetricBlockMatrix>,
    cholesky: Cholesky,
    right_side: Vec<Vec3>,
    pub(super) solution: Vec<Vec3>,
}

#[derive(Debug, Clone, Copy)]
struct Pair {
    a: u32,
    b: u32,
    /// End of its sources.
    end: u32,
}

/// A fine block whose row is in aggregate a and whose column is in b; `i` and `j` are their sweep indices.
#[derive(Debug, Clone, Copy)]
struct Source {
    slot: u32,
    i: u32,
    j: u32,
    /// The stored block is that of `(j, i)`.
    transposed: bool,
}

/// Blocks of a pair: translation-translation, translation-rotation, ...
#[derive(Debug, Clone, Copy)]
struct Sums {
    tt: Mat3,
    tr: Mat3,
    rt: Mat3,
    rr: Mat3,
}

impl Galerkin {
    /// Sets the interrupt that factorisations poll.
    pub(super) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.cholesky.set_interrupt(interrupt);
    }

    /// Computes the coarse matrix `P^T A P`.
    pub(super) fn sum(&mut self, a: &SymmetricBlockMatrix, modes: &Modes) {
        self.sum_pairs(a, modes);
        let matrix = self.matrix.as_mut().expect("arranging makes it");
        for (pair, sums) in self.pairs.iter().zip(&self.sums) {
            write_pair(matrix, modes, pair, sums);
        }
    }

    /// Factorises the coarse matrix.
    pub(super) fn factorize(&mut self, modes: &Modes) -> Result<(), DirectError> {
        self.right_side.resize(modes.rows, Vec3::ZERO);
        self.solution.resize(modes.rows, Vec3::ZERO);
        let matrix = self.matrix.as_ref().expect("arranging makes it");
        if modes.rows == 0 { Ok(()) } else { self.cholesky.factorize(matrix) }
    }

    /// `solution = (P^T A P)^-1 b`, `b` given by the force and the torque on each aggregate.
    pub(super) fn solve(&mut self, modes: &Modes, forces: &[[Vec3; 2]]) {
        for (a, (motion, sums)) in modes.motions.iter().zip(forces).enumerate() {
            let [force, torque] = modes.restrict(a, *sums);
            let row = motion.row as usize;
            self.right_side[row] = force;
            if motion.has_rotation {
                self.right_side[row + 1] = torque;
            }
        }
        if modes.rows > 0 {
            self.cholesky.solve(&self.right_side, &mut self.solution);
        }
    }

    /// Sorts the blocks of `pattern` by pairs of aggregates.
    pub(super) fn arrange(
        &mut self,
        pattern: &BlockPattern,
        row_partition: &RowPartition,
        modes: &Modes,
    ) {
        let mut keyed: Vec<(u64, Source)> = Vec::with_capacity(pattern.len());
        for (slot, (i, j)) in pattern.pairs().enumerate() {
            let (i, j) = (
                row_partition.sweep_index_of_node[i as usize],
                row_partition.sweep_index_of_node[j as usize],
            );
            let aggregates = (modes.aggregate_of(i as usize), modes.aggregate_of(j as usize));
            let (Some(a), Some(b)) = aggregates else { continue };
            let key = ((a.min(b) as u64) << 32) | a.max(b) as u64;
            let transposed = a > b;
            let (i, j) = if transposed { (j, i) } else { (i, j) };
            keyed.push((key, Source { slot: slot as u32, i, j, transposed }));
        }
        keyed.par_sort_unstable_by_key(|(key, source)| (*key, source.slot));
        self.pairs.clear();
        for (index, (key, _)) in keyed.iter().enumerate() {
            let (a, b) = ((key >> 32) as u32, *key as u32);
            match self.pairs.last_mut() {
                Some(last) if (last.a, last.b) == (a, b) => last.end = index as u32 + 1,
                _ => self.pairs.push(Pair { a, b, end: index as u32 + 1 }),
            }
        }
        self.sources.clear();
        reserve_closely(&mut self.sources, keyed.len());
        self.sources.extend(keyed.iter().map(|(_, source)| *source));
        let blocks = self.pairs.iter().flat_map(|pair| {
            let rows = |a: u32| {
                let motion = &modes.motions[a as usize];
                motion.row..motion.row + 1 + u32::from(motion.has_rotation)
            };
            rows(pair.a).flat_map(move |i| rows(pair.b).map(move |j| (i, j)))
        });
        let coarse = Arc::new(BlockPattern::new(modes.rows, blocks));
        self.matrix = Some(SymmetricBlockMatrix::zeros(coarse));
    }

    /// Sums the blocks of `a` between each pair of aggregates, in coordinates of their modes.
    fn sum_pairs(&mut self, a: &SymmetricBlockMatrix, modes: &Modes) {
        let Self { pairs, sources, sums, .. } = self;
        let sum_pair = |k: usize| {
            let start = if k == 0 { 0 } else { pairs[k - 1].end as usize };
            let pair = &pairs[k];
            let sources = &sources[start..pair.end as usize];
            if pair.a == pair.b {
                sum_within(sources, a, modes)
            } else {
                sum_between(sources, a, modes)
            }
        };
        sums.resize(pairs.len(), ZERO);
        if sources.len() < PARALLEL_BLOCKS {
            sums.iter_mut().enumerate().for_each(|(k, sums)| *sums = sum_pair(k));
        } else {
            let shared = sums.par_iter_mut().with_min_len(16).enumerate();
            shared.for_each(|(k, sums)| *sums = sum_pair(k));
        }
    }
}

const ZERO: Sums = Sums { tt: Mat3::ZERO, tr: Mat3::ZERO, rt: Mat3::ZERO, rr: Mat3::ZERO };

/// Sums of the blocks between two aggregates, about the centroids of both.
fn sum_between(sources: &[Source], a: &SymmetricBlockMatrix, modes: &Modes) -> Sums {
    let mut sums = ZERO;
    for source in sources {
        let (ri, rj) = (modes.arms[source.i as usize], modes.arms[source.j as usize]);
        let stored = a.blocks[source.slot as usize];
        let block = if source.transposed { stored.transpose() } else { stored };
        let rotated = rotate(&block, rj);
        sums.tt += block;
        sums.tr += rotated;
        sums.rt += torque(ri, &block);
        sums.rr += torque(ri, &rotated);
    }
    sums
}

/// Sums of the blocks within one aggregate, about its centroid. An off-diagonal block counts with its transpose; `rt`
/// is the transpose of `tr` and omitted.
fn sum_within(sources: &[Source], a: &SymmetricBlockMatrix, modes: &Modes) -> Sums {
    let mut sums = ZERO;
    for source in sources {
        let (ri, rj) = (modes.arms[source.i as usize], modes.arms[source.j as usize]);
        let block = a.blocks[source.slot as usize];
        let rotated = rotate(&block, rj);
        let rotated_torque = torque(ri, &rotated);
        if source.i == source.j {
            sums.tt += block;
            sums.tr += rotated;
            sums.rr += rotated_torque;
        } else {
            sums.tt += block + block.transpose();
            sums.tr += rotated + rotate(&block.transpose(), ri);
            sums.rr += rotated_torque + rotated_torque.transpose();
        }
    }
    sums
}

/// `B X` for the displacements `X w = w x r`.
#[inline(always)]
fn rotate(b: &Mat3, r: Vec3) -> Mat3 {
    let [x, y, z] = [b.x_axis, b.y_axis, b.z_axis];
    Mat3::from_cols(z * r.y - y * r.z, x * r.z - z * r.x, y * r.x - x * r.y)
}

/// `X^T B`: the torque of each column.
#[inline(always)]
fn torque(r: Vec3, b: &Mat3) -> Mat3 {
    Mat3::from_cols(r.cross(b.x_axis), r.cross(b.y_axis), r.cross(b.z_axis))
}

/// Writes the sums of a pair of aggregates into the coarse matrix.
fn write_pair(matrix: &mut SymmetricBlockMatrix, modes: &Modes, pair: &Pair, sums: &Sums) {
    let (a, b) = (&modes.motions[pair.a as usize], &modes.motions[pair.b as usize]);
    let mut set_block = |i: u32, j: u32, block: Mat3| {
        let slot = matrix.pattern.find(i, j).expect("the pattern was made from the pairs");
        matrix.blocks[slot] = block;
    };
    set_block(a.row, b.row, sums.tt * (a.translation_scale * b.translation_scale));
    if b.has_rotation {
        set_block(a.row, b.row + 1, sums.tr * b.rotation_basis * a.translation_scale);
    }
    if a.has_rotation && pair.a != pair.b {
        set_block(a.row + 1, b.row, a.rotation_basis.transpose() * sums.rt * b.translation_scale);
    }
    if a.has_rotation && b.has_rotation {
        let mut block = a.rotation_basis.transpose() * sums.rr * b.rotation_basis;
        if pair.a == pair.b {
            // Symmetrise against rounding. A dropped rotation keeps an identity row.
            block = (block + block.transpose()) * 0.5;
            for k in (0..3).filter(|&k| a.rotation_basis.col(k) == Vec3::ZERO) {
                block.col_mut(k)[k] = 1.0;
            }
        }
        set_block(a.row + 1, b.row + 1, block);
    }
}
