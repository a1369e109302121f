//! Preconditioned conjugate gradients.
//!
//! Hestenes and Stiefel 1952 in the form of Nocedal and Wright, *Numerical
//! Optimization*, algorithm 5.3, with the test of algorithm 7.1 that stops at a
//! direction of negative curvature: an indefinite matrix is an expected outcome. Sums run in a
//! fixed order, so equal input gives equal bits.
//!
//! [`Preconditioned`] combines a matrix with its preconditioner: [`BlockJacobi`] here, and the two-level one of
//! Newton's method in [`two_level`](crate::two_level). Its products may have only about three correct digits. For
//! smaller tolerances the solver computes the true residual and solves for a correction (iterative refinement,
//! Wilkinson 1963).

use crate::rank_one::WithDyads;
use resile_math::{Mat3, Vec3};
use resile_sparse::SymmetricBlockMatrix;
use resile_watch::Interrupt;

/// A matrix `A` with a symmetric positive definite preconditioner `M^-1`. The implementor chooses
/// the order of vectors and the unit of right-hand sides.
///
/// Each method is one of the three vector updates of an iteration, fused with the scalar product
/// that the next update needs, so that an implementor that divides vectors between threads can
/// let each thread work on the same part of all vectors.
pub trait Preconditioned {
    /// Writes `b` in the implementor's order and unit.
    fn permute(&self, b: &[Vec3], out: &mut [Vec3]);

    /// Adds a solution in the implementor's order to `out`.
    fn unpermute(&self, x: &[Vec3], out: &mut [Vec3]);

    /// Sets `p = z + beta p` and `product = A p`, the latter with a small relative error. Returns
    /// `p.Ap`.
    fn update_direction(
        &mut self,
        beta: f64,
        z: &[Vec3],
        p: &mut [Vec3],
        product: &mut [Vec3],
    ) -> f64;

    /// Sets `x += length p` and `r -= length Ap`. Returns `r.r`.
    fn update_solution(
        &self,
        length: f64,
        direction_and_product: (&[Vec3], &[Vec3]),
        x: &mut [Vec3],
        r: &mut [Vec3],
    ) -> f64;

    /// Sets `z = M^-1 r`, for an `r` of this `norm`. Returns `r.z`.
    fn apply(&mut self, r: &[Vec3], norm: f64, z: &mut [Vec3]) -> f64;
}

/// A symmetric linear operator.
pub trait Product {
    /// `out = A x`.
    fn multiply(&self, x: &[Vec3], out: &mut [Vec3]);
}

impl Product for SymmetricBlockMatrix {
    fn multiply(&self, x: &[Vec3], out: &mut [Vec3]) {
        Self::multiply(self, x, out);
    }
}

/// Error of the construction of a preconditioner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PreconditionerError {
    /// A principal submatrix is not positive definite, hence neither is the matrix.
    #[error("a part of the matrix is not positive definite")]
    NotPositiveDefinite,
    /// A factor does not fit in memory.
    #[error("the preconditioner does not fit in memory")]
    TooLarge,
    /// The interrupt was raised.
    #[error("the preconditioner was interrupted")]
    Interrupted,
}

/// A matrix and the inverses of its diagonal blocks: the baseline for other preconditioners.
#[derive(Debug, Clone)]
pub struct BlockJacobi<'a> {
    a: &'a SymmetricBlockMatrix,
    inverses: Vec<Mat3>,
}

impl<'a> BlockJacobi<'a> {
    /// Inverts the diagonal blocks of `a`.
    ///
    /// # Errors
    /// [`PreconditionerError::NotPositiveDefinite`].
    pub fn new(a: &'a SymmetricBlockMatrix) -> Result<Self, PreconditionerError> {
        let inverses = (0..a.rows()).map(|row| definite_inverse(a.diagonal(row)));
        let inverses: Option<_> = inverses.collect();
        Ok(Self { a, inverses: inverses.ok_or(PreconditionerError::NotPositiveDefinite)? })
    }
}

impl Preconditioned for BlockJacobi<'_> {
    fn permute(&self, b: &[Vec3], out: &mut [Vec3]) {
        out.copy_from_slice(b);
    }

    fn unpermute(&self, x: &[Vec3], out: &mut [Vec3]) {
        out.iter_mut().zip(x).for_each(|(out, x)| *out += *x);
    }

    fn update_direction(
        &mut self,
        beta: f64,
        z: &[Vec3],
        p: &mut [Vec3],
        product: &mut [Vec3],
    ) -> f64 {
        add_multiple(beta, z, p);
        self.a.multiply_blocks(p, product);
        dot(p, product)
    }

    fn update_solution(
        &self,
        length: f64,
        direction_and_product: (&[Vec3], &[Vec3]),
        x: &mut [Vec3],
        r: &mut [Vec3],
    ) -> f64 {
        step(length, direction_and_product, x, r)
    }

    fn apply(&mut self, r: &[Vec3], _: f64, z: &mut [Vec3]) -> f64 {
        for ((zi, ri), inverse) in z.iter_mut().zip(r).zip(&self.inverses) {
            *zi = *inverse * *ri;
        }
        dot(r, z)
    }
}

