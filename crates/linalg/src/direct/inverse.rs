//! A factor as a preconditioner.

use super::Cholesky;
use crate::cg::dot;
use crate::cg::{Preconditioned, Product, add_multiple, step};
use resile_math::Vec3;
use resile_sparse::Block;

/// The inverse of a factorised matrix as a preconditioner for a similar matrix, such as one with a few additional
/// stiff blocks.
#[derive(Debug)]
pub struct FactorInverse<'a, B, P: ?Sized> {
    /// The factor.
    pub factor: &'a mut Cholesky<B>,
    /// The matrix of the linear system.
    pub matrix: &'a P,
}

impl<B: Block, P: Product + ?Sized> Preconditioned for FactorInverse<'_, B, P> {
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
        self.matrix.multiply(p, product);
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
        self.factor.solve(r, z);
        dot(r, z)
    }
}
