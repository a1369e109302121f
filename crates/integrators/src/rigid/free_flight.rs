//! Free flight: rotating and falling bodies relative to their rigid motion.
//!
//! A method of low order moves free nodes straight, and elastic forces must restore the shape of a rotating body. If
//! these are stiff, they are not resolved along a step: implicit methods slow the rotation down or precess at a wrong
//! rate, and the implicit midpoint rule is unstable. For a body of [`Flight::Rigid`] a method therefore integrates the
//! deviation from the path `r(t)` of the rigid body (`rotation.rs`):
//!
//! ```text
//! x = r(t) + T(t) (X - r(0) - t r'(0)),   v = r'(t) + W(t) x d + T(t) (V - r'(0)),
//! X' = V,   V' = T(t)^-1 (-m^-1 grad P(x) - a(t))
//! ```
//!
//! with the *straightened* positions `X` and velocities `V`, which are `x` and `v` at `t = 0`, the angular velocity `W`
//! of the rigid body and the displacements `d` from it about the centre, `x - r` less its mean. `T` keeps translations,
//! rotates strains with the body, and conserves angular momentum. Stresses balance the centripetal acceleration `a`,
//! the remaining motion is slow, and stiff strains have constant coefficients. For other nodes `X` and `V` are `x` and
//! `v`.
//!
//! # Vibrations
//! A vibration on a rotating body must neither grow nor decay by the rotation, so nothing may lag behind the strain:
//!
//! * The displacements `d` rotate with the body. Without `W x d` the strain rates would change in each step by `W` times
//!   the change of the strain, and the amplitude would grow like `exp(0.2 W t)` in steps of 1 to 4 rad of the vibration.
//! * `a` and the inertia by which `r` rotates are those of the body with the shape at `t`, extrapolated at the strain
//!   rates of the start. With those of the start, `a = r''`, the amplitude would grow like `exp(0.4 W^2 h t)`. Methods
//!   that combine positions of implicit Euler with forces at the start (A-search) conserve energy with the shape of the
//!   start instead ([`deforms_in_flight`](crate::Integrator::deforms_in_flight)).
//!
//! # Falling
//! A body that [`falls`](resile_system::Body::falls), and on which nothing acts from outside but a uniform field,
//! also follows the parabola of free fall: `a` contains the field, `t^2 g / 2` and `t g` are added to `r` and
//! `r'`, and the force of the field on `X` is zero. One-step methods of second order integrate the fall exactly; it
//! is separated for all others, including explicit ones. Bodies that exchange force fall together, as in a common
//! falling frame. The fall of bodies in contact with obstacles or with supports is not separated: contact at the end
//! of the step would carry half the field, and nothing would rest.
//!
//! # Angular momentum
//! Torques are those at the present positions, so elastic forces have none, and a change of shape changes the angular
//! velocity: velocities get the rotation with which `L = L_n + sum x cross F h`. This is exact for methods that compute
//! velocities from forces (the family of implicit Euler, Runge-Kutta). Methods that compute them from positions (BDF2,
//! Newmark, theta) use the torque about the rigid body, with an error of the order of the strain.
//!
//! # Contact
//! On an arc the displacement of a contact point is not its velocity times the step, and the work of the contact force
//! on the difference is a spurious energy of the order of the squared angle of a step. In contact the rotation is
//! therefore separated only by methods that request it, for slow rotation
//! ([`max_rotation_in_contact`](crate::Integrator::max_rotation_in_contact)) or for contacts near the axis of rotation, like those of
//! a top on its tip or a coin on its edge. It is never separated for bodies on springs or on joints with other bodies.
//! If a contact begins in a step, the step is solved again without it: under implicit Euler and A-search from the solution
//! with the new contact (`methods/one_step.rs`), otherwise from the start.
//!
//! # Joints
//! A joint with the world is a spring between a point of the body and a fixed point. If a step does not resolve the
//! oscillation of a body on it, or if nearly all of its energy is that of rotation, `r(t)` is the motion of the rigid
//! body about that point under its weight: `m r''` includes the reaction of the joint, and the remaining force is
//! small. The potential of the spring is constant for rotations about the point, so that it does no work on the arc.
//! Two joints define an axis. The remaining impulse of the joint rotates the body from `r(h)` on, by `h` times the
//! angular velocity that it produces, and its velocities on the path are rotated likewise. Otherwise a point that the
//! joint has brought back in the step would leave with its former speed times the angle of the step.
//!
//! The correction of A-search would also use the force of the joint at the start. That belongs to the motion of the
//! previous step and differs from the reaction in `r''` by the rotation of the step. Bodies on supports are therefore
//! not corrected but only slowed down to their target energy (`energy_limit.rs`). Methods must request this as well
//! ([`max_rotation_on_supports`](crate::Integrator::max_rotation_on_supports)); it is not applied to bodies in contact.
//!
//! # Omissions
//! Coriolis forces that couple vibrations of a body are omitted. They do no work. They would split the frequency of
//! two equal vibrations in the plane of rotation by twice the angular velocity.

