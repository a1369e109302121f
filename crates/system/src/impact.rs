//! Two surfaces that press on each other and have a coefficient of restitution.

use resile_math::Vec3;

/// A pair of primitives with a coefficient of restitution that press on each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Impact {
    /// The nodes of the pair, numbered in the system, with the weights (dimensionless) of their velocities in the relative
    /// one. Those of an obstacle that does not move are missing.
    pub nodes: Vec<(usize, f64)>,
    /// The direction in which the gap opens, of unit length.
    pub normal: Vec3,
    /// The force (N) of the barrier along it, positive.
    pub force: f64,
    /// The coefficient of restitution (dimensionless), from 0 to 1.
    pub restitution: f64,
    /// The coefficient of friction (dimensionless).
    pub friction: f64,
    /// The bodies that exchange the force: the same twice against an obstacle.
    pub bodies: [usize; 2],
}

impl Impact {
    /// The relative velocity (m/s) across the normal while nodes move at `v` (m/s).
    pub fn slip(&self, v: impl Fn(usize) -> Vec3) -> Vec3 {
        let relative: Vec3 = self.nodes.iter().map(|&(node, weight)| weight * v(node)).sum();
        relative - self.normal * self.normal.dot(relative)
    }

    /// The rate (m/s) at which the gap opens while nodes move at `v` (m/s); of accelerations (m/s^2) that of the rate.
    pub fn opening(&self, v: impl Fn(usize) -> Vec3) -> f64 {
        self.nodes.iter().map(|&(node, weight)| weight * self.normal.dot(v(node))).sum()
    }
}
