//! One minimisation.

use crate::direction::{Directions, Matrix, Origin, Query};
use crate::error::{Quantity, SolveError};
use crate::failure::Failure;
use crate::line_search::{Iterate, NOISE, Test, Wanted};
use crate::linear::{Unsolved, max_norm};
use crate::objective::Objective;
use crate::part;
use crate::prescribed::{MOST_STEPS, Prescription};
use crate::report::SolveReport;
use crate::schedule::Schedule;
use crate::settings::NewtonSettings;
use crate::stop::Stop;
use resile_linalg::cg::dot;
use resile_math::{Psd, Vec3};
use resile_watch::{Interrupt, Job, Reading};
use std::ops::Range;
use std::time::Instant;

/// What a step may leave of the gradient (max norm) for its length to say how far the
/// minimiser is. A quadratic leaves nothing, a logarithmic barrier entered too deep a
/// half: there the curvature grows with the force, and Newton's step is as short as the
/// distance from the wall whatever the path that remains.
const CONTRACTION: f64 = 0.25;

/// What a step by a matrix that was kept may leave over the tolerance: about what conjugate gradients leave
/// of a last step.
const LEFT_BY_KEPT: f64 = 0.03;

/// How many roundings of the positions count as nothing: a difference of two positions has
/// one of each, and the gradient sums some ten elements a node.
const ROUNDINGS: f64 = 8.0;

/// What became of one try at an iteration.
enum Try {
    /// Moved on.
    Moved,
    /// The step is below the tolerance: done.
    Converged,
}

/// One minimisation.
pub(crate) struct Descent<'a> {
    pub(crate) settings: NewtonSettings,
    pub(crate) stop: Stop,
    pub(crate) finder: &'a mut dyn Directions,
    pub(crate) at: &'a mut Iterate,
    pub(crate) trial: &'a mut Iterate,
    pub(crate) step: &'a mut [Vec3],
    pub(crate) end: &'a mut Vec<Vec3>,
    /// The value where it begins.
    pub(crate) start_value: &'a mut f64,
    pub(crate) report: &'a mut SolveReport,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) job: &'a Job,
    pub(crate) prescription: Prescription,
    pub(crate) schedule: Schedule,
    pub(crate) tolerance: f64,
    /// Largest change that a direction promised: a scale of values that does not
    /// depend on where their zero is.
    pub(crate) scale: f64,
    /// Max norm of the gradient; not a number before the first.
    pub(crate) force: f64,
    /// What the last step left of it; one where that says nothing.
    pub(crate) fall: f64,
    /// Whether the last step took most of the gradient away.
    pub(crate) contracting: bool,
    /// How the last direction came about; not from the minimiser's matrix before the first.
    pub(crate) origin: Option<Origin>,
    /// What can be solved for alone; nothing if none is.
    pub(crate) bodies: Vec<Range<usize>>,
    /// Whether the last step was shorter than its direction.
    pub(crate) shortened: bool,
    /// Whether the last step was taken with its turns as turns.
    pub(crate) turning: bool,
    /// What is to be solved for alone before the next step of all, ascending.
    pub(crate) apart: Vec<usize>,
}

