//! Motion of a rigid body without torque, and about a support.
//!
//! Without torque the angular momentum `L` of a rigid body is constant, so its angular velocity follows from its
//! orientation `R` (Landau and Lifshitz, *Mechanics*, sections 33 and 36):
//!
//! ```text
//! R' = [omega] R,   omega = R I_0^-1 R^T L,   alpha = I^-1 (L x omega),   I = R I_0 R^T
//! ```
//!
//! The momentum is exact, because it is a constant of these equations. `R` is integrated with the classical Runge-Kutta
//! method in steps so short that the error is near rounding.
//!
//! About a fixed point, `I_0` and `L` are those about the point, and the weight has a moment about it, `L' = R c x m g`,
//! with `c` from the point to the centre. About an axis `n` the same equations hold with `n n^T / (n . I_0 n)` for the
//! inverse of `I_0`.

use crate::rigid::deformation::Deformation;
use crate::rigid::frame::{Fall, RigidPath, RotatedBody, StraightPath};
use crate::rigid::inertia::{Shape, mean};
use resile_math::{Mat3, Vec3, cholesky, cross_matrix, outer};

/// Angle (rad) of one step of integration, whose error is about `1e-2^5 / 120`.
const SUBSTEP_ANGLE: f64 = 1e-2;

/// Maximum number of steps, for bodies with many revolutions per time step, which no method resolves.
const MAX_SUBSTEPS: f64 = 1e4;

/// Angle a (rad) of a time step below which a path is straight within rounding: an arc deviates from its chord by `a^2
/// / 8` of its radius, here 1e-19.
const MIN_ANGLE: f64 = 1e-9;

/// The point or axis about which a body rotates.
#[derive(Debug, Clone)]
pub(crate) enum Support {
    /// The centre of mass.
    Free,
    /// A point (m) of the body with constant velocity.
    Point(Vec3),
    /// The axis through a point (m) of the body with constant velocity, along the unit vector `direction`.
    Axis { point: Vec3, direction: Vec3 },
}

/// A rigid body that rotates freely, or about a support in a uniform field.
#[derive(Debug, Clone)]
pub(crate) struct RigidMotion {
    shape: Shape,
    /// Position (m) of the support at the start: the centre of mass, the point, or the point on the axis.
    support_position: Vec3,
    /// Constant velocity of the support (m/s).
    support_velocity: Vec3,
    /// Vector from the support to the centre of mass (m).
    lever: Vec3,
    /// Maps angular momenta about the support to angular velocities (1/(kg m^2)).
    compliance: Mat3,
    /// Angular momentum about the support (kg m^2/s).
    momentum: Vec3,
    is_supported: bool,
    /// Weight (N) on a support; zero without one.
    weight: Vec3,
    /// Deformation at the rate of the start, if it is taken into account.
    deformation: Option<Deformation>,
}

/// Orientation and angular momentum of a rigid body, or their time derivatives.
#[derive(Clone, Copy)]
struct Orientation {
    rotation: Mat3,
    /// Angular momentum about the support (kg m^2/s).
    momentum: Vec3,
}

impl Orientation {
    /// The explicit Euler step of `t` seconds with the time derivatives `rate`.
    fn advanced(self, rate: Self, t: f64) -> Self {
        let rotation = self.rotation + rate.rotation * t;
        Self { rotation, momentum: self.momentum + rate.momentum * t }
    }
}

impl RigidMotion {
    /// The rigid motion with the mass distribution of nodes with `masses` (kg) at `x` (m), and the momenta that they have
    /// with the velocities `v` (m/s); about an axis only the component of the angular momentum along it. A supported
    /// body is subject to the uniform `field` (m/s^2). `None` if the rotation within `h` seconds is negligible, or if
    /// the inertia about the centre or the support is singular.
    pub(crate) fn new(
        masses: &[f64],
        x: &[Vec3],
        v: &[Vec3],
        h: f64,
        support: &Support,
        field: Vec3,
    ) -> Option<Self> {
        let shape = Shape::new(masses, x)?;
        let central_momentum = shape.momentum(v);
        let spin = shape.compliance * central_momentum;
        let centre = mean(masses, x);
        let free = Self {
            support_position: centre,
            support_velocity: mean(masses, v),
            lever: Vec3::ZERO,
            compliance: shape.compliance,
            momentum: central_momentum,
            weight: Vec3::ZERO,
            is_supported: false,
            deformation: None,
            shape,
        };
        let weight = masses.iter().sum::<f64>() * field;
        let motion = match *support {
            Support::Free => free,
            Support::Point(point) => {
                let inertia = free.shape.inertia_about(centre - point);
                cholesky(inertia)?;
                let (compliance, momentum) = (inertia.inverse(), inertia * spin);
                Self { compliance, momentum, ..free.about(point, spin, weight) }
            }
            Support::Axis { point, direction } => {
                let inertia = direction.dot(free.shape.inertia_about(centre - point) * direction);
                let compliance = outer(direction, direction) * inertia.recip();
                let momentum = inertia * spin.dot(direction) * direction;
                Self { compliance, momentum, ..free.about(point, spin, weight) }
            }
        };
        let angle = motion.angle(h);
        (angle.is_finite() && angle > MIN_ANGLE).then_some(motion)
    }

