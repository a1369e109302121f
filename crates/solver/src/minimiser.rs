//! The interface between stages and minimisers.

use crate::descent::Descent;
use crate::direction::Directions;
use crate::error::SolveError;
use crate::iterate::Iterate;
use crate::iteration::Iteration;
use crate::linearisation::Linearisation;
use crate::monitor::ConvergenceMonitor;
use crate::objective::Objective;
use crate::prescribed::Prescription;
use crate::report::SolveReport;
use crate::schedule::Schedule;
use crate::settings::NewtonSettings;
use crate::stop::StoppingCriterion;
use crate::trace::Trace;
use resile_math::Vec3;
use resile_watch::{Interrupt, Job};
use std::fmt::Debug;

/// Minimises objectives of one topology. Keeps matrix patterns, factors and vectors for reuse, without effect on
/// results.
///
/// A minimiser serves one set of nodes and static terms, because it stores the order in which a system pushes its
/// blocks. It rebuilds its storage when the number of nodes changes.
pub trait Minimiser: Debug + Send {
    /// Moves the free entries of `u` to a local minimiser and the prescribed ones to their targets. The paths are within
    /// the step bounds of the objective. The criterion of convergence is that of the implementation; `step_tolerance`
    /// is in metres, max norm.
    ///
    /// # Errors
    /// Any [`SolveError`]; `u` is then unchanged.
    ///
    /// # Panics
    /// If `u` or `objective.free()` does not have `objective.len()` entries.
    fn minimise(
        &mut self,
        objective: &mut dyn Objective,
        u: &mut [Vec3],
        step_tolerance: f64,
    ) -> Result<SolveReport, SolveError>;

    /// Polls `interrupt` in each iteration and line search, and inside of linear solves.
    fn set_interrupt(&mut self, interrupt: &Interrupt);

    /// Reports progress in `job`.
    fn set_progress(&mut self, job: &Job);

    /// Cost of the last solve, finished or failed.
    fn report(&self) -> &SolveReport;

    /// Enables or disables the recording of iterations. Results are bitwise equal in both cases.
    fn trace(&mut self, enabled: bool);

    /// Returns the iterations since the last call, including those of failed solves.
    fn take_iterations(&mut self) -> Vec<Iteration>;
}

/// Storage of descent methods between solves.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// The current point.
    pub(crate) current: Iterate,
    /// The point tried by a line search.
    pub(crate) trial: Iterate,
    /// The linearisation at the current point.
    pub(crate) linearisation: Linearisation,
    /// The search direction; its length is that of the full step.
    pub(crate) step: Vec<Vec3>,
    /// The end of the full step.
    pub(crate) end: Vec<Vec3>,
    /// The value at the start of the last descent.
    pub(crate) start_value: f64,
    pub(crate) report: SolveReport,
    pub(crate) interrupt: Interrupt,
    pub(crate) job: Job,
    pub(crate) trace: Trace,
}

impl Workspace {
    /// Accepts the trial point as the current one.
    pub(crate) fn swap(&mut self) {
        std::mem::swap(&mut self.current, &mut self.trial);
    }

    /// The decrease of the value in the last descent; not finite if the initial value was not.
    pub(crate) fn decrease(&self) -> f64 {
        self.start_value - self.current.value
    }

    /// [`Minimiser::minimise`] along the directions of `finder`, to a `tolerance` (m) of the step. `u` is unchanged on
    /// errors.
    pub(crate) fn descend(
        &mut self,
        finder: &mut dyn Directions,
        settings: NewtonSettings,
        stop: StoppingCriterion,
        objective: &mut dyn Objective,
        u: &mut [Vec3],
        tolerance: f64,
    ) -> Result<SolveReport, SolveError> {
        let mut end = u.to_vec();
        self.descend_to(finder, settings, stop, objective, &mut end, tolerance)?;
        u.copy_from_slice(&end);
        Ok(self.report.clone())
    }

    /// [`descend`](Self::descend) that also moves `u` to the last point of the descent if it fails.
    pub(crate) fn descend_to(
        &mut self,
        finder: &mut dyn Directions,
        settings: NewtonSettings,
        stop: StoppingCriterion,
        objective: &mut dyn Objective,
        u: &mut [Vec3],
        tolerance: f64,
    ) -> Result<(), SolveError> {
        assert_eq!((u.len(), objective.free().len()), (objective.len(), objective.len()));
        self.report = SolveReport::default();
        self.current.u.clear();
        self.current.u.extend_from_slice(u);
        self.current.has_gradient = false;
        self.step.resize(u.len(), Vec3::ZERO);
        finder.begin(u.len());
        let prescription = Prescription::new(objective.prescribed(), objective.guided(), u);
        let has_arrived = prescription.has_arrived(u);
        let bodies = match stop {
            StoppingCriterion::Quadratic if has_arrived => objective.bodies(),
            _ => Vec::new(),
        };
        let descent = Descent {
            settings,
            stop,
            finder,
            work: self,
            prescription,
            start: (!has_arrived).then(|| u.to_vec()),
            schedule: Schedule::new(settings.projection),
            monitor: ConvergenceMonitor::new(tolerance),
            bodies,
            separate_bodies: Vec::new(),
        };
        let result = descent.run(objective);
        u.copy_from_slice(&self.current.u);
        result
    }
}
