//! Elementary functions with the same bits on every machine.
//!
//! The standard library calls the C library, whose last bit depends on the processor and on the
//! version; contact amplifies that bit to a different motion. The functions here are pure Rust
//! (`libm`, a port of musl). Square roots are correctly rounded on every machine, so the standard library's are used.
//! All code that reaches the state of a simulation uses these functions; `clippy.toml` disallows
//! the others.

use crate::{Mat3, Quat, Vec3};
pub use libm::{
    acos, atan2, cbrt, cos, exp, expm1, hypot, ilogb, log as ln, pow, remainder, sin,
    sincos as sin_cos,
};

/// The rotation by `angle` (radians) about the unit vector `axis`, counter-clockwise seen from
/// the tip of the axis (Rodrigues).
pub fn rotation(axis: Vec3, angle: f64) -> Mat3 {
    let (sin, cos) = sin_cos(angle);
    let (axis_sin, axis_versine) = (axis * sin, axis * (1.0 - cos));
    let column =
        |unit: Vec3, component: f64| unit * cos + axis_sin.cross(unit) + axis_versine * component;
    Mat3::from_cols(column(Vec3::X, axis.x), column(Vec3::Y, axis.y), column(Vec3::Z, axis.z))
}

/// The unit quaternion of the rotation vector `v`: axis times angle (radians).
pub fn quaternion(v: Vec3) -> Quat {
    let angle = v.length();
    if angle == 0.0 {
        return Quat::IDENTITY;
    }
    let (sin, cos) = sin_cos(0.5 * angle);
    let vector = v * (sin / angle);
    Quat::from_xyzw(vector.x, vector.y, vector.z, cos)
}

/// The rotation vector of the unit quaternion `q`: axis times angle, which is at most a turn.
pub fn rotation_vector(q: Quat) -> Vec3 {
    let vector = Vec3::new(q.x, q.y, q.z);
    let sin = vector.length();
    if sin == 0.0 { Vec3::ZERO } else { vector * (2.0 * atan2(sin, q.w) / sin) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pins the bits: no code path may depend on the processor.
    #[test]
    fn elementary_functions_return_pinned_bits() {
        let of = |f: fn(f64) -> f64| {
            let sum = |sum: u64, k: u64| sum.rotate_left(7) ^ f(k as f64 * 0.0137 + 1e-3).to_bits();
            (0..1000).fold(0, sum)
        };
        let bits = [ln, exp, sin, cos, cbrt].map(of);
        let two = |f: fn(f64, f64) -> f64| of_two(f);
        let bits_of_two = [atan2, hypot, pow].map(two);
        insta::assert_snapshot!(format!("{bits:x?}\n{bits_of_two:x?}"));
    }

    fn of_two(f: fn(f64, f64) -> f64) -> u64 {
        let value = |k: u64| f(k as f64 * 0.0137 + 1e-3, 2.0 - k as f64 * 0.004);
        (0..1000).fold(0, |sum: u64, k| sum.rotate_left(7) ^ value(k).to_bits())
    }

    proptest! {
        #[test]
        fn rotation_matrix_equals_the_axis_angle_quaternion(
            v in prop::array::uniform3(-2.0f64..2.0), p in prop::array::uniform3(-1.0f64..1.0)
        ) {
            let (v, p) = (Vec3::from(v), Vec3::from(p));
            prop_assume!(v.length() > 1e-3);
            let expected = Mat3::from_axis_angle(v.normalize(), v.length()) * p;
            prop_assert!((rotation(v.normalize(), v.length()) * p).abs_diff_eq(expected, 1e-14));
            prop_assert!((quaternion(v) * p).abs_diff_eq(expected, 1e-14));
        }

        #[test]
        fn rotation_vector_survives_the_quaternion_round_trip(
            v in prop::array::uniform3(-2.0f64..2.0), scale in -12i32..1
        ) {
            let v = Vec3::from(v) * 10f64.powi(scale);
            prop_assert!(rotation_vector(quaternion(v)).abs_diff_eq(v, 1e-14 * v.length()));
        }
    }
}
