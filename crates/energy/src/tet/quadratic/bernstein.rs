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

use crate::step_bound::KEPT_FRACTION;
use crate::tet::inversion::{are_certainly_positive, positive_fraction};
use resile_math::Mat3;
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8, cross};
use std::array::from_fn;

/// Triples `k <= l <= m` of four corners.
const COEFFICIENTS: usize = 20;
/// Coefficients with `k = l = m`: the determinants at the corners.
const CORNERS: [usize; 4] = [0, 10, 16, 19];

/// Maximum depth of subdivision: the edges of subelements at depth 8 are 1/256 of those of the element,
/// which suffices to prove a determinant of about 1e-5 of its curvature.
const MAX_DEPTH: usize = 8;
/// Maximum number of subelements examined per element. It bounds the cost if the determinant is close
/// to zero along an edge or face.
const MAX_SUBELEMENTS: usize = 4096;
/// The depth to which the smallest determinant is computed if it is negative.
const CERTIFICATE_DEPTH: usize = 2;
/// A step bound above this fraction of the best possible one is not improved.
const SUFFICIENT_FRACTION: f64 = 0.9;
/// Bound of the rounding error of a coefficient, relative to the product of the squared largest
/// column of a matrix and the largest coordinate. It includes the rounding of positions, of which a
/// column is a sum with absolute factors of at most 16 in total, and 120 further operations.
const ROUNDING_FACTOR: f64 = 512.0 * f64::EPSILON;

/// Corners of the subelements of a tetrahedron: its corners and the midpoints of 01, 02, 03, 12, 13, 23.
const SUBELEMENTS: [[usize; 4]; LANES] = [
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

/// The matrices of one element.
fn lane(a: &Corners, l: usize) -> [Mat3; 4] {
    from_fn(|k| a[k].lane(l))
}

/// The matrices at the corners of the eight subelements of an element.
fn subelements(a: &[Mat3; 4]) -> Corners {
    let middle = |[i, j]: [usize; 2]| (a[i] + a[j]) * 0.5;
    let nodal: [Mat3; 10] = from_fn(|k| if k < 4 { a[k] } else { middle(super::EDGES[k - 4]) });
    from_fn(|k| Mat3x8::from_lanes(&SUBELEMENTS.map(|corners| nodal[corners[k]])))
}

/// Lower bounds of the determinants of eight elements, of which those after the first `count` are
/// copies of the last; minus infinity for NaN. A bound is positive if positivity is proved.
pub(super) fn min_determinant(a: &Corners, count: usize) -> Lane {
    min_determinant_with(a, &coefficients(a), count)
}

/// [`min_determinant`] with the coefficients of the elements.
fn min_determinant_with(a: &Corners, coefficients: &[Lane; COEFFICIENTS], count: usize) -> Lane {
    let mut minima = smallest_of_each(coefficients);
    for (l, min) in minima.iter_mut().enumerate().take(count) {
        if *min <= 0.0 && min.is_finite() {
            let mut search = DeterminantSearch { remaining: MAX_SUBELEMENTS, depth: MAX_DEPTH };
            *min = search.lower_bound(&lane(a, l), &coefficients.map(|c| c.as_array()[l]), 0);
        }
    }
    let last = minima[count - 1];
    minima[count..].fill(last);
    Lane::new(minima)
}

/// The smallest coefficient of each of eight elements.
fn smallest_of_each(coefficients: &[Lane; COEFFICIENTS]) -> [f64; LANES] {
    let without_nan = |c: Lane| c.simd_eq(c).select(c, Lane::splat(f64::NEG_INFINITY));
    let smaller = |a: Lane, b: Lane| b.simd_lt(a).select(b, a);
    let min = coefficients.map(without_nan).into_iter().reduce(smaller);
    *min.unwrap_or(Lane::ZERO).as_array()
}

/// The determinants of eight elements at rest, which are positive.
#[derive(Debug, Clone)]
pub(super) struct RestDeterminant {
    coefficients: [Lane; COEFFICIENTS],
    /// A lower bound, positive if positivity is proved.
    lower: Lane,
    /// An upper bound.
    upper: Lane,
}

impl RestDeterminant {
    pub(super) fn new(a: &Corners, count: usize) -> Self {
        let coefficients = coefficients(a);
        let lower = min_determinant_with(a, &coefficients, count);
        let upper = coefficients.into_iter().reduce(|a, b| a.fast_max(b));
        Self { coefficients, lower, upper: upper.unwrap_or(Lane::ZERO) }
    }

    /// Lower bounds of `det(sum_k L_k A_k)` over the determinant at rest, of eight elements of which those after the
    /// first `count` are copies of the last; minus infinity for NaN. A bound is positive if positivity is proved.
    ///
    /// If no coefficient at rest is negative, `b_klm >= c b_klm(rest)` for all coefficients implies a ratio of at
    /// least c everywhere.
    pub(super) fn min_ratio(&self, a: &Corners, count: usize) -> Lane {
        let coefficients = coefficients(a);
        let min = min_determinant_with(a, &coefficients, count);
        let of_lane = |l: usize| {
            let min = min.as_array()[l];
            // The comparison is also false for NaN.
            let is_positive = min > 0.0;
            if !is_positive {
                return min / self.lower.as_array()[l];
            }
            let pairs = coefficients.iter().zip(&self.coefficients);
            let ratio = |(now, rest): (&Lane, &Lane)| match rest.as_array()[l] {
                rest if rest > 0.0 => now.as_array()[l] / rest,
                _ => f64::NEG_INFINITY,
            };
            let smallest = pairs.map(ratio).fold(f64::INFINITY, f64::min);
            smallest.max(min / self.upper.as_array()[l])
        };
        Lane::new(from_fn(of_lane))
    }
}

/// A search for the smallest determinant of an element.
struct DeterminantSearch {
    /// Remaining number of subelements.
    remaining: usize,
    /// Maximum depth.
    depth: usize,
}

impl DeterminantSearch {
    /// A lower bound of the determinant in a subelement with the matrices `a` at its corners. Subdivides until all
    /// coefficients are positive or a limit is reached.
    fn lower_bound(
        &mut self,
        a: &[Mat3; 4],
        coefficients: &[f64; COEFFICIENTS],
        depth: usize,
    ) -> f64 {
        let min = coefficients.iter().copied().fold(f64::INFINITY, f64::min);
        if min > 0.0 {
            return min;
        }
        if CORNERS.iter().any(|&k| coefficients[k] <= 0.0) {
            self.depth = CERTIFICATE_DEPTH;
        }
        if depth >= self.depth || self.remaining < LANES {
            return min;
        }
        self.remaining -= LANES;
        let a = subelements(a);
        let coefficients = self::coefficients(&a);
        let subelement_bound = |l: usize| {
            self.lower_bound(&lane(&a, l), &coefficients.map(|c| c.as_array()[l]), depth + 1)
        };
        (0..LANES).map(subelement_bound).fold(f64::INFINITY, f64::min)
    }
}

/// Size of the positions and displacements of eight elements on a path.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathSize {
    /// The largest coordinate at the start (m).
    pub(super) start: Lane,
    /// The largest coordinate of a displacement (m).
    pub(super) displacement: Lane,
}

