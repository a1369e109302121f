//! Failures of an iteration. A projected Hessian may avoid some of them.

use crate::linear::Unsolved;

/// Cause of a failed attempt at an iteration.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Failure {
    /// The linear system has no usable solution.
    Unsolved(Unsolved),
    /// No tried fraction of the step decreases the value; `fraction` is the smallest one.
    NoDescent { slope: f64, fraction: f64 },
    /// A collision blocks prescribed nodes.
    Blocked,
}

impl Failure {
    /// Whether an indefinite Hessian may be the cause, so that a projected one may succeed.
    pub(crate) fn projection_may_help(&self) -> bool {
        match self {
            Self::Unsolved(Unsolved::NotPositiveDefinite | Unsolved::NoPreconditioner)
            | Self::NoDescent { .. } => true,
            Self::Unsolved(Unsolved::Failure(_)) | Self::Blocked => false,
        }
    }
}
