//! Contact that begins in balance.
//!
//! Where bodies begin nearer to each other than `d_hat` the barrier pushes them by how near they are placed,
//! which says nothing of what presses on them: its energy is no energy of the scene. So before time begins the
//! bodies that touch something go where contact carries them, and all others stay where they are. What a body is
//! strained by at the start, it keeps: of its own forces (weight, strain, wind) each node feels, where it begins,
//!
//! ```text
//! m_i a,   a = sum_i f_i / sum_i m_i,
//! ```
//!
//! the acceleration of the whole body, and only changes of strain besides. So the solids of a stack sink
//! into each other's barrier and are held by friction, and a stretched sheet stays stretched.
//!
//! Balance is found as the whole scene [settles](super). What cannot be carried near the place where it begins, since it
//! falls, slides, or sags by more than gaps, is put back, and its contact is relieved alone: in so short a time that what falls
//! freely goes no farther than a part of `d_hat`, contact comes down, by steps from rest, to what the weight asks of it.

use super::{LONGEST, SettleFailure, Settled, Settling, SettlingStep, World};
use crate::StepFailure;
use resile_contact::{ContactForces, Role};
use resile_energy::{Force, Schedule};
use resile_system::{Held, Motion, Path, Prescribed, Vec3};

/// How far what nothing carries may fall while its contact is relieved, over `d_hat`.
const FALL: f64 = 0.25;

/// Steps in which contact is relieved.
const RELIEVING: u32 = 20;

/// Steps in which balance has to be found.
const MOST_STEPS: u64 = 100;

/// Steps on end, each as long as the scene's or longer, after which what has not moved is in balance. What presses on
/// nothing has no scale on which longer steps could be solved.
const STILL: u32 = 3;

/// Bodies in a row, each on the gaps below it, of which the last may move by as many `d_hat`.
const HIGHEST: usize = 20;

/// What settles where contact alone does.
#[derive(Debug)]
pub(super) struct ContactStart {
    /// Which bodies do.
    touching: Vec<bool>,
    /// What keeps the strain of each body as it is: forces (N) on its nodes.
    loads: Vec<Vec<(usize, Vec3)>>,
    /// The largest acceleration (m/s^2) that the own forces of a body that settles give it.
    acceleration: f64,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Towards balance.
    Balance,
    /// So many steps to go, of what has none near by.
    Relief(u32),
}

impl Settling {
    /// Begins where the world is, of which contact alone is to settle; `step` (s) is that of the scene. Nothing if no
    /// bodies are nearer to anything than `d_hat`.
    pub fn of_contact(world: &mut World, step: f64) -> Option<Self> {
        let touching = world.touching();
        if !touching.contains(&true) {
            return None;
        }
        let contact = ContactStart::of(world, touching);
        let steps = [step, LONGEST.max(step)];
        let all = Self::with_steps(world, step, steps);
        Some(Self { contact: Some(contact), lengthenings: 0, ..all })
    }

    pub(super) fn advance_contact(
        &mut self,
        mut contact: ContactStart,
        world: &mut World,
    ) -> Result<SettlingStep, SettleFailure> {
        let held = contact.begin(world);
        let taken = match contact.phase {
            Phase::Balance => self.advance_all(world),
            Phase::Relief(_) => self.relieve(world),
        };
        contact.end(world, held);
        let failed = matches!(taken, Err(ref failure) if !is_interruption(failure));
        let mut step = match taken {
            Err(failure) if !failed => {
                self.contact = Some(contact);
                return Err(failure);
            }
            Err(_) => SettlingStep { steps: self.steps, speed: 0.0, settled: None },
            Ok(step) => step,
        };
        if contact.phase == Phase::Balance && !failed && self.still >= STILL {
            let settled = || self.settled(world, step.speed);
            step.settled = step.settled.or_else(|| Some(settled()));
        }
        match contact.phase {
            Phase::Balance if failed || self.is_lost(&contact, world, &step) => {
                step.settled = None;
                contact.phase = Phase::Relief(RELIEVING);
                self.go_back(world);
                self.h = contact.relief(world, self.unit);
            }
            Phase::Relief(_) if failed => {
                self.go_back(world);
                step.settled = Some(self.as_placed());
            }
            Phase::Balance | Phase::Relief(0) => {}
            Phase::Relief(left) => {
                step.settled = step.settled.filter(|_| left == 1);
                contact.phase = Phase::Relief(left - 1);
            }
        }
        if step.settled.is_some() && contact.takes_in(&world.touching()) {
            step.settled = None;
            self.go_back(world);
            self.h = self.unit;
            contact = ContactStart::of(world, contact.touching);
        }
        if step.settled.is_none() {
            self.contact = Some(contact);
        }
        Ok(step)
    }

    /// Whether something has gone farther than contact could have pushed it, or balance is not found.
    fn is_lost(&self, contact: &ContactStart, world: &World, step: &SettlingStep) -> bool {
        let together = contact.touching.iter().filter(|touches| **touches).count().min(HIGHEST);
        let reach = world.d_hat() * together as f64;
        let far = self.moved(world).into_iter().any(|moved| moved > reach);
        far || (step.settled.is_none() && self.steps >= MOST_STEPS)
    }

