//! Conversion of a matrix to rows in single precision.

use super::row_partition::Part;
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
    /// The block of a slot as stored.
    pub(super) fn stored(slot: usize) -> Self {
        Self(2 * slot as u32)
    }

    /// The transpose of the block of a slot.
    pub(super) fn transposed(slot: usize) -> Self {
        Self(2 * slot as u32 + 1)
    }

    /// Reads the block in double precision.
    #[inline(always)]
    fn read(self, a: &SymmetricBlockMatrix) -> Mat3 {
        let block = a.blocks[(self.0 / 2) as usize];
        if self.0.is_multiple_of(2) { block } else { block.transpose() }
    }
}

/// Matrix to be loaded, with the layout of its rows.
#[derive(Clone, Copy)]
pub(super) struct Loader<'a> {
    pub(super) a: &'a SymmetricBlockMatrix,
    pub(super) rows: &'a [Row],
    pub(super) columns: &'a [u32],
    pub(super) sources: &'a [StoredBlock],
    pub(super) scale: f64,
}

impl Loader<'_> {
    /// Loads the rows of a part and adds up their rounding errors, one block per row of the part.
    pub(super) fn load_part(
        &self,
        part: &Part,
        mut values: &mut [f32],
        rounding_errors: &mut [Mat3A],
    ) {
        let start = part.range.start;
        rounding_errors.fill(Mat3A::ZERO);
        for (k, sweep_index) in part.range.clone().enumerate() {
            let row = self.rows[sweep_index];
            let (own_values, remaining) =
                values.split_at_mut(row.same_part_blocks().len() * BLOCK_ENTRIES);
            let (earlier, rounding_errors) = rounding_errors.split_at_mut(k);
            rounding_errors[0] +=
                self.load_blocks(row.same_part_blocks(), own_values, start, earlier);
            values = remaining;
        }
    }

    /// Loads the rows of the separator. Their rounding errors count at their own rows and at the rows of
    /// parts (`part_errors`).
    pub(super) fn load_separator(
        &self,
        mut values: &mut [f32],
        part_errors: &mut [Mat3A],
        rounding_errors: &mut [Mat3A],
    ) {
        let separator = part_errors.len();
        rounding_errors.fill(Mat3A::ZERO);
        for k in 0..rounding_errors.len() {
            let row = self.rows[separator + k];
            let (part_values, remaining) =
                values.split_at_mut(row.part_column_blocks().len() * BLOCK_ENTRIES);
            let (own_values, remaining) =
                remaining.split_at_mut(row.same_part_blocks().len() * BLOCK_ENTRIES);
            let (earlier, rounding_errors) = rounding_errors.split_at_mut(k);
            rounding_errors[0] +=
                self.load_blocks(row.part_column_blocks(), part_values, 0, part_errors);
            rounding_errors[0] +=
                self.load_blocks(row.same_part_blocks(), own_values, separator, earlier);
            values = remaining;
        }
    }

    /// Loads blocks of a row. Returns the sum of their rounding errors and adds each error to the entry of its
    /// column in `rounding_errors`, which begins at sweep index `start`. An error is 1e-7 of the block, so single
    /// precision suffices for it. Only the symmetric part counts, which a block shares with its transpose.
    fn load_blocks(
        &self,
        range: Range<u32>,
        values: &mut [f32],
        start: usize,
        rounding_errors: &mut [Mat3A],
    ) -> Mat3A {
        let range = range.start as usize..range.end as usize;
        let mut row_error = Mat3A::ZERO;
        let blocks = values.chunks_exact_mut(BLOCK_ENTRIES).zip(&self.sources[range.clone()]);
        for ((value, source), &column) in blocks.zip(&self.columns[range]) {
            let block = source.read(self.a) * self.scale;
            let single = block.as_mat3();
            value.copy_from_slice(&single.to_cols_array());
            let error = Mat3A::from((block - single.as_dmat3()).as_mat3());
            rounding_errors[column as usize - start] += error;
            row_error += error;
        }
        row_error
    }

    /// The diagonal block of `node` plus the symmetric part of its `rounding_error`, and the inverse of the uncorrected
    /// block (zero if it is not positive definite).
    pub(super) fn diagonal(&self, node: u32, rounding_error: &Mat3A) -> (Mat3, Mat3A) {
        let block = *self.a.diagonal(node as usize) * self.scale;
        let inverse = definite_inverse(&block).unwrap_or(Mat3::ZERO);
        let rounding_error = symmetric(&Mat3::from_cols(
            rounding_error.x_axis.as_dvec3(),
            rounding_error.y_axis.as_dvec3(),
            rounding_error.z_axis.as_dvec3(),
        ));
        (block + rounding_error, Mat3A::from(inverse.as_mat3()))
    }
}

/// The symmetric part: the skew part does no work, and the matrix must stay symmetric.
pub(super) fn symmetric(a: &Mat3) -> Mat3 {
    (*a + a.transpose()) * 0.5
}
