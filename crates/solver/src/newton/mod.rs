//! Newton's method.

mod solve;

use crate::direction::DirectionFinder;
use crate::error::SolveError;
use crate::line_search::Iterate;
use crate::objective::Objective;
use crate::prescribed::Prescription;
use crate::report::SolveReport;
use crate::schedule::Schedule;
use crate::settings::NewtonSettings;
use resile_math::Vec3;
use resile_watch::{Interrupt, Job};
use solve::Solve;

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
    interrupt: Interrupt,
    job: Job,
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
            interrupt: Interrupt::new(),
            job: Job::default(),
        }
    }

    /// Looks at `interrupt` from now on: in every iteration and line search, and inside of
    /// linear solves.
    pub fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
        self.finder.heed(interrupt);
    }

    /// Notes from now on in `job` how far it is.
    pub fn tell(&mut self, job: &Job) {
        self.job = job.clone();
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
            interrupt: &self.interrupt,
            job: &self.job,
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
