//! Critical load factors, at which a load-dependent stiffness becomes singular.

use crate::cg::dot;
use crate::direct::{Cholesky, DirectError};
use crate::pencil::{jacobi, project, pseudo_random_field};
use resile_math::{Mat3, Vec3};
use resile_sparse::SymmetricBlockMatrix;

/// Vectors of a block in addition to the number of requested pairs.
const EXTRA_VECTORS: usize = 4;

/// Number of blocks of a basis before a restart with its best Ritz vectors.
const MAX_BLOCKS: usize = 6;

/// Bound of the number of restarts.
const MAX_RESTARTS: usize = 60;

/// Residual below which a pair has converged: the relative error of the factor is of the order of its square.
const RESIDUAL_TOLERANCE: f64 = 1e-7;

/// Relative length of the orthogonal remainder of a vector below which it is linearly dependent.
const DEPENDENCE_TOLERANCE: f64 = 1e-10;

/// Bound of the reciprocals of factors, relative to the largest one, that count as zero.
const ZERO_TOLERANCE: f64 = 1e-9;

/// Bound of the change of the stiffness, relative to the stiffness, that counts as rounding.
const CHANGE_TOLERANCE: f64 = 1e-12;

/// Stiffness K without a load and K + G under the load, on the free directions of their rows.
#[derive(Debug, Clone, Copy)]
pub struct CriticalPencil<'a> {
    /// Stiffness K without the load.
    pub unloaded: &'a SymmetricBlockMatrix,
    /// Stiffness K + G under the load.
    pub loaded: &'a SymmetricBlockMatrix,
    /// Whether a row is free.
    pub free: &'a [bool],
    /// Rows that are free in some directions only, with the orthogonal projectors onto these.
    pub guided: &'a [(usize, Mat3)],
}

/// A critical load factor with its mode, `K x = -factor G x` and `x . K x = 1`.
#[derive(Debug, Clone, PartialEq)]
pub struct CriticalPair {
    /// Load factor.
    pub factor: f64,
    /// Mode x.
    pub vector: Vec<Vec3>,
    /// `|x + factor K^-1 G x|` in the norm of K.
    pub residual: f64,
    /// Whether the residual is at most 1e-7. Otherwise the maximum number of restarts was reached.
    pub has_converged: bool,
}

/// Error of the computation of load factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CriticalError {
    /// K cannot be factorised.
    #[error("the stiffness without the load has no factor: {0}")]
    Direct(#[from] DirectError),
    /// G is zero up to rounding.
    #[error("the load does not change the stiffness")]
    Unchanged,
}

/// Vectors that are orthonormal in the inner product of K, with their products with K and -G.
#[derive(Default)]
struct Basis {
    vectors: Vec<Vec<Vec3>>,
    /// Products of K with the vectors.
    stiffness_products: Vec<Vec<Vec3>>,
    /// Products of -G with the vectors.
    load_products: Vec<Vec<Vec3>>,
}

