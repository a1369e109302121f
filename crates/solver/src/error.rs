//! Errors of a solve.

use resile_watch::Cause;
use std::fmt;

/// A failed minimisation. Positions are unchanged; the cost until the failure is in
/// [`Newton::report`](crate::Newton::report).
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The step did not become small enough.
    #[error(
        "Newton did not converge in {iterations} iterations: \
         the last step is {last_step:.3e} m, the tolerance {tolerance:.3e} m"
    )]
    NotConverged {
        /// Number of iterations.
        iterations: usize,
        /// Max norm of the last Newton step, in metres.
        last_step: f64,
        /// Tolerance of the step, in metres.
        tolerance: f64,
        /// The node with the largest step.
        node: usize,
    },
    /// No point along the Newton direction is lower.
    #[error(
        "no descent along the Newton direction in iteration {iteration}: a step of {step:.3e} m, \
         cut to {fraction:.1e} of its length, does not lower the value {value:.6e} \
         (slope {slope:.3e})"
    )]
    LineSearch {
        /// Iteration, from 1.
        iteration: usize,
        /// Value at the start of the search.
        value: f64,
        /// Directional derivative along the full step.
        slope: f64,
        /// Max norm of the full step, in metres.
        step: f64,
        /// Smallest fraction of the step that was tried.
        fraction: f64,
        /// The node with the largest step.
        node: usize,
    },
    /// The function or its derivative is not finite at an admissible point.
    #[error("the {quantity} is not finite in iteration {iteration}")]
    NotFinite {
        /// The quantity.
        quantity: Quantity,
        /// Iteration, from 1; 0 at the start.
        iteration: usize,
    },
    /// The linear system could not be solved.
    #[error("the linear system of iteration {iteration} has no usable solution: {reason}")]
    Linear {
        /// Iteration, from 1.
        iteration: usize,
        /// Cause of the failure.
        reason: LinearFailure,
    },
    /// A collision, or an element that must not be inverted, blocks nodes with prescribed motion.
    #[error(
        "prescribed nodes are blocked {remaining:.3e} m before their targets, with {:.2e} of their path left, by a \
         collision or by elements that would be inverted",
        1.0 - fraction
    )]
    PrescribedBlocked {
        /// Fraction of the path that was reached.
        fraction: f64,
        /// Largest remaining distance, in metres.
        remaining: f64,
        /// The node with this distance.
        node: usize,
    },
    /// The interrupt was raised.
    #[error(
        "{cause}: stopped in Newton iteration {iteration}, with {pairs} pairs in contact or near it"
    )]
    Interrupted {
        /// Cause of the interrupt.
        cause: Cause,
        /// The interrupted iteration, from 1; 0 at the start.
        iteration: usize,
        /// [Pairs](crate::Objective::pair_count) in or near contact.
        pairs: usize,
    },
}

impl SolveError {
    /// The node at which the solve failed, as a number of the objective.
    pub fn node(&self) -> Option<usize> {
        match self {
            Self::NotConverged { node, .. }
            | Self::LineSearch { node, .. }
            | Self::PrescribedBlocked { node, .. }
            | Self::NotFinite { quantity: Quantity::Gradient { node }, .. } => Some(*node),
            Self::NotFinite { quantity: Quantity::Value, .. }
            | Self::Linear { .. }
            | Self::Interrupted { .. } => None,
        }
    }
}

/// A quantity that was not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quantity {
    /// The function's value.
    Value,
    /// The function's gradient.
    Gradient {
        /// The first node at which the gradient is not finite.
        node: usize,
    },
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value => write!(f, "value"),
            Self::Gradient { .. } => f.write_str("gradient"),
        }
    }
}

/// A failed linear solve.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearFailure {
    /// The matrix is not positive definite, even with this fraction of its diagonal added.
    #[error("not positive definite even with {shift:e} of its diagonal added")]
    NotPositiveDefinite {
        /// The largest fraction tried.
        shift: f64,
    },
    /// Conjugate gradients did not reach their tolerance.
    #[error(
        "conjugate gradients reached a relative residual of {residual:e} in {iterations} iterations"
    )]
    Stagnated {
        /// Number of iterations.
        iterations: usize,
        /// Relative residual reached.
        residual: f64,
    },
    /// The factor does not fit in memory.
    #[error("the factor of a matrix of {rows} block rows does not fit in memory")]
    TooLarge {
        /// Block rows.
        rows: usize,
    },
    /// The factorisation's solution does not satisfy the system.
    #[error("the solution's backward error is {backward_error:e}")]
    Inaccurate {
        /// `|Ax - b| / (|A| |x| + |b|)` in max norms.
        backward_error: f64,
    },
    /// The interrupt was raised.
    #[error("interrupted")]
    Interrupted,
}
