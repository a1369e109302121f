//! Sparse Cholesky factorisation `A = L L^T` of a block matrix.
//!
//! Only this module and its children use faer (pinned), because its low-level interface changes with each minor
//! version. Its parallel paths have open correctness bugs, so it always runs on one thread. Parallelism is at a
//! higher level, by islands.
//!
//! The ordering and the symbolic factorisation depend on the pattern alone and are cached for the
//! last few patterns, because contact makes patterns alternate. The stored upper block rows are the
//! lower scalar columns, so values are copied without sorting.
//!
//! Deliberately absent: pivoting and `L D L^T`. An indefinite matrix is an error, upon which Newton's method
//! convexifies it.

#[cfg(feature = "host")]
mod helper_thread;
mod inverse;
mod multi_rhs;
mod ordering;
mod plan;

use crate::rank_one::Corrections;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::cholesky::LltRef;
use faer::sparse::linalg::cholesky::supernodal::{
    factorize_supernodal_numeric_llt, factorize_supernodal_numeric_llt_scratch,
};
use faer::{Conj, MatMut, Par};
pub use inverse::FactorInverse;
pub use ordering::FactorisationCost;
use plan::Plan;
use resile_math::{Mat3, Vec3};
use resile_sparse::{Block, BlockPattern, SymmetricBlockMatrix};
use resile_watch::Interrupt;
use std::marker::PhantomData;
use std::sync::Arc;
use wide::f64x4;

/// Number of cached patterns. A Newton solve alternates between a few: the static one and those with the contacts
/// of the last iterations.
const MAX_PLANS: usize = 4;

/// Fractions of the diagonal, one after another, by which a matrix that is semi-definite up to rounding is shifted until
/// it is positive definite: from the rounding of a matrix of some thousand rows to a fraction that changes the solution.
/// A matrix that needs more is not semi-definite.
pub const DIAGONAL_SHIFTS: [f64; 6] = [1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2];

/// Error of a factorisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DirectError {
    /// A pivot was zero, negative or NaN.
    #[error("the matrix of {rows} block rows is not positive definite")]
    NotPositiveDefinite {
        /// Block rows of the matrix.
        rows: usize,
    },
    /// The factor would not fit in memory or its indices in 32 bits.
    #[error("the factor of a matrix of {rows} block rows does not fit in memory")]
    TooLarge {
        /// Block rows of the matrix.
        rows: usize,
    },
    /// The interrupt was raised.
    #[error("the factorisation was interrupted")]
    Interrupted,
}

/// A Cholesky factor with all data that are reusable between matrices: plans of recent patterns, the storage of the
/// factor and scratch memory.
///
/// A matrix of numbers represents blocks that are multiples of the identity: it is factorised for one component and
/// solved for three right-hand sides.
#[derive(Debug)]
pub struct Cholesky<B = Mat3> {
    /// Most recently used first.
    plans: Vec<Plan>,
    /// Lower triangle of the matrix, scalar, by columns.
    values: Vec<f64>,
    /// The same in the order of elimination.
    permuted: Vec<f64>,
    factor: Vec<f64>,
    /// Corrections for the dyads of the matrix.
    corrections: Corrections,
    right_side: Vec<f64>,
    /// Right-hand sides of three components in the order of elimination, and those of one supernode.
    multi_rhs: [Vec<f64x4>; 2],
    scratch: SolveMemory,
    /// Whether `factor` belongs to `plans[0]`.
    factored: bool,
    interrupt: Interrupt,
    marker: PhantomData<B>,
}

impl<B> Default for Cholesky<B> {
    fn default() -> Self {
        Self {
            plans: Vec::new(),
            values: Vec::new(),
            permuted: Vec::new(),
            factor: Vec::new(),
            corrections: Corrections::default(),
            right_side: Vec::new(),
            multi_rhs: [Vec::new(), Vec::new()],
            scratch: SolveMemory::default(),
            factored: false,
            interrupt: Interrupt::default(),
            marker: PhantomData,
        }
    }
}

impl<B: Block> Cholesky<B> {
    /// A solver without a factor.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the interrupt that long factorisations poll.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

