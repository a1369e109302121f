#![doc = include_str!("../README.md")]
//! # Design
//!
//! Mathematics on small fixed shapes: vectors of three, matrices of three by three, eight of them at a
//! time in the lanes of a register.
//!
//! The crate contains no elements, forces or time steps.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod aabb;
pub mod elementary;
pub mod lanes;
pub mod parameters;
pub mod polar;
mod psd;
pub mod small;
pub mod svd;
pub mod symmetric3;
mod tridiagonal;
pub mod units;

pub use aabb::Aabb;
pub use psd::Psd;

/// A vector of three doubles (metres, newtons, metres a second, ...).
pub type Vec3 = glam::DVec3;
/// A 3x3 matrix of doubles, stored by columns.
pub type Mat3 = glam::DMat3;
/// A quaternion of doubles; those of length one are rotations.
pub type Quat = glam::DQuat;

/// Number of nodes of an affine body: the images of four points that are not in a plane determine an affine map.
pub const AFFINE_NODES: usize = 4;

/// The matrix `a b^T`.
pub fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The matrix `[a]_x` with `[a]_x b = a x b`.
pub fn cross_matrix(a: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, a.z, -a.y), Vec3::new(-a.z, 0.0, a.x), Vec3::new(a.y, -a.x, 0.0))
}

/// The Cholesky factor `L` with `L L^T = a` of a symmetric matrix. Returns `None` if a pivot is at
/// most 1e-12 of its diagonal entry, that is, if `a` is not positive definite beyond rounding.
pub fn cholesky(a: Mat3) -> Option<Mat3> {
    let mut l = Mat3::ZERO;
    for j in 0..3 {
        for i in j..3 {
            let sum: f64 = (0..j).map(|k| l.col(k)[i] * l.col(k)[j]).sum();
            let remainder = a.col(j)[i] - sum;
            let entry = if i == j {
                if remainder <= 1e-12 * a.col(j)[j] {
                    return None;
                }
                remainder.sqrt()
            } else {
                remainder / l.col(j)[j]
            };
            l.col_mut(j)[i] = entry;
        }
    }
    l.is_finite().then_some(l)
}
