//! The rotation nearest to each of eight 3x3 matrices, without singular vectors.
//!
//! Newton's iteration `X <- (X + X^-T) / 2` from `X = A` (Higham 1986, *Computing the polar
//! decomposition*) takes an element's deformation gradient to its rotation in a few steps, each
//! a cofactor and a division: cheaper than the sweeps of [`SignedSvd`]. It inverts, so that digits are lost where `A` is nearly singular,
//! and where it turns inside out it leads to a reflection: there the singular vectors
//! answer, for all eight.

use crate::lanes::{Lane, Mat3x8};
use crate::svd::SignedSvd;

/// Convergence is quadratic once all singular values are near one; before that the large
/// ones are halved in each step. What takes more is left to singular vectors.
const MAX_STEPS: usize = 12;

/// A step this short was the last but for rounding: the next would have half its square.
const SETTLED: f64 = 1e-8;

/// The least determinant, for a matrix scaled to the norm of the identity, at which
/// inverting is harmless.
const LEAST: f64 = 0.02;

/// The rotation nearest to each matrix; any such rotation where it is not unique.
#[inline]
pub fn nearest_rotation(a: &Mat3x8) -> Mat3x8 {
    well_shaped_rotation(a).unwrap_or_else(|| SignedSvd::new(a).rotation())
}

/// As [`nearest_rotation`], or nothing if one of the matrices is inverted or nearly flat:
/// to a few roundings.
#[inline]
pub fn well_shaped_rotation(a: &Mat3x8) -> Option<Mat3x8> {
    // det A > LEAST (|A|^2 / 3)^(3/2), squared.
    let (square, det) = (a.contract(a) * Lane::splat(1.0 / 3.0), a.determinant());
    let least = Lane::splat(LEAST * LEAST) * square * square * square;
    let shaped = det.simd_gt(Lane::ZERO) & (det * det).simd_gt(least);
    if !shaped.all() {
        return None;
    }
    let mut x = *a;
    for _ in 0..MAX_STEPS {
        let cofactor = x.cofactor();
        let next = cofactor.scale_add(Lane::HALF / x.determinant(), &x.scale(Lane::HALF));
        let step = next.scale_add(-Lane::ONE, &x);
        x = next;
        if !step.contract(&step).simd_gt(Lane::splat(SETTLED * SETTLED)).any() {
            return Some(x);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANES;
    use crate::{Mat3, Quat, Vec3};
    use proptest::prelude::*;

    fn rotation() -> impl Strategy<Value = Mat3> {
        prop::array::uniform4(-1.0f64..1.0)
            .prop_filter("not near zero", |q| q.iter().map(|q| q * q).sum::<f64>() > 0.01)
            .prop_map(|q| Mat3::from_quat(Quat::from_array(q).normalize()))
    }

    fn eight(s: impl Strategy<Value = [f64; 3]>) -> impl Strategy<Value = Vec<(Mat3, Mat3)>> {
        let one = (rotation(), rotation(), s).prop_map(|(u, v, s)| {
            (u * Mat3::from_diagonal(Vec3::from_array(s)) * v.transpose(), u * v.transpose())
        });
        prop::collection::vec(one, LANES)
    }

    fn lanes(matrices: &[(Mat3, Mat3)]) -> Mat3x8 {
        Mat3x8::from_lanes(&std::array::from_fn(|l| matrices[l].0))
    }

    proptest! {
        #[test]
        fn the_iteration_finds_the_polar_factor(a in eight(prop::array::uniform3(0.3f64..3.0))) {
            let found = well_shaped_rotation(&lanes(&a)).expect("well shaped");
            for (l, (_, rotation)) in a.iter().enumerate() {
                prop_assert!(found.lane(l).abs_diff_eq(*rotation, 2e-14), "{} {rotation}", found.lane(l));
            }
        }

        #[test]
        fn flat_and_inverted_ones_are_left_to_singular_vectors(
            a in eight(prop::array::uniform3(0.5f64..2.0)),
            least in -0.4f64..0.01,
        ) {
            let mut a = a;
            let r = a[3].1;
            a[3].0 = r * Mat3::from_diagonal(Vec3::new(1.5, 1.0, least));
            prop_assert!(well_shaped_rotation(&lanes(&a)).is_none());
            let found = nearest_rotation(&lanes(&a));
            for (l, (_, rotation)) in a.iter().enumerate() {
                prop_assert!(found.lane(l).abs_diff_eq(*rotation, 1e-13), "lane {l}");
            }
        }
    }
}
