//! Transformation between space and the straightened motion of bodies in free flight, at one time.
//!
//! The straightened positions X and velocities V of a body describe its deviation from its rigid motion, as in
//! `free_flight.rs`: `x = r(t) + T(t) (X - r(0) - t r'(0))` and `v = r'(t) + W(t) x d + T(t) (V - r'(0))`. A
//! rigid body moves straight in X.

use crate::rigid::inertia::{Shape, mean};
use resile_math::Vec3;
use std::ops::Range;

/// The transformation at one time between straightened motion and motion in space, for all bodies of a system. Other
/// nodes are not transformed.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Rotating bodies, including those that also fall.
    pub(crate) rotating: Vec<(Range<usize>, RotatedBody)>,
    /// Falling bodies that do not rotate.
    pub(crate) falling: Vec<(Range<usize>, Fall)>,
}

/// Displacement of a body by free fall from the path at constant velocity.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fall {
    /// `t^2 g / 2` (m).
    displacement: Vec3,
    /// `t g` (m/s).
    velocity: Vec3,
    /// `g` (m/s^2).
    acceleration: Vec3,
}

impl Fall {
    /// The fall with the acceleration `g` (m/s^2) after `t` seconds.
    pub(crate) fn new(g: Vec3, t: f64) -> Self {
        Self { displacement: 0.5 * t * t * g, velocity: t * g, acceleration: g }
    }
}

/// Rigid motion `r` of the nodes of a body at one time t after the start.
#[derive(Debug, Clone)]
pub(crate) struct RigidPath {
    /// `r(t)` (m).
    pub(crate) positions: Vec<Vec3>,
    /// `r'(t)` (m/s).
    pub(crate) velocities: Vec<Vec3>,
    /// The accelerations `a(t)` (m/s^2) of a rigid body with the shape at this time: `r''(t)`, unless the body deforms.
    pub(crate) accelerations: Vec<Vec3>,
}

/// Straight path of the nodes of a body with their velocities at the start, at one time t after the start.
#[derive(Debug, Clone)]
pub(crate) struct StraightPath {
    /// `r(0) + t r'(0)` (m).
    pub(crate) positions: Vec<Vec3>,
    /// `r'(0)` (m/s).
    pub(crate) velocities: Vec<Vec3>,
}

/// A rotating body at one time of a step.
#[derive(Debug, Clone)]
pub(crate) struct RotatedBody {
    /// The mass distribution at the start.
    pub(crate) shape_at_start: Shape,
    /// The mass distribution of the rigid body at this time.
    pub(crate) shape_now: Shape,
    /// The path of the nodes at constant velocity.
    pub(crate) straight: StraightPath,
    /// The rigid motion of the nodes.
    pub(crate) motion: RigidPath,
    /// The angular velocity (rad/s) of the rigid motion.
    pub(crate) spin: Vec3,
    /// Time since the start (s).
    pub(crate) time: f64,
    /// The velocity (m/s) of the support about which the body rotates; `None` if it rotates about its centre of mass.
    pub(crate) support_velocity: Option<Vec3>,
    /// The moment of `m r''` about the centre (N m): the moment of the support's reaction.
    pub(crate) torque: Vec3,
    /// The free fall that `motion` contains.
    pub(crate) fall: Fall,
}

impl RotatedBody {
    /// Adds a free fall to the motion of the body.
    pub(crate) fn falling(mut self, fall: Fall) -> Self {
        let RigidPath { positions, velocities, accelerations } = &mut self.motion;
        shift(positions, fall.displacement);
        shift(velocities, fall.velocity);
        shift(accelerations, fall.acceleration);
        Self { fall, ..self }
    }

    /// The velocities `W x (d - mean d)` (m/s) with which the displacements `d = x - r` of nodes at `x` (m) from the rigid
    /// motion rotate with the body about its centre. On a support they are zero: displacements are mostly rotations there,
    /// which [`rotated_velocities`](Self::rotated_velocities) contains.
    fn velocities_of_displacements(&self, x: &[Vec3]) -> Vec<Vec3> {
        let spin = if self.support_velocity.is_some() { Vec3::ZERO } else { self.spin };
        let displacements = difference(x, &self.motion.positions);
        let translation = mean(&self.shape_now.masses, &displacements);
        displacements.iter().map(|displacement| spin.cross(*displacement - translation)).collect()
    }

    /// The velocities (m/s) on the path of a body that has gained the angular momentum `gained_momentum` (kg m^2/s) in
    /// the step. On a support they are rotated by the rotation that this angular momentum produces in the time of the
    /// step, so that a point that the joint has moved back to its position stays there. Without this rotation a
    /// gyroscope would drift off its support.
    fn rotated_velocities(&self, gained_momentum: Vec3) -> Vec<Vec3> {
        let velocities = &self.motion.velocities;
        let Some(drift) = self.support_velocity else { return velocities.clone() };
        let rotation = self.shape_now.rotation_in(self.time, gained_momentum);
        velocities.iter().map(|velocity| drift + rotation * (*velocity - drift)).collect()
    }
}

