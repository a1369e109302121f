//! Initial equilibrium of contact.
//!
//! Bodies that start closer to each other than `d_hat` are pushed apart by the barrier. This force depends on their
//! placement, not on their load, and its energy is not part of the scene. Before the start, bodies in contact are
//! therefore moved to static equilibrium on their contacts; all others are fixed. The initial strain of a body is
//! preserved. At the initial positions, its own forces (weight, strain, wind) are replaced at each node by
//!
//! ```text
//! m_i a,   a = sum_i f_i / sum_i m_i,
//! ```
//!
//! the acceleration of the whole body, plus forces from changes of strain. The solids of a stack thus sink into
//! each other's barrier and are held by friction, and a stretched sheet stays stretched.
//!
//! The equilibrium is found by the [settling](super) of the whole scene. If bodies fall, slide or sag by more than a
//! few gaps, all return to their start, and the contact is only relieved. Steps from rest then reduce the contact forces towards
//! the weight. They are so short that a freely falling body moves by less than a fraction of `d_hat`.

use super::{
    MAX_FRICTIONAL_STEP, SettleFailure, Settled, Settling, SettlingStep, World, max_displacement,
};
use crate::StepFailure;
use resile_contact::{ContactForces, Role};
use resile_energy::{Force, Schedule};
use resile_system::{Held, Motion, Prescribed, Vec3};
use std::sync::Arc;

/// Fall of an unsupported body during the relief of contact, relative to `d_hat`.
const MAX_RELATIVE_FALL: f64 = 0.25;

/// Number of relief steps.
const RELIEF_STEPS: u32 = 20;

/// Maximum number of steps to equilibrium.
const MAX_STEPS: u64 = 100;

/// Number of consecutive steps, each at least as long as that of the scene, without motion after which equilibrium
/// is assumed. Without contact pressure there is no scale for longer steps.
const MIN_STILL_STEPS: u32 = 3;

/// Largest number of stacked bodies considered: the top one may move by this multiple of `d_hat`.
const MAX_STACK_HEIGHT: usize = 20;

/// State of the settling of contact alone.
#[derive(Debug)]
pub(super) struct ContactStart {
    /// Whether each body takes part.
    touching: Vec<bool>,
    /// Forces (N) on the nodes of each body that preserve its strain.
    loads: Vec<Vec<(usize, Vec3)>>,
    /// Largest acceleration (m/s^2) of a settling body by its own forces.
    acceleration: f64,
    phase: Phase,
}

/// Phase of the settling of contact alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Search for equilibrium.
    Balance,
    /// Relief of contact without a nearby equilibrium, with this number of remaining steps.
    Relief(u32),
}

impl Settling {
    /// Begins the settling of contact alone in the present state; `step` (s) is that of the scene. `None` if no gap
    /// is below `d_hat`.
    pub fn of_contact(world: &mut World, step: f64) -> Option<Self> {
        let touching = world.bodies_in_contact();
        if !touching.contains(&true) {
            return None;
        }
        let contact = ContactStart::new(world, touching);
        let steps = [step, MAX_FRICTIONAL_STEP.max(step)];
        let settling = Self::with_steps(world, step, steps);
        Some(Self { contact: Some(contact), lengthenings: 0, ..settling })
    }

    /// Takes one step for contact alone. If no equilibrium is found nearby, bodies return to their start and contact is
    /// relieved in short steps; if relief fails, the initial placement remains. If further bodies have come into contact
    /// at the end, a new search with these begins at the start.
    ///
    /// # Errors
    /// If the step was interrupted.
    pub(super) fn advance_contact(
        &mut self,
        mut contact: ContactStart,
        world: &mut World,
    ) -> Result<SettlingStep, SettleFailure> {
        let original_holds = contact.apply_holds_and_loads(world);
        let outcome = match contact.phase {
            Phase::Balance => self.advance_all(world),
            Phase::Relief(_) => self.relieve(world),
        };
        contact.remove_holds_and_loads(world, original_holds);
        let mut step = match outcome {
            Err(failure) if is_interruption(&failure) => {
                self.contact = Some(contact);
                return Err(failure);
            }
            Err(_) => self.after_failure(&mut contact, world),
            Ok(step) => self.after_step(&mut contact, world, step),
        };
        if step.settled.is_some() && contact.add_touching(&world.bodies_in_contact()) {
            step.settled = None;
            self.restore_start(world);
            self.h = self.scene_step;
            contact = ContactStart::new(world, contact.touching);
        }
        if step.settled.is_none() {
            self.contact = Some(contact);
        }
        Ok(step)
    }

