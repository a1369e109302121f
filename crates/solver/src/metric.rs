//! Directions of steepest descent in a constant metric.

use crate::direction::{Directions, Matrix, Origin, Query};
use crate::error::LinearFailure;
use crate::linear::{Unsolved, max_norm};
use crate::memory::CurvatureMemory;
use crate::objective::Objective;
use crate::prescribed::project;
use crate::report::SolveReport;
use resile_linalg::cg::{CgLimits, CgOutcome, ConjugateGradients, Product};
use resile_linalg::direct::{Cholesky, DirectError, FactorInverse};
use resile_math::{Mat3, Vec3};
use resile_sparse::{Assembly, SymmetricBlockMatrix};
use resile_watch::{Interrupt, Stopwatch};

/// Number of cached factors: blending alternates between the matrices of the midpoint rule and of implicit Euler, and
/// adaptive steps between two step lengths.
const MAX_FACTORS: usize = 4;

/// Maximum number of conjugate gradient iterations. Their result is used without convergence too, because it is a
/// descent direction after any number.
const MAX_INNER_ITERATIONS: usize = 60;

/// Relative residual of an accurate direction: about the square root of an epsilon. The solution of a factorisation with
/// a larger one is rejected, and conjugate gradients end there if their tolerance is smaller, as that of settings for
/// direct solves, which is zero.
const ACCURATE_RESIDUAL: f64 = 1e-8;

/// Computes directions with one constant matrix for a minimisation, plus the current Hessian of couplings, corrected by
/// L-BFGS.
#[derive(Debug)]
pub(crate) struct MetricFinder {
    laplacian: Assembly<f64>,
    /// The Hessian of terms that couple bodies, such as contact.
    couplings: Assembly,
    /// Cached factors, the most recently used first.
    factors: Vec<Factor>,
    gradients: ConjugateGradients,
    memory: CurvatureMemory,
    right_side: Vec<Vec3>,
    product: Vec<Vec3>,
    rows: usize,
    /// Whether no matrix was assembled yet in this minimisation.
    is_first: bool,
    interrupt: Interrupt,
}

/// A matrix in which the rows of nodes that are not free are those of the identity, and its factor.
#[derive(Debug)]
struct Factor {
    matrix: SymmetricBlockMatrix<f64>,
    cholesky: Cholesky<f64>,
}

impl Default for MetricFinder {
    fn default() -> Self {
        Self {
            laplacian: Assembly::new(0),
            couplings: Assembly::new(0),
            factors: Vec::new(),
            gradients: ConjugateGradients::new(),
            memory: CurvatureMemory::default(),
            right_side: Vec::new(),
            product: Vec::new(),
            rows: 0,
            is_first: true,
            interrupt: Interrupt::new(),
        }
    }
}

