//! Why a step failed.

use crate::parameters::ParameterError;
use resile_solver::SolveError;
use resile_watch::Cause;

/// Why a step failed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The parameters of the method are invalid.
    #[error("the integrator cannot be used: {cause}")]
    Parameters {
        /// The requested step (s).
        step: f64,
        /// Invalid parameters.
        cause: ParameterError,
    },
    /// The stage at `time` was not solved.
    #[error("the step to t = {time:.6} s of {step:.3e} s was not solved: {cause}")]
    Solve {
        /// End of the step (s).
        time: f64,
        /// The step (s).
        step: f64,
        /// Error of the solver.
        cause: SolveError,
    },
    /// A position that follows from an explicit formula cannot be reached on a
    /// straight path without a crossing or an inversion.
    #[error(
        "the step to t = {time:.6} s of {step:.3e} s would cross or invert something: \
         only {free:.3} of the path is free"
    )]
    Blocked {
        /// End of the step (s).
        time: f64,
        /// The step (s).
        step: f64,
        /// The safe fraction of the path.
        free: f64,
    },
    /// The end of the step is inadmissible: an element is inverted or has lost its volume. The method evaluates no
    /// forces there.
    #[error(
        "the step to t = {time:.6} s of {step:.3e} s ends where a potential is infinite: \
         something is inverted or has no volume left"
    )]
    Inadmissible {
        /// End of the step (s).
        time: f64,
        /// The step (s).
        step: f64,
    },
    /// A position or velocity is infinite or NaN: the method is unstable.
    #[error(
        "the step to t = {time:.6} s of {step:.3e} s diverged: a position or velocity is not finite"
    )]
    Exploded {
        /// End of the step (s).
        time: f64,
        /// The step (s).
        step: f64,
        /// A node of the system.
        node: usize,
    },
}

impl StepError {
    /// The cause, if the step was interrupted; a shorter step would fail as well.
    pub fn interruption(&self) -> Option<Cause> {
        match self {
            Self::Solve { cause: SolveError::Interrupted { cause, .. }, .. } => Some(*cause),
            _ => None,
        }
    }

    /// The node at which the step failed, as a number of the system.
    pub fn node(&self) -> Option<usize> {
        match self {
            Self::Solve { cause, .. } => cause.node(),
            Self::Exploded { node, .. } => Some(*node),
            Self::Parameters { .. } | Self::Blocked { .. } | Self::Inadmissible { .. } => None,
        }
    }

    /// The step that failed (s).
    pub fn step(&self) -> f64 {
        match *self {
            Self::Parameters { step, .. }
            | Self::Solve { step, .. }
            | Self::Blocked { step, .. }
            | Self::Inadmissible { step, .. }
            | Self::Exploded { step, .. } => step,
        }
    }
}
