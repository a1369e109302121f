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
mod lagged_loads;
mod load_step;
mod proximal_step;
mod slip;

use super::{NodePlace, StepFailure, StepRecord, World, WorldBody};
use contact::ContactStart;
pub use failure::SettleFailure;
use lagged_loads::Path;
pub use load_step::LoadStep;
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
    /// The states of all bodies at the start. Flow of every step begins with their history variables, so that flow away from
    /// equilibrium is undone.
    start_states: Vec<State>,
    /// The heat (J) of plastic flow of each body from the start to the end of the last step.
    plastic: Vec<f64>,
    /// The displacements (m) of the last step, if it had the longest length.
    displacements: Option<Vec<Vec<Vec3>>>,
    /// The displacements of the last step; `None` without [loads that lag](World::has_lagged_loads).
    path: Option<Path>,
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
            plastic: vec![0.0; start_states.len()],
            start_states,
            displacements: None,
            path: world.has_lagged_loads().then(Path::default),
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
        let mut motion = self.move_bodies(world)?;
        let displacement = motion.displacement;
        let is_still = displacement <= MAX_RELATIVE_CREEP_CHANGE * self.slip_length;
        let mut is_settled =
            !self.has_friction && is_still && self.is_balanced(world, motion.inertial_force);
        let mut max_change = None;
        let turns = self.path.as_mut().is_some_and(|path| path.turns(&motion.displacements));
        if turns {
            self.shorten(motion.step);
        } else if motion.step < self.longest {
            self.double_step(world, &motion);
        } else {
            max_change = self.record_displacements(std::mem::take(&mut motion.displacements));
            if self.has_steady_creep(displacement, max_change) {
                is_settled |= self.is_balanced(world, motion.inertial_force) || !self.lengthen();
            }
        }
        let counts_as_still = is_still && motion.step >= self.scene_step;
        self.still_steps = if counts_as_still { self.still_steps + 1 } else { 0 };
        if !is_settled && self.steps >= MAX_STEPS {
            return Err(self.unsettled(world, &motion));
        }
        let speed = displacement / self.scene_step;
        let settled = is_settled.then(|| Settled {
            residual_change: max_change.unwrap_or(displacement) / self.scene_step,
            smallest_distance: motion.record.observed.certificate.min_distance,
            ..self.certificate(world, speed)
        });
        Ok(SettlingStep { steps: self.steps, speed, settled })
    }

    /// Doubles the next step, up to the longest one, unless that would be too long with contact.
    fn double_step(&mut self, world: &World, motion: &SettlingMotion) {
        // A displacement grows at most as the square of the step.
        if !self.is_too_long(world, &motion.record, 4.0 * motion.displacement) {
            self.h = (2.0 * motion.step).min(self.longest);
        }
    }

    /// Limits further steps to half of the `step` (s).
    fn shorten(&mut self, step: f64) {
        self.longest = (0.5 * step).max(self.shortest);
        self.h = self.longest;
        (self.displacements, self.creep_steps) = (None, 0);
    }

    /// Counts a step of the longest length with this displacement (m) and largest change (m) of displacements. Returns
    /// whether the velocity is constant, or creep has lasted for [`MIN_CREEP_STEPS`].
    fn has_steady_creep(&mut self, displacement: f64, max_change: Option<f64>) -> bool {
        let is_slow = displacement <= self.slip_length;
        self.creep_steps = if is_slow { self.creep_steps + 1 } else { 0 };
        let max_steady_change = MAX_RELATIVE_CREEP_CHANGE * self.slip_length;
        let is_steady = is_slow && max_change.is_some_and(|change| change <= max_steady_change);
        is_steady || self.creep_steps >= MIN_CREEP_STEPS
    }

    /// The error after the maximum number of steps, the last of which caused this `motion`.
    fn unsettled(&self, world: &World, motion: &SettlingMotion) -> SettleFailure {
        let SettlingMotion { body, node, displacement, flows, step, .. } = *motion;
        let name = world.name(body).to_owned();
        let position = world.state(body).positions[node];
        SettleFailure::Moves {
            body: name.clone(),
            place: Box::new(NodePlace { body: name, node, position }),
            flows,
            has_lagged_loads: world.has_lagged_loads(),
            displacement,
            step,
            moved: largest_displacement(world, body, &self.start_states),
            steps: self.steps,
        }
    }

    /// The certificate of the present state without near pairs, with the largest `speed` of a node (m/s) in the last
    /// step.
    fn certificate(&self, world: &World, speed: f64) -> Settled {
        Settled {
            steps: self.steps,
            newton: self.newton,
            residual_speed: speed,
            residual_change: speed,
            smallest_distance: f64::INFINITY,
            moved: max_displacement(world, &self.start_states),
        }
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
    /// the previous such step; `None` without one.
    fn record_displacements(&mut self, displacements: Vec<Vec<Vec3>>) -> Option<f64> {
        let max_change = self.displacements.as_ref().map(|previous| {
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
            self.restore_history_variables(world);
            let result = world.step_from_rest(self.h, self.scene_step, self.origin.as_ref());
            let failure = match result {
                Ok(record) => {
                    self.newton += record.iterations as u64;
                    let displacement = max_displacement(world, states_before);
                    if self.h <= self.scene_step || !self.is_too_long(world, &record, displacement)
                    {
                        self.restore_motion(world);
                        self.plastic.clone_from(&record.plastic);
                        return Ok(record);
                    }
                    None
                }
                Err(failure) => Some(failure),
            };
            world.restore(states_before);
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

    /// Sets the history variables of all bodies to those at the start.
    fn restore_history_variables(&self, world: &mut World) {
        for (member, start) in world.members.iter_mut().zip(&self.start_states) {
            member.state.internal.clone_from(&start.internal);
        }
    }

    /// Sets velocities, memory and time of all bodies to those at the start, so that settling changes only positions and
    /// history variables.
    fn restore_motion(&self, world: &mut World) {
        for (member, start) in world.members.iter_mut().zip(&self.start_states) {
            let State { positions, internal, .. } = member.state.clone();
            member.state = State { positions, internal, ..start.clone() };
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
}

/// The largest displacement (m) of a node of a body from its position in the `reference` states.
fn largest_displacement(world: &World, body: usize, reference: &[State]) -> f64 {
    max_length(&differences(&world.state(body).positions, &reference[body].positions))
}

/// The largest displacement (m) of a node of any body from its position in the `reference` states.
fn max_displacement(world: &World, reference: &[State]) -> f64 {
    let displacements = (0..reference.len()).map(|b| largest_displacement(world, b, reference));
    displacements.fold(0.0, f64::max)
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
