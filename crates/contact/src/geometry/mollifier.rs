//! The edge-edge mollifier.
//!
//! The normal of two lines is undefined when they are parallel, so the distance of
//! two edges is not differentiable there. Li et al. 2020 (IPC, section 4.4) multiply
//! the barrier by `m(c) = (2 - c/eps) c/eps` for `c = |u x v|^2 < eps`, else 1, with
//! `eps = 1e-3 |u|^2 |v|^2` of the rest lengths: it vanishes at parallel edges, where
//! the vertex-face pairs carry the contact, and is once differentiable at `eps`.

use resile_math::{Mat3, Vec3, outer};

/// `eps` divided by the squared rest lengths, as in that paper: edges at less than 1.8 degrees count as nearly parallel.
const RELATIVE_THRESHOLD: f64 = 1e-3;

/// The threshold `eps` (m^4) of two edges with these squared rest lengths (m^2).
pub fn threshold(rest_a2: f64, rest_b2: f64) -> f64 {
    RELATIVE_THRESHOLD * rest_a2 * rest_b2
}

/// Mollifier of two edge vectors, with its derivatives with respect to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mollifier {
    /// m, between 0 and 1.
    pub value: f64,
    /// dm/du and dm/dv (1/m).
    pub gradient: [Vec3; 2],
    /// d2m/du2, d2m/du dv (row u, column v), d2m/dv2 (1/m^2).
    pub hessian: [Mat3; 3],
}

/// The value of the mollifier at edge vectors `u`, `v`.
pub fn value(u: Vec3, v: Vec3, eps: f64) -> f64 {
    let ratio = u.cross(v).length_squared() / eps;
    if ratio < 1.0 { ratio * (2.0 - ratio) } else { 1.0 }
}

/// The mollifier with its derivatives; `None` where it is constant.
pub fn mollifier(u: Vec3, v: Vec3, eps: f64) -> Option<Mollifier> {
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let ratio = u.cross(v).length_squared() / eps;
    if ratio >= 1.0 {
        return None;
    }
    let first = 2.0 * (1.0 - ratio) / eps;
    let second = -2.0 / (eps * eps);
    let c_u = (u * vv - v * uv) * 2.0;
    let c_v = (v * uu - u * uv) * 2.0;
    let c_uu = (Mat3::IDENTITY * vv - outer(v, v)) * 2.0;
    let c_vv = (Mat3::IDENTITY * uu - outer(u, u)) * 2.0;
    let c_uv = outer(u, v) * 4.0 - (Mat3::IDENTITY * uv + outer(v, u)) * 2.0;
    Some(Mollifier {
        value: ratio * (2.0 - ratio),
        gradient: [c_u * first, c_v * first],
        hessian: [
            c_uu * first + outer(c_u, c_u) * second,
            c_uv * first + outer(c_u, c_v) * second,
            c_vv * first + outer(c_v, c_v) * second,
        ],
    })
}
