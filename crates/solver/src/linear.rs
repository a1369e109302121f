//! One linear system: which solver, what fallback, and whether to believe it.

use crate::error::LinearFailure;
use crate::report::SolveReport;
use crate::settings::{Iterative, LinearChoice};
use resile_linalg::cg::{CgLimits, CgOutcome, ConjugateGradients, Unprepared};
use resile_linalg::direct::{Cholesky, DirectError};
use resile_linalg::two_level::{Layout, TwoLevel};
use resile_linalg::{BlockPattern, SymmetricBlockMatrix};
use resile_math::Vec3;
use resile_watch::Interrupt;
use std::sync::Arc;

/// Normwise backward error above which a factorisation's solution is refused.
/// A sound one is near 1e-16; the limit is there to catch a wrong factor.
const BACKWARD_ERROR: f64 = 1e-10;

/// Operations of a factorisation that take as long as one stored block in one
/// iteration of conjugate gradients. A fixed number and not a clock, so that equal
/// input makes equal choices.
const FLOPS_PER_BLOCK: f64 = 200.0;

/// Conjugate gradients are not begun if the factorisation costs no more than so many
/// iterations: chains and ribbons of any length.
const FEWEST: f64 = 8.0;

/// Nor if the preconditioner would factorise a matrix nearly as large: many affine bodies.
const MOST_COARSE: f64 = 0.5;

/// Why a system has no solution to use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Unsolved {
    NotPositiveDefinite,
    Failure(LinearFailure),
}

/// A linear system and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct System<'a> {
    pub(crate) a: &'a SymmetricBlockMatrix,
    pub(crate) b: &'a [Vec3],
    pub(crate) layout: Layout<'a>,
    /// The residual that an iterative solve may leave, relative to `b`, if its setting
    /// allows more.
    pub(crate) forcing: f64,
}

/// Both solvers with their memory.
#[derive(Debug, Default)]
pub(crate) struct LinearSolver {
    direct: Cholesky,
    gradients: ConjugateGradients,
    preconditioner: TwoLevel,
    product: Vec<Vec3>,
    /// What is known about this minimisation under [`LinearChoice::Auto`].
    preference: Preference,
}

/// Which method suits the minimisation at hand.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Preference {
    /// Nothing speaks against the factorisation yet.
    #[default]
    Open,
    /// The factorisation would take this many operations, too many to begin with.
    /// Patterns only grow within a minimisation, so that is not asked again.
    Gradients { flops: f64 },
    /// Conjugate gradients had their share and did not converge.
    Factorisation,
}

impl LinearSolver {
    /// Looks at `interrupt` from now on.
    pub(crate) fn heed(&mut self, interrupt: &Interrupt) {
        self.direct.heed(interrupt);
        self.gradients.heed(interrupt);
        self.preconditioner.heed(interrupt);
    }

    /// A minimisation begins whose patterns hold this one. The choice must not
    /// depend on what was solved before, so it is made from the static pattern.
    pub(crate) fn begin(&mut self, pattern: &Arc<BlockPattern>, choice: LinearChoice) {
        self.preference = Preference::Open;
        if let LinearChoice::Auto { flop_limit, .. } = choice {
            self.prefer(pattern, flop_limit);
        }
    }

    fn prefer(&mut self, pattern: &Arc<BlockPattern>, limit: f64) {
        if self.preference == Preference::Open {
            let flops = self.direct.predict_flops(pattern).unwrap_or(f64::INFINITY);
            if flops > limit {
                self.preference = Preference::Gradients { flops };
            }
        }
    }

    /// `x = a^-1 b`.
    pub(crate) fn solve(
        &mut self,
        system: &System<'_>,
        x: &mut [Vec3],
        choice: LinearChoice,
        report: &mut SolveReport,
    ) -> Result<(), Unsolved> {
        let (flop_limit, mut settings) = match choice {
            LinearChoice::Direct => return self.solve_direct(system, x, report),
            LinearChoice::Iterative(settings) => {
                return self.solve_iterative(system, x, settings, report);
            }
            LinearChoice::Auto { flop_limit, iterative } => (flop_limit, iterative),
        };
        let pattern = &system.a.pattern;
        self.prefer(pattern, flop_limit);
        let Preference::Gradients { flops } = self.preference else {
            return self.solve_direct(system, x, report);
        };
        let share = flops / (FLOPS_PER_BLOCK * pattern.len() as f64);
        if share < FEWEST || self.preconditioner.coarse_fraction(&system.layout) > MOST_COARSE {
            self.preference = Preference::Factorisation;
            return self.solve_direct(system, x, report);
        }
        settings.max_iterations = settings.max_iterations.min(share as usize);
        match self.solve_iterative(system, x, settings, report) {
            Err(Unsolved::Failure(failure)) if failure != LinearFailure::Interrupted => {
                self.preference = Preference::Factorisation;
                self.solve_direct(system, x, report)
            }
            answer => answer,
        }
    }

