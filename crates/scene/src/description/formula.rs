//! Numbers and expressions of position and time.

use super::Units;
use super::numbers::visit_numbers;
use super::problem::Checker;
use resile_expression::{Expression, Field, Grammar};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A number (SI), or an expression of the position at rest and of time in the units of the scene.
#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    /// Constant in space and time.
    Number(f64),
    /// An expression of x, y, z and t.
    Expression(String),
}

/// The variables that an expression may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variables {
    /// t.
    Time,
    /// x, y and z.
    Position,
    /// x, y, z and t.
    PositionAndTime,
}

impl Formula {
    /// The value, if the formula is a constant number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Expression(_) => None,
        }
    }

    /// Whether it depends on position. It must be free of mistakes.
    pub fn has_place(&self) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Expression(text) => expression(text).has_place(),
        }
    }

    /// The values of formulas, if all are numbers.
    pub fn numbers<const N: usize>(formulas: &[Self; N]) -> Option<[f64; N]> {
        let mut values = [0.0; N];
        for (value, formula) in values.iter_mut().zip(formulas) {
            *value = formula.number()?;
        }
        Some(values)
    }

    /// The field of a quantity with the unit `si`, with a component for each formula. The formulas must be free of
    /// mistakes.
    pub fn field<const N: usize>(formulas: &[Self; N], units: Units, si: &str) -> Field<N> {
        let component = |formula: &Self| match formula {
            Self::Number(value) => Expression::constant(units.number(*value, si)),
            Self::Expression(text) => expression(text),
        };
        Field::new(formulas.each_ref().map(component), units.per_metre(), units.in_si(1.0, si))
    }

    /// Checks an expression.
    pub(super) fn check(&self, c: &mut Checker, path: &str, variables: Variables) {
        if let Self::Expression(text) = self {
            check_expression(c, path, text, variables);
        }
    }

    /// Checks the expressions of the components of a vector.
    pub(super) fn check_all(formulas: &[Self], c: &mut Checker, path: &str, variables: Variables) {
        for (k, formula) in formulas.iter().enumerate() {
            formula.check(c, &format!("{path}[{k}]"), variables);
        }
    }
}

/// Parses an expression that has been checked.
///
/// # Panics
/// If the expression is not valid.
pub fn expression(text: &str) -> Expression {
    Expression::parse(text, Grammar::Scene).expect("expressions were checked")
}

/// Checks that a text is an expression, and that it has only the allowed variables.
pub(super) fn check_expression(c: &mut Checker, path: &str, text: &str, allowed: Variables) {
    let parsed = match Expression::parse(text, Grammar::Scene) {
        Ok(parsed) => parsed,
        Err(error) => return c.error(path, &error, error.help()),
    };
    if allowed == Variables::Time && parsed.has_place() {
        let help = "write it with t alone";
        c.error(path, format!("\"{text}\" has a place, but the quantity has none"), help);
    }
    if allowed == Variables::Position && parsed.has_time() {
        let help = "write it with x, y and z alone";
        c.error(
            path,
            format!("\"{text}\" depends on t, but the state at the start does not"),
            help,
        );
    }
}

impl From<f64> for Formula {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl Serialize for Formula {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Expression(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrExpression;
        impl Visitor<'_> for NumberOrExpression {
            type Value = Formula;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or an expression in quotes such as `\"2*x*sin(t)\"`")
            }

            visit_numbers!(Formula, Formula::Number);

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Formula, E> {
                Ok(Formula::Expression(text.to_owned()))
            }
        }
        deserializer.deserialize_any(NumberOrExpression)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::problem::Problem;

    fn problems(text: &str, variables: Variables) -> Vec<Problem> {
        let mut c = Checker::default();
        Formula::Expression(text.to_owned()).check(&mut c, "here", variables);
        c.problems
    }

    #[test]
    fn expressions_are_in_the_units_of_the_scene() {
        let formulas = [Formula::Number(2.5e6), Formula::Expression("x + t".to_owned())];
        let field = Formula::field(&formulas, Units::Millimetres, "Pa");
        // At 100 mm and 3 s: 103 MPa.
        let [number, expression] = field.at([0.1, 0.0, 0.0], 3.0);
        assert!((number - 2.5e6).abs() < 1e-9 && (expression - 103e6).abs() < 1e-7);
    }

    #[test]
    fn variables_that_a_quantity_has_not_are_refused() {
        assert_eq!(problems("x*t", Variables::PositionAndTime), []);
        assert!(problems("x*t", Variables::Time)[0].message.contains("has a place"));
        assert!(problems("x*t", Variables::Position)[0].message.contains("depends on t"));
        let unknown = &problems("2*q", Variables::Time)[0];
        assert!(
            unknown.message.contains("character 3: `q`") && unknown.help.contains("smoothstep")
        );
    }
}