/// `p = z + beta p`.
pub(crate) fn add_multiple(beta: f64, z: &[Vec3], p: &mut [Vec3]) {
    p.iter_mut().zip(z).for_each(|(p, z)| *p = *z + *p * beta);
}

/// Sets `x += length p` and `r -= length Ap`, given `p` and `Ap`; returns `r.r`.
pub(crate) fn step(
    length: f64,
    (p, product): (&[Vec3], &[Vec3]),
    x: &mut [Vec3],
    r: &mut [Vec3],
) -> f64 {
    x.iter_mut().zip(p).for_each(|(x, p)| *x += *p * length);
    r.iter_mut().zip(product).for_each(|(r, ap)| *r -= *ap * length);
    dot(r, r)
}

/// The inverse of a symmetric block, if all its leading minors are positive.
pub(crate) fn definite_inverse(a: &Mat3) -> Option<Mat3> {
    let minor = a.x_axis.x * a.y_axis.y - a.x_axis.y * a.y_axis.x;
    let definite = a.x_axis.x > 0.0 && minor > 0.0 && a.determinant() > 0.0;
    let inverse = definite.then(|| a.inverse())?;
    inverse.is_finite().then_some(inverse)
}

/// Termination criteria.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CgLimits {
    /// Residual to reach, relative to the right-hand side, in the 2-norm.
    pub tolerance: f64,
    /// Maximum number of iterations (products with the matrix).
    pub max_iterations: usize,
}

/// Outcome of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CgOutcome {
    /// The tolerance was reached.
    Converged {
        /// Number of products with the matrix.
        iterations: usize,
        /// Relative residual of the recurrence.
        residual: f64,
    },
    /// The matrix is not positive definite; the current iterate is only a descent direction.
    NegativeCurvature {
        /// Number of products with the matrix.
        iterations: usize,
        /// `p.Ap / p.p` of the direction of negative curvature.
        curvature: f64,
    },
    /// The maximum number of iterations was reached, or refinement no longer reduces the residual.
    Stagnated {
        /// Number of products with the matrix.
        iterations: usize,
        /// Relative residual of the recurrence.
        residual: f64,
    },
    /// The interrupt was raised; the current iterate is not usable.
    Interrupted {
        /// Number of products with the matrix.
        iterations: usize,
    },
}

impl CgOutcome {
    /// Number of products with the matrix.
    pub fn iterations(&self) -> usize {
        match *self {
            Self::Converged { iterations, .. }
            | Self::NegativeCurvature { iterations, .. }
            | Self::Stagnated { iterations, .. }
            | Self::Interrupted { iterations } => iterations,
        }
    }
}

/// Tolerance below which the residual is computed with the exact matrix.
const TRUE_RESIDUAL_TOLERANCE: f64 = 1e-3;

/// Relative tolerance of a correction in iterative refinement: about the accuracy of the recurrence
/// with single-precision products. With 1e-4 and 1e-5 the tests of the two-level preconditioner
/// need one or two iterations more.
const REFINEMENT_TOLERANCE: f64 = 1e-6;

/// The vectors of conjugate gradients, reused from one solve to the next.
#[derive(Debug, Clone, Default)]
pub struct ConjugateGradients {
    solution: Vec<Vec3>,
    residual: Vec<Vec3>,
    preconditioned: Vec<Vec3>,
    direction: Vec<Vec3>,
    product: Vec<Vec3>,
    interrupt: Interrupt,
}

impl ConjugateGradients {
    /// A solver without allocated vectors.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the interrupt that every later iteration polls.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

    /// Solves `a x = b` from `x = 0`, whatever `x` holds before. `inverse` is prepared for `a`.
    ///
    /// For tolerances below 1e-3 the reported residual is the true one; otherwise it is that of the
    /// recurrence with the products of `inverse`.
    pub fn solve(
        &mut self,
        a: &dyn Product,
        inverse: &mut dyn Preconditioned,
        b: &[Vec3],
        x: &mut [Vec3],
        limits: CgLimits,
    ) -> CgOutcome {
        x.fill(Vec3::ZERO);
        self.resize(b.len());
        inverse.permute(b, &mut self.residual);
        let right_side_norm = norm(&self.residual);
        if right_side_norm == 0.0 {
            return CgOutcome::Converged { iterations: 0, residual: 0.0 };
        }
        if limits.tolerance >= TRUE_RESIDUAL_TOLERANCE {
            let outcome = self.iterate(inverse, limits);
            inverse.unpermute(&self.solution, x);
            return outcome;
        }
        self.refine(a, inverse, b, right_side_norm, x, limits)
    }

