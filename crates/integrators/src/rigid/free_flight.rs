//! Free flight: rotating and falling bodies relative to their rigid motion.
//!
//! A method of low order moves free nodes straight, and elastic forces must restore the shape of a rotating body. If these
//! are stiff, they are not resolved along a step: implicit methods slow the rotation down or precess at a wrong rate, and
//! the implicit midpoint rule is unstable. For a body of [`Flight::Rigid`] a method therefore integrates the deviation
//! from the path `r(t)` of the rigid body (`rotation.rs`):
//!
//! ```text
//! x = r(t) + T(t) (X - r(0) - t r'(0)),   v = r'(t) + T(t) (V - r'(0)),
//! X' = V,   V' = T(t)^-1 (-m^-1 grad P(x) - r''(t))
//! ```
//!
//! with the *straightened* positions `X` and velocities `V`, which are `x` and `v` at `t = 0`. `T` keeps translations,
//! rotates strains with the body, and conserves angular momentum. Stresses balance the centripetal acceleration `r''`, the
//! remaining motion is slow, and stiff strains have constant coefficients. For other nodes `X` and `V` are `x` and `v`.
//!
//! # Falling
//! A body that [`falls`](resile_system::Body::falls), and on which nothing acts from outside but a uniform field,
//! also follows the parabola of free fall: `r''` has the field in it, `t^2 g / 2` and `t g` are added to `r` and
//! `r'`, and the force of the field on `X` is zero. One-step methods of second order integrate the fall exactly; it
//! is separated for all others, including explicit ones. Bodies that exchange force fall together, as in a common
//! falling frame. The fall of bodies in contact with obstacles or with supports is not separated: contact at the end
//! of the step would carry half the field, and nothing would rest.
//!
//! # Angular momentum
//! Torques are those at the present positions, so elastic forces have none, and a change of shape changes the angular
//! velocity: velocities get the rotation with which `L = L_n + sum x cross F h`. This is exact for methods that compute
//! velocities from forces (the family of implicit Euler, Runge-Kutta). Methods that compute them from positions (BDF2, Newmark,
//! theta) use the torque about the rigid body, with an error of the order of the strain.
//!
//! # Contact
//! On an arc the displacement of a contact point is not its velocity times the step, and the work of the contact force on
//! the difference is a spurious energy of the order of the squared angle of a step. In contact the rotation is therefore
//! separated only by methods that request it, for slow rotation ([`turns_in_contact`](crate::Integrator::turns_in_contact))
//! or for contacts near the axis of rotation, like those of a top on its tip or a coin on its edge. It is never separated for
//! bodies on springs or on joints with other bodies. If a contact begins in a step, the step is repeated without it.
//!
//! # Joints
//! A joint with the world is a spring between a point of the body and a fixed point. If a step does not resolve the
//! oscillation of a body on it, or if nearly all of its energy is that of rotation, `r(t)` is the motion of the rigid body about
//! that point under its weight: `m r''` includes the reaction of the joint, and the remaining force is small. The potential
//! of the spring is constant for rotations about the point, so that it does no work on the arc. Two joints define an axis.
//! The remaining impulse of the joint rotates the body from `r(h)` on, by `h` times the angular velocity that it produces, and
//! its velocities on the path are rotated likewise. Otherwise a point that the joint has brought back in the step would leave
//! with its former speed times the angle of the step.
//!
//! The correction of A-search would also use the force of the joint at the start. That belongs to the motion of the
//! previous step and differs from the reaction in `r''` by the rotation of the step. Bodies on supports are therefore
//! not corrected but only slowed down to their target energy (`energy_limit.rs`). Methods must request this as well
//! ([`turns_on_supports`](crate::Integrator::turns_on_supports)); it is not applied to bodies in contact.
//!
//! # Omissions
//! Coriolis forces that couple vibrations of a body are omitted. They do no work; their effect is of the order of the ratio
//! of the angular velocity to the frequency of the vibration.

use crate::rigid::frame::{Fall, Frame};
use crate::rigid::rotation::{RigidMotion, Support};
use resile_math::Vec3;
use resile_system::{Flight, Links, Path, Pivot, State, System};
use std::ops::Range;

/// Largest distance of joints from a common axis, over their distance along it.
const MAX_AXIS_DEVIATION: f64 = 1e-6;

/// Largest difference between the displacement of a contact point and its mean velocity times the step, over the radius of
/// gyration: an angle of 0.75 rad at an eighth of this radius from the axis.
const MAX_CONTACT_DEVIATION: f64 = 0.0044;

