//! Deformation of a rotating body within a step.

use crate::rigid::inertia::{Shape, tensor};
use resile_math::{Mat3, Vec3, cholesky, outer};

/// Deformation of a body at constant rate.
///
/// Inertia and centrifugal forces of a vibrating body follow its shape. With the shape of the start of a step, they would
/// lag behind a vibration by half a step on average and excite it (`free_flight.rs`).
#[derive(Debug, Clone)]
pub(crate) struct Deformation {
    /// Nodal velocities (m/s) at the start less those of the rigid motion with their momenta.
    velocities: Vec<Vec3>,
    /// The inertia tensor (kg m^2) about the centre after `t` seconds is `sum_k inertia[k] t^k`, in the orientation of
    /// the start.
    inertia: [Mat3; 3],
}

impl Deformation {
    /// The deformation of a body with the `shape` and the nodal velocities `v` (m/s). O(nodes).
    pub(crate) fn new(shape: &Shape, v: &[Vec3]) -> Self {
        let mut velocities = v.to_vec();
        shape.remove_motion(&mut velocities);
        let nodes = || shape.masses.iter().zip(shape.arms.iter().zip(&velocities));
        let rate = nodes().fold(Mat3::ZERO, |sum, (mass, (arm, velocity))| {
            let trace = Mat3::from_diagonal(Vec3::splat(2.0 * arm.dot(*velocity)));
            sum + *mass * (trace - outer(*arm, *velocity) - outer(*velocity, *arm))
        });
        let quadratic = tensor(nodes().map(|(mass, (_, velocity))| (*mass, *velocity)));
        Self { inertia: [shape.inertia, rate, quadratic], velocities }
    }

    /// The displacement (m) of node `k` after `t` seconds, in the orientation of the start.
    pub(crate) fn displacement(&self, k: usize, t: f64) -> Vec3 {
        t * self.velocities[k]
    }

    /// The inverse (1/(kg m^2)) of the inertia tensor about the centre after `t` seconds, in the orientation of the start;
    /// `None` if it is singular.
    pub(crate) fn compliance_after(&self, t: f64) -> Option<Mat3> {
        let [constant, rate, quadratic] = self.inertia;
        let inertia = constant + t * (rate + t * quadratic);
        cholesky(inertia).map(|_| inertia.inverse())
    }
}
