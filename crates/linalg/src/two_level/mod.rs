//! A two-level preconditioner for matrices of elastic bodies in contact.
//!
//! Conjugate gradients with block Jacobi need more iterations the larger and the
//! stiffer a body is, because what it resists least, moving as a whole and bending
//! gently, passes from node to node one iteration at a time. Here one application is
//!
//! 1. an exact solve on the nodes that contact makes stiff (`stiff`),
//! 2. block Gauss-Seidel forward (`smoother`),
//! 3. an exact solve for the rigid motions of some fifty nodes each (`galerkin`),
//! 4. block Gauss-Seidel backward,
//! 5. the solve on stiff nodes again,
//!
//! each for what the ones before have left over: a symmetric V-cycle of two levels
//! whose coarse space is unsmoothed aggregation of rigid-body modes (Vanek, Mandel and
//! Brezina, "Algebraic multigrid by smoothed aggregation", 1996, without the
//! smoothing). Steps 2 and 4 contract in the energy norm and 1, 3, 5 project in it, so
//! the whole is symmetric and positive definite whenever the matrix is.
//!
//! The order matters. Starting from the coarse solution and smoothing once, without
//! symmetry ("A-DEF2"), converges as fast until the coarse solve is inexact, and then
//! took 300 iterations instead of 20. Smoothed aggregation would need fewer
//! iterations, but its coarse matrix is several times as dense.
//!
//! Everything that depends on values is computed anew for each matrix; what depends on
//! the pattern alone is kept. So results do not depend on what was solved before.

mod aggregates;
mod galerkin;
mod modes;
mod smoother;
mod stiff;

use crate::block_rows::BlockRows;
use crate::cg::{Preconditioner, Unprepared, definite_inverse};
use crate::direct::DirectError;
use crate::{BlockPattern, Mat3, SymmetricBlockMatrix, Vec3};
use aggregates::Aggregates;
use galerkin::Galerkin;
use modes::{Modes, NO_AGGREGATE};
use smoother::{Smoother, Vec3f};
use std::sync::Arc;
use stiff::Stiff;

/// What the preconditioner knows of a matrix besides its numbers.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    /// The couplings that every matrix of this kind has: aggregates are built along
    /// them. A part of the pattern of each matrix.
    pub pattern: &'a Arc<BlockPattern>,
    /// Whether each row belongs to an unknown; the others are rows of the identity.
    pub free: &'a [bool],
    /// Present position of each node (m).
    pub positions: &'a [Vec3],
    /// Nodes that are stiffer than what surrounds them, ascending.
    pub stiff: &'a [u32],
}

/// The preconditioner. [`set_layout`](Self::set_layout) comes before each solve.
#[derive(Debug, Default)]
pub struct TwoLevel {
    pattern: Option<Arc<BlockPattern>>,
    free: Vec<bool>,
    aggregates: Aggregates,
    modes: Modes,
    smoother: Smoother,
    galerkin: Galerkin,
    stiff: Stiff,
    inverses: Vec<Mat3>,
    /// What is left after the stiff nodes.
    rest: Vec<Vec3>,
    r: Vec<Vec3f>,
    x: Vec<Vec3f>,
    residual: Vec<Vec3f>,
}

impl TwoLevel {
    /// A preconditioner that has seen no matrix.
    pub fn new() -> Self {
        Self::default()
    }

