//! Solution of linear systems: choice of the solver, fallback, and check of the residual.

use crate::error::LinearFailure;
use crate::report::SolveReport;
use crate::settings::{Iterative, LinearChoice};
use resile_linalg::cg::{CgLimits, CgOutcome, ConjugateGradients, PreconditionerError};
use resile_linalg::direct::{Cholesky, DirectError, FactorisationCost};
use resile_linalg::two_level::{Layout, TwoLevel};
use resile_math::Vec3;
use resile_sparse::{BlockPattern, Dyad, SymmetricBlockMatrix};
use resile_watch::Interrupt;
use std::sync::Arc;

/// Normwise backward error above which the solution of a factorisation is rejected. A correct one has about 1e-16;
/// the limit detects wrong factors.
const MAX_BACKWARD_ERROR: f64 = 1e-10;

/// Cost model of [`LinearChoice::Auto`]: a factorisation and its solve, less the setup of the preconditioner, cost
/// `BASE_ITERATIONS + (ITERATIONS_PER_FACTOR_BLOCK nnz(L) + ITERATIONS_PER_FLOP flops) / nnz(A)` iterations of
/// conjugate gradients. Fixed numbers instead of a clock make the choice deterministic. They are within two fifths of
/// measurements from rods to cubes, except for matrices of about thirty nodes (`benches/README.md`).
const BASE_ITERATIONS: f64 = 3.0;
const ITERATIONS_PER_FACTOR_BLOCK: f64 = 5.2;
const ITERATIONS_PER_FLOP: f64 = 1.0 / 575.0;

/// Number of iterations that suffices for most matrices. If a factorisation of the bodies alone costs more, the
/// cost of one with contact is not computed.
const SUFFICIENT_ITERATIONS: f64 = 40.0;

/// Conjugate gradients are not used if a factorisation costs at most this many iterations, as for chains and
/// rods of any length.
const MIN_FACTORISATION_COST: f64 = 12.0;

/// Conjugate gradients are not used if the preconditioner would factorise a matrix larger than this fraction of
/// the whole, as for many affine bodies.
const MAX_COARSE_FRACTION: f64 = 0.5;

/// Why a system has no usable solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Unsolved {
    /// The matrix or the preconditioner is not positive definite.
    NotPositiveDefinite,
    /// The last system was solved without a preconditioner, so its matrix cannot be used again.
    NoPreconditioner,
    /// A failure that no other matrix would avoid.
    Failure(LinearFailure),
}

/// A linear system with its structure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct System<'a> {
    pub(crate) a: &'a SymmetricBlockMatrix,
    pub(crate) b: &'a [Vec3],
    pub(crate) layout: Layout<'a>,
    /// Relative residual permitted for an iterative solve, unless the settings require a smaller one.
    pub(crate) forcing: f64,
}

/// The direct and the iterative solver with their caches.
#[derive(Debug, Default)]
pub(crate) struct LinearSolver {
    direct: Cholesky,
    conjugate_gradients: ConjugateGradients,
    preconditioner: TwoLevel,
    product: Vec<Vec3>,
    /// State of [`LinearChoice::Auto`] in this minimisation.
    preference: Preference,
    /// Whether the preconditioner belongs to the last system.
    has_preconditioner: bool,
}

/// Preferred solver of a minimisation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Preference {
    /// No factorisation has exceeded its cost limit so far; systems are factorised.
    #[default]
    Undecided,
    /// Factorisation costs at least `cost`, which exceeds the limit. Patterns only grow within a minimisation, so the
    /// cost cannot decrease.
    ConjugateGradients { cost: FactorisationCost },
    /// Conjugate gradients did not converge within the cost of a factorisation.
    Factorisation,
}

