//! A two-level preconditioner for matrices of elastic bodies in contact.
//!
//! Conjugate gradients with block Jacobi need more iterations the larger and the
//! stiffer a body is, because low-energy modes (rigid motion, smooth bending) propagate by one
//! node per iteration. Here one application is
//!
//! 1. an exact solve on the nodes that contact makes stiff (`stiff`),
//! 2. block Gauss-Seidel forward (`smoother`),
//! 3. an exact solve for the rigid motions of some fifty nodes each (`galerkin`),
//! 4. block Gauss-Seidel backward,
//! 5. the solve on stiff nodes again,
//!
//! each for the residual of the steps before: a symmetric V-cycle of two levels whose coarse space is
//! unsmoothed aggregation of rigid-body modes (Vanek, Mandel and Brezina, "Algebraic multigrid by
//! smoothed aggregation", 1996, without the smoothing). Steps 2 and 4 contract in the energy norm and
//! steps 1, 3 and 5 project in it, so the preconditioner is symmetric and positive definite whenever
//! the matrix is.
//!
//! The order matters. The nonsymmetric variant with one smoothing step after the coarse solution
//! ("A-DEF2") converges as fast with an exact coarse solve, but takes 300 iterations instead of 20
//! with an inexact one. Smoothed aggregation would need fewer iterations, but its coarse matrix is
//! several times as dense.
//!
//! The cost is dominated by reading the matrix and by synchronising threads. The matrix is therefore
//! stored once, in single precision and below the diagonal only, for the sweeps and for the products
//! of conjugate gradients (`rows`). Rows are divided into parts that are coupled through a small
//! separator (`partition`, `row_partition`), and each thread has the same part of all vectors in an
//! iteration. `cargo bench -p resile-energy --bench linear` measures it; `benches/README.md` has the
//! figures.
//!
//! Everything that depends on values is computed for each matrix; only data that depend on the
//! pattern alone are cached. So results do not depend on previous solves.

mod aggregates;
mod galerkin;
mod graph;
mod loading;
mod modes;
mod partition;
mod row_partition;
mod rows;
mod smoother;
mod stiff;

use crate::cg::{Preconditioned, PreconditionerError, dot, step};
use crate::direct::DirectError;
use aggregates::Aggregates;
use galerkin::Galerkin;
use glam::Vec3A;
use graph::Graph;
use modes::Modes;
use partition::partition;
use resile_math::Vec3;
use resile_sparse::scratch::resize_closely;
use resile_sparse::{BlockPattern, SymmetricBlockMatrix};
use resile_watch::Interrupt;
use row_partition::{Part, RowPartition, sum_over_parts};
use rows::Rows;
use smoother::Smoother;
use std::sync::Arc;
use stiff::Stiff;

/// Input of the preconditioner besides the values of the matrix.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    /// Couplings common to all matrices of this layout, a subset of the pattern of each. Aggregates are built along
    /// them.
    pub pattern: &'a Arc<BlockPattern>,
    /// Whether each row belongs to a free node; the other rows are those of the identity.
    pub free: &'a [bool],
    /// Current position of each node (m).
    pub positions: &'a [Vec3],
    /// Nodes that are stiffer than their neighbours, ascending.
    pub stiff: &'a [u32],
}

/// The preconditioner and the products of its matrix.
#[derive(Debug, Default)]
pub struct TwoLevel {
    /// Pattern for which the aggregates were built.
    aggregated_pattern: Option<Arc<BlockPattern>>,
    free: Vec<bool>,
    part_of: Vec<u32>,
    aggregates: Aggregates,
    /// Pattern for which the rows were laid out.
    arranged_pattern: Option<Arc<BlockPattern>>,
    row_partition: RowPartition,
    modes: Modes,
    rows: Rows,
    galerkin: Galerkin,
    stiff: Stiff,
    /// Residual after the solve on the stiff nodes.
    residual: Vec<Vec3>,
    /// Solution of the smoother.
    x: Vec<Vec3A>,
    /// Values that rows push to each part and pull from it; see [`Smoother::forward`].
    part_values: Vec<Vec3A>,
    /// Force and torque on each aggregate, then its translation and rotation.
    coarse: Vec<[Vec3; 2]>,
}

