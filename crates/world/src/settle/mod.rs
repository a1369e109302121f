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
mod load_step;
mod slip;

use super::island::Solvers;
use super::{Collisions, StepFailure, StepRecord, World, WorldBody, WorldSettings};
use contact::ContactStart;
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

/// Maximum number of these increases.
const MAX_LENGTHENINGS: u32 = 10;

/// Ratio of the longest to the first natural step.
const MAX_STEP_RATIO: f64 = 64.0;

/// Tolerance of Newton's method, relative to the permitted difference of the displacements of two steps.
const RELATIVE_TOLERANCE: f64 = 0.1;

/// Maximum number of steps.
const MAX_STEPS: u64 = 1000;

/// No equilibrium was found.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SettleFailure {
    /// A body still moves after the maximum number of steps.
    #[error(
        "the scene did not settle in {steps} steps: \"{body}\" still moves by {displacement:.2e} m in a step of {step:.2e} s, \
         and is {moved:.2e} m from where it began; hold what falls or slides, or put it where something \
         carries it"
    )]
    Moves {
        /// The body with the largest displacement.
        body: String,
        /// Displacement of the body in the last step (m).
        displacement: f64,
        /// The last step (s).
        step: f64,
        /// The largest displacement (m) of a node of the body from the start.
        moved: f64,
        /// Steps taken.
        steps: u64,
    },
    /// A step could not be solved.
    #[error(
        "step {step} of settling failed: {cause}; a start that is less compressed, or a larger \
         solver.max_iterations, may help"
    )]
    Step {
        /// Number of the step.
        step: u64,
        /// Error of the step.
        cause: Box<StepFailure>,
    },
}

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
    unit: f64,
    /// The next step (s).
    h: f64,
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
    /// The largest force of inertia (N) at a node so far.
    load: f64,
    /// Initial states.
    start: Vec<State>,
    /// The displacements (m) of the last step, if it had the longest length.
    displacements: Option<Vec<Vec<Vec3>>>,
    /// Consecutive steps of the longest length with displacements below the slip length.
    creeping: u32,
    /// Consecutive steps, at least as long as those of the scene, with displacements far below the slip length.
    still: u32,
    steps: u64,
    newton: u64,
    /// State of the settling of contact alone; `None` if the whole scene settles.
    contact: Option<ContactStart>,
}

impl Settling {
    /// Begins in the present state; `step` (s) is that of the scene.
    pub fn new(world: &mut World, step: f64) -> Self {
        let natural = if world.has_friction() { None } else { world.natural_step() };
        match natural {
            Some(natural) => Self::with_steps(world, step, [natural, natural * MAX_STEP_RATIO]),
            None => Self::with_steps(world, step, [step, MAX_FRICTIONAL_STEP.max(step)]),
        }
    }

    /// Begins in the present state, with the slip of a load step from `origin`.
    fn of_load_step(world: &mut World, step: f64, origin: Option<SlipOrigin>) -> Self {
        let Some(origin) = origin else { return Self::new(world, step) };
        let steps = match world.natural_step() {
            Some(natural) => [natural, natural * MAX_STEP_RATIO],
            None => [step, MAX_FRICTIONAL_STEP.max(step)],
        };
        let (slip_length, origin) = (origin.slip_length, Some(origin));
        Self { has_friction: false, slip_length, origin, ..Self::with_steps(world, step, steps) }
    }

