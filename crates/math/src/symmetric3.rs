//! Eigenvalues of eight symmetric 3x3 matrices at a time.
//!
//! Two-sided Jacobi in lanes. The trigonometric closed form loses the small eigenvalue of a stiff
//! matrix to cancellation, and the sign of that eigenvalue decides what the projection does.

use crate::lanes::{Lane, Mat3x8, Vec3x8, scale_add};

/// Convergence is quadratic: 4 sweeps are enough for all matrices of the tests.
const MAX_SWEEPS: usize = 10;

/// Off-diagonal entries below this fraction of the geometric mean of their
/// diagonals change no eigenvalue beyond rounding.
const NEGLIGIBLE_COSINE: f64 = 1e-16;

/// Lower bound of divisors, so that 0/0 is 0.
const DIVISION_GUARD: f64 = 1e-300;

/// Eight symmetric matrices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Symmetric3x8 {
    /// Entries `(0, 0)`, `(1, 1)`, `(2, 2)`.
    pub diagonal: Vec3x8,
    /// Entries `(1, 2)`, `(0, 2)`, `(0, 1)`: entry `k` couples the two axes other than `k`.
    pub off: Vec3x8,
}

impl Symmetric3x8 {
    /// Whether all leading minors of every matrix are positive, which proves positive definiteness.
    #[inline]
    fn all_definite(&self) -> bool {
        let ([a, b, c], [f, e, d]) = (self.diagonal, self.off);
        let second = a.mul_sub(b, d * d);
        let third = c * second - f * (a * f - d * e) + e * (d * f - b * e);
        (a.simd_gt(Lane::ZERO) & second.simd_gt(Lane::ZERO) & third.simd_gt(Lane::ZERO)).all()
    }

    /// Eigenvalues and eigenvectors (columns, a rotation) in no particular order.
    pub fn eigen(&self) -> (Vec3x8, Mat3x8) {
        let mut a = *self;
        let mut v = Mat3x8::IDENTITY;
        for _ in 0..MAX_SWEEPS {
            let mut rotated = rotate::<0, 1, 2>(&mut a, &mut v);
            rotated |= rotate::<0, 2, 1>(&mut a, &mut v);
            rotated |= rotate::<1, 2, 0>(&mut a, &mut v);
            if !rotated {
                break;
            }
        }
        (a.diagonal, v)
    }

    /// Replaces each matrix by the nearest positive semi-definite one: negative eigenvalues become zero (Higham 1988,
    /// theorem 2.1). Semi-definite matrices are bitwise unchanged. Nearly free if all eight are definite.
    pub fn project_psd(&mut self) {
        if self.all_definite() {
            return;
        }
        let (values, vectors) = self.eigen();
        for (value, v) in values.iter().zip(&vectors.cols) {
            let missing = (-*value).fast_max(Lane::ZERO);
            let scaled = v.map(|x| missing * x);
            let [d0, d1, d2] = self.diagonal;
            self.diagonal = [
                scaled[0].mul_add(v[0], d0),
                scaled[1].mul_add(v[1], d1),
                scaled[2].mul_add(v[2], d2),
            ];
            self.off = scale_add(scaled[2], &[v[1], v[0], Lane::ZERO], &self.off);
            self.off[2] = scaled[0].mul_add(v[1], self.off[2]);
        }
    }
}

/// Applies the Jacobi rotation in the plane `(P, Q)` that zeroes the entry `(P, Q)`, which is `off[R]`, to `a` and to
/// the columns of `v`. Returns `false` without a change if the entry is negligible in all lanes.
#[inline(always)]
fn rotate<const P: usize, const Q: usize, const R: usize>(
    a: &mut Symmetric3x8,
    v: &mut Mat3x8,
) -> bool {
    let (pp, qq, pq) = (a.diagonal[P], a.diagonal[Q], a.off[R]);
    let limit = (pp * qq).abs() * Lane::splat(NEGLIGIBLE_COSINE * NEGLIGIBLE_COSINE)
        + Lane::splat(DIVISION_GUARD);
    if !(pq * pq).simd_gt(limit).any() {
        return false;
    }
    let (d, doubled) = (qq - pp, pq + pq);
    let root = d.mul_add(d, doubled * doubled).sqrt();
    let t = doubled.flip_signs(d) / (d.abs() + root).fast_max(Lane::splat(DIVISION_GUARD));
    let c = Lane::ONE / t.mul_add(t, Lane::ONE).sqrt();
    let s = c * t;
    a.diagonal[P] = pp - t * pq;
    a.diagonal[Q] = t.mul_add(pq, qq);
    a.off[R] = Lane::ZERO;
    // Entry (P, R) is off[Q] and entry (Q, R) is off[P].
    let (pr, qr) = (a.off[Q], a.off[P]);
    a.off[Q] = c.mul_sub(pr, s * qr);
    a.off[P] = s.mul_add(pr, c * qr);
    let (p, q) = (v.cols[P], v.cols[Q]);
    v.cols[P] = std::array::from_fn(|i| c.mul_sub(p[i], s * q[i]));
    v.cols[Q] = std::array::from_fn(|i| s.mul_add(p[i], c * q[i]));
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANES;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;
    use std::array::from_fn;

    fn lane(a: &Symmetric3x8, l: usize) -> DMatrix<f64> {
        DMatrix::from_fn(3, 3, |i, j| {
            let entry = if i == j { a.diagonal[i] } else { a.off[3 - i - j] };
            entry.as_array()[l]
        })
    }

    fn lanes(numbers: &[f64]) -> Symmetric3x8 {
        let at = |k: usize| Lane::new(from_fn(|l| numbers[6 * l + k]));
        Symmetric3x8 { diagonal: from_fn(at), off: from_fn(|k| at(3 + k)) }
    }

    fn graded() -> impl Strategy<Value = f64> {
        (-1.0f64..1.0, prop_oneof![Just(1.0), Just(1e-6), Just(0.0), Just(1e5)])
            .prop_map(|(x, size)| x * size)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn eigenvalues_in_lanes_equal_those_of_nalgebra(numbers in prop::collection::vec(graded(), 6 * LANES)) {
            let a = lanes(&numbers);
            let (values, vectors) = a.eigen();
            let mut clamped = a;
            clamped.project_psd();
            for l in 0..LANES {
                let (want, ours) = (lane(&a, l), lane(&clamped, l));
                let size = want.norm();
                let v = DMatrix::from_fn(3, 3, |i, j| vectors.cols[j][i].as_array()[l]);
                let s = DVector::from_fn(3, |i, _| values[i].as_array()[l]);
                let rebuilt = &v * DMatrix::from_diagonal(&s) * v.transpose();
                prop_assert!((rebuilt - &want).norm() <= 1e-14 * size, "A = V diag(s) V^T");

                let reference = want.clone().symmetric_eigen();
                let positive = DMatrix::from_diagonal(&reference.eigenvalues.map(|x| x.max(0.0)));
                let q = reference.eigenvectors;
                let nearest = &q * positive * q.transpose();
                prop_assert!((&ours - nearest).norm() <= 1e-14 * size, "the clamp is nalgebra's");
                if reference.eigenvalues.min() > 1e-14 * size {
                    prop_assert_eq!(ours, want, "definite matrices stay");
                }
            }
        }
    }
}
