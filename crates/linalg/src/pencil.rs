//! Smallest eigenvalues of a matrix with respect to masses.

use crate::cg::dot;
use crate::direct::{Cholesky, DIAGONAL_SHIFTS, DirectError};
use resile_math::{Mat3, Vec3};
use resile_sparse::SymmetricBlockMatrix;

/// Maximum number of iterations.
const MAX_ITERATIONS: usize = 300;

/// Vectors in addition to those requested: per iteration the error of a value decreases by its ratio to the value
/// of the first omitted vector (Bathe 1996, *Finite Element Procedures*, section 11.6: `min(2p, p + 8)`).
const EXTRA_VECTORS: usize = 8;

/// Residual, relative to the value, below which a pair has converged: the error of the value is of the order of its
/// square.
const RESIDUAL_TOLERANCE: f64 = 1e-8;

/// Residual, relative to the largest quotient of a diagonal entry and its mass, that counts as rounding: values of
/// rigid motions are zero.
const ZERO_TOLERANCE: f64 = 1e-13;

/// Value, relative to the largest quotient of a diagonal entry and its mass, that counts as zero: ten times the smallest
/// residual.
const ZERO_VALUE_TOLERANCE: f64 = 10.0 * ZERO_TOLERANCE;

/// Maximum number of sweeps of Jacobi's method, which converges quadratically.
const MAX_SWEEPS: usize = 60;

/// Matrix K with masses, on the free directions of its rows.
#[derive(Debug, Clone, Copy)]
pub struct Pencil<'a> {
    /// Matrix K.
    pub matrix: &'a SymmetricBlockMatrix,
    /// Mass of each row.
    pub masses: &'a [f64],
    /// Whether a row is free.
    pub free: &'a [bool],
    /// Rows that are free in some directions only, with the orthogonal projectors onto these.
    pub guided: &'a [(usize, Mat3)],
}

/// An eigenvalue with its vector, `K x = value M x` and `x . M x = 1`.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigenpair {
    /// Eigenvalue.
    pub value: f64,
    /// Eigenvector x.
    pub vector: Vec<Vec3>,
    /// `|K x - value M x|` in the norm of `M^-1`.
    pub residual: f64,
    /// Whether the residual is at most 1e-8 of the value, or rounding. Otherwise the maximum number of iterations
    /// was reached.
    pub has_converged: bool,
    /// Whether the value is zero up to rounding, as for rigid motions: at most 1e-12 of the largest quotient of a
    /// diagonal entry and its mass.
    pub is_zero: bool,
}