    /// Begins with a step of the first length, which grows to the second one.
    fn with_steps(world: &World, unit: f64, [first, longest]: [f64; 2]) -> Self {
        let start = world.states();
        let slip_length = world.slow_speed() * unit;
        let shortest = first * 0.5f64.powi(world.settings.max_halvings as i32);
        Self {
            unit,
            h: first,
            shortest,
            longest,
            lengthenings: MAX_LENGTHENINGS,
            has_friction: world.has_friction(),
            origin: None,
            slip_length,
            load: 0.0,
            start,
            displacements: None,
            creeping: 0,
            still: 0,
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
        let before = world.states();
        let record = self.step(world, &before)?;
        if let Some(origin) = &mut self.origin {
            origin.follow(world);
        }
        self.steps += 1;
        let displacements: Vec<Vec<Vec3>> = (before.iter().enumerate())
            .map(|(b, old)| differences(&world.state(b).positions, &old.positions))
            .collect();
        let (body, displacement) =
            farthest(displacements.iter().map(|displacements| longest(displacements)));
        let moved = self.moved(world);
        let (limit, step) = (self.slip_length, self.h);
        let is_still = displacement <= MAX_RELATIVE_CREEP_CHANGE * limit;
        let largest_inertial_force = world.largest_inertial_force(&before, step);
        self.load = self.load.max(largest_inertial_force);
        let mut rests =
            !self.has_friction && is_still && self.is_balanced(world, largest_inertial_force);
        let mut change = f64::INFINITY;
        if step < self.longest {
            // A displacement grows at most as the square of the step.
            if !self.is_too_long(world, &record, 4.0 * displacement) {
                self.h = (2.0 * step).min(self.longest);
            }
        } else {
            let last = self.displacements.replace(displacements.clone());
            change = last.map_or(f64::INFINITY, |last| {
                let changes =
                    displacements.iter().zip(&last).map(|(now, last)| differences(now, last));
                changes.map(|changes| longest(&changes)).fold(0.0, f64::max)
            });
            self.creeping = if displacement <= limit { self.creeping + 1 } else { 0 };
            let slow = displacement <= limit && change <= MAX_RELATIVE_CREEP_CHANGE * limit;
            if slow || self.creeping >= MIN_CREEP_STEPS {
                rests |= self.is_balanced(world, largest_inertial_force) || !self.lengthen();
            }
        }
        let settled = rests.then(|| Settled {
            steps: self.steps,
            newton: self.newton,
            residual_speed: displacement / self.unit,
            residual_change: if change.is_finite() { change } else { displacement } / self.unit,
            smallest_distance: record.observed.certificate.min_distance,
            moved: moved.iter().copied().fold(0.0, f64::max),
        });
        let is_still = is_still && step >= self.unit;
        self.still = if is_still { self.still + 1 } else { 0 };
        if settled.is_none() && self.steps >= MAX_STEPS {
            let (body, moved) = (world.name(body).to_owned(), moved[body]);
            return Err(SettleFailure::Moves {
                body,
                displacement,
                step,
                moved,
                steps: self.steps,
            });
        }
        Ok(SettlingStep { steps: self.steps, speed: displacement / self.unit, settled })
    }

    /// Takes the step from the states `before`, or a shorter one if it cannot be solved or its displacement is too
    /// large.
    fn step(&mut self, world: &mut World, before: &[State]) -> Result<StepRecord, SettleFailure> {
        loop {
            let result = world.step_from_rest(self.h, self.unit, self.origin.as_ref());
            let failure = match result {
                Ok(record) => {
                    self.newton += record.iterations as u64;
                    let displacements = (0..before.len()).map(|b| displacement(world, b, before));
                    let (_, displacement) = farthest(displacements);
                    if self.h <= self.unit || !self.is_too_long(world, &record, displacement) {
                        for (member, start) in world.members.iter_mut().zip(&self.start) {
                            let State { positions, internal, .. } = member.state.clone();
                            member.state = State { positions, internal, ..start.clone() };
                        }
                        return Ok(record);
                    }
                    None
                }
                Err(failure) => Some(failure),
            };
            for (member, before) in world.members.iter_mut().zip(before) {
                member.state = before.clone();
            }
            let hopeless = |failure: &StepFailure| {
                self.h <= self.shortest || matches!(failure, StepFailure::Interrupted { .. })
            };
            if let Some(cause) = failure.filter(hopeless) {
                let (step, cause) = (self.steps + 1, Box::new(cause));
                return Err(SettleFailure::Step { step, cause });
            }
            self.h *= 0.5;
            (self.displacements, self.creeping) = (None, 0);
        }
    }

    /// Whether a step with this displacement (m) is too long: friction acts on contacts at the start of the step, so
    /// bodies with new contacts have moved without any.
    fn is_too_long(&self, world: &World, record: &StepRecord, displacement: f64) -> bool {
        let touches = record.observed.certificate.contacts > 0;
        touches && self.has_friction && displacement > world.d_hat()
    }

    /// Whether forces are in balance after a step with the force of inertia `largest_inertial_force` (N).
    fn is_balanced(&self, world: &mut World, largest_inertial_force: f64) -> bool {
        largest_inertial_force <= FORCE_TOLERANCE * self.load
            || largest_inertial_force <= FORCE_TOLERANCE * world.largest_force()
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

    /// The largest displacement of a node of each body from the start (m).
    fn moved(&self, world: &World) -> Vec<f64> {
        (0..self.start.len()).map(|b| displacement(world, b, &self.start)).collect()
    }
}

impl World {
    fn states(&self) -> Vec<State> {
        self.members.iter().map(|member| member.state.clone()).collect()
    }

    /// The speed of slow motion (m/s): the slip speed, or the tolerance of the solver without contact.
    fn slow_speed(&self) -> f64 {
        let collisions = self.collisions.as_ref();
        collisions.map_or(self.settings.tolerance, |collisions| collisions.friction.slip_speed)
    }

    fn has_friction(&self) -> bool {
        self.collisions.as_ref().is_some_and(|all| !all.pairs.is_frictionless())
    }

    /// A step of `h` from rest at constant time, with the slip length of a step of `unit` (s) or of an origin.
    /// Afterwards states have no memory and meaningless velocities.
    fn step_from_rest(
        &mut self,
        h: f64,
        unit: f64,
        origin: Option<&SlipOrigin>,
    ) -> Result<StepRecord, StepFailure> {
        let time = self.members.first().map_or(0.0, |member| member.state.time);
        self.stop_bodies();
        let tolerance = match origin {
            Some(origin) => {
                origin.mark(self, h);
                RELATIVE_TOLERANCE * MAX_RELATIVE_CREEP_CHANGE * origin.slip_length / h
            }
            None => RELATIVE_TOLERANCE * MAX_RELATIVE_CREEP_CHANGE * self.slow_speed() * unit / h,
        };
        let settings =
            WorldSettings { tolerance, max_halvings: 0, adaptive: None, ..self.settings };
        let collisions = self.collisions.clone();
        if let Some(Collisions { friction, gravity, .. }) = &mut self.collisions {
            friction.slip_speed *= unit / h;
            // Few bodies collide; the displacements show which.
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

/// The largest displacement of a node of a body (m).
fn displacement(world: &World, body: usize, before: &[State]) -> f64 {
    longest(&differences(&world.state(body).positions, &before[body].positions))
}

fn differences(now: &[Vec3], before: &[Vec3]) -> Vec<Vec3> {
    now.iter().zip(before).map(|(now, before)| *now - *before).collect()
}

fn longest(vectors: &[Vec3]) -> f64 {
    vectors.iter().map(|v| v.length()).fold(0.0, f64::max)
}

/// The first of the largest numbers, with its index.
fn farthest(displacements: impl Iterator<Item = f64>) -> (usize, f64) {
    displacements
        .enumerate()
        .fold((0, 0.0), |first, other| if other.1 > first.1 { other } else { first })
}
