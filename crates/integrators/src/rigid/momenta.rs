//! Rigid motions of a body and the momenta that they have.

use resile_math::{Mat3, Vec3, outer};

/// Regularisation of the moments of inertia, relative to the trace: a straight rod has none about its axis.
const SLENDER: f64 = 1e-12;

/// The rigid motions of a body.
pub(crate) struct Rigid {
    mass: f64,
    /// Positions relative to the centre of mass (m).
    arms: Vec<Vec3>,
    /// The inverse of the tensor of inertia about it (1/(kg m^2)); zero for a point.
    compliance: Mat3,
}

impl Rigid {
    pub(crate) fn of(masses: &[f64], x: &[Vec3]) -> Self {
        let mass: f64 = masses.iter().sum();
        let centre = masses.iter().zip(x).map(|(m, x)| *m * *x).sum::<Vec3>() / mass;
        let arms: Vec<Vec3> = x.iter().map(|x| *x - centre).collect();
        let mut inertia = Mat3::ZERO;
        for (m, arm) in masses.iter().zip(&arms) {
            let square = Mat3::from_diagonal(Vec3::splat(arm.length_squared()));
            inertia += *m * (square - outer(*arm, *arm));
        }
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let compliance = match trace > 0.0 {
            true => (inertia + Mat3::from_diagonal(Vec3::splat(SLENDER * trace))).inverse(),
            false => Mat3::ZERO,
        };
        Self { mass, arms, compliance }
    }

    /// Removes from `field` the rigid motion with all of its momentum and angular momentum, and returns that motion.
    pub(crate) fn take_from(&self, masses: &[f64], field: &mut [Vec3]) -> Vec<Vec3> {
        let mut taken = vec![Vec3::ZERO; field.len()];
        // The second pass removes rounding errors of the first one.
        for _ in 0..2 {
            let momentum: Vec3 = masses.iter().zip(&*field).map(|(m, v)| *m * *v).sum();
            let drift = momentum / self.mass;
            let about = masses.iter().zip(self.arms.iter().zip(&*field));
            let angular: Vec3 = about.map(|(m, (arm, v))| *m * arm.cross(*v - drift)).sum();
            let spin = self.compliance * angular;
            for ((taken, v), arm) in taken.iter_mut().zip(&mut *field).zip(&self.arms) {
                let part = drift + spin.cross(*arm);
                *taken += part;
                *v -= part;
            }
        }
        taken
    }
}
