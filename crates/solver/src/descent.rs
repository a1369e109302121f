//! The minimisation loop shared by all methods.

use crate::direction::{Directions, Matrix, Origin, Query};
use crate::error::{Quantity, SolveError};
use crate::failure::Failure;
use crate::iterate::Evaluation;
use crate::iteration::{Curvature, Outcome};
use crate::linear::{Unsolved, largest_node, max_norm};
use crate::minimiser::Workspace;
use crate::monitor::ConvergenceMonitor;
use crate::objective::Objective;
use crate::part;
use crate::prescribed::Prescription;
use crate::schedule::Schedule;
use crate::settings::NewtonSettings;
use crate::stop::StoppingCriterion;
use resile_linalg::cg::dot;
use resile_math::{Psd, Vec3};
use resile_watch::{SolveProgress, Stopwatch};
use std::ops::Range;

/// Steps below this many roundings of the positions count as zero: a difference of two positions has one rounding of
/// each, and the gradient sums about ten elements per node.
const STEP_ROUNDINGS: f64 = 8.0;

/// Result of an attempt at an iteration.
pub(crate) enum IterationResult {
    /// A step was taken.
    Moved,
    /// The step is below the tolerance.
    Converged,
}

/// One minimisation.
pub(crate) struct Descent<'a> {
    pub(crate) settings: NewtonSettings,
    pub(crate) stop: StoppingCriterion,
    /// Computes the search directions.
    pub(crate) finder: &'a mut dyn Directions,
    pub(crate) work: &'a mut Workspace,
    pub(crate) prescription: Prescription,
    /// The initial positions, if prescribed nodes have to move: the augmented Lagrangian restarts there if the path is
    /// blocked. `None` after that restart.
    pub(crate) start: Option<Vec<Vec3>>,
    pub(crate) schedule: Schedule,
    pub(crate) monitor: ConvergenceMonitor,
    /// Body node ranges that can be solved separately; empty if there are none.
    pub(crate) bodies: Vec<Range<usize>>,
    /// Bodies to solve separately before the next step of all nodes, ascending.
    pub(crate) separate_bodies: Vec<usize>,
}

