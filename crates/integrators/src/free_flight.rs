//! Bodies that turn: the path on which no force is needed.
//!
//! A method of low order takes a free node along a straight path and leaves it to elasticity to
//! bring a turning body together again. Where that is stiff the forces along a step are not
//! resolved: implicit methods slow the turning down or precess at a wrong rate, and the implicit
//! midpoint rule explodes. So a body of [`Flight::Rigid`] is followed from the path `r(t)` on which
//! it would turn if it were rigid (`rotation.rs`), and a method sees how it leaves that way:
//!
//! ```text
//! x = r(t) + T(t) (X - r(0) - t r'(0)),   v = r'(t) + T(t) (V - r'(0)),
//! X' = V,   V' = T(t)^-1 (-m^-1 grad P(x) - r''(t))
//! ```
//!
//! with the *straightened* positions `X` and velocities `V`, which at `t = 0` are `x` and `v`. `T`
//! takes translations as they are, turns strains with the body, and gives what has an angular
//! momentum the same momentum of the turned body. Stresses balance the centripetal acceleration
//! `r''`, what is left to integrate is slow, and stiff strains have constant coefficients. Of
//! other nodes `X` and `V` are `x` and `v`.
//!
//! # Angular momentum
//! Forces turn a body by their torques where it is, so those of elasticity do not, and a body
//! that has changed its shape turns at another speed: velocities are given the rotation with which
//! `L = L_n + sum x cross F h`. Of methods that find velocities by forces (implicit Euler's family,
//! Runge-Kutta) that is exact; those that find them by positions (BDF2, Newmark, theta) take the torque
//! about the rigid body, which is off by a strain.
//!
//! # Where a body touches another one
//! On an arc the way of a point in contact is not its velocity times the step, and what the
//! contact force does on the difference is energy out of nothing: of the order of the square of the
//! angle of a step, whatever the method damps. So there a body is followed only by methods that
//! ask for it, if it turns slowly ([`turns_in_contact`](crate::Integrator::turns_in_contact)) or touches nothing but near the
//! axis about which it turns, as a top on its point or a coin on its edge; bodies that hang on springs, or on
//! joints with other bodies, are not followed at all. A body that comes into contact in a step begins it anew.
//!
//! # Where joints hold a body
//! A joint with the world is a spring between a point of the body and a place. If a step does not
//! resolve how a body swings on it, `r(t)` is the motion of the rigid body about that place, under
//! its weight: `m r''` has the reaction of the joint in it, and what is left of its force is small.
//! The potential of the spring is the same wherever the body turns about the place, so that it does
//! no work on the arc. Two joints leave an axis. What the joint adds at the end of a step turns
//! the body on from `r(h)`, by `h` times the angular velocity that it gives, and its velocities on the
//! path are turned along. If they were not, a point that the joint has brought back in the step
//! would leave again with the angle of the step times the speed it came with, and from a radian on faster.
//!
//! A-search's correction would take the force of the joint at the start, too. That belongs to the
//! motion of the step before, and differs from the reaction that `r''` has by as much as the body has turned. So
//! bodies on supports are not corrected, only braked (`brake.rs`). Methods ask for this as well
//! ([`turns_on_supports`](crate::Integrator::turns_on_supports)), and not where such a body touches something.
//!
//! # What is left out
//! The Coriolis forces that turn one vibration of a body into another. They do no work; their
//! effect is the ratio of the angular velocity to the frequency of the vibration.

use crate::inertia::Shape;
use crate::rotation::{RigidMotion, Support};
use resile_math::Vec3;
use resile_system::{Flight, Links, Path, Pivot, State, System};
use std::ops::Range;

/// How far places that hold a body may be from a common axis, over their distance along it.
const OFF_AXIS: f64 = 1e-6;

/// How far the way of a place in contact may be from its mean velocity times the step, over the radius of gyration:
/// at an eighth of this radius from the axis an angle of 0.75 rad.
const ASTRAY: f64 = 0.0044;

