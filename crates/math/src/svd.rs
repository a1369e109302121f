//! Singular values of eight 3x3 matrices at a time.
//!
//! One-sided Jacobi: plane rotations make the columns of `A V` orthogonal. Rejected alternatives:
//! the eigenvectors of `A^T A` lose half the digits of the smallest singular value, and iterated
//! approximate quaternions are made for single precision. Matrices near rotations (elements at
//! small strain) need fewer sweeps; the loop ends when all eight lanes have converged.

use crate::lanes::{Lane, Mat3x8, Vec3x8, cross, dot, scale, scale_add};
use std::array::from_fn;

/// Convergence is quadratic: 4 sweeps are enough for all matrices of the tests,
/// singular and graded ones included.
const MAX_SWEEPS: usize = 12;

/// Columns whose cosine is below this are orthogonal to rounding.
const MAX_COSINE: f64 = 2e-15;

/// Lower bound of divisors, so that 0/0 is 0; far below any product of entries.
const DIVISION_GUARD: f64 = 1e-300;

/// `A = U diag(s) V^T` with `U` and `V` rotations.
#[derive(Debug, Clone, Copy)]
pub struct SignedSvd {
    /// Left singular vectors, a rotation.
    pub u: Mat3x8,
    /// Singular values, `s[0] >= s[1] >= |s[2]|` to rounding; `s[2]` has the sign of
    /// `det A`.
    pub s: Vec3x8,
    /// Right singular vectors, a rotation.
    pub v: Mat3x8,
}

impl SignedSvd {
    /// Decomposes eight matrices, singular ones included. Entries must be zero or
    /// between 1e-70 and 1e70 in size, as fourth powers are formed; non-finite
    /// entries give non-finite factors. The error of `U diag(s) V^T` is a few roundings
    /// of the largest entry.
    pub fn new(a: &Mat3x8) -> Self {
        decompose(a)
    }

    /// The rotation `R = U V^T` nearest to `A`: the polar decomposition `A = R S`
    /// with `S` symmetric. Unique unless `s[1] + s[2] = 0`.
    #[inline]
    pub fn rotation(&self) -> Mat3x8 {
        self.u.mul_transpose(&self.v)
    }
}

/// The decomposition by one-sided Jacobi rotations.
fn decompose(a: &Mat3x8) -> SignedSvd {
    let mut b = *a;
    let mut v = Mat3x8::IDENTITY;
    for _ in 0..MAX_SWEEPS {
        let mut rotated = rotate::<0, 1>(&mut b, &mut v);
        rotated |= rotate::<0, 2>(&mut b, &mut v);
        rotated |= rotate::<1, 2>(&mut b, &mut v);
        if !rotated {
            break;
        }
    }
    order::<0, 1>(&mut b, &mut v);
    order::<0, 2>(&mut b, &mut v);
    order::<1, 2>(&mut b, &mut v);
    let u = rotation_of_columns(&b);
    SignedSvd { s: from_fn(|i| dot(&u.cols[i], &b.cols[i])), u, v }
}

/// Makes columns `P` and `Q` of `b` orthogonal (Golub & Van Loan, *Matrix Computations*, 8.6.3);
/// returns whether they were not orthogonal in some lane.
#[inline(always)]
fn rotate<const P: usize, const Q: usize>(b: &mut Mat3x8, v: &mut Mat3x8) -> bool {
    let (p, q) = (&b.cols[P], &b.cols[Q]);
    let (pp, qq, pq) = (dot(p, p), dot(q, q), dot(p, q));
    // cos^2 > eps^2
    let limit = (pp * qq) * Lane::splat(MAX_COSINE * MAX_COSINE);
    if !(pq * pq).simd_gt(limit).any() {
        return false;
    }
    // The tangent of the smaller angle: t = 2 pq / (d + sign(d) sqrt(d^2 + 4 pq^2)).
    let (d, doubled) = (qq - pp, pq + pq);
    let root = d.mul_add(d, doubled * doubled).sqrt();
    let t = doubled.flip_signs(d) / (d.abs() + root).fast_max(Lane::splat(DIVISION_GUARD));
    let c = Lane::ONE / t.mul_add(t, Lane::ONE).sqrt();
    rotate_columns::<P, Q>(b, c, c * t);
    rotate_columns::<P, Q>(v, c, c * t);
    true
}

/// Rotates columns `P` and `Q` by the angle with cosine `c` and sine `s`.
#[inline(always)]
fn rotate_columns<const P: usize, const Q: usize>(m: &mut Mat3x8, c: Lane, s: Lane) {
    let (p, q) = (m.cols[P], m.cols[Q]);
    m.cols[P] = from_fn(|i| c.mul_sub(p[i], s * q[i]));
    m.cols[Q] = from_fn(|i| s.mul_add(p[i], c * q[i]));
}

/// Puts the longer of columns `P` and `Q` of `b` first, by a quarter turn.
#[inline(always)]
fn order<const P: usize, const Q: usize>(b: &mut Mat3x8, v: &mut Mat3x8) {
    let swap = dot(&b.cols[Q], &b.cols[Q]).simd_gt(dot(&b.cols[P], &b.cols[P]));
    for m in [b, v] {
        let (p, q) = (m.cols[P], m.cols[Q]);
        m.cols[P] = from_fn(|i| swap.select(q[i], p[i]));
        m.cols[Q] = from_fn(|i| swap.select(-p[i], q[i]));
    }
}