    /// [`solve`](Self::solve) for a matrix with dyads; `inverse` is prepared for its blocks alone.
    pub fn solve_matrix(
        &mut self,
        a: &SymmetricBlockMatrix,
        inverse: &mut dyn Preconditioned,
        b: &[Vec3],
        x: &mut [Vec3],
        limits: CgLimits,
    ) -> CgOutcome {
        if a.dyads.is_empty() {
            return self.solve(a, inverse, b, x, limits);
        }
        let mut sum = WithDyads::new(inverse, &a.dyads, a.rows());
        self.solve(a, &mut sum, b, x, limits)
    }

    /// Iterative refinement: solves for corrections until the true residual meets the tolerance. `right_side_norm` is
    /// the norm of `b` in the order of `inverse`.
    fn refine(
        &mut self,
        a: &dyn Product,
        inverse: &mut dyn Preconditioned,
        b: &[Vec3],
        right_side_norm: f64,
        x: &mut [Vec3],
        limits: CgLimits,
    ) -> CgOutcome {
        let (mut iterations, mut residual) = (0, 1.0);
        loop {
            let correction_limits = CgLimits {
                tolerance: (0.5 * limits.tolerance / residual).max(REFINEMENT_TOLERANCE),
                max_iterations: limits.max_iterations - iterations,
            };
            let outcome = self.iterate(inverse, correction_limits);
            iterations += outcome.iterations();
            match outcome {
                CgOutcome::NegativeCurvature { curvature, .. } => {
                    return CgOutcome::NegativeCurvature { iterations, curvature };
                }
                CgOutcome::Interrupted { .. } => return CgOutcome::Interrupted { iterations },
                CgOutcome::Converged { .. } | CgOutcome::Stagnated { .. } => {}
            }
            inverse.unpermute(&self.solution, x);
            a.multiply(x, &mut self.product);
            self.product.iter_mut().zip(b).for_each(|(ax, b)| *ax = *b - *ax);
            inverse.permute(&self.product, &mut self.residual);
            let previous_residual =
                std::mem::replace(&mut residual, norm(&self.residual) / right_side_norm);
            if residual <= limits.tolerance {
                return CgOutcome::Converged { iterations, residual };
            }
            // A correction that does not halve the residual has reached the rounding level.
            let has_improved = residual < 0.5 * previous_residual;
            if iterations == limits.max_iterations || !has_improved {
                return CgOutcome::Stagnated { iterations, residual };
            }
        }
    }

    /// Solves for `residual` from `x = 0`, in the order of `inverse`.
    fn iterate(&mut self, inverse: &mut dyn Preconditioned, limits: CgLimits) -> CgOutcome {
        let Self { solution: x, residual: r, preconditioned: z, direction: p, product, interrupt } =
            self;
        x.fill(Vec3::ZERO);
        p.fill(Vec3::ZERO);
        let initial_norm = norm(r);
        let (mut residual_norm, mut beta) = (initial_norm, 0.0);
        let mut rz = inverse.apply(r, initial_norm, z);
        for iterations in 1..=limits.max_iterations {
            if interrupt.is_raised() {
                return CgOutcome::Interrupted { iterations: iterations - 1 };
            }
            let curvature = inverse.update_direction(beta, z, p, product);
            // The condition is also true for NaN.
            if !(curvature > 0.0 && rz > 0.0) {
                let curvature = curvature / dot(p, p);
                return CgOutcome::NegativeCurvature { iterations, curvature };
            }
            residual_norm = inverse.update_solution(rz / curvature, (p, product), x, r).sqrt();
            let residual = residual_norm / initial_norm;
            if residual <= limits.tolerance {
                return CgOutcome::Converged { iterations, residual };
            }
            let next_rz = inverse.apply(r, residual_norm, z);
            beta = next_rz / rz;
            rz = next_rz;
        }
        CgOutcome::Stagnated {
            iterations: limits.max_iterations,
            residual: residual_norm / initial_norm,
        }
    }

    /// Sets the length of all vectors.
    fn resize(&mut self, rows: usize) {
        let Self { solution, residual, preconditioned, direction, product, .. } = self;
        for vector in [solution, residual, preconditioned, direction, product] {
            vector.resize(rows, Vec3::ZERO);
        }
    }
}

/// 2-norm of a vector.
fn norm(a: &[Vec3]) -> f64 {
    dot(a, a).sqrt()
}

/// The scalar product, summed in a fixed order: four interleaved partial sums, so
/// that one addition need not wait for the last.
pub fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    let mut sums = [Vec3::ZERO; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let remainder: Vec3 = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| *x * *y).sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3]) + remainder).element_sum()
}

#[cfg(test)]
#[path = "cg_tests.rs"]
mod tests;