    /// This free motion with its centre of rotation at `point` (m) and the `weight` (N), for the angular velocity `spin`
    /// (rad/s). The caller replaces compliance and momentum, which remain those about the centre of mass.
    fn about(self, point: Vec3, spin: Vec3, weight: Vec3) -> Self {
        let lever = self.support_position - point;
        let support_velocity = self.support_velocity - spin.cross(lever);
        Self {
            support_position: point,
            support_velocity,
            lever,
            weight,
            is_supported: true,
            ..self
        }
    }

    /// The motion of a body that deforms at the rate of its nodal velocities `v` (m/s), if it is free.
    #[must_use]
    pub(crate) fn deforming(self, v: &[Vec3]) -> Self {
        let deformation = (!self.is_supported).then(|| Deformation::new(&self.shape, v));
        Self { deformation, ..self }
    }

    /// A bound on the angle (rad) of rotation in a time `t` (s): that of the initial angular velocity, plus `t^2` times
    /// the initial angular acceleration by weight.
    pub(crate) fn angle(&self, t: f64) -> f64 {
        let spin = self.compliance * self.momentum;
        let gained_spin = self.compliance * self.lever.cross(self.weight) * t;
        (spin.length() + gained_spin.length()) * t.abs()
    }

    /// The largest distance of `points` (m) from the axis of rotation through the centre, `t` seconds after
    /// the start, in radii of gyration at the start; infinite if the body does not rotate at the start.
    pub(crate) fn axis_distance(&self, t: f64, points: &[Vec3]) -> f64 {
        let (initial_spin, orientation) =
            (self.compliance * self.momentum, self.orientation_after(t));
        let Some(initial_axis) = initial_spin.try_normalize() else { return f64::INFINITY };
        let mass: f64 = self.shape.masses.iter().sum();
        let gyration = (initial_axis.dot(self.shape.inertia * initial_axis) / mass).sqrt();
        let centre =
            self.support_position + t * self.support_velocity + orientation.rotation * self.lever;
        let axis = self.spin(t, orientation).normalize();
        let distance = |point: &Vec3| (*point - centre).cross(axis).length();
        points.iter().map(distance).fold(0.0, f64::max) / gyration
    }

    /// The phase (rad) of the oscillation of the body on its support in a time `t` (s), at least the angle of its
    /// rotation.
    pub(crate) fn phase(&self, t: f64) -> f64 {
        let compliance_norm =
            self.compliance.to_cols_array().iter().map(|c| c * c).sum::<f64>().sqrt();
        let squared_frequency = compliance_norm * self.lever.length() * self.weight.length();
        self.angle(t).max(squared_frequency.sqrt() * t.abs())
    }

    /// Ratio of the kinetic energy of the support's motion to that of the rotation about it.
    pub(crate) fn support_energy_ratio(&self) -> f64 {
        let mass: f64 = self.shape.masses.iter().sum();
        mass * self.support_velocity.length_squared()
            / self.momentum.dot(self.compliance * self.momentum)
    }

    /// Maps angular momenta to angular velocities (1/(kg m^2)) after `t` seconds, in the orientation of the start.
    fn compliance_after(&self, t: f64) -> Mat3 {
        let deformed = self.deformation.as_ref().and_then(|body| body.compliance_after(t));
        deformed.unwrap_or(self.compliance)
    }

    /// The angular velocity (rad/s) at an orientation of the body, `t` seconds after the start.
    fn spin(&self, t: f64, Orientation { rotation, momentum }: Orientation) -> Vec3 {
        rotation * (self.compliance_after(t) * (rotation.transpose() * momentum))
    }

