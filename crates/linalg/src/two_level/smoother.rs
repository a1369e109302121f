//! Block Gauss-Seidel, forward and backward, in single precision, with restriction and prolongation.
//!
//! A preconditioner need not be exact, and a memory-bound sweep takes half the time in single
//! precision. Each part is traversed once forward (sweep, residual, restriction) and once backward
//! (prolongation, sweep, scalar product). The thread of a part multiplies the blocks between part
//! and separator, before and after one thread solves the rows of the separator. Threads therefore
//! synchronise four times per cycle.
//!
//! Let `A = L + D + L^T`. The forward sweep `x = (D + L)^-1 r` leaves the residual `-L^T x`, which rows push as they
//! are solved. The backward sweep is `z = (D + L^T)^-1 (r - L y)`, where y is the sum of x and the coarse motion: rows
//! pull y and push `L^T z`.

use super::modes::Modes;
use super::row_partition::{Part, RowPartition, sum_over_parts};
use super::rows::Rows;
use crate::cg::dot;
use glam::Vec3A;
use resile_math::Vec3;

/// The matrix for the sweeps. Vectors in double precision are multiplied by `unit`, which brings the
/// right-hand side near one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Smoother<'a> {
    pub(super) row_partition: &'a RowPartition,
    pub(super) rows: &'a Rows,
    pub(super) modes: &'a Modes,
    pub(super) unit: f64,
}