    /// Describes the matrix that comes next. Aggregates are built if the pattern or
    /// the free rows are others than before.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn set_layout(&mut self, layout: &Layout<'_>) {
        let rows = layout.pattern.rows();
        assert_eq!((layout.free.len(), layout.positions.len()), (rows, rows));
        let known = self.pattern.as_ref().is_some_and(|p| Arc::ptr_eq(p, layout.pattern));
        if !known || self.free != layout.free {
            self.pattern = Some(layout.pattern.clone());
            self.free = layout.free.to_vec();
            self.aggregates = Aggregates::new(layout.pattern, layout.free);
            self.modes.set_aggregates(&self.aggregates, rows);
            self.smoother.forget();
            self.galerkin.forget();
        }
        self.modes.set_positions(&self.aggregates, layout.positions);
        self.stiff.set_nodes(layout.stiff);
    }

    /// Unknowns of the coarse level for each free one of the matrix described last. Near
    /// one where the bodies are affine: then the coarse factorisation is that of the
    /// matrix itself, and the cycle around it is for nothing.
    pub fn coarse_fraction(&self) -> f64 {
        let free = self.free.iter().filter(|free| **free).count();
        self.modes.rows as f64 / free.max(1) as f64
    }

    /// The V-cycle of Gauss-Seidel and coarse solve, `z += V r`.
    fn cycle(&mut self, r: &[Vec3], z: &mut [Vec3]) {
        // Single precision has no range for what is nearly converged.
        let largest = r.iter().fold(0.0, |m: f64, r| m.max(r.abs().max_element()));
        if largest == 0.0 {
            return;
        }
        let Self { smoother, modes, galerkin, aggregates, r: scaled, x, residual, .. } = self;
        smoother.gather(r, 1.0 / largest, scaled);
        smoother.forward(scaled, x);
        smoother.residual_after_forward(x, residual);
        let at = |i: u32| residual[smoother.place[i as usize] as usize].as_dvec3();
        let parts = (0..aggregates.len())
            .map(|a| modes.restrict(a, aggregates.members(a).iter().map(|&i| (i, at(i)))));
        galerkin.solve(modes, parts);
        // The smoother's matrix is `scale` times the true one, and so is its residual's
        // answer; the coarse matrix is the true one.
        let (solution, scale) = (&galerkin.solution, 1.0 / smoother.scale);
        let rigid: Vec<[Vec3; 2]> =
            (0..aggregates.len()).map(|a| modes.rigid(a, solution).map(|v| v * scale)).collect();
        let order = &smoother.order;
        smoother.for_places(x, |place, x| {
            let node = order[place] as usize;
            let aggregate = modes.aggregate[node];
            if aggregate != NO_AGGREGATE {
                let [shift, turn] = rigid[aggregate as usize];
                *x += (shift + turn.cross(modes.arms[node])).as_vec3();
            }
        });
        smoother.backward(scaled, x);
        let back = largest * smoother.scale;
        for (z, &place) in z.iter_mut().zip(&smoother.place) {
            *z += x[place as usize].as_dvec3() * back;
        }
    }
}

impl Preconditioner for TwoLevel {
    fn prepare(&mut self, a: &SymmetricBlockMatrix, rows: &BlockRows) -> Result<(), Unprepared> {
        self.inverses.clear();
        for row in 0..a.rows() {
            let inverse = definite_inverse(a.diagonal(row));
            self.inverses.push(inverse.ok_or(Unprepared::NotPositiveDefinite)?);
        }
        let of = |error| match error {
            DirectError::NotPositiveDefinite { .. } => Unprepared::NotPositiveDefinite,
            DirectError::TooLarge { .. } => Unprepared::TooLarge,
        };
        self.stiff.prepare(a).map_err(of)?;
        self.galerkin.prepare(a, &self.modes).map_err(of)?;
        let entry = |i: usize| {
            let block = a.diagonal(i);
            block.x_axis.x.max(block.y_axis.y).max(block.z_axis.z)
        };
        let largest = (0..a.rows()).map(entry).fold(f64::MIN_POSITIVE, f64::max);
        self.smoother.load(rows, &self.inverses, largest, &self.aggregates);
        self.rest.resize(a.rows(), Vec3::ZERO);
        for vector in [&mut self.r, &mut self.x, &mut self.residual] {
            vector.resize(a.rows(), Vec3f::ZERO);
        }
        Ok(())
    }

    fn apply(&mut self, a: &BlockRows, r: &[Vec3], z: &mut [Vec3]) {
        if self.stiff.is_empty() {
            z.fill(Vec3::ZERO);
            return self.cycle(r, z);
        }
        let mut rest = std::mem::take(&mut self.rest);
        self.stiff.before(a, r, z, &mut rest);
        self.cycle(&rest, z);
        self.stiff.after(a, r, z);
        self.rest = rest;
    }
}

#[cfg(test)]
mod tests;