impl MetricFinder {
    /// Polls `interrupt` from now on.
    pub(crate) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
        self.gradients.set_interrupt(interrupt);
        self.factors.iter_mut().for_each(|factor| factor.cholesky.set_interrupt(interrupt));
    }

    /// Moves the factor of the current matrix to the front, computing it if it is not cached.
    fn factorize(&mut self, free: &[bool], report: &mut SolveReport) -> Result<(), Unsolved> {
        let matrix = eliminate(self.laplacian.matrix(), free);
        let has_same_matrix =
            |f: &Factor| f.matrix.blocks == matrix.blocks && f.matrix.pattern == matrix.pattern;
        if let Some(index) = self.factors.iter().position(has_same_matrix) {
            self.factors[..=index].rotate_right(1);
            return Ok(());
        }
        let start = Stopwatch::start();
        // The oldest factor is overwritten, which reuses the symbolic factorisations of recent patterns.
        let mut cholesky = if self.factors.len() < MAX_FACTORS {
            Cholesky::new()
        } else {
            self.factors.pop().map(|f| f.cholesky).unwrap_or_default()
        };
        cholesky.set_interrupt(&self.interrupt);
        let rows = matrix.rows();
        cholesky.factorize(&matrix).map_err(|error| match error {
            DirectError::NotPositiveDefinite { .. } => Unsolved::NotPositiveDefinite,
            DirectError::Interrupted => Unsolved::Failure(LinearFailure::Interrupted),
            _ => Unsolved::Failure(LinearFailure::TooLarge { rows }),
        })?;
        report.factorisations += 1;
        report.factorising += start.elapsed();
        self.factors.insert(0, Factor { matrix, cholesky });
        Ok(())
    }

    /// Solves `A step = right_side`: by the factor of the constant matrix L alone if no coupling acts, otherwise by
    /// conjugate gradients with that factor as preconditioner.
    fn solve(
        &mut self,
        query: &Query<'_>,
        objective: &dyn Objective,
        step: &mut [Vec3],
        report: &mut SolveReport,
    ) -> Result<(), Unsolved> {
        let (free, guided) = (objective.free(), objective.guided());
        // The matrix of guided nodes differs between the components.
        let is_coupled = !guided.is_empty()
            || self.couplings.matrix().blocks.iter().any(|block| *block != Mat3::ZERO);
        if !is_coupled {
            return self.solve_direct(step, report);
        }
        let Self { factors, gradients, right_side, couplings, .. } = self;
        let Factor { matrix, cholesky } = &mut factors[0];
        let sum = MetricSum { laplacian: matrix, couplings: couplings.matrix(), free, guided };
        let mut inverse = FactorInverse { factor: cholesky, matrix: &sum };
        let tolerance = query.linear.iterative().tolerance;
        let limits = CgLimits {
            tolerance: tolerance.min(query.forcing).max(ACCURATE_RESIDUAL),
            max_iterations: MAX_INNER_ITERATIONS,
        };
        let outcome = gradients.solve(&sum, &mut inverse, right_side, step, limits);
        report.linear_iterations += outcome.iterations();
        match outcome {
            CgOutcome::Converged { .. } | CgOutcome::Stagnated { .. } => Ok(()),
            CgOutcome::NegativeCurvature { .. } => Err(Unsolved::NotPositiveDefinite),
            CgOutcome::Interrupted { .. } => Err(Unsolved::Failure(LinearFailure::Interrupted)),
        }
    }

    /// Solves `L step = right_side` with the factor of the constant matrix, and checks the residual.
    fn solve_direct(
        &mut self,
        step: &mut [Vec3],
        report: &mut SolveReport,
    ) -> Result<(), Unsolved> {
        let Self { factors, right_side, product, .. } = self;
        let Factor { matrix, cholesky } = &mut factors[0];
        cholesky.solve(right_side, step);
        report.direct_solves += 1;
        matrix.multiply(step, product);
        let squared_residuals =
            product.iter().zip(&*right_side).map(|(a, b)| (*a - *b).length_squared());
        let squared_norm: f64 = right_side.iter().map(|b| b.length_squared()).sum();
        let residual =
            (squared_residuals.sum::<f64>() / squared_norm.max(f64::MIN_POSITIVE)).sqrt();
        if residual <= ACCURATE_RESIDUAL {
            Ok(())
        } else {
            Err(Unsolved::Failure(LinearFailure::Inaccurate { backward_error: residual }))
        }
    }

    /// Writes the displacements of prescribed nodes to `step`, zero at other nodes, and the right-hand side
    /// `-g_f - A_fs p_s` of the free nodes.
    fn write_right_side(
        &mut self,
        objective: &dyn Objective,
        query: &Query<'_>,
        step: &mut [Vec3],
    ) {
        let free = objective.free();
        self.right_side.resize(query.u.len(), Vec3::ZERO);
        self.product.resize(query.u.len(), Vec3::ZERO);
        step.fill(Vec3::ZERO);
        query.prescription.write_step(query.u, step);
        self.product.fill(Vec3::ZERO);
        if !query.prescription.has_arrived(query.u) {
            let all_free = vec![true; free.len()];
            let (laplacian, couplings) = (self.laplacian.matrix(), self.couplings.matrix());
            MetricSum { laplacian, couplings, free: &all_free, guided: &[] }
                .multiply(step, &mut self.product);
        }
        for (i, b) in self.right_side.iter_mut().enumerate() {
            *b = if free[i] { -query.gradient[i] - self.product[i] } else { Vec3::ZERO };
        }
        project(objective.guided(), &mut self.right_side);
    }
}

