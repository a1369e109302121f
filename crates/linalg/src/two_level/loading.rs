//! Conversion of a matrix to rows in single precision.

use super::division::Part;
use super::rows::{BLOCK_ENTRIES, Row};
use crate::cg::definite_inverse;
use glam::Mat3A;
use resile_math::Mat3;
use resile_sparse::SymmetricBlockMatrix;
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

#[derive(Clone, Copy)]
pub(super) struct Loader<'a> {
    pub(super) a: &'a SymmetricBlockMatrix,
    pub(super) rows: &'a [Row],
    pub(super) columns: &'a [u32],
    pub(super) sources: &'a [StoredBlock],
    pub(super) scale: f64,
}

impl Loader<'_> {
    /// Loads the rows of a part and adds their rounding errors to `lost`, one block per place of the part.
    pub(super) fn load_part(&self, part: &Part, mut values: &mut [f32], lost: &mut [Mat3A]) {
        let start = part.places.start;
        lost.fill(Mat3A::ZERO);
        for (k, place) in part.places.clone().enumerate() {
            let row = self.rows[place];
            let (own, rest) = values.split_at_mut(row.own().len() * BLOCK_ENTRIES);
            let (earlier, lost) = lost.split_at_mut(k);
            lost[0] += self.load_blocks(row.own(), own, start, earlier);
            values = rest;
        }
    }

    /// Loads the rows of the separator. Their rounding errors count at their own places and at those of
    /// parts (`inner`).
    pub(super) fn load_separator(
        &self,
        mut values: &mut [f32],
        inner: &mut [Mat3A],
        lost: &mut [Mat3A],
    ) {
        let at = inner.len();
        lost.fill(Mat3A::ZERO);
        for k in 0..lost.len() {
            let row = self.rows[at + k];
            let (across, rest) = values.split_at_mut(row.across().len() * BLOCK_ENTRIES);
            let (own, rest) = rest.split_at_mut(row.own().len() * BLOCK_ENTRIES);
            let (earlier, lost) = lost.split_at_mut(k);
            lost[0] += self.load_blocks(row.across(), across, 0, inner);
            lost[0] += self.load_blocks(row.own(), own, at, earlier);
            values = rest;
        }
    }

    /// Loads blocks of a row. Returns the sum of their rounding errors and adds each error to `lost` of its
    /// column, which begins at place `start`. An error is 1e-7 of the block, so single precision suffices
    /// for it. Only the symmetric part counts, which a block shares with its transpose.
    fn load_blocks(
        &self,
        range: Range<u32>,
        values: &mut [f32],
        start: usize,
        lost: &mut [Mat3A],
    ) -> Mat3A {
        let range = range.start as usize..range.end as usize;
        let mut here = Mat3A::ZERO;
        let blocks = values.chunks_exact_mut(BLOCK_ENTRIES).zip(&self.sources[range.clone()]);
        for ((value, source), &column) in blocks.zip(&self.columns[range]) {
            let block = source.read(self.a) * self.scale;
            let single = block.as_mat3();
            value.copy_from_slice(&single.to_cols_array());
            let off = Mat3A::from((block - single.as_dmat3()).as_mat3());
            lost[column as usize - start] += off;
            here += off;
        }
        here
    }

    /// The diagonal block of `node` plus the symmetric part of `lost`, and the inverse of the uncorrected
    /// block (zero if it is not positive definite).
    pub(super) fn diagonal(&self, node: u32, lost: &Mat3A) -> (Mat3, Mat3A) {
        let block = *self.a.diagonal(node as usize) * self.scale;
        let inverse = definite_inverse(&block).unwrap_or(Mat3::ZERO);
        let lost = symmetric(&Mat3::from_cols(
            lost.x_axis.as_dvec3(),
            lost.y_axis.as_dvec3(),
            lost.z_axis.as_dvec3(),
        ));
        (block + lost, Mat3A::from(inverse.as_mat3()))
    }
}

/// The symmetric part: the skew part does no work, and the matrix must stay symmetric.
pub(super) fn symmetric(a: &Mat3) -> Mat3 {
    (*a + a.transpose()) * 0.5
}
