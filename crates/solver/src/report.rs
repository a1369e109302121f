//! Reports of solves.

use std::time::Duration;

/// The work of one solve and the length of its last step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SolveReport {
    /// Number of directions computed, including the last one, which is below the tolerance.
    pub iterations: usize,
    /// Iterations of separate solves for bodies that would limit the step of the others.
    pub part_iterations: usize,
    /// Conjugate gradient iterations over all linear solves.
    pub linear_iterations: usize,
    /// Iterations whose step was limited by the step bound.
    pub bounded: usize,
    /// Halvings over all line searches.
    pub backtracks: usize,
    /// Number of projected Hessians requested.
    pub projected: usize,
    /// Directions computed with the matrix of the previous one, including those of repeated iterations.
    pub kept: usize,
    /// Iterations in which even the projected Hessian was shifted.
    pub shifted: usize,
    /// Linear systems solved by factorisation.
    pub direct_solves: usize,
    /// Factorisations by [`LocalGlobal`](crate::LocalGlobal); none if a cached factor was used.
    pub factorisations: usize,
    /// Wall-clock time of `factorisations` and the analysis of their patterns, which is included in
    /// [`Phases::linear_solve`].
    pub factorising: Duration,
    /// Solves that ended after a given number of iterations without reaching their tolerance.
    pub unconverged: usize,
    /// Max norm of the last step over the free nodes (m). For a converged [`LocalGlobal`](crate::LocalGlobal) the
    /// estimated remaining distance.
    pub last_step: f64,
    /// Wall-clock time by phase.
    pub phases: Phases,
}

impl SolveReport {
    /// Adds the work of a solve for some bodies alone.
    pub(crate) fn absorb_part(&mut self, part: &Self) {
        let (iterations, last_step) = (self.iterations, self.last_step);
        self.absorb(part);
        (self.iterations, self.last_step) = (iterations, last_step);
        self.part_iterations += part.iterations;
    }

    /// Adds the work of another solve; the last step becomes the longer one.
    pub fn absorb(&mut self, other: &Self) {
        self.iterations += other.iterations;
        self.part_iterations += other.part_iterations;
        self.linear_iterations += other.linear_iterations;
        self.bounded += other.bounded;
        self.backtracks += other.backtracks;
        self.projected += other.projected;
        self.kept += other.kept;
        self.shifted += other.shifted;
        self.direct_solves += other.direct_solves;
        self.factorisations += other.factorisations;
        self.factorising += other.factorising;
        self.unconverged += other.unconverged;
        self.last_step = self.last_step.max(other.last_step);
        self.phases.absorb(&other.phases);
    }
}

/// Wall-clock time by phase. For reports only: no decision depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Phases {
    /// Hessians, and gradients requested separately.
    pub assembly: Duration,
    /// Factorisations and conjugate gradients.
    pub linear_solve: Duration,
    /// Step bounds.
    pub collision: Duration,
    /// Values, and gradients requested with them or by line searches.
    pub line_search: Duration,
}

impl Phases {
    /// Adds the times of another solve.
    pub fn absorb(&mut self, other: &Self) {
        self.assembly += other.assembly;
        self.linear_solve += other.linear_solve;
        self.collision += other.collision;
        self.line_search += other.line_search;
    }
}