impl TwoLevel {
    /// A preconditioner without a matrix.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the interrupt that [`prepare`](Self::prepare) polls.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.galerkin.set_interrupt(interrupt);
        self.stiff.set_interrupt(interrupt);
    }

    /// Ratio of coarse to free unknowns for a matrix of this layout. It is near one for affine bodies:
    /// then the coarse matrix is the matrix itself, and the V-cycle around it is wasted.
    pub fn coarse_fraction(&mut self, layout: &Layout<'_>) -> f64 {
        self.update_aggregates(layout);
        let free = self.free.iter().filter(|free| **free).count();
        self.modes.rows as f64 / free.max(1) as f64
    }

    /// Prepares for `a`. Aggregates are rebuilt if the layout's pattern or its free rows have changed.
    ///
    /// # Errors
    /// [`PreconditionerError`].
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn prepare(
        &mut self,
        a: &SymmetricBlockMatrix,
        layout: &Layout<'_>,
    ) -> Result<(), PreconditionerError> {
        self.update_aggregates(layout);
        if !self.arranged_pattern.as_ref().is_some_and(|known| Arc::ptr_eq(known, &a.pattern)) {
            self.row_partition = RowPartition::new(&a.pattern, &self.aggregates, &self.part_of);
            self.modes.set_sweep_order(&self.aggregates, &self.row_partition.sweep_index_of_node);
            self.rows.arrange(&a.pattern, &self.row_partition);
            self.galerkin.arrange(&a.pattern, &self.row_partition, &self.modes);
            self.arranged_pattern = Some(a.pattern.clone());
        }
        self.modes.set_positions(
            &self.aggregates,
            &self.row_partition.node_in_order,
            layout.positions,
        );
        let Self { rows, galerkin, row_partition, modes, .. } = self;
        // The factorisation runs on one thread, so another one loads the rows meanwhile.
        galerkin.sum(a, modes);
        let ((), coarse) =
            rayon::join(|| rows.load(a, row_partition), || galerkin.factorize(modes));
        if !rows.load_diagonal(a, row_partition) {
            return Err(PreconditionerError::NotPositiveDefinite);
        }
        coarse.map_err(preconditioner_error)?;
        self.stiff
            .prepare(a, layout.stiff, &self.row_partition, &mut self.rows)
            .map_err(preconditioner_error)?;
        self.residual.resize(a.rows(), Vec3::ZERO);
        self.x.resize(a.rows(), Vec3A::ZERO);
        self.part_values.clear();
        let entries = self.row_partition.part_value_count() + self.row_partition.separator_rows();
        resize_closely(&mut self.part_values, entries, Vec3A::ZERO);
        self.coarse.resize(self.aggregates.len(), [Vec3::ZERO; 2]);
        Ok(())
    }

    /// Partitions the graph of a new pattern into parts and aggregates.
    fn update_aggregates(&mut self, layout: &Layout<'_>) {
        let rows = layout.pattern.rows();
        assert_eq!((layout.free.len(), layout.positions.len()), (rows, rows));
        let known =
            self.aggregated_pattern.as_ref().is_some_and(|p| Arc::ptr_eq(p, layout.pattern));
        if !known || self.free != layout.free {
            self.aggregated_pattern = Some(layout.pattern.clone());
            self.free = layout.free.to_vec();
            let graph = Graph::new(layout.pattern, |_, _| true);
            self.part_of = partition(&graph, row_partition::part_count(rows));
            let (free, part_of) = (&self.free, &self.part_of);
            let within = |i: usize, j: usize| free[i] && free[j] && part_of[i] == part_of[j];
            let graph = Graph::new(layout.pattern, within);
            self.aggregates = Aggregates::new(&graph, free, part_of);
            self.modes.set_aggregates(&self.aggregates);
            self.arranged_pattern = None;
        }
    }

    /// The V-cycle of Gauss-Seidel and coarse solve, `z = V r`. Returns `r.z`. `norm` is about the norm
    /// of `r`.
    fn cycle(&mut self, r: &[Vec3], norm: f64, z: &mut [Vec3]) -> f64 {
        let Self { row_partition, rows, modes, galerkin, x, part_values, coarse, .. } = self;
        // A nearly converged residual is below the range of single precision.
        let smoother = Smoother { row_partition, rows, modes, unit: 1.0 / norm };
        smoother.forward(r, x, part_values, coarse);
        galerkin.solve(modes, coarse);
        // The coarse matrix is not scaled.
        for (a, motion) in coarse.iter_mut().enumerate() {
            *motion = modes.rigid_motion(a, &galerkin.solution).map(|v| v / rows.scale);
        }
        smoother.backward(r, coarse, x, part_values, z)
    }
}

/// Error of the preconditioner for an error of one of its factorisations.
fn preconditioner_error(error: DirectError) -> PreconditionerError {
    match error {
        DirectError::NotPositiveDefinite { .. } => PreconditionerError::NotPositiveDefinite,
        DirectError::TooLarge { .. } => PreconditionerError::TooLarge,
        DirectError::Interrupted => PreconditionerError::Interrupted,
    }
}

impl Preconditioned for TwoLevel {
    fn permute(&self, b: &[Vec3], out: &mut [Vec3]) {
        let nodes = &self.row_partition.node_in_order;
        out.iter_mut()
            .zip(nodes)
            .for_each(|(out, &node)| *out = b[node as usize] * self.rows.scale);
    }

    fn unpermute(&self, x: &[Vec3], out: &mut [Vec3]) {
        let sweep_indices = &self.row_partition.sweep_index_of_node;
        out.iter_mut()
            .zip(sweep_indices)
            .for_each(|(out, &sweep_index)| *out += x[sweep_index as usize]);
    }

    fn update_direction(
        &mut self,
        beta: f64,
        z: &[Vec3],
        p: &mut [Vec3],
        product: &mut [Vec3],
    ) -> f64 {
        let curvature = self.rows.update_direction(&self.row_partition, beta, z, p, product);
        curvature + self.stiff.add_rounding_errors(p, product)
    }

    fn update_solution(
        &self,
        length: f64,
        (p, product): (&[Vec3], &[Vec3]),
        x: &mut [Vec3],
        r: &mut [Vec3],
    ) -> f64 {
        let separator = self.row_partition.separator_start();
        let (part_x, separator_x) = x.split_at_mut(separator);
        let (part_r, separator_r) = r.split_at_mut(separator);
        let sum = sum_over_parts(
            self.row_partition.parts(),
            (part_x, part_r, &mut [(); 0]),
            &|part| [part.range.len(), part.range.len(), 0],
            &|Part { range, .. }, x, r, _| {
                step(length, (&p[range.clone()], &product[range.clone()]), x, r)
            },
        );
        sum + step(length, (&p[separator..], &product[separator..]), separator_x, separator_r)
    }

    fn apply(&mut self, r: &[Vec3], norm: f64, z: &mut [Vec3]) -> f64 {
        if self.stiff.is_empty() {
            return self.cycle(r, norm, z);
        }
        let mut residual = std::mem::take(&mut self.residual);
        self.stiff.solve_before(r, &mut residual);
        self.cycle(&residual, norm, z);
        self.stiff.solve_after(r, z);
        self.residual = residual;
        dot(r, z)
    }
}

#[cfg(test)]
mod tests;
