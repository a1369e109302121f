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
//! # Falling
//! A body that [`falls`](resile_system::Body::falls), and on which nothing acts from outside but a uniform field, goes along its
//! parabola besides: `r''` has the field in it, `t^2 g / 2` and `t g` are added to `r` and `r'`, and the force of the field on `X`
//! is zero. One-step methods of second order do so by themselves; all others, the explicit ones too, are followed. Bodies that exchange force among each other fall together, as in
//! a frame that falls with them. What touches an obstacle, or what one holds, is not followed: half the field would have to be
//! borne at the end of the step, and nothing would lie still.
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
//! resolve how a body swings on it, or if next to all of its energy is in its turning, `r(t)` is the motion of the rigid body about that place, under
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

use crate::rigid::frame::{Fall, Frame};
use crate::rigid::rotation::{RigidMotion, Support};
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

/// The kinetic energy of the motion of a support, over that of the turning about it, from which on a body whose swinging
/// on its joints is resolved by the step moves with them rather than about them.
const SWING: f64 = 1e-3;

/// The free motion of all bodies of a system, from one state on.
#[derive(Debug, Default, Clone)]
pub(crate) struct FreeFlight {
    turning: Vec<Turning>,
    falling: Vec<Falling>,
}

/// A body that falls, whether it turns or not.
#[derive(Debug, Clone)]
struct Falling {
    body: usize,
    nodes: Range<usize>,
    /// (m/s^2).
    acceleration: Vec3,
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
    /// Whether bodies that fall are followed, too.
    pub(crate) falls: bool,
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
            let (support, stiffness) = support(&system.bodies()[body].flight)?;
            let motion = RigidMotion::of(masses, x, v, h, &support, field)?;
            let is_held = !matches!(support, Support::Free);
            let mass: f64 = masses.iter().sum();
            let follows = || {
                let phase = motion.phase(h);
                let is_firm = stiffness * h * h >= mass.min(mass * phase * phase);
                let swings = stiffness * h * h < mass && motion.swing() > SWING;
                phase <= limits.on_supports && is_firm && !swings
            };
            (!is_held || follows()).then_some(Turning { body, nodes, motion, is_held })
        };
        let turning = turning_bodies(system).filter_map(of_body).collect();
        let falling =
            if limits.falls { falling_bodies(system, state.time + h) } else { Vec::new() };
        let free = Self { turning, falling }.without_touching(system, state, [0.0, h], limits);
        free.without_landing(system, state, h)
    }

    /// Without the fall of bodies that would come to touch something on it: their step would be begun anew.
    fn without_landing(mut self, system: &mut System, state: &State, h: f64) -> Self {
        if self.falling.is_empty() {
            return self;
        }
        let mut there = self.without_forces(system, state, h);
        if !there.iter().all(|x| x.is_finite()) {
            return self;
        }
        let from = &state.positions;
        let prepared = system.along(state.time + h, &[Path { from, to: &there }]);
        let free = prepared.fraction();
        if free < 1.0 {
            there.iter_mut().zip(from).for_each(|(x, from)| *x = from.lerp(*x, free));
        }
        let mut links = Links::new(prepared.bodies().len());
        prepared.link(&there, &mut links);
        self.keep_falling(&links);
        self
    }

    /// Where (m) nodes are after `h` seconds if nothing acts on them but the fields in which they fall.
    fn without_forces(&self, system: &System, state: &State, h: f64) -> Vec<Vec3> {
        let straight = state.positions.iter().zip(&state.velocities).map(|(x, v)| *x + h * *v);
        let mut there: Vec<Vec3> = straight.collect();
        self.frame(h).place(&mut there);
        for (node, place) in system.prescribed(state.time + h) {
            there[node] = system.compose(node, there[node], place);
        }
        there
    }

    /// Without what the contacts in `state` forbid, `t` seconds after the start of a step of `h` seconds: the
    /// bodies that touch something and are held by joints or turn farther than the limits, and the fall of those that
    /// something bears.
    pub(crate) fn without_touching(
        mut self,
        system: &mut System,
        state: &State,
        [t, h]: [f64; 2],
        limits: Limits,
    ) -> Self {
        let far =
            |turning: &Turning| turning.is_held || turning.motion.angle(h) > limits.in_contact;
        if !self.falling.is_empty() || self.turning.iter().any(far) {
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
            self.keep_falling(&links);
        }
        self
    }

    /// Bodies fall together with those that they exchange force with, or not at all.
    fn keep_falling(&mut self, links: &Links) {
        let own = |falling: &[Falling], body: usize| {
            let found = falling.binary_search_by_key(&body, |falling| falling.body).ok()?;
            Some(falling[found].acceleration)
        };
        for group in links.groups() {
            let together = own(&self.falling, group[0]);
            let falls =
                |&b: &usize| own(&self.falling, b) == together && !links.touches_obstacle(b);
            if !group.iter().all(falls) {
                self.falling.retain(|falling| !group.contains(&falling.body));
            }
        }
    }

    /// The bodies that turn on supports.
    pub(crate) fn held(&self) -> impl Iterator<Item = usize> + '_ {
        self.turning.iter().filter(|turning| turning.is_held).map(|turning| turning.body)
    }

    /// How many bodies turn, and how many fall.
    pub(crate) fn followed(&self) -> [usize; 2] {
        [self.turning.len(), self.falling.len()]
    }

    /// What a method sees `t` seconds after the start; before it if negative.
    pub(crate) fn frame(&self, t: f64) -> Frame {
        let mut frame = self.falls(t);
        for Turning { nodes, motion, .. } in &self.turning {
            let mut turned = motion.after(t);
            // Bodies, and so ranges, are in the same order in both lists.
            if let Ok(k) = frame.fallen.binary_search_by_key(&nodes.start, |(own, _)| own.start) {
                turned = turned.falling(frame.fallen.remove(k).1);
            }
            frame.turned.push((nodes.clone(), turned));
        }
        frame
    }

    /// The same of methods that see how bodies fall, but not how they turn.
    pub(crate) fn falls(&self, t: f64) -> Frame {
        let fall = |body: &Falling| (body.nodes.clone(), Fall::after(body.acceleration, t));
        Frame { turned: Vec::new(), fallen: self.falling.iter().map(fall).collect() }
    }
}