impl Frame {
    /// Transforms the straightened positions `x` (m) to positions in space.
    pub(crate) fn to_space(&self, x: &mut [Vec3]) {
        for (nodes, body) in &self.rotating {
            let deviation = difference(&x[nodes.clone()], &body.straight.positions);
            let transported = body.shape_at_start.transport(&deviation, &body.shape_now);
            write_sum(&mut x[nodes.clone()], &body.motion.positions, &transported);
        }
        self.falling
            .iter()
            .for_each(|(nodes, fall)| shift(&mut x[nodes.clone()], fall.displacement));
    }

    /// Transforms the positions `x` (m) in space to straightened ones.
    pub(crate) fn straighten(&self, x: &mut [Vec3]) {
        for (nodes, body) in &self.rotating {
            let deviation = difference(&x[nodes.clone()], &body.motion.positions);
            let transported = body.shape_now.transport(&deviation, &body.shape_at_start);
            write_sum(&mut x[nodes.clone()], &body.straight.positions, &transported);
        }
        self.falling
            .iter()
            .for_each(|(nodes, fall)| shift(&mut x[nodes.clone()], -fall.displacement));
    }

    /// Rotates the strains of the displacements from the rigid motion at this time, in the positions `x` (m) in space,
    /// from the orientation of `other` to that of this time.
    pub(crate) fn rotate_strains(&self, other: &Self, x: &mut [Vec3]) {
        for ((nodes, body), (_, other_body)) in self.rotating.iter().zip(&other.rotating) {
            let deviation = difference(&x[nodes.clone()], &body.motion.positions);
            let rotated = other_body.shape_now.transport(&deviation, &body.shape_now);
            write_sum(&mut x[nodes.clone()], &body.motion.positions, &rotated);
        }
    }

    /// Transforms the straightened velocities `v` (m/s) of bodies that are at `x` (m) in space to velocities in space.
    pub(crate) fn velocities_to_space(&self, x: &[Vec3], v: &mut [Vec3]) {
        for (nodes, body) in &self.rotating {
            let deviation = difference(&v[nodes.clone()], &body.straight.velocities);
            let gained_momentum = body.shape_at_start.momentum(&deviation);
            let rotated_velocities = body.rotated_velocities(gained_momentum);
            let momentum = body.shape_now.momentum(&rotated_velocities) + gained_momentum;
            let transported = body.shape_at_start.transport(&deviation, &body.shape_now);
            let (x, velocities) = (&x[nodes.clone()], &mut v[nodes.clone()]);
            write_sum(velocities, &rotated_velocities, &transported);
            add(velocities, &body.velocities_of_displacements(x));
            body.shape_now.at_positions(x).set_momentum(momentum, velocities);
        }
        self.falling.iter().for_each(|(nodes, fall)| shift(&mut v[nodes.clone()], fall.velocity));
    }

    /// Transforms the velocities `v` (m/s) of nodes at `x` (m) in space to straightened ones. Angular momentum is that at
    /// the positions of the rigid body.
    pub(crate) fn straighten_velocities(&self, x: &[Vec3], v: &mut [Vec3]) {
        for (nodes, body) in &self.rotating {
            let deviation = difference(&v[nodes.clone()], &body.motion.velocities);
            let deviation =
                difference(&deviation, &body.velocities_of_displacements(&x[nodes.clone()]));
            let transported = body.shape_now.transport(&deviation, &body.shape_at_start);
            write_sum(&mut v[nodes.clone()], &body.straight.velocities, &transported);
        }
        self.falling.iter().for_each(|(nodes, fall)| shift(&mut v[nodes.clone()], -fall.velocity));
    }

    /// Transforms the straightened changes of velocity `dv` (m/s) of bodies that are at `x` (m) in space to changes in
    /// space. A fall does not change them.
    pub(crate) fn velocity_changes_to_space(&self, x: &[Vec3], dv: &mut [Vec3]) {
        for (nodes, body) in &self.rotating {
            let changes = &mut dv[nodes.clone()];
            let angular_momentum = body.shape_at_start.momentum(changes);
            let transported = body.shape_at_start.transport(changes, &body.shape_now);
            changes.copy_from_slice(&transported);
            body.shape_now.at_positions(&x[nodes.clone()]).set_momentum(angular_momentum, changes);
        }
    }

