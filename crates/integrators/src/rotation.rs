//! The free motion of a rigid body.
//!
//! Without torque the angular momentum `L` of a rigid body is constant, so its angular velocity
//! follows from where it has turned to (Landau and Lifshitz, *Mechanics*, sections 33 and 36):
//!
//! ```text
//! R' = [omega] R,   omega = R I_0^-1 R^T L,   alpha = I^-1 (L x omega),   I = R I_0 R^T
//! ```
//!
//! The momentum is exact, because it is a constant of these equations. `R` is found by the
//! classical Runge-Kutta method in parts of a turn so short that its error is near rounding.

use crate::free_flight::Turned;
use resile_math::{Mat3, Vec3, cholesky, cross_matrix, outer};

/// The angle (rad) of one part: the error of a part is some `1e-2^5 / 120`.
const PART: f64 = 1e-2;

/// Parts at most, for bodies that turn many times in one step: no method follows these.
const MOST_PARTS: f64 = 1e4;

/// The angle (rad) of a step below which a path is straight to rounding.
const STRAIGHT: f64 = 1e-9;

/// Masses on arms from their centre, and the axes in which they lie.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// (kg).
    masses: Vec<f64>,
    /// From the centre of mass (m).
    arms: Vec<Vec3>,
    /// The inverse of the tensor of inertia about it (1/(kg m^2)).
    compliance: Mat3,
    /// From the axes of the shape it was before.
    rotation: Mat3,
}

/// A field on the nodes of a body, split in the inner product of the masses.
struct Parts {
    translation: Vec3,
    momentum: Vec3,
    /// What is neither a translation nor a rotation.
    strain: Vec<Vec3>,
}

impl Shape {
    /// Nothing if the masses lie on a line, or are one point.
    pub(crate) fn new(masses: &[f64], x: &[Vec3]) -> Option<Self> {
        let centre = mean(masses, x);
        let arms: Vec<Vec3> = x.iter().map(|x| *x - centre).collect();
        let mut inertia = Mat3::ZERO;
        for (m, arm) in masses.iter().zip(&arms) {
            let square = Mat3::from_diagonal(Vec3::splat(arm.length_squared()));
            inertia += *m * (square - outer(*arm, *arm));
        }
        let (masses, rotation) = (masses.to_vec(), Mat3::IDENTITY);
        let compliance = inertia.inverse();
        cholesky(inertia).map(|_| Self { masses, arms, compliance, rotation })
    }

    /// The same masses at `x`; where these have no shape, the shape it is.
    pub(crate) fn at(&self, x: &[Vec3]) -> Self {
        Self::new(&self.masses, x).unwrap_or_else(|| self.clone())
    }

    fn turned(&self, rotation: Mat3) -> Self {
        let arms = self.arms.iter().map(|arm| rotation * *arm).collect();
        let compliance = rotation * self.compliance * rotation.transpose();
        Self { masses: self.masses.clone(), arms, compliance, rotation }
    }

    /// The angular momentum about the centre (kg m^2/s) of the velocities `v`.
    pub(crate) fn momentum(&self, v: &[Vec3]) -> Vec3 {
        // About the centre the mean has no momentum but rounding, which grows with it.
        let drift = mean(&self.masses, v);
        let nodes = self.masses.iter().zip(self.arms.iter().zip(v));
        nodes.map(|(m, (arm, v))| *m * arm.cross(*v - drift)).sum()
    }

    /// Adds the rotation with which the velocities `v` have this momentum (kg m^2/s).
    pub(crate) fn give_momentum(&self, momentum: Vec3, v: &mut [Vec3]) {
        let spin = self.compliance * (momentum - self.momentum(v));
        v.iter_mut().zip(&self.arms).for_each(|(v, arm)| *v += spin.cross(*arm));
    }

    fn split(&self, field: &[Vec3]) -> Parts {
        let (translation, momentum) = (mean(&self.masses, field), self.momentum(field));
        let spin = self.compliance * momentum;
        let strain =
            field.iter().zip(&self.arms).map(|(f, arm)| *f - translation - spin.cross(*arm));
        Parts { translation, momentum, strain: strain.collect() }
    }

