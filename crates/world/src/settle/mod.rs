//! Static equilibrium of the initial state.
//!
//! Time is constant: prescribed motions and schedules have their values at the start. A step of implicit Euler from
//! rest, with all memory cleared, goes to
//!
//! ```text
//! argmin_u 1/2 |u - x|_m^2 + h^2 P(u) + h^2 D((u - x) / h)
//! ```
//!
//! which is a proximal step towards the minimum of the potential. Islands, contact, friction and step bounds are
//! those of ordinary steps, so there are no intersections. The inertia term decreases as h grows: steps grow until
//! the forces of inertia are a small part of all forces ([`balance`]). The slip speed decreases with h such that
//! the slip length of friction is that of one step of the scene: at a displacement of d friction acts as at the
//! speed d / `time.step`, with which the body then creeps in the run.
//! A load step of static analysis measures slip from its start instead (`slip.rs`).

mod balance;
mod contact;
mod failure;
mod load_step;
mod slip;

use super::island::Solvers;
use super::{Collisions, NodePlace, StepFailure, StepRecord, World, WorldBody, WorldSettings};
use contact::ContactStart;
pub use failure::SettleFailure;
pub use load_step::LoadStep;
use resile_integrators::ImplicitEuler;
use resile_system::{State, Vec3};
pub(crate) use slip::SlipOffset;
use slip::SlipOrigin;

/// Maximum step (s) with friction, until the balance of forces requires longer ones.
const MAX_FRICTIONAL_STEP: f64 = 1.0;

/// Permitted difference of the displacements of consecutive steps, relative to the slip length.
const MAX_RELATIVE_CREEP_CHANGE: f64 = 1e-3;

/// Number of consecutive steps of the longest length, with displacements below the slip length, after which creep
/// need not be steady.
const MIN_CREEP_STEPS: u32 = 30;

/// Largest force of inertia at a node in balance, relative to the largest force on a node.
const FORCE_TOLERANCE: f64 = 1e-8;

/// Growth factor of the longest step while forces are not in balance.
const STEP_GROWTH: f64 = 4.0;

/// Maximum number of times that the longest step grows by [`STEP_GROWTH`].
const MAX_LENGTHENINGS: u32 = 10;

/// Ratio of the longest to the first natural step.
const MAX_STEP_RATIO: f64 = 64.0;

/// Tolerance of Newton's method, relative to the permitted difference of the displacements of two steps.
const RELATIVE_TOLERANCE: f64 = 0.1;

/// Maximum number of steps.
const MAX_STEPS: u64 = 1000;

/// Certificate of an equilibrium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    /// Steps taken.
    pub steps: u64,
    /// Newton iterations, including those of rejected steps.
    pub newton: u64,
    /// The largest displacement of a node in the last step, over `time.step` (m/s): its speed of creep under friction.
    pub residual_speed: f64,
    /// The largest difference of the displacements of a node in the last two steps, over `time.step` (m/s).
    pub residual_change: f64,
    /// Smallest distance between surfaces (m); infinite if no pair is near.
    pub smallest_distance: f64,
    /// The largest displacement (m) of a node from the start.
    pub moved: f64,
}

/// A step of settling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SettlingStep {
    /// Steps taken.
    pub steps: u64,
    /// The largest displacement of a node in this step, over `time.step` (m/s).
    pub speed: f64,
    /// The certificate, if this was the last step.
    pub settled: Option<Settled>,
}

/// A search for equilibrium, one step per call.
#[derive(Debug)]
pub struct Settling {
    /// The scene's step (s).
    scene_step: f64,
    /// The next step (s).
    h: f64,
    /// The shortest step (s), after all halvings.
    shortest: f64,
    /// The length (s) up to which steps grow.
    longest: f64,
    /// Remaining increases of that length.
    lengthenings: u32,
    /// Whether friction acts: bodies that it holds creep and have no equilibrium to approach.
    has_friction: bool,
    /// Origin of slip; `None` to measure slip from the start of each step.
    origin: Option<SlipOrigin>,
    /// The slip length (m).
    slip_length: f64,
    /// The largest force of inertia (N) at a node so far, the scale of forces.
    load: f64,
    /// The states of all bodies at the start.
    start_states: Vec<State>,
    /// The displacements (m) of the last step, if it had the longest length.
    displacements: Option<Vec<Vec<Vec3>>>,
    /// Number of consecutive steps of the longest length with displacements below the slip length.
    creep_steps: u32,
    /// Number of consecutive steps, at least as long as those of the scene, with displacements far below the slip
    /// length.
    still_steps: u32,
    /// Steps taken.
    steps: u64,
    /// Newton iterations, including those of rejected steps.
    newton: u64,
    /// State of the settling of contact alone; `None` if the whole scene settles.
    contact: Option<ContactStart>,
}