    /// Transforms the changes of velocity `dv` (m/s) by forces on bodies that are at `x` (m) in space, acting for
    /// `duration` (s), to the straightened motion; with a `duration` of 1 also accelerations (m/s^2).
    pub(crate) fn straighten_impulses(&self, duration: f64, x: &[Vec3], dv: &mut [Vec3]) {
        for (nodes, body) in &self.rotating {
            let changes = &mut dv[nodes.clone()];
            let shape = body.shape_now.at_positions(&x[nodes.clone()]);
            let angular_momentum = shape.momentum(changes) - duration * body.torque;
            changes
                .iter_mut()
                .zip(&body.motion.accelerations)
                .for_each(|(change, acceleration)| *change -= duration * *acceleration);
            changes.copy_from_slice(&body.shape_now.transport(changes, &body.shape_at_start));
            body.shape_at_start.set_momentum(angular_momentum, changes);
        }
        for (nodes, fall) in &self.falling {
            shift(&mut dv[nodes.clone()], -duration * fall.acceleration);
        }
    }

    /// Subtracts `weight a` (`weight` in s^2) from the predictors (m) of nodes in space.
    pub(crate) fn subtract_acceleration(&self, weight: f64, predictors: &mut [Vec3]) {
        for (nodes, body) in &self.rotating {
            for (y, a) in predictors[nodes.clone()].iter_mut().zip(&body.motion.accelerations) {
                *y -= weight * *a;
            }
        }
        for (nodes, fall) in &self.falling {
            shift(&mut predictors[nodes.clone()], -weight * fall.acceleration);
        }
    }

    /// The nodes of bodies on supports.
    pub(crate) fn supported_nodes(&self) -> impl Iterator<Item = usize> + '_ {
        let supported = self.rotating.iter().filter(|(_, body)| body.support_velocity.is_some());
        supported.flat_map(|(nodes, _)| nodes.clone())
    }

    /// The changes (m/s) of the nodal velocities `v` at the start that follow from rotating their strain rates with the
    /// bodies.
    pub(crate) fn strain_rate_changes(&self, v: &[Vec3]) -> Vec<Vec3> {
        let mut changes = vec![Vec3::ZERO; v.len()];
        for (nodes, body) in &self.rotating {
            let deviation = difference(&v[nodes.clone()], &body.straight.velocities);
            let transported = body.shape_at_start.transport(&deviation, &body.shape_now);
            changes[nodes.clone()].copy_from_slice(&difference(&transported, &deviation));
        }
        changes
    }

    /// The nodes of rotating and falling bodies.
    pub(crate) fn moving_nodes(&self) -> impl Iterator<Item = usize> + '_ {
        let rotating_nodes = self.rotating.iter().flat_map(|(nodes, _)| nodes.clone());
        rotating_nodes.chain(self.falling.iter().flat_map(|(nodes, _)| nodes.clone()))
    }

    /// Changes of the velocities (m/s) of all `node_count` nodes from start to end by rotation.
    pub(crate) fn rotation_velocity_changes(&self, node_count: usize) -> Vec<Vec3> {
        let change = |body: &RotatedBody, k: usize| {
            body.motion.velocities[k] - body.fall.velocity - body.straight.velocities[k]
        };
        self.rotating_field(node_count, change)
    }

    /// Displacements (m) of all `node_count` nodes by rotation from the path at constant velocity.
    pub(crate) fn rotation_offsets(&self, node_count: usize) -> Vec<Vec3> {
        let offset = |body: &RotatedBody, k: usize| {
            body.motion.positions[k] - body.fall.displacement - body.straight.positions[k]
        };
        self.rotating_field(node_count, offset)
    }

    /// Displacements (m) of all `node_count` nodes by rotation and fall from the path at constant velocity.
    pub(crate) fn motion_offsets(&self, node_count: usize) -> Vec<Vec3> {
        let mut offsets = self.rotating_field(node_count, |body, k| {
            body.motion.positions[k] - body.straight.positions[k]
        });
        self.falling
            .iter()
            .for_each(|(nodes, fall)| shift(&mut offsets[nodes.clone()], fall.displacement));
        offsets
    }

    /// The nodal field of `value(body, k)` at the k-th node of each rotating body, and zero at all other nodes.
    fn rotating_field(
        &self,
        node_count: usize,
        value: impl Fn(&RotatedBody, usize) -> Vec3,
    ) -> Vec<Vec3> {
        let mut field = vec![Vec3::ZERO; node_count];
        for (nodes, body) in &self.rotating {
            field[nodes.clone()].iter_mut().enumerate().for_each(|(k, u)| *u = value(body, k));
        }
        field
    }
}

/// Adds `offset` to all vectors.
fn shift(vectors: &mut [Vec3], offset: Vec3) {
    vectors.iter_mut().for_each(|v| *v += offset);
}

/// Adds `b` to `a`, node by node.
fn add(a: &mut [Vec3], b: &[Vec3]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += *b);
}

/// `a - b`, node by node.
fn difference(a: &[Vec3], b: &[Vec3]) -> Vec<Vec3> {
    a.iter().zip(b).map(|(a, b)| *a - *b).collect()
}

/// Writes `a + b` to `out`, node by node.
fn write_sum(out: &mut [Vec3], a: &[Vec3], b: &[Vec3]) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = *a + *b);
}