impl CriticalPencil<'_> {
    /// The `count` smallest positive factors, ascending, or all if there are fewer: the largest eigenvalues
    /// `1 / factor` of `-K^-1 G` by a block Krylov method in the inner product of K, restarted with the best Ritz
    /// vectors (Saad 2011, *Numerical Methods for Large Eigenvalue Problems*, chapters 6 and 7). Negative factors,
    /// which belong to the opposite load, are omitted. Bitwise equal for any number of threads. Costs tens of
    /// solves for each factor.
    ///
    /// # Errors
    /// If K is not positive definite, or its factor does not fit in memory; if G is zero up to rounding.
    pub fn smallest(&self, count: usize) -> Result<Vec<CriticalPair>, CriticalError> {
        self.smallest_within(count, MAX_RESTARTS)
    }

    /// The norm of the response `K^-1 b` to each of these forces in the norm of K, `(b . K^-1 b)^(1/2)`. Factorises K
    /// unless all forces are zero.
    ///
    /// # Errors
    /// If K is not positive definite, or its factor does not fit in memory.
    pub fn response_norms(&self, forces: &[Vec<Vec3>]) -> Result<Vec<f64>, CriticalError> {
        if forces.iter().flatten().all(|force| *force == Vec3::ZERO) {
            return Ok(vec![0.0; forces.len()]);
        }
        let mut factor = self.factor()?;
        let norm = |b: &Vec<Vec3>| dot(b, &self.solve(&mut factor, b)).max(0.0).sqrt();
        Ok(forces.iter().map(norm).collect())
    }

    /// [`smallest`](Self::smallest) with at most `restarts` restarts.
    fn smallest_within(
        &self,
        count: usize,
        restarts: usize,
    ) -> Result<Vec<CriticalPair>, CriticalError> {
        let rows = self.free.len();
        let block_size = count + EXTRA_VECTORS;
        let mut block: Vec<Vec<Vec3>> =
            (0..block_size).map(|k| pseudo_random_field(rows, k)).collect();
        block.iter_mut().for_each(|x| project(x, self.free, self.guided));
        self.check_change(&block)?;
        let mut factor = self.factor()?;
        let mut pairs = Vec::new();
        for _ in 0..restarts {
            let mut basis = self.basis(&mut factor, block);
            let values = self.reduce(&mut basis, block_size);
            pairs = self.pairs(&mut factor, &values, &basis, count);
            if pairs.iter().all(|pair| pair.has_converged) {
                break;
            }
            block = basis.vectors;
        }
        Ok(pairs)
    }

    /// Checks that G is not zero up to rounding, by its products with these fields.
    fn check_change(&self, fields: &[Vec<Vec3>]) -> Result<(), CriticalError> {
        let length = |x: &[Vec3]| dot(x, x).sqrt();
        let unchanged = |x: &Vec<Vec3>| {
            length(&self.apply_load_stiffness(x))
                <= CHANGE_TOLERANCE * length(&self.apply_stiffness(x))
        };
        if fields.iter().all(unchanged) { Err(CriticalError::Unchanged) } else { Ok(()) }
    }

    /// Cholesky factor of K on the free directions.
    fn factor(&self) -> Result<Cholesky, DirectError> {
        let mut constrained = self.unloaded.clone();
        constrained.constrain(self.free, self.guided);
        let mut factor = Cholesky::new();
        factor.factorize(&constrained)?;
        Ok(factor)
    }

    /// Basis of the block Krylov space of `-K^-1 G` and the first block.
    fn basis(&self, factor: &mut Cholesky, first: Vec<Vec<Vec3>>) -> Basis {
        let mut basis = Basis::default();
        let mut block = first;
        for _ in 0..MAX_BLOCKS {
            let old_count = basis.vectors.len();
            block.into_iter().for_each(|x| self.add_orthonormalised(&mut basis, x));
            block =
                basis.load_products[old_count..].iter().map(|b| self.solve(factor, b)).collect();
        }
        basis
    }

    /// Adds a vector unless it is linearly dependent: Gram-Schmidt orthogonalisation, twice.
    fn add_orthonormalised(&self, basis: &mut Basis, mut x: Vec<Vec3>) {
        let length = |x: &[Vec3]| dot(x, &self.apply_stiffness(x)).max(0.0).sqrt();
        let initial_length = length(&x);
        for _ in 0..2 {
            for (other, product) in basis.vectors.iter().zip(&basis.stiffness_products) {
                let component = dot(product, &x);
                x.iter_mut().zip(other).for_each(|(x, other)| *x -= *other * component);
            }
        }
        let remaining_length = length(&x);
        // The condition is false also for NaN.
        if remaining_length > DEPENDENCE_TOLERANCE * initial_length {
            x.iter_mut().for_each(|x| *x /= remaining_length);
            basis.stiffness_products.push(self.apply_stiffness(&x));
            basis.load_products.push(self.apply_load_stiffness(&x));
            basis.vectors.push(x);
        }
    }

    /// Rayleigh-Ritz method: reduces the basis to the `count` Ritz vectors of `-K^-1 G` with the largest values,
    /// and returns these, descending.
    fn reduce(&self, basis: &mut Basis, count: usize) -> Vec<f64> {
        let n = basis.vectors.len();
        let mut projected = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..=i {
                let [a, b] =
                    [(i, j), (j, i)].map(|(i, j)| dot(&basis.vectors[i], &basis.load_products[j]));
                (projected[i][j], projected[j][i]) = (0.5 * (a + b), 0.5 * (a + b));
            }
        }
        let (values, weights) = jacobi(projected);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        order.truncate(count);
        let combine = |fields: &[Vec<Vec3>]| -> Vec<Vec<Vec3>> {
            let sum = |&k: &usize| {
                let mut sum = vec![Vec3::ZERO; self.free.len()];
                for (field, weights) in fields.iter().zip(&weights) {
                    sum.iter_mut().zip(field).for_each(|(sum, x)| *sum += *x * weights[k]);
                }
                sum
            };
            order.iter().map(sum).collect()
        };
        *basis = Basis {
            vectors: combine(&basis.vectors),
            stiffness_products: combine(&basis.stiffness_products),
            load_products: combine(&basis.load_products),
        };
        order.into_iter().map(|k| values[k]).collect()
    }

    /// The first `count` pairs with finite positive factors.
    fn pairs(
        &self,
        factor: &mut Cholesky,
        values: &[f64],
        basis: &Basis,
        count: usize,
    ) -> Vec<CriticalPair> {
        let largest = values.iter().fold(0.0, |max: f64, value| max.max(value.abs()));
        let positive =
            values.iter().enumerate().filter(|(_, value)| **value > ZERO_TOLERANCE * largest);
        let mut pair = |(k, value): (usize, &f64)| {
            let vector = basis.vectors[k].clone();
            let mut error = self.solve(factor, &basis.load_products[k]);
            error.iter_mut().zip(&vector).for_each(|(error, x)| *error = *x - *error / *value);
            let residual = dot(&error, &self.apply_stiffness(&error)).max(0.0).sqrt();
            let has_converged = residual <= RESIDUAL_TOLERANCE;
            CriticalPair { factor: value.recip(), vector, residual, has_converged }
        };
        positive.take(count).map(&mut pair).collect()
    }

    /// `K^-1 b`.
    fn solve(&self, factor: &mut Cholesky, b: &[Vec3]) -> Vec<Vec3> {
        let mut x = vec![Vec3::ZERO; b.len()];
        factor.solve(b, &mut x);
        project(&mut x, self.free, self.guided);
        x
    }

    /// `K x` in the free directions.
    fn apply_stiffness(&self, x: &[Vec3]) -> Vec<Vec3> {
        let mut product = vec![Vec3::ZERO; x.len()];
        self.unloaded.multiply(x, &mut product);
        project(&mut product, self.free, self.guided);
        product
    }

    /// `-G x` in the free directions.
    fn apply_load_stiffness(&self, x: &[Vec3]) -> Vec<Vec3> {
        let mut product = vec![Vec3::ZERO; x.len()];
        self.loaded.multiply(x, &mut product);
        project(&mut product, self.free, self.guided);
        let stiffness = self.apply_stiffness(x).into_iter();
        stiffness.zip(product).map(|(unloaded, loaded)| unloaded - loaded).collect()
    }
}