/// The largest fraction in [0, `bound`] up to which the determinants of the first `count` of eight
/// elements `A_k + t B_k` are proved to be positive: the coefficients of their subelements keep a
/// tenth of their initial values. Zero if positivity is not proved at the start.
pub(super) fn step_bound(
    a: &Corners,
    b: &Corners,
    path_size: PathSize,
    count: usize,
    bound: f64,
) -> f64 {
    let rounding = rounding(a, b, path_size);
    let cubics = cubics(a, b, &rounding);
    if cubics.iter().all(are_certainly_positive) {
        return bound;
    }
    let of_lane = |bound: f64, l: usize| {
        let rounding = rounding.map(|c| Lane::splat(c.as_array()[l]));
        let mut search = StepSearch { rounding, remaining: MAX_SUBELEMENTS, bound };
        search.refine([&lane(a, l), &lane(b, l)], &cubics_of_lane(&cubics, l), 0);
        search.bound
    };
    (0..count).fold(bound, of_lane)
}

/// The cubics of one element.
fn cubics_of_lane(cubics: &[[Lane; 4]; COEFFICIENTS], l: usize) -> [[f64; 4]; COEFFICIENTS] {
    cubics.map(|cubic| cubic.map(|c| c.as_array()[l]))
}

/// The end of the largest interval `[0, t]`, `t <= upper_bound`, in which a cubic is positive.
fn positive_up_to(upper_bound: f64, c: &[f64; 4]) -> f64 {
    // The comparison is also false for NaN.
    let is_positive = c[0] > 0.0;
    if !is_positive {
        return 0.0;
    }
    let decrease = |c: f64| if c > 0.0 { 0.0 } else { c };
    let lower_bound = c[0]
        + upper_bound
            * (decrease(c[1]) + upper_bound * (decrease(c[2]) + upper_bound * decrease(c[3])));
    if lower_bound > 0.0 { upper_bound } else { positive_fraction(c, upper_bound) }
}

/// A search for the step bound of an element.
struct StepSearch {
    /// Cubic bound of the rounding errors, the same in all lanes.
    rounding: [Lane; 4],
    /// Number of subelements that may still be examined.
    remaining: usize,
    /// The fraction up to which all examined subelements are positive.
    bound: f64,
}

