//! Step bounds that keep the area of triangles positive.
//!
//! On a straight path the normal (edge cross edge) is a quadratic N(t). A triangle keeps at least a
//! tenth of its area in one step, for the same reason as the volumes of tetrahedra. `|N|` is not
//! a polynomial, but the component of N along the present normal is a quadratic lower bound that
//! touches `|N|` at the present t. Advancing repeatedly to the first root of that bound is Newton's
//! method on `|N|` from below: it converges quadratically, never oversteps, and distinguishes
//! rotation from collapse.

use super::rest::TriangleGroup;
use crate::step_bound::KEPT_FRACTION;
use resile_math::Vec3;
use resile_math::lanes::{LANES, Lane, Vec3x8, cross, dot};

/// Relative excess of the area at which the iteration stops.
const RELATIVE_TOLERANCE: f64 = 1e-6;

/// Maximum number of iterations; if it is reached, the bound is smaller than necessary but safe.
const MAX_ITERATIONS: usize = 50;

/// Largest fraction in (0, 1] of the path on which every triangle of `groups` keeps a tenth of its
/// area. Triangles that are degenerate at `from` are ignored.
pub(super) fn step_bound(groups: &[TriangleGroup], from: &[Vec3], to: &[Vec3]) -> f64 {
    let mut bound = 1.0;
    for group in groups {
        let normal = normal_quadratic(group, from, to);
        if is_certainly_kept(&normal) {
            continue;
        }
        for l in 0..LANES {
            let lane_of = |v: &Vec3x8| Vec3::from_array(v.map(|c| c.as_array()[l]));
            let n = [lane_of(&normal[0]), lane_of(&normal[1]), lane_of(&normal[2])];
            if n[0].length_squared() > 0.0 {
                bound = kept_fraction(&n, bound);
            }
        }
    }
    bound
}

/// Coefficients of `(a + t c) x (b + t d)`, with a, b the edges at `from`.
#[inline]
fn normal_quadratic(group: &TriangleGroup, from: &[Vec3], to: &[Vec3]) -> [Vec3x8; 3] {
    let ([a, b], [e, f]) = (group.edges(from), group.edges(to));
    let difference = |e: &Vec3x8, a: &Vec3x8| -> Vec3x8 { std::array::from_fn(|i| e[i] - a[i]) };
    let (c, d) = (difference(&e, &a), difference(&f, &b));
    let (ad, cb) = (cross(&a, &d), cross(&c, &b));
    [cross(&a, &b), std::array::from_fn(|i| ad[i] + cb[i]), cross(&c, &d)]
}

/// A sufficient test by the signs of coefficients: whether the component of the normal along the initial normal stays
/// large enough. It is conclusive for all triangles in small steps.
#[inline]
fn is_certainly_kept(n: &[Vec3x8; 3]) -> bool {
    let decrease = |v: &Vec3x8| dot(&n[0], v).fast_min(Lane::ZERO);
    let margin =
        dot(&n[0], &n[0]) * Lane::splat(1.0 - KEPT_FRACTION) + decrease(&n[1]) + decrease(&n[2]);
    margin.simd_gt(Lane::ZERO).all()
}

/// A fraction in (0, `upper_bound`] up to which the normal keeps a tenth of its initial length.
fn kept_fraction(n: &[Vec3; 3], upper_bound: f64) -> f64 {
    let threshold = KEPT_FRACTION * n[0].length();
    let mut t = 0.0;
    for _ in 0..MAX_ITERATIONS {
        let normal = n[0] + (n[1] + n[2] * t) * t;
        let direction = normal.normalize();
        // Coefficients of the polynomial `N(t + s) . direction - threshold` in s.
        let (a, b, c) = (
            normal.length() - threshold,
            direction.dot(n[1] + n[2] * (2.0 * t)),
            direction.dot(n[2]),
        );
        // The comparison is also false for NaN.
        let is_above = a > RELATIVE_TOLERANCE * threshold;
        if !is_above {
            break;
        }
        t += first_root(a, b, c);
        if t >= upper_bound {
            return upper_bound;
        }
    }
    t
}

/// The first positive root of `a + b s + c s^2`, a > 0; infinite if there is none.
fn first_root(a: f64, b: f64, c: f64) -> f64 {
    // The roots are q/c and a/q; this form is free of cancellation.
    let q = -0.5 * (b + (b * b - 4.0 * a * c).sqrt().copysign(b));
    let positive_or_infinite = |s: f64| if s > 0.0 { s } else { f64::INFINITY };
    positive_or_infinite(q / c).min(positive_or_infinite(a / q))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-2.0f64..2.0).prop_map(Vec3::from_array)
    }

    /// Triangles in a plane, which can be inverted only through a line.
    fn flat() -> impl Strategy<Value = [Vec3; 3]> {
        prop::array::uniform3(-3.0f64..3.0).prop_map(|c| c.map(|c| Vec3::Z * c))
    }

    fn any() -> impl Strategy<Value = [Vec3; 3]> {
        prop_oneof![prop::array::uniform3(vector()), flat()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn a_tenth_is_kept_up_to_the_bound_and_not_far_beyond(n in any(), upto in 0.01f64..1.0) {
            let length = |t: f64| (n[0] + (n[1] + n[2] * t) * t).length();
            prop_assume!(length(0.0) > 1e-3);
            let bound = kept_fraction(&n, upto);
            prop_assert!(bound > 0.0 && bound <= upto);
            for k in 0..=1000 {
                let kept = length(bound * f64::from(k) / 1000.0) / length(0.0);
                prop_assert!(kept > KEPT_FRACTION * (1.0 - 1e-9), "{kept}");
            }
            if bound < upto {
                let first = (0..=100_000)
                    .map(|k| upto * f64::from(k) / 1e5)
                    .find(|&t| length(t) < KEPT_FRACTION * length(0.0) * (1.0 + 1e-4));
                prop_assert!(first.is_some_and(|t| t < bound * 1.001 + 1e-4), "{bound} {first:?}");
            }
        }
    }

    #[test]
    fn a_triangle_that_turns_around_may_go_all_the_way() {
        // Half a rotation about an edge, along a straight path out of the plane.
        let n = [Vec3::Z, Vec3::new(1.0, 0.0, -2.0), Vec3::new(-1.0, 0.0, 0.0)];
        assert_eq!(kept_fraction(&n, 1.0), 1.0);
        assert!((kept_fraction(&[Vec3::Z, Vec3::Z * -2.0, Vec3::ZERO], 1.0) - 0.45).abs() < 1e-6);
    }
}
