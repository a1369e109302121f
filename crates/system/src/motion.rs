//! Prescribed motion of nodes.

use crate::Vec3;
use resile_linalg::Mat3;

/// A rigid motion at constant velocity between two times, at rest outside them.
///
/// A node that starts at `x0` is at `pivot + R(omega s)(x0 - pivot) + velocity s`
/// where `s` is the time since `start`, clamped to the duration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Start of the motion (s).
    pub start: f64,
    /// End of the motion (s).
    pub end: f64,
    /// Linear velocity (m/s).
    pub velocity: Vec3,
    /// Angular velocity (rad/s), about `pivot`.
    pub angular_velocity: Vec3,
    /// Centre of the rotation at `start` (m).
    pub pivot: Vec3,
}

impl Motion {
    /// No motion at all.
    pub const FIXED: Self = Self {
        start: 0.0,
        end: 0.0,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        pivot: Vec3::ZERO,
    };

    /// Position (m) at `time` (s) of the node that starts at `x0`.
    pub fn position(&self, x0: Vec3, time: f64) -> Vec3 {
        let s = time.clamp(self.start, self.end.max(self.start)) - self.start;
        let angle = self.angular_velocity.length() * s;
        if angle == 0.0 {
            return x0 + self.velocity * s;
        }
        let rotation = Mat3::from_axis_angle(self.angular_velocity.normalize(), angle);
        self.pivot + rotation * (x0 - self.pivot) + self.velocity * s
    }

    /// Velocity (m/s) at time zero of the node that starts at `x0`.
    pub fn initial_velocity(&self, x0: Vec3) -> Vec3 {
        if self.start > 0.0 || self.is_fixed() {
            return Vec3::ZERO;
        }
        self.velocity + self.angular_velocity.cross(x0 - self.pivot)
    }

    /// Whether nodes ever move.
    pub fn is_fixed(&self) -> bool {
        self.end <= self.start
            || (self.velocity == Vec3::ZERO && self.angular_velocity == Vec3::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_turn_and_then_rest() {
        let motion = Motion {
            start: 1.0,
            end: 2.0,
            velocity: Vec3::Y,
            angular_velocity: Vec3::Z * std::f64::consts::PI,
            pivot: Vec3::X,
        };
        let x0 = Vec3::new(3.0, 0.0, 5.0);
        assert_eq!(motion.position(x0, 0.5), x0);
        for time in [2.0, 7.0] {
            assert!((motion.position(x0, time) - Vec3::new(-1.0, 1.0, 5.0)).length() < 1e-14);
        }
    }
}
