//! Fields of place and time in SI units.

use crate::expression::Expression;

/// N functions of position and time. Arguments and values are in SI units, and the expressions are in the units of a
/// scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Field<const N: usize> {
    components: [Expression; N],
    /// Number of the expressions' units of length in a metre.
    per_metre: f64,
    /// Value in SI of one unit of the components.
    unit: f64,
}

impl<const N: usize> Field<N> {
    /// A field of expressions with `per_metre` units of length in a metre, and values in units of `unit` (SI).
    pub fn new(components: [Expression; N], per_metre: f64, unit: f64) -> Self {
        Self { components, per_metre, unit }
    }

    /// The expressions.
    pub fn components(&self) -> &[Expression; N] {
        &self.components
    }

    /// Values at a position (m) and a time (s); components may be infinite or not a number.
    pub fn at(&self, position: [f64; 3], time: f64) -> [f64; N] {
        let position = position.map(|x| x * self.per_metre);
        std::array::from_fn(|k| self.components[k].at(position, time) * self.unit)
    }

    /// Derivatives with respect to time at a position (m) and a time (s).
    pub fn rate(&self, position: [f64; 3], time: f64) -> [f64; N] {
        let position = position.map(|x| x * self.per_metre);
        std::array::from_fn(|k| self.components[k].rate(position, time) * self.unit)
    }

    /// Whether the field depends on the position.
    pub fn has_place(&self) -> bool {
        self.components.iter().any(Expression::has_place)
    }

    /// Whether the field depends on time.
    pub fn has_time(&self) -> bool {
        self.components.iter().any(Expression::has_time)
    }
}
