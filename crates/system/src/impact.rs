//! Contacts with a coefficient of restitution.

use resile_math::{Mat3, Vec3};

/// How an impulse on a body changes its motion in the step of an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpulseResponse {
    /// The distance (m) from the contact within which the motion changes.
    pub reach: f64,
    /// The rotation, if the body responds as a rigid one.
    pub rotation: Option<RotationResponse>,
}

/// The rotation of a rigid body by an impulse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RotationResponse {
    /// The centre of mass (m).
    pub centre: Vec3,
    /// The inverse of the inertia tensor about the centre (1/(kg m^2)).
    pub compliance: Mat3,
}

/// An active pair of primitives with a coefficient of restitution, or a patch of such pairs of two bodies. Weights,
/// normal and coefficients of a patch are means over its pairs with the distribution of its impulse.
#[derive(Debug, Clone, PartialEq)]
pub struct Impact {
    /// The nodes of the pair (numbers of the system) with their weights in the relative velocity; nodes of fixed
    /// obstacles are omitted.
    pub nodes: Vec<(usize, f64)>,
    /// The unit normal in the direction of opening.
    pub normal: Vec3,
    /// The barrier force (N) along the normal, positive; the sum over the pairs of a patch.
    pub force: f64,
    /// The coefficient of restitution (dimensionless), from 0 to 1.
    pub restitution: f64,
    /// The coefficient of friction (dimensionless).
    pub friction: f64,
    /// The bodies that exchange the force; for an obstacle the same body twice.
    pub bodies: [usize; 2],
}

impl Impact {
    /// The tangential relative velocity (m/s) for nodal velocities `v` (m/s).
    pub fn slip(&self, v: impl Fn(usize) -> Vec3) -> Vec3 {
        let relative: Vec3 = self.nodes.iter().map(|&(node, weight)| weight * v(node)).sum();
        relative - self.normal * self.normal.dot(relative)
    }

    /// The normal opening velocity (m/s) for nodal velocities `v` (m/s), or acceleration (m/s^2) for accelerations.
    pub fn opening(&self, v: impl Fn(usize) -> Vec3) -> f64 {
        self.nodes.iter().map(|&(node, weight)| weight * self.normal.dot(v(node))).sum()
    }
}