impl Directions for MetricFinder {
    fn begin(&mut self, rows: usize) {
        if rows != self.rows {
            self.laplacian = Assembly::new(rows);
            self.couplings = Assembly::new(rows);
            self.factors.clear();
            self.rows = rows;
        }
        self.laplacian.forget_growth();
        self.couplings.forget_growth();
        self.memory.clear();
        self.is_first = true;
    }

    fn find(
        &mut self,
        objective: &dyn Objective,
        query: &Query<'_>,
        _: Matrix,
        step: &mut [Vec3],
        report: &mut SolveReport,
    ) -> Result<Origin, Unsolved> {
        let start = Stopwatch::start();
        let is_first = std::mem::take(&mut self.is_first);
        if is_first {
            objective.laplacian(query.u, &mut self.laplacian);
            self.laplacian.finish();
        }
        objective.coupling_hessian(query.u, query.linearisation, &mut self.couplings);
        self.couplings.finish();
        self.write_right_side(objective, query, step);
        report.phases.assembly += start.elapsed();

        let start = Stopwatch::start();
        let factorised = if is_first { self.factorize(objective.free(), report) } else { Ok(()) };
        let has_arrived = query.prescription.has_arrived(query.u);
        if has_arrived {
            self.memory.add_pair(query.u, query.gradient);
            self.memory.first_loop(&mut self.right_side);
        }
        let result = factorised.and_then(|()| self.solve(query, objective, step, report));
        if has_arrived && result.is_ok() {
            self.memory.second_loop(step);
        }
        project(objective.guided(), step);
        report.phases.linear_solve += start.elapsed();
        query.prescription.write_step(query.u, step);
        match result {
            Err(Unsolved::NotPositiveDefinite) => {
                Err(Unsolved::Failure(LinearFailure::NotPositiveDefinite { shift: 0.0 }))
            }
            result => result.map(|()| Origin::Requested),
        }
    }

    fn moves_less_than(&mut self, gradient: &[Vec3], free: &[bool], distance: f64) -> bool {
        let matrix = self.laplacian.matrix();
        let is_small = |i: usize| max_norm(&gradient[i..=i]) <= matrix.diagonal(i).abs() * distance;
        (0..gradient.len()).filter(|&i| free[i]).all(is_small)
    }
}

/// The product `A x` with `A = L + C` at free nodes and zero at others. For guided nodes with projectors P it is `P A
/// P x + l (x - P x)`, where l is the diagonal of L.
struct MetricSum<'a> {
    laplacian: &'a SymmetricBlockMatrix<f64>,
    couplings: &'a SymmetricBlockMatrix,
    free: &'a [bool],
    guided: &'a [(usize, Mat3)],
}

impl Product for MetricSum<'_> {
    fn multiply(&self, x: &[Vec3], out: &mut [Vec3]) {
        if self.guided.is_empty() {
            return self.multiply_free(x, out);
        }
        let mut projected = x.to_vec();
        project(self.guided, &mut projected);
        self.multiply_free(&projected, out);
        for &(i, projector) in self.guided {
            out[i] = projector * out[i] + (x[i] - projected[i]) * *self.laplacian.diagonal(i);
        }
    }
}

impl MetricSum<'_> {
    /// The product without the constraints of guided nodes.
    fn multiply_free(&self, x: &[Vec3], out: &mut [Vec3]) {
        self.laplacian.multiply(x, out);
        let SymmetricBlockMatrix { pattern, blocks, .. } = self.couplings;
        for ((i, j), block) in pattern.pairs().zip(blocks) {
            let (i, j) = (i as usize, j as usize);
            out[i] += *block * x[j];
            if i != j {
                out[j] += block.transpose() * x[i];
            }
        }
        out.iter_mut()
            .zip(self.free)
            .filter(|(_, free)| !**free)
            .for_each(|(out, _)| *out = Vec3::ZERO);
    }
}

/// The matrix in which the rows and columns of nodes that are not free are those of the identity.
fn eliminate(matrix: &SymmetricBlockMatrix<f64>, free: &[bool]) -> SymmetricBlockMatrix<f64> {
    let mut out = matrix.clone();
    for (block, (i, j)) in out.blocks.iter_mut().zip(matrix.pattern.pairs()) {
        if !(free[i as usize] && free[j as usize]) {
            *block = if i == j { 1.0 } else { 0.0 };
        }
    }
    out
}
