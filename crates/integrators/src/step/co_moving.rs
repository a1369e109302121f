//! The frames in which energies are measured.
//!
//! Mechanics is the same in all inertial frames, but errors of energies are not: in the frame of the ground the energy
//! of a body on a ship is mostly that of the ship's motion, and changes by the velocity of the ship times each impulse.
//! Energy control, guards and the energy balance therefore describe each group of bodies that exchange force in a frame
//! with a velocity `V`, constant over the step,
//!
//! * that of the first prescribed nodes of its bodies with a common motion;
//! * otherwise that of the obstacles in contact, weighted by their forces;
//! * otherwise that of the targets of the first springs that hold one of its bodies, weighted by their stiffnesses;
//! * otherwise, without supports, that of its centre of mass at the start.
//!
//! In such a frame, with `p` the momentum and `m` the mass of the free nodes of a body,
//!
//! ```text
//! K' = K - V . p + m V^2 / 2
//! W' = W + h V . (mean over the path of sum grad P)   of prescribed motion: everything outside moves on by -V h
//! Q' = Q - V . J                                      of friction and damping, which take the momentum J
//! ```
//!
//! The difference of target and energy, which is the same in all frames, is carried from step to step. In the frame of
//! the ground the work is `W' + V . (change of p + J)`: the second term is that of the obstacle by the impulse of
//! the method.

use crate::step::Heat;
use crate::step::memory::EnergyControl;
use resile_math::Vec3;
use resile_system::{Links, System};

/// The frame of each body. Bodies without one have the frame of the ground.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CoMoving {
    /// The velocity (m/s) of the frame of each body.
    velocities: Vec<Vec3>,
    /// Whether the frame of each body is that of the centre of mass of its group.
    free: Vec<bool>,
}

impl CoMoving {
    /// The frames of the groups of `links`. `v` (m/s) are the velocities of all nodes at the start of the step; those
    /// of prescribed nodes are their mean velocities in the step between both `times` (s).
    pub(crate) fn new(system: &System, links: &Links, v: &[Vec3], times: [f64; 2]) -> Self {
        let bodies = system.bodies().len();
        let mut frames = Self { velocities: vec![Vec3::ZERO; bodies], free: vec![false; bodies] };
        for group in links.groups() {
            let velocity_of_support = support_velocity(system, links, v, &group, times);
            let velocity =
                velocity_of_support.unwrap_or_else(|| centre_velocity(system, v, &group));
            for b in group {
                (frames.velocities[b], frames.free[b]) = (velocity, velocity_of_support.is_none());
            }
        }
        frames
    }

