//! Transformation between space and the straightened motion of bodies in free flight (`free_flight.rs`), at one time.

use crate::rigid::inertia::Shape;
use resile_math::Vec3;
use std::ops::Range;

/// The transformation at one time.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Rotating bodies, including those that also fall.
    pub(crate) turned: Vec<(Range<usize>, RotatedBody)>,
    /// Falling bodies that do not rotate.
    pub(crate) falls: Vec<(Range<usize>, Fall)>,
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
    pub(crate) fn after(g: Vec3, t: f64) -> Self {
        Self { displacement: 0.5 * t * t * g, velocity: t * g, acceleration: g }
    }
}

/// A rotating body at one time.
#[derive(Debug, Clone)]
pub(crate) struct RotatedBody {
    /// At the start.
    pub(crate) before: Shape,
    /// The mass distribution of the rigid body at this time.
    pub(crate) after: Shape,
    /// `r(0) + t r'(0)` (m) and `r'(0)` (m/s).
    pub(crate) straight: [Vec<Vec3>; 2],
    /// `r(t)` (m), `r'(t)` (m/s) and `r''(t)` (m/s^2).
    pub(crate) motion: [Vec<Vec3>; 3],
    /// Time since the start (s).
    pub(crate) time: f64,
    /// The velocity (m/s) of the support about which it rotates; `None` if it rotates about its centre.
    pub(crate) support: Option<Vec3>,
    /// The moment of `m r''` about the centre (N m): the moment of the support's reaction.
    pub(crate) torque: Vec3,
    /// The free fall in the motion.
    pub(crate) fall: Fall,
}

impl RotatedBody {
    /// The body with a free fall added to its motion.
    pub(crate) fn falling(mut self, fall: Fall) -> Self {
        let [x, v, a] = &mut self.motion;
        x.iter_mut().for_each(|x| *x += fall.displacement);
        v.iter_mut().for_each(|v| *v += fall.velocity);
        a.iter_mut().for_each(|a| *a += fall.acceleration);
        Self { fall, ..self }
    }

    /// The velocities (m/s) on the path of a body that has `gained` an angular momentum (kg m^2/s) in the step. On a
    /// support they are rotated by the rotation that this angular momentum produces in the time of the step, so that a
    /// point that the joint has moved back to its position stays there. Without the rotation a gyroscope would drift
    /// off its support.
    fn rotated_velocities(&self, gained: Vec3) -> Vec<Vec3> {
        let rates = &self.motion[1];
        let Some(drift) = self.support else { return rates.clone() };
        let turn = self.after.rotation_in(self.time, gained);
        rates.iter().map(|rate| drift + turn * (*rate - drift)).collect()
    }
}