/// The motion of all bodies in a step of settling.
struct SettlingMotion {
    record: StepRecord,
    /// The length of the step (s).
    step: f64,
    /// The displacements (m) of the nodes of each body.
    displacements: Vec<Vec<Vec3>>,
    /// The body with the largest displacement of a node.
    body: usize,
    /// The node of this body with the largest displacement.
    node: usize,
    /// The largest displacement (m) of a node.
    displacement: f64,
    /// Whether history variables of this body changed.
    flows: bool,
    /// The largest force of inertia (N) at a node.
    inertial_force: f64,
}

impl Settling {
    /// Begins in the present state; `step` (s) is that of the scene. Without friction the first step follows from the
    /// time scale of the initial forces.
    pub fn new(world: &mut World, step: f64) -> Self {
        let natural = if world.has_friction() { None } else { world.natural_step() };
        match natural {
            Some(natural) => Self::with_steps(world, step, [natural, natural * MAX_STEP_RATIO]),
            None => Self::with_steps(world, step, [step, MAX_FRICTIONAL_STEP.max(step)]),
        }
    }

    /// Begins in the present state, with the slip of a load step from `origin`.
    fn for_load_step(world: &mut World, step: f64, origin: Option<SlipOrigin>) -> Self {
        let Some(origin) = origin else { return Self::new(world, step) };
        let steps = match world.natural_step() {
            Some(natural) => [natural, natural * MAX_STEP_RATIO],
            None => [step, MAX_FRICTIONAL_STEP.max(step)],
        };
        let (slip_length, origin) = (origin.slip_length, Some(origin));
        Self { has_friction: false, slip_length, origin, ..Self::with_steps(world, step, steps) }
    }

    /// Begins in the present state of a scene with steps of `scene_step` (s). Steps of settling (s) grow from `first`
    /// to `longest`.
    fn with_steps(world: &World, scene_step: f64, [first, longest]: [f64; 2]) -> Self {
        let start_states = world.states();
        let slip_length = world.slow_speed() * scene_step;
        let shortest = first * 0.5f64.powi(world.settings.max_halvings as i32);
        Self {
            scene_step,
            h: first,
            shortest,
            longest,
            lengthenings: MAX_LENGTHENINGS,
            has_friction: world.has_friction(),
            origin: None,
            slip_length,
            load: 0.0,
            start_states,
            displacements: None,
            creep_steps: 0,
            still_steps: 0,
            steps: 0,
            newton: 0,
            contact: None,
        }
    }

    /// Takes one step. Afterwards bodies have their initial velocities.
    ///
    /// # Errors
    /// If a step cannot be solved, or a body still moves after the maximum number of steps.
    pub fn advance(&mut self, world: &mut World) -> Result<SettlingStep, SettleFailure> {
        match self.contact.take() {
            Some(contact) => self.advance_contact(contact, world),
            None => self.advance_all(world),
        }
    }

    /// Takes one step with all bodies, and decides whether they are in equilibrium.
    fn advance_all(&mut self, world: &mut World) -> Result<SettlingStep, SettleFailure> {
        let motion = self.move_bodies(world)?;
        let SettlingMotion { record, step, displacements, body, node, displacement, flows, .. } =
            motion;
        let inertial_force = motion.inertial_force;
        let total_displacements = self.displacements_from_start(world);
        let is_still = displacement <= MAX_RELATIVE_CREEP_CHANGE * self.slip_length;
        let mut is_settled =
            !self.has_friction && is_still && self.is_balanced(world, inertial_force);
        let mut max_change = f64::INFINITY;
        if step < self.longest {
            // The next step is twice as long. A displacement grows at most as the square of the step.
            if !self.is_too_long(world, &record, 4.0 * displacement) {
                self.h = (2.0 * step).min(self.longest);
            }
        } else {
            max_change = self.record_displacements(displacements);
            let is_slow = displacement <= self.slip_length;
            self.creep_steps = if is_slow { self.creep_steps + 1 } else { 0 };
            let is_steady = is_slow && max_change <= MAX_RELATIVE_CREEP_CHANGE * self.slip_length;
            if is_steady || self.creep_steps >= MIN_CREEP_STEPS {
                is_settled |= self.is_balanced(world, inertial_force) || !self.lengthen();
            }
        }
        let settled = is_settled.then(|| Settled {
            steps: self.steps,
            newton: self.newton,
            residual_speed: displacement / self.scene_step,
            residual_change: if max_change.is_finite() { max_change } else { displacement }
                / self.scene_step,
            smallest_distance: record.observed.certificate.min_distance,
            moved: total_displacements.iter().copied().fold(0.0, f64::max),
        });
        let counts_as_still = is_still && step >= self.scene_step;
        self.still_steps = if counts_as_still { self.still_steps + 1 } else { 0 };
        if settled.is_none() && self.steps >= MAX_STEPS {
            let name = world.name(body).to_owned();
            let position = world.state(body).positions[node];
            return Err(SettleFailure::Moves {
                body: name.clone(),
                place: Box::new(NodePlace { body: name, node, position }),
                flows,
                displacement,
                step,
                moved: total_displacements[body],
                steps: self.steps,
            });
        }
        Ok(SettlingStep { steps: self.steps, speed: displacement / self.scene_step, settled })
    }