    /// Determines the phase after a step that could be solved, and whether contact has settled: in equilibrium, or after
    /// the last step of relief. Begins relief if there is no equilibrium nearby.
    fn after_step(
        &mut self,
        contact: &mut ContactStart,
        world: &mut World,
        mut step: SettlingStep,
    ) -> SettlingStep {
        match contact.phase {
            Phase::Balance => {
                if step.settled.is_none() && self.still_steps >= MIN_STILL_STEPS {
                    step.settled = Some(self.certificate(world, step.speed));
                }
                if self.has_failed(contact, world, &step) {
                    step.settled = None;
                    self.begin_relief(contact, world);
                }
            }
            Phase::Relief(0) => {}
            Phase::Relief(remaining) => {
                step.settled = step.settled.filter(|_| remaining == 1);
                contact.phase = Phase::Relief(remaining - 1);
            }
        }
        step
    }

    /// Begins relief after a step of the search for equilibrium that could not be solved. After such a step of relief the
    /// initial placement remains.
    fn after_failure(&mut self, contact: &mut ContactStart, world: &mut World) -> SettlingStep {
        let settled = match contact.phase {
            Phase::Balance => {
                self.begin_relief(contact, world);
                None
            }
            Phase::Relief(_) => {
                self.restore_start(world);
                Some(self.certificate(world, 0.0))
            }
        };
        SettlingStep { steps: self.steps, speed: 0.0, settled }
    }

    /// Moves all bodies back to their start, from which contact is relieved in short steps.
    fn begin_relief(&mut self, contact: &mut ContactStart, world: &mut World) {
        contact.phase = Phase::Relief(RELIEF_STEPS);
        self.restore_start(world);
        self.h = contact.relief_step(world, self.scene_step);
    }

    /// Whether a body has moved farther than contact can push it, or no equilibrium was found in time.
    fn has_failed(&self, contact: &ContactStart, world: &World, step: &SettlingStep) -> bool {
        let stack_height =
            contact.touching.iter().filter(|touching| **touching).count().min(MAX_STACK_HEIGHT);
        let allowed_displacement = world.d_hat() * stack_height as f64;
        let moved_too_far = max_displacement(world, &self.start_states) > allowed_displacement;
        moved_too_far || (step.settled.is_none() && self.steps >= MAX_STEPS)
    }

    /// Takes a short step of relief from rest.
    fn relieve(&mut self, world: &mut World) -> Result<SettlingStep, SettleFailure> {
        let states_before = world.states();
        let record = self.step(world, &states_before)?;
        self.steps += 1;
        let speed = max_displacement(world, &states_before) / self.scene_step;
        let smallest_distance = record.observed.certificate.min_distance;
        let settled = Settled { smallest_distance, ..self.certificate(world, speed) };
        Ok(SettlingStep { steps: self.steps, speed, settled: Some(settled) })
    }

    /// Sets all bodies to their states at the start.
    fn restore_start(&mut self, world: &mut World) {
        world.restore(&self.start_states);
        (self.displacements, self.creep_steps, self.still_steps) = (None, 0, 0);
    }
}

/// Whether a step failed because it was interrupted.
fn is_interruption(failure: &SettleFailure) -> bool {
    let SettleFailure::Step { cause, .. } = failure else { return false };
    matches!(**cause, StepFailure::Interrupted { .. })
}

impl ContactStart {
    /// The search for equilibrium of the bodies that are `touching`.
    fn new(world: &mut World, touching: Vec<bool>) -> Self {
        let mut acceleration: f64 = 0.0;
        let body_loads = touching.iter().enumerate().map(|(b, touches)| match touches {
            false => Vec::new(),
            true => {
                let (net_acceleration, loads) = world.strain_loads(b);
                acceleration = acceleration.max(net_acceleration.length());
                loads
            }
        });
        let loads = body_loads.collect();
        Self { touching, loads, acceleration, phase: Phase::Balance }
    }

