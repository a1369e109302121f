//! The Newton direction: assembly, elimination of fixed nodes, linear solve.

use crate::error::LinearFailure;
use crate::linear::{LinearSolver, System, Unsolved, max_norm};
use crate::linearisation::Linearisation;
use crate::objective::Objective;
use crate::prescribed::{Prescription, project};
use crate::report::SolveReport;
use crate::settings::LinearChoice;
use resile_linalg::cg::CgLimits;
use resile_linalg::direct::DIAGONAL_SHIFTS;
use resile_linalg::two_level::Layout;
use resile_math::Psd;
use resile_math::{Mat3, Vec3};
use resile_sparse::{Assembly, SymmetricBlockMatrix};
use resile_watch::{Interrupt, Stopwatch};

/// A node is treated exactly by the preconditioner if contact multiplies its stiffness by more than this factor.
const STIFF_RATIO: f64 = 4.0;

/// Input of a search direction.
pub(crate) struct Query<'a> {
    /// Positions of the current point (m).
    pub(crate) u: &'a [Vec3],
    /// Gradient at `u`, zero at nodes that are not free.
    pub(crate) gradient: &'a [Vec3],
    /// Linearisation at `u`.
    pub(crate) linearisation: &'a Linearisation,
    pub(crate) prescription: &'a Prescription,
    pub(crate) linear: LinearChoice,
    /// Permitted relative residual of an iterative solve. A smaller tolerance in the settings takes precedence, except
    /// for a kept matrix.
    pub(crate) forcing: f64,
}

/// Choice of the matrix for a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matrix {
    /// The Hessian at the current point.
    Current(Psd),
    /// The matrix of the last direction, whose origin was [`Origin::Requested`]. Neither the matrix nor its
    /// preconditioner is rebuilt, so the last direction must have been found by conjugate gradients.
    Kept,
}

/// Computes search directions for a [descent](crate::descent).
pub(crate) trait Directions {
    /// Prepares for a minimisation over `rows` nodes.
    fn begin(&mut self, rows: usize);

    /// Writes the solution `p` of `H p = -g` to `step`, adds its cost to `report`, and returns the origin of the
    /// direction. At prescribed nodes `p` is the remaining displacement, at fixed nodes it is zero, and at free nodes it
    /// solves `H_ff p_f = -g_f - H_fs p_s`, with s the nodes that are not free. For guided nodes the same holds in each
    /// direction.
    fn find(
        &mut self,
        objective: &dyn Objective,
        query: &Query<'_>,
        matrix: Matrix,
        step: &mut [Vec3],
        report: &mut SolveReport,
    ) -> Result<Origin, Unsolved>;

    /// Whether each free node would move by less than `distance` (m) under its gradient alone: the gradient is at most
    /// the diagonal block of the last direction's matrix times `distance`, in max norms.
    fn moves_less_than(&mut self, gradient: &[Vec3], free: &[bool], distance: f64) -> bool;
}

/// Origin of a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The requested Hessian.
    Requested,
    /// A Hessian with a part of its diagonal added. The step is too short to measure convergence.
    Shifted,
}

/// Computes Newton directions; owns the matrix and the linear solver.
#[derive(Debug)]
pub(crate) struct DirectionFinder {
    assembly: Assembly,
    linear: LinearSolver,
    right_side: Vec<Vec3>,
    /// Free nodes that contact stiffens by more than [`STIFF_RATIO`].
    stiff: Vec<u32>,
    /// Number of nodes.
    rows: usize,
    /// Whether no Hessian was assembled yet in this minimisation.
    is_first: bool,
}

impl DirectionFinder {
    pub(crate) fn new() -> Self {
        Self {
            assembly: Assembly::new(0),
            linear: LinearSolver::default(),
            right_side: Vec::new(),
            stiff: Vec::new(),
            rows: 0,
            is_first: true,
        }
    }

    /// Polls `interrupt` from now on.
    pub(crate) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.linear.set_interrupt(interrupt);
    }
}

impl Directions for DirectionFinder {
    fn begin(&mut self, rows: usize) {
        if rows != self.rows {
            self.assembly = Assembly::new(rows);
            self.rows = rows;
        }
        self.assembly.forget_growth();
        self.is_first = true;
    }

    fn find(
        &mut self,
        objective: &dyn Objective,
        query: &Query<'_>,
        matrix: Matrix,
        step: &mut [Vec3],
        report: &mut SolveReport,
    ) -> Result<Origin, Unsolved> {
        let psd = match matrix {
            Matrix::Current(psd) => psd,
            Matrix::Kept => {
                return self.find_with_kept_matrix(objective.free(), query, step, report);
            }
        };
        let start = Stopwatch::start();
        objective.hessian(query.u, query.linearisation, psd, &mut self.assembly);
        self.assembly.finish();
        if std::mem::take(&mut self.is_first) {
            // The static pattern of a new assembly is known only after it was filled.
            self.linear.begin(self.assembly.static_pattern(), query.linear);
        }
        let free = objective.free();
        self.stiff.clear();
        let stiffened = self.assembly.stiffened(STIFF_RATIO).filter(|&i| free[i]);
        self.stiff.extend(stiffened.map(|i| i as u32));
        self.write_right_side(objective, query, step);
        self.assembly.finish().constrain(free, objective.guided());
        report.phases.assembly += start.elapsed();

        let start = Stopwatch::start();
        let result = self.solve(query, psd, free, step, report);
        report.phases.linear_solve += start.elapsed();
        query.prescription.write_step(query.u, step);
        result
    }