    /// Predicts the cost of factorising a matrix of this pattern. Orders the graph of nodes if the
    /// pattern is new (about half a microsecond per node; a later factorisation reuses the order).
    ///
    /// # Errors
    /// [`DirectError::TooLarge`].
    pub fn predict(
        &mut self,
        pattern: &Arc<BlockPattern>,
    ) -> Result<FactorisationCost, DirectError> {
        self.move_to_front(pattern)?;
        Ok(self.plans[0].cost())
    }

    /// Factorises `a`. A pattern that is not cached is analysed first. This costs as much as a few factorisations
    /// for a small matrix, and a fraction of one for a large matrix. After an error there is no factor.
    ///
    /// # Errors
    /// [`DirectError::NotPositiveDefinite`], also for NaN entries; [`DirectError::TooLarge`];
    /// [`DirectError::Interrupted`].
    pub fn factorize(&mut self, a: &SymmetricBlockMatrix<B>) -> Result<(), DirectError> {
        self.factored = false;
        self.move_to_front(&a.pattern)?;
        copy_lower_triangle(a, &mut self.values);
        let rows = a.rows();
        self.factorize_interruptibly(rows)?;
        self.correct(a)
    }

    /// Factorises `values`, on a helper thread if that takes long.
    #[cfg(feature = "host")]
    fn factorize_interruptibly(&mut self, rows: usize) -> Result<(), DirectError> {
        match self.plans[0].cost().flops > helper_thread::MIN_HELPER_THREAD_FLOPS {
            true => helper_thread::factorize(self, rows),
            false => self.factorize_values(rows),
        }
    }

    #[cfg(not(feature = "host"))]
    fn factorize_interruptibly(&mut self, rows: usize) -> Result<(), DirectError> {
        self.factorize_values(rows)
    }

    /// Computes the corrections of solutions for the dyads of `a`, with one solve per dyad.
    fn correct(&mut self, a: &SymmetricBlockMatrix<B>) -> Result<(), DirectError> {
        self.corrections.clear();
        let rows = a.rows();
        for dyad in &a.dyads {
            let mut vector = vec![Vec3::ZERO; rows];
            dyad.add_to(1.0, &mut vector);
            let mut solution = vec![Vec3::ZERO; rows];
            self.solve_blocks(&vector, &mut solution);
            if !self.corrections.push(dyad, solution) {
                self.factored = false;
                return Err(DirectError::NotPositiveDefinite { rows });
            }
        }
        Ok(())
    }

    /// Factorises `values`, a matrix of `rows` block rows and the first plan's pattern.
    fn factorize_values(&mut self, rows: usize) -> Result<(), DirectError> {
        let symbolic = self.plans[0].symbolic()?;
        let too_large = DirectError::TooLarge { rows };
        let length = symbolic.cholesky.len_val();
        self.factor
            .try_reserve_exact(length.saturating_sub(self.factor.len()))
            .map_err(|_| too_large)?;
        self.factor.resize(length, 0.0);
        if rows == 0 {
            self.factored = true;
            return Ok(());
        }
        self.permuted.clear();
        self.permuted.try_reserve_exact(symbolic.places.len()).map_err(|_| too_large)?;
        self.permuted.extend(symbolic.places.iter().map(|&place| self.values[place as usize]));
        let supernodes = symbolic.supernodes();
        let request = factorize_supernodal_numeric_llt_scratch::<u32, f64>(
            supernodes,
            Par::Seq,
            Default::default(),
        );
        let request = request.or(symbolic.cholesky.solve_in_place_scratch::<f64>(1, Par::Seq));
        let stack = self.scratch.stack(request).ok_or(too_large)?;
        factorize_supernodal_numeric_llt(
            &mut self.factor,
            SparseColMatRef::new(symbolic.lower.as_ref(), &self.permuted),
            LltRegularization::default(),
            supernodes,
            Par::Seq,
            stack,
            Default::default(),
        )
        .map_err(|_| DirectError::NotPositiveDefinite { rows })?;
        // faer accepts infinite and NaN pivots.
        if self.factor.iter().any(|x| !x.is_finite()) {
            return Err(DirectError::NotPositiveDefinite { rows });
        }
        self.factored = true;
        Ok(())
    }

    /// Sets `x = A^-1 b` with the current factor.
    ///
    /// # Panics
    /// If there is no factor or the lengths differ (programming errors).
    pub fn solve(&mut self, b: &[Vec3], x: &mut [Vec3]) {
        assert!(self.factored, "solve needs a successful factorisation");
        self.solve_blocks(b, x);
        self.corrections.apply(x);
    }

