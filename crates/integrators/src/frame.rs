//! What a method sees of bodies in free flight at one time: between space and the straightened motion
//! (`free_flight.rs`).

use crate::inertia::Shape;
use resile_math::Vec3;
use std::ops::Range;

/// Between space and the straightened motion, at one time.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Bodies that turn, whether they fall or not.
    pub(crate) turned: Vec<(Range<usize>, Turned)>,
    /// Bodies that fall and do not turn.
    pub(crate) fallen: Vec<(Range<usize>, Fall)>,
}

/// How far free fall has led a body from the straight path.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fall {
    /// `t^2 g / 2` (m).
    way: Vec3,
    /// `t g` (m/s).
    gain: Vec3,
    /// `g` (m/s^2).
    acceleration: Vec3,
}

impl Fall {
    /// With the acceleration `g` (m/s^2), after `t` seconds.
    pub(crate) fn after(g: Vec3, t: f64) -> Self {
        Self { way: 0.5 * t * t * g, gain: t * g, acceleration: g }
    }
}

/// A body that turns, at one time.
#[derive(Debug, Clone)]
pub(crate) struct Turned {
    /// At the start.
    pub(crate) before: Shape,
    /// Of the rigid body.
    pub(crate) after: Shape,
    /// `r(0) + t r'(0)` (m) and `r'(0)` (m/s).
    pub(crate) straight: [Vec<Vec3>; 2],
    /// `r(t)` (m), `r'(t)` (m/s) and `r''(t)` (m/s^2).
    pub(crate) motion: [Vec<Vec3>; 3],
    /// After the start (s).
    pub(crate) time: f64,
    /// The velocity (m/s) of what it turns about, if that is not its centre.
    pub(crate) support: Option<Vec3>,
    /// The moment of `r''` about the centre (N m): of what bears a body that is held.
    pub(crate) torque: Vec3,
    /// What of the motion is free fall.
    pub(crate) fall: Fall,
}

impl Turned {
    /// The same of a body that falls besides.
    pub(crate) fn falling(mut self, fall: Fall) -> Self {
        let [x, v, a] = &mut self.motion;
        x.iter_mut().for_each(|x| *x += fall.way);
        v.iter_mut().for_each(|v| *v += fall.gain);
        a.iter_mut().for_each(|a| *a += fall.acceleration);
        Self { fall, ..self }
    }

    /// The velocities (m/s) on the path of a body that has `gained` an angular momentum (kg m^2/s).
    /// On a support those of the path turned on as far as this has turned the body, so that what has
    /// moved back to its place in the step rests there: with an angular momentum that has not
    /// turned along, a gyroscope would run away from its support as fast as it has turned in the step.
    fn led(&self, gained: Vec3) -> Vec<Vec3> {
        let rates = &self.motion[1];
        let Some(drift) = self.support else { return rates.clone() };
        let turn = self.after.rotation_in(self.time, gained);
        rates.iter().map(|rate| drift + turn * (*rate - drift)).collect()
    }
}