impl StepSearch {
    /// Lowers the bound to that of a subelement with the matrices `A` and `B` and these `cubics`, by subdivision up to
    /// [`MAX_DEPTH`] while the proved bound is smaller than [`SUFFICIENT_FRACTION`] of that of the corners.
    fn refine(&mut self, [a, b]: [&[Mat3; 4]; 2], cubics: &[[f64; 4]; COEFFICIENTS], depth: usize) {
        // The bound at a corner is not improved by subdivision.
        self.bound = CORNERS
            .iter()
            .fold(self.bound, |upper_bound, &k| positive_up_to(upper_bound, &cubics[k]));
        let proved = cubics.iter().fold(self.bound, positive_up_to);
        if proved >= SUFFICIENT_FRACTION * self.bound
            || depth == MAX_DEPTH
            || self.remaining < LANES
        {
            self.bound = proved;
            return;
        }
        self.remaining -= LANES;
        let [a, b] = [subelements(a), subelements(b)];
        let cubics = self::cubics(&a, &b, &self.rounding);
        for l in 0..LANES {
            self.refine([&lane(&a, l), &lane(&b, l)], &cubics_of_lane(&cubics, l), depth + 1);
        }
    }
}

/// A cubic upper bound of the rounding errors of all coefficients: `ROUNDING_FACTOR` times
/// `(|A| + t |B|)^2 (|A| + start + t (|B| + displacement))`, with the largest column as norm.
fn rounding(a: &Corners, b: &Corners, path_size: PathSize) -> [Lane; 4] {
    let larger = |a: Lane, b: Lane| a.fast_max(b);
    let norm = |corners: &Corners| {
        let columns = corners.iter().flat_map(|corner| corner.cols);
        let squares = columns.map(|[x, y, z]| x * x + y * y + z * z);
        squares.fold(Lane::ZERO, larger).sqrt()
    };
    let (a, b) = (norm(a), norm(b));
    let (from, displacement) = (a + path_size.start, b + path_size.displacement);
    let two = Lane::splat(2.0);
    let cubic = [
        a * a * from,
        a * a * displacement + two * a * b * from,
        two * a * b * displacement + b * b * from,
        b * b * displacement,
    ];
    cubic.map(|c| c * Lane::splat(ROUNDING_FACTOR))
}

/// The coefficients `b_klm`, `k <= l <= m`, of the matrices at the corners.
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

/// The coefficients `b_klm(t)`, `k <= l <= m`, of the matrices `A_k + t B_k` as cubics of t, from the constant
/// coefficient on, minus the larger of `KEPT_FRACTION b_klm(0)` and the rounding error.
fn cubics(a: &Corners, b: &Corners, rounding: &[Lane; 4]) -> [[Lane; 4]; COEFFICIENTS] {
    let mut out = [[Lane::ZERO; 4]; COEFFICIENTS];
    let mut slots = out.iter_mut();
    for k in 0..4 {
        for l in k..4 {
            // Mixed cofactors of `A_k + t B_k` and `A_l + t B_l` by powers of t.
            let constant = mixed_cofactor(&a[k], &a[l]);
            let linear =
                mixed_cofactor(&a[k], &b[l]).scale_add(Lane::ONE, &mixed_cofactor(&b[k], &a[l]));
            let quadratic = mixed_cofactor(&b[k], &b[l]);
            for (m, slot) in (l..4).zip(&mut slots) {
                let initial = constant.contract(&a[m]) * SIXTH;
                // The remaining fraction must exceed the rounding error.
                let threshold = (initial * Lane::splat(KEPT_FRACTION)).fast_max(rounding[0]);
                let [first, second, third] = [
                    constant.contract(&b[m]) + linear.contract(&a[m]),
                    linear.contract(&b[m]) + quadratic.contract(&a[m]),
                    quadratic.contract(&b[m]),
                ]
                .map(|c| c * SIXTH);
                *slot = [
                    initial - threshold,
                    first - rounding[1],
                    second - rounding[2],
                    third - rounding[3],
                ];
            }
        }
    }
    out
}

/// One sixth in all lanes.
const SIXTH: Lane = Lane::new([1.0 / 6.0; 8]);

/// The matrix `M` with `M : C = 6 D(A, B, C)`; twice the cofactors if both are the same.
#[inline(always)]
fn mixed_cofactor(a: &Mat3x8, b: &Mat3x8) -> Mat3x8 {
    let column = |i: usize, j: usize| -> Vec3x8 {
        let (ab, ba) = (cross(&a.cols[i], &b.cols[j]), cross(&b.cols[i], &a.cols[j]));
        from_fn(|r| ab[r] + ba[r])
    };
    Mat3x8 { cols: [column(1, 2), column(2, 0), column(0, 1)] }
}
