//! Orientation of four points with the exact sign.
//!
//! A floating-point filter decides nearly all cases; the others are evaluated exactly with expansions (Shewchuk
//! 1997). The exact path expands the determinant of the coordinates into 24 products, each exact in four doubles.
//! It is slow but short, and it does not need the error analysis of adaptive stages. Overflow and underflow are not
//! handled.

use crate::geometry::error_free::{two_product, two_sum};
use resile_math::Vec3;

/// Relative error bound of the filter: (7 + 56 u) u with u = 2^-53 (Shewchuk 1997, section 4.3), rounded up.
const FILTER_ERROR: f64 = 7.771_561_172_376_103e-16;

/// Number with the sign of `det(a - d, b - d, c - d)`. It is positive if `d` lies below the plane through `a`, `b`,
/// `c`, which are counter-clockwise seen from above, and zero if and only if the four points are coplanar.
pub fn orientation(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    filtered(a, b, c, d).unwrap_or_else(|| exact(a, b, c, d))
}

/// The orientation if rounding cannot have changed its sign, otherwise `None`.
pub(crate) fn filtered(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Option<f64> {
    let (p, q, r) = (a - d, b - d, c - d);
    let det = p.z * (q.x * r.y - r.x * q.y)
        + q.z * (r.x * p.y - p.x * r.y)
        + r.z * (p.x * q.y - q.x * p.y);
    let permanent = p.z.abs() * ((q.x * r.y).abs() + (r.x * q.y).abs())
        + q.z.abs() * ((r.x * p.y).abs() + (p.x * r.y).abs())
        + r.z.abs() * ((p.x * q.y).abs() + (q.x * p.y).abs());
    (det.abs() > FILTER_ERROR * permanent).then_some(det)
}

/// Whether a plane normal to `axis` provably separates `first` from `second`. The axis may have any length. Heights
/// over the plane are sums of three products, each with at most three roundings.
pub(crate) fn are_separated_along(axis: Vec3, first: &[Vec3], second: &[Vec3]) -> bool {
    let range = |points: &[Vec3]| {
        points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &x| {
            let (height, error) = (axis.dot(x), 4.0 * f64::EPSILON * axis.abs().dot(x.abs()));
            // Nothing is certified after overflow.
            let is_finite = height.is_finite() && error.is_finite();
            let error = if is_finite { error } else { f64::INFINITY };
            let height = if is_finite { height } else { 0.0 };
            [low.min(height - error), high.max(height + error)]
        })
    };
    let ([low, high], [other_low, other_high]) = (range(first), range(second));
    high < other_low || other_high < low
}

/// Leading component of the exact expansion of the determinant.
fn exact(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    let mut sum = Vec::with_capacity(96);
    // det(a - d, b - d, c - d) = [abc] - [bcd] + [acd] - [abd], each of six products.
    for (sign, [u, v, w]) in
        [(1.0, [a, b, c]), (-1.0, [b, c, d]), (1.0, [a, c, d]), (-1.0, [a, b, d])]
    {
        for (x, y, z) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
            add_product(&mut sum, sign * u[x], v[y], w[z]);
            add_product(&mut sum, -sign * u[x], v[z], w[y]);
        }
    }
    sum.last().copied().unwrap_or(0.0)
}

/// Adds the exact product `a b c` to an expansion.
fn add_product(sum: &mut Vec<f64>, a: f64, b: f64, c: f64) {
    let (high, low) = two_product(a, b);
    for part in [low, high] {
        let (h, l) = two_product(part, c);
        grow(sum, l);
        grow(sum, h);
    }
}

/// Adds `b` to a non-overlapping expansion, smallest component first. Zeros are dropped: for coplanar points nearly
/// all components cancel, and the expansion stays short.
fn grow(expansion: &mut Vec<f64>, b: f64) {
    let (mut carry, mut count) = (b, 0);
    for k in 0..expansion.len() {
        let (sum, error) = two_sum(carry, expansion[k]);
        carry = sum;
        if error != 0.0 {
            expansion[count] = error;
            count += 1;
        }
    }
    expansion.truncate(count);
    if carry != 0.0 {
        expansion.push(carry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same determinant in integers.
    fn integer(p: [[i64; 3]; 4]) -> i128 {
        let e = |i: usize, k: usize| i128::from(p[i][k]) - i128::from(p[3][k]);
        e(0, 0) * (e(1, 1) * e(2, 2) - e(1, 2) * e(2, 1))
            - e(0, 1) * (e(1, 0) * e(2, 2) - e(1, 2) * e(2, 0))
            + e(0, 2) * (e(1, 0) * e(2, 1) - e(1, 1) * e(2, 0))
    }

    proptest! {
        #[test]
        fn orientation_sign_equals_integer_arithmetic(
            // With all factors the determinant is below 2^126.
            p in prop::array::uniform4(prop::array::uniform3(-(1i64 << 37)..(1i64 << 37))),
            s in -3i64..4, t in -3i64..4, off in -1i64..2,
        ) {
            // A last point in or next to the plane of the others.
            let mut q = p;
            for k in 0..3 {
                q[3][k] = p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]);
            }
            q[3][0] += off;
            for p in [p, q] {
                let v = p.map(|c| Vec3::from_array(c.map(|c| c as f64)));
                let sign = orientation(v[0], v[1], v[2], v[3]);
                let want = integer(p).signum() as f64;
                prop_assert_eq!(if sign == 0.0 { 0.0 } else { sign.signum() }, want);
            }
        }

        #[test]
        fn shared_points_are_never_separated(
            p in prop::array::uniform4(prop::array::uniform3(-(1i32 << 20)..(1i32 << 20))),
            weights in (0u8..=16, 0u8..=16), axis in prop::array::uniform3(-1.0f64..1.0),
        ) {
            let [a, b, c, end] = p.map(|c| Vec3::from_array(c.map(f64::from)));
            let axis = Vec3::from_array(axis);
            // Exact in doubles: a point of the triangle.
            let (s, t) = (f64::from(weights.0) / 32.0, f64::from(weights.1) / 32.0);
            let common = a + (b - a) * s + (c - a) * t;
            prop_assert!(!are_separated_along(axis, &[common, end], &[a, b, c]));
            // On a side, the edge going outward from it, and the axis across that side.
            let on_side = a + (b - a) * s;
            let across = (b - a).cross(c - a).cross(b - a);
            prop_assert!(!are_separated_along(across, &[on_side, on_side * 2.0 - c], &[a, b, c]));
            prop_assert!(are_separated_along(Vec3::X, &[Vec3::ZERO], &[Vec3::X * 1e-300]));
        }
    }
}
