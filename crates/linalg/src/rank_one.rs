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

#[derive(Debug, Clone)]
struct Correction {
    dyad: Dyad,
    /// `z w / (1 + w a . z)`.
    along: Vec<Vec3>,
}

impl Corrections {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a dyad; `along` is `A^-1 a` without corrections. For a positive definite sum, returns whether it
    /// remains positive definite.
    pub(crate) fn push(&mut self, dyad: &Dyad, mut along: Vec<Vec3>) -> bool {
        self.apply(&mut along);
        let share = 1.0 + dyad.weight * dyad.dot(&along);
        along.iter_mut().for_each(|z| *z *= dyad.weight / share);
        self.0.push(Correction { dyad: dyad.clone(), along });
        // False also for NaN.
        share > 0.0 && share.is_finite()
    }

    /// Corrects a solution. O(rows) for each dyad.
    pub(crate) fn apply(&self, x: &mut [Vec3]) {
        for Correction { dyad, along } in &self.0 {
            let share = dyad.dot(x);
            x.iter_mut().zip(along).for_each(|(x, z)| *x -= *z * share);
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
    pub(crate) fn new(inner: &'a mut dyn Preconditioned, dyads: &[Dyad], rows: usize) -> Self {
        let mut vector = vec![Vec3::ZERO; rows];
        let mut permuted = Vec::with_capacity(dyads.len());
        for dyad in dyads {
            vector.fill(Vec3::ZERO);
            dyad.add_to(1.0, &mut vector);
            let mut there = vec![Vec3::ZERO; rows];
            inner.permute(&vector, &mut there);
            let (size, unit) = (dot(&vector, &vector), dot(&there, &there));
            if size > 0.0 {
                // `there` is `unit` times the vector, and so is the product.
                permuted.push((there, dyad.weight / (unit / size).sqrt()));
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
            let share = dot(vector, p);
            product.iter_mut().zip(vector).for_each(|(ap, a)| *ap += *a * (share * weight));
            curvature += weight * share * share;
        }
        curvature
    }

    fn update_solution(
        &self,
        length: f64,
        along: (&[Vec3], &[Vec3]),
        x: &mut [Vec3],
        r: &mut [Vec3],
    ) -> f64 {
        self.inner.update_solution(length, along, x, r)
    }

    fn apply(&mut self, r: &[Vec3], size: f64, z: &mut [Vec3]) -> f64 {
        self.inner.apply(r, size, z)
    }
}