    /// Takes the next step with all bodies, and measures its displacements and forces of inertia.
    fn move_bodies(&mut self, world: &mut World) -> Result<SettlingMotion, SettleFailure> {
        let states_before = world.states();
        let record = self.step(world, &states_before)?;
        if let Some(origin) = &mut self.origin {
            origin.move_new_contacts(world);
        }
        self.steps += 1;
        let displacements: Vec<Vec<Vec3>> = (states_before.iter().enumerate())
            .map(|(b, before)| differences(&world.state(b).positions, &before.positions))
            .collect();
        let (body, displacement) =
            first_largest(displacements.iter().map(|displacements| max_length(displacements)));
        let (node, _) = first_largest(displacements[body].iter().map(|v| v.length()));
        let flows = world.state(body).internal != states_before[body].internal;
        let step = self.h;
        let inertial_force = world.largest_inertial_force(&states_before, step);
        self.load = self.load.max(inertial_force);
        Ok(SettlingMotion {
            record,
            step,
            displacements,
            body,
            node,
            displacement,
            flows,
            inertial_force,
        })
    }

    /// Stores the displacements (m) of a step of the longest length. Returns their largest difference (m) from those of
    /// the previous such step; infinite without one.
    fn record_displacements(&mut self, displacements: Vec<Vec<Vec3>>) -> f64 {
        let max_change = self.displacements.as_ref().map_or(f64::INFINITY, |previous| {
            let changes = displacements
                .iter()
                .zip(previous)
                .map(|(current, previous)| differences(current, previous));
            changes.map(|changes| max_length(&changes)).fold(0.0, f64::max)
        });
        self.displacements = Some(displacements);
        max_change
    }

    /// Takes the step from `states_before`, or a shorter one if it cannot be solved or its displacement is too large.
    /// Afterwards bodies have the velocities and the memory that they had before settling.
    fn step(
        &mut self,
        world: &mut World,
        states_before: &[State],
    ) -> Result<StepRecord, SettleFailure> {
        loop {
            let result = world.step_from_rest(self.h, self.scene_step, self.origin.as_ref());
            let failure = match result {
                Ok(record) => {
                    self.newton += record.iterations as u64;
                    let displacements = (0..states_before.len())
                        .map(|b| largest_displacement(world, b, states_before));
                    let (_, displacement) = first_largest(displacements);
                    if self.h <= self.scene_step || !self.is_too_long(world, &record, displacement)
                    {
                        // Only positions and history variables change in settling.
                        for (member, start) in world.members.iter_mut().zip(&self.start_states) {
                            let State { positions, internal, .. } = member.state.clone();
                            member.state = State { positions, internal, ..start.clone() };
                        }
                        return Ok(record);
                    }
                    None
                }
                Err(failure) => Some(failure),
            };
            for (member, state) in world.members.iter_mut().zip(states_before) {
                member.state = state.clone();
            }
            let is_final = |failure: &StepFailure| {
                self.h <= self.shortest || matches!(failure, StepFailure::Interrupted { .. })
            };
            if let Some(cause) = failure.filter(is_final) {
                let (step, cause) = (self.steps + 1, Box::new(cause));
                return Err(SettleFailure::Step { step, cause });
            }
            self.h *= 0.5;
            (self.displacements, self.creep_steps) = (None, 0);
        }
    }

