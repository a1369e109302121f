//! Static equilibrium of the start, before time begins.
//!
//! Time stands still: what is prescribed or switched is as it is at the start. A step of
//! implicit Euler from rest, with all memory cleared, goes to
//!
//! ```text
//! argmin_u 1/2 |u - x|_m^2 + h^2 P(u) + h^2 D((u - x) / h)
//! ```
//!
//! which is a proximal step towards the minimum of the potential. Islands, contact, friction and
//! step bounds are those of every other step, so nothing crosses. As h grows, inertia vanishes
//! from it: steps grow until what inertia carries is a small part of the forces ([`balance`]). The slip speed shrinks as h grows, so that friction gives way over the same length
//! whatever h is, that of one step of the scene: a displacement of d is friction's answer to the speed
//! d / `time.step`, with which the body creeps on when time begins.

mod balance;
mod contact;
mod load_step;

use super::island::Solvers;
use super::{Collisions, StepFailure, StepRecord, World, WorldBody, WorldSettings};
use contact::ContactStart;
pub use load_step::LoadStep;
use resile_integrators::ImplicitEuler;
use resile_system::{State, Vec3};

/// Maximum step (s) with friction, until the balance of forces requires longer ones.
const LONGEST: f64 = 1.0;

/// Permitted difference of the displacements of consecutive steps, relative to the slip length.
const STEADY: f64 = 1e-3;

/// After how many steps of the longest length on end, all of them shorter than the slip length, what creeps may stay unsteady.
const CREEPING: u32 = 30;

/// The largest force that inertia may carry at a node, over the largest force on a node, for forces to be in balance.
const BALANCED: f64 = 1e-8;

/// By what factor steps grow while forces are not in balance.
const LENGTHENED: f64 = 4.0;

/// How often they do.
const MOST_LENGTHENINGS: u32 = 10;

/// The factor by which natural steps grow at first.
const GROWTH: f64 = 64.0;

/// Newton's tolerance over what the displacements of two steps may differ by.
const TOLERANCE: f64 = 0.1;

/// Steps after which the scene is said not to settle.
const MOST_STEPS: u64 = 1000;

/// Why there is no equilibrium to begin in.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SettleFailure {
    /// Something still moves when all steps are spent.
    #[error(
        "the scene did not settle in {steps} steps: \"{body}\" still moves by {displacement:.2e} m in a step of {step:.2e} s, \
         and is {moved:.2e} m from where it began; hold what falls or slides, or put it where something \
         carries it; a scene with `settle: true` may leave that out"
    )]
    Moves {
        /// The body of the node that moves farthest.
        body: String,
        /// How far it went in the last step (m).
        displacement: f64,
        /// The last step (s).
        step: f64,
        /// The largest distance (m) of a node of the body from where it began.
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
        /// What failed.
        cause: Box<StepFailure>,
    },
}

/// What is known of a start that has settled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    /// Steps taken.
    pub steps: u64,
    /// Newton iterations, those of steps that were thrown away included.
    pub newton: u64,
    /// How far the fastest node went in the last step, over `time.step` (m/s): how fast it
    /// creeps where friction holds it.
    pub residual_speed: f64,
    /// By how much a node's displacement in the last step differs from that in the step before, over
    /// `time.step` (m/s).
    pub residual_change: f64,
    /// Smallest distance between surfaces (m); infinite if nothing is near anything.
    pub smallest_distance: f64,
    /// The largest distance (m) of a node from where it began.
    pub moved: f64,
}

/// A step of settling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SettlingStep {
    /// Steps taken.
    pub steps: u64,
    /// How far the fastest node went in this one, over `time.step` (m/s).
    pub speed: f64,
    /// The certificate, if this was the last step.
    pub settled: Option<Settled>,
}

