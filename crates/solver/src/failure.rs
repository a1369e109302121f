//! What may go wrong in one iteration, and whether another Hessian may do better.

use crate::linear::Unsolved;

/// Why a try at an iteration failed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Failure {
    Unsolved(Unsolved),
    NoDescent { slope: f64, fraction: f64 },
    Blocked,
}

impl Failure {
    /// Whether the Hessian may be to blame.
    pub(crate) fn projection_may_help(&self) -> bool {
        match self {
            Self::Unsolved(Unsolved::NotPositiveDefinite | Unsolved::Unprepared)
            | Self::NoDescent { .. } => true,
            Self::Unsolved(Unsolved::Failure(_)) | Self::Blocked => false,
        }
    }
}