/// How far from the axis, over the radius of gyration, a body may touch something to be followed so far: farther
/// out, where rings of a chain meet, Newton's method took 40 % more iterations for it.
const NEAR_AXIS: f64 = 0.33;

/// The free motion of all bodies of a system, from one state on.
#[derive(Debug, Default, Clone)]
pub(crate) struct FreeFlight {
    turning: Vec<Turning>,
}

/// A body that turns.
#[derive(Debug, Clone)]
struct Turning {
    body: usize,
    nodes: Range<usize>,
    motion: RigidMotion,
    /// Whether it turns about a support.
    is_held: bool,
}

/// The angles (rad) of a step up to which a method follows bodies that are not free.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// That touch something, anywhere.
    pub(crate) in_contact: f64,
    /// That joints hold, or that touch something on the axis about which they turn.
    pub(crate) on_supports: f64,
}

impl Limits {
    /// Whether a body that turns by an `angle` (rad) in a step is followed if all that it touches is at most so
    /// far from its axis, as a multiple of its radius of gyration.
    fn follow_touching(&self, angle: f64, off_axis: f64) -> bool {
        let astray = off_axis * angle * angle * angle / 12.0;
        let is_near = off_axis <= NEAR_AXIS && astray <= ASTRAY;
        angle <= self.in_contact || angle <= self.on_supports && is_near
    }
}

impl FreeFlight {
    /// From `state`, in a step of `h` seconds, of bodies that are free or turn no farther than these
    /// limits.
    pub(crate) fn from(system: &mut System, state: &State, h: f64, limits: Limits) -> Self {
        let of_body = |body: usize| {
            let nodes = system.nodes(body);
            let masses = &system.masses()[nodes.clone()];
            let (x, v) = (&state.positions[nodes.clone()], &state.velocities[nodes.clone()]);
            let field = system.bodies()[body].uniform_acceleration(state.time + h);
            let support = support(&system.bodies()[body].flight, masses, h)?;
            let motion = RigidMotion::of(masses, x, v, h, &support, field)?;
            let is_held = !matches!(support, Support::Free);
            let follows = !is_held || motion.phase(h) <= limits.on_supports;
            follows.then_some(Turning { body, nodes, motion, is_held })
        };
        let turning = turning_bodies(system).filter_map(of_body).collect();
        Self { turning }.without_touching(system, state, [0.0, h], limits)
    }

    /// Without the bodies that touch something in `state`, `t` seconds after the start of a step of `h`
    /// seconds, and are held by joints or turn farther than the limits.
    pub(crate) fn without_touching(
        mut self,
        system: &mut System,
        state: &State,
        [t, h]: [f64; 2],
        limits: Limits,
    ) -> Self {
        let far =
            |turning: &Turning| turning.is_held || turning.motion.angle(h) > limits.in_contact;
        if self.turning.iter().any(far) {
            let mut links = Links::new(system.bodies().len());
            let prepared = system.along(state.time, &[Path::at(&state.positions)]);
            prepared.link(&state.positions, &mut links);
            let follows = |turning: &Turning| {
                let places = links.places(turning.body);
                let off_axis = || turning.motion.off_axis(t, places);
                places.is_empty()
                    || !turning.is_held
                        && limits.follow_touching(turning.motion.angle(h), off_axis())
            };
            self.turning.retain(|turning| !far(turning) || follows(turning));
        }
        self
    }

    /// The bodies that turn on supports.
    pub(crate) fn held(&self) -> impl Iterator<Item = usize> + '_ {
        self.turning.iter().filter(|turning| turning.is_held).map(|turning| turning.body)
    }

    /// How many bodies turn.
    pub(crate) fn len(&self) -> usize {
        self.turning.len()
    }

    /// What a method sees `t` seconds after the start; before it if negative.
    pub(crate) fn frame(&self, t: f64) -> Frame {
        let turned = self.turning.iter().map(|body| (body.nodes.clone(), body.motion.after(t)));
        Frame { turned: turned.collect() }
    }
}