    fn solve_iterative(
        &mut self,
        system: &System<'_>,
        x: &mut [Vec3],
        settings: Iterative,
        report: &mut SolveReport,
    ) -> Result<(), Unsolved> {
        let limits = CgLimits {
            tolerance: settings.tolerance.min(system.forcing),
            max_iterations: settings.max_iterations,
        };
        match self.preconditioner.prepare(system.a, &system.layout) {
            Ok(()) => {}
            Err(Unprepared::NotPositiveDefinite) => return Err(Unsolved::NotPositiveDefinite),
            Err(Unprepared::Interrupted) => {
                return Err(Unsolved::Failure(LinearFailure::Interrupted));
            }
            Err(Unprepared::TooLarge) => {
                let rows = system.a.rows();
                return Err(Unsolved::Failure(LinearFailure::TooLarge { rows }));
            }
        }
        let outcome = self.gradients.solve(system.a, &mut self.preconditioner, system.b, x, limits);
        report.linear_iterations += outcome.iterations();
        match outcome {
            CgOutcome::Converged { .. } => Ok(()),
            CgOutcome::NegativeCurvature { .. } => Err(Unsolved::NotPositiveDefinite),
            CgOutcome::Stagnated { iterations, residual } => {
                Err(Unsolved::Failure(LinearFailure::Stagnated { iterations, residual }))
            }
            CgOutcome::Interrupted { .. } => Err(Unsolved::Failure(LinearFailure::Interrupted)),
        }
    }

    fn solve_direct(
        &mut self,
        system: &System<'_>,
        x: &mut [Vec3],
        report: &mut SolveReport,
    ) -> Result<(), Unsolved> {
        let (a, b) = (system.a, system.b);
        match self.direct.factorize(a) {
            Ok(()) => {}
            Err(DirectError::NotPositiveDefinite { .. }) => {
                return Err(Unsolved::NotPositiveDefinite);
            }
            Err(DirectError::Interrupted) => {
                return Err(Unsolved::Failure(LinearFailure::Interrupted));
            }
            Err(_) => {
                return Err(Unsolved::Failure(LinearFailure::TooLarge { rows: a.rows() }));
            }
        }
        self.direct.solve(b, x);
        report.direct_solves += 1;
        let backward_error = self.backward_error(a, b, x);
        if backward_error <= BACKWARD_ERROR {
            Ok(())
        } else {
            Err(Unsolved::Failure(LinearFailure::Inaccurate { backward_error }))
        }
    }

    /// `|Ax - b| / (|A| |x| + |b|)` in max norms (Rigal and Gaches 1967).
    fn backward_error(&mut self, a: &SymmetricBlockMatrix, b: &[Vec3], x: &[Vec3]) -> f64 {
        self.product.resize(x.len(), Vec3::ZERO);
        a.multiply(x, &mut self.product);
        let error = self.product.iter().zip(b).map(|(ax, b)| *ax - *b);
        let error = error.fold(0.0, |largest, e| worst(largest, e.abs().max_element()));
        let entry = |block: &resile_math::Mat3| {
            let column = block.x_axis.abs().max(block.y_axis.abs()).max(block.z_axis.abs());
            column.max_element()
        };
        let matrix = a.blocks.iter().map(entry).fold(0.0, f64::max);
        error / (matrix * max_norm(x) + max_norm(b)).max(f64::MIN_POSITIVE)
    }
}

/// The larger number, or the one that is not a number.
fn worst(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// The largest component; NaN if there is one.
pub(crate) fn max_norm(x: &[Vec3]) -> f64 {
    let of_node = |v: &Vec3| worst(worst(v.x.abs(), v.y.abs()), v.z.abs());
    x.iter().map(of_node).fold(0.0, worst)
}
