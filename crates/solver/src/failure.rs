//! Failures of an iteration. A projected Hessian may avoid some of them.

use crate::linear::Unsolved;

/// Cause of a failed attempt at an iteration.
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
