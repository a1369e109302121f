//! Errors of the parameters of methods.

use crate::tableau::TableauError;
use resile_math::parameters::OutOfRange;

/// Invalid parameters of a method.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// A number is out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The interval of alpha is empty.
    #[error("the limits of alpha must be finite and in order, but are {} and {}", .limits[0], .limits[1])]
    Limits {
        /// The limits.
        limits: [f64; 2],
    },
    /// The times of the schedule of a decay do not ascend.
    #[error("entry {entry} of the decay must come after the one before, at a finite time")]
    Schedule {
        /// The entry, from zero.
        entry: usize,
    },
    /// The coefficients do not define a method.
    #[error(transparent)]
    Tableau(#[from] TableauError),
}
