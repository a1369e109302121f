//! Rigid motions of a body and the momenta that they have.

use crate::rigid::inertia;
use resile_math::{Mat3, Vec3};

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
        let centre = inertia::mean(masses, x);
        let arms: Vec<Vec3> = x.iter().map(|x| *x - centre).collect();
        let inertia = inertia::tensor(masses.iter().copied().zip(arms.iter().copied()));
        let compliance = inertia::compliance(inertia).unwrap_or(Mat3::ZERO);
        Self { mass, arms, compliance }
    }

    /// Removes from `field` the rigid motion with all of its momentum and angular momentum, and returns that motion.
    pub(crate) fn remove_from(&self, masses: &[f64], field: &mut [Vec3]) -> Vec<Vec3> {
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