    /// The moment of the weight about the support (N m).
    fn torque(&self, rotation: Mat3) -> Vec3 {
        (rotation * self.lever).cross(self.weight)
    }

    /// The orientation after `t` seconds, which may be negative, by the classical Runge-Kutta method.
    fn orientation_after(&self, t: f64) -> Orientation {
        let substeps = (self.phase(t) / SUBSTEP_ANGLE).ceil().clamp(1.0, MAX_SUBSTEPS);
        let dt = t / substeps;
        let rate = |t: f64, orientation: Orientation| Orientation {
            rotation: cross_matrix(self.spin(t, orientation)) * orientation.rotation,
            momentum: self.torque(orientation.rotation),
        };
        let mut orientation = Orientation { rotation: Mat3::IDENTITY, momentum: self.momentum };
        for k in 0..substeps as usize {
            let start = k as f64 * dt;
            let (middle, end) = (start + 0.5 * dt, start + dt);
            let first = rate(start, orientation);
            let second = rate(middle, orientation.advanced(first, 0.5 * dt));
            let third = rate(middle, orientation.advanced(second, 0.5 * dt));
            let fourth = rate(end, orientation.advanced(third, dt));
            let torques =
                first.momentum + 2.0 * (second.momentum + third.momentum) + fourth.momentum;
            let rates = first.rotation + 2.0 * (second.rotation + third.rotation) + fourth.rotation;
            let unnormalised = orientation.rotation + rates * (dt / 6.0);
            // A Newton-Schulz step towards the nearest rotation squares the deviation from orthogonality (Higham 1986).
            let rotation = 0.5
                * unnormalised
                * (Mat3::IDENTITY * 3.0 - unnormalised.transpose() * unnormalised);
            let momentum = orientation.momentum + torques * (dt / 6.0);
            orientation = Orientation { rotation, momentum };
        }
        orientation
    }

    /// The accelerations (m/s^2) of the nodes of the rigid body with the shape and orientation after `t` seconds.
    fn accelerations_after(&self, t: f64, orientation: Orientation) -> Vec<Vec3> {
        let Orientation { rotation, momentum } = orientation;
        let spin = self.spin(t, orientation);
        let torque = self.torque(rotation) + momentum.cross(spin);
        let compliance = rotation * self.compliance_after(t) * rotation.transpose();
        let angular_acceleration = compliance * torque;
        let arm = |k: usize| {
            let strain_displacement =
                self.deformation.as_ref().map_or(Vec3::ZERO, |body| body.displacement(k, t));
            rotation * (self.lever + self.shape.arms[k] + strain_displacement)
        };
        let acceleration =
            |arm: Vec3| angular_acceleration.cross(arm) + spin.cross(spin.cross(arm));
        (0..self.shape.arms.len()).map(|k| acceleration(arm(k))).collect()
    }

