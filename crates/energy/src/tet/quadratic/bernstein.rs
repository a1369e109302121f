//! The Bernstein coefficients of the determinant of a matrix that is linear in barycentric
//! coordinates.
//!
//! With `D(A, B, C)` the symmetric trilinear form of `D(A, A, A) = det A`,
//!
//! ```text
//!   det(sum_k L_k A_k) = sum_{k <= l <= m} b_klm B_klm(L),   b_klm = D(A_k, A_l, A_m)
//! ```
//!
//! The Bernstein polynomials `B_klm` are not negative and sum to one: the determinant is nowhere
//! smaller than the smallest coefficient, and at the corners it is equal to one of them. The
//! coefficients of a subelement are convex combinations of those of the element. They converge to
//! the determinant with the square of the size of subelements, so any positive determinant is
//! proved positive by finitely many of them (Johnen, Remacle & Geuzaine 2013). Along a path
//! `A_k + t B_k` each coefficient is a cubic polynomial of t.

use crate::tet::inversion::{KEPT, last_positive, surely_positive};
use resile_math::Mat3;
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8, cross};
use std::array::from_fn;

/// Triples `k <= l <= m` of four corners.
const COEFFICIENTS: usize = 20;
/// Those with `k = l = m`: the determinants at the corners.
const CORNERS: [usize; 4] = [0, 10, 16, 19];

/// How often an element is divided: the subelements of depth 8 have a 256th of its edges, and
/// prove a determinant of about 1e-5 of its curvature.
const DEPTH: usize = 8;
/// Subelements of one element that are examined at most. It bounds the cost where a determinant
/// is close to zero along an edge or a face.
const MOST_PIECES: usize = 4096;
/// The depth to which the smallest determinant of an element with a negative one is determined.
const SHALLOW: usize = 2;
/// A bound of the step that is this fraction of the best possible one is not improved.
const SHARP: f64 = 0.9;
/// Relative rounding error of a coefficient, in products of the largest column of a matrix (twice)
/// and the largest coordinate: of the positions of nodes, of which a column is a sum with factors of
/// at most 16 in all, and of the 120 operations that follow.
const ROUNDING: f64 = 512.0 * f64::EPSILON;

/// Corners of the subelements of a tetrahedron: its corners and the midpoints of 01, 02, 03, 12, 13, 23.
const PIECES: [[usize; 4]; LANES] = [
    [0, 4, 5, 6],
    [4, 1, 7, 8],
    [5, 7, 2, 9],
    [6, 8, 9, 3],
    [4, 9, 5, 6],
    [4, 9, 6, 8],
    [4, 9, 8, 7],
    [4, 9, 7, 5],
];

/// The matrices at the corners of eight elements.
type Corners = [Mat3x8; 4];

/// Those of one of them.
fn lane(a: &Corners, l: usize) -> [Mat3; 4] {
    from_fn(|k| a[k].lane(l))
}

/// The matrices at the corners of the eight subelements of an element.
fn pieces(a: &[Mat3; 4]) -> Corners {
    let middle = |[i, j]: [usize; 2]| (a[i] + a[j]) * 0.5;
    let all: [Mat3; 10] = from_fn(|k| if k < 4 { a[k] } else { middle(super::EDGES[k - 4]) });
    from_fn(|k| Mat3x8::from_lanes(&PIECES.map(|piece| all[piece[k]])))
}

/// Lower bounds of the determinants of eight elements, of which those after the first `count` are
/// copies of the last; minus infinity for what is not a number. A bound is positive if that can be
/// proved.
pub(super) fn least(a: &Corners, count: usize) -> Lane {
    let coefficients = coefficients(a);
    let mut all = least_of(&coefficients);
    for (l, least) in all.iter_mut().enumerate().take(count) {
        if *least <= 0.0 && least.is_finite() {
            let mut search = LeastSearch { pieces: MOST_PIECES, depth: DEPTH };
            *least = search.least(&lane(a, l), &coefficients.map(|c| c.as_array()[l]), 0);
        }
    }
    let last = all[count - 1];
    all[count..].fill(last);
    Lane::new(all)
}

/// The smallest coefficient of each of eight elements.
fn least_of(coefficients: &[Lane; COEFFICIENTS]) -> [f64; LANES] {
    let number = |c: Lane| c.simd_eq(c).select(c, Lane::splat(f64::NEG_INFINITY));
    let smaller = |a: Lane, b: Lane| b.simd_lt(a).select(b, a);
    let least = coefficients.map(number).into_iter().reduce(smaller);
    *least.unwrap_or(Lane::ZERO).as_array()
}

/// A search for the smallest determinant of an element.
struct LeastSearch {
    /// Subelements that may still be examined.
    pieces: usize,
    /// Where it ends.
    depth: usize,
}

impl LeastSearch {
    fn least(&mut self, a: &[Mat3; 4], coefficients: &[f64; COEFFICIENTS], depth: usize) -> f64 {
        let least = coefficients.iter().copied().fold(f64::INFINITY, f64::min);
        if least > 0.0 {
            return least;
        }
        if CORNERS.iter().any(|&k| coefficients[k] <= 0.0) {
            self.depth = SHALLOW;
        }
        if depth >= self.depth || self.pieces < LANES {
            return least;
        }
        self.pieces -= LANES;
        let a = pieces(a);
        let coefficients = self::coefficients(&a);
        let of_piece =
            |l: usize| self.least(&lane(&a, l), &coefficients.map(|c| c.as_array()[l]), depth + 1);
        (0..LANES).map(of_piece).fold(f64::INFINITY, f64::min)
    }
}

