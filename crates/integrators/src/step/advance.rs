//! A method, and a step of it from one state to the next.

use super::retry::Attempts;
use super::{Ending, Step, StepEnd, StepReport, TracedSolve, Unknowns};
use crate::error::StepError;
use crate::filter::Filters;
use crate::free_flight::{FreeFlight, Limits};
use crate::guard;
use crate::parameters::ParameterError;
use crate::plastic;
use crate::restitution;
use crate::stamp;
use crate::target::Scope;
use resile_solver::{Method, Minimiser, Newton, SolveError, SolveReport};
use resile_system::{Memory, RecordFormat, State, System};
use resile_watch::{Interrupt, Job};

/// How often a stage is solved again with the normal forces of friction at its end, by default.
pub const FRICTION_ROUNDS: u32 = 3;

/// What minimises stages, with the tolerance that the physics sets.
///
/// One belongs to each set of bodies that is solved together: the minimisers keep the
/// patterns and buffers of the system they solved last. Integrators see no more of it than
/// [`Step::solve`]; which [`Method`] minimises is chosen here.
#[derive(Debug)]
pub struct StageSolver {
    /// Of positions.
    pub(super) positions: Box<dyn Minimiser>,
    /// Of velocities alone, always by Newton's method: their matrices have another pattern.
    pub(super) velocities: Newton,
    /// Of velocity corrections.
    pub(super) filters: Filters,
    /// A solve ends when its step, as a velocity over the time step, is below
    /// this (m/s, max norm over coordinates). ASEARCH, section 5, has 0.01.
    pub tolerance: f64,
    /// How often a stage that takes its forces at its end is solved again, at most, with the normal forces of
    /// friction at the solution before; zero leaves them to those at the start of the step.
    pub friction_rounds: u32,
    interrupt: Interrupt,
    /// The solves since they were last asked for, if they are listed.
    trace: Option<Vec<TracedSolve>>,
}

impl StageSolver {
    /// A solver without buffers yet.
    pub fn new(tolerance: f64, method: impl Into<Method>) -> Self {
        let method = method.into();
        let (positions, velocities) = (method.minimiser(), Newton::new(method.newton()));
        let (filters, interrupt) = (Filters::default(), Interrupt::new());
        let friction_rounds = FRICTION_ROUNDS;
        let trace = None;
        Self { positions, velocities, filters, tolerance, friction_rounds, interrupt, trace }
    }

    /// The solver with so many [rounds of friction](Self::friction_rounds).
    #[must_use]
    pub fn with_friction_rounds(self, friction_rounds: u32) -> Self {
        Self { friction_rounds, ..self }
    }

    /// The solver with steps that end when `interrupt` is raised: it is looked at before each, and
    /// in every iteration and line search.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.positions.set_interrupt(interrupt);
        self.velocities.set_interrupt(interrupt);
        self.interrupt = interrupt.clone();
        self
    }

    /// Notes in `job` from now on how far a solve for positions is.
    pub fn tell(&mut self, job: &Job) {
        self.positions.tell(job);
    }

    /// Lists the iterations of all solves from now on, or no more. Results are the same to the bit; without a list
    /// nothing is allocated.
    pub fn trace(&mut self, on: bool) {
        self.positions.trace(on);
        self.velocities.trace(on);
        self.trace = on.then(Vec::new);
    }

    /// The solves that were listed since the last call, those of failed and repeated steps too.
    pub fn take_solves(&mut self) -> Vec<TracedSolve> {
        self.trace.as_mut().map_or_else(Vec::new, std::mem::take)
    }

    /// Notes a solve at a time (s) with a step (s).
    pub(super) fn note(
        &mut self,
        unknowns: Unknowns,
        [time, step]: [f64; 2],
        solved: &Result<SolveReport, SolveError>,
    ) {
        let Some(trace) = &mut self.trace else { return };
        let iterations = match unknowns {
            Unknowns::Positions => self.positions.take_iterations(),
            Unknowns::Velocities => self.velocities.take_iterations(),
        };
        let ending = Ending::of(solved);
        trace.push(TracedSolve { time, step, unknowns, iterations, ending });
    }
}

/// A method that advances a system in time: a plain description, whose memory is in the state.
pub trait Integrator: Send + Sync {
    /// What tables and plots call the method.
    fn name(&self) -> &str;

    /// Whether the method acts with the forces at the start of a step, too, and loses the
    /// energy of what it does not resolve: then it must not gain any where bodies touch.
    fn damps_from_start(&self) -> bool {
        false
    }

    /// The angle (rad) up to which a body may turn in a step and still be followed from the path on
    /// which it would turn freely, wherever it touches another one. What touches near the axis
    /// about which it turns may turn farther.
    fn turns_in_contact(&self) -> f64 {
        0.0
    }

    /// The angle (rad) up to which a body that joints hold in place may turn in a step and still be
    /// followed from the path on which it would turn about them.
    fn turns_on_supports(&self) -> f64 {
        0.0
    }

    /// Whether the method itself takes what falls in a uniform field along its parabola: one-step methods of second
    /// order do. All others are followed from free fall.
    fn falls_exactly(&self) -> bool {
        self.order() >= 2 && !self.is_multistep()
    }

    /// Whether the method is implicit Euler with corrected velocities, and does not correct those of bodies that bounce.
    /// The steps of other methods are repeated by implicit Euler where a body bounces.
    fn lets_bounce(&self) -> bool {
        false
    }