    /// Whether a step with this displacement (m) is too long: friction acts on contacts at the start of the step, so
    /// bodies with new contacts have moved without any.
    fn is_too_long(&self, world: &World, record: &StepRecord, displacement: f64) -> bool {
        let touches = record.observed.certificate.contacts > 0;
        touches && self.has_friction && displacement > world.d_hat()
    }

    /// Whether forces are in balance after a step with this largest force of inertia (N) at a node.
    fn is_balanced(&self, world: &World, inertial_force: f64) -> bool {
        inertial_force <= FORCE_TOLERANCE * self.load
            || inertial_force <= FORCE_TOLERANCE * world.largest_force()
    }

    /// Increases the longest step; false if the maximum is reached.
    fn lengthen(&mut self) -> bool {
        if self.lengthenings == 0 {
            return false;
        }
        self.lengthenings -= 1;
        self.longest *= STEP_GROWTH;
        self.h = self.longest;
        true
    }

    /// The largest displacement (m) of a node of each body from the start of settling.
    fn displacements_from_start(&self, world: &World) -> Vec<f64> {
        (0..self.start_states.len())
            .map(|b| largest_displacement(world, b, &self.start_states))
            .collect()
    }
}

impl World {
    /// The states of all bodies.
    fn states(&self) -> Vec<State> {
        self.members.iter().map(|member| member.state.clone()).collect()
    }

    /// The speed of slow motion (m/s): the slip speed, or the tolerance of the solver without contact.
    fn slow_speed(&self) -> f64 {
        let collisions = self.collisions.as_ref();
        collisions.map_or(self.settings.tolerance, |collisions| collisions.friction.slip_speed)
    }

    /// Whether a pair of colliders has friction.
    pub(super) fn has_friction(&self) -> bool {
        self.collisions.as_ref().is_some_and(|collisions| !collisions.pairs.is_frictionless())
    }

    /// Takes a step of `h` (s) from rest at constant time, with the slip length of a step of `scene_step` (s) or of an origin.
    /// Afterwards states have no memory and meaningless velocities.
    fn step_from_rest(
        &mut self,
        h: f64,
        scene_step: f64,
        origin: Option<&SlipOrigin>,
    ) -> Result<StepRecord, StepFailure> {
        let time = self.members.first().map_or(0.0, |member| member.state.time);
        self.stop_bodies();
        let tolerance = match origin {
            Some(origin) => {
                origin.store(self, h);
                RELATIVE_TOLERANCE * MAX_RELATIVE_CREEP_CHANGE * origin.slip_length / h
            }
            None => {
                RELATIVE_TOLERANCE * MAX_RELATIVE_CREEP_CHANGE * self.slow_speed() * scene_step / h
            }
        };
        let settings =
            WorldSettings { tolerance, max_halvings: 0, adaptive: None, ..self.settings };
        let collisions = self.collisions.clone();
        if let Some(Collisions { friction, gravity, .. }) = &mut self.collisions {
            friction.slip_speed *= scene_step / h;
            // Without gravity in the predicted sweeps few bodies are joined. Bodies that do collide are joined after
            // the solve.
            *gravity = Vec3::ZERO;
        }
        let integrator = std::mem::replace(&mut self.integrator, Box::new(ImplicitEuler));
        let solvers =
            std::mem::replace(&mut self.solvers, Solvers::new(&settings, &self.interrupt));
        let settings = std::mem::replace(&mut self.settings, settings);
        let record = self.step_keeping_slip(h, time);
        (self.integrator, self.settings, self.solvers) = (integrator, settings, solvers);
        self.collisions = collisions;
        record
    }
}

/// The largest displacement (m) of a node of a body from its position in the `reference` states.
fn largest_displacement(world: &World, body: usize, reference: &[State]) -> f64 {
    max_length(&differences(&world.state(body).positions, &reference[body].positions))
}

/// `a - b`, node by node.
fn differences(a: &[Vec3], b: &[Vec3]) -> Vec<Vec3> {
    a.iter().zip(b).map(|(a, b)| *a - *b).collect()
}

/// The largest length of a vector.
fn max_length(vectors: &[Vec3]) -> f64 {
    vectors.iter().map(|v| v.length()).fold(0.0, f64::max)
}

/// The first of the largest numbers, with its index. Numbers must not be negative.
fn first_largest(numbers: impl Iterator<Item = f64>) -> (usize, f64) {
    numbers.enumerate().fold((0, 0.0), |first, next| if next.1 > first.1 { next } else { first })
}
