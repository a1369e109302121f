//! Local and global steps: descent along the directions of one constant matrix.

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
/// Where the objective is `1/2 |u - y|_m^2 + sum w/2 |A u - p(u)|^2`, p the point of a set
/// nearest to `A u`, an iteration of Projective Dynamics finds all p (the local step) and solves
/// `(m + sum w A^T A) u' = m y + sum w A^T p` (the global step). As the derivative of such a
/// distance is `w A^T (A u - p)`, that is `u' = u - L^-1 grad`, `L = m + sum w A^T A`: one step of a
/// quasi-Newton method with the [constant matrix](Objective::laplacian) L. So seen it needs no
/// projections and minimises any objective; a line search on the true value takes care of those
/// that grow faster than their L. L has one number for each pair of nodes, the same for the three
/// components, and is factorised again only if it changes.
///
/// What couples bodies, as contact does, is no part of L: the direction then solves with its
/// Hessian at hand added, by conjugate gradients that have the factor of L as preconditioner.
///
/// The steps before give the constant matrix the curvature that they have met (limited-memory
/// BFGS with five of them, as Liu et al. have it); the first step of a solve is a local/global one to
/// the last digit.
///
/// Convergence is linear. With `iterations` set a solve ends after so many, met or
/// not: [`SolveReport::unconverged`] says so.
#[derive(Debug)]
pub struct LocalGlobal {
    settings: LocalGlobalSettings,
    finder: MetricFinder,
    workspace: Workspace,
}

impl LocalGlobal {
    /// A solver that has seen no objective.
    pub fn new(settings: LocalGlobalSettings) -> Self {
        Self { settings, finder: MetricFinder::default(), workspace: Workspace::default() }
    }
}

impl Minimiser for LocalGlobal {
    /// Done when the distance that is left, estimated from the last steps as `step q / (1 - q)`
    /// with q the larger of their last two ratios, is at most `step_tolerance`, when nothing but
    /// rounding is left, or after as many iterations as the settings say.
    fn minimise(
        &mut self,
        objective: &mut dyn Objective,
        u: &mut [Vec3],
        step_tolerance: f64,
    ) -> Result<SolveReport, SolveError> {
        let settings = NewtonSettings {
            // The matrix is definite: there is no exact one to be tried before it.
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

    fn trace(&mut self, on: bool) {
        self.workspace.trace.set_enabled(on);
    }

    fn take_iterations(&mut self) -> Vec<Iteration> {
        self.workspace.trace.take()
    }
}
