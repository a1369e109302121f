//! Failures of an iteration, and whether a projected Hessian may avoid them.

use crate::linear::Unsolved;

/// Why a try at an iteration failed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Failure {
    Unsolved(Unsolved),
    NoDescent { slope: f64, fraction: f64 },
    Blocked,
}

impl Failure {
    /// Whether an indefinite Hessian may be the cause.
    pub(crate) fn projection_may_help(&self) -> bool {
        match self {
            Self::Unsolved(Unsolved::NotPositiveDefinite | Unsolved::PreconditionerFailed)
            | Self::NoDescent { .. } => true,
            Self::Unsolved(Unsolved::Failure(_)) | Self::Blocked => false,
        }
    }
}