/// The rotation whose first two columns have the directions of those of `b`, which are orthogonal and descend in
/// length. If they are zero, any such rotation.
#[inline(always)]
fn rotation_of_columns(b: &Mat3x8) -> Mat3x8 {
    let tiny = Lane::splat(DIVISION_GUARD);
    let n0 = dot(&b.cols[0], &b.cols[0]);
    let inverse = Lane::ONE / n0.fast_max(tiny).sqrt();
    let mut u0 = scale(inverse, &b.cols[0]);
    u0[0] = n0.simd_gt(tiny).select(u0[0], Lane::ONE);

    // Where b1 is much shorter than b0, the columns are orthogonal only to the rounding of b0.
    let mut r = scale_add(-dot(&u0, &b.cols[1]), &u0, &b.cols[1]);
    let is_zero = dot(&r, &r).simd_le(tiny);
    if is_zero.any() {
        let orthogonal = perpendicular(&u0);
        r = from_fn(|i| is_zero.select(orthogonal[i], r[i]));
    }
    let u1 = scale(Lane::ONE / dot(&r, &r).sqrt(), &r);
    Mat3x8 { cols: [u0, u1, cross(&u0, &u1)] }
}

/// A vector orthogonal to the unit vector `u`, at least 1/2 long.
#[inline]
fn perpendicular(u: &Vec3x8) -> Vec3x8 {
    let is_near_x = u[0].abs().simd_gt(Lane::splat(0.7));
    let zero = Lane::ZERO;
    cross(u, &[is_near_x.select(zero, Lane::ONE), is_near_x.select(Lane::ONE, zero), zero])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANES;
    use crate::{Mat3, Vec3, outer};
    use nalgebra::DMatrix;
    use proptest::prelude::*;

    fn is_rotation(m: &Mat3) -> bool {
        (*m * m.transpose()).abs_diff_eq(Mat3::IDENTITY, 4e-15)
            && (m.determinant() - 1.0).abs() < 4e-15
    }

    fn check(matrices: &[Mat3; LANES]) {
        let a = Mat3x8::from_lanes(matrices);
        let svd = SignedSvd::new(&a);
        for l in 0..LANES {
            let (u, v) = (svd.u.lane(l), svd.v.lane(l));
            let s = Vec3::from_array(svd.s.map(|s| s.as_array()[l]));
            let size = s.x.max(f64::MIN_POSITIVE);
            assert!(is_rotation(&u) && is_rotation(&v), "U {u} and V {v} are rotations");
            let slack = 4e-16 * size;
            assert!(s.x >= s.y - slack && s.y >= s.z.abs() - slack, "{s} descends");
            let error = (u * Mat3::from_diagonal(s) * v.transpose() - matrices[l])
                .to_cols_array()
                .iter()
                .fold(0.0f64, |a, b| a.max(b.abs()));
            assert!(
                error <= 4e-15 * size,
                "U S V^T is off by {:e} of {}",
                error / size,
                matrices[l]
            );
            // Its fixed-size routine squares a 3x3 matrix; the dynamic one does not.
            let entries = matrices[l].to_cols_array();
            let mut expected = DMatrix::from_column_slice(3, 3, &entries).singular_values();
            if matrices[l].determinant() < 0.0 {
                expected[2] = -expected[2];
            }
            // nalgebra's smallest value of a singular matrix is rounding of either sign.
            assert!(
                (0..3).all(|i| (s[i].abs() - expected[i].abs()).abs() <= 1e-14 * size),
                "{s} {expected}"
            );
            if expected[2].abs() > 1e-13 * size {
                assert!(s.z * expected[2] > 0.0, "the sign of the determinant is on the smallest");
            }
            let rotation = svd.rotation().lane(l);
            let stretch = rotation.transpose() * matrices[l];
            assert!((stretch - stretch.transpose()).abs_diff_eq(Mat3::ZERO, 8e-15 * size));
        }
    }

    fn any_matrix() -> impl Strategy<Value = Mat3> {
        let numbers = || prop::array::uniform9(-2.0f64..2.0);
        let size = prop_oneof![Just(1.0), Just(1e-8), Just(1e-14), Just(1e-30), Just(1e20)];
        prop_oneof![
            numbers().prop_map(|a| Mat3::from_cols_array(&a)),
            (numbers(), size.clone()).prop_map(|(a, size)| Mat3::from_cols_array(&a) * size),
            // near a rotation, and one exactly
            (prop::array::uniform3(-3.0f64..3.0), numbers(), size.clone()).prop_map(|(w, a, e)| {
                Mat3::from_euler(glam::EulerRot::XYZ, w[0], w[1], w[2])
                    + Mat3::from_cols_array(&a) * (e.min(1.0) * 1e-2)
            }),
            prop::array::uniform3(-3.0f64..3.0).prop_map(|w| Mat3::from_euler(
                glam::EulerRot::XYZ,
                w[0],
                w[1],
                w[2]
            )),
            // graded, down to rank one, and of rank one exactly
            (numbers(), size).prop_map(|(a, size)| {
                let a = Mat3::from_cols_array(&a);
                a * Mat3::from_diagonal(Vec3::new(1.0, size.min(1.0), size.min(1.0).powi(2))) * a
            }),
            numbers().prop_map(|a| outer(Vec3::new(a[0], a[1], a[2]), Vec3::new(a[3], a[4], a[5]))),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn svd_factors_multiply_to_the_matrix_within_rounding(
            matrices in prop::collection::vec(any_matrix(), LANES)
        ) {
            check(&from_fn(|l| matrices[l]));
        }
    }

    #[test]
    fn svd_handles_repeated_zero_and_negative_singular_values() {
        let d = |x, y, z| Mat3::from_diagonal(Vec3::new(x, y, z));
        check(&[
            Mat3::ZERO,
            Mat3::IDENTITY,
            -Mat3::IDENTITY,
            d(0.0, 0.0, -3.0),
            d(1.0, 2.0, 2.0),
            d(-1.0, 1.0, 1.0),
            d(5.0, 0.0, 0.0),
            d(1e-20, 1e-20, -1e-40),
        ]);
    }
}
