//! Fields of place and time in SI units.

use crate::expression::Expression;

/// N components as functions of place and time: in SI outside, in the units of a scene within the expressions.
#[derive(Debug, Clone, PartialEq)]
pub struct Field<const N: usize> {
    components: [Expression; N],
    /// Units of length of the expressions in a metre.
    per_metre: f64,
    /// A unit of their values, in SI.
    unit: f64,
}

impl<const N: usize> Field<N> {
    /// A field of expressions with `per_metre` units of length in a metre, whose values have a `unit` in SI.
    pub fn new(components: [Expression; N], per_metre: f64, unit: f64) -> Self {
        Self { components, per_metre, unit }
    }

    /// The expressions.
    pub fn components(&self) -> &[Expression; N] {
        &self.components
    }

    /// The value at a place (m) and a time (s); components may be infinite or not a number.
    pub fn at(&self, place: [f64; 3], time: f64) -> [f64; N] {
        let place = place.map(|x| x * self.per_metre);
        std::array::from_fn(|k| self.components[k].at(place, time) * self.unit)
    }

    /// The derivative by time at a place (m) and a time (s).
    pub fn rate(&self, place: [f64; 3], time: f64) -> [f64; N] {
        let place = place.map(|x| x * self.per_metre);
        std::array::from_fn(|k| self.components[k].rate(place, time) * self.unit)
    }

    /// Whether it depends on place.
    pub fn has_place(&self) -> bool {
        self.components.iter().any(Expression::has_place)
    }

    /// Whether it depends on time.
    pub fn has_time(&self) -> bool {
        self.components.iter().any(Expression::has_time)
    }
}
