//! Ranges of parameters, which scenes and constructors share.

use std::fmt;
use std::ops::RangeInclusive;

/// Largest deviation of a given number from the exact value that it must have, such as the length of a normal or a sum
/// of weights, relative to this value: numbers in files and in tables of papers are often rounded to ten digits.
pub const INPUT_ERROR: f64 = 1e-9;

/// Range of a parameter; its text follows "must be".
#[derive(Debug, Clone, PartialEq)]
pub enum Allowed {
    /// Finite.
    Finite,
    /// Finite and above zero.
    Positive,
    /// Finite, zero or above.
    NotNegative,
    /// Finite and not zero.
    NotZero,
    /// In a closed interval.
    Between(RangeInclusive<f64>),
    /// In an open interval.
    Inside(f64, f64),
    /// Above zero and at most one.
    Fraction,
    /// A whole number between two, both included.
    Count(u32, u32),
    /// The components of a vector: finite, and not all zero.
    Direction,
    /// Finite, and further restricted together with other parameters.
    Jointly,
}

/// A parameter is out of range.
#[derive(Debug, Clone, PartialEq)]
pub struct OutOfRange {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// Range of the parameter.
    pub allowed: Allowed,
    /// The given value.
    pub value: f64,
}

/// A number of a type that is part of the format of scenes.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberField {
    /// The struct or alternative that contains it, by its name in the format.
    pub owner: &'static str,
    /// The field; `"0"` is the content of an alternative without named fields.
    pub field: &'static str,
    /// Its name in messages, with the unit in parentheses.
    pub label: &'static str,
    /// Its range.
    pub allowed: Allowed,
}

impl NumberField {
    /// A number of a struct or alternative.
    pub const fn new(
        owner: &'static str,
        field: &'static str,
        label: &'static str,
        allowed: Allowed,
    ) -> Self {
        Self { owner, field, label, allowed }
    }
}

impl Allowed {
    /// Whether the range contains a value; NaN is in none.
    pub fn holds(&self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Self::Finite | Self::Direction | Self::Jointly => true,
                Self::Positive => value > 0.0,
                Self::NotNegative => value >= 0.0,
                Self::NotZero => value != 0.0,
                Self::Between(range) => range.contains(&value),
                Self::Inside(min, max) => value > *min && value < *max,
                Self::Fraction => value > 0.0 && value <= 1.0,
                Self::Count(min, max) => (f64::from(*min)..=f64::from(*max)).contains(&value),
            }
    }

    /// Checks that the range contains a value.
    ///
    /// # Errors
    /// If the range does not contain the value.
    pub fn check(self, parameter: &'static str, value: f64) -> Result<(), OutOfRange> {
        match self.holds(value) {
            true => Ok(()),
            false => Err(OutOfRange { parameter, allowed: self, value }),
        }
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finite | Self::Direction | Self::Jointly => f.write_str("a finite number"),
            Self::Positive => f.write_str("a positive finite number"),
            Self::NotNegative => f.write_str("zero or a positive finite number"),
            Self::NotZero => f.write_str("a finite number that is not zero"),
            Self::Between(range) => write!(f, "between {} and {}", range.start(), range.end()),
            Self::Inside(min, max) => write!(f, "between {min} and {max}, both excluded"),
            Self::Fraction => f.write_str("above 0 and at most 1"),
            Self::Count(min, max) => write!(f, "a whole number from {min} to {max}"),
        }
    }
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must be {}, but is {}", self.parameter, self.allowed, self.value)
    }
}

impl std::error::Error for OutOfRange {}