impl LinearSolver {
    /// Polls `interrupt` from now on.
    pub(crate) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.direct.set_interrupt(interrupt);
        self.conjugate_gradients.set_interrupt(interrupt);
        self.preconditioner.set_interrupt(interrupt);
    }

    /// Prepares for a minimisation whose patterns contain this static one. The choice of the solver must not depend
    /// on previous solves, so it is based on the static pattern.
    pub(crate) fn begin(&mut self, pattern: &Arc<BlockPattern>, choice: LinearChoice) {
        self.preference = Preference::Undecided;
        if let LinearChoice::Auto { flop_limit, .. } = choice {
            self.set_preference(pattern, flop_limit);
        }
    }

    /// Prefers conjugate gradients if the factorisation of this pattern takes more than `flop_limit` operations, unless
    /// a preference is known.
    fn set_preference(&mut self, pattern: &Arc<BlockPattern>, flop_limit: f64) {
        if self.preference == Preference::Undecided {
            let cost = self.factorisation_cost(pattern);
            if cost.flops > flop_limit {
                self.preference = Preference::ConjugateGradients { cost };
            }
        }
    }

    /// Cost of factorising a matrix of this pattern; infinite if the factor is too large.
    fn factorisation_cost(&mut self, pattern: &Arc<BlockPattern>) -> FactorisationCost {
        let impossible = FactorisationCost { flops: f64::INFINITY, blocks: f64::INFINITY };
        self.direct.predict(pattern).unwrap_or(impossible)
    }

    /// Solves `a x = b` by the solver of `choice`, and adds the cost to `report`. [`LinearChoice::Auto`] factorises if
    /// conjugate gradients do not converge within the cost of a factorisation.
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
        self.set_preference(&system.a.pattern, flop_limit);
        let Some(iterations) = self.max_cg_iterations(system) else {
            return self.solve_direct(system, x, report);
        };
        settings.max_iterations = settings.max_iterations.min(iterations);
        match self.solve_iterative(system, x, settings, report) {
            Err(Unsolved::Failure(failure)) if failure != LinearFailure::Interrupted => {
                self.preference = Preference::Factorisation;
                self.solve_direct(system, x, report)
            }
            result => result,
        }
    }

    /// Number of conjugate gradient iterations that cost as much as the factorisation of the system; `None` if
    /// factorisation is preferred.
    fn max_cg_iterations(&mut self, system: &System<'_>) -> Option<usize> {
        let Preference::ConjugateGradients { cost } = self.preference else { return None };
        let pattern = &system.a.pattern;
        let mut iterations = equivalent_cg_iterations(&cost, pattern);
        if iterations < SUFFICIENT_ITERATIONS {
            let cost = self.factorisation_cost(pattern);
            self.preference = Preference::ConjugateGradients { cost };
            iterations = equivalent_cg_iterations(&cost, pattern);
        }
        if iterations < MIN_FACTORISATION_COST
            || self.preconditioner.coarse_fraction(&system.layout) > MAX_COARSE_FRACTION
        {
            self.preference = Preference::Factorisation;
            return None;
        }
        Some(iterations as usize)
    }

    /// Prepares the preconditioner and solves by conjugate gradients.
    fn solve_iterative(
        &mut self,
        system: &System<'_>,
        x: &mut [Vec3],
        settings: Iterative,
        report: &mut SolveReport,
    ) -> Result<(), Unsolved> {
        self.has_preconditioner = false;
        match self.preconditioner.prepare(system.a, &system.layout) {
            Ok(()) => {}
            Err(PreconditionerError::NotPositiveDefinite) => {
                return Err(Unsolved::NotPositiveDefinite);
            }
            Err(PreconditionerError::Interrupted) => {
                return Err(Unsolved::Failure(LinearFailure::Interrupted));
            }
            Err(PreconditionerError::TooLarge) => {
                let rows = system.a.rows();
                return Err(Unsolved::Failure(LinearFailure::TooLarge { rows }));
            }
        }
        self.has_preconditioner = true;
        let limits = CgLimits {
            tolerance: settings.tolerance.min(system.forcing),
            max_iterations: settings.max_iterations,
        };
        self.iterate(system.a, system.b, x, limits, report)
    }

    /// Solves the previous system with another right-hand side to the relative residual `limits.tolerance`. Only
    /// possible if that system was solved by conjugate gradients: a system that is factorised is so small that the
    /// full accuracy of a new matrix costs little more.
    pub(crate) fn solve_again(
        &mut self,
        a: &SymmetricBlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
        limits: CgLimits,
        report: &mut SolveReport,
    ) -> Result<(), Unsolved> {
        if !self.has_preconditioner {
            return Err(Unsolved::NoPreconditioner);
        }
        self.iterate(a, b, x, limits, report)
    }

    /// Runs conjugate gradients with the prepared preconditioner.
    fn iterate(
        &mut self,
        a: &SymmetricBlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
        limits: CgLimits,
        report: &mut SolveReport,
    ) -> Result<(), Unsolved> {
        let outcome =
            self.conjugate_gradients.solve_matrix(a, &mut self.preconditioner, b, x, limits);
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

    /// Factorises and solves, and checks the backward error.
    fn solve_direct(
        &mut self,
        system: &System<'_>,
        x: &mut [Vec3],
        report: &mut SolveReport,
    ) -> Result<(), Unsolved> {
        let (a, b) = (system.a, system.b);
        self.has_preconditioner = false;
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
        if backward_error <= MAX_BACKWARD_ERROR {
            Ok(())
        } else {
            Err(Unsolved::Failure(LinearFailure::Inaccurate { backward_error }))
        }
    }

    /// `|Ax - b| / (|A| |x| + |b|)` in max norms (Rigal and Gaches 1967).
    fn backward_error(&mut self, a: &SymmetricBlockMatrix, b: &[Vec3], x: &[Vec3]) -> f64 {
        self.product.resize(x.len(), Vec3::ZERO);
        a.multiply(x, &mut self.product);
        let residual = self.product.iter().zip(b).map(|(ax, b)| *ax - *b);
        let residual = residual.fold(0.0, |largest, e| max_or_nan(largest, e.abs().max_element()));
        let largest_entry = |block: &resile_math::Mat3| {
            let column = block.x_axis.abs().max(block.y_axis.abs()).max(block.z_axis.abs());
            column.max_element()
        };
        let matrix_norm = a.blocks.iter().map(largest_entry).fold(0.0, f64::max);
        let matrix_norm = a.dyads.iter().map(Dyad::largest_entry).fold(matrix_norm, f64::max);
        residual / (matrix_norm * max_norm(x) + max_norm(b)).max(f64::MIN_POSITIVE)
    }
}