/// A world on its way to equilibrium, a step a call.
#[derive(Debug)]
pub struct Settling {
    /// The scene's step (s).
    unit: f64,
    /// The next step (s).
    h: f64,
    shortest: f64,
    /// The length (s) up to which steps grow whatever moves.
    longest: f64,
    /// How often steps may become longer than that.
    lengthenings: u32,
    /// Whether friction acts: bodies that it holds creep and have no equilibrium to approach.
    rubs: bool,
    /// The largest force (N) that inertia has carried at a node.
    load: f64,
    /// Where nodes began (m), and how fast (m/s).
    start: Vec<State>,
    /// The displacements (m) of the last step, if that was of the longest length.
    displacements: Option<Vec<Vec<Vec3>>>,
    /// Steps of the longest length on end that were shorter than the slip length.
    creeping: u32,
    /// Steps on end, of any length from the scene's on, in which nothing moved by a part of the slip length.
    still: u32,
    steps: u64,
    newton: u64,
    /// Which bodies settle, and how, if it is only their contact that has to.
    contact: Option<ContactStart>,
}

impl Settling {
    /// Begins where the world is; `step` (s) is that of the scene.
    pub fn new(world: &mut World, step: f64) -> Self {
        let natural = if world.rubs() { None } else { world.natural_step() };
        match natural {
            Some(natural) => Self::with_steps(world, step, [natural, natural * GROWTH]),
            None => Self::with_steps(world, step, [step, LONGEST.max(step)]),
        }
    }

