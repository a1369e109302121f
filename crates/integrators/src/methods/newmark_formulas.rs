//! Newmark's formulas for positions and velocities.

use crate::methods::newmark::Newmark;
use resile_math::Vec3;

/// Newmark's formulas for a step of `h` from the positions x, velocities v and accelerations a:
///
/// ```text
/// x_n+1 = x_n + h v_n + h^2 ((1/2 - beta) a_n + beta a_n+1)
/// v_n+1 = v_n + h ((1 - gamma) a_n + gamma a_n+1)
/// ```
///
/// With the new position as the unknown, the new velocity and the new acceleration are affine in it.
pub(crate) struct NewmarkFormulas {
    /// The new positions (m) without the contributions of the new accelerations.
    pub(crate) known_positions: Vec<Vec3>,
    /// The new velocities (m/s) without the contributions of the new accelerations.
    pub(crate) known_velocities: Vec<Vec3>,
    /// Derivative of the new velocity with respect to the new position, `gamma / (beta h)` (1/s).
    pub(crate) rate: f64,
    /// Derivative of the new position with respect to the new acceleration, `beta h^2` (s^2).
    pub(crate) acceleration_weight: f64,
}

impl NewmarkFormulas {
    /// The formulas with the coefficients of `method` for a step of `h` (s) from `x` (m), `v` (m/s) and `a` (m/s^2).
    pub(crate) fn new(method: Newmark, h: f64, x: &[Vec3], v: &[Vec3], a: &[Vec3]) -> Self {
        let Newmark { beta, gamma } = method;
        let known_position = |i: usize| x[i] + h * v[i] + h * h * (0.5 - beta) * a[i];
        let known_velocity = |i: usize| v[i] + h * (1.0 - gamma) * a[i];
        Self {
            known_positions: (0..a.len()).map(known_position).collect(),
            known_velocities: (0..a.len()).map(known_velocity).collect(),
            rate: gamma / (beta * h),
            acceleration_weight: beta * h * h,
        }
    }

    /// The velocity (m/s) of `node` at the end of the step if its position there is `x` (m).
    pub(crate) fn velocity(&self, node: usize, x: Vec3) -> Vec3 {
        self.known_velocities[node] + self.rate * (x - self.known_positions[node])
    }

    /// The acceleration (m/s^2) of `node` at the end of the step if its position there is `x` (m).
    pub(crate) fn acceleration(&self, node: usize, x: Vec3) -> Vec3 {
        (x - self.known_positions[node]) / self.acceleration_weight
    }
}
