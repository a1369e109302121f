//! The rotation nearest to each of eight 3x3 matrices, without singular vectors.
//!
//! Newton's iteration `X <- (X + X^-T) / 2` from `X = A` (Higham 1986, *Computing the polar
//! decomposition*) takes an element's deformation gradient to its rotation in a few steps, each
//! a cofactor and a division: cheaper than the sweeps of [`SignedSvd`]. The iteration inverts `A`, so
//! it loses digits if `A` is nearly singular, and it converges to a reflection if `det A < 0`. If one
//! of the eight matrices is such, all eight use the singular vectors.

use crate::lanes::{Lane, Mat3x8};
use crate::svd::SignedSvd;

/// Convergence is quadratic once all singular values are near one; before that each step halves
/// the large ones. A matrix that takes more steps falls back to the SVD.
const MAX_STEPS: usize = 12;

/// Step length below which the iteration has converged: the next step would have half its square.
const SETTLED: f64 = 1e-8;

/// The smallest determinant at which inversion is accurate enough, for a matrix scaled to the norm
/// of the identity.
const LEAST: f64 = 0.02;

/// The rotation nearest to each matrix; any such rotation where it is not unique.
#[inline]
pub fn nearest_rotation(a: &Mat3x8) -> Mat3x8 {
    well_shaped_rotation(a).unwrap_or_else(|| SignedSvd::new(a).rotation())
}

/// [`nearest_rotation`] to a few roundings; `None` if one of the matrices is inverted or nearly
/// singular.
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
        fn newton_iteration_converges_to_the_polar_factor(a in eight(prop::array::uniform3(0.3f64..3.0))) {
            let found = well_shaped_rotation(&lanes(&a)).expect("well shaped");
            for (l, (_, rotation)) in a.iter().enumerate() {
                prop_assert!(found.lane(l).abs_diff_eq(*rotation, 2e-14), "{} {rotation}", found.lane(l));
            }
        }

        #[test]
        fn flat_and_inverted_matrices_fall_back_to_the_svd(
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
