//! The solver of stages.

use crate::step::filters::Filters;
use crate::step::{Ending, TracedSolve, Unknowns};
use resile_solver::{Method, Minimiser, Newton, SolveError, SolveReport};
use resile_watch::{Interrupt, Job};

/// Default of [`StageSolver::friction_rounds`].
pub const FRICTION_ROUNDS: u32 = 3;

/// Minimisers of stages, with their tolerance.
///
/// Each set of bodies that is solved together has one, because minimisers keep the sparsity patterns and buffers of
/// their last system. Integrators use it through [`Step::solve`](crate::Step::solve); the [`Method`] of minimisation is
/// chosen here.
#[derive(Debug)]
pub struct StageSolver {
    /// The minimiser for positions.
    pub(super) positions: Box<dyn Minimiser>,
    /// The minimiser for velocities, always Newton's method: the sparsity pattern differs from that for positions.
    pub(super) velocities: Newton,
    /// The filters of velocity corrections, with cached matrices.
    pub(super) filters: Filters,
    /// A solve ends when its step, as a velocity over the time step, is below this (m/s, max norm over coordinates).
    /// ASEARCH (section 5) uses 0.01.
    pub tolerance: f64,
    /// Maximum number of times that a stage with forces at its end is solved again, with the normal forces of friction
    /// at its previous solution. With zero, the normal forces of the start are used.
    pub friction_rounds: u32,
    /// Largest distance of blocked prescribed nodes from their targets, relative to the way of their motion in the
    /// [whole step](Self::begin_whole_step) (root mean squares over the nodes that are solved together). With zero they
    /// have to reach their targets.
    pub dirichlet_tolerance: f64,
    /// The lag (m) that is permitted in the [whole step](Self::begin_whole_step).
    pub(super) permitted_lag: Option<f64>,
    /// Ends steps and solves when it is raised.
    pub(crate) interrupt: Interrupt,
    /// Solves since the last [`take_solves`](Self::take_solves), if tracing is on.
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
        Self {
            positions,
            velocities,
            filters,
            tolerance,
            friction_rounds,
            dirichlet_tolerance: 0.0,
            permitted_lag: None,
            interrupt,
            trace,
        }
    }

    /// The solver with this [tolerance of Dirichlet conditions](Self::dirichlet_tolerance).
    #[must_use]
    pub fn with_dirichlet_tolerance(self, dirichlet_tolerance: f64) -> Self {
        Self { dirichlet_tolerance, ..self }
    }

    /// The solver with this number of [rounds of friction](Self::friction_rounds).
    #[must_use]
    pub fn with_friction_rounds(self, friction_rounds: u32) -> Self {
        Self { friction_rounds, ..self }
    }

    /// The solver with steps that end when `interrupt` is raised, which is polled before each step and in each
    /// iteration and line search.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.positions.set_interrupt(interrupt);
        self.velocities.set_interrupt(interrupt);
        self.interrupt = interrupt.clone();
        self
    }

    /// Reports the progress of solves for positions in `job`.
    pub fn set_progress(&mut self, job: &Job) {
        self.positions.set_progress(job);
    }

    /// Switches the recording of iterations of all solves on or off. Results are bitwise equal in both cases; without
    /// recording nothing is allocated.
    pub fn trace(&mut self, enabled: bool) {
        self.positions.trace(enabled);
        self.velocities.trace(enabled);
        self.trace = enabled.then(Vec::new);
    }

    /// The solves since the last call, including those of failed and repeated steps.
    pub fn take_solves(&mut self) -> Vec<TracedSolve> {
        self.trace.as_mut().map_or_else(Vec::new, std::mem::take)
    }

    /// Records the last solve, of a stage at `time` (s) in a step of `step` seconds, if tracing is on.
    pub(super) fn record_solve(
        &mut self,
        unknowns: Unknowns,
        [time, step]: [f64; 2],
        result: &Result<SolveReport, SolveError>,
    ) {
        let Some(trace) = &mut self.trace else { return };
        let iterations = match unknowns {
            Unknowns::Positions => self.positions.take_iterations(),
            Unknowns::Velocities => self.velocities.take_iterations(),
        };
        let ending = Ending::from_result(result);
        trace.push(TracedSolve { time, step, unknowns, iterations, ending });
    }
}