use crate::rigid::frame::{Fall, Frame};
use crate::rigid::rotation::{RigidMotion, Support};
use resile_math::Vec3;
use resile_system::{Flight, Links, Path, Pivot, Prepared, State, System};
use std::ops::Range;

/// Largest distance of joints from a common axis, over their distance along it.
const MAX_AXIS_DEVIATION: f64 = 1e-6;

/// Largest difference between the displacement of a contact point and its mean velocity times the step, over the radius
/// of gyration: an angle of 0.75 rad at an eighth of this radius from the axis.
const MAX_CONTACT_DEVIATION: f64 = 0.0044;

/// Largest distance of such contacts from the axis, over the radius of gyration: farther out, at the contacts of the
/// rings of a chain, Newton's method took 40 % more iterations.
const NEAR_AXIS: f64 = 0.33;

/// Ratio of the kinetic energy of a support's motion to that of the rotation about it above which a body with resolved
/// oscillations on its joints does not rotate about them.
const MAX_SUPPORT_ENERGY: f64 = 1e-3;

/// The free motion of the bodies of a system from the state at the start of a step on. Only bodies listed here are
/// integrated relative to a free motion.
#[derive(Debug, Default, Clone)]
pub(crate) struct FreeFlight {
    /// Bodies whose rotation is separated, in ascending order.
    rotating: Vec<RotatingBody>,
    /// Bodies whose free fall is separated, in ascending order.
    falling: Vec<FallingBody>,
    limits: Limits,
}

/// A falling body, rotating or not.
#[derive(Debug, Clone)]
struct FallingBody {
    body: usize,
    nodes: Range<usize>,
    /// The uniform field (m/s^2).
    acceleration: Vec3,
}

/// A rotating body.
#[derive(Debug, Clone)]
struct RotatingBody {
    body: usize,
    nodes: Range<usize>,
    motion: RigidMotion,
    /// Whether the body rotates about a support.
    is_supported: bool,
}

impl RotatingBody {
    /// Whether contacts could exclude the rotation in a step of `h` seconds.
    fn depends_on_contact(&self, limits: Limits, h: f64) -> bool {
        self.is_supported || self.motion.angle(h) > limits.in_contact
    }
}

/// What a method separates: the largest angles (rad) of rotation in a step of bodies that are not free, and falls.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Limits {
    /// For bodies with contacts at any distance from the axis.
    pub(crate) in_contact: f64,
    /// For bodies on joints, or with contacts near the axis of rotation.
    pub(crate) on_supports: f64,
    /// Whether free falls are separated.
    pub(crate) falls: bool,
    /// Whether rotating bodies deform at the rate of the start.
    pub(crate) deforms: bool,
}

impl Limits {
    /// Whether the rotation of a body by `angle` (rad) per step is separated, if the largest distance of its contacts
    /// from the axis is `axis_distance`, in radii of gyration.
    fn permits_contact(&self, angle: f64, axis_distance: f64) -> bool {
        let contact_deviation = axis_distance * angle * angle * angle / 12.0;
        let is_near_axis = axis_distance <= NEAR_AXIS && contact_deviation <= MAX_CONTACT_DEVIATION;
        angle <= self.in_contact || angle <= self.on_supports && is_near_axis
    }
}