    /// Over which bodies the method keeps the energy in sum: all of them have to be solved
    /// together then.
    fn scope(&self) -> Scope {
        Scope::Island
    }

    /// The limits of alpha, for methods that choose one.
    fn alpha_limits(&self) -> Option<[f64; 2]> {
        None
    }

    /// The energy target of each body (J) in a state that the method has left, if it has one.
    fn energy_targets(&self, _state: &State) -> Option<Vec<f64>> {
        None
    }

    /// Whether a step depends on more than positions and velocities at its start, by what the
    /// step before has left.
    fn is_multistep(&self) -> bool {
        false
    }

    /// By what factor an adaptive step may be longer than the last one after two halves of that:
    /// less for methods that look at the step before, which was half as long.
    fn largest_growth(&self) -> f64 {
        2.0
    }

    /// The order of positions and velocities on smooth problems: errors over a given time fall as
    /// this power of the step.
    fn order(&self) -> u32;

    /// Whether each step comes with an [estimate](StepReport::error) of its error.
    fn estimates_its_error(&self) -> bool {
        false
    }

    /// That the method is one with these parameters; asked before each step.
    ///
    /// # Errors
    /// What is wrong with them.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    /// The formats of the records that the method leaves in the [memory](State::memory) of a state, and reads in the next
    /// step. A state from a file that has other records is refused before the method reads it.
    fn records(&self) -> Vec<RecordFormat> {
        Vec::new()
    }

    /// The end of `step`. Velocities of prescribed nodes need not be
    /// set: where a prescribed motion leads is known, and so is how fast.
    ///
    /// # Errors
    /// If a stage could not be solved, or an explicit move is not free.
    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError>;
}

/// Advances `state` by `h` seconds. On error the state is as it was.
///
/// A caller may change positions and velocities between steps: methods that remember something
/// notice, and begin anew.
///
/// # Errors
/// If the method could not take the step, or is none with its parameters.
pub fn advance(
    integrator: &dyn Integrator,
    system: &mut System,
    solver: &mut StageSolver,
    state: &mut State,
    h: f64,
) -> Result<StepReport, StepError> {
    let end = state.time + h;
    advance_to(integrator, system, solver, state, h, end)
}

/// As [`advance`], to the time `end` (s), which is `h` later but for rounding.
///
/// Sums of steps and multiples of one differ in their last bits. What is switched at a
/// given time is felt and paid for in one and the same step if to the bit the end of each
/// step is the start of the next.
///
/// # Errors
/// If the method could not take the step.
pub fn advance_to(
    integrator: &dyn Integrator,
    system: &mut System,
    solver: &mut StageSolver,
    state: &mut State,
    h: f64,
    end: f64,
) -> Result<StepReport, StepError> {
    if let Some(cause) = solver.interrupt.cause() {
        let cause = SolveError::Interrupted { cause, iteration: 0, pairs: 0 };
        return Err(StepError::Solve { time: end, step: h, cause });
    }
    integrator.check().map_err(|cause| StepError::Parameters { step: h, cause })?;
    let anew =
        (!stamp::fits(system, state)).then(|| State { memory: Memory::default(), ..state.clone() });
    let begun = anew.as_ref().unwrap_or(state);
    system.set_internal(&begun.internal);
    let (mut next, mut report) = reached(integrator, system, solver, begun, h, end)?;
    plastic::flow(system, &mut next, &mut report);
    stamp::put(system, &mut next);
    *state = next;
    Ok(report)
}

/// Where a step from `state` leads.
fn reached(
    integrator: &dyn Integrator,
    system: &mut System,
    solver: &mut StageSolver,
    state: &State,
    h: f64,
    end: f64,
) -> Result<(State, StepReport), StepError> {
    let limits = Limits {
        in_contact: integrator.turns_in_contact(),
        on_supports: integrator.turns_on_supports(),
        falls: !integrator.falls_exactly(),
    };
    let mut flight = FreeFlight::from(system, state, h, limits);
    let mut attempts = Attempts::of(integrator);
    let mut thrown_away = SolveReport::default();
    let (next, mut report, struck) = loop {
        let mut step = Step::begin(system, solver, state, h, end, flight.clone());
        let reached = match attempts.begin(step.parting.contains(&true)) {
            true => guard::implicit_euler(&mut step)?,
            false => integrator.step(&mut step)?,
        };
        let struck = step.struck(&reached.state.positions);
        let (next, report) = step.finish(reached)?;
        let followed = flight.followed();
        flight = flight.without_touching(system, &next, [h; 2], limits);
        let meets = flight.followed() != followed;
        if !attempts.repeats_for_contact(meets, struck.contains(&true)) {
            if !(attempts.is_guarded() && guard::gains(system, [state, &next], &report)) {
                break (next, report, struck);
            }
            attempts.repeat_for_gain();
            let mut step = Step::begin(system, solver, state, h, end, flight);
            let again = guard::implicit_euler(&mut step)?;
            thrown_away.absorb(&report.solve);
            let (next, report) = step.finish(again)?;
            break (next, report, struck);
        }
        thrown_away.absorb(&report.solve);
    };
    report.solve.absorb(&thrown_away);
    report.repeats = attempts.into_repeats().map(|repeat| (repeat, h)).collect();
    let bounced = restitution::bounce(system, [state, &next], &report, &struck, solver.tolerance)?;
    Ok(bounced.unwrap_or((next, report)))
}
