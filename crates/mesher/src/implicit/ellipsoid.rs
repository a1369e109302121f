//! Exact signed distance to an ellipsoid.

use resile_math::Vec3;

/// Signed distance from `point` to the ellipsoid with these `radii` around the origin.
///
/// The closest point is `x_i = e_i^2 y_i / (t + e_i^2)` for the largest root `t` of `F(t) = sum (e_i y_i / (t +
/// e_i^2))^2 - 1` (Eberly 2013, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid"). The unknown
/// is `t + e^2` for the smallest radius `e`, which may be tiny where `t` and `e^2` are not.
pub(super) fn distance(point: Vec3, radii: Vec3) -> f64 {
    let (y, e) = (point.abs().to_array(), radii.to_array());
    let smallest = (0..3).min_by(|&a, &b| e[a].total_cmp(&e[b])).unwrap_or(0);
    let excess = e.map(|radius| (radius - e[smallest]) * (radius + e[smallest]));
    let s = shifted_multiplier(y, e, excess);
    let mut foot = [0.0; 3];
    let mut sum_of_squares = 0.0;
    for i in 0..3 {
        // This is t + e_i^2.
        let divisor = s + excess[i];
        foot[i] = if divisor > 0.0 { e[i] * e[i] * y[i] / divisor } else { 0.0 };
        if i != smallest {
            sum_of_squares += (foot[i] / e[i]).powi(2);
        }
    }
    // Computed from the ellipsoid's equation, because the formula above is 0 / 0 for points in the middle
    // plane, which have two closest points.
    foot[smallest] = e[smallest] * (1.0 - sum_of_squares).max(0.0).sqrt();
    let distance = Vec3::from_array(y).distance(Vec3::from_array(foot));
    // The multiplier t is negative inside.
    if s < e[smallest] * e[smallest] { -distance } else { distance }
}

/// Largest number of Newton steps. Convergence is quadratic in the end. Near a middle plane a tiny root must grow
/// first, by half of itself per step: 91 steps for a factor of 1e16.
const MAX_NEWTON_STEPS: usize = 100;
/// Relative step below which only rounding is left.
const MIN_RELATIVE_STEP: f64 = 1e-14;

/// The root `s` of `F(s) = sum_i (e_i y_i / (s + excess_i))^2 - 1`, or zero if `F` is negative for all `s > 0`. Here
/// `y` is the point (m) with coordinates that are not negative, `e` are the radii (m), `s = t + e_min^2` with the
/// Lagrange multiplier `t` of the closest point, and `excess_i = e_i^2 - e_min^2`.
///
/// `F` is convex and decreasing, so Newton's method from the left converges monotonically without a bracket.
fn shifted_multiplier(y: [f64; 3], e: [f64; 3], excess: [f64; 3]) -> f64 {
    // Each term is at most 1 here, and one of them is 1 unless the coordinate of its radius is zero.
    let mut s = (0..3).map(|i| e[i] * y[i] - excess[i]).fold(0.0, f64::max);
    for _ in 0..MAX_NEWTON_STEPS {
        let (mut value, mut slope) = (-1.0, 0.0);
        for i in 0..3 {
            let divisor = s + excess[i];
            if divisor > 0.0 {
                let term = (e[i] * y[i] / divisor).powi(2);
                value += term;
                slope += 2.0 * term / divisor;
            }
        }
        let next = s + value / slope;
        // Rounding makes the last steps stagnate; NaN also ends them.
        if !(value > 0.0 && next > (1.0 + MIN_RELATIVE_STEP) * s && next.is_finite()) {
            break;
        }
        s = next;
    }
    s
}