impl FreeFlight {
    /// The free motion from `state` in a step of `h` seconds: that of bodies without supports and contacts, and of
    /// others within `limits`. Falls that would end in contact are left out.
    pub(crate) fn new(system: &mut System, state: &State, h: f64, limits: Limits) -> Self {
        let rotating_body = |body: usize| {
            let nodes = system.nodes(body);
            let masses = &system.masses()[nodes.clone()];
            let (x, v) = (&state.positions[nodes.clone()], &state.velocities[nodes.clone()]);
            let field = system.bodies()[body].uniform_acceleration(state.time + h);
            let SpringSupport { support, stiffness } =
                SpringSupport::new(&system.bodies()[body].flight)?;
            let motion = RigidMotion::new(masses, x, v, h, &support, field)?;
            let motion = if limits.deforms { motion.deforming(v) } else { motion };
            let is_supported = !matches!(support, Support::Free);
            let mass: f64 = masses.iter().sum();
            // A rotation about a support is separated if the oscillation on the support is not resolved, or if nearly
            // all of the energy is that of rotation.
            let is_separable = || {
                let phase = motion.phase(h);
                let is_stiff = stiffness * h * h >= mass.min(mass * phase * phase);
                let support_moves =
                    stiffness * h * h < mass && motion.support_energy_ratio() > MAX_SUPPORT_ENERGY;
                phase <= limits.on_supports && is_stiff && !support_moves
            };
            (!is_supported || is_separable()).then_some(RotatingBody {
                body,
                nodes,
                motion,
                is_supported,
            })
        };
        let rotating = rotating_bodies(system).filter_map(rotating_body).collect();
        let falling =
            if limits.falls { falling_bodies(system, state.time + h) } else { Vec::new() };
        let free_flight =
            Self { rotating, falling, limits }.without_contact(system, state, [0.0, h]);
        free_flight.without_landing(system, state, h)
    }

    /// Removes the falls of bodies that would come into contact within the step, because such a step would be repeated.
    fn without_landing(mut self, system: &mut System, state: &State, h: f64) -> Self {
        if self.falling.is_empty() {
            return self;
        }
        if let Some((prepared, x)) = self.first_contact(system, state, h) {
            let mut links = Links::new(prepared.bodies().len());
            prepared.link(&x, &mut links);
            self.restrict_falls(&links);
        }
        self
    }

    /// The positions (m) at which the path of the free motion of all nodes at constant velocity is first blocked, or those
    /// after `h` seconds, and the system prepared there. `None` if they are not finite.
    pub(crate) fn first_contact<'a>(
        &self,
        system: &'a mut System,
        state: &State,
        h: f64,
    ) -> Option<(Prepared<'a>, Vec<Vec3>)> {
        let mut end = self.force_free_positions(system, state, h);
        if !end.iter().all(|x| x.is_finite()) {
            return None;
        }
        let start = &state.positions;
        let prepared = system.along(&[Path { from: start, to: &end }]);
        let fraction = prepared.fraction();
        if fraction < 1.0 {
            end.iter_mut().zip(start).for_each(|(x, start)| *x = start.lerp(*x, fraction));
        }
        Some((prepared, end))
    }

    /// Positions (m) after `h` seconds of free motion of all nodes; prescribed nodes have their positions.
    fn force_free_positions(&self, system: &System, state: &State, h: f64) -> Vec<Vec3> {
        let straight = state.positions.iter().zip(&state.velocities).map(|(x, v)| *x + h * *v);
        let mut positions: Vec<Vec3> = straight.collect();
        self.frame(h).to_space(&mut positions);
        for (node, target) in system.prescribed(state.time + h) {
            positions[node] = system.compose(node, positions[node], target);
        }
        positions
    }

    /// Removes motions that the contacts in `state` [exclude](Self::restrict), `t` seconds after the start of a step of `h`
    /// seconds.
    pub(crate) fn without_contact(
        mut self,
        system: &mut System,
        state: &State,
        times: [f64; 2],
    ) -> Self {
        if self.depends_on_contact(times[1]) {
            let mut links = Links::new(system.bodies().len());
            let prepared = system.along(&[Path::at(&state.positions)]);
            prepared.link(&state.positions, &mut links);
            self.restrict(&links, times);
        }
        self
    }

    /// Whether contacts could exclude any motion in a step of `h` seconds.
    pub(crate) fn depends_on_contact(&self, h: f64) -> bool {
        let may_be_excluded = |body: &RotatingBody| body.depends_on_contact(self.limits, h);
        !self.falling.is_empty() || self.rotating.iter().any(may_be_excluded)
    }

    /// Removes motions that the contacts of `links` exclude, `t` seconds after the start of a step of `h` seconds: those of
    /// bodies with contacts that are on joints or rotate farther than the limits, and falls of supported bodies.
    pub(crate) fn restrict(&mut self, links: &Links, [t, h]: [f64; 2]) {
        let limits = self.limits;
        let is_permitted = |body: &RotatingBody| {
            let contact_points = links.places(body.body);
            let axis_distance = || body.motion.axis_distance(t, contact_points);
            contact_points.is_empty()
                || !body.is_supported
                    && limits.permits_contact(body.motion.angle(h), axis_distance())
        };
        self.rotating.retain(|body| !body.depends_on_contact(limits, h) || is_permitted(body));
        self.restrict_falls(links);
    }

    /// Removes the falls of groups of `links` in which not all bodies fall with the same acceleration, or one touches
    /// an obstacle: bodies that exchange forces fall together or not at all.
    fn restrict_falls(&mut self, links: &Links) {
        let acceleration_of = |falling: &[FallingBody], body: usize| {
            let index = falling.binary_search_by_key(&body, |entry| entry.body).ok()?;
            Some(falling[index].acceleration)
        };
        for group in links.groups() {
            let common_acceleration = acceleration_of(&self.falling, group[0]);
            let falls_with_group = |&body: &usize| {
                acceleration_of(&self.falling, body) == common_acceleration
                    && !links.touches_obstacle(body)
            };
            if !group.iter().all(falls_with_group) {
                self.falling.retain(|entry| !group.contains(&entry.body));
            }
        }
    }

    /// Indices of the bodies that rotate about supports.
    pub(crate) fn supported_bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.rotating.iter().filter(|body| body.is_supported).map(|body| body.body)
    }

    /// The number of rotating bodies and that of falling ones.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.rotating.len(), self.falling.len()]
    }

    /// The transformation `t` seconds after the start, or before it if `t` is negative.
    pub(crate) fn frame(&self, t: f64) -> Frame {
        let mut frame = self.fall_frame(t);
        for RotatingBody { nodes, motion, .. } in &self.rotating {
            let mut rotated = motion.body_after(t);
            // Both lists have the bodies, and hence the node ranges, in the same order.
            if let Ok(k) = frame
                .falling
                .binary_search_by_key(&nodes.start, |(falling_nodes, _)| falling_nodes.start)
            {
                rotated = rotated.falling(frame.falling.remove(k).1);
            }
            frame.rotating.push((nodes.clone(), rotated));
        }
        frame
    }

    /// The transformation `t` seconds after the start that contains the falls only.
    pub(crate) fn fall_frame(&self, t: f64) -> Frame {
        let fall = |body: &FallingBody| (body.nodes.clone(), Fall::new(body.acceleration, t));
        Frame { rotating: Vec::new(), falling: self.falling.iter().map(fall).collect() }
    }
}