    /// A short step from rest.
    fn relieve(&mut self, world: &mut World) -> Result<SettlingStep, SettleFailure> {
        let before = world.states();
        let record = self.step(world, &before)?;
        self.steps += 1;
        let displacement =
            (0..before.len()).map(|b| super::displacement(world, b, &before)).fold(0.0, f64::max);
        let speed = displacement / self.unit;
        let smallest_distance = record.observed.certificate.min_distance;
        let settled = Settled { smallest_distance, ..self.settled(world, speed) };
        Ok(SettlingStep { steps: self.steps, speed, settled: Some(settled) })
    }

    /// What is known of a start after a step at the end of which nodes move at this speed (m/s) at most.
    fn settled(&self, world: &World, speed: f64) -> Settled {
        Settled {
            steps: self.steps,
            newton: self.newton,
            residual_speed: speed,
            residual_change: speed,
            smallest_distance: f64::INFINITY,
            moved: self.moved(world).into_iter().fold(0.0, f64::max),
        }
    }

    /// What is said where the start stays as it is placed.
    fn as_placed(&self) -> Settled {
        Settled {
            steps: self.steps,
            newton: self.newton,
            residual_speed: 0.0,
            residual_change: 0.0,
            smallest_distance: f64::INFINITY,
            moved: 0.0,
        }
    }

    fn go_back(&mut self, world: &mut World) {
        for (member, start) in world.members.iter_mut().zip(&self.start) {
            member.state = start.clone();
        }
        (self.displacements, self.creeping, self.still) = (None, 0, 0);
    }
}

fn is_interruption(failure: &SettleFailure) -> bool {
    let SettleFailure::Step { cause, .. } = failure else { return false };
    matches!(**cause, StepFailure::Interrupted { .. })
}

impl ContactStart {
    fn of(world: &mut World, touching: Vec<bool>) -> Self {
        let mut acceleration: f64 = 0.0;
        let loads = touching.iter().enumerate().map(|(b, touches)| match touches {
            false => Vec::new(),
            true => {
                let (whole, loads) = world.strain_loads(b);
                acceleration = acceleration.max(whole.length());
                loads
            }
        });
        let loads = loads.collect();
        Self { touching, loads, acceleration, phase: Phase::Balance }
    }

    /// Holds what does not settle and loads what does; returns what was prescribed.
    fn begin(&self, world: &mut World) -> Vec<Vec<Prescribed>> {
        let members = world.members.iter_mut().zip(&self.touching).zip(&self.loads);
        let one = |((member, touches), loads): ((&mut super::WorldBody, &bool), &Vec<_>)| {
            let before = member.body.prescribed.clone();
            if *touches {
                let load =
                    Force::new(member.body.node_count(), loads.clone(), Schedule::constant(1.0));
                member.body.energies.push(Box::new(load.expect("finite forces on nodes")));
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
            before
        };
        members.map(one).collect()
    }

    fn end(&self, world: &mut World, prescribed: Vec<Vec<Prescribed>>) {
        for ((member, touches), before) in
            world.members.iter_mut().zip(&self.touching).zip(prescribed)
        {
            member.body.prescribed = before;
            if *touches {
                member.body.energies.pop();
            }
        }
    }

    /// The step (s) by which contact is relieved.
    fn relief(&self, world: &World, unit: f64) -> f64 {
        let fall = FALL * world.d_hat() / f64::from(RELIEVING);
        if self.acceleration > 0.0 { (fall / self.acceleration).sqrt().min(unit) } else { unit }
    }

    /// Adds what touches now; says whether it is more than before.
    fn takes_in(&mut self, touching: &[bool]) -> bool {
        let mut more = false;
        for (own, touches) in self.touching.iter_mut().zip(touching) {
            more |= *touches && !*own;
            *own |= *touches;
        }
        more
    }
}

impl World {
    pub(super) fn d_hat(&self) -> f64 {
        self.collisions.as_ref().map_or(0.0, |collisions| collisions.barrier.d_hat)
    }

    /// Which bodies are nearer to something, or parts of them to each other, than `d_hat`. A search of the whole
    /// scene: O(n log n).
    fn touching(&self) -> Vec<bool> {
        let mut touching = vec![false; self.members.len()];
        let (Some(collisions), Some(scene)) = (&self.collisions, self.collision_scene()) else {
            return touching;
        };
        let x = self.of_all_nodes(|state| &state.positions);
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

    /// The acceleration (m/s^2) that the own forces of a body give it as a whole, and the forces (N) on its nodes with
    /// which each of them is accelerated like that.
    fn strain_loads(&mut self, body: usize) -> (Vec3, Vec<(usize, Vec3)>) {
        let super::WorldBody { body, state, .. } = &mut self.members[body];
        let x = &state.positions;
        let mut gradient = vec![Vec3::ZERO; x.len()];
        for energy in &mut body.energies {
            energy.set_time(state.time);
            energy.step_bound(&[Path::at(x)]);
            energy.add_gradient(x, 1.0, &mut gradient);
        }
        let mass: f64 = body.masses.iter().sum();
        let whole = -gradient.iter().sum::<Vec3>() / mass;
        let load = |i: usize| (i, gradient[i] + body.masses[i] * whole);
        (whole, (0..x.len()).map(load).collect())
    }
}