/// What a body with these `masses` turns about in `h` seconds. Nothing if it does not turn, or swings
/// on its joints so slowly that a step resolves it.
fn support(flight: &Flight, masses: &[f64], h: f64) -> Option<Support> {
    let held = match flight {
        Flight::Straight => return None,
        Flight::Rigid => return Some(Support::Free),
        Flight::Pivoted(held) => held,
    };
    let stiffness: f64 = held.iter().map(|pivot| pivot.stiffness).sum();
    if stiffness * h * h < masses.iter().sum() {
        return None;
    }
    let point = held.first()?.place;
    let far = held.iter().map(|pivot| pivot.place - point).fold(Vec3::ZERO, |far, arm| {
        if arm.length_squared() > far.length_squared() { arm } else { far }
    });
    let Some(axis) = far.try_normalize() else { return Some(Support::Point(point)) };
    let off = |pivot: &Pivot| axis.cross(pivot.place - point).length() > OFF_AXIS * far.length();
    (!held.iter().any(off)).then_some(Support::Axis(point, axis))
}

/// The bodies that turn as rigid ones where no force acts: none of their nodes is held.
fn turning_bodies(system: &System) -> impl Iterator<Item = usize> + '_ {
    let turns = |b: &usize| {
        let body = &system.bodies()[*b];
        body.flight != Flight::Straight && body.prescribed.is_empty()
    };
    (0..system.bodies().len()).filter(turns)
}

/// Between space and the straightened motion, at one time.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    turned: Vec<(Range<usize>, Turned)>,
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
}

impl Turned {
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
    }

    /// Positions in space, straightened.
    pub(crate) fn straighten(&self, x: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let offset = difference(&x[nodes.clone()], &body.motion[0]);
            let offset = body.after.carry(&offset, &body.before);
            write(&mut x[nodes.clone()], &body.straight[0], &offset);
        }
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
    }

    /// Velocities in space, straightened; their momentum is about the rigid body.
    pub(crate) fn straighten_velocities(&self, v: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            let rate = difference(&v[nodes.clone()], &body.motion[1]);
            let rate = body.after.carry(&rate, &body.before);
            write(&mut v[nodes.clone()], &body.straight[1], &rate);
        }
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
    }

    /// Takes `weight r''` from an inertial target in space.
    pub(crate) fn lean(&self, weight: f64, target: &mut [Vec3]) {
        for (nodes, body) in &self.turned {
            for (y, a) in target[nodes.clone()].iter_mut().zip(&body.motion[2]) {
                *y -= weight * *a;
            }
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

    /// The nodes of bodies that turn.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.turned.iter().flat_map(|(nodes, _)| nodes.clone())
    }

    /// The velocities (m/s) by which bodies go on at the end otherwise than at the start.
    pub(crate) fn turn(&self, nodes: usize) -> Vec<Vec3> {
        self.differences(nodes, |body, k| body.motion[1][k] - body.straight[1][k])
    }

    /// How far (m) turning leads astray from the straight path.
    pub(crate) fn detour(&self, nodes: usize) -> Vec<Vec3> {
        self.differences(nodes, |body, k| body.motion[0][k] - body.straight[0][k])
    }

    fn differences(&self, nodes: usize, of: impl Fn(&Turned, usize) -> Vec3) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; nodes];
        for (nodes, body) in &self.turned {
            out[nodes.clone()].iter_mut().enumerate().for_each(|(k, out)| *out = of(body, k));
        }
        out
    }
}

fn difference(a: &[Vec3], b: &[Vec3]) -> Vec<Vec3> {
    a.iter().zip(b).map(|(a, b)| *a - *b).collect()
}

fn write(out: &mut [Vec3], a: &[Vec3], b: &[Vec3]) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = *a + *b);
}