    fn moves_less_than(&mut self, gradient: &[Vec3], free: &[bool], distance: f64) -> bool {
        let matrix = self.assembly.finish();
        let stiffness = |i: usize| {
            let block = matrix.diagonal(i);
            block.x_axis.x.abs().max(block.y_axis.y.abs()).max(block.z_axis.z.abs())
        };
        let is_small = |i: usize| max_norm(&gradient[i..=i]) <= stiffness(i) * distance;
        (0..gradient.len()).filter(|&i| free[i]).all(is_small)
    }
}

impl DirectionFinder {
    /// Computes the direction with the matrix and the preconditioner of the last direction. Prescribed nodes must have
    /// arrived.
    fn find_with_kept_matrix(
        &mut self,
        free: &[bool],
        query: &Query<'_>,
        step: &mut [Vec3],
        report: &mut SolveReport,
    ) -> Result<Origin, Unsolved> {
        let start = Stopwatch::start();
        for ((b, g), free) in self.right_side.iter_mut().zip(query.gradient).zip(free) {
            *b = if *free { -*g } else { Vec3::ZERO };
        }
        let (a, b) = (&*self.assembly.finish(), &*self.right_side);
        let limits = CgLimits {
            tolerance: query.forcing,
            max_iterations: query.linear.iterative().max_iterations,
        };
        let result = self.linear.solve_again(a, b, step, limits, report);
        report.phases.linear_solve += start.elapsed();
        query.prescription.write_step(query.u, step);
        result.map(|()| Origin::Requested)
    }

    /// Writes the displacements of prescribed nodes to `step`, zero at other nodes, and the right-hand side
    /// `-g_f - H_fs p_s` for the assembled Hessian, which must not be constrained yet.
    fn write_right_side(
        &mut self,
        objective: &dyn Objective,
        query: &Query<'_>,
        step: &mut [Vec3],
    ) {
        let matrix = self.assembly.finish();
        self.right_side.resize(query.u.len(), Vec3::ZERO);
        step.fill(Vec3::ZERO);
        query.prescription.write_step(query.u, step);
        if query.prescription.has_arrived(query.u) {
            self.right_side.fill(Vec3::ZERO);
        } else {
            matrix.multiply(step, &mut self.right_side);
        }
        for ((b, g), free) in self.right_side.iter_mut().zip(query.gradient).zip(objective.free()) {
            *b = if *free { -*g - *b } else { Vec3::ZERO };
        }
        project(objective.guided(), &mut self.right_side);
    }

    /// Solves for the direction with the assembled and constrained Hessian. If the Hessian is projected but not positive
    /// definite, adds increasing fractions of its diagonal.
    fn solve(
        &mut self,
        query: &Query<'_>,
        psd: Psd,
        free: &[bool],
        step: &mut [Vec3],
        report: &mut SolveReport,
    ) -> Result<Origin, Unsolved> {
        let pattern = self.assembly.static_pattern().clone();
        let layout = Layout { pattern: &pattern, free, positions: query.u, stiff: &self.stiff };
        let matrix = self.assembly.finish();
        let (linear, b, forcing) = (&mut self.linear, &self.right_side, query.forcing);
        let mut solve = |a: &_| {
            linear.solve(&System { a, b, layout, forcing }, step, query.linear, report)?;
            // A solution that overflowed is unusable.
            let finite = step.iter().all(|p| p.is_finite());
            if finite { Ok(()) } else { Err(Unsolved::NotPositiveDefinite) }
        };
        match solve(matrix) {
            Ok(()) => return Ok(Origin::Requested),
            Err(Unsolved::NotPositiveDefinite) if psd == Psd::Clamp => {}
            Err(unsolved) => return Err(unsolved),
        }
        let mut added = 0.0;
        // The projection of blocks leaves more than the smallest of the shifts.
        for shift in DIAGONAL_SHIFTS.into_iter().skip(1) {
            add_to_diagonal(matrix, shift - added);
            added = shift;
            match solve(matrix) {
                Err(Unsolved::NotPositiveDefinite) => {}
                result => return result.map(|()| Origin::Shifted),
            }
        }
        Err(Unsolved::Failure(LinearFailure::NotPositiveDefinite { shift: added }))
    }
}

/// Adds a fraction of the absolute value of each diagonal entry, or of their mean where that is larger.
fn add_to_diagonal(matrix: &mut SymmetricBlockMatrix, fraction: f64) {
    let diagonal_entries =
        |block: &Mat3| Vec3::new(block.x_axis.x, block.y_axis.y, block.z_axis.z).abs();
    let rows = matrix.rows();
    let sum: f64 = (0..rows).map(|i| diagonal_entries(matrix.diagonal(i)).element_sum()).sum();
    let mean = sum / (3 * rows) as f64;
    for i in 0..rows {
        let block = matrix.diagonal_mut(i);
        *block += Mat3::from_diagonal(diagonal_entries(block).max(Vec3::splat(mean)) * fraction);
    }
}