/// Largest distance of such contacts from the axis, over the radius of gyration: farther out, at the contacts of the rings
/// of a chain, Newton's method took 40 % more iterations.
const NEAR_AXIS: f64 = 0.33;

/// Ratio of the kinetic energy of a support's motion to that of the rotation about it above which a body with resolved
/// oscillations on its joints does not rotate about them.
const MAX_SUPPORT_ENERGY: f64 = 1e-3;

/// The free motion of all bodies of a system from one state on.
#[derive(Debug, Default, Clone)]
pub(crate) struct FreeFlight {
    turning: Vec<RotatingBody>,
    falling: Vec<FallingBody>,
}

/// A falling body, rotating or not.
#[derive(Debug, Clone)]
struct FallingBody {
    body: usize,
    nodes: Range<usize>,
    /// (m/s^2).
    acceleration: Vec3,
}

/// A rotating body.
#[derive(Debug, Clone)]
struct RotatingBody {
    body: usize,
    nodes: Range<usize>,
    motion: RigidMotion,
    /// Whether the body rotates about a support.
    is_held: bool,
}

/// Largest angles (rad) of a step for which a method separates the rotation of bodies that are not free.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// For bodies with contacts at any distance from the axis.
    pub(crate) in_contact: f64,
    /// For bodies on joints, or with contacts near the axis of rotation.
    pub(crate) on_supports: f64,
    /// Whether free falls are separated, too.
    pub(crate) falls: bool,
}

impl Limits {
    /// Whether the rotation of a body by `angle` (rad) per step is separated, if all of its contacts are within the
    /// given distance from its axis, in radii of gyration.
    fn permits_contact(&self, angle: f64, off_axis: f64) -> bool {
        let contact_deviation = off_axis * angle * angle * angle / 12.0;
        let is_near = off_axis <= NEAR_AXIS && contact_deviation <= MAX_CONTACT_DEVIATION;
        angle <= self.in_contact || angle <= self.on_supports && is_near
    }
}

impl FreeFlight {
    /// The free motion from `state` in a step of `h` seconds, for bodies that are free or rotate by less than these
    /// limits.
    pub(crate) fn from(system: &mut System, state: &State, h: f64, limits: Limits) -> Self {
        let of_body = |body: usize| {
            let nodes = system.nodes(body);
            let masses = &system.masses()[nodes.clone()];
            let (x, v) = (&state.positions[nodes.clone()], &state.velocities[nodes.clone()]);
            let field = system.bodies()[body].uniform_acceleration(state.time + h);
            let (support, stiffness) = support(&system.bodies()[body].flight)?;
            let motion = RigidMotion::new(masses, x, v, h, &support, field)?;
            let is_held = !matches!(support, Support::Free);
            let mass: f64 = masses.iter().sum();
            let follows = || {
                let phase = motion.phase(h);
                let is_firm = stiffness * h * h >= mass.min(mass * phase * phase);
                let support_moves =
                    stiffness * h * h < mass && motion.support_energy_ratio() > MAX_SUPPORT_ENERGY;
                phase <= limits.on_supports && is_firm && !support_moves
            };
            (!is_held || follows()).then_some(RotatingBody { body, nodes, motion, is_held })
        };
        let turning = turning_bodies(system).filter_map(of_body).collect();
        let falling =
            if limits.falls { falling_bodies(system, state.time + h) } else { Vec::new() };
        let free = Self { turning, falling }.without_contact(system, state, [0.0, h], limits);
        free.without_landing(system, state, h)
    }

    /// The frames without the falls of bodies that would come into contact, because such a step would be repeated.
    fn without_landing(mut self, system: &mut System, state: &State, h: f64) -> Self {
        if self.falling.is_empty() {
            return self;
        }
        let mut there = self.without_forces(system, state, h);
        if !there.iter().all(|x| x.is_finite()) {
            return self;
        }
        let from = &state.positions;
        let prepared = system.along(&[Path { from, to: &there }]);
        let free = prepared.fraction();
        if free < 1.0 {
            there.iter_mut().zip(from).for_each(|(x, from)| *x = from.lerp(*x, free));
        }
        let mut links = Links::new(prepared.bodies().len());
        prepared.link(&there, &mut links);
        self.restrict_falls(&links);
        self
    }

