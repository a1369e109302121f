//! The rotation of bodies in a step, in which damping within bodies is evaluated.
//!
//! Stiffnesses and shapes are lagged at the start of a step. While a body turns by the angle `theta` in the step, the
//! lagged stiffness sees a strain rate of `theta / 2` times the angular velocity. This damps the rotation, and is unstable for
//! a stiff material under methods with an explicit stage. Damping is therefore evaluated in a frame that rotates with the body at its angular
//! velocity at the start. Velocities of the end of a step or stage act at its rotation there. The mean velocity of a step
//! is the rotation field of the shape in the middle of the step, `(R - 1) r / h = 2 sin(theta / 2) / h n x R^(1/2) r`.
//!
//! The displacement of implicit Euler is the rotation to the nearest rigid position of its inertial target, whose angle is
//! smaller than `theta` by `theta^3 / 3` at least. If the mean velocity acted at `theta / 2`, it would have a radial component, and
//! damping would drive or brake the rotation.
//!
//! The stiffness of a stressed body is not zero for its rotation either: the rates of its internal forces are those of
//! forces that rotate with it. The rotation at the start is therefore subtracted from the velocities.

use super::Step;
use crate::rigid::frame::{Frame, RotatedBody};
use crate::rigid::inertia::Shape;
use resile_math::{Mat3, Quat, Vec3, elementary, outer, polar};
use resile_system::{Body, CoRotation, DissipationFrame};
use std::ops::Range;
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

    /// The rotation that brings the body, with these of all `nodes`, nearest to the positions `target` (m) in the inner
    /// product of the `masses` (kg).
    fn rotation_towards(&self, masses: &[f64], target: &[Vec3], nodes: Range<usize>) -> Mat3 {
        // The arms have no moment about their mean, so the mean of the targets has none in the sum.
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
    /// forces. Stiff internal forces move them there.
    pub(crate) fn rotation_of_straightened(
        &self,
        frame: &Frame,
        target: &[Vec3],
    ) -> Option<Arc<CoRotation>> {
        let mut co_rotation = self.rotation_of_spins(0.0)?;
        for body_spin in &self.start_spins {
            let nodes = self.system.nodes(body_spin.body);
            let rotation = body_spin.rotation_towards(self.system.masses(), target, nodes.clone());
            co_rotation.rotations[body_spin.body] = rotation;
            for (i, arm) in nodes.zip(&body_spin.arms) {
                co_rotation.velocity_changes[i] = -body_spin.spin.cross(rotation * *arm);
            }
        }
        self.set_rotations_of_frame(&mut co_rotation, frame, |body| &body.straight.velocities);
        Some(Arc::new(co_rotation))
    }

    /// The rotation to the point at which velocities in space act: that of `frame` for bodies of the frame, and the
    /// rotation in `elapsed` seconds for others.
    pub(crate) fn rotation_in_space(&self, frame: &Frame, elapsed: f64) -> Option<Arc<CoRotation>> {
        self.co_rotation(frame, elapsed, |body| &body.motion.velocities)
    }

    /// The rotation to the middle of the step, where its mean velocity acts, for a method that moves each body towards the
    /// positions `target` (m) at a `fraction` of the step: the rotation that fits them best, in that proportion. Bodies of
    /// `frame` have its rotation.
    pub(crate) fn rotation_of_mean_velocity(
        &self,
        frame: &Frame,
        (target, fraction): (&[Vec3], f64),
    ) -> Option<Arc<CoRotation>> {
        let mut co_rotation = self.rotation_of_spins(0.5 * self.h)?;
        for body_spin in &self.start_spins {
            let nodes = self.system.nodes(body_spin.body);
            let fitted = body_spin.rotation_towards(self.system.masses(), target, nodes.clone());
            let rotation = elementary::rotation_vector(Quat::from_mat3(&fitted));
            let (half, spin) = match rotation.try_normalize() {
                None => (Mat3::IDENTITY, Vec3::ZERO),
                Some(axis) => {
                    let half_angle = 0.5 / fraction * rotation.length();
                    let speed = 2.0 * elementary::sin(half_angle) / self.h;
                    (elementary::rotation(axis, half_angle), speed * axis)
                }
            };
            co_rotation.rotations[body_spin.body] = half;
            for (i, arm) in nodes.zip(&body_spin.arms) {
                co_rotation.velocity_changes[i] = -spin.cross(half * *arm);
            }
        }
        self.set_rotations_of_frame(&mut co_rotation, frame, |body| &body.straight.velocities);
        Some(Arc::new(co_rotation))
    }

    /// The rotation to the point at which bodies of `frame` have the rigid velocities `rigid_velocities` (m/s).
    fn co_rotation(
        &self,
        frame: &Frame,
        elapsed: f64,
        rigid_velocities: impl Fn(&RotatedBody) -> &[Vec3],
    ) -> Option<Arc<CoRotation>> {
        let mut co_rotation = self.rotation_of_spins(elapsed)?;
        self.set_rotations_of_frame(&mut co_rotation, frame, rigid_velocities);
        Some(Arc::new(co_rotation))
    }

    /// Sets the rotations of bodies of `frame`, and their velocities to the negative of `rigid_velocities` (m/s).
    fn set_rotations_of_frame(
        &self,
        co_rotation: &mut CoRotation,
        frame: &Frame,
        rigid_velocities: impl Fn(&RotatedBody) -> &[Vec3],
    ) {
        for (nodes, body) in &frame.rotating {
            co_rotation.rotations[self.system.body_of(nodes.start)] = body.shape_now.rotation();
            for (i, velocity) in nodes.clone().zip(rigid_velocities(body)) {
                co_rotation.velocity_changes[i] = -*velocity;
            }
        }
    }

    /// The frame in which velocities in space act on dissipation at the end of the step.
    pub(crate) fn dissipation_frame_at_end(&self) -> DissipationFrame {
        let co_rotation = self.rotation_in_space(&self.frame(1.0), self.h);
        DissipationFrame { time: self.end_time(), co_rotation }
    }

    /// The frame in which velocities act on dissipation at the start of the step.
    pub(crate) fn dissipation_frame_at_start(&self) -> DissipationFrame {
        let co_rotation = self.rotation_of_spins(0.0).map(Arc::new);
        DissipationFrame { time: self.state.time, co_rotation }
    }

    /// The rotation in `elapsed` seconds at the angular velocities of the start; `None` if no damping depends on it.
    fn rotation_of_spins(&self, elapsed: f64) -> Option<CoRotation> {
        if self.start_spins.is_empty() {
            return None;
        }
        let mut rotations = vec![Mat3::IDENTITY; self.system.bodies().len()];
        let mut velocity_changes = vec![Vec3::ZERO; self.state.positions.len()];
        for body_spin in &self.start_spins {
            let rotation = body_spin.rotation(elapsed);
            rotations[body_spin.body] = rotation;
            for (i, arm) in self.system.nodes(body_spin.body).zip(&body_spin.arms) {
                velocity_changes[i] = -body_spin.spin.cross(rotation * *arm);
            }
        }
        Some(CoRotation { rotations, velocity_changes })
    }
}
