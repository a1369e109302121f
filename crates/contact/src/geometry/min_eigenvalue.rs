//! Lower bound of the smallest eigenvalue of a symmetric 3x3 matrix.
//!
//! With the mean `q` of the eigenvalues and `p = |A - q I| / sqrt(6)`, the eigenvalues are `q + 2 p cos((phi + 2 pi k) / 3)`
//! with `cos phi = r`, half the determinant of `(A - q I) / p` (Smith 1961, *Eigenvalues of a symmetric 3 x 3 matrix*). Near a
//! double eigenvalue an error `e` of `r` moves the smallest root by `sqrt(2 e / 3)`.

use resile_math::elementary::{acos, cos};
use resile_math::{Mat3, Vec3};
use std::f64::consts::PI;

/// Rounding error of `r`, relative to `1 + |q| / p`: the entries of `A - q I` have an error of one unit of `|q|`, and their
/// determinant is a sum of six products of three.
const RELATIVE_ERROR: f64 = 24.0 * f64::EPSILON;

/// A lower bound of the smallest eigenvalue of the symmetric matrix `a`, below it by at most 1.5e-7 of the norm of `a`.
pub(crate) fn min_eigenvalue_bound(a: &Mat3) -> f64 {
    let mean = (a.x_axis.x + a.y_axis.y + a.z_axis.z) / 3.0;
    let deviator = *a - Mat3::from_diagonal(Vec3::splat(mean));
    let [x, y, z] = [deviator.x_axis, deviator.y_axis, deviator.z_axis];
    let spread = ((x.length_squared() + y.length_squared() + z.length_squared()) / 6.0).sqrt();
    if spread == 0.0 {
        return mean;
    }
    let r = (0.5 * (deviator * (1.0 / spread)).determinant()).clamp(-1.0, 1.0);
    let root = 2.0 * cos((acos(r) + 2.0 * PI) / 3.0);
    mean + spread * root - (RELATIVE_ERROR * spread * (spread + mean.abs())).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use resile_math::small::SymmetricEigen;

    fn check(a: &Mat3) -> Result<(), TestCaseError> {
        let [x, y, z] = SymmetricEigen::new(&a.to_cols_array_2d()).values;
        let smallest = x.min(y).min(z);
        let bound = min_eigenvalue_bound(a);
        let size = a.to_cols_array().iter().fold(0.0f64, |size, entry| size.max(entry.abs()));
        prop_assert!(bound <= smallest + 1e-15 * size, "{bound} is above {smallest}");
        prop_assert!(bound >= smallest - 3e-7 * size, "{bound} is far below {smallest}");
        Ok(())
    }

    proptest! {
        #[test]
        fn bound_is_below_the_smallest_eigenvalue_and_near_it(
            entries in prop::array::uniform6(-2.0f64..2.0),
            scale in prop_oneof![Just(1.0), Just(1e-9), Just(1e9)],
        ) {
            let [a, b, c, d, e, f] = entries.map(|entry| scale * entry);
            check(&Mat3::from_cols_array(&[a, d, e, d, b, f, e, f, c]))?;
        }

        /// Two or three equal eigenvalues, and perturbations of them.
        #[test]
        fn bound_holds_at_multiple_eigenvalues(
            values in prop::array::uniform3(prop_oneof![Just(1.0), Just(0.5), Just(1.0 + 1e-9)]),
            angle in 0.0f64..3.0,
        ) {
            let turn = Mat3::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), angle);
            let a = turn * Mat3::from_diagonal(Vec3::from_array(values)) * turn.transpose();
            check(&((a + a.transpose()) * 0.5))?;
        }
    }

    #[test]
    fn multiples_of_the_identity_are_exact() {
        assert_eq!(min_eigenvalue_bound(&(Mat3::IDENTITY * 0.75)), 0.75);
        assert_eq!(min_eigenvalue_bound(&Mat3::ZERO), 0.0);
    }
}