    /// Whether all frames are at rest.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.velocities.iter().all(|velocity| *velocity == Vec3::ZERO)
    }

    /// The velocity (m/s) of the frame of a body.
    pub(crate) fn velocity(&self, body: usize) -> Vec3 {
        self.velocities.get(body).copied().unwrap_or(Vec3::ZERO)
    }

    /// Velocities (m/s) of all nodes in the frames of their bodies.
    pub(crate) fn relative(&self, system: &System, v: &[Vec3]) -> Vec<Vec3> {
        let mut relative = v.to_vec();
        for b in 0..self.velocities.len() {
            relative[system.nodes(b)].iter_mut().for_each(|v| *v -= self.velocity(b));
        }
        relative
    }

    /// The kinetic energy (J) of the free nodes of each body in its frame, if nodes move at `v` (m/s).
    pub(crate) fn kinetic(&self, system: &System, v: &[Vec3]) -> Vec<f64> {
        system.kinetic_by_body(&self.relative(system, v))
    }

    /// The part `K - K'` (J) of the kinetic energy of each body that is due to the motion of its frame, if nodes move
    /// at `v` (m/s).
    pub(crate) fn translation_energy(&self, system: &System, v: &[Vec3]) -> Vec<f64> {
        let body_energy = |b: usize| {
            let frame_velocity = self.velocity(b);
            let node_energy = |i: usize| {
                system.masses()[i]
                    * frame_velocity.dot(system.free_part(i, v[i] - 0.5 * frame_velocity))
            };
            system.nodes(b).map(node_energy).sum()
        };
        (0..system.bodies().len()).map(body_energy).collect()
    }

    /// `K - K'` (J) of each body without support, zero for others: targets decay towards the energy at rest on the
    /// ground or on the support.
    pub(crate) fn flight_energy(&self, system: &System, v: &[Vec3]) -> Vec<f64> {
        let energies = self.translation_energy(system, v).into_iter().zip(&self.free);
        energies.map(|(energy, free)| if *free { energy } else { 0.0 }).collect()
    }

    /// The part (J) of the change of energy of each body without support that is due to the motion of its frame:
    /// `V . (dp + J - h m g)` with the change dp of the momentum from velocities `v[0]` to `v[1]` (m/s) between both `times`
    /// (s) and the momentum J (N s) that friction and damping take (`impulse`). It is zero if the impulses of a method
    /// are those of the forces in the step. Zero for bodies with a support.
    pub(crate) fn flight_work(
        &self,
        system: &System,
        v: [&[Vec3]; 2],
        impulse: &[Vec3],
        times: [f64; 2],
    ) -> Vec<f64> {
        let mut work = self.momentum_change_work(system, |i| v[1][i] - v[0][i]);
        for (b, work) in work.iter_mut().enumerate() {
            let body = &system.bodies()[b];
            let mass: f64 = body.masses.iter().sum();
            let fall = body.uniform_acceleration(times[1]) * (mass * (times[1] - times[0]));
            *work += self.velocity(b).dot(impulse[b] - fall);
            if !self.free[b] {
                *work = 0.0;
            }
        }
        work
    }

    /// `V . p` (J) of each body, `p` being the momentum of a `change` (m/s) of its free nodes' velocities.
    pub(crate) fn momentum_change_work(
        &self,
        system: &System,
        change: impl Fn(usize) -> Vec3,
    ) -> Vec<f64> {
        let body_work = |b: usize| {
            let frame_velocity = self.velocity(b);
            let node_work =
                |i: usize| system.masses()[i] * frame_velocity.dot(system.free_part(i, change(i)));
            system.nodes(b).map(node_work).sum()
        };
        (0..system.bodies().len()).map(body_work).collect()
    }

    /// Transforms heat from the frame of the ground to the co-moving frames.
    pub(crate) fn heat_in_moving_frames(&self, heat: &Heat) -> Heat {
        self.transformed_heat(heat, -1.0)
    }

    /// Transforms heat from the co-moving frames to the frame of the ground.
    pub(crate) fn heat_in_ground_frame(&self, heat: &Heat) -> Heat {
        self.transformed_heat(heat, 1.0)
    }

    /// Transforms heat by `sign` times the work of the removed momentum at the velocity of the frame.
    fn transformed_heat(&self, heat: &Heat, sign: f64) -> Heat {
        let mut heat = heat.clone();
        for b in 0..self.velocities.len() {
            let total_work = sign * self.velocity(b).dot(heat.impulse[b]);
            heat.from_bodies[b] += total_work;
            heat.from_motion[b] -= total_work;
            let part = &mut heat.contact_damping;
            let part_work = sign * self.velocity(b).dot(part.impulse[b]);
            part.from_bodies[b] += part_work;
            part.from_motion[b] -= part_work;
        }
        heat
    }

    /// Transforms targets and means of bodies with the velocities `v` (m/s) from the frame of the ground to the
    /// co-moving frames.
    pub(crate) fn to_moving_frames(
        &self,
        system: &System,
        v: &[Vec3],
        control: &mut [EnergyControl],
    ) {
        for (body, energy) in control.iter_mut().zip(self.translation_energy(system, v)) {
            body.target -= energy;
            body.mean -= energy;
        }
    }

    /// Transforms targets and means of bodies with the velocities `v` (m/s) from the co-moving frames to the frame of
    /// the ground.
    pub(crate) fn to_ground_frame(
        &self,
        system: &System,
        v: &[Vec3],
        control: &mut [EnergyControl],
    ) {
        for (body, energy) in control.iter_mut().zip(self.translation_energy(system, v)) {
            body.target += energy;
            body.mean += energy;
        }
    }
}

/// The velocity (m/s) of the support of a group between both `times` (s), for nodal velocities `v` (m/s). It is that of
/// its first prescribed nodes with a common motion; otherwise that of the obstacles in contact, otherwise that of the
/// targets of the first springs that hold a body, otherwise zero if a body is attached to the ground. `None` without a
/// support.
pub(super) fn support_velocity(
    system: &System,
    links: &Links,
    v: &[Vec3],
    group: &[usize],
    times: [f64; 2],
) -> Option<Vec3> {
    let supported_body = group.iter().find(|&&b| !system.bodies()[b].prescribed.is_empty());
    if let Some(&body) = supported_body {
        let prescribed = &system.bodies()[body].prescribed;
        let first_node = system.nodes(body).start;
        let velocities: Vec<Vec3> = prescribed
            .iter()
            .filter(|hold| hold.motion == prescribed[0].motion)
            .map(|hold| hold.held.part(v[first_node + hold.node]))
            .collect();
        return Some(velocities.iter().sum::<Vec3>() / velocities.len() as f64);
    }
    if group.iter().any(|&b| links.touches_obstacle(b)) {
        return Some(links.obstacle_velocity(group).unwrap_or(Vec3::ZERO));
    }
    let mut terms = group.iter().flat_map(|&b| &system.bodies()[b].energies);
    if let Some(velocity) = terms.find_map(|term| term.support_velocity(times)) {
        return Some(velocity);
    }
    let is_free = group.iter().all(|&b| system.bodies()[b].is_free());
    (!is_free).then_some(Vec3::ZERO)
}

/// The velocity (m/s) of the centre of mass of a group.
fn centre_velocity(system: &System, v: &[Vec3], group: &[usize]) -> Vec3 {
    let nodes = || group.iter().flat_map(|&b| system.nodes(b));
    let mass: f64 = nodes().map(|i| system.masses()[i]).sum();
    nodes().map(|i| system.masses()[i] * v[i]).sum::<Vec3>() / mass
}