impl Frame {
    /// Transforms straightened positions to space.
    pub(crate) fn place(&self, x: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let offset = difference(&x[nodes.clone()], &body.straight[0]);
            let offset = body.before.transport(&offset, &body.after);
            write(&mut x[nodes.clone()], &body.motion[0], &offset);
        }
        self.falls.iter().for_each(|(nodes, fall)| shift(&mut x[nodes.clone()], fall.displacement));
    }

    /// Transforms positions in space to straightened ones.
    pub(crate) fn straighten(&self, x: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let offset = difference(&x[nodes.clone()], &body.motion[0]);
            let offset = body.after.transport(&offset, &body.before);
            write(&mut x[nodes.clone()], &body.straight[0], &offset);
        }
        self.falls
            .iter()
            .for_each(|(nodes, fall)| shift(&mut x[nodes.clone()], -fall.displacement));
    }

    /// Transforms straightened velocities of bodies at `x` to space.
    pub(crate) fn velocities(&self, x: &[Vec3], v: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let rate = difference(&v[nodes.clone()], &body.straight[1]);
            let gained = body.before.momentum(&rate);
            let rotated_velocities = body.rotated_velocities(gained);
            let momentum = body.after.momentum(&rotated_velocities) + gained;
            let rate = body.before.transport(&rate, &body.after);
            write(&mut v[nodes.clone()], &rotated_velocities, &rate);
            body.after.at(&x[nodes.clone()]).set_momentum(momentum, &mut v[nodes.clone()]);
        }
        self.falls.iter().for_each(|(nodes, fall)| shift(&mut v[nodes.clone()], fall.velocity));
    }

    /// Transforms velocities in space to straightened ones; angular momentum is taken about the rigid body.
    pub(crate) fn straighten_velocities(&self, v: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let rate = difference(&v[nodes.clone()], &body.motion[1]);
            let rate = body.after.transport(&rate, &body.before);
            write(&mut v[nodes.clone()], &body.straight[1], &rate);
        }
        self.falls.iter().for_each(|(nodes, fall)| shift(&mut v[nodes.clone()], -fall.velocity));
    }

    /// Transforms a straightened change of velocities of bodies at `x` to space.
    pub(crate) fn change(&self, x: &[Vec3], v: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let gained = body.before.momentum(&v[nodes.clone()]);
            let change = body.before.transport(&v[nodes.clone()], &body.after);
            v[nodes.clone()].copy_from_slice(&change);
            body.after.at(&x[nodes.clone()]).set_momentum(gained, &mut v[nodes.clone()]);
        }
    }

    /// Converts changes of velocity by forces on bodies at `x` in a time `weight` (s), or accelerations (1), to
    /// the frame.
    pub(crate) fn straighten_impulses(&self, weight: f64, x: &[Vec3], impulse: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let impulse = &mut impulse[nodes.clone()];
            let torque = body.after.at(&x[nodes.clone()]).momentum(impulse) - weight * body.torque;
            impulse.iter_mut().zip(&body.motion[2]).for_each(|(j, a)| *j -= weight * *a);
            impulse.copy_from_slice(&body.after.transport(impulse, &body.before));
            body.before.set_momentum(torque, impulse);
        }
        for (nodes, fall) in &self.falls {
            shift(&mut impulse[nodes.clone()], -weight * fall.acceleration);
        }
    }

    /// Subtracts `weight r''` from an inertial target in space.
    pub(crate) fn subtract_acceleration(&self, weight: f64, target: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            for (y, a) in target[nodes.clone()].iter_mut().zip(&body.motion[2]) {
                *y -= weight * *a;
            }
        }
        for (nodes, fall) in &self.falls {
            shift(&mut target[nodes.clone()], -weight * fall.acceleration);
        }
    }

    /// The nodes of bodies on supports.
    pub(crate) fn held(&self) -> impl Iterator<Item = usize> + '_ {
        let held = self.turned.iter().filter(|(_, body)| body.support.is_some());
        held.flat_map(|(nodes, _)| nodes.clone())
    }

    /// The change (m/s) that the velocities `v` at the start undergo because the strain rates in them rotate with the
    /// body.
    pub(crate) fn strain_rate_change(&self, v: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; v.len()];
        for (nodes, body) in &self.turned {
            let rate = difference(&v[nodes.clone()], &body.straight[1]);
            let carried = body.before.transport(&rate, &body.after);
            out[nodes.clone()].copy_from_slice(&difference(&carried, &rate));
        }
        out
    }

    /// The nodes of rotating and falling bodies.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        let turned = self.turned.iter().flat_map(|(nodes, _)| nodes.clone());
        turned.chain(self.falls.iter().flat_map(|(nodes, _)| nodes.clone()))
    }

    /// The change of velocities (m/s) from start to end by rotation.
    pub(crate) fn turn(&self, nodes: usize) -> Vec<Vec3> {
        let change = |body: &RotatedBody, k: usize| {
            body.motion[1][k] - body.fall.velocity - body.straight[1][k]
        };
        self.over_rotating(nodes, change)
    }

    /// The displacement (m) by rotation from the path at constant velocity.
    pub(crate) fn rotation_offset(&self, nodes: usize) -> Vec<Vec3> {
        let offset = |body: &RotatedBody, k: usize| {
            body.motion[0][k] - body.fall.displacement - body.straight[0][k]
        };
        self.over_rotating(nodes, offset)
    }

    /// The displacement (m) by rotation and fall from the path at constant velocity.
    pub(crate) fn motion_offset(&self, nodes: usize) -> Vec<Vec3> {
        let mut out = self.over_rotating(nodes, |body, k| body.motion[0][k] - body.straight[0][k]);
        self.falls
            .iter()
            .for_each(|(nodes, fall)| shift(&mut out[nodes.clone()], fall.displacement));
        out
    }

    fn over_rotating(&self, nodes: usize, of: impl Fn(&RotatedBody, usize) -> Vec3) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; nodes];
        for (nodes, body) in &self.turned {
            out[nodes.clone()].iter_mut().enumerate().for_each(|(k, out)| *out = of(body, k));
        }
        out
    }
}

fn shift(vectors: &mut [Vec3], by: Vec3) {
    vectors.iter_mut().for_each(|v| *v += by);
}

fn difference(a: &[Vec3], b: &[Vec3]) -> Vec<Vec3> {
    a.iter().zip(b).map(|(a, b)| *a - *b).collect()
}

fn write(out: &mut [Vec3], a: &[Vec3], b: &[Vec3]) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = *a + *b);
}