impl Descent<'_> {
    /// Runs the minimisation; `work.current` is then the last point, also on errors.
    pub(crate) fn run(mut self, objective: &mut dyn Objective) -> Result<(), SolveError> {
        let solved = self.converge(objective);
        // Values computed after the interrupt was raised may be wrong.
        self.check_interrupt(objective)?;
        solved
    }

    /// Iterates until the method has converged, or a linearly converging one has taken its number of iterations.
    fn converge(&mut self, objective: &mut dyn Objective) -> Result<(), SolveError> {
        self.evaluate_start(objective)?;
        self.try_guess(objective);
        // Number of iterations with all prescribed nodes at their targets.
        let mut arrived_iterations = 0;
        for iteration in 1..=self.settings.max_iterations {
            self.work.report.iterations = iteration;
            self.check_interrupt(objective)?;
            self.evaluate_gradient(objective)?;
            self.linearise(objective);
            // Convergence is tested only once prescribed nodes have reached their targets.
            arrived_iterations += usize::from(self.prescription.has_arrived(&self.work.current.u));
            let iterated = self.iterate(objective);
            self.end_trace_row();
            let iterated = iterated.or_else(|error| self.try_augmented(objective, error));
            if let IterationResult::Converged = iterated? {
                return Ok(());
            }
            if let StoppingCriterion::Linear { max_iterations: Some(limit), .. } = self.stop
                && limit == arrived_iterations
            {
                self.work.report.unconverged = 1;
                return Ok(());
            }
            if self.monitor.is_shortened() {
                self.separate_bodies = part::bodies_limiting_step(&self.bodies, &self.work.step);
            }
            if !self.separate_bodies.is_empty() {
                self.solve_separately(objective)?;
            }
        }
        Err(SolveError::NotConverged {
            iterations: self.work.report.iterations,
            last_step: self.work.report.last_step,
            tolerance: self.monitor.tolerance(),
            node: largest_node(&self.work.step),
        })
    }

    /// Prepares the objective at the initial point and evaluates it there.
    ///
    /// # Errors
    /// If the value is not finite.
    fn evaluate_start(&mut self, objective: &mut dyn Objective) -> Result<(), SolveError> {
        self.work.end.clone_from(&self.work.current.u);
        self.bound_path(objective);
        let start = Stopwatch::start();
        self.work.current.evaluate(objective, Evaluation::ValueAndGradient);
        self.work.start_value = self.work.current.value;
        self.work.report.phases.line_search += start.elapsed();
        if !self.work.current.value.is_finite() {
            return Err(SolveError::NotFinite { quantity: Quantity::Value, iteration: 0 });
        }
        Ok(())
    }

    /// Reports progress, and returns an error if the interrupt was raised.
    fn check_interrupt(&self, objective: &dyn Objective) -> Result<(), SolveError> {
        let (iteration, pairs) = (self.work.report.iterations, objective.pair_count());
        self.work.job.note(SolveProgress { iteration, pairs, step: self.work.report.last_step });
        match self.work.interrupt.cause() {
            None => Ok(()),
            Some(cause) => Err(SolveError::Interrupted { cause, iteration, pairs }),
        }
    }

    /// Linearises the objective at the current point: from the previous iterate, or anew if the monitor requires the
    /// second derivative.
    fn linearise(&mut self, objective: &dyn Objective) {
        let previous = (!self.monitor.needs_restart()).then_some(&self.work.linearisation);
        self.work.linearisation = objective.linearise(&self.work.current.u, previous);
        self.monitor.record_iterate(self.work.linearisation.is_exact);
    }

    /// Moves to the objective's guess of the minimiser if its value and gradient are smaller and the path to it is free
    /// of collisions. With more pairs than nodes this is rare, and the collision search costs as much as that of a step;
    /// the guess is then not tried.
    fn try_guess(&mut self, objective: &mut dyn Objective) {
        if objective.pair_count() > objective.len() {
            return;
        }
        let start = Stopwatch::start();
        self.work.current.evaluate_gradient(objective);
        let guess = objective.guess(&self.work.current.u, &self.work.current.gradient);
        self.work.report.phases.assembly += start.elapsed();
        let Some(guess) = guess else { return };
        let displacements =
            self.work.current.u.iter().zip(&guess).map(|(current, guessed)| *guessed - *current);
        let largest_displacement =
            displacements.fold(0.0, |largest: f64, p| largest.max(p.length()));
        if largest_displacement <= self.monitor.tolerance() {
            return;
        }
        self.work.end.clone_from(&guess);
        if self.bound_path(objective) < 1.0 {
            return;
        }
        let start = Stopwatch::start();
        self.work.trial.u = guess;
        self.work.trial.evaluate(objective, Evaluation::ValueAndGradient);
        if self.work.trial.value < self.work.current.value
            && max_norm(&self.work.trial.gradient) < max_norm(&self.work.current.gradient)
        {
            self.monitor.record_decrease(self.work.current.value - self.work.trial.value);
            self.work.swap();
        }
        self.work.report.phases.line_search += start.elapsed();
    }

    /// Evaluates the gradient at the current point, records its norm, and begins a row of the trace. Returns an error if
    /// the gradient is not finite.
    fn evaluate_gradient(&mut self, objective: &dyn Objective) -> Result<(), SolveError> {
        let start = Stopwatch::start();
        self.work.current.evaluate_gradient(objective);
        self.work.report.phases.assembly += start.elapsed();
        let gradient_norm = max_norm(&self.work.current.gradient);
        self.monitor.record_gradient_norm(gradient_norm);
        self.work.trace.begin(self.work.current.value, gradient_norm, &self.work.report);
        match self.work.current.gradient.iter().position(|g| !g.is_finite()) {
            None => Ok(()),
            Some(node) => Err(SolveError::NotFinite {
                quantity: Quantity::Gradient { node },
                iteration: self.work.report.iterations,
            }),
        }
    }

    /// Performs one iteration with the kept matrix if it is accurate enough. Otherwise, or if that fails, uses the
    /// scheduled Hessian. If the scheduled Hessian is exact and fails, the iteration is repeated with the projected
    /// one.
    fn iterate(&mut self, objective: &mut dyn Objective) -> Result<IterationResult, SolveError> {
        let previous_step = self.work.report.last_step;
        if self.stop == StoppingCriterion::Quadratic && self.monitor.reuses_matrix(previous_step) {
            if let Ok(iterated) = self.attempt(objective, Matrix::Kept) {
                return Ok(iterated);
            }
            self.work.report.last_step = previous_step;
        }
        let psd = self.schedule.next();
        let failure = match self.attempt(objective, Matrix::Current(psd)) {
            Ok(iterated) => {
                if psd == Psd::Exact {
                    self.schedule.exact_succeeded();
                }
                return Ok(iterated);
            }
            Err(failure) => failure,
        };
        if psd == Psd::Clamp || !failure.projection_may_help() {
            return Err(self.solve_error(failure));
        }
        self.check_interrupt(objective)?;
        self.schedule.exact_failed();
        self.attempt(objective, Matrix::Current(Psd::Clamp))
            .map_err(|failure| self.solve_error(failure))
    }

    /// Computes a direction with `matrix` and attempts a step along it: a step of prescribed nodes until these are at
    /// their targets, otherwise a step of the minimisation or the test of convergence.
    fn attempt(
        &mut self,
        objective: &mut dyn Objective,
        matrix: Matrix,
    ) -> Result<IterationResult, Failure> {
        let previous_step = self.work.report.last_step;
        let origin = self.count_direction(objective, matrix)?;
        if !self.prescription.has_arrived(&self.work.current.u) {
            return self.move_prescribed(objective);
        }
        let slope = dot(&self.work.current.gradient, &self.work.step);
        let (gradient, step) = (&self.work.current.gradient, &self.work.step);
        self.separate_bodies = part::bodies_dominating_slope(slope, &self.bodies, gradient, step);
        if let StoppingCriterion::Linear { .. } = self.stop {
            return self.iterate_linear(objective, slope);
        }
        if self.work.report.last_step <= self.monitor.tolerance() && origin == Origin::Requested {
            if !self.monitor.is_contracting() && self.is_rounding(objective.free()) {
                return Ok(IterationResult::Converged);
            }
            if matrix != Matrix::Kept && !self.monitor.is_exact() {
                return self.take_intermediate_step(objective, slope, matrix);
            }
            return self.take_last_step(objective, slope, matrix, previous_step);
        }
        let descended = match slope >= 0.0 || slope.is_nan() {
            true => Err(1.0),
            false => {
                let halvings = self.settings.max_backtracks;
                self.descend(objective, slope, halvings, Evaluation::ValueAndGradient)
            }
        };
        match descended {
            Ok(()) => Ok(IterationResult::Moved),
            // A direction of little stiffness turns the rounding of the gradient into a long step.
            Err(_) if !slope.is_nan() && self.is_rounding(objective.free()) => {
                Ok(IterationResult::Converged)
            }
            Err(fraction) => Err(Failure::NoDescent { slope, fraction }),
        }
    }

    /// [Computes](Self::find_direction) the search direction, and records it in the report, the monitor and the trace.
    fn count_direction(
        &mut self,
        objective: &dyn Objective,
        matrix: Matrix,
    ) -> Result<Origin, Failure> {
        self.work.report.projected += usize::from(matrix == Matrix::Current(Psd::Clamp));
        let origin = self.find_direction(objective, matrix)?;
        self.work.report.kept += usize::from(matrix == Matrix::Kept);
        self.work.report.shifted += usize::from(origin == Origin::Shifted);
        self.monitor.record_direction(origin == Origin::Requested);
        self.trace_direction(matrix, origin);
        Ok(origin)
    }

    /// Takes a step of a linearly converging method, or reports convergence: the step is rounding, the estimated error
    /// after it is within the tolerance, or the value no longer decreases within its rounding.
    fn iterate_linear(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
    ) -> Result<IterationResult, Failure> {
        let remaining_error = self.stop.remaining_error(self.work.report.last_step);
        let is_noise = self.monitor.is_noise(slope, self.work.current.value);
        if slope >= 0.0 || self.is_rounding(objective.free()) {
            return Ok(IterationResult::Converged);
        }
        let is_last = remaining_error <= self.monitor.tolerance();
        let evaluation = if is_last { Evaluation::Value } else { Evaluation::ValueAndGradient };
        match self.descend(objective, slope, self.settings.max_backtracks, evaluation) {
            Ok(()) if is_last => {
                self.work.report.last_step = remaining_error;
                Ok(IterationResult::Converged)
            }
            Ok(()) => Ok(IterationResult::Moved),
            Err(_) if is_noise => Ok(IterationResult::Converged),
            Err(fraction) => Err(Failure::NoDescent { slope, fraction }),
        }
    }

    /// Computes the search direction with `matrix` and writes it to `work.step`. The residual of the report becomes its
    /// largest component at free nodes.
    fn find_direction(
        &mut self,
        objective: &dyn Objective,
        matrix: Matrix,
    ) -> Result<Origin, Failure> {
        let query = Query {
            u: &self.work.current.u,
            gradient: &self.work.current.gradient,
            linearisation: &self.work.linearisation,
            prescription: &self.prescription,
            linear: self.settings.linear,
            forcing: self.monitor.forcing(matrix, self.work.report.last_step),
        };
        let origin = self
            .finder
            .find(objective, &query, matrix, &mut self.work.step, &mut self.work.report)
            .map_err(Failure::Unsolved)?;
        let free = objective.free();
        let free_length = |(p, free): (&Vec3, &bool)| if *free { max_norm(&[*p]) } else { 0.0 };
        self.work.report.last_step =
            self.work.step.iter().zip(free).map(free_length).fold(0.0, f64::max);
        Ok(origin)
    }

    /// Whether the step or the gradient is at the level of rounding. `free` marks the free nodes.
    fn is_rounding(&mut self, free: &[bool]) -> bool {
        let rounding = STEP_ROUNDINGS * f64::EPSILON * max_norm(&self.work.current.u);
        self.work.report.last_step <= rounding
            || self.finder.moves_less_than(&self.work.current.gradient, free, rounding)
    }

    /// Takes a step whose length is within the tolerance. The step costs little and usually gains digits; if the value
    /// does not decrease, the current point is accepted as the solution, unless there is friction. If the previous step
    /// left much of the gradient, or if `matrix` was kept and the step is longer than expected, the iteration converges
    /// only if the step reduces the gradient by a required factor.
    ///
    /// `slope` is the directional derivative along the step, and `previous_step` the length (m) of the previous step.
    fn take_last_step(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        matrix: Matrix,
        previous_step: f64,
    ) -> Result<IterationResult, Failure> {
        let steps = [previous_step, self.work.report.last_step];
        let required_reduction =
            self.monitor.required_reduction(matrix, steps, objective.has_friction());
        if slope >= 0.0 || slope.is_nan() {
            return Ok(IterationResult::Converged);
        }
        // The step is tried once without halving: if the full step goes too far, the minimum is nearer.
        let evaluation = if required_reduction.is_some() {
            Evaluation::ValueAndGradient
        } else {
            Evaluation::Value
        };
        let result = self.descend(objective, slope, 0, evaluation);
        let Some(required_reduction) = required_reduction else {
            return Ok(IterationResult::Converged);
        };
        if let Err(fraction) = result
            && (fraction == 0.0 || matrix == Matrix::Kept)
        {
            // The step bound is zero, so the distance of the minimum is unknown; or the previous matrix is too
            // inaccurate.
            return Err(Failure::NoDescent { slope, fraction });
        }
        if self.monitor.is_noise(slope, self.work.current.value) {
            return Ok(IterationResult::Converged);
        }
        if result.is_err() {
            return Ok(self.shorten_last_step(objective, slope));
        }
        let start = Stopwatch::start();
        self.work.current.evaluate_gradient(objective);
        self.work.report.phases.assembly += start.elapsed();
        let gradient_norm = max_norm(&self.work.current.gradient);
        let is_reduced = self.monitor.is_reduced_to(gradient_norm, required_reduction);
        Ok(if is_reduced { IterationResult::Converged } else { IterationResult::Moved })
    }

    /// Continues after a last step that does not decrease the value: the minimum is nearer than the tolerance. Friction
    /// that makes bodies stick may still be wrong by its full amount there, so the step is then shortened.
    fn shorten_last_step(&mut self, objective: &mut dyn Objective, slope: f64) -> IterationResult {
        let halvings = self.settings.max_backtracks;
        let has_moved = objective.has_friction()
            && self.descend(objective, slope, halvings, Evaluation::ValueAndGradient).is_ok();
        if has_moved { IterationResult::Moved } else { IterationResult::Converged }
    }

    /// Takes a step within the tolerance whose matrix may be much stiffer than the second derivative, so that its
    /// length does not estimate the distance of the minimum. The next direction uses the second derivative. If the
    /// step fails, a direction is at once computed with the second derivative, and its step attempted.
    fn take_intermediate_step(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        matrix: Matrix,
    ) -> Result<IterationResult, Failure> {
        self.monitor.request_restart();
        let halvings = self.settings.max_backtracks;
        if slope < 0.0
            && self.descend(objective, slope, halvings, Evaluation::ValueAndGradient).is_ok()
        {
            return Ok(IterationResult::Moved);
        }
        self.linearise(objective);
        self.attempt(objective, matrix)
    }

    /// Records an attempt in the trace.
    pub(crate) fn trace_outcome(&mut self, outcome: Outcome) {
        if let Some(row) = self.work.trace.row() {
            row.outcome = outcome;
        }
    }

    /// Records the matrix and the length of a direction in the trace.
    fn trace_direction(&mut self, matrix: Matrix, origin: Origin) {
        let curvature = match (self.stop, matrix, origin) {
            (StoppingCriterion::Linear { .. }, ..) => Curvature::Constant,
            (_, Matrix::Kept, _) => Curvature::Kept,
            (.., Origin::Shifted) => Curvature::Shifted,
            (_, Matrix::Current(Psd::Exact), _) => Curvature::Exact,
            (_, Matrix::Current(Psd::Clamp), _) => Curvature::Projected,
        };
        if let Some(row) = self.work.trace.row() {
            (row.curvature, row.step) = (Some(curvature), self.work.report.last_step);
        }
    }

    /// Ends the row of the current iteration in the trace.
    fn end_trace_row(&mut self) {
        let Workspace { trace, current, report, .. } = &mut *self.work;
        if trace.is_on() {
            trace.end(current.has_gradient.then(|| max_norm(&current.gradient)), report);
        }
    }

    /// The error of a solve that ends with this failure.
    fn solve_error(&self, failure: Failure) -> SolveError {
        let iteration = self.work.report.iterations;
        match failure {
            Failure::Unsolved(Unsolved::Failure(reason)) => {
                SolveError::Linear { iteration, reason }
            }
            Failure::Unsolved(Unsolved::NotPositiveDefinite | Unsolved::NoPreconditioner) => {
                unreachable!("a projected Hessian that is not definite is shifted or an error")
            }
            Failure::NoDescent { slope, fraction } => SolveError::LineSearch {
                iteration,
                value: self.work.current.value,
                slope,
                step: self.work.report.last_step,
                fraction,
                node: largest_node(&self.work.step),
            },
            Failure::Blocked => self.blocked_error(),
        }
    }
}