    /// Begins with a step of the first length, which grows to the second one.
    fn with_steps(world: &World, unit: f64, [first, longest]: [f64; 2]) -> Self {
        let start = world.states();
        let shortest = first * 0.5f64.powi(world.settings.max_halvings as i32);
        Self {
            unit,
            h: first,
            shortest,
            longest,
            lengthenings: MOST_LENGTHENINGS,
            rubs: world.rubs(),
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

    /// Takes one step. Bodies have the velocities of the start at the end of it.
    ///
    /// # Errors
    /// If a step cannot be solved, or all steps are spent and something still moves.
    pub fn advance(&mut self, world: &mut World) -> Result<SettlingStep, SettleFailure> {
        match self.contact.take() {
            Some(contact) => self.advance_contact(contact, world),
            None => self.advance_all(world),
        }
    }

    fn advance_all(&mut self, world: &mut World) -> Result<SettlingStep, SettleFailure> {
        let before = world.states();
        let record = self.step(world, &before)?;
        self.steps += 1;
        let displacements: Vec<Vec<Vec3>> = (before.iter().enumerate())
            .map(|(b, old)| differences(&world.state(b).positions, &old.positions))
            .collect();
        let (body, displacement) =
            farthest(displacements.iter().map(|displacements| longest(displacements)));
        let moved = self.moved(world);
        let (limit, taken) = (world.slow() * self.unit, self.h);
        let is_still = displacement <= STEADY * limit;
        let carried = world.carried(&before, taken);
        self.load = self.load.max(carried);
        let mut rests = !self.rubs && is_still && self.is_balanced(world, carried);
        let mut change = f64::INFINITY;
        if taken < self.longest {
            // A displacement grows at most as the square of the step.
            if !world.goes_too_far(&record, 4.0 * displacement) {
                self.h = (2.0 * taken).min(self.longest);
            }
        } else {
            let last = self.displacements.replace(displacements.clone());
            change = last.map_or(f64::INFINITY, |last| {
                let changes =
                    displacements.iter().zip(&last).map(|(now, last)| differences(now, last));
                changes.map(|changes| longest(&changes)).fold(0.0, f64::max)
            });
            self.creeping = if displacement <= limit { self.creeping + 1 } else { 0 };
            let slow = displacement <= limit && change <= STEADY * limit;
            if slow || self.creeping >= CREEPING {
                rests |= self.is_balanced(world, carried) || !self.lengthen();
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
        let is_still = is_still && taken >= self.unit;
        self.still = if is_still { self.still + 1 } else { 0 };
        if settled.is_none() && self.steps >= MOST_STEPS {
            let (body, moved) = (world.name(body).to_owned(), moved[body]);
            return Err(SettleFailure::Moves {
                body,
                displacement,
                step: taken,
                moved,
                steps: self.steps,
            });
        }
        Ok(SettlingStep { steps: self.steps, speed: displacement / self.unit, settled })
    }

    /// Takes the step, or a shorter one if that cannot be solved, or goes too far.
    fn step(&mut self, world: &mut World, before: &[State]) -> Result<StepRecord, SettleFailure> {
        loop {
            let taken = world.still_step(self.h, self.unit);
            let failure = match taken {
                Ok(record) => {
                    self.newton += record.iterations as u64;
                    let displacements = (0..before.len()).map(|b| displacement(world, b, before));
                    let (_, displacement) = farthest(displacements);
                    if self.h <= self.unit || !world.goes_too_far(&record, displacement) {
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

    /// Whether forces are in balance after a step in which inertia `carried` so much (N).
    fn is_balanced(&self, world: &mut World, carried: f64) -> bool {
        carried <= BALANCED * self.load || carried <= BALANCED * world.largest_force()
    }

    /// Takes longer steps from here on, unless they are as long as they may be.
    fn lengthen(&mut self) -> bool {
        if self.lengthenings == 0 {
            return false;
        }
        self.lengthenings -= 1;
        self.longest *= LENGTHENED;
        self.h = self.longest;
        true
    }

    /// How far the farthest node of each body is from where it began (m).
    fn moved(&self, world: &World) -> Vec<f64> {
        (0..self.start.len()).map(|b| displacement(world, b, &self.start)).collect()
    }
}

impl World {
    fn states(&self) -> Vec<State> {
        self.members.iter().map(|member| member.state.clone()).collect()
    }

    /// What is slow here (m/s): the slip speed, or the solver's tolerance where nothing collides.
    fn slow(&self) -> f64 {
        let collisions = self.collisions.as_ref();
        collisions.map_or(self.settings.tolerance, |collisions| collisions.friction.slip_speed)
    }

    /// Whether a step with a displacement (m) that long is too long: friction acts where bodies touched
    /// before the step, and what touches now has come as far without any.
    fn goes_too_far(&self, record: &StepRecord, displacement: f64) -> bool {
        let touches = record.observed.certificate.contacts > 0;
        touches && self.rubs() && displacement > self.d_hat()
    }

    fn rubs(&self) -> bool {
        self.collisions.as_ref().is_some_and(|all| !all.pairs.is_frictionless())
    }

    /// A step of `h` from rest while time stands still, with a slip length that is that of a
    /// step of `unit` (s). States are without memory afterwards, and their velocities without
    /// meaning.
    fn still_step(&mut self, h: f64, unit: f64) -> Result<StepRecord, StepFailure> {
        let time = self.members.first().map_or(0.0, |member| member.state.time);
        self.stop();
        let tolerance = TOLERANCE * STEADY * self.slow() * unit / h;
        let settings =
            WorldSettings { tolerance, max_halvings: 0, adaptive: None, ..self.settings };
        let collisions = self.collisions.clone();
        if let Some(Collisions { friction, gravity, .. }) = &mut self.collisions {
            friction.slip_speed *= unit / h;
            // Few bodies meet: those that do are found by where they went.
            *gravity = Vec3::ZERO;
        }
        let integrator = std::mem::replace(&mut self.integrator, Box::new(ImplicitEuler));
        let solvers =
            std::mem::replace(&mut self.solvers, Solvers::new(&settings, &self.interrupt));
        let settings = std::mem::replace(&mut self.settings, settings);
        let taken = self.step(h, time);
        (self.integrator, self.settings, self.solvers) = (integrator, settings, solvers);
        self.collisions = collisions;
        taken
    }
}

/// How far the farthest node of a body is from where it was (m).
fn displacement(world: &World, body: usize, before: &[State]) -> f64 {
    longest(&differences(&world.state(body).positions, &before[body].positions))
}

fn differences(now: &[Vec3], before: &[Vec3]) -> Vec<Vec3> {
    now.iter().zip(before).map(|(now, before)| *now - *before).collect()
}

fn longest(vectors: &[Vec3]) -> f64 {
    vectors.iter().map(|v| v.length()).fold(0.0, f64::max)
}

/// The first of the largest numbers, with its place.
fn farthest(displacements: impl Iterator<Item = f64>) -> (usize, f64) {
    displacements
        .enumerate()
        .fold((0, 0.0), |first, other| if other.1 > first.1 { other } else { first })
}