impl Pencil<'_> {
    /// The `count` eigenvalues nearest to zero from below and above, ascending, or all if there are fewer: inverse
    /// iteration of a subspace with the factor of `K + s M`, s the smallest shift that makes it positive definite
    /// (Bathe 1996, section 11.6). Bitwise equal for any number of threads.
    ///
    /// # Errors
    /// If no shifted matrix has a factor.
    pub fn smallest(&self, count: usize) -> Result<Vec<Eigenpair>, DirectError> {
        self.smallest_within(count, MAX_ITERATIONS)
    }

    /// [`smallest`](Self::smallest) in at most `iterations` iterations.
    fn smallest_within(
        &self,
        count: usize,
        iterations: usize,
    ) -> Result<Vec<Eigenpair>, DirectError> {
        let directions = self.directions();
        let count = count.min(directions);
        if count == 0 {
            return Ok(Vec::new());
        }
        let subspace_size = (2 * count).min(count + EXTRA_VECTORS).min(directions);
        let (mut factor, scale) = self.factor()?;
        let mut basis: Vec<Vec<Vec3>> = (0..subspace_size).map(|k| self.start_vector(k)).collect();
        let mut values = vec![f64::INFINITY; subspace_size];
        let has_converged = |value: f64, residual: f64| {
            residual <= (RESIDUAL_TOLERANCE * value.abs()).max(ZERO_TOLERANCE * scale)
        };
        for _ in 0..iterations {
            for vector in &mut basis {
                let right_side = self.apply_mass(vector);
                factor.solve(&right_side, vector);
                self.project(vector);
            }
            self.orthonormalise(&mut basis);
            values = self.rotate(&mut basis);
            let converged =
                |k: usize| has_converged(values[k], self.residual(values[k], &basis[k]));
            if (0..count).all(converged) {
                break;
            }
        }
        let pair = |(value, vector): (f64, Vec<Vec3>)| {
            let residual = self.residual(value, &vector);
            let has_converged = has_converged(value, residual);
            let is_zero = value.abs() <= ZERO_VALUE_TOLERANCE * scale;
            Eigenpair { value, vector, residual, has_converged, is_zero }
        };
        Ok(values.into_iter().zip(basis).take(count).map(pair).collect())
    }

    /// Number of free directions.
    fn directions(&self) -> usize {
        let rows = self.free.iter().filter(|free| **free).count();
        let held =
            self.guided.iter().map(|(_, free)| 3.0 - free.x_axis.x - free.y_axis.y - free.z_axis.z);
        3 * rows - held.sum::<f64>().round() as usize
    }

    /// The factor of the shifted matrix, and the largest quotient of a diagonal and its mass.
    fn factor(&self) -> Result<(Cholesky, f64), DirectError> {
        let free_rows = || (0..self.masses.len()).filter(|&i| self.free[i]);
        let quotient = |i: usize| {
            let block = self.matrix.diagonal(i);
            (block.x_axis.x + block.y_axis.y + block.z_axis.z).abs() / (3.0 * self.masses[i])
        };
        let scale = free_rows().map(quotient).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let mut factor = Cholesky::new();
        let mut refused = DirectError::NotPositiveDefinite { rows: self.masses.len() };
        for shift in DIAGONAL_SHIFTS.map(|shift| shift * scale) {
            let mut shifted = self.matrix.clone();
            for i in free_rows() {
                *shifted.diagonal_mut(i) +=
                    Mat3::from_diagonal(Vec3::splat(shift * self.masses[i]));
            }
            shifted.constrain(self.free, self.guided);
            match factor.factorize(&shifted) {
                Ok(()) => return Ok((factor, scale)),
                Err(error @ DirectError::NotPositiveDefinite { .. }) => refused = error,
                Err(error) => return Err(error),
            }
        }
        Err(refused)
    }

    /// Start vector `k` of the subspace iteration.
    fn start_vector(&self, k: usize) -> Vec<Vec3> {
        let mut field = pseudo_random_field(self.masses.len(), k);
        self.project(&mut field);
        field
    }

    /// Projects a field onto the free directions.
    fn project(&self, field: &mut [Vec3]) {
        project(field, self.free, self.guided);
    }

    /// `M x`.
    fn apply_mass(&self, x: &[Vec3]) -> Vec<Vec3> {
        x.iter().zip(self.masses).map(|(x, mass)| *x * *mass).collect()
    }

    /// `K x` in the free directions.
    fn apply_matrix(&self, x: &[Vec3]) -> Vec<Vec3> {
        let mut product = vec![Vec3::ZERO; x.len()];
        self.matrix.multiply(x, &mut product);
        self.project(&mut product);
        product
    }

    /// `|K x - value M x|` in the norm of `M^-1`.
    fn residual(&self, value: f64, x: &[Vec3]) -> f64 {
        let product = self.apply_matrix(x);
        let squared_residual = |i: usize| {
            let residual = product[i] - x[i] * (value * self.masses[i]);
            if self.free[i] { residual.length_squared() / self.masses[i] } else { 0.0 }
        };
        (0..x.len()).map(squared_residual).sum::<f64>().sqrt()
    }

    /// Gram-Schmidt orthonormalisation, twice, in the inner product of the masses.
    fn orthonormalise(&self, basis: &mut [Vec<Vec3>]) {
        for k in 0..basis.len() {
            let (previous, remaining) = basis.split_at_mut(k);
            let vector = &mut remaining[0];
            for _ in 0..2 {
                for other in &*previous {
                    let component = dot(&self.apply_mass(other), vector);
                    vector
                        .iter_mut()
                        .zip(other)
                        .for_each(|(vector, other)| *vector -= *other * component);
                }
                let length = dot(&self.apply_mass(vector), vector).sqrt();
                vector.iter_mut().for_each(|x| *x /= length);
            }
        }
    }

    /// Rayleigh-Ritz method: rotates the basis to the Ritz vectors of K, and returns their values, ascending.
    fn rotate(&self, basis: &mut Vec<Vec<Vec3>>) -> Vec<f64> {
        let n = basis.len();
        let products: Vec<Vec<Vec3>> = basis.iter().map(|x| self.apply_matrix(x)).collect();
        let mut projected = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..=i {
                let entry = 0.5 * (dot(&basis[i], &products[j]) + dot(&basis[j], &products[i]));
                (projected[i][j], projected[j][i]) = (entry, entry);
            }
        }
        let (values, vectors) = jacobi(projected);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let ritz_vector = |&k: &usize| {
            let mut sum = vec![Vec3::ZERO; self.masses.len()];
            for (vector, weights) in basis.iter().zip(&vectors) {
                sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += *x * weights[k]);
            }
            sum
        };
        *basis = order.iter().map(ritz_vector).collect();
        order.into_iter().map(|k| values[k]).collect()
    }
}

/// A pseudo-random field, determined by `seed`.
pub(crate) fn pseudo_random_field(rows: usize, seed: usize) -> Vec<Vec3> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed as u64 + 1);
    let mut next = || {
        // Xorshift (Marsaglia 2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..rows).map(|_| Vec3::new(next(), next(), next())).collect()
}

/// Projects a field onto the free directions of its rows.
pub(crate) fn project(field: &mut [Vec3], free: &[bool], guided: &[(usize, Mat3)]) {
    for (x, free) in field.iter_mut().zip(free) {
        if !free {
            *x = Vec3::ZERO;
        }
    }
    guided.iter().for_each(|&(i, free)| field[i] = free * field[i]);
}

