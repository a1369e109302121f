//! Inertia of rigid bodies: centre, inertia tensor, and the decomposition of nodal fields into translation, rotation
//! and strain.

use resile_math::elementary;
use resile_math::{Mat3, Vec3, cholesky, outer};

/// The mass distribution of a rigid body: masses and their positions relative to the centre.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// Masses of the nodes (kg).
    pub(crate) masses: Vec<f64>,
    /// The centre of mass (m).
    pub(crate) centre: Vec3,
    /// Vectors from the centre of mass to the nodes (m).
    pub(crate) arms: Vec<Vec3>,
    /// The inverse of the inertia tensor about the centre (1/(kg m^2)).
    pub(crate) compliance: Mat3,
    /// Rotation from the shape that [`rotated`](Self::rotated) was called on; the identity for other shapes.
    rotation: Mat3,
    /// The inertia tensor of the masses about the centre (kg m^2).
    pub(crate) inertia: Mat3,
}

/// The tensor of inertia (kg m^2) of masses (kg) on arms (m), about the point where the arms begin.
pub(crate) fn tensor(masses_and_arms: impl Iterator<Item = (f64, Vec3)>) -> Mat3 {
    masses_and_arms.fold(Mat3::ZERO, |sum, (mass, arm)| {
        let squared_length = Mat3::from_diagonal(Vec3::splat(arm.length_squared()));
        sum + mass * (squared_length - outer(arm, arm))
    })
}

/// Regularisation of the moments of inertia, relative to the trace: a straight rod has none about its axis.
const INERTIA_REGULARISATION: f64 = 1e-12;

/// The inverse (1/(kg m^2)) of a tensor of inertia, regularised so that a straight rod has one; `None` for a point.
pub(crate) fn compliance(inertia: Mat3) -> Option<Mat3> {
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let has_extent = trace > 0.0 && trace.is_finite();
    has_extent.then(|| {
        (inertia + Mat3::from_diagonal(Vec3::splat(INERTIA_REGULARISATION * trace))).inverse()
    })
}

/// The rigid motion that has the linear and angular momentum of a nodal field (velocities or displacements).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RigidField {
    /// The translation: the mean of the field, weighted by the masses.
    pub(crate) drift: Vec3,
    /// The angular momentum about the centre, in units of the field times kg m.
    pub(crate) momentum: Vec3,
    /// The angular velocity with this angular momentum, in units of the field per metre.
    pub(crate) spin: Vec3,
}

impl RigidField {
    /// The rigid field at a node with this arm (m).
    pub(crate) fn at_arm(&self, arm: Vec3) -> Vec3 {
        self.drift + self.spin.cross(arm)
    }
}

impl Shape {
    /// The mass distribution of any nodes with a regularised [`compliance`]. As [`new`](Self::new), but masses on a
    /// line are accepted, and masses at one point, which never rotate.
    pub(crate) fn regularised(masses: &[f64], x: &[Vec3]) -> Self {
        let mut shape = Self::about_centre(masses, x);
        shape.compliance = compliance(shape.inertia).unwrap_or(Mat3::ZERO);
        shape
    }

    /// The mass distribution with a compliance of zero, which the caller sets.
    fn about_centre(masses: &[f64], x: &[Vec3]) -> Self {
        let centre = mean(masses, x);
        let arms: Vec<Vec3> = x.iter().map(|x| *x - centre).collect();
        let inertia = tensor(masses.iter().copied().zip(arms.iter().copied()));
        let (masses, rotation) = (masses.to_vec(), Mat3::IDENTITY);
        Self { masses, centre, arms, compliance: Mat3::ZERO, rotation, inertia }
    }

    /// The mass distribution of nodes at `x` (m); `None` if the masses lie on a line or coincide.
    pub(crate) fn new(masses: &[f64], x: &[Vec3]) -> Option<Self> {
        let shape = Self::about_centre(masses, x);
        let compliance = shape.inertia.inverse();
        cholesky(shape.inertia).map(|_| Self { compliance, ..shape })
    }

    /// The mass distribution of the same masses at positions `x`; unchanged if these lie on a line or coincide.
    pub(crate) fn at_positions(&self, x: &[Vec3]) -> Self {
        Self::new(&self.masses, x).unwrap_or_else(|| self.clone())
    }

    /// The rotation from the shape that [`rotated`](Self::rotated) was called on.
    pub(crate) fn rotation(&self) -> Mat3 {
        self.rotation
    }

    /// The shape rotated about its centre.
    pub(crate) fn rotated(&self, rotation: Mat3) -> Self {
        let arms = self.arms.iter().map(|arm| rotation * *arm).collect();
        let compliance = rotation * self.compliance * rotation.transpose();
        let inertia = rotation * self.inertia * rotation.transpose();
        let (masses, centre) = (self.masses.clone(), self.centre);
        Self { masses, centre, arms, compliance, rotation, inertia }
    }

