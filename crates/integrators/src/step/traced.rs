//! The solves of a step and their iterations.

use resile_solver::{Iteration, SolveError, SolveReport};

/// A solve with its iterations, for a [trace](super::StageSolver::trace).
#[derive(Debug, Clone, PartialEq)]
pub struct TracedSolve {
    /// The time (s) of the stage.
    pub time: f64,
    /// The time step (s); if the step was divided, the substep.
    pub step: f64,
    /// Unknowns of the solve.
    pub unknowns: Unknowns,
    /// The iterations; those of separate solves of some bodies follow the iteration that started them.
    pub iterations: Vec<Iteration>,
    /// End of the solve.
    pub ending: Ending,
}

/// Unknowns of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknowns {
    /// Positions (m) at the end of a stage.
    Positions,
    /// Velocities (m/s) alone, against friction and damping.
    Velocities,
}

/// End of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ending {
    /// The solve met its tolerance.
    Converged,
    /// The solve ended after the fixed number of iterations without meeting its tolerance.
    Unconverged,
    /// The solve failed.
    Failed(SolveError),
}

impl Ending {
    /// How a solve with this result ended.
    pub(super) fn from_result(solved: &Result<SolveReport, SolveError>) -> Self {
        match solved {
            Ok(report) if report.unconverged > 0 => Self::Unconverged,
            Ok(_) => Self::Converged,
            Err(error) => Self::Failed(*error),
        }
    }

    /// The name in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Unconverged => "unconverged",
            Self::Failed(SolveError::NotConverged { .. }) => "too many iterations",
            Self::Failed(SolveError::LineSearch { .. }) => "no descent",
            Self::Failed(SolveError::NotFinite { .. }) => "not finite",
            Self::Failed(SolveError::Linear { .. }) => "linear solve",
            Self::Failed(SolveError::PrescribedBlocked { .. }) => "prescribed motion blocked",
            Self::Failed(SolveError::Interrupted { .. }) => "interrupted",
            Self::Failed(_) => "failed",
        }
    }
}

impl TracedSolve {
    /// Factor from values of the objective to energies (J): `1 / h^2` for positions.
    pub fn energy_unit(&self) -> f64 {
        match self.unknowns {
            Unknowns::Positions => 1.0 / (self.step * self.step),
            Unknowns::Velocities => 1.0,
        }
    }

    /// Factor from gradients of the objective to forces (N).
    pub fn force_unit(&self) -> f64 {
        match self.unknowns {
            Unknowns::Positions => 1.0 / (self.step * self.step),
            Unknowns::Velocities => 1.0 / self.step,
        }
    }

    /// Factor from steps of the solve to velocities (m/s).
    pub fn velocity_unit(&self) -> f64 {
        match self.unknowns {
            Unknowns::Positions => 1.0 / self.step,
            Unknowns::Velocities => 1.0,
        }
    }
}
