//! Preconditioned conjugate gradients.
//!
//! Hestenes and Stiefel 1952 in the form of Nocedal and Wright, *Numerical
//! Optimization*, algorithm 5.3, with the test of algorithm 7.1 that stops at a
//! direction of negative curvature: an indefinite matrix is an answer here, not an
//! accident. Sums run in a fixed order, so equal input gives equal bits.
//!
//! Preconditioners are a seam: block Jacobi is here, the two-level one that Newton
//! uses in [`two_level`](crate::two_level).

use crate::block_rows::BlockRows;
use crate::{Mat3, SymmetricBlockMatrix, Vec3};

/// A symmetric positive definite `M^-1`, close to `A^-1` and cheap to apply.
pub trait Preconditioner {
    /// Makes ready for `a`, which `rows` is in full rows.
    ///
    /// # Errors
    /// [`Unprepared`].
    fn prepare(&mut self, a: &SymmetricBlockMatrix, rows: &BlockRows) -> Result<(), Unprepared>;

    /// `z = M^-1 r`, for the matrix given to `prepare`, in full rows.
    fn apply(&mut self, a: &BlockRows, r: &[Vec3], z: &mut [Vec3]);
}

/// Why there is no preconditioner for a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unprepared {
    /// A part of the matrix is not positive definite, so that the whole is not.
    #[error("a part of the matrix is not positive definite")]
    NotPositiveDefinite,
    /// A factor does not fit in memory.
    #[error("the preconditioner does not fit in memory")]
    TooLarge,
}

/// The inverses of the diagonal blocks: the yardstick for what is more than that.
#[derive(Debug, Clone, Default)]
pub struct BlockJacobi {
    inverses: Vec<Mat3>,
}

impl Preconditioner for BlockJacobi {
    fn prepare(&mut self, a: &SymmetricBlockMatrix, _: &BlockRows) -> Result<(), Unprepared> {
        self.inverses.clear();
        for row in 0..a.rows() {
            let inverse = definite_inverse(a.diagonal(row));
            self.inverses.push(inverse.ok_or(Unprepared::NotPositiveDefinite)?);
        }
        Ok(())
    }

    fn apply(&mut self, _: &BlockRows, r: &[Vec3], z: &mut [Vec3]) {
        for ((zi, ri), inverse) in z.iter_mut().zip(r).zip(&self.inverses) {
            *zi = *inverse * *ri;
        }
    }
}

/// The inverse of a symmetric block, if all its leading minors are positive.
pub(crate) fn definite_inverse(a: &Mat3) -> Option<Mat3> {
    let minor = a.x_axis.x * a.y_axis.y - a.x_axis.y * a.y_axis.x;
    let definite = a.x_axis.x > 0.0 && minor > 0.0 && a.determinant() > 0.0;
    let inverse = definite.then(|| a.inverse())?;
    inverse.is_finite().then_some(inverse)
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CgLimits {
    /// Residual to reach, relative to the right-hand side, in the 2-norm.
    pub tolerance: f64,
    /// Iterations (products with the matrix) allowed.
    pub max_iterations: usize,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CgOutcome {
    /// The tolerance was reached.
    Converged {
        /// Products with the matrix.
        iterations: usize,
        /// Relative residual, as the recurrence has it.
        residual: f64,
    },
    /// The matrix is not positive definite; the solution so far is of no use
    /// except as a direction of descent.
    NegativeCurvature {
        /// Products with the matrix.
        iterations: usize,
        /// `p.Ap / p.p` of the direction that showed it; 0 if the preconditioner did.
        curvature: f64,
    },
    /// The iterations were used up.
    Stagnated {
        /// Products with the matrix.
        iterations: usize,
        /// Relative residual, as the recurrence has it.
        residual: f64,
    },
}

impl CgOutcome {
    /// Products with the matrix that were done.
    pub fn iterations(&self) -> usize {
        match *self {
            Self::Converged { iterations, .. }
            | Self::NegativeCurvature { iterations, .. }
            | Self::Stagnated { iterations, .. } => iterations,
        }
    }
}

/// The vectors of conjugate gradients, reused from one solve to the next.
#[derive(Debug, Clone, Default)]
pub struct ConjugateGradients {
    residual: Vec<Vec3>,
    preconditioned: Vec<Vec3>,
    direction: Vec<Vec3>,
    product: Vec<Vec3>,
    rows: BlockRows,
}

impl ConjugateGradients {
    /// A solver without vectors yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves `a x = b` from `x = 0`; what `x` holds before does not matter.
    pub fn solve(
        &mut self,
        a: &SymmetricBlockMatrix,
        preconditioner: &mut dyn Preconditioner,
        b: &[Vec3],
        x: &mut [Vec3],
        limits: CgLimits,
    ) -> CgOutcome {
        x.fill(Vec3::ZERO);
        let size = dot(b, b).sqrt();
        if size == 0.0 {
            return CgOutcome::Converged { iterations: 0, residual: 0.0 };
        }
        self.rows.load(a);
        match preconditioner.prepare(a, &self.rows) {
            Ok(()) => self.start(preconditioner, b),
            Err(Unprepared::NotPositiveDefinite) => {
                return CgOutcome::NegativeCurvature { iterations: 0, curvature: 0.0 };
            }
            Err(Unprepared::TooLarge) => {
                return CgOutcome::Stagnated { iterations: 0, residual: 1.0 };
            }
        }
        let mut rz = dot(&self.residual, &self.preconditioned);
        for iterations in 1..=limits.max_iterations {
            self.rows.multiply(&self.direction, &mut self.product);
            let curvature = dot(&self.direction, &self.product);
            // Also true for what is not a number.
            if !(curvature > 0.0 && rz > 0.0) {
                let curvature = curvature / dot(&self.direction, &self.direction);
                return CgOutcome::NegativeCurvature { iterations, curvature };
            }
            let residual = self.advance(rz / curvature, x) / size;
            if residual <= limits.tolerance {
                return CgOutcome::Converged { iterations, residual };
            }
            preconditioner.apply(&self.rows, &self.residual, &mut self.preconditioned);
            let next = dot(&self.residual, &self.preconditioned);
            for (p, z) in self.direction.iter_mut().zip(&self.preconditioned) {
                *p = *z + *p * (next / rz);
            }
            rz = next;
        }
        let residual = dot(&self.residual, &self.residual).sqrt() / size;
        CgOutcome::Stagnated { iterations: limits.max_iterations, residual }
    }

    fn start(&mut self, preconditioner: &mut dyn Preconditioner, b: &[Vec3]) {
        self.residual.clear();
        self.residual.extend_from_slice(b);
        self.preconditioned.resize(b.len(), Vec3::ZERO);
        self.product.resize(b.len(), Vec3::ZERO);
        preconditioner.apply(&self.rows, &self.residual, &mut self.preconditioned);
        self.direction.clone_from(&self.preconditioned);
    }

    /// Steps along the direction; returns the norm of the new residual.
    fn advance(&mut self, length: f64, x: &mut [Vec3]) -> f64 {
        for (xi, p) in x.iter_mut().zip(&self.direction) {
            *xi += *p * length;
        }
        for (r, ap) in self.residual.iter_mut().zip(&self.product) {
            *r -= *ap * length;
        }
        dot(&self.residual, &self.residual).sqrt()
    }
}

/// The scalar product, summed in a fixed order: four interleaved partial sums, so
/// that one addition need not wait for the last.
pub fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    let mut sums = [Vec3::ZERO; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: Vec3 = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| *x * *y).sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3]) + rest).element_sum()
}

#[cfg(test)]
#[path = "cg_tests.rs"]
mod tests;