/// The support of a rotating body by springs.
struct SpringSupport {
    support: Support,
    /// The sum of the stiffnesses of the springs (N/m); infinite for a body without support.
    stiffness: f64,
}

impl SpringSupport {
    /// The support of a body with this flight. `None` if the body does not rotate, or if its joints are not on one axis.
    fn new(flight: &Flight) -> Option<Self> {
        let pivots = match flight {
            Flight::Straight => return None,
            Flight::Rigid => {
                return Some(Self { support: Support::Free, stiffness: f64::INFINITY });
            }
            Flight::Pivoted(pivots) => pivots,
        };
        let stiffness: f64 = pivots.iter().map(|pivot| pivot.stiffness).sum();
        let point = pivots.first()?.place;
        let longest_arm =
            pivots.iter().map(|pivot| pivot.place - point).fold(Vec3::ZERO, |longest, arm| {
                if arm.length_squared() > longest.length_squared() { arm } else { longest }
            });
        let Some(direction) = longest_arm.try_normalize() else {
            return Some(Self { support: Support::Point(point), stiffness });
        };
        let is_off_axis = |pivot: &Pivot| {
            let distance = direction.cross(pivot.place - point).length();
            distance > MAX_AXIS_DEVIATION * longest_arm.length()
        };
        let has_axis = !pivots.iter().any(is_off_axis);
        has_axis.then_some(Self { support: Support::Axis { point, direction }, stiffness })
    }
}

/// Indices of the bodies that may rotate as rigid bodies in free flight: none of their nodes is prescribed.
fn rotating_bodies(system: &System) -> impl Iterator<Item = usize> + '_ {
    let may_rotate = |b: &usize| {
        let body = &system.bodies()[*b];
        matches!(body.flight, Flight::Rigid | Flight::Pivoted(_)) && body.prescribed.is_empty()
    };
    (0..system.bodies().len()).filter(may_rotate)
}

/// The bodies, in ascending order, that fall in a uniform field at `time` (s): except for contact, no other external
/// force acts on them.
fn falling_bodies(system: &System, time: f64) -> Vec<FallingBody> {
    let falling_body = |b: usize| {
        let body = &system.bodies()[b];
        let acceleration = body.uniform_acceleration(time);
        let is_falling = body.falls && acceleration != Vec3::ZERO && body.is_free();
        is_falling.then(|| FallingBody { body: b, nodes: system.nodes(b), acceleration })
    };
    (0..system.bodies().len()).filter_map(falling_body).collect()
}