    /// Positions (m) of nodes after `h` seconds in free fall.
    fn without_forces(&self, system: &System, state: &State, h: f64) -> Vec<Vec3> {
        let straight = state.positions.iter().zip(&state.velocities).map(|(x, v)| *x + h * *v);
        let mut there: Vec<Vec3> = straight.collect();
        self.frame(h).place(&mut there);
        for (node, place) in system.prescribed(state.time + h) {
            there[node] = system.compose(node, there[node], place);
        }
        there
    }

    /// The frames `t` seconds after the start of a step of `h` seconds, without those that the contacts in `state`
    /// exclude: bodies with contacts that are held by joints or rotate farther than the limits, and falls of
    /// supported bodies.
    pub(crate) fn without_contact(
        mut self,
        system: &mut System,
        state: &State,
        [t, h]: [f64; 2],
        limits: Limits,
    ) -> Self {
        let far =
            |turning: &RotatingBody| turning.is_held || turning.motion.angle(h) > limits.in_contact;
        if !self.falling.is_empty() || self.turning.iter().any(far) {
            let mut links = Links::new(system.bodies().len());
            let prepared = system.along(&[Path::at(&state.positions)]);
            prepared.link(&state.positions, &mut links);
            let follows = |turning: &RotatingBody| {
                let places = links.places(turning.body);
                let off_axis = || turning.motion.off_axis(t, places);
                places.is_empty()
                    || !turning.is_held
                        && limits.permits_contact(turning.motion.angle(h), off_axis())
            };
            self.turning.retain(|turning| !far(turning) || follows(turning));
            self.restrict_falls(&links);
        }
        self
    }

    /// Restricts falls such that bodies that exchange forces fall together or not at all.
    fn restrict_falls(&mut self, links: &Links) {
        let own = |falling: &[FallingBody], body: usize| {
            let index = falling.binary_search_by_key(&body, |falling| falling.body).ok()?;
            Some(falling[index].acceleration)
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

    /// The bodies that rotate about supports.
    pub(crate) fn held(&self) -> impl Iterator<Item = usize> + '_ {
        self.turning.iter().filter(|turning| turning.is_held).map(|turning| turning.body)
    }

    /// Indices of the rotating and of the falling bodies.
    pub(crate) fn followed(&self) -> [usize; 2] {
        [self.turning.len(), self.falling.len()]
    }

    /// The transformation at `t` seconds after the start; before the start if negative.
    pub(crate) fn frame(&self, t: f64) -> Frame {
        let mut frame = self.falls(t);
        for RotatingBody { nodes, motion, .. } in &self.turning {
            let mut turned = motion.after(t);
            // Both lists have the bodies, and hence the node ranges, in the same order.
            if let Ok(k) = frame.falls.binary_search_by_key(&nodes.start, |(own, _)| own.start) {
                turned = turned.falling(frame.falls.remove(k).1);
            }
            frame.turned.push((nodes.clone(), turned));
        }
        frame
    }

    /// The transformation that contains the falls only.
    pub(crate) fn falls(&self, t: f64) -> Frame {
        let fall = |body: &FallingBody| (body.nodes.clone(), Fall::after(body.acceleration, t));
        Frame { turned: Vec::new(), falls: self.falling.iter().map(fall).collect() }
    }
}

/// The support of a rotating body and its stiffness (N/m); `None` if it does not rotate.
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
    let off = |pivot: &Pivot| {
        axis.cross(pivot.place - point).length() > MAX_AXIS_DEVIATION * far.length()
    };
    (!held.iter().any(off)).then_some((Support::Axis(point, axis), stiffness))
}

/// The bodies that rotate as rigid bodies in free flight: none of their nodes is held.
fn turning_bodies(system: &System) -> impl Iterator<Item = usize> + '_ {
    let turns = |b: &usize| {
        let body = &system.bodies()[*b];
        matches!(body.flight, Flight::Rigid | Flight::Pivoted(_)) && body.prescribed.is_empty()
    };
    (0..system.bodies().len()).filter(turns)
}

/// The bodies, ascending, that fall in a uniform field at `time` (s): apart from contact, no other external force
/// acts on them.
fn falling_bodies(system: &System, time: f64) -> Vec<FallingBody> {
    let falls = |b: usize| {
        let body = &system.bodies()[b];
        let acceleration = body.uniform_acceleration(time);
        let falls = body.falls && acceleration != Vec3::ZERO && body.is_free();
        falls.then(|| FallingBody { body: b, nodes: system.nodes(b), acceleration })
    };
    (0..system.bodies().len()).filter_map(falls).collect()
}
