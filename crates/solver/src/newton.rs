//! Newton's method.

use crate::direction::{DirectionFinder, Origin, Query};
use crate::error::{Quantity, SolveError};
use crate::failure::Failure;
use crate::line_search::{Iterate, NOISE, SUFFICIENT, Search, Test};
use crate::linear::{Unsolved, max_norm};
use crate::objective::{Curvature, Objective};
use crate::prescribed::{MOST_STEPS, Prescription};
use crate::report::SolveReport;
use crate::schedule::Schedule;
use crate::settings::NewtonSettings;
use resile_linalg::cg::dot;
use resile_math::Vec3;
use std::time::Instant;

/// What a step may leave of the gradient (max norm) for its length to say how far the
/// minimiser is. A quadratic leaves nothing, a logarithmic barrier entered too deep a
/// half: there the curvature grows with the force, and Newton's step is as short as the
/// distance from the wall whatever the way that remains.
const CONTRACTION: f64 = 0.25;

/// How many roundings of the positions count as nothing: a difference of two positions has
/// one of each, and the gradient sums some ten elements a node.
const ROUNDINGS: f64 = 8.0;

/// Minimises objectives of one topology; keeps what can be reused between them
/// (matrix patterns, factorisation plans, vectors).
///
/// One `Newton` serves one composition of nodes and static terms: the assembly
/// remembers in which order a system pushes its blocks. It is rebuilt when the
/// number of nodes changes.
#[derive(Debug)]
pub struct Newton {
    settings: NewtonSettings,
    finder: DirectionFinder,
    at: Iterate,
    trial: Iterate,
    step: Vec<Vec3>,
    /// Where the step would end.
    end: Vec<Vec3>,
    report: SolveReport,
}

impl Default for Newton {
    fn default() -> Self {
        Self::new(NewtonSettings::default())
    }
}