impl Smoother<'_> {
    /// Sets `x = (D + L)^-1 r` and computes the force and the torque of the residual on each aggregate.
    ///
    /// `part_values` holds, for each part, the values pushed to its rows and those that rows of the separator pull
    /// from it, then the values that rows of the separator push to each other. Pushed values are zero before and after.
    pub(super) fn forward(
        &self,
        r: &[Vec3],
        x: &mut [Vec3A],
        part_values: &mut [Vec3A],
        forces: &mut [[Vec3; 2]],
    ) {
        let (parts, separator_rows) =
            (self.row_partition.parts(), self.row_partition.separator_rows());
        let (part_x, separator_x) = x.split_at_mut(self.row_partition.separator_start());
        let (part_values, pushed) = part_values.split_at_mut(self.row_partition.part_value_count());
        sum_over_parts(
            parts,
            (part_x, &mut *part_values, &mut [(); 0]),
            &|part| [part.range.len(), part.range.len() + separator_rows, 0],
            &|part, x, part_values, _| {
                self.part_forward(part, r, x, part_values);
                0.0
            },
        );
        self.separator_forward(r, separator_x, part_values, pushed);
        sum_over_parts(
            parts,
            (part_values, &mut *forces, &mut [(); 0]),
            &|part| [part.range.len() + separator_rows, part.aggregates.len(), 0],
            &|part, part_values, forces, _| {
                self.part_residual(part, separator_x, part_values, forces);
                0.0
            },
        );
        for (sweep_index, residual) in (self.row_partition.separator_start()..).zip(pushed) {
            self.add_residual(sweep_index, std::mem::replace(residual, Vec3A::ZERO), 0, forces);
        }
    }

    /// Forward sweep over the rows of a part.
    fn part_forward(&self, part: &Part, r: &[Vec3], x: &mut [Vec3A], part_values: &mut [Vec3A]) {
        let (pushed, pulled) = part_values.split_at_mut(x.len());
        let start = part.range.start;
        for (k, sweep_index) in part.range.clone().enumerate() {
            let row = self.rows.row(sweep_index);
            let off_diagonal_sum = self.rows.pull(row.same_part_blocks(), |p| x[p - start]);
            x[k] = self.rows.inverse(sweep_index)
                * (self.right_side(r, sweep_index) - off_diagonal_sum);
            self.rows.push(row.same_part_blocks(), x[k], |p, v| pushed[p - start] -= v);
        }
        for (k, pulled) in pulled.iter_mut().enumerate() {
            *pulled = self.rows.pull(self.rows.separator_blocks(part.index, k), |p| x[p - start]);
        }
    }

    /// Forward sweep over the rows of the separator.
    fn separator_forward(
        &self,
        r: &[Vec3],
        x: &mut [Vec3A],
        part_values: &[Vec3A],
        pushed: &mut [Vec3A],
    ) {
        let separator = self.row_partition.separator_start();
        for k in 0..x.len() {
            let row = self.rows.row(separator + k);
            let off_diagonal_sum = self.rows.pull(row.same_part_blocks(), |p| x[p - separator]);
            let off_diagonal_sum =
                self.row_partition.add_part_values(part_values, k, off_diagonal_sum);
            x[k] = self.rows.inverse(separator + k)
                * (self.right_side(r, separator + k) - off_diagonal_sum);
            self.rows.push(row.same_part_blocks(), x[k], |p, v| pushed[p - separator] -= v);
        }
    }

    /// The residual at the rows of a part, by aggregate, including the values pushed by the separator, whose
    /// solution is `separator_x`.
    fn part_residual(
        &self,
        part: &Part,
        separator_x: &[Vec3A],
        part_values: &mut [Vec3A],
        forces: &mut [[Vec3; 2]],
    ) {
        let start = part.range.start;
        let pushed = &mut part_values[..part.range.len()];
        for (k, x) in separator_x.iter().enumerate() {
            let blocks = self.rows.separator_blocks(part.index, k);
            self.rows.push(blocks, *x, |p, v| pushed[p - start] -= v);
        }
        forces.fill([Vec3::ZERO; 2]);
        for (sweep_index, residual) in part.range.clone().zip(pushed) {
            let residual = std::mem::replace(residual, Vec3A::ZERO);
            self.add_residual(sweep_index, residual, part.aggregates.start, forces);
        }
    }

    /// Scaled right-hand side of a row.
    #[inline(always)]
    fn right_side(&self, r: &[Vec3], sweep_index: usize) -> Vec3A {
        single(r[sweep_index] * self.unit)
    }

    /// Adds the `residual` of a row to the force and torque of its aggregate; `forces` begin with
    /// aggregate `first`.
    #[inline(always)]
    fn add_residual(
        &self,
        sweep_index: usize,
        residual: Vec3A,
        first: usize,
        forces: &mut [[Vec3; 2]],
    ) {
        if let Some(aggregate) = self.modes.aggregate_of(sweep_index) {
            let residual = double(residual);
            let [force, torque] = &mut forces[aggregate - first];
            *force += residual;
            *torque += self.modes.arms[sweep_index].cross(residual);
        }
    }

    /// Sets `z = (D + L^T)^-1 (r - L (x + P c))` and returns `r.z`; `rigid_motions` is the motion `P c` of each
    /// aggregate. Overwrites `x`; `part_values` is as in [`forward`](Self::forward).
    pub(super) fn backward(
        &self,
        r: &[Vec3],
        rigid_motions: &[[Vec3; 2]],
        x: &mut [Vec3A],
        part_values: &mut [Vec3A],
        z: &mut [Vec3],
    ) -> f64 {
        let (parts, separator_rows) =
            (self.row_partition.parts(), self.row_partition.separator_rows());
        let separator = self.row_partition.separator_start();
        let (part_x, separator_x) = x.split_at_mut(separator);
        let (part_z, separator_z) = z.split_at_mut(separator);
        let (part_values, pushed) = part_values.split_at_mut(self.row_partition.part_value_count());
        sum_over_parts(
            parts,
            (&mut *part_x, &mut *part_values, &mut [(); 0]),
            &|part| [part.range.len(), part.range.len() + separator_rows, 0],
            &|part, x, part_values, _| {
                self.part_add_motion(part, rigid_motions, x, part_values);
                0.0
            },
        );
        self.separator_backward(r, rigid_motions, (separator_x, part_values, pushed), separator_z);
        let sum = sum_over_parts(
            parts,
            (part_x, part_values, part_z),
            &|part| [part.range.len(), part.range.len() + separator_rows, part.range.len()],
            &|part, x, part_values, z| {
                self.part_backward(part, r, (separator_x, x, part_values), z);
                dot(&r[part.range.clone()], z)
            },
        );
        sum + dot(&r[separator..], separator_z)
    }

    /// Adds the coarse motion to a part, and computes the values that rows of the separator then pull from it.
    fn part_add_motion(
        &self,
        part: &Part,
        rigid_motions: &[[Vec3; 2]],
        x: &mut [Vec3A],
        part_values: &mut [Vec3A],
    ) {
        let start = part.range.start;
        for (x, sweep_index) in x.iter_mut().zip(part.range.clone()) {
            *x += self.coarse_motion(sweep_index, rigid_motions);
        }
        for (k, pulled) in part_values[x.len()..].iter_mut().enumerate() {
            *pulled = self.rows.pull(self.rows.separator_blocks(part.index, k), |p| x[p - start]);
        }
    }

    /// Adds the coarse motion to the separator, and sweeps backward over its rows.
    fn separator_backward(
        &self,
        r: &[Vec3],
        rigid_motions: &[[Vec3; 2]],
        (x, part_values, pushed): (&mut [Vec3A], &[Vec3A], &mut [Vec3A]),
        z: &mut [Vec3],
    ) {
        let separator = self.row_partition.separator_start();
        for (x, sweep_index) in x.iter_mut().zip(separator..) {
            *x += self.coarse_motion(sweep_index, rigid_motions);
        }
        for k in (0..x.len()).rev() {
            let row = self.rows.row(separator + k);
            let off_diagonal_sum = self.rows.pull(row.same_part_blocks(), |p| x[p - separator]);
            let off_diagonal_sum =
                off_diagonal_sum + std::mem::replace(&mut pushed[k], Vec3A::ZERO);
            let off_diagonal_sum =
                self.row_partition.add_part_values(part_values, k, off_diagonal_sum);
            x[k] = self.rows.inverse(separator + k)
                * (self.right_side(r, separator + k) - off_diagonal_sum);
            self.rows.push(row.same_part_blocks(), x[k], |p, v| pushed[p - separator] += v);
            z[k] = double(x[k]) / self.unit;
        }
    }

    /// Backward sweep over the rows of a part, given the solution `separator_x` at the separator.
    fn part_backward(
        &self,
        part: &Part,
        r: &[Vec3],
        (separator_x, x, part_values): (&[Vec3A], &[Vec3A], &mut [Vec3A]),
        z: &mut [Vec3],
    ) {
        let (start, inverse_unit) = (part.range.start, 1.0 / self.unit);
        let pushed = &mut part_values[..x.len()];
        for (k, x) in separator_x.iter().enumerate() {
            let blocks = self.rows.separator_blocks(part.index, k);
            self.rows.push(blocks, *x, |p, v| pushed[p - start] += v);
        }
        for (k, sweep_index) in part.range.clone().enumerate().rev() {
            let row = self.rows.row(sweep_index);
            let off_diagonal_sum = self.rows.pull(row.same_part_blocks(), |p| x[p - start]);
            let off_diagonal_sum =
                off_diagonal_sum + std::mem::replace(&mut pushed[k], Vec3A::ZERO);
            let solution = self.rows.inverse(sweep_index)
                * (self.right_side(r, sweep_index) - off_diagonal_sum);
            self.rows.push(row.same_part_blocks(), solution, |p, v| pushed[p - start] += v);
            z[k] = double(solution) * inverse_unit;
        }
    }

    /// The coarse motion at a row.
    #[inline(always)]
    fn coarse_motion(&self, sweep_index: usize, rigid_motions: &[[Vec3; 2]]) -> Vec3A {
        self.modes.aggregate_of(sweep_index).map_or(Vec3A::ZERO, |aggregate| {
            let [translation, rotation] = rigid_motions[aggregate];
            single(translation + rotation.cross(self.modes.arms[sweep_index]))
        })
    }
}

/// Rounds a vector to single precision.
#[inline(always)]
fn single(v: Vec3) -> Vec3A {
    Vec3A::new(v.x as f32, v.y as f32, v.z as f32)
}

/// Converts a vector to double precision.
#[inline(always)]
fn double(v: Vec3A) -> Vec3 {
    Vec3::new(v.x.into(), v.y.into(), v.z.into())
}