impl Frame {
    /// Straightened positions in space.
    pub(crate) fn place(&self, x: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let offset = difference(&x[nodes.clone()], &body.straight[0]);
            let offset = body.before.carry(&offset, &body.after);
            write(&mut x[nodes.clone()], &body.motion[0], &offset);
        }
        self.fallen.iter().for_each(|(nodes, fall)| shift(&mut x[nodes.clone()], fall.way));
    }

    /// Positions in space, straightened.
    pub(crate) fn straighten(&self, x: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let offset = difference(&x[nodes.clone()], &body.motion[0]);
            let offset = body.after.carry(&offset, &body.before);
            write(&mut x[nodes.clone()], &body.straight[0], &offset);
        }
        self.fallen.iter().for_each(|(nodes, fall)| shift(&mut x[nodes.clone()], -fall.way));
    }

    /// Straightened velocities in space, of bodies at `x`.
    pub(crate) fn velocities(&self, x: &[Vec3], v: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let rate = difference(&v[nodes.clone()], &body.straight[1]);
            let gained = body.before.momentum(&rate);
            let led = body.led(gained);
            let whole = body.after.momentum(&led) + gained;
            let rate = body.before.carry(&rate, &body.after);
            write(&mut v[nodes.clone()], &led, &rate);
            body.after.at(&x[nodes.clone()]).give_momentum(whole, &mut v[nodes.clone()]);
        }
        self.fallen.iter().for_each(|(nodes, fall)| shift(&mut v[nodes.clone()], fall.gain));
    }

    /// Velocities in space, straightened; their momentum is about the rigid body.
    pub(crate) fn straighten_velocities(&self, v: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let rate = difference(&v[nodes.clone()], &body.motion[1]);
            let rate = body.after.carry(&rate, &body.before);
            write(&mut v[nodes.clone()], &body.straight[1], &rate);
        }
        self.fallen.iter().for_each(|(nodes, fall)| shift(&mut v[nodes.clone()], -fall.gain));
    }

    /// A straightened change of velocities in space, of bodies at `x`.
    pub(crate) fn change(&self, x: &[Vec3], v: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let gained = body.before.momentum(&v[nodes.clone()]);
            let change = body.before.carry(&v[nodes.clone()], &body.after);
            v[nodes.clone()].copy_from_slice(&change);
            body.after.at(&x[nodes.clone()]).give_momentum(gained, &mut v[nodes.clone()]);
        }
    }

    /// What forces on bodies at `x` give to velocities in a time `weight` (s), or to accelerations
    /// (1), straightened.
    pub(crate) fn straighten_impulses(&self, weight: f64, x: &[Vec3], impulse: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let impulse = &mut impulse[nodes.clone()];
            let torque = body.after.at(&x[nodes.clone()]).momentum(impulse) - weight * body.torque;
            impulse.iter_mut().zip(&body.motion[2]).for_each(|(j, a)| *j -= weight * *a);
            impulse.copy_from_slice(&body.after.carry(impulse, &body.before));
            body.before.give_momentum(torque, impulse);
        }
        for (nodes, fall) in &self.fallen {
            shift(&mut impulse[nodes.clone()], -weight * fall.acceleration);
        }
    }

    /// Takes `weight r''` from an inertial target in space.
    pub(crate) fn lean(&self, weight: f64, target: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            for (y, a) in target[nodes.clone()].iter_mut().zip(&body.motion[2]) {
                *y -= weight * *a;
            }
        }
        for (nodes, fall) in &self.fallen {
            shift(&mut target[nodes.clone()], -weight * fall.acceleration);
        }
    }

    /// The nodes of bodies on supports.
    pub(crate) fn held(&self) -> impl Iterator<Item = usize> + '_ {
        let held = self.turned.iter().filter(|(_, body)| body.support.is_some());
        held.flat_map(|(nodes, _)| nodes.clone())
    }

    /// How far the strain rates in the velocities `v` at the start (m/s) have turned.
    pub(crate) fn turned_strains(&self, v: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; v.len()];
        for (nodes, body) in &self.turned {
            let rate = difference(&v[nodes.clone()], &body.straight[1]);
            let carried = body.before.carry(&rate, &body.after);
            out[nodes.clone()].copy_from_slice(&difference(&carried, &rate));
        }
        out
    }

    /// The nodes of bodies that turn or fall.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        let turned = self.turned.iter().flat_map(|(nodes, _)| nodes.clone());
        turned.chain(self.fallen.iter().flat_map(|(nodes, _)| nodes.clone()))
    }

    /// The velocities (m/s) by which bodies go on at the end otherwise than at the start because they turn.
    pub(crate) fn turn(&self, nodes: usize) -> Vec<Vec3> {
        let of = |body: &Turned, k: usize| body.motion[1][k] - body.fall.gain - body.straight[1][k];
        self.of_turned(nodes, of)
    }

    /// How far (m) turning leads astray from the straight path.
    pub(crate) fn bend(&self, nodes: usize) -> Vec<Vec3> {
        let of = |body: &Turned, k: usize| body.motion[0][k] - body.fall.way - body.straight[0][k];
        self.of_turned(nodes, of)
    }

    /// How far (m) turning and falling lead astray from the straight path.
    pub(crate) fn detour(&self, nodes: usize) -> Vec<Vec3> {
        let mut out = self.of_turned(nodes, |body, k| body.motion[0][k] - body.straight[0][k]);
        self.fallen.iter().for_each(|(nodes, fall)| shift(&mut out[nodes.clone()], fall.way));
        out
    }

    fn of_turned(&self, nodes: usize, of: impl Fn(&Turned, usize) -> Vec3) -> Vec<Vec3> {
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
