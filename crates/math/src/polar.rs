//! The rotation nearest to each of eight 3x3 matrices, without singular vectors.
//!
//! Newton's iteration `X <- (X + X^-T) / 2` from `X = A` (Higham 1986, *Computing the polar
//! decomposition*) takes an element's deformation gradient to its rotation in a few steps, each
//! a cofactor and a division: cheaper than the sweeps of [`SignedSvd`]. The iteration inverts `A`, so
//! it loses digits if `A` is nearly singular, and it converges to a reflection if `det A < 0`. If one
//! of the eight matrices is nearly singular or inverted, all eight use the singular vectors.

use crate::Mat3;
use crate::lanes::{LANES, Lane, Mat3x8};
use crate::svd::SignedSvd;

/// Convergence is quadratic once all singular values are near one; before that each step halves
/// the large ones. A matrix that takes more steps falls back to the SVD.
const MAX_STEPS: usize = 12;

/// Step length below which the iteration has converged: the next step would have half its square.
const STEP_TOLERANCE: f64 = 1e-8;

/// The smallest determinant at which inversion is accurate enough, for a matrix scaled to the norm
/// of the identity.
const MIN_DETERMINANT: f64 = 0.02;

/// The rotation nearest to each matrix; any such rotation where it is not unique.
#[inline]
pub fn nearest_rotation(a: &Mat3x8) -> Mat3x8 {
    well_shaped_rotation(a).unwrap_or_else(|| SignedSvd::new(a).rotation())
}

/// [`nearest_rotation`] to a few roundings; `None` if one of the matrices is inverted or nearly
/// singular.
#[inline]
pub fn well_shaped_rotation(a: &Mat3x8) -> Option<Mat3x8> {
    // The condition is `det A > MIN_DETERMINANT (|A|^2 / 3)^(3/2)`, squared.
    let (square, det) = (a.contract(a) * Lane::splat(1.0 / 3.0), a.determinant());
    let threshold = Lane::splat(MIN_DETERMINANT * MIN_DETERMINANT) * square * square * square;
    let is_well_shaped = det.simd_gt(Lane::ZERO) & (det * det).simd_gt(threshold);
    if !is_well_shaped.all() {
        return None;
    }
    let mut x = *a;
    for _ in 0..MAX_STEPS {
        let cofactor = x.cofactor();
        let next = cofactor.scale_add(Lane::HALF / x.determinant(), &x.scale(Lane::HALF));
        let step = next.scale_add(-Lane::ONE, &x);
        x = next;
        if !step.contract(&step).simd_gt(Lane::splat(STEP_TOLERANCE * STEP_TOLERANCE)).any() {
            return Some(x);
        }
    }
    None
}

/// The rotation `R` that brings points `X` nearest to `x` in the sum of `m |x - R X|^2`, from `moments`, the sum of
/// `m x X^T` about both means (Kabsch 1976, *A solution for the best rotation to relate two sets of vectors*). It is
/// a proper rotation even for points in a plane or on a line, and the identity for one point. It does not depend on
/// the scale of `moments`.
pub fn fitted_rotation(moments: &Mat3) -> Mat3 {
    let largest = moments.to_cols_array().iter().fold(0.0, |max: f64, x| max.max(x.abs()));
    if largest == 0.0 {
        return Mat3::IDENTITY;
    }
    let scaled = Mat3x8::from_lanes(&[*moments * largest.recip(); LANES]);
    SignedSvd::new(&scaled).rotation().lane(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Quat, Vec3, outer};
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
        fn points_are_fitted_by_the_rotation_that_moved_them(
            turn in rotation(),
            points in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..6),
            scale in -200i32..200,
        ) {
            let points: Vec<Vec3> = points.into_iter().map(Vec3::from_array).collect();
            let mean = points.iter().sum::<Vec3>() / points.len() as f64;
            let arms = || points.iter().map(|x| *x - mean);
            let moments = arms().fold(Mat3::ZERO, |sum, arm| sum + outer(turn * arm, arm));
            let fitted = fitted_rotation(&(moments * f64::from(scale).exp2()));
            prop_assert!((fitted.determinant() - 1.0).abs() < 1e-13);
            for arm in arms() {
                let off = (fitted * arm - turn * arm).length();
                prop_assert!(off < 1e-7, "{off} of {} points", points.len());
            }
        }

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
