//! Newton's method.

use crate::direction::DirectionFinder;
use crate::error::SolveError;
use crate::iteration::Iteration;
use crate::minimiser::{Minimiser, Workspace};
use crate::objective::Objective;
use crate::report::SolveReport;
use crate::settings::NewtonSettings;
use crate::stop::StoppingCriterion;
use resile_math::Vec3;
use resile_watch::{Interrupt, Job};

/// Newton's method with the exact or projected Hessian, to a tolerance.
#[derive(Debug)]
pub struct Newton {
    settings: NewtonSettings,
    finder: DirectionFinder,
    workspace: Workspace,
}

impl Default for Newton {
    fn default() -> Self {
        Self::new(NewtonSettings::default())
    }
}

impl Newton {
    /// Creates a solver without stored patterns and factors.
    pub fn new(settings: NewtonSettings) -> Self {
        Self { settings, finder: DirectionFinder::new(), workspace: Workspace::default() }
    }

    /// Polls `interrupt` in each iteration and line search, and inside of linear solves.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.workspace.interrupt = interrupt.clone();
        self.finder.set_interrupt(interrupt);
    }

    /// Reports progress in `job`.
    pub fn set_progress(&mut self, job: &Job) {
        self.workspace.job = job.clone();
    }

    /// The settings of this solver.
    pub fn settings(&self) -> &NewtonSettings {
        &self.settings
    }

    /// Cost of the last solve, finished or failed.
    pub fn report(&self) -> &SolveReport {
        &self.workspace.report
    }

    /// Moves the free entries of `u` to a local minimiser and the prescribed ones to their ends. The solve has
    /// converged when the Newton step is at most `step_tolerance` metres in the max norm, and it or the previous step
    /// removed most of the gradient. That last step is still taken if it improves, so that by quadratic convergence
    /// the error is far below the tolerance. With conjugate gradients it may use the previous Hessian; the remaining
    /// error is then estimated to be a few hundredths of the tolerance. A step of a few roundings of the positions
    /// ends the solve in any case, and so does a gradient that a few roundings of the positions would cause.
    ///
    /// # Errors
    /// Any [`SolveError`]; `u` is then unchanged.
    ///
    /// # Panics
    /// If `u` or `objective.free()` does not have `objective.len()` entries.
    pub fn minimise(
        &mut self,
        objective: &mut dyn Objective,
        u: &mut [Vec3],
        step_tolerance: f64,
    ) -> Result<SolveReport, SolveError> {
        let Self { settings, finder, workspace } = self;
        workspace.descend(
            finder,
            *settings,
            StoppingCriterion::Quadratic,
            objective,
            u,
            step_tolerance,
        )
    }
}

impl Minimiser for Newton {
    fn minimise(
        &mut self,
        objective: &mut dyn Objective,
        u: &mut [Vec3],
        step_tolerance: f64,
    ) -> Result<SolveReport, SolveError> {
        Self::minimise(self, objective, u, step_tolerance)
    }

    fn set_interrupt(&mut self, interrupt: &Interrupt) {
        Self::set_interrupt(self, interrupt);
    }

    fn set_progress(&mut self, job: &Job) {
        Self::set_progress(self, job);
    }

    fn report(&self) -> &SolveReport {
        Self::report(self)
    }

    fn trace(&mut self, enabled: bool) {
        self.workspace.trace.set_enabled(enabled);
    }

    fn take_iterations(&mut self) -> Vec<Iteration> {
        self.workspace.trace.take()
    }
}
