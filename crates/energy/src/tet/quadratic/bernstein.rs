//! The Bernstein coefficients of the determinant of a matrix that is linear in barycentric
//! coordinates.
//!
//! With `D(A, B, C)` the symmetric trilinear form of `D(A, A, A) = det A`,
//!
//! ```text
//!   det(sum_k L_k A_k) = sum_{k <= l <= m} b_klm B_klm(L),   b_klm = D(A_k, A_l, A_m)
//! ```
//!
//! The Bernstein polynomials `B_klm` are not negative and sum to one: the determinant
//! is nowhere smaller than the smallest coefficient, which at the corners it is equal to. A
//! piece has the coefficients of the matrices at its own corners, none of them smaller than the
//! smallest of the whole.

use crate::tet::inversion::{KEPT, last_positive, surely_positive};
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8, cross};
use std::array::from_fn;

/// Triples `k <= l <= m` of four corners.
const COEFFICIENTS: usize = 20;

/// A coefficient this small, over the largest, is not to become much smaller: tenths of tenths end in
/// rounding, which has no sign.
const FLOOR: f64 = 1e-9;
/// The fraction of a path on which it may sink.
const STUCK: f64 = 1e-9;

/// The pieces of a tetrahedron, by its corners and the middles of 01, 02, 03, 12, 13, 23.
const PIECES: [[usize; 4]; 8] = [
    [0, 4, 5, 6],
    [4, 1, 7, 8],
    [5, 7, 2, 9],
    [6, 8, 9, 3],
    [4, 9, 5, 6],
    [4, 9, 6, 8],
    [4, 9, 8, 7],
    [4, 9, 7, 5],
];

/// The matrices at the corners of each piece.
fn pieces(a: &[Mat3x8; 4]) -> [[Mat3x8; 4]; 8] {
    let half = Lane::HALF;
    let middle = |[i, j]: [usize; 2]| a[i].scale(half).scale_add(Lane::ONE, &a[j].scale(half));
    let all: [Mat3x8; 10] = from_fn(|k| if k < 4 { a[k] } else { middle(super::EDGES[k - 4]) });
    PIECES.map(|piece| piece.map(|k| all[k]))
}

/// A lower bound of the determinant, from pieces down to `depth` where that of the whole
/// is not positive; minus infinity for what is not a number.
pub(super) fn least(a: &[Mat3x8; 4], depth: usize) -> Lane {
    let smaller = |a: Lane, b: Lane| b.simd_lt(a).select(b, a);
    let number = |c: Lane| c.simd_eq(c).select(c, Lane::splat(f64::NEG_INFINITY));
    let infinite = Lane::splat(f64::INFINITY);
    let of_all = coefficients(a).into_iter().map(number).fold(infinite, smaller);
    if depth == 0 || of_all.simd_gt(Lane::ZERO).all() {
        return of_all;
    }
    pieces(a).iter().map(|piece| least(piece, depth - 1)).fold(infinite, smaller)
}

/// The fraction in (0, `bound`] up to which the coefficients of `A_k + t B_k`, of pieces down to
/// `depth` where those of the whole do not, keep a tenth of what they are.
pub(super) fn step_bound(a: &[Mat3x8; 4], b: &[Mat3x8; 4], depth: usize, mut bound: f64) -> f64 {
    let cubics = cubics(a, b);
    if cubics.iter().all(surely_positive) {
        return bound;
    }
    if depth > 0 {
        let (a, b) = (pieces(a), pieces(b));
        return a.iter().zip(&b).fold(bound, |bound, (a, b)| step_bound(a, b, depth - 1, bound));
    }
    for l in 0..LANES {
        let of_lane = cubics.map(|cubic| cubic.map(|c| c.as_array()[l]));
        let largest = of_lane.iter().map(|cubic| cubic[0]).fold(0.0, f64::max);
        for cubic in of_lane.into_iter().filter(|cubic| cubic[0] > 0.0) {
            let sinks = cubic[0] < FLOOR * largest && cubic[1] < 0.0;
            bound = last_positive(&cubic, if sinks { bound.min(STUCK) } else { bound });
        }
    }
    bound
}

/// `b_klm` of the matrices at the corners.
fn coefficients(a: &[Mat3x8; 4]) -> [Lane; COEFFICIENTS] {
    let mut out = [Lane::ZERO; COEFFICIENTS];
    let mut slots = out.iter_mut();
    for k in 0..4 {
        for l in k..4 {
            let mixed = mixed_cofactor(&a[k], &a[l]);
            for (m, slot) in (l..4).zip(&mut slots) {
                *slot = mixed.contract(&a[m]) * SIXTH;
            }
        }
    }
    out
}

/// The coefficients of the cubics `b_klm(t) - KEPT b_klm(0)` of the matrices `A_k + t B_k`.
fn cubics(a: &[Mat3x8; 4], b: &[Mat3x8; 4]) -> [[Lane; 4]; COEFFICIENTS] {
    let mut out = [[Lane::ZERO; 4]; COEFFICIENTS];
    let mut slots = out.iter_mut();
    for k in 0..4 {
        for l in k..4 {
            let start = mixed_cofactor(&a[k], &a[l]);
            let first =
                mixed_cofactor(&a[k], &b[l]).scale_add(Lane::ONE, &mixed_cofactor(&b[k], &a[l]));
            let second = mixed_cofactor(&b[k], &b[l]);
            for (m, slot) in (l..4).zip(&mut slots) {
                let cubic = [
                    start.contract(&a[m]) * Lane::splat(1.0 - KEPT),
                    start.contract(&b[m]) + first.contract(&a[m]),
                    first.contract(&b[m]) + second.contract(&a[m]),
                    second.contract(&b[m]),
                ];
                *slot = cubic.map(|c| c * SIXTH);
            }
        }
    }
    out
}

const SIXTH: Lane = Lane::new([1.0 / 6.0; 8]);

/// The matrix `M` with `M : C = 6 D(A, B, C)`; twice the cofactors if both are the same.
#[inline(always)]
fn mixed_cofactor(a: &Mat3x8, b: &Mat3x8) -> Mat3x8 {
    let column = |i: usize, j: usize| -> Vec3x8 {
        let (one, other) = (cross(&a.cols[i], &b.cols[j]), cross(&b.cols[i], &a.cols[j]));
        from_fn(|r| one[r] + other[r])
    };
    Mat3x8 { cols: [column(1, 2), column(2, 0), column(0, 1)] }
}