/// How far eight elements move along a path, and from where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// The largest coordinate at the start (m).
    pub(super) start: Lane,
    /// The largest coordinate of a displacement (m).
    pub(super) displacement: Lane,
}

/// The largest fraction in [0, `bound`] for which the determinants of the first `count` of eight
/// elements `A_k + t B_k` are proved to be positive everywhere, for every t up to it: the
/// coefficients of their subelements keep a tenth of what they are at the start. Zero if they
/// are not proved to be positive at the start.
pub(super) fn step_bound(a: &Corners, b: &Corners, reach: Reach, count: usize, bound: f64) -> f64 {
    let rounding = rounding(a, b, reach);
    let cubics = cubics(a, b, &rounding);
    if cubics.iter().all(surely_positive) {
        return bound;
    }
    let of_lane = |bound: f64, l: usize| {
        let rounding = rounding.map(|c| Lane::splat(c.as_array()[l]));
        let mut search = StepSearch { rounding, pieces: MOST_PIECES, bound };
        search.examine([&lane(a, l), &lane(b, l)], &of_lane(&cubics, l), 0);
        search.bound
    };
    (0..count).fold(bound, of_lane)
}

fn of_lane(cubics: &[[Lane; 4]; COEFFICIENTS], l: usize) -> [[f64; 4]; COEFFICIENTS] {
    cubics.map(|cubic| cubic.map(|c| c.as_array()[l]))
}

/// The part of `[0, upto]` from zero on in which a cubic is positive.
fn positive_up_to(upto: f64, c: &[f64; 4]) -> f64 {
    // False for what is not a number, too.
    let starts = c[0] > 0.0;
    if !starts {
        return 0.0;
    }
    let falls = |c: f64| if c > 0.0 { 0.0 } else { c };
    let least = c[0] + upto * (falls(c[1]) + upto * (falls(c[2]) + upto * falls(c[3])));
    if least > 0.0 { upto } else { last_positive(c, upto) }
}

/// A search for the step bound of an element.
struct StepSearch {
    rounding: [Lane; 4],
    /// Subelements that may still be examined.
    pieces: usize,
    /// The fraction up to which everything examined is positive.
    bound: f64,
}

impl StepSearch {
    /// Lowers the bound to that of a subelement with matrices `[A, B]` at its corners.
    fn examine(
        &mut self,
        [a, b]: [&[Mat3; 4]; 2],
        cubics: &[[f64; 4]; COEFFICIENTS],
        depth: usize,
    ) {
        // No subdivision raises what a corner permits.
        self.bound = CORNERS.iter().fold(self.bound, |upto, &k| positive_up_to(upto, &cubics[k]));
        let proved = cubics.iter().fold(self.bound, positive_up_to);
        if proved >= SHARP * self.bound || depth == DEPTH || self.pieces < LANES {
            self.bound = proved;
            return;
        }
        self.pieces -= LANES;
        let [a, b] = [pieces(a), pieces(b)];
        let cubics = self::cubics(&a, &b, &self.rounding);
        for l in 0..LANES {
            self.examine([&lane(&a, l), &lane(&b, l)], &of_lane(&cubics, l), depth + 1);
        }
    }
}

/// A cubic of the fraction that the rounding error of no coefficient exceeds: ROUNDING times
/// `(|A| + t |B|)^2 (|A| + start + t (|B| + displacement))`, with the largest column as norm.
fn rounding(a: &Corners, b: &Corners, reach: Reach) -> [Lane; 4] {
    let larger = |a: Lane, b: Lane| a.fast_max(b);
    let norm = |corners: &Corners| {
        let columns = corners.iter().flat_map(|corner| corner.cols);
        let squares = columns.map(|[x, y, z]| x * x + y * y + z * z);
        squares.fold(Lane::ZERO, larger).sqrt()
    };
    let (a, b) = (norm(a), norm(b));
    let (from, way) = (a + reach.start, b + reach.displacement);
    let two = Lane::splat(2.0);
    let cubic = [
        a * a * from,
        a * a * way + two * a * b * from,
        two * a * b * way + b * b * from,
        b * b * way,
    ];
    cubic.map(|c| c * Lane::splat(ROUNDING))
}

/// `b_klm` of the matrices at the corners.
fn coefficients(a: &Corners) -> [Lane; COEFFICIENTS] {
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

/// The coefficients of cubics that are nowhere larger than `b_klm(t) - KEPT b_klm(0)` of the
/// matrices `A_k + t B_k`, and than `b_klm(t)`, less their rounding error.
fn cubics(a: &Corners, b: &Corners, rounding: &[Lane; 4]) -> [[Lane; 4]; COEFFICIENTS] {
    let mut out = [[Lane::ZERO; 4]; COEFFICIENTS];
    let mut slots = out.iter_mut();
    for k in 0..4 {
        for l in k..4 {
            let start = mixed_cofactor(&a[k], &a[l]);
            let first =
                mixed_cofactor(&a[k], &b[l]).scale_add(Lane::ONE, &mixed_cofactor(&b[k], &a[l]));
            let second = mixed_cofactor(&b[k], &b[l]);
            for (m, slot) in (l..4).zip(&mut slots) {
                let at_start = start.contract(&a[m]) * SIXTH;
                // Rounding is to leave what it has left before.
                let kept = (at_start * Lane::splat(KEPT)).fast_max(rounding[0]);
                let [first, second, third] = [
                    start.contract(&b[m]) + first.contract(&a[m]),
                    first.contract(&b[m]) + second.contract(&a[m]),
                    second.contract(&b[m]),
                ]
                .map(|c| c * SIXTH);
                *slot = [
                    at_start - kept,
                    first - rounding[1],
                    second - rounding[2],
                    third - rounding[3],
                ];
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
