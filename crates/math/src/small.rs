//! Dense symmetric matrices of a few rows.
//!
//! [`SymmetricEigen`] uses the cyclic Jacobi method: at 9 or 12 rows it is short, has no failure
//! mode, and finds small eigenvalues of graded matrices (stiff contact beside soft) to high relative
//! accuracy, which tridiagonal methods do not. [`project_psd`] does not need that accuracy and uses
//! the faster tridiagonal QL method. Element kernels with a known eigen-structure should use their
//! closed form instead.

use crate::elementary::hypot;
use crate::tridiagonal::eigenvectors;

/// Jacobi converges quadratically: 7 sweeps are enough for all matrices of the
/// tests, 6 are not.
const MAX_SWEEPS: usize = 30;

/// Eigenvalues and eigenvectors of a symmetric matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct SymmetricEigen<const N: usize> {
    /// The eigenvalues, in no particular order.
    pub values: [f64; N],
    /// `vectors[i][k]` is component `i` of the unit eigenvector of `values[k]`.
    pub vectors: [[f64; N]; N],
}

impl<const N: usize> SymmetricEigen<N> {
    /// Decomposes `a` by cyclic Jacobi rotations (Golub & Van Loan, *Matrix Computations*, 8.5). Reads the upper
    /// triangle only. O(N^3) per sweep. Entries that are not finite give eigenvalues that are not.
    pub fn new(a: &[[f64; N]; N]) -> Self {
        let mut a = *a;
        let mut vectors = [[0.0; N]; N];
        for i in 0..N {
            vectors[i][i] = 1.0;
            for j in 0..i {
                a[i][j] = a[j][i];
            }
        }
        for _ in 0..MAX_SWEEPS {
            if !sweep(&mut a, &mut vectors) {
                break;
            }
        }
        Self { values: std::array::from_fn(|i| a[i][i]), vectors }
    }
}

/// One cyclic sweep of Jacobi rotations; returns whether any entry was not negligible.
fn sweep<const N: usize>(a: &mut [[f64; N]; N], vectors: &mut [[f64; N]; N]) -> bool {
    let mut rotated = false;
    for p in 0..N {
        for q in p + 1..N {
            // An entry this small moves no eigenvalue by more than its own rounding.
            let negligible = f64::EPSILON * 0.125 * (a[p][p] * a[q][q]).abs().sqrt();
            if a[p][q].abs() <= negligible.max(f64::MIN_POSITIVE) {
                continue;
            }
            rotated = true;
            rotate(a, vectors, p, q);
        }
    }
    rotated
}

/// Applies the Jacobi rotation in the plane `(p, q)` that zeroes `a[p][q]` to the symmetric matrix `a` from both sides,
/// and to the columns of `vectors`.
fn rotate<const N: usize>(a: &mut [[f64; N]; N], vectors: &mut [[f64; N]; N], p: usize, q: usize) {
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + hypot(theta, 1.0));
    let c = 1.0 / hypot(t, 1.0);
    let s = t * c;
    let shift = t * a[p][q];
    a[p][p] -= shift;
    a[q][q] += shift;
    a[p][q] = 0.0;
    a[q][p] = 0.0;
    for k in 0..N {
        if k != p && k != q {
            let (x, y) = (a[k][p], a[k][q]);
            a[k][p] = c * x - s * y;
            a[p][k] = a[k][p];
            a[k][q] = s * x + c * y;
            a[q][k] = a[k][q];
        }
        let (x, y) = (vectors[k][p], vectors[k][q]);
        vectors[k][p] = c * x - s * y;
        vectors[k][q] = s * x + c * y;
    }
}