impl Newton {
    /// A solver that has seen no objective.
    pub fn new(settings: NewtonSettings) -> Self {
        Self {
            settings,
            finder: DirectionFinder::new(),
            at: Iterate::default(),
            trial: Iterate::default(),
            step: Vec::new(),
            end: Vec::new(),
            report: SolveReport::default(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &NewtonSettings {
        &self.settings
    }

    /// Work of the last solve, finished or failed.
    pub fn report(&self) -> &SolveReport {
        &self.report
    }

    /// Moves the free entries of `u` to a local minimiser, the prescribed ones to
    /// their ends. Done when the Newton step is at most `step_tolerance` metres in
    /// the max norm, and it or the step before it took most of the gradient away, without
    /// which its length says nothing; that last step is still taken if it improves, so
    /// that by quadratic convergence the error is far below the tolerance. A step of a few
    /// roundings of the positions ends the solve in any case, and so does a gradient that a
    /// few roundings of the positions would make: neither can be improved upon.
    ///
    /// # Errors
    /// Every [`SolveError`]; `u` is then as it was.
    ///
    /// # Panics
    /// If `u` or `objective.free()` does not have `objective.len()` entries.
    pub fn minimise(
        &mut self,
        objective: &mut dyn Objective,
        u: &mut [Vec3],
        step_tolerance: f64,
    ) -> Result<SolveReport, SolveError> {
        assert_eq!((u.len(), objective.free().len()), (objective.len(), objective.len()));
        self.report = SolveReport::default();
        self.at.u.clear();
        self.at.u.extend_from_slice(u);
        self.at.has_gradient = false;
        self.step.resize(u.len(), Vec3::ZERO);
        self.finder.begin(u.len());
        Solve {
            settings: self.settings,
            finder: &mut self.finder,
            at: &mut self.at,
            trial: &mut self.trial,
            step: &mut self.step,
            end: &mut self.end,
            report: &mut self.report,
            prescription: Prescription::new(objective.prescribed(), u),
            schedule: Schedule::new(self.settings.projection),
            tolerance: step_tolerance,
            scale: 0.0,
            force: f64::NAN,
            fall: 1.0,
            contracting: false,
        }
        .run(objective)?;
        u.copy_from_slice(&self.at.u);
        Ok(self.report.clone())
    }
}

/// What became of one try at an iteration.
enum Try {
    /// Moved on.
    Moved,
    /// The step is below the tolerance: done.
    Converged,
}

/// One minimisation.
struct Solve<'a> {
    settings: NewtonSettings,
    finder: &'a mut DirectionFinder,
    at: &'a mut Iterate,
    trial: &'a mut Iterate,
    step: &'a mut [Vec3],
    end: &'a mut Vec<Vec3>,
    report: &'a mut SolveReport,
    prescription: Prescription,
    schedule: Schedule,
    tolerance: f64,
    /// Largest change that a direction promised: a scale of values that does not
    /// depend on where their zero is.
    scale: f64,
    /// Max norm of the gradient; not a number before the first.
    force: f64,
    /// What the last step left of it; one where that says nothing.
    fall: f64,
    /// Whether the last step took most of the gradient away.
    contracting: bool,
}

impl Solve<'_> {
    fn run(mut self, objective: &mut dyn Objective) -> Result<(), SolveError> {
        self.end.clone_from(&self.at.u);
        self.bound(objective);
        let start = Instant::now();
        self.at.value = objective.value(&self.at.u);
        self.report.phases.line_search += start.elapsed();
        if !self.at.value.is_finite() {
            return Err(SolveError::NotFinite { quantity: Quantity::Value, iteration: 0 });
        }
        self.try_guess(objective);
        for iteration in 1..=self.settings.max_iterations {
            self.report.iterations = iteration;
            self.evaluate_gradient(objective)?;
            if let Try::Converged = self.iterate(objective)? {
                return Ok(());
            }
        }
        Err(SolveError::NotConverged {
            iterations: self.report.iterations,
            residual: self.report.residual,
            tolerance: self.tolerance,
        })
    }

    /// Begins where the objective guesses the minimum to be, if that is lower, less steep
    /// and to be reached.
    fn try_guess(&mut self, objective: &mut dyn Objective) {
        let start = Instant::now();
        self.at.evaluate_gradient(objective);
        let guess = objective.guess(&self.at.u, &self.at.gradient);
        self.report.phases.assembly += start.elapsed();
        let Some(guess) = guess else { return };
        let way = self.at.u.iter().zip(&guess).map(|(from, to)| *to - *from);
        if way.fold(0.0, |far: f64, way| far.max(way.length())) <= self.tolerance {
            return;
        }
        self.end.clone_from(&guess);
        if self.bound(objective) < 1.0 {
            return;
        }
        let start = Instant::now();
        self.trial.u = guess;
        self.trial.has_gradient = false;
        self.trial.value = objective.value(&self.trial.u);
        if self.trial.value < self.at.value {
            self.trial.evaluate_gradient(objective);
            if max_norm(&self.trial.gradient) < max_norm(&self.at.gradient) {
                self.scale = self.at.value - self.trial.value;
                std::mem::swap(self.at, self.trial);
            }
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

    /// One iteration: the Hessian that is due and, if that was the exact one and
    /// it failed, the projected one.
    fn iterate(&mut self, objective: &mut dyn Objective) -> Result<Try, SolveError> {
        let curvature = self.schedule.next();
        let failure = match self.attempt(objective, curvature) {
            Ok(done) => {
                if curvature == Curvature::Exact {
                    self.schedule.exact_succeeded();
                }
                return Ok(done);
            }
            Err(failure) => failure,
        };
        if curvature == Curvature::Projected || !failure.projection_may_help() {
            return Err(self.error(failure));
        }
        self.schedule.exact_failed();
        self.attempt(objective, Curvature::Projected).map_err(|failure| self.error(failure))
    }

    fn attempt(
        &mut self,
        objective: &mut dyn Objective,
        curvature: Curvature,
    ) -> Result<Try, Failure> {
        self.report.projected += usize::from(curvature == Curvature::Projected);
        let origin = self.find_direction(objective, curvature)?;
        self.report.shifted += usize::from(origin == Origin::Shifted);
        if !self.prescription.arrived(&self.at.u) {
            return self.approach(objective);
        }
        let slope = dot(&self.at.gradient, self.step);
        if self.report.residual <= self.tolerance && origin == Origin::AsAsked {
            if !self.contracting && self.is_rounding(objective.free()) {
                return Ok(Try::Converged);
            }
            return self.take_last_step(objective, slope);
        }
        if slope >= 0.0 || slope.is_nan() {
            return Err(Failure::NoDescent { slope, fraction: 1.0 });
        }
        self.descend(objective, slope, self.settings.max_backtracks)
            .map_err(|fraction| Failure::NoDescent { slope, fraction })?;
        Ok(Try::Moved)
    }

    /// How small the relative residual of the linear system should be for this step to end
    /// where the exact one would: the second choice of Eisenstat and Walker 1996, *Choosing
    /// the forcing terms in an inexact Newton method*, with their safeguard against solving
    /// for more digits than the tolerance asks for.
    fn forcing(&self) -> f64 {
        let expected = self.report.residual * self.fall;
        (self.fall * self.fall).max(self.tolerance / expected)
    }

    fn find_direction(
        &mut self,
        objective: &dyn Objective,
        curvature: Curvature,
    ) -> Result<Origin, Failure> {
        let query = Query {
            u: &self.at.u,
            gradient: &self.at.gradient,
            prescription: &self.prescription,
            linear: self.settings.linear,
            forcing: self.forcing(),
        };
        let origin = self
            .finder
            .find(objective, &query, curvature, self.step, self.report)
            .map_err(Failure::Unsolved)?;
        let free = objective.free();
        let of_free = |(p, free): (&Vec3, &bool)| if *free { max_norm(&[*p]) } else { 0.0 };
        self.report.residual = self.step.iter().zip(free).map(of_free).fold(0.0, f64::max);
        Ok(origin)
    }

    /// Asks for the bound of the way from `at` to `end`.
    fn bound(&mut self, objective: &mut dyn Objective) -> f64 {
        let start = Instant::now();
        let bound = objective.step_bound(&self.at.u, self.end);
        self.report.phases.collision += start.elapsed();
        // Not a number counts as nowhere to go; the search then fails by its value.
        bound.clamp(0.0, 1.0).max(0.0)
    }

    fn bound_step(&mut self, objective: &mut dyn Objective, whole_way: bool) -> f64 {
        self.end.clear();
        self.end.extend(self.at.u.iter().zip(&*self.step).map(|(x, p)| *x + *p));
        if whole_way {
            self.prescription.place(self.end);
        }
        let bound = self.bound(objective);
        self.report.bounded += usize::from(bound < 1.0);
        bound
    }

    /// Goes down; `Err` is the smallest fraction tried.
    fn descend(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        halvings: usize,
    ) -> Result<(), f64> {
        let bound = self.bound_step(objective, false);
        if bound == 0.0 {
            return Err(bound);
        }
        self.scale = self.scale.max(-slope);
        let scale = self.scale.max(self.at.value.abs());
        let test = Test::Descent { slope, scale };
        let whole = bound == 1.0 && halvings > 0;
        if whole && (self.search(objective, bound, 0, test).is_ok() || self.turn(objective, slope))
        {
            return Ok(());
        }
        self.search(objective, bound, halvings, test)
    }

    /// Takes the whole step with its turns as turns, if that is a free way down: a straight
    /// turn by an angle `a` stretches by `a^2 / 2`, for which stiff bodies would have it halved.
    fn turn(&mut self, objective: &mut dyn Objective, slope: f64) -> bool {
        let Some(end) = objective.turned(&self.at.u, self.step) else { return false };
        self.end.clone_from(&end);
        if self.bound(objective) == 1.0 {
            let start = Instant::now();
            self.trial.u = end;
            self.trial.has_gradient = false;
            self.trial.value = objective.value(&self.trial.u);
            self.report.phases.line_search += start.elapsed();
            if self.trial.value < self.at.value + SUFFICIENT * slope {
                std::mem::swap(self.at, self.trial);
                return true;
            }
        }
        self.bound_step(objective, false);
        false
    }

    fn search(
        &mut self,
        objective: &dyn Objective,
        bound: f64,
        halvings: usize,
        test: Test,
    ) -> Result<(), f64> {
        let search = Search { step: self.step, bound, halvings, prescription: &self.prescription };
        search.run(objective, self.at, self.trial, test, self.report)?;
        std::mem::swap(self.at, self.trial);
        Ok(())
    }

    /// Whether nothing but rounding is left: of the positions, or of the gradient.
    fn is_rounding(&mut self, free: &[bool]) -> bool {
        let rounding = ROUNDINGS * f64::EPSILON * max_norm(&self.at.u);
        self.report.residual <= rounding
            || self.finder.moves_less_than(&self.at.gradient, free, rounding)
    }

    /// The step is within the tolerance. It is nearly free and usually gains
    /// digits; if it does not gain, the point before is good enough. Where the step
    /// before it left much of the gradient, it has to prove itself.
    fn take_last_step(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
    ) -> Result<Try, Failure> {
        if slope >= 0.0 || slope.is_nan() {
            return Ok(Try::Converged);
        }
        // One try without halving: where it goes too far the minimum is nearer still.
        let tried = self.descend(objective, slope, 0);
        if tried == Err(0.0) && !self.contracting {
            // The way is shut, and nothing says how far the minimum beyond is.
            return Err(Failure::NoDescent { slope, fraction: 0.0 });
        }
        let kept = tried.is_err();
        if kept || self.contracting || -slope <= NOISE * self.scale.max(self.at.value.abs()) {
            return Ok(Try::Converged);
        }
        let start = Instant::now();
        self.at.evaluate_gradient(objective);
        self.report.phases.assembly += start.elapsed();
        let fallen = max_norm(&self.at.gradient) <= CONTRACTION * self.force;
        Ok(if fallen { Try::Converged } else { Try::Moved })
    }

    /// Prescribed nodes are on their way: any point of the domain will do, because
    /// the function may have to rise for them to get there.
    fn approach(&mut self, objective: &mut dyn Objective) -> Result<Try, Failure> {
        let bound = self.bound_step(objective, true);
        let moved = self.search(objective, bound, self.settings.max_backtracks, Test::Finite);
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
            Failure::Unsolved(Unsolved::NotPositiveDefinite) => {
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
