//! Numbers with two notations.

use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// The methods of a visitor that turn floating-point numbers and integers into a value of type `$value` by `$from`.
macro_rules! visit_numbers {
    ($value:ty, $from:expr) => {
        fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<$value, E> {
            let from: fn(f64) -> $value = $from;
            Ok(from(number))
        }

        fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<$value, E> {
            self.visit_f64(number as f64)
        }

        fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<$value, E> {
            self.visit_f64(number as f64)
        }
    };
}
pub(super) use visit_numbers;

/// A time step: seconds, or an exact fraction of a second in quotes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepSize {
    /// Seconds (s).
    Seconds(f64),
    /// A fraction of a second, such as `"1/120"`.
    Fraction {
        /// Numerator.
        numerator: u32,
        /// Denominator; not zero.
        denominator: u32,
    },
}

impl StepSize {
    /// The step in seconds, rounded once.
    pub fn seconds(&self) -> f64 {
        match *self {
            Self::Seconds(seconds) => seconds,
            Self::Fraction { numerator, denominator } => {
                f64::from(numerator) / f64::from(denominator)
            }
        }
    }

    /// The time (s) after a number of steps. For a fraction the exact time is rounded once.
    pub fn time_after(&self, steps: u64) -> f64 {
        match *self {
            Self::Seconds(seconds) => steps as f64 * seconds,
            Self::Fraction { numerator, denominator } => {
                (steps * u64::from(numerator)) as f64 / f64::from(denominator)
            }
        }
    }

    /// Parses a fraction with a positive denominator, or seconds.
    fn parse(text: &str) -> Option<Self> {
        let Some((numerator, denominator)) = text.split_once('/') else {
            let seconds = text.trim().parse().ok().filter(|seconds: &f64| seconds.is_finite())?;
            return Some(Self::Seconds(seconds));
        };
        let numerator = numerator.trim().parse().ok()?;
        let denominator =
            denominator.trim().parse().ok().filter(|&denominator| denominator != 0)?;
        Some(Self::Fraction { numerator, denominator })
    }
}

impl Serialize for StepSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Seconds(seconds) => serializer.serialize_f64(seconds),
            Self::Fraction { numerator, denominator } => {
                serializer.collect_str(&format_args!("{numerator}/{denominator}"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for StepSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SecondsOrFraction;
        impl Visitor<'_> for SecondsOrFraction {
            type Value = StepSize;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("seconds such as `0.01`, or a fraction in quotes such as `\"1/120\"`")
            }

            visit_numbers!(StepSize, StepSize::Seconds);

            fn visit_str<E: de::Error>(self, text: &str) -> Result<StepSize, E> {
                StepSize::parse(text)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(SecondsOrFraction)
    }
}

/// Scale along x, y and z: one number for all three, or a triple.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale(pub [f64; 3]);

impl Default for Scale {
    fn default() -> Self {
        Self([1.0; 3])
    }
}

impl Serialize for Scale {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Scale {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrThreeFactors;
        impl<'de> Visitor<'de> for OneOrThreeFactors {
            type Value = Scale;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one factor such as `0.001`, or three such as `(1, 2, 1)`")
            }

            visit_numbers!(Scale, |factor| Scale([factor; 3]));

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scale, A::Error> {
                let mut factors = [0.0; 3];
                for (count, factor) in factors.iter_mut().enumerate() {
                    let element = seq.next_element()?;
                    *factor = element.ok_or_else(|| de::Error::invalid_length(count, &self))?;
                }
                Ok(Scale(factors))
            }
        }
        deserializer.deserialize_any(OneOrThreeFactors)
    }
}

#[cfg(test)]
mod tests {
    use super::StepSize;

    #[test]
    fn time_steps_are_numbers_or_fractions_with_or_without_quotes() {
        let read = |text: &str| ron::from_str::<StepSize>(text);
        for (text, seconds) in [("0.01", 0.01), ("1", 1.0), ("\"1\"", 1.0), ("\" 5e-3\"", 0.005)] {
            assert_eq!(read(text), Ok(StepSize::Seconds(seconds)), "{text}");
        }
        let fraction = StepSize::Fraction { numerator: 1, denominator: 120 };
        assert_eq!(read("\"1/120\""), Ok(fraction));
        for text in ["\"\"", "\"fast\"", "\"1/0\"", "\"inf\"", "\"1/\""] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