/// What a body turns about, and how stiffly (N/m) that is held; nothing if it does not turn.
fn support(flight: &Flight) -> Option<(Support, f64)> {
    let held = match flight {
        Flight::Straight => return None,
        Flight::Rigid => return Some((Support::Free, f64::INFINITY)),
        Flight::Pivoted(held) => held,
    };
    let stiffness: f64 = held.iter().map(|pivot| pivot.stiffness).sum();
    let point = held.first()?.place;
    let far = held.iter().map(|pivot| pivot.place - point).fold(Vec3::ZERO, |far, arm| {
        if arm.length_squared() > far.length_squared() { arm } else { far }
    });
    let Some(axis) = far.try_normalize() else { return Some((Support::Point(point), stiffness)) };
    let off = |pivot: &Pivot| axis.cross(pivot.place - point).length() > OFF_AXIS * far.length();
    (!held.iter().any(off)).then_some((Support::Axis(point, axis), stiffness))
}

/// The bodies that turn as rigid ones where no force acts: none of their nodes is held.
fn turning_bodies(system: &System) -> impl Iterator<Item = usize> + '_ {
    let turns = |b: &usize| {
        let body = &system.bodies()[*b];
        matches!(body.flight, Flight::Rigid | Flight::Pivoted(_)) && body.prescribed.is_empty()
    };
    (0..system.bodies().len()).filter(turns)
}

/// The bodies, ascending, that fall in a uniform field at `time` (s): nothing else acts on them from outside but contact.
fn falling_bodies(system: &System, time: f64) -> Vec<Falling> {
    let falls = |b: usize| {
        let body = &system.bodies()[b];
        let acceleration = body.uniform_acceleration(time);
        let falls = body.falls && acceleration != Vec3::ZERO && body.is_free();
        falls.then(|| Falling { body: b, nodes: system.nodes(b), acceleration })
    };
    (0..system.bodies().len()).filter_map(falls).collect()
}
