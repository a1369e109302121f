//! Ranges of the parameters of methods.

use crate::tableau::TableauError;
use std::fmt;
use std::ops::RangeInclusive;

/// Invalid parameters of a method.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// A number is out of range.
    #[error("{parameter} must be {allowed}, but is {value}")]
    OutOfRange {
        /// Its name.
        parameter: &'static str,
        /// Its range.
        allowed: Allowed,
        /// Its value.
        value: f64,
    },
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

/// Range of a parameter; its text follows "must be".
#[derive(Debug, Clone, PartialEq)]
pub enum Allowed {
    /// Finite.
    Finite,
    /// Finite and above zero.
    Positive,
    /// Finite, zero or above.
    NotNegative,
    /// In a closed interval.
    Between(RangeInclusive<f64>),
    /// Above zero and at most one.
    Fraction,
    /// A whole number between two, both included.
    Count(u32, u32),
    /// Restricted together with other parameters only.
    Jointly,
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finite | Self::Jointly => f.write_str("a finite number"),
            Self::Count(min, max) => write!(f, "a whole number from {min} to {max}"),
            Self::Positive => f.write_str("a positive finite number"),
            Self::NotNegative => f.write_str("zero or a positive finite number"),
            Self::Between(range) => write!(f, "between {} and {}", range.start(), range.end()),
            Self::Fraction => f.write_str("above 0 and at most 1"),
        }
    }
}

impl Allowed {
    /// Refuses values out of range, and NaN.
    pub(crate) fn check(self, parameter: &'static str, value: f64) -> Result<(), ParameterError> {
        let fits = value.is_finite()
            && match &self {
                Self::Finite | Self::Jointly => true,
                Self::Count(min, max) => (f64::from(*min)..=f64::from(*max)).contains(&value),
                Self::Positive => value > 0.0,
                Self::NotNegative => value >= 0.0,
                Self::Between(range) => range.contains(&value),
                Self::Fraction => value > 0.0 && value <= 1.0,
            };
        match fits {
            true => Ok(()),
            false => Err(ParameterError::OutOfRange { parameter, allowed: self, value }),
        }
    }
}