    /// Sets `x = A^-1 b` without the dyads of the matrix.
    fn solve_blocks(&mut self, b: &[Vec3], x: &mut [Vec3]) {
        match B::WIDTH {
            1 => self.solve_components(b, x),
            _ => self.solve_vector(b, x),
        }
    }

    /// Solves for all three components with the factor of one.
    fn solve_components(&mut self, b: &[Vec3], x: &mut [Vec3]) {
        let Self { plans, factor, multi_rhs: [right_sides, local], .. } = self;
        let (symbolic, order) = plans[0].factor().expect("the plan was used to factorise");
        let supernodes = symbolic.supernodes();
        right_sides.clear();
        right_sides.extend(order.iter().map(|&node| multi_rhs::row(b[node as usize])));
        multi_rhs::solve(supernodes, factor, right_sides, local);
        for (&node, row) in order.iter().zip(&*right_sides) {
            x[node as usize] = multi_rhs::vector(*row);
        }
    }

    /// Solves with the scalar factor of a matrix of 3x3 blocks.
    fn solve_vector(&mut self, b: &[Vec3], x: &mut [Vec3]) {
        self.right_side.clear();
        self.right_side.extend(b.iter().flat_map(Vec3::to_array));
        let symbolic = self.plans[0].symbolic().expect("the plan was used to factorise");
        let request = symbolic.cholesky.solve_in_place_scratch::<f64>(1, Par::Seq);
        let stack = self.scratch.stack(request).expect("reserved by the factorisation");
        let rows = self.right_side.len();
        LltRef::new(&symbolic.cholesky, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.right_side, rows, 1),
            Par::Seq,
            stack,
        );
        for (xi, solved) in x.iter_mut().zip(self.right_side.chunks_exact(3)) {
            *xi = Vec3::from_slice(solved);
        }
    }

    /// Moves the plan of `pattern` to the front.
    fn move_to_front(&mut self, pattern: &Arc<BlockPattern>) -> Result<(), DirectError> {
        let position = (self.plans.iter().position(|plan| Arc::ptr_eq(&plan.pattern, pattern)))
            .or_else(|| self.plans.iter().position(|plan| plan.pattern == *pattern));
        match position {
            Some(0) => {}
            Some(index) => {
                self.factored = false;
                self.plans[..=index].rotate_right(1);
            }
            None => {
                self.factored = false;
                let plan = Plan::new(pattern.clone(), B::WIDTH)?;
                self.plans.truncate(MAX_PLANS - 1);
                self.plans.insert(0, plan);
            }
        }
        // Equal content under a new address: the next comparison is by address.
        self.plans[0].pattern = pattern.clone();
        Ok(())
    }
}

/// Memory that grows to the largest request.
#[derive(Default)]
struct SolveMemory {
    memory: Option<MemBuffer>,
    request: StackReq,
}

impl SolveMemory {
    /// A work stack that satisfies `request`; `None` if memory is insufficient.
    fn stack(&mut self, request: StackReq) -> Option<&mut MemStack> {
        let request = self.request.or(request);
        if self.memory.is_none() || request != self.request {
            self.memory = None;
            self.memory = Some(MemBuffer::try_new(request).ok()?);
            self.request = request;
        }
        self.memory.as_mut().map(|memory| MemStack::new(memory))
    }
}

impl std::fmt::Debug for SolveMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SolveMemory").field("bytes", &self.request.size_bytes()).finish()
    }
}

/// The lower triangle by scalar columns: block row `i` of the upper triangle,
/// transposed, is columns `3i..3i+3` of a matrix of 3x3 blocks, column `i` of one of numbers.
fn copy_lower_triangle<B: Block>(a: &SymmetricBlockMatrix<B>, values: &mut Vec<f64>) {
    values.clear();
    values.reserve(B::WIDTH * B::WIDTH * a.blocks.len());
    for i in 0..a.rows() {
        let row = &a.blocks[a.pattern.row(i)];
        for k in 0..B::WIDTH {
            row[0].transpose().append_row(k, k, values);
            row[1..].iter().for_each(|block| block.append_row(k, 0, values));
        }
    }
}

#[cfg(test)]
mod tests;