impl Descent<'_> {
    pub(crate) fn run(mut self, objective: &mut dyn Objective) -> Result<(), SolveError> {
        let solved = self.converge(objective);
        // What was computed meanwhile may be wrong.
        self.look(objective)?;
        solved
    }

    fn converge(&mut self, objective: &mut dyn Objective) -> Result<(), SolveError> {
        self.end.clone_from(&self.at.u);
        self.bound(objective);
        let start = Instant::now();
        self.at.evaluate(objective, Wanted::ValueAndGradient);
        *self.start_value = self.at.value;
        self.report.phases.line_search += start.elapsed();
        if !self.at.value.is_finite() {
            return Err(SolveError::NotFinite { quantity: Quantity::Value, iteration: 0 });
        }
        self.try_guess(objective);
        let mut arrived = 0;
        for iteration in 1..=self.settings.max_iterations {
            self.report.iterations = iteration;
            self.look(objective)?;
            self.evaluate_gradient(objective)?;
            // On the way to prescribed places there is nothing to converge to yet.
            arrived += usize::from(self.prescription.arrived(&self.at.u));
            if let Try::Converged = self.iterate(objective)? {
                return Ok(());
            }
            if matches!(self.stop, Stop::Linear { most: Some(most), .. } if most == arrived) {
                self.report.unconverged = 1;
                return Ok(());
            }
            // Of a step that was cut its slope does not say what there is to gain.
            if self.shortened {
                self.apart = part::with_longest_steps(&self.bodies, self.step);
            }
            if !self.apart.is_empty() {
                self.solve_apart(objective)?;
            }
        }
        Err(SolveError::NotConverged {
            iterations: self.report.iterations,
            residual: self.report.residual,
            tolerance: self.tolerance,
        })
    }

    /// Notes how far it is; an error if the interrupt was raised.
    fn look(&self, objective: &dyn Objective) -> Result<(), SolveError> {
        let (iteration, pairs) = (self.report.iterations, objective.pair_count());
        self.job.note(Reading { iteration, pairs, step: self.report.residual });
        match self.interrupt.cause() {
            None => Ok(()),
            Some(cause) => Err(SolveError::Interrupted { cause, iteration, pairs }),
        }
    }

    /// Begins where the objective guesses the minimum to be, if that is lower, less steep
    /// and to be reached. Where more pairs are near than there are nodes it seldom is, and a search of the way
    /// would cost as much as one of a step.
    fn try_guess(&mut self, objective: &mut dyn Objective) {
        if objective.pair_count() > objective.len() {
            return;
        }
        let start = Instant::now();
        self.at.evaluate_gradient(objective);
        let guess = objective.guess(&self.at.u, &self.at.gradient);
        self.report.phases.assembly += start.elapsed();
        let Some(guess) = guess else { return };
        let path = self.at.u.iter().zip(&guess).map(|(from, to)| *to - *from);
        if path.fold(0.0, |far: f64, path| far.max(path.length())) <= self.tolerance {
            return;
        }
        self.end.clone_from(&guess);
        if self.bound(objective) < 1.0 {
            return;
        }
        let start = Instant::now();
        self.trial.u = guess;
        self.trial.evaluate(objective, Wanted::ValueAndGradient);
        if self.trial.value < self.at.value
            && max_norm(&self.trial.gradient) < max_norm(&self.at.gradient)
        {
            self.scale = self.at.value - self.trial.value;
            std::mem::swap(self.at, self.trial);
        }
        self.report.phases.line_search += start.elapsed();
    }

    fn evaluate_gradient(&mut self, objective: &dyn Objective) -> Result<(), SolveError> {
        let start = Instant::now();
        self.at.evaluate_gradient(objective);
        self.report.phases.assembly += start.elapsed();
        let force = max_norm(&self.at.gradient);
        self.contracting = force <= CONTRACTION * self.force;
        let fall = force / self.force;
        self.fall = if fall < 1.0 { fall } else { 1.0 };
        self.force = force;
        match self.at.gradient.iter().position(|g| !g.is_finite()) {
            None => Ok(()),
            Some(node) => Err(SolveError::NotFinite {
                quantity: Quantity::Gradient { node },
                iteration: self.report.iterations,
            }),
        }
    }

    /// One iteration: the matrix at hand if that is good enough, else the Hessian that is due and, if that
    /// was the exact one and it failed, the projected one.
    fn iterate(&mut self, objective: &mut dyn Objective) -> Result<Try, SolveError> {
        if self.keeps_matrix() {
            let last = self.report.residual;
            if let Ok(done) = self.attempt(objective, Matrix::Kept) {
                return Ok(done);
            }
            self.report.residual = last;
        }
        let psd = self.schedule.next();
        let failure = match self.attempt(objective, Matrix::Here(psd)) {
            Ok(done) => {
                if psd == Psd::Exact {
                    self.schedule.exact_succeeded();
                }
                return Ok(done);
            }
            Err(failure) => failure,
        };
        if psd == Psd::Clamp || !failure.projection_may_help() {
            return Err(self.error(failure));
        }
        self.look(objective)?;
        self.schedule.exact_failed();
        self.attempt(objective, Matrix::Here(Psd::Clamp)).map_err(|failure| self.error(failure))
    }

    /// Whether the next direction is found by the matrix of the last one (a simplified Newton step, as in the
    /// method of Shamanskii 1967): if that has just taken most of the gradient away with a whole step, and
    /// next to nothing is left where it takes as large a part of the rest. What such steps leave is not by
    /// chance: over a run a larger share of the tolerance sums up to lost energy (`benches/README.md`, kept
    /// matrices).
    fn keeps_matrix(&self) -> bool {
        let good = self.origin == Some(Origin::AsAsked) && self.contracting && !self.shortened;
        let left = self.expected() * self.fall;
        self.stop == Stop::Quadratic && good && left <= LEFT_BY_KEPT * self.tolerance
    }

    fn attempt(&mut self, objective: &mut dyn Objective, matrix: Matrix) -> Result<Try, Failure> {
        self.report.projected += usize::from(matrix == Matrix::Here(Psd::Clamp));
        let last = self.report.residual;
        let origin = self.find_direction(objective, matrix)?;
        self.report.kept += usize::from(matrix == Matrix::Kept);
        self.origin = Some(origin);
        self.report.shifted += usize::from(origin == Origin::Shifted);
        if !self.prescription.arrived(&self.at.u) {
            return self.approach(objective);
        }
        let slope = dot(&self.at.gradient, self.step);
        self.apart = part::with_most_of_slope(slope, &self.bodies, &self.at.gradient, self.step);
        if let Stop::Linear { .. } = self.stop {
            return self.shrink(objective, slope);
        }
        if self.report.residual <= self.tolerance && origin == Origin::AsAsked {
            if !self.contracting && self.is_rounding(objective.free()) {
                return Ok(Try::Converged);
            }
            return self.take_last_step(objective, slope, (matrix, last));
        }
        if slope >= 0.0 || slope.is_nan() {
            return Err(Failure::NoDescent { slope, fraction: 1.0 });
        }
        self.descend(objective, slope, self.settings.max_backtracks, Wanted::ValueAndGradient)
            .map_err(|fraction| Failure::NoDescent { slope, fraction })?;
        Ok(Try::Moved)
    }

    /// An iteration of which the next ones are expected to be alike, but shorter.
    fn shrink(&mut self, objective: &mut dyn Objective, slope: f64) -> Result<Try, Failure> {
        let left = self.stop.left_after(self.report.residual);
        let noise = NOISE * self.scale.max(self.at.value.abs());
        if slope >= 0.0 || self.is_rounding(objective.free()) {
            return Ok(Try::Converged);
        }
        let last = left <= self.tolerance;
        let wanted = if last { Wanted::Value } else { Wanted::ValueAndGradient };
        match self.descend(objective, slope, self.settings.max_backtracks, wanted) {
            Ok(()) if last => {
                self.report.residual = left;
                Ok(Try::Converged)
            }
            Ok(()) => Ok(Try::Moved),
            Err(_) if -slope <= noise => Ok(Try::Converged),
            Err(fraction) => Err(Failure::NoDescent { slope, fraction }),
        }
    }

    /// How long the next step will be (m, max norm) if it falls as the gradient did.
    fn expected(&self) -> f64 {
        self.report.residual * self.fall
    }

    /// How small the relative residual of the linear system should be for this step to end
    /// where the exact one would: the second choice of Eisenstat and Walker 1996, *Choosing
    /// the forcing terms in an inexact Newton method*, with their safeguard against solving
    /// for more digits than the tolerance asks for. A step by a matrix that was kept is most likely the last.
    fn forcing(&self, matrix: Matrix) -> f64 {
        let needed = self.tolerance / self.expected();
        match matrix {
            Matrix::Here(_) => (self.fall * self.fall).max(needed),
            Matrix::Kept => (LEFT_BY_KEPT * needed).min(CONTRACTION),
        }
    }

    fn find_direction(
        &mut self,
        objective: &dyn Objective,
        matrix: Matrix,
    ) -> Result<Origin, Failure> {
        let query = Query {
            u: &self.at.u,
            gradient: &self.at.gradient,
            prescription: &self.prescription,
            linear: self.settings.linear,
            forcing: self.forcing(matrix),
        };
        let origin = self
            .finder
            .find(objective, &query, matrix, self.step, self.report)
            .map_err(Failure::Unsolved)?;
        let free = objective.free();
        let of_free = |(p, free): (&Vec3, &bool)| if *free { max_norm(&[*p]) } else { 0.0 };
        self.report.residual = self.step.iter().zip(free).map(of_free).fold(0.0, f64::max);
        Ok(origin)
    }

    /// Whether nothing but rounding is left: of the positions, or of the gradient.
    fn is_rounding(&mut self, free: &[bool]) -> bool {
        let rounding = ROUNDINGS * f64::EPSILON * max_norm(&self.at.u);
        self.report.residual <= rounding
            || self.finder.moves_less_than(&self.at.gradient, free, rounding)
    }

    /// To which part of itself a step that is within the tolerance, after one of length `last` (m), has to bring the
    /// gradient to be the last one; nothing if it need not prove itself.
    fn proof(&self, matrix: Matrix, last: f64) -> Option<f64> {
        let (step, most) = (self.report.residual, LEFT_BY_KEPT * self.tolerance);
        match matrix {
            Matrix::Kept if step * self.fall.max(step / last) > most => {
                Some(CONTRACTION.min(most / step))
            }
            _ => (!self.contracting).then_some(CONTRACTION),
        }
    }

    /// The step is within the tolerance. It is nearly free and usually gains
    /// digits; if it does not gain, the point before is good enough. Where the step
    /// before it left much of the gradient, or its matrix was kept and it is longer than was expected, it has to
    /// prove itself.
    fn take_last_step(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        (matrix, last): (Matrix, f64),
    ) -> Result<Try, Failure> {
        let proof = self.proof(matrix, last);
        if slope >= 0.0 || slope.is_nan() {
            return Ok(Try::Converged);
        }
        // One try, not halved until it falls: where it goes too far the minimum is nearer still.
        let wanted = if proof.is_some() { Wanted::ValueAndGradient } else { Wanted::Value };
        let tried = self.descend(objective, slope, 0, wanted);
        let Some(part) = proof else { return Ok(Try::Converged) };
        if let Err(fraction) = tried
            && (fraction == 0.0 || matrix == Matrix::Kept)
        {
            // The path is shut, and nothing says how far the minimum beyond is; or the matrix is not good enough.
            return Err(Failure::NoDescent { slope, fraction });
        }
        if tried.is_err() || -slope <= NOISE * self.scale.max(self.at.value.abs()) {
            return Ok(Try::Converged);
        }
        let start = Instant::now();
        self.at.evaluate_gradient(objective);
        self.report.phases.assembly += start.elapsed();
        let fallen = max_norm(&self.at.gradient) <= part * self.force;
        Ok(if fallen { Try::Converged } else { Try::Moved })
    }

    /// Prescribed nodes are on their way: any point of the domain will do, because
    /// the function may have to rise for them to get there.
    fn approach(&mut self, objective: &mut dyn Objective) -> Result<Try, Failure> {
        let bound = self.bound_step(objective, true);
        let halvings = self.settings.max_backtracks;
        let moved = self.search(objective, bound, halvings, Test::Finite, Wanted::ValueAndGradient);
        self.prescription.steps += 1;
        // What the gradient does meanwhile says nothing.
        self.force = f64::NAN;
        let arrived = self.prescription.arrived(&self.at.u);
        if moved.is_err() || bound == 0.0 || (self.prescription.steps == MOST_STEPS && !arrived) {
            return Err(Failure::Blocked);
        }
        Ok(Try::Moved)
    }

    fn error(&self, failure: Failure) -> SolveError {
        let iteration = self.report.iterations;
        match failure {
            Failure::Unsolved(Unsolved::Failure(reason)) => {
                SolveError::Linear { iteration, reason }
            }
            Failure::Unsolved(Unsolved::NotPositiveDefinite | Unsolved::Unprepared) => {
                unreachable!("a projected Hessian that is not definite is shifted or an error")
            }
            Failure::NoDescent { slope, fraction } => SolveError::LineSearch {
                iteration,
                value: self.at.value,
                slope,
                step: self.report.residual,
                fraction,
            },
            Failure::Blocked => SolveError::PrescribedBlocked {
                fraction: self.prescription.covered(&self.at.u),
                remaining: self.prescription.remaining(&self.at.u),
            },
        }
    }
}