    /// The rigid body and its motion `t` seconds after the start, which may be negative, with a straight path for
    /// comparison. O(nodes), and 100 substeps per radian.
    pub(crate) fn body_after(&self, t: f64) -> RotatedBody {
        let start = Orientation { rotation: Mat3::IDENTITY, momentum: self.momentum };
        let orientation = self.orientation_after(t);
        let end_shape = self.shape.rotated(orientation.rotation);
        let compliance = orientation.rotation * self.compliance * orientation.rotation.transpose();
        let (start_spin, spin) = (self.spin(0.0, start), compliance * orientation.momentum);
        let (point, drift) = (self.support_position, self.support_velocity);
        // Vectors from the support to the nodes.
        let arms_from_support = |shape: &Shape, rotation: Mat3| -> Vec<Vec3> {
            let lever = rotation * self.lever;
            shape.arms.iter().map(|arm| lever + *arm).collect()
        };
        let start_arms = arms_from_support(&self.shape, Mat3::IDENTITY);
        let end_arms = arms_from_support(&end_shape, orientation.rotation);
        let rigid_velocities = |spin: Vec3, arms: &[Vec3]| -> Vec<Vec3> {
            arms.iter().map(|arm| drift + spin.cross(*arm)).collect()
        };
        let start_velocities = rigid_velocities(start_spin, &start_arms);
        let end_velocities = rigid_velocities(spin, &end_arms);
        let position_of = |arm: &Vec3| point + *arm;
        let mut straight_positions: Vec<Vec3> = start_arms.iter().map(position_of).collect();
        straight_positions.iter_mut().zip(&start_velocities).for_each(|(x, v)| *x += t * *v);
        let positions = end_arms.iter().map(|arm| position_of(arm) + t * drift).collect();
        let accelerations = self.accelerations_after(t, orientation);
        let support_velocity = self.is_supported.then_some(drift);
        let torque = support_velocity.map_or(Vec3::ZERO, |_| end_shape.momentum(&accelerations));
        RotatedBody {
            shape_at_start: self.shape.clone(),
            shape_now: end_shape,
            straight: StraightPath { positions: straight_positions, velocities: start_velocities },
            motion: RigidPath { positions, velocities: end_velocities, accelerations },
            spin,
            torque,
            support_velocity,
            time: t,
            fall: Fall::default(),
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

    /// Velocities of a rigid body that rotates about no principal axis.
    fn velocities() -> [Vec3; 4] {
        let (spin, drift) = (Vec3::new(3.0, -7.0, 5.0), Vec3::new(10.0, 2.0, -1.0));
        X.map(|x| drift + spin.cross(x))
    }

    fn free(v: &[Vec3], h: f64) -> Option<RigidMotion> {
        RigidMotion::new(&MASSES, &X, v, h, &Support::Free, Vec3::ZERO)
    }

    fn momentum(x: &[Vec3], v: &[Vec3]) -> Vec3 {
        (0..4).map(|k| MASSES[k] * x[k].cross(v[k])).sum()
    }

    fn kinetic(v: &[Vec3]) -> f64 {
        (0..4).map(|k| 0.5 * MASSES[k] * v[k].length_squared()).sum()
    }

    #[test]
    fn free_rotation_conserves_momentum_energy_and_shape_in_both_directions() {
        let v = velocities();
        let motion = free(&v, 0.1).unwrap();
        for t in [-0.7, 0.01, 0.3, 5.0] {
            let RigidPath { positions: x, velocities, .. } = motion.body_after(t).motion;
            let drift = (momentum(&x, &velocities) - momentum(&X, &v)).length();
            assert!(drift < 1e-9 * momentum(&X, &v).length(), "{t} s: momentum off by {drift:e}");
            let gain = kinetic(&velocities) / kinetic(&v) - 1.0;
            assert!(gain.abs() < 1e-9, "{t} s: energy off by {gain:e}");
            let stretch = (x[0] - x[1]).length() / (X[0] - X[1]).length() - 1.0;
            assert!(stretch.abs() < 1e-14, "{t} s: stretched by {stretch:e}");
        }
    }

    #[test]
    fn rotation_velocities_and_accelerations_are_derivatives() {
        let motion = free(&velocities(), 0.1).unwrap();
        let (t, dt) = (0.37, 1e-5);
        let [before, now, after] = [t - dt, t, t + dt].map(|t| motion.body_after(t).motion);
        for k in 0..4 {
            let rate = (after.positions[k] - before.positions[k]) / (2.0 * dt);
            let v = now.velocities[k];
            assert!((rate - v).length() < 1e-8 * v.length(), "velocity of {k}");
            let rate = (after.velocities[k] - before.velocities[k]) / (2.0 * dt);
            let a = now.accelerations[k];
            assert!((rate - a).length() < 1e-8 * a.length(), "acceleration of {k}");
        }
    }

    /// With a fixed point and with a fixed axis in a field: the support moves uniformly, the energy is conserved, and
    /// velocities and accelerations are derivatives of the motion.
    #[test]
    fn supported_rotation_conserves_energy_and_moves_the_support_straight() {
        let (field, place) = (Vec3::new(0.5, -9.81, 2.0), Vec3::new(0.1, 0.3, -0.2));
        let axis = Vec3::new(0.6, 0.0, 0.8);
        for support in [Support::Point(place), Support::Axis { point: place, direction: axis }] {
            let motion =
                RigidMotion::new(&MASSES, &X, &velocities(), 0.1, &support, field).unwrap();
            let drift = motion.support_velocity;
            // In the frame of the support.
            let energy = |t: f64| {
                let RigidPath { positions: x, velocities, .. } = motion.body_after(t).motion;
                let relative_velocities: Vec<Vec3> =
                    velocities.iter().map(|v| *v - drift).collect();
                let potentials = (0..4).map(|k| -MASSES[k] * field.dot(x[k] - t * drift));
                kinetic(&relative_velocities) + potentials.sum::<f64>()
            };
            let whole = energy(0.0);
            let (t, dt) = (0.4, 1e-5);
            let change = (energy(t) - whole) / whole;
            assert!(change.abs() < 1e-9, "{support:?}: energy changes by {change:e}");
            let [before, now, after] = [t - dt, t, t + dt].map(|t| motion.body_after(t).motion);
            for (k, rest) in X.iter().enumerate() {
                let distance = (now.positions[k] - place - t * drift).length();
                let stretch = distance - (*rest - place).length();
                assert!(stretch.abs() < 1e-12, "{support:?}: {stretch:e} m away from the support");
                let rates = [
                    (&before.positions, &after.positions, &now.velocities),
                    (&before.velocities, &after.velocities, &now.accelerations),
                ];
                for (order, (before, after, expected)) in (1..).zip(rates) {
                    let rate = (after[k] - before[k]) / (2.0 * dt);
                    let error = (rate - expected[k]).length() / expected[k].length();
                    assert!(
                        error < 1e-7,
                        "{support:?}: derivative {order} of {k} off by {error:e}"
                    );
                }
            }
        }
    }

    /// The inertia of a deforming body is that of its deformed shape, and its accelerations are those of the rigid body
    /// with this shape.
    #[test]
    fn deforming_body_has_the_inertia_and_accelerations_of_its_shape() {
        let mut v = velocities();
        let strain_rates = [Vec3::X, Vec3::new(0.0, 0.4, -0.7), Vec3::Z * 0.3, -Vec3::Y];
        v.iter_mut().zip(strain_rates).for_each(|(v, rate)| *v += rate);
        let motion = free(&v, 0.1).unwrap().deforming(&v);
        let (t, shape) = (0.02, motion.shape.clone());
        let mut strain_velocities = v;
        shape.remove_motion(&mut strain_velocities);
        let deformed: Vec<Vec3> =
            shape.arms.iter().zip(strain_velocities).map(|(arm, w)| *arm + t * w).collect();
        let compliance = Shape::new(&MASSES, &deformed).unwrap().compliance;
        let error = motion.compliance_after(t) - compliance;
        assert!(error.to_cols_array().iter().all(|e| e.abs() < 1e-12), "{error}");
        let orientation = motion.orientation_after(t);
        let x: Vec<Vec3> = deformed.iter().map(|arm| orientation.rotation * *arm).collect();
        let (spin, dt) = (motion.spin(t, orientation), 1e-5);
        let rigid_velocities: Vec<Vec3> = x.iter().map(|x| spin.cross(*x)).collect();
        let rigid =
            RigidMotion::new(&MASSES, &x, &rigid_velocities, 0.1, &Support::Free, Vec3::ZERO)
                .unwrap();
        let [before, after] = [-dt, dt].map(|t| rigid.body_after(t).motion.velocities);
        for (k, a) in motion.body_after(t).motion.accelerations.iter().enumerate() {
            let rate = (after[k] - before[k]) / (2.0 * dt);
            assert!((rate - *a).length() < 1e-7 * a.length(), "node {k}: {rate} {a}");
        }
    }

    #[test]
    fn transported_vectors_return_and_keep_their_momentum() {
        let body = free(&velocities(), 0.1).unwrap().body_after(0.2);
        let RotatedBody { shape_at_start, shape_now, .. } = body;
        let field = [Vec3::X, Vec3::new(0.5, -2.0, 1.0), Vec3::Z, Vec3::new(-1.0, 0.3, 4.0)];
        let transported = shape_at_start.transport(&field, &shape_now);
        let momentum = shape_at_start.momentum(&field);
        let error = (shape_now.momentum(&transported) - momentum).length();
        assert!(error < 1e-13 * momentum.length(), "momentum off by {error:e}");
        let returned = shape_now.transport(&transported, &shape_at_start);
        for k in 0..4 {
            assert!((returned[k] - field[k]).length() < 1e-14 * 5.0, "node {k}: {}", returned[k]);
        }
        assert!((transported[1] - field[1]).length() > 0.1, "nothing turned");
    }

    #[test]
    fn body_without_rotation_has_no_free_motion() {
        let still = [Vec3::new(3.0, 4.0, 5.0); 4];
        assert!(free(&still, 1.0).is_none());
        let line = [0.0, 1.0, 2.0, 3.0].map(|x| Vec3::new(x, 0.0, 0.0));
        let (free, v) = (Support::Free, velocities());
        assert!(RigidMotion::new(&MASSES, &line, &v, 1.0, &free, Vec3::ZERO).is_none());
    }
}
