//! Reports of solves.

use std::time::Duration;

/// The work of one solve and the certificate of its result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SolveReport {
    /// Iterations: directions computed, the last (which is below the
    /// tolerance) included.
    pub iterations: usize,
    /// Iterations over some bodies alone, of solves for those that would hold up the others.
    pub part_iterations: usize,
    /// Conjugate gradient iterations over all linear solves.
    pub linear_iterations: usize,
    /// Iterations whose step the step bound cut.
    pub bounded: usize,
    /// Halvings over all line searches.
    pub backtracks: usize,
    /// Projected Hessians that were asked for.
    pub projected: usize,
    /// Directions by the matrix of the one before; of an iteration that was tried again, too.
    pub kept: usize,
    /// Iterations in which even the projected Hessian had to be shifted.
    pub shifted: usize,
    /// Linear systems solved by factorisation.
    pub direct_solves: usize,
    /// Factorisations made by [`LocalGlobal`](crate::LocalGlobal): none where a factor was known.
    pub factorisations: usize,
    /// Wall-clock time of these, with what their patterns cost: part of [`Phases::linear_solve`].
    pub factorising: Duration,
    /// Solves that ended after a given number of iterations without having met their tolerance.
    pub unconverged: usize,
    /// Max norm of the last step over the free nodes, in metres; where a
    /// [`LocalGlobal`](crate::LocalGlobal) has met its tolerance, the distance that it expects to be left.
    pub residual: f64,
    /// Wall-clock time by phase.
    pub phases: Phases,
}

impl SolveReport {
    /// Adds the work of a solve for some bodies alone.
    pub(crate) fn absorb_part(&mut self, part: &Self) {
        let (iterations, residual) = (self.iterations, self.residual);
        self.absorb(part);
        (self.iterations, self.residual) = (iterations, residual);
        self.part_iterations += part.iterations;
    }

    /// Adds the work of another solve; the residual becomes the larger one.
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
        self.residual = self.residual.max(other.residual);
        self.phases.absorb(&other.phases);
    }
}

/// Wall-clock time by kind of work. Only ever reported: no decision depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Phases {
    /// Hessians, and gradients that are asked for by themselves.
    pub assembly: Duration,
    /// Factorisations and conjugate gradients.
    pub linear_solve: Duration,
    /// Step bounds.
    pub collision: Duration,
    /// Values, and gradients that are evaluated with them or that line searches ask for.
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