/// Number of conjugate gradient iterations, after their setup, that cost as much as a factorisation of this `cost`, by
/// the cost model of [`BASE_ITERATIONS`].
fn equivalent_cg_iterations(cost: &FactorisationCost, pattern: &BlockPattern) -> f64 {
    let factorisation =
        ITERATIONS_PER_FACTOR_BLOCK * cost.blocks + ITERATIONS_PER_FLOP * cost.flops;
    BASE_ITERATIONS + factorisation / pattern.len() as f64
}

/// The larger number; NaN if either is NaN.
fn max_or_nan(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// The first node with the largest absolute component, a component that is not finite above all; 0 without nodes.
pub(crate) fn largest_node(x: &[Vec3]) -> usize {
    let norms = x.iter().map(|v| max_norm(&[*v])).enumerate();
    let (node, _) = norms.fold((0, -1.0), |largest: (usize, f64), (node, norm)| {
        let is_larger = norm > largest.1 || (!norm.is_finite() && largest.1.is_finite());
        if is_larger { (node, norm) } else { largest }
    });
    node
}

/// The largest absolute component; NaN if a component is NaN.
pub(crate) fn max_norm(x: &[Vec3]) -> f64 {
    let node_norm = |v: &Vec3| max_or_nan(max_or_nan(v.x.abs(), v.y.abs()), v.z.abs());
    x.iter().map(node_norm).fold(0.0, max_or_nan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::Mat3;
    use resile_sparse::{Assembly, BlockSink};

    /// Springs between pairs of nodes, of which those in `fixed` are static, and a mass at each node.
    fn springs(nodes: usize, fixed: &[(usize, usize)], coming: &[(usize, usize)]) -> Assembly {
        let mut sum = Assembly::new(nodes);
        sum.begin();
        (0..nodes).for_each(|i| sum.add(i, i, Mat3::IDENTITY));
        let spring = |sum: &mut Assembly, &(i, j): &(usize, usize)| {
            sum.add(i, i, Mat3::IDENTITY);
            sum.add(j, j, Mat3::IDENTITY);
            sum.add(i, j, -Mat3::IDENTITY);
        };
        fixed.iter().for_each(|pair| spring(&mut sum, pair));
        sum.end_static();
        coming.iter().for_each(|pair| spring(&mut sum, pair));
        sum.finish();
        sum
    }

    /// Report of a solve by `Auto` with a zero limit of operations, so that conjugate gradients are considered.
    fn solve(sum: &Assembly) -> SolveReport {
        let nodes = sum.matrix().rows();
        let positions: Vec<Vec3> = (0..nodes).map(|i| Vec3::new(i as f64, 0.0, 0.0)).collect();
        let layout = Layout {
            pattern: sum.static_pattern(),
            free: &vec![true; nodes],
            positions: &positions,
            stiff: &[],
        };
        let b: Vec<Vec3> = (0..nodes).map(|i| Vec3::splat((i * i % 17) as f64)).collect();
        let system = System { a: sum.matrix(), b: &b, layout, forcing: 1e-2 };
        let choice = LinearChoice::Auto { flop_limit: 0.0, iterative: Iterative::default() };
        let (mut solver, mut report) = (LinearSolver::default(), SolveReport::default());
        solver.begin(sum.static_pattern(), choice);
        solver.solve(&system, &mut vec![Vec3::ZERO; nodes], choice, &mut report).unwrap();
        report
    }

    fn chain(nodes: usize) -> Vec<(usize, usize)> {
        (1..nodes).map(|i| (i - 1, i)).collect()
    }

    #[test]
    fn chain_is_factorised_and_a_plate_is_not() {
        let report = solve(&springs(3000, &chain(3000), &[]));
        assert_eq!((report.direct_solves, report.linear_iterations), (1, 0));

        let across = (0..40 * 39).map(|i| (i, i + 40));
        let along = (0..40 * 40).filter(|i| i % 40 > 0).map(|i| (i - 1, i));
        let report = solve(&springs(1600, &across.chain(along).collect::<Vec<_>>(), &[]));
        assert!(report.direct_solves == 0 && report.linear_iterations > 0, "{report:?}");
    }

    #[test]
    fn factorisation_cost_includes_contact_fill() {
        let contacts: Vec<_> = (0..3000).map(|i| (i, (7919 * i + 1500) % 3000)).collect();
        let contacts: Vec<_> = contacts.into_iter().filter(|(i, j)| i != j).collect();
        let report = solve(&springs(3000, &chain(3000), &contacts));
        assert!(report.direct_solves == 0 && report.linear_iterations > 0, "{report:?}");
    }
}