    /// A field on this body carried along to where it has turned `to`, or from there back:
    /// translations and angular momenta stay as they are, strains turn.
    pub(crate) fn carry(&self, field: &[Vec3], to: &Self) -> Vec<Vec3> {
        let Parts { translation, momentum, strain } = self.split(field);
        let (spin, turn) = (to.compliance * momentum, to.rotation * self.rotation.transpose());
        let node = |(strain, arm): (&Vec3, &Vec3)| translation + spin.cross(*arm) + turn * *strain;
        strain.iter().zip(&to.arms).map(node).collect()
    }
}

fn mean(masses: &[f64], of: &[Vec3]) -> Vec3 {
    let whole: f64 = masses.iter().sum();
    masses.iter().zip(of).map(|(m, v)| *m * *v).sum::<Vec3>() / whole
}

/// A rigid body that turns freely.
#[derive(Debug, Clone)]
pub(crate) struct RigidMotion {
    shape: Shape,
    /// At the start: the centre of mass (m) and its velocity (m/s).
    centre: [Vec3; 2],
    /// Angular momentum about the centre (kg m^2/s).
    momentum: Vec3,
}

impl RigidMotion {
    /// The rigid motion that has the shape and the momentum of these masses. Nothing if they
    /// do not turn by a visible angle within `h` seconds.
    pub(crate) fn of(masses: &[f64], x: &[Vec3], v: &[Vec3], h: f64) -> Option<Self> {
        let shape = Shape::new(masses, x)?;
        let momentum = shape.momentum(v);
        let motion = Self { shape, centre: [mean(masses, x), mean(masses, v)], momentum };
        let angle = motion.angle(h);
        (angle.is_finite() && angle > STRAIGHT).then_some(motion)
    }

    /// The angle (rad) by which the body begins to turn, times a time `t` (s).
    pub(crate) fn angle(&self, t: f64) -> f64 {
        self.spin(Mat3::IDENTITY).length() * t.abs()
    }

    /// The angular velocity (rad/s) of the body turned by `rotation`.
    fn spin(&self, rotation: Mat3) -> Vec3 {
        rotation * (self.shape.compliance * (rotation.transpose() * self.momentum))
    }

    /// Where the body has turned to after `t` seconds, which may be negative.
    fn rotation_after(&self, t: f64) -> Mat3 {
        let parts = (self.angle(t) / PART).ceil().clamp(1.0, MOST_PARTS);
        let dt = t / parts;
        let rate = |rotation: Mat3| cross_matrix(self.spin(rotation)) * rotation;
        let mut rotation = Mat3::IDENTITY;
        for _ in 0..parts as usize {
            let first = rate(rotation);
            let second = rate(rotation + first * (0.5 * dt));
            let third = rate(rotation + second * (0.5 * dt));
            let fourth = rate(rotation + third * dt);
            rotation += (first + 2.0 * (second + third) + fourth) * (dt / 6.0);
            // One step towards the nearest rotation (Higham 1986): its error is that squared.
            rotation = 0.5 * rotation * (Mat3::IDENTITY * 3.0 - rotation.transpose() * rotation);
        }
        rotation
    }