/// Eigenvalues of a small symmetric matrix, and its eigenvectors as columns, by Jacobi's rotations (Golub & Van
/// Loan 2013, *Matrix Computations*, section 8.5).
pub(crate) fn jacobi(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let entry = a[p][q];
                if entry.abs() <= f64::EPSILON * (a[p][p].abs() * a[q][q].abs()).sqrt() {
                    continue;
                }
                rotated = true;
                let ratio = (a[q][q] - a[p][p]) / (2.0 * entry);
                let tangent = ratio.signum() / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
                let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                let sine = tangent * cosine;
                for row in &mut a {
                    let (x, y) = (row[p], row[q]);
                    (row[p], row[q]) = (cosine * x - sine * y, sine * x + cosine * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (cosine * x - sine * y, sine * x + cosine * y);
                }
                for row in &mut vectors {
                    let (x, y) = (row[p], row[q]);
                    (row[p], row[q]) = (cosine * x - sine * y, sine * x + cosine * y);
                }
            }
        }
        if !rotated {
            break;
        }
    }
    ((0..n).map(|k| a[k][k]).collect(), vectors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_sparse::{Assembly, BlockSink as _};

    /// A free chain of `n` masses m between springs of stiffness k in each direction.
    fn chain(n: usize, stiffness: f64) -> Assembly {
        let mut sum = Assembly::new(n);
        sum.begin();
        let block = Mat3::from_diagonal(Vec3::new(stiffness, 2.0 * stiffness, 5.0 * stiffness));
        for i in 1..n {
            sum.add(i - 1, i - 1, block);
            sum.add(i, i, block);
            sum.add(i - 1, i, -block);
        }
        sum.end_static();
        sum.finish();
        sum
    }

    /// `4 k/m sin^2(j pi / 2n)`, j from zero: a free chain, in each of the three directions.
    #[test]
    fn free_chain_has_theoretical_frequencies_and_orthonormal_shapes() {
        let (n, stiffness, mass) = (12, 3.0, 0.7);
        let sum = chain(n, stiffness);
        let pencil = Pencil {
            matrix: sum.matrix(),
            masses: &vec![mass; n],
            free: &vec![true; n],
            guided: &[],
        };
        let sine = |j: usize| (j as f64 * std::f64::consts::PI / (2.0 * n as f64)).sin();
        let of = |factor: f64| move |j: usize| 4.0 * factor * stiffness / mass * sine(j) * sine(j);
        let mut exact: Vec<f64> =
            [1.0, 2.0, 5.0].into_iter().flat_map(|f| (0..n).map(of(f))).collect();
        exact.sort_by(f64::total_cmp);
        let found = pencil.smallest(9).expect("a matrix that is not negative");
        for (pair, exact) in found.iter().zip(&exact) {
            assert!(
                (pair.value - exact).abs() < 1e-9 * exact.max(1.0),
                "{}, not {exact}",
                pair.value
            );
            assert!(pair.residual < 1e-6 && pair.has_converged, "{}", pair.residual);
        }
        let early = pencil.smallest_within(9, 2).expect("a matrix that is not negative");
        let converged = |pair: &Eigenpair| pair.residual <= 1e-8 * pair.value.abs();
        assert!(early.iter().any(|pair| !pair.has_converged));
        assert!(early.iter().all(|pair| pair.has_converged || !converged(pair)));
        for (i, a) in found.iter().enumerate() {
            for (j, b) in found.iter().enumerate() {
                let product = dot(&pencil.apply_mass(&a.vector), &b.vector);
                assert!(
                    (product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-12,
                    "{i}, {j}: {product}"
                );
            }
        }
    }

    /// Held at one end, and on a guide along z elsewhere: `4 k/m sin^2((2j - 1) pi / (4n + 2))` in that direction
    /// alone.
    #[test]
    fn held_and_guided_directions_do_not_move_in_modes() {
        let (n, stiffness, mass) = (9, 2.0, 1.3);
        let sum = chain(n + 1, stiffness);
        let mut free = vec![true; n + 1];
        free[0] = false;
        let along = Mat3::from_diagonal(Vec3::Z);
        let guided: Vec<(usize, Mat3)> = (1..=n).map(|i| (i, along)).collect();
        let pencil = Pencil {
            matrix: sum.matrix(),
            masses: &vec![mass; n + 1],
            free: &free,
            guided: &guided,
        };
        let found = pencil.smallest(40).expect("a positive definite matrix");
        assert_eq!(found.len(), n, "one direction a mass");
        for (j, pair) in found.iter().enumerate() {
            let angle = (2 * j + 1) as f64 * std::f64::consts::PI / (4 * n + 2) as f64;
            let exact = 4.0 * 5.0 * stiffness / mass * angle.sin() * angle.sin();
            assert!((pair.value / exact - 1.0).abs() < 1e-10, "{j}: {}, not {exact}", pair.value);
            assert!(
                pair.vector.iter().all(|x| x.x == 0.0 && x.y == 0.0)
                    && pair.vector[0] == Vec3::ZERO
            );
        }
    }
}
