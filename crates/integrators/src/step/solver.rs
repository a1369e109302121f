//! The solver of stages.

use crate::step::filters::Filters;
use crate::step::{Ending, TracedSolve, Unknowns};
use resile_solver::{Method, Minimiser, Newton, SolveError, SolveReport};
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
    pub(crate) interrupt: Interrupt,
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
