//! The rotation of bodies in a step, in which damping within bodies is evaluated.
//!
//! Stiffnesses and shapes are lagged at the start of a step. While a body turns by the angle `theta` in the step, the
//! lagged stiffness sees a strain rate of `theta / 2` times the angular velocity. This damps the rotation, and is
//! unstable for a stiff material under methods with an explicit stage. Damping is therefore evaluated in a frame that
//! rotates with the body.
//!
//! Stiff internal forces bring a body to the rigid position nearest to the target of its stage, which the frame of the
//! stage follows. Under implicit Euler the angle is smaller than the angular velocity times the step, by `theta^3 / 3`
//! for tangential velocities. In a frame at the larger angle the mean velocity has a radial component, by which damping
//! drives or brakes the rotation. The mean velocity of a step is the rotation field of the shape in the middle of the
//! step, `(R - 1) r / h = 2 sin(theta / 2) / h n x R^(1/2) r`.
//!
//! The stiffness of a stressed body is not zero for its rotation either: the rates of its internal forces are those of
//! forces that rotate with it. The rotation is therefore subtracted from the velocities.

use super::Step;
use crate::rigid::frame::{Frame, RotatedBody};
use crate::rigid::inertia::Shape;
use resile_math::{Mat3, Quat, Vec3, elementary, outer, polar};
use resile_system::{Body, CoRotation, DissipationFrame, System};
use std::sync::Arc;

/// The rotation of a body at the start of a step.
#[derive(Debug)]
pub(super) struct BodySpin {
    body: usize,
    /// Angular velocity (rad/s).
    spin: Vec3,
    /// Vectors from the centre of mass to the nodes at the start (m).
    arms: Vec<Vec3>,
}

impl BodySpin {
    /// The rotation in `time` seconds at constant angular velocity.
    fn rotation(&self, time: f64) -> Mat3 {
        match self.spin.length() {
            0.0 => Mat3::IDENTITY,
            speed => elementary::rotation(self.spin / speed, speed * time),
        }
    }

    /// The rotation that brings the body of `system` nearest to the positions `target` (m) of all nodes, in the inner
    /// product of the masses.
    fn rotation_towards(&self, system: &System, target: &[Vec3]) -> Mat3 {
        let (nodes, masses) = (system.nodes(self.body), system.masses());
        // The weighted sum of the arms is zero, so the mean of the targets does not count.
        let terms = nodes.zip(&self.arms).map(|(i, arm)| outer(masses[i] * target[i], *arm));
        polar::fitted_rotation(&terms.sum())
    }
}

impl Step<'_> {
    /// The rotations at the start of bodies without Dirichlet conditions; empty if no damping
    /// [rotates with its body](resile_system::DissipationPotential::rotates_with_body).
    pub(super) fn start_spins(&self) -> Vec<BodySpin> {
        if !self.dissipation.rotates_with_bodies() {
            return Vec::new();
        }
        let spin = |(index, body): (usize, &Body)| {
            if !body.prescribed.is_empty() || body.dissipations.is_empty() {
                return None;
            }
            let nodes = self.system.nodes(index);
            let masses = &self.system.masses()[nodes.clone()];
            let shape = Shape::regularised(masses, &self.state.positions[nodes.clone()]);
            let spin = shape.motion(&self.state.velocities[nodes]).spin;
            Some(BodySpin { body: index, spin, arms: shape.arms })
        };
        self.system.bodies().iter().enumerate().filter_map(spin).collect()
    }

    /// The rotation to the point at which velocities act that are straightened by `frame`: that of the frame for bodies
    /// of the frame; for others the rotation that brings them nearest to the positions `target` (m) of the stage without
    /// forces.
    pub(crate) fn rotation_of_straightened(
        &self,
        frame: &Frame,
        target: &[Vec3],
    ) -> Option<Arc<CoRotation>> {
        let motion = |body: &BodySpin| (body.rotation_towards(&self.system, target), body.spin);
        self.co_rotation(motion, frame, |body| &body.straight.velocities)
    }

    /// The rotation to the point at which velocities in space act: that of `frame` for bodies of the frame, and the
    /// rotation in `elapsed` seconds for others.
    pub(crate) fn rotation_in_space(&self, frame: &Frame, elapsed: f64) -> Option<Arc<CoRotation>> {
        let motion = |body: &BodySpin| (body.rotation(elapsed), body.spin);
        self.co_rotation(motion, frame, |body| &body.motion.velocities)
    }

    /// The rotation to the middle of the step, where its mean velocity acts, for a method that moves each body towards
    /// the positions `target` (m) at a `fraction` of the step: the rotation that fits them best, in that proportion.
    /// Bodies of `frame` have its rotation.
    pub(crate) fn rotation_of_mean_velocity(
        &self,
        frame: &Frame,
        target: &[Vec3],
        fraction: f64,
    ) -> Option<Arc<CoRotation>> {
        let motion = |body: &BodySpin| {
            let fitted = Quat::from_mat3(&body.rotation_towards(&self.system, target));
            let rotation = elementary::rotation_vector(fitted);
            let Some(axis) = rotation.try_normalize() else { return (Mat3::IDENTITY, Vec3::ZERO) };
            let half_angle = 0.5 / fraction * rotation.length();
            let speed = 2.0 * elementary::sin(half_angle) / self.h;
            (elementary::rotation(axis, half_angle), speed * axis)
        };
        self.co_rotation(motion, frame, |body| &body.straight.velocities)
    }

    /// The rotation of each body to a point of the step and its angular velocity (rad/s) there, by `motion`; bodies of
    /// `frame` have its rotation and the rigid velocities `rigid_velocities` (m/s). `None` if no damping depends on it.
    fn co_rotation(
        &self,
        motion: impl Fn(&BodySpin) -> (Mat3, Vec3),
        frame: &Frame,
        rigid_velocities: impl Fn(&RotatedBody) -> &[Vec3],
    ) -> Option<Arc<CoRotation>> {
        if self.start_spins.is_empty() {
            return None;
        }
        let mut rotations = vec![Mat3::IDENTITY; self.system.bodies().len()];
        let mut velocity_changes = vec![Vec3::ZERO; self.state.positions.len()];
        for body in &self.start_spins {
            let (rotation, spin) = motion(body);
            rotations[body.body] = rotation;
            for (i, arm) in self.system.nodes(body.body).zip(&body.arms) {
                velocity_changes[i] = -spin.cross(rotation * *arm);
            }
        }
        for (nodes, body) in &frame.rotating {
            rotations[self.system.body_of(nodes.start)] = body.shape_now.rotation();
            for (i, velocity) in nodes.clone().zip(rigid_velocities(body)) {
                velocity_changes[i] = -*velocity;
            }
        }
        Some(Arc::new(CoRotation { rotations, velocity_changes }))
    }

    /// The frame in which velocities in space act on dissipation at the end of the step.
    pub(crate) fn dissipation_frame_at_end(&self) -> DissipationFrame {
        let co_rotation = self.rotation_in_space(&self.frame(1.0), self.h);
        DissipationFrame { time: self.end_time(), co_rotation }
    }

    /// The frame in which velocities act on dissipation at the start of the step.
    pub(crate) fn dissipation_frame_at_start(&self) -> DissipationFrame {
        let co_rotation = self.rotation_in_space(&Frame::default(), 0.0);
        DissipationFrame { time: self.state.time, co_rotation }
    }
}
