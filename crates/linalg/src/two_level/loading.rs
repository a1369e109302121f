//! Bringing the values of a matrix into rows of single precision.

use super::division::{Division, Part};
use super::rows::{BLOCK, Row};
use crate::SymmetricBlockMatrix;
use crate::cg::definite_inverse;
use glam::Mat3A;
use resile_math::Mat3;
use std::ops::Range;

/// A stored block or its transpose.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StoredBlock(u32);

impl StoredBlock {
    pub(super) fn stored(slot: usize) -> Self {
        Self(2 * slot as u32)
    }

    pub(super) fn transposed(slot: usize) -> Self {
        Self(2 * slot as u32 + 1)
    }

    #[inline(always)]
    fn read(self, a: &SymmetricBlockMatrix) -> Mat3 {
        let block = a.blocks[(self.0 / 2) as usize];
        if self.0.is_multiple_of(2) { block } else { block.transpose() }
    }
}

/// What loading reads.
#[derive(Clone, Copy)]
pub(super) struct Loader<'a> {
    pub(super) a: &'a SymmetricBlockMatrix,
    pub(super) rows: &'a [Row],
    pub(super) columns: &'a [u32],
    pub(super) sources: &'a [StoredBlock],
    pub(super) division: &'a Division,
    pub(super) scale: f64,
}

impl Loader<'_> {
    pub(super) fn load_part(
        &self,
        part: &Part,
        mut values: &mut [f32],
        diagonal: &mut [Mat3],
        inverses: &mut [Mat3A],
    ) {
        let start = part.places.start;
        for (k, place) in part.places.clone().enumerate() {
            let row = self.rows[place];
            let (own, rest) = values.split_at_mut(row.own().len() * BLOCK);
            let (earlier, diagonal) = diagonal.split_at_mut(k);
            let lost = self.load_blocks(row.own(), own, start, earlier);
            diagonal[0] = self.load_diagonal(place, &mut inverses[k]) + lost;
            values = rest;
        }
    }

    pub(super) fn load_separator(
        &self,
        mut values: &mut [f32],
        inner: &mut [Mat3],
        diagonal: &mut [Mat3],
        inverses: &mut [Mat3A],
    ) {
        let at = inner.len();
        for k in 0..diagonal.len() {
            let row = self.rows[at + k];
            let (across, rest) = values.split_at_mut(row.across().len() * BLOCK);
            let (own, rest) = rest.split_at_mut(row.own().len() * BLOCK);
            let (earlier, diagonal) = diagonal.split_at_mut(k);
            let lost = self.load_blocks(row.across(), across, 0, inner);
            let lost = lost + self.load_blocks(row.own(), own, at, earlier);
            diagonal[0] = self.load_diagonal(at + k, &mut inverses[k]) + lost;
            values = rest;
        }
    }

    fn load_diagonal(&self, place: usize, inverse: &mut Mat3A) -> Mat3 {
        let block = *self.a.diagonal(self.division.node[place] as usize) * self.scale;
        let inverted = definite_inverse(&block).unwrap_or(Mat3::ZERO);
        *inverse = Mat3A::from(inverted.as_mat3());
        block
    }

    /// Loads blocks of a row; what rounding takes off is the answer, and is added to the
    /// `diagonal`, which begins at `start`, of their columns.
    fn load_blocks(
        &self,
        range: Range<u32>,
        values: &mut [f32],
        start: usize,
        diagonal: &mut [Mat3],
    ) -> Mat3 {
        let range = range.start as usize..range.end as usize;
        let mut lost = Mat3::ZERO;
        let blocks = values.chunks_exact_mut(BLOCK).zip(&self.sources[range.clone()]);
        for ((value, source), &column) in blocks.zip(&self.columns[range]) {
            let block = source.read(self.a) * self.scale;
            let single = block.as_mat3();
            value.copy_from_slice(&single.to_cols_array());
            let off = symmetric(&(block - single.as_dmat3()));
            diagonal[column as usize - start] += off;
            lost += off;
        }
        lost
    }
}

/// The symmetric part. The other does no work, and the whole must stay symmetric.
pub(super) fn symmetric(a: &Mat3) -> Mat3 {
    (*a + a.transpose()) * 0.5
}
