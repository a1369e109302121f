//! The load factors at which a stiffness that changes with the load becomes singular.

use crate::SymmetricBlockMatrix;
use crate::cg::dot;
use crate::direct::{Cholesky, DirectError};
use crate::pencil::{jacobi, project, scattered};
use resile_math::{Mat3, Vec3};

/// Vectors of a block beyond the number of pairs asked for.
const EXTRA_VECTORS: usize = 4;

/// Blocks of a basis before it is reduced to its best vectors.
const MAX_BLOCKS: usize = 6;

/// Bound of the number of restarts.
const MAX_RESTARTS: usize = 60;

/// Residual of a pair at which it has converged: the relative error of the factor is of the order of its square.
const RESIDUAL_TOLERANCE: f64 = 1e-7;

/// Length of a vector without its components along others, over its length, below which it depends on them.
const DEPENDENCE_TOLERANCE: f64 = 1e-10;

/// Reciprocals of factors, over the largest magnitude, that are zero but for rounding.
const ZERO_TOLERANCE: f64 = 1e-9;

/// Change of the stiffness, over the stiffness, that is rounding.
const CHANGE_TOLERANCE: f64 = 1e-12;

/// A stiffness K without a load, and K + G under it, over the free directions of their rows.
#[derive(Debug, Clone, Copy)]
pub struct CriticalPencil<'a> {
    /// K.
    pub unloaded: &'a SymmetricBlockMatrix,
    /// K + G.
    pub loaded: &'a SymmetricBlockMatrix,
    /// Whether a row is free.
    pub free: &'a [bool],
    /// Free rows that are free in some directions only, with the orthogonal projectors onto these.
    pub guided: &'a [(usize, Mat3)],
}

/// A factor with its vector, `K x = -factor G x` and `x . K x = 1`.
#[derive(Debug, Clone, PartialEq)]
pub struct CriticalPair {
    /// The factor.
    pub factor: f64,
    /// The vector.
    pub vector: Vec<Vec3>,
    /// `|x + factor K^-1 G x|` in the norm of K.
    pub residual: f64,
    /// Whether the residual is at most 1e-7. Otherwise the iterations ended before.
    pub has_converged: bool,
}

/// Why there are no load factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CriticalError {
    /// K has no factor.
    #[error("the stiffness without the load has no factor: {0}")]
    Direct(#[from] DirectError),
    /// G is zero but for rounding.
    #[error("the load does not change the stiffness")]
    Unchanged,
}

/// Vectors that are orthonormal in the inner product of K, with their products.
#[derive(Default)]
struct Basis {
    vectors: Vec<Vec<Vec3>>,
    /// K times each.
    stiff: Vec<Vec<Vec3>>,
    /// -G times each.
    softened: Vec<Vec<Vec3>>,
}

