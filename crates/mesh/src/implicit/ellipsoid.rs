//! The exact distance to an ellipsoid.

use resile_linalg::Vec3;

/// The signed distance from `point` to the ellipsoid of these `radii` around the
/// origin.
///
/// The closest point is `x_i = e_i^2 y_i / (t + e_i^2)` for the largest root `t` of
/// `F(t) = sum (e_i y_i / (t + e_i^2))^2 - 1` (Eberly 2013, "Distance from a point
/// to an ellipse, an ellipsoid, or a hyperellipsoid"). `F` is convex and falls, so
/// Newton's method from the left climbs to the root without a bracket, and
/// starting where the largest term is 1 it has only a factor of three to go.
pub(super) fn distance(point: Vec3, radii: Vec3) -> f64 {
    let (y, e) = (point.abs().to_array(), radii.to_array());
    let smallest = (0..3).min_by(|&a, &b| e[a].total_cmp(&e[b])).unwrap_or(0);
    let t = multiplier(y, e);
    let mut foot = [0.0; 3];
    let mut share = 0.0;
    for i in 0..3 {
        let gap = t + e[i] * e[i];
        foot[i] = if gap > 0.0 { e[i] * e[i] * y[i] / gap } else { 0.0 };
        if i != smallest {
            share += (foot[i] / e[i]).powi(2);
        }
    }
    // From the ellipsoid's equation: the formula above is 0 / 0 for points in the
    // middle plane, from which there are two equally short ways.
    foot[smallest] = e[smallest] * (1.0 - share).max(0.0).sqrt();
    let distance = Vec3::from_array(y).distance(Vec3::from_array(foot));
    if t < 0.0 { -distance } else { distance }
}

/// The largest root of `F`, or minus the square of the smallest radius if `F` is
/// negative all the way down to there. Negative exactly inside.
fn multiplier(y: [f64; 3], e: [f64; 3]) -> f64 {
    // Each term is at most 1 here, and one of them is 1 unless that radius's
    // coordinate is zero.
    let mut t = (0..3).map(|i| e[i] * (y[i] - e[i])).fold(f64::NEG_INFINITY, f64::max);
    // Quadratic convergence from within a factor of three: measured 7 at most.
    for _ in 0..50 {
        let (mut value, mut slope) = (-1.0, 0.0);
        for i in 0..3 {
            let gap = t + e[i] * e[i];
            if gap > 0.0 {
                let term = (e[i] * y[i] / gap).powi(2);
                value += term;
                slope += 2.0 * term / gap;
            }
        }
        let next = t + value / slope;
        if !(value > 0.0 && next > t) {
            break;
        }
        t = next;
    }
    t
}
