//! Step bounds that prevent the inversion of elements.
//!
//! On a straight path the determinant of the edges of an element is a cubic of the fraction t. An
//! element keeps at least a tenth of its volume in one step: a bound at the first root would leave
//! elements arbitrarily close to inversion, where the line search converges slowly (Smith &
//! Schaefer 2015, *Bijective parameterization with free boundaries*, section 3.3, use 0.8 to 0.9
//! of the distance to the root for the same reason).
//!
//! Roots are found by bisection between the extrema: at the lower end of the bracket the volume has
//! been evaluated and is sufficient.

use super::rest::TetGroup;
use crate::step_bound::KEPT_FRACTION;
use resile_math::Vec3;
use resile_math::lanes::{LANES, Lane};

/// Relative width of the bracket in which the bound is the lower end.
const BRACKET_WIDTH: f64 = 1e-6;

/// Largest fraction in (0, 1] of the path on which every element of `groups` keeps a
/// tenth of its volume. Elements without positive volume at `from` are ignored.
pub(super) fn step_bound(groups: &[TetGroup], from: &[Vec3], to: &[Vec3]) -> f64 {
    let mut bound = 1.0;
    for group in groups {
        let cubic = volume_cubic(group, from, to);
        if are_certainly_positive(&cubic) {
            continue;
        }
        for l in 0..LANES {
            let cubic = cubic.map(|c| c.as_array()[l]);
            if cubic[0] > 0.0 {
                bound = positive_fraction(&cubic, bound);
            }
        }
    }
    bound
}

/// Coefficients of `det(A + t B) - KEPT_FRACTION det A`, A the edges at `from`, A + B at `to`.
#[inline]
fn volume_cubic(group: &TetGroup, from: &[Vec3], to: &[Vec3]) -> [Lane; 4] {
    let a = group.edges(from);
    let b = a.scale_add(-Lane::ONE, &group.edges(to));
    let (cofactor_a, cofactor_b) = (a.cofactor(), b.cofactor());
    [
        a.determinant() * Lane::splat(1.0 - KEPT_FRACTION),
        cofactor_a.contract(&b),
        a.contract(&cofactor_b),
        b.determinant(),
    ]
}

/// A sufficient test by the signs of coefficients: whether no cubic vanishes in [0, 1]. It is conclusive for all
/// elements in small steps.
#[inline]
pub(super) fn are_certainly_positive(c: &[Lane; 4]) -> bool {
    let decrease = |c: Lane| c.fast_min(Lane::ZERO);
    (c[0] + decrease(c[1]) + decrease(c[2]) + decrease(c[3])).simd_gt(Lane::ZERO).all()
}

/// A fraction in (0, `upper_bound`] up to which the cubic `c`, positive at zero, stays positive: `upper_bound` if there
/// is no root, else a relative 1e-6 below the first root.
pub(super) fn positive_fraction(c: &[f64; 4], upper_bound: f64) -> f64 {
    let p = |t: f64| ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
    let mut low = 0.0;
    for mut high in extrema(c, upper_bound).into_iter().chain([upper_bound]) {
        if p(high) > 0.0 {
            low = high;
            continue;
        }
        // The cubic is monotone between `low` and `high`, so it has one root there.
        while high - low > BRACKET_WIDTH * high {
            let middle = 0.5 * (low + high);
            if p(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }
    upper_bound
}

/// The roots of the derivative of `c` in (0, `upper_bound`), ascending; `upper_bound` in place of missing roots.
fn extrema(c: &[f64; 4], upper_bound: f64) -> [f64; 2] {
    let (a, half_b, c) = (3.0 * c[3], c[2], c[1]);
    // This form of the roots is free of cancellation. NaN (no real extrema) and infinity (no cubic or
    // linear term) are not inside the interval.
    let q = -(half_b + (half_b * half_b - a * c).sqrt().copysign(half_b));
    let inside = |t: f64| if t > 0.0 && t < upper_bound { t } else { upper_bound };
    let (s, t) = (inside(q / a), inside(c / q));
    [s.min(t), s.max(t)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coefficient() -> impl Strategy<Value = f64> {
        (-3.0f64..3.0, prop_oneof![Just(1.0), Just(0.0), Just(1e-12), Just(1e3)])
            .prop_map(|(x, size)| x * size)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn the_cubic_is_positive_up_to_the_bound_and_not_far_beyond(
            first in 1e-6f64..2.0,
            rest in prop::array::uniform3(coefficient()),
            upper_bound in 0.01f64..1.0,
        ) {
            let c = [first, rest[0], rest[1], rest[2]];
            let p = |t: f64| ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
            let bound = positive_fraction(&c, upper_bound);
            prop_assert!(bound > 0.0 && bound <= upper_bound);
            // Rounding of the terms, which can hide a double root.
            let rounding = 1e-14 * (c[0] + c[1].abs() + c[2].abs() + c[3].abs());
            for k in 0..=1000 {
                let t = bound * f64::from(k) / 1000.0;
                prop_assert!(p(t) > -rounding, "p({t}) = {:e}, bound {bound}", p(t));
            }
            if bound < upper_bound {
                prop_assert!(p(bound * (1.0 + 2.0 * BRACKET_WIDTH)) <= rounding, "the bound is sharp");
            }
        }
    }

    #[test]
    fn a_root_just_after_the_start_still_leaves_a_way() {
        let bound = positive_fraction(&[1e-12, -1.0, 0.0, 0.0], 1.0);
        assert!(bound > 0.0 && bound <= 1e-12, "{bound:e}");
        assert_eq!(positive_fraction(&[1.0, 0.0, 0.0, 0.0], 1.0), 1.0);
    }
}
