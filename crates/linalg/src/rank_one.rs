//! Solvers of a sparse matrix with matrices of rank one beside it.
//!
//! A factorisation corrects its solutions by the formula of Sherman and Morrison (Golub & Van Loan 2013, *Matrix
//! Computations*, section 2.1.4). Preconditioners of conjugate gradients omit the dyads, which costs some iterations
//! for the one eigenvalue that each moves (Nocedal & Wright 2006, theorem 5.5).

use crate::cg::{Preconditioned, dot};
use resile_math::Vec3;
use resile_sparse::Dyad;

/// Corrections of the solutions of a factorisation for dyads, applied one after the other:
/// `(A + w a a^T)^-1 b = x - (a . x) z w / (1 + w a . z)` with `A x = b` and `A z = a`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Corrections(Vec<Correction>);

/// Correction for one dyad.
#[derive(Debug, Clone)]
struct Correction {
    dyad: Dyad,
    /// `z w / (1 + w a . z)`.
    scaled_solution: Vec<Vec3>,
}

impl Corrections {
    /// Removes all corrections.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a dyad; `scaled_solution` is `A^-1 a` without corrections. If the sum of the matrix and earlier dyads is
    /// positive definite, returns whether it remains so.
    pub(crate) fn push(&mut self, dyad: &Dyad, mut scaled_solution: Vec<Vec3>) -> bool {
        self.apply(&mut scaled_solution);
        let denominator = 1.0 + dyad.weight * dyad.dot(&scaled_solution);
        scaled_solution.iter_mut().for_each(|z| *z *= dyad.weight / denominator);
        self.0.push(Correction { dyad: dyad.clone(), scaled_solution });
        // The result is false also for NaN.
        denominator > 0.0 && denominator.is_finite()
    }

    /// Corrects a solution. O(rows) for each dyad.
    pub(crate) fn apply(&self, x: &mut [Vec3]) {
        for Correction { dyad, scaled_solution } in &self.0 {
            let component = dyad.dot(x);
            x.iter_mut().zip(scaled_solution).for_each(|(x, z)| *x -= *z * component);
        }
    }
}

/// The sum of a matrix and dyads, with the preconditioner of the matrix.
pub(crate) struct WithDyads<'a> {
    inner: &'a mut dyn Preconditioned,
    /// The vectors in the order and the unit of the inner right-hand sides, and their weights there.
    dyads: Vec<(Vec<Vec3>, f64)>,
}

impl<'a> WithDyads<'a> {
    /// Prepares the `dyads` for the order and the unit of `inner`.
    pub(crate) fn new(inner: &'a mut dyn Preconditioned, dyads: &[Dyad], rows: usize) -> Self {
        let mut vector = vec![Vec3::ZERO; rows];
        let mut permuted = Vec::with_capacity(dyads.len());
        for dyad in dyads {
            vector.fill(Vec3::ZERO);
            dyad.add_to(1.0, &mut vector);
            let mut permuted_vector = vec![Vec3::ZERO; rows];
            inner.permute(&vector, &mut permuted_vector);
            let (square, permuted_square) =
                (dot(&vector, &vector), dot(&permuted_vector, &permuted_vector));
            if square > 0.0 {
                // Permutation multiplies the vector and the product by the same unit.
                permuted.push((permuted_vector, dyad.weight / (permuted_square / square).sqrt()));
            }
        }
        Self { inner, dyads: permuted }
    }
}

impl Preconditioned for WithDyads<'_> {
    fn permute(&self, b: &[Vec3], out: &mut [Vec3]) {
        self.inner.permute(b, out);
    }

    fn unpermute(&self, x: &[Vec3], out: &mut [Vec3]) {
        self.inner.unpermute(x, out);
    }

    fn update_direction(
        &mut self,
        beta: f64,
        z: &[Vec3],
        p: &mut [Vec3],
        product: &mut [Vec3],
    ) -> f64 {
        let mut curvature = self.inner.update_direction(beta, z, p, product);
        for (vector, weight) in &self.dyads {
            let component = dot(vector, p);
            product.iter_mut().zip(vector).for_each(|(ap, a)| *ap += *a * (component * weight));
            curvature += weight * component * component;
        }
        curvature
    }

    fn update_solution(
        &self,
        length: f64,
        direction_and_product: (&[Vec3], &[Vec3]),
        x: &mut [Vec3],
        r: &mut [Vec3],
    ) -> f64 {
        self.inner.update_solution(length, direction_and_product, x, r)
    }

    fn apply(&mut self, r: &[Vec3], norm: f64, z: &mut [Vec3]) -> f64 {
        self.inner.apply(r, norm, z)
    }
}