    /// Fixes all nodes of bodies that do not take part, and adds the force of `loads` to those that do, as their last
    /// energy. Returns the original prescribed nodes of each body.
    fn apply_holds_and_loads(&self, world: &mut World) -> Vec<Vec<Prescribed>> {
        let members = world.members.iter_mut().zip(&self.touching).zip(&self.loads);
        let apply = |((member, touches), loads): ((&mut super::WorldBody, &bool), &Vec<_>)| {
            let original = member.body.prescribed.clone();
            if *touches {
                let load =
                    Force::new(member.body.node_count(), loads.clone(), Schedule::constant(1.0));
                member.body.energies.push(Arc::new(load.expect("finite forces on nodes")));
            } else if member.role == Role::Simulated {
                let nodes = member.state.positions.iter().enumerate();
                let hold = |(node, x): (usize, &Vec3)| Prescribed {
                    node,
                    start: *x,
                    motion: Motion::Fixed,
                    until: None,
                    held: Held::All,
                };
                member.body.prescribed = nodes.map(hold).collect();
            }
            original
        };
        members.map(apply).collect()
    }

    /// Undoes [`apply_holds_and_loads`](Self::apply_holds_and_loads): restores the prescribed nodes of each body, and
    /// removes the load, which is the last energy of a body that takes part.
    fn remove_holds_and_loads(&self, world: &mut World, prescribed: Vec<Vec<Prescribed>>) {
        for ((member, touches), original) in
            world.members.iter_mut().zip(&self.touching).zip(prescribed)
        {
            member.body.prescribed = original;
            if *touches {
                member.body.energies.pop();
            }
        }
    }

    /// The step (s) of the relief of contact, at most `scene_step` (s): in [`RELIEF_STEPS`] steps from rest a body
    /// falls by less than [`MAX_RELATIVE_FALL`] of `d_hat`.
    fn relief_step(&self, world: &World, scene_step: f64) -> f64 {
        let fall = MAX_RELATIVE_FALL * world.d_hat() / f64::from(RELIEF_STEPS);
        if self.acceleration > 0.0 {
            (fall / self.acceleration).sqrt().min(scene_step)
        } else {
            scene_step
        }
    }

    /// Adds the bodies that are `touching` to those that take part; returns whether there are new ones.
    fn add_touching(&mut self, touching: &[bool]) -> bool {
        let mut has_new = false;
        for (takes_part, touches) in self.touching.iter_mut().zip(touching) {
            has_new |= *touches && !*takes_part;
            *takes_part |= *touches;
        }
        has_new
    }
}

impl World {
    /// The activation distance of contact (m); zero without contact.
    pub(super) fn d_hat(&self) -> f64 {
        self.collisions.as_ref().map_or(0.0, |collisions| collisions.barrier.d_hat)
    }

    /// Whether each free body has a gap below `d_hat`, including self-contact. Takes a search of the whole scene:
    /// O(n log n).
    fn bodies_in_contact(&self) -> Vec<bool> {
        let mut touching = vec![false; self.members.len()];
        let (Some(collisions), Some(scene)) = (&self.collisions, self.collision_scene()) else {
            return touching;
        };
        let x = self.concatenated(|state| &state.positions);
        let v = vec![Vec3::ZERO; x.len()];
        let forces = ContactForces::new(&scene, &collisions.barrier, &collisions.friction, &x, &v);
        for collider in forces.pairs.iter().flat_map(|pair| pair.colliders) {
            let is_free = |member: &super::WorldBody| {
                member.role == Role::Simulated && !member.body.is_held()
            };
            if self.members.get(collider).is_some_and(is_free) {
                touching[collider] = true;
            }
        }
        touching
    }

    /// The acceleration (m/s^2) of a body as a whole by its own forces, and the additional forces (N) on its nodes that
    /// give each node this acceleration.
    fn strain_loads(&self, index: usize) -> (Vec3, Vec<(usize, Vec3)>) {
        let member = &self.members[index];
        let super::WorldBody { body, state, .. } = member;
        let x = &state.positions;
        let mut gradient = vec![Vec3::ZERO; x.len()];
        for energy in member.energies() {
            energy.add_gradient(state.time, x, 1.0, &mut gradient);
        }
        let mass: f64 = body.masses.iter().sum();
        let acceleration = -gradient.iter().sum::<Vec3>() / mass;
        let load = |i: usize| (i, gradient[i] + body.masses[i] * acceleration);
        (acceleration, (0..x.len()).map(load).collect())
    }
}
