//! Numbers with two notations.

use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

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

    /// The time (s) after a number of steps: of a fraction exact, rounded once.
    pub fn time_after(&self, steps: u64) -> f64 {
        match *self {
            Self::Seconds(seconds) => steps as f64 * seconds,
            Self::Fraction { numerator, denominator } => {
                (steps * u64::from(numerator)) as f64 / f64::from(denominator)
            }
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (above, below) = text.split_once('/')?;
        let numerator = above.trim().parse().ok()?;
        let denominator = below.trim().parse().ok().filter(|&below| below != 0)?;
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
        struct Step;
        impl Visitor<'_> for Step {
            type Value = StepSize;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("seconds such as `0.01`, or a fraction in quotes such as `\"1/120\"`")
            }

            fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<StepSize, E> {
                Ok(StepSize::Seconds(seconds))
            }

            fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<StepSize, E> {
                Ok(StepSize::Seconds(seconds as f64))
            }

            fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<StepSize, E> {
                Ok(StepSize::Seconds(seconds as f64))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<StepSize, E> {
                StepSize::parse(text)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Step)
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
        struct Factors;
        impl<'de> Visitor<'de> for Factors {
            type Value = Scale;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one factor such as `0.001`, or three such as `(1, 2, 1)`")
            }

            fn visit_f64<E: de::Error>(self, factor: f64) -> Result<Scale, E> {
                Ok(Scale([factor; 3]))
            }

            fn visit_u64<E: de::Error>(self, factor: u64) -> Result<Scale, E> {
                Ok(Scale([factor as f64; 3]))
            }

            fn visit_i64<E: de::Error>(self, factor: i64) -> Result<Scale, E> {
                Ok(Scale([factor as f64; 3]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scale, A::Error> {
                let mut factors = [0.0; 3];
                for (read, factor) in factors.iter_mut().enumerate() {
                    let next = seq.next_element()?;
                    *factor = next.ok_or_else(|| de::Error::invalid_length(read, &self))?;
                }
                Ok(Scale(factors))
            }
        }
        deserializer.deserialize_any(Factors)
    }
}
