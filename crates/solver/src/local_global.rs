//! Local-global descent along the directions of one constant matrix.

use crate::error::SolveError;
use crate::iteration::Iteration;
use crate::metric::MetricFinder;
use crate::minimiser::{Minimiser, Workspace};
use crate::objective::Objective;
use crate::report::SolveReport;
use crate::settings::{LocalGlobalSettings, NewtonSettings, ProjectionPolicy};
use crate::stop::StoppingCriterion;
use resile_math::Vec3;
use resile_watch::{Interrupt, Job};

/// Projective Dynamics (Bouaziz, Martin, Liu, Kavan & Pauly 2014) as a quasi-Newton method
/// (Liu, Bouaziz & Kavan 2017, *Quasi-Newton methods for real-time simulation of
/// hyperelastic materials*).
///
/// For the objective `1/2 |u - y|_m^2 + sum w/2 |A u - p(u)|^2`, where p is the point of a set nearest to `A u`, an
/// iteration of Projective Dynamics computes all p (the local step) and solves `(m + sum w A^T A) u' = m y + sum w
/// A^T p` (the global step). Since the derivative of such a distance is `w A^T (A u - p)`, this is `u' = u - L^-1
/// grad` with `L = m + sum w A^T A`: one step of a quasi-Newton method with the [constant
/// matrix](Objective::laplacian) L. In this form it needs no projections and minimises any objective. A line search
/// on the true value handles objectives that grow faster than L. L has one number for each pair of nodes, the same
/// for the three components, and is factorised again only if it changes.
///
/// Terms that couple bodies, such as contact, are not part of L: their current Hessian is added, and conjugate
/// gradients solve the sum with the factor of L as preconditioner.
///
/// Limited-memory BFGS with the last five steps, as in Liu et al., corrects the constant matrix; the first step of a
/// solve is exactly a local-global step.
///
/// Convergence is linear. If `iterations` is set, a solve ends after that number even without convergence, and
/// [`SolveReport::unconverged`] counts it.
#[derive(Debug)]
pub struct LocalGlobal {
    settings: LocalGlobalSettings,
    finder: MetricFinder,
    workspace: Workspace,
}

impl LocalGlobal {
    /// Creates a solver without cached factors.
    pub fn new(settings: LocalGlobalSettings) -> Self {
        Self { settings, finder: MetricFinder::default(), workspace: Workspace::default() }
    }
}

impl Minimiser for LocalGlobal {
    /// The solve has converged when the remaining distance, estimated as `step q / (1 - q)` with q the larger of the
    /// last two ratios of steps, is at most `step_tolerance`, or when only rounding remains. It also ends after the
    /// number of iterations in the settings.
    fn minimise(
        &mut self,
        objective: &mut dyn Objective,
        u: &mut [Vec3],
        step_tolerance: f64,
    ) -> Result<SolveReport, SolveError> {
        let settings = NewtonSettings {
            // The matrix is definite, so no exact Hessian is tried first.
            projection: ProjectionPolicy::Always,
            ..self.settings.newton
        };
        let stop = StoppingCriterion::linear(self.settings.iterations);
        let Self { finder, workspace, .. } = self;
        workspace.descend(finder, settings, stop, objective, u, step_tolerance)
    }

    fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.workspace.interrupt = interrupt.clone();
        self.finder.set_interrupt(interrupt);
    }

    fn set_progress(&mut self, job: &Job) {
        self.workspace.job = job.clone();
    }

    fn report(&self) -> &SolveReport {
        &self.workspace.report
    }

    fn trace(&mut self, enabled: bool) {
        self.workspace.trace.set_enabled(enabled);
    }

    fn take_iterations(&mut self) -> Vec<Iteration> {
        self.workspace.trace.take()
    }
}
