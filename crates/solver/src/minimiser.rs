//! The seam between stages and what minimises them.

use crate::descent::Descent;
use crate::direction::Directions;
use crate::error::SolveError;
use crate::iteration::Iteration;
use crate::judge::Judge;
use crate::line_search::Iterate;
use crate::objective::Objective;
use crate::prescribed::Prescription;
use crate::report::SolveReport;
use crate::schedule::Schedule;
use crate::settings::NewtonSettings;
use crate::stop::Stop;
use crate::trace::Trace;
use resile_math::Vec3;
use resile_watch::{Interrupt, Job};
use std::fmt::Debug;

/// Minimises objectives of one topology; keeps what can be reused between them
/// (matrix patterns, factors, vectors), on which no result depends.
///
/// One of them serves one composition of nodes and static terms: it remembers in which order a
/// system pushes its blocks. All of that is made anew when the number of nodes changes.
pub trait Minimiser: Debug + Send {
    /// Moves the free entries of `u` to a local minimiser, the prescribed ones to
    /// their ends, never farther along a straight line than the objective's step bound allows.
    /// What "done" means is the implementation's; `step_tolerance` is in metres, max norm.
    ///
    /// # Errors
    /// Every [`SolveError`]; `u` is then as it was.
    ///
    /// # Panics
    /// If `u` or `objective.free()` does not have `objective.len()` entries.
    fn minimise(
        &mut self,
        objective: &mut dyn Objective,
        u: &mut [Vec3],
        step_tolerance: f64,
    ) -> Result<SolveReport, SolveError>;

    /// Looks at `interrupt` from now on: in every iteration and line search, and inside of
    /// linear solves.
    fn set_interrupt(&mut self, interrupt: &Interrupt);

    /// Notes from now on in `job` how far it is.
    fn tell(&mut self, job: &Job);

    /// Work of the last solve, finished or failed.
    fn report(&self) -> &SolveReport;

    /// Lists iterations from now on, or no more. Results are the same to the bit.
    fn trace(&mut self, on: bool);

    /// The iterations that were listed since the last call, of failed solves too.
    fn take_iterations(&mut self) -> Vec<Iteration>;
}

/// What every minimiser that goes down from point to point keeps between solves.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) at: Iterate,
    pub(crate) trial: Iterate,
    pub(crate) step: Vec<Vec3>,
    /// Where the step would end.
    pub(crate) end: Vec<Vec3>,
    /// The value where the last descent began.
    pub(crate) start_value: f64,
    pub(crate) report: SolveReport,
    pub(crate) interrupt: Interrupt,
    pub(crate) job: Job,
    pub(crate) trace: Trace,
}

impl Workspace {
    /// Goes to the point that was tried.
    pub(crate) fn swap(&mut self) {
        std::mem::swap(&mut self.at, &mut self.trial);
    }

    /// By how much the value fell in the last descent, not a number where it began at none.
    pub(crate) fn fallen(&self) -> f64 {
        self.start_value - self.at.value
    }

    /// [`Minimiser::minimise`] along the directions of `finder`.
    pub(crate) fn descend(
        &mut self,
        finder: &mut dyn Directions,
        settings: NewtonSettings,
        stop: Stop,
        objective: &mut dyn Objective,
        u: &mut [Vec3],
        tolerance: f64,
    ) -> Result<SolveReport, SolveError> {
        let mut end = u.to_vec();
        self.descend_to(finder, settings, stop, objective, &mut end, tolerance)?;
        u.copy_from_slice(&end);
        Ok(self.report.clone())
    }

    /// The same, but `u` is moved as far as the descent came, with an error too.
    pub(crate) fn descend_to(
        &mut self,
        finder: &mut dyn Directions,
        settings: NewtonSettings,
        stop: Stop,
        objective: &mut dyn Objective,
        u: &mut [Vec3],
        tolerance: f64,
    ) -> Result<(), SolveError> {
        assert_eq!((u.len(), objective.free().len()), (objective.len(), objective.len()));
        self.report = SolveReport::default();
        self.at.u.clear();
        self.at.u.extend_from_slice(u);
        self.at.has_gradient = false;
        self.step.resize(u.len(), Vec3::ZERO);
        finder.begin(u.len());
        let prescription = Prescription::new(objective.prescribed(), objective.guided(), u);
        let bodies = match stop {
            Stop::Quadratic if prescription.arrived(u) => objective.bodies(),
            _ => Vec::new(),
        };
        let descent = Descent {
            settings,
            stop,
            finder,
            work: self,
            prescription,
            schedule: Schedule::new(settings.projection),
            judge: Judge::new(tolerance),
            bodies,
            apart: Vec::new(),
        };
        let ended = descent.run(objective);
        u.copy_from_slice(&self.at.u);
        ended
    }
}