    /// The angular momentum about the centre (kg m^2/s) of the velocities `v`.
    pub(crate) fn momentum(&self, v: &[Vec3]) -> Vec3 {
        self.motion(v).momentum
    }

    /// The rigid motion with the momenta of a field.
    pub(crate) fn motion(&self, field: &[Vec3]) -> RigidField {
        // The mean has no moment about the centre except rounding, which grows with the mean.
        let drift = mean(&self.masses, field);
        let nodes = self.masses.iter().zip(self.arms.iter().zip(field));
        let momentum: Vec3 = nodes.map(|(m, (arm, v))| *m * arm.cross(*v - drift)).sum();
        RigidField { drift, momentum, spin: self.compliance * momentum }
    }

    /// Subtracts from `field` the rigid motion with all of its linear and angular momentum, and returns the nodal
    /// values of that motion.
    pub(crate) fn remove_motion(&self, field: &mut [Vec3]) -> Vec<Vec3> {
        let mut removed = vec![Vec3::ZERO; field.len()];
        // The second pass removes rounding errors of the first one.
        for _ in 0..2 {
            let motion = self.motion(field);
            for ((removed, v), arm) in removed.iter_mut().zip(&mut *field).zip(&self.arms) {
                let node_motion = motion.at_arm(*arm);
                *removed += node_motion;
                *v -= node_motion;
            }
        }
        removed
    }

    /// Adds a rotation to the velocities `v` such that their angular momentum becomes `momentum` (kg m^2/s).
    pub(crate) fn set_momentum(&self, momentum: Vec3, v: &mut [Vec3]) {
        let spin = self.compliance * (momentum - self.momentum(v));
        v.iter_mut().zip(&self.arms).for_each(|(v, arm)| *v += spin.cross(*arm));
    }

    /// The rotation in `t` seconds at the angular velocity of an angular momentum (kg m^2/s), taken as constant.
    pub(crate) fn rotation_in(&self, t: f64, momentum: Vec3) -> Mat3 {
        let rotation_vector = t * (self.compliance * momentum);
        let angle = rotation_vector.length();
        if angle == 0.0 {
            Mat3::IDENTITY
        } else {
            elementary::rotation(rotation_vector / angle, angle)
        }
    }

    /// The tensor of inertia (kg m^2) about a point from which the centre is at `lever` (m).
    pub(crate) fn inertia_about(&self, lever: Vec3) -> Mat3 {
        let mass: f64 = self.masses.iter().sum();
        let squared_length = Mat3::from_diagonal(Vec3::splat(lever.length_squared()));
        self.inertia + mass * (squared_length - outer(lever, lever))
    }

    /// Transports a nodal field from this orientation of the body to the orientation `to`. Translations and angular
    /// momenta do not change; strains rotate with the body. Both shapes must be rotations of the same shape.
    pub(crate) fn transport(&self, field: &[Vec3], to: &Self) -> Vec<Vec3> {
        let RigidField { drift, momentum, spin } = self.motion(field);
        let strains = field.iter().zip(&self.arms).map(|(f, arm)| *f - drift - spin.cross(*arm));
        let (spin, rotation) = (to.compliance * momentum, to.rotation * self.rotation.transpose());
        let transported =
            |(strain, arm): (Vec3, &Vec3)| drift + spin.cross(*arm) + rotation * strain;
        strains.zip(&to.arms).map(transported).collect()
    }
}

/// The mean of a field, weighted by the masses.
pub(crate) fn mean(masses: &[f64], field: &[Vec3]) -> Vec3 {
    let total: f64 = masses.iter().sum();
    masses.iter().zip(field).map(|(m, v)| *m * *v).sum::<Vec3>() / total
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dumbbell along x, of 2 kg and 3 kg, 0.5 m and 2 m from its middle.
    fn dumbbell() -> Mat3 {
        tensor([(2.0, Vec3::X * 0.5), (3.0, Vec3::X * -2.0)].into_iter())
    }

    #[test]
    fn inertia_tensor_equals_the_moments_about_the_axes() {
        assert_eq!(dumbbell(), Mat3::from_diagonal(Vec3::new(0.0, 12.5, 12.5)));
        let tilted = tensor([(2.0, Vec3::new(1.0, 2.0, 0.0))].into_iter());
        assert_eq!(tilted * Vec3::X, Vec3::new(8.0, -4.0, 0.0), "with its products");
    }

    #[test]
    fn rod_has_no_inertia_about_its_axis_and_a_point_none() {
        let turned = compliance(dumbbell()).expect("it has an extent") * Vec3::new(0.0, 12.5, 25.0);
        assert!((turned - Vec3::new(0.0, 1.0, 2.0)).length() < 1e-11, "{turned}");
        for inertia in [Mat3::ZERO, Mat3::from_diagonal(Vec3::splat(f64::NAN))] {
            assert_eq!(compliance(inertia), None);
        }
    }
}