impl CriticalPencil<'_> {
    /// The `count` smallest positive factors, ascending, or all if there are fewer: the largest eigenvalues `1 / factor` of
    /// `-K^-1 G` by a block Krylov method in the inner product of K, restarted with the best Ritz vectors (Saad 2011,
    /// *Numerical Methods for Large Eigenvalue Problems*, chapters 6 and 7). Negative factors, those of the opposite load,
    /// are left out. The same bits whatever the number of threads. Costs some tens of solves for each factor.
    ///
    /// # Errors
    /// If K is not positive definite, or its factor does not fit in memory; if G is zero but for rounding.
    pub fn smallest(&self, count: usize) -> Result<Vec<CriticalPair>, CriticalError> {
        self.smallest_within(count, MAX_RESTARTS)
    }

    /// The same in at most `restarts`.
    fn smallest_within(
        &self,
        count: usize,
        restarts: usize,
    ) -> Result<Vec<CriticalPair>, CriticalError> {
        let rows = self.free.len();
        let size = count + EXTRA_VECTORS;
        let mut block: Vec<Vec<Vec3>> = (0..size).map(|k| scattered(rows, k)).collect();
        block.iter_mut().for_each(|x| project(x, self.free, self.guided));
        self.check_change(&block)?;
        let mut factor = self.factor()?;
        let mut found = Vec::new();
        for _ in 0..restarts {
            let mut basis = self.basis(&mut factor, block);
            let values = self.reduce(&mut basis, size);
            found = self.pairs(&mut factor, (&values, &basis), count);
            if found.iter().all(|pair| pair.has_converged) {
                break;
            }
            block = basis.vectors;
        }
        Ok(found)
    }

    fn check_change(&self, fields: &[Vec<Vec3>]) -> Result<(), CriticalError> {
        let length = |x: &[Vec3]| dot(x, x).sqrt();
        let unchanged =
            |x: &Vec<Vec3>| length(&self.softened(x)) <= CHANGE_TOLERANCE * length(&self.stiff(x));
        if fields.iter().all(unchanged) { Err(CriticalError::Unchanged) } else { Ok(()) }
    }

    fn factor(&self) -> Result<Cholesky, DirectError> {
        let mut constrained = self.unloaded.clone();
        constrained.constrain(self.free, self.guided);
        let mut factor = Cholesky::new();
        factor.factorize(&constrained)?;
        Ok(factor)
    }

    /// A basis of the space of the first block and `-K^-1 G` times the block before.
    fn basis(&self, factor: &mut Cholesky, first: Vec<Vec<Vec3>>) -> Basis {
        let mut basis = Basis::default();
        let mut block = first;
        for _ in 0..MAX_BLOCKS {
            let before = basis.vectors.len();
            block.into_iter().for_each(|x| self.add(&mut basis, x));
            block = basis.softened[before..].iter().map(|b| self.solve(factor, b)).collect();
        }
        basis
    }

    /// Adds a vector, unless it depends on the others: Gram and Schmidt's method, twice.
    fn add(&self, basis: &mut Basis, mut x: Vec<Vec3>) {
        let length = |x: &[Vec3]| dot(x, &self.stiff(x)).max(0.0).sqrt();
        let before = length(&x);
        for _ in 0..2 {
            for (other, stiff) in basis.vectors.iter().zip(&basis.stiff) {
                let component = dot(stiff, &x);
                x.iter_mut().zip(other).for_each(|(x, other)| *x -= *other * component);
            }
        }
        let after = length(&x);
        // False for what is not a number, too.
        if after > DEPENDENCE_TOLERANCE * before {
            x.iter_mut().for_each(|x| *x /= after);
            basis.stiff.push(self.stiff(&x));
            basis.softened.push(self.softened(&x));
            basis.vectors.push(x);
        }
    }

    /// Rayleigh and Ritz's method: keeps the `count` eigenvectors of `-K^-1 G` on the basis of largest values, and returns
    /// these, descending.
    fn reduce(&self, basis: &mut Basis, count: usize) -> Vec<f64> {
        let n = basis.vectors.len();
        let mut small = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..=i {
                let [a, b] =
                    [(i, j), (j, i)].map(|(i, j)| dot(&basis.vectors[i], &basis.softened[j]));
                (small[i][j], small[j][i]) = (0.5 * (a + b), 0.5 * (a + b));
            }
        }
        let (values, weights) = jacobi(small);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        order.truncate(count);
        let turned = |fields: &[Vec<Vec3>]| -> Vec<Vec<Vec3>> {
            let sum = |&k: &usize| {
                let mut sum = vec![Vec3::ZERO; self.free.len()];
                for (own, weights) in fields.iter().zip(&weights) {
                    sum.iter_mut().zip(own).for_each(|(sum, x)| *sum += *x * weights[k]);
                }
                sum
            };
            order.iter().map(sum).collect()
        };
        *basis = Basis {
            vectors: turned(&basis.vectors),
            stiff: turned(&basis.stiff),
            softened: turned(&basis.softened),
        };
        order.into_iter().map(|k| values[k]).collect()
    }

    /// The first `count` pairs of finite positive factors.
    fn pairs(
        &self,
        factor: &mut Cholesky,
        (values, basis): (&[f64], &Basis),
        count: usize,
    ) -> Vec<CriticalPair> {
        let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let positive =
            values.iter().enumerate().filter(|(_, value)| **value > ZERO_TOLERANCE * largest);
        let mut pair = |(k, value): (usize, &f64)| {
            let vector = basis.vectors[k].clone();
            let mut rest = self.solve(factor, &basis.softened[k]);
            rest.iter_mut().zip(&vector).for_each(|(rest, x)| *rest = *x - *rest / *value);
            let residual = dot(&rest, &self.stiff(&rest)).max(0.0).sqrt();
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
    fn stiff(&self, x: &[Vec3]) -> Vec<Vec3> {
        let mut product = vec![Vec3::ZERO; x.len()];
        self.unloaded.multiply(x, &mut product);
        project(&mut product, self.free, self.guided);
        product
    }

    /// `-G x` in the free directions.
    fn softened(&self, x: &[Vec3]) -> Vec<Vec3> {
        let mut product = vec![Vec3::ZERO; x.len()];
        self.loaded.multiply(x, &mut product);
        project(&mut product, self.free, self.guided);
        let stiff = self.stiff(x).into_iter();
        stiff.zip(product).map(|(unloaded, loaded)| unloaded - loaded).collect()
    }
}