/// Replaces the symmetric matrix `a` by the nearest positive semi-definite one (in the Frobenius norm): negative
/// eigenvalues become zero (Higham 1988, theorem 2.1), to a few roundings of the largest. A definite matrix is
/// bitwise unchanged. Reads the upper triangle, writes both. One eigen-decomposition, O(N^3).
pub fn project_psd<const N: usize>(a: &mut [[f64; N]; N]) {
    let (values, rows) = eigenvectors(a).unwrap_or_else(|| {
        let SymmetricEigen { values, vectors } = SymmetricEigen::new(a);
        (values, std::array::from_fn(|k| vectors.map(|row| row[k])))
    });
    for (value, vector) in values.into_iter().zip(rows) {
        // Adding the missing part, rather than summing the positive part, keeps a definite matrix bitwise unchanged.
        let missing = (-value).max(0.0);
        if missing == 0.0 {
            continue;
        }
        for i in 0..N {
            let scaled = missing * vector[i];
            for j in i..N {
                a[i][j] += scaled * vector[j];
            }
        }
    }
    for i in 0..N {
        for j in 0..i {
            a[i][j] = a[j][i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    /// A symmetric matrix of low rank plus noise, the shape of a contact block.
    fn symmetric<const N: usize>(numbers: &[f64], noise: f64) -> [[f64; N]; N] {
        let mut a = [[0.0; N]; N];
        for i in 0..N {
            for j in i..N {
                a[i][j] =
                    1e3 * numbers[i] * numbers[j] + noise * numbers[(7 * i + 13 * j + 5) % 97];
                a[j][i] = a[i][j];
            }
        }
        a
    }

    fn dense<const N: usize>(a: &[[f64; N]; N]) -> DMatrix<f64> {
        DMatrix::from_fn(N, N, |i, j| a[i][j])
    }

    fn agrees_with_nalgebra<const N: usize>(a: &[[f64; N]; N]) {
        let norm = dense(a).norm();
        let ours = SymmetricEigen::new(a);
        let v = dense(&ours.vectors);
        let values = DMatrix::from_diagonal(&DVector::from_row_slice(&ours.values));
        let rebuilt = &v * values * v.transpose();
        assert!((rebuilt - dense(a)).norm() <= 2e-14 * norm, "A = V diag(values) V^T");
        assert!((v.transpose() * v - DMatrix::identity(N, N)).norm() < 2e-14, "V is orthogonal");

        let mut clamped = *a;
        project_psd(&mut clamped);
        let reference = dense(a).symmetric_eigen();
        let positive = DMatrix::from_diagonal(&reference.eigenvalues.map(|x| x.max(0.0)));
        let q = reference.eigenvectors;
        let expected = &q * positive * q.transpose();
        assert!(
            (dense(&clamped) - expected).norm() <= 1e-13 * norm,
            "the clamp agrees with nalgebra"
        );
        let least = dense(&clamped).symmetric_eigenvalues().min();
        assert!(least >= -1e-13 * norm, "no eigenvalue below rounding, got {least}");
    }

    proptest! {
        #[test]
        fn jacobi_and_psd_projection_equal_nalgebra(
            numbers in prop::collection::vec(-1.0f64..1.0, 97),
            noise in prop_oneof![Just(0.0), Just(1e-9), Just(1.0), Just(1e4)],
        ) {
            agrees_with_nalgebra::<3>(&symmetric(&numbers, noise));
            agrees_with_nalgebra::<9>(&symmetric(&numbers, noise));
            agrees_with_nalgebra::<12>(&symmetric(&numbers, noise));
        }
    }

    #[test]
    fn psd_projection_keeps_the_bits_of_a_definite_matrix() {
        let numbers: Vec<f64> = (0..97).map(|i| (i as f64 * 0.7).sin()).collect();
        let mut a = symmetric::<9>(&numbers, 1.0);
        for i in 0..9 {
            a[i][i] += 100.0;
        }
        let mut clamped = a;
        project_psd(&mut clamped);
        assert_eq!(clamped, a);
    }

    #[test]
    fn diagonal_and_zero_matrices_decompose_exactly() {
        let mut zero = [[0.0; 12]; 12];
        project_psd(&mut zero);
        assert_eq!(zero, [[0.0; 12]; 12]);
        let mut a = [[0.0; 3]; 3];
        (a[0][0], a[1][1], a[2][2]) = (2.0, -3.0, 1e-30);
        assert_eq!(SymmetricEigen::new(&a).values, [2.0, -3.0, 1e-30]);
        project_psd(&mut a);
        assert_eq!([a[0][0], a[1][1], a[2][2]], [2.0, 0.0, 1e-30]);
    }

    #[test]
    fn non_finite_entries_give_non_finite_results_and_terminate() {
        for wrong in [f64::NAN, f64::INFINITY] {
            let mut a = [[1.0; 9]; 9];
            a[2][5] = wrong;
            project_psd(&mut a);
            assert!(a.iter().flatten().any(|x| !x.is_finite()));
        }
    }

    #[test]
    fn psd_projection_handles_equal_and_zero_rows() {
        let numbers: Vec<f64> = (0..97).map(|i| f64::from(i % 3 - 1)).collect();
        agrees_with_nalgebra(&symmetric::<9>(&numbers, 0.0));
        let mut a = [[-2.0; 12]; 12];
        agrees_with_nalgebra(&a);
        a[3] = [0.0; 12];
        a.iter_mut().for_each(|row| row[3] = 0.0);
        agrees_with_nalgebra(&a);
        agrees_with_nalgebra(&std::array::from_fn::<[f64; 9], 9, _>(|i| {
            std::array::from_fn(
                |j| if i == j { 1e-3 } else { 0.0 } + if i + j == 8 { -1.0 } else { 0.0 },
            )
        }));
    }
}