    /// The body after `t` seconds. O(nodes), and 100 parts for each radian.
    pub(crate) fn after(&self, t: f64) -> Turned {
        let after = self.shape.turned(self.rotation_after(t));
        let (before, spin) = (self.spin(Mat3::IDENTITY), after.compliance * self.momentum);
        let change = after.compliance * self.momentum.cross(spin);
        let [centre, drift] = self.centre;
        let rates = |spin: Vec3, arms: &[Vec3]| -> Vec<Vec3> {
            arms.iter().map(|arm| drift + spin.cross(*arm)).collect()
        };
        let start_rates = rates(before, &self.shape.arms);
        let end_rates = rates(spin, &after.arms);
        let places = |arms: &[Vec3]| arms.iter().map(|arm| centre + *arm).collect::<Vec<_>>();
        let mut straight = places(&self.shape.arms);
        straight.iter_mut().zip(&start_rates).for_each(|(x, v)| *x += t * *v);
        let mut turned = places(&after.arms);
        turned.iter_mut().for_each(|x| *x += t * drift);
        let centripetal =
            |(arm, rate): (&Vec3, &Vec3)| change.cross(*arm) + spin.cross(*rate - drift);
        let accelerations = after.arms.iter().zip(&end_rates).map(centripetal).collect();
        Turned {
            before: self.shape.clone(),
            after,
            straight: [straight, start_rates],
            motion: [turned, end_rates, accelerations],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASSES: [f64; 4] = [1.0, 2.0, 0.5, 1.5];
    const X: [Vec3; 4] = [
        Vec3::new(0.3, -0.1, 0.2),
        Vec3::new(-0.2, 0.4, 0.1),
        Vec3::new(0.1, 0.2, -0.5),
        Vec3::new(-0.1, -0.3, 0.05),
    ];

    /// Velocities of a rigid body that turns about no principal axis.
    fn velocities() -> [Vec3; 4] {
        let (spin, drift) = (Vec3::new(3.0, -7.0, 5.0), Vec3::new(10.0, 2.0, -1.0));
        X.map(|x| drift + spin.cross(x))
    }

    fn momentum(x: &[Vec3], v: &[Vec3]) -> Vec3 {
        (0..4).map(|k| MASSES[k] * x[k].cross(v[k])).sum()
    }

    fn kinetic(v: &[Vec3]) -> f64 {
        (0..4).map(|k| 0.5 * MASSES[k] * v[k].length_squared()).sum()
    }

    #[test]
    fn momentum_energy_and_shape_are_kept_forwards_and_backwards() {
        let v = velocities();
        let motion = RigidMotion::of(&MASSES, &X, &v, 0.1).unwrap();
        for t in [-0.7, 0.01, 0.3, 5.0] {
            let Turned { motion: [x, rate, _], .. } = motion.after(t);
            let drift = (momentum(&x, &rate) - momentum(&X, &v)).length();
            assert!(drift < 1e-9 * momentum(&X, &v).length(), "{t} s: momentum off by {drift:e}");
            let gain = kinetic(&rate) / kinetic(&v) - 1.0;
            assert!(gain.abs() < 1e-9, "{t} s: energy off by {gain:e}");
            let stretch = (x[0] - x[1]).length() / (X[0] - X[1]).length() - 1.0;
            assert!(stretch.abs() < 1e-14, "{t} s: stretched by {stretch:e}");
        }
    }

    #[test]
    fn velocities_and_accelerations_are_derivatives() {
        let motion = RigidMotion::of(&MASSES, &X, &velocities(), 0.1).unwrap();
        let (t, dt) = (0.37, 1e-5);
        let [before, here, after] = [t - dt, t, t + dt].map(|t| motion.after(t).motion);
        for k in 0..4 {
            let rate = (after[0][k] - before[0][k]) / (2.0 * dt);
            assert!((rate - here[1][k]).length() < 1e-8 * here[1][k].length(), "velocity of {k}");
            let rate = (after[1][k] - before[1][k]) / (2.0 * dt);
            let off = (rate - here[2][k]).length();
            assert!(off < 1e-8 * here[2][k].length(), "acceleration of {k}");
        }
    }

    #[test]
    fn what_is_carried_along_comes_back_and_keeps_its_momentum() {
        let Turned { before, after, .. } =
            RigidMotion::of(&MASSES, &X, &velocities(), 0.1).unwrap().after(0.2);
        let field = [Vec3::X, Vec3::new(0.5, -2.0, 1.0), Vec3::Z, Vec3::new(-1.0, 0.3, 4.0)];
        let there = before.carry(&field, &after);
        let off = (after.momentum(&there) - before.momentum(&field)).length();
        assert!(off < 1e-13 * before.momentum(&field).length(), "momentum off by {off:e}");
        let back = after.carry(&there, &before);
        for k in 0..4 {
            assert!((back[k] - field[k]).length() < 1e-14 * 5.0, "node {k}: {}", back[k]);
        }
        assert!((there[1] - field[1]).length() > 0.1, "nothing turned");
    }

    #[test]
    fn a_body_that_does_not_turn_has_no_motion_of_its_own() {
        let still = [Vec3::new(3.0, 4.0, 5.0); 4];
        assert!(RigidMotion::of(&MASSES, &X, &still, 1.0).is_none());
        let line = [0.0, 1.0, 2.0, 3.0].map(|x| Vec3::new(x, 0.0, 0.0));
        assert!(RigidMotion::of(&MASSES, &line, &velocities(), 1.0).is_none());
    }
}
