//! Access to values of a document by path, with refusals at their locations.

use super::document::Document;
use super::signal::Signal;
use super::unit::{Dimension, Unit, Units};
use crate::refusal::Findings;
use crate::ron::rounded;
use resile_expression::{Expression, Grammar};
use serde_json::Value;

/// A document with the findings so far.
pub(super) struct Reader<'a> {
    pub(super) document: &'a Document,
    pub(super) findings: &'a mut Findings,
    /// Default units, for quantities without a unit.
    pub(super) units: Units,
}

impl<'a> Reader<'a> {
    /// Value at a path such as `geometry/0/mesh`; `None` if it is missing or null.
    pub(super) fn get(&self, path: &str) -> Option<&'a Value> {
        self.document.value.pointer(&format!("/{path}")).filter(|value| !value.is_null())
    }

    /// Reports a refusal at the location of a path.
    pub(super) fn refuse(&mut self, path: &str, what: impl std::fmt::Display) {
        let (file, line) = self.document.location(path);
        let file = file.to_owned();
        self.findings.refuse(&file, line, format!("`{}`: {what}", path.replace('/', ".")));
    }

    /// Adds a note with the location of a path.
    pub(super) fn note(&mut self, path: &str, what: impl std::fmt::Display) {
        let (file, line) = self.document.location(path);
        let name = file.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        self.findings.note(format!("{name}{line}: `{}`: {what}", path.replace('/', ".")));
    }

    /// Refuses fields of the object at a path that are not among `names`. The empty path is that of the document.
    pub(super) fn allow_only(&mut self, path: &str, names: &[&str]) {
        let value = if path.is_empty() { Some(&self.document.value) } else { self.get(path) };
        let Some(fields) = value.and_then(Value::as_object) else { return };
        for key in fields.keys().filter(|key| !names.contains(&key.as_str())) {
            let path = if path.is_empty() { key.clone() } else { format!("{path}/{key}") };
            self.refuse(&path, "this is no field that is known");
        }
    }

    /// Reads a number or a constant expression; `None` if it is missing or refused.
    pub(super) fn number(&mut self, path: &str) -> Option<f64> {
        let value = self.get(path)?;
        let number = value.as_f64().or_else(|| self.expression(path)?.number());
        if number.is_none() {
            self.refuse(path, "this must be a number");
        }
        number
    }

    /// Reads a number or a constant expression; `default` if it is missing or refused.
    pub(super) fn number_or(&mut self, path: &str, default: f64) -> f64 {
        self.number(path).unwrap_or(default)
    }

    /// Reads true or false; `default` if it is missing or refused.
    pub(super) fn flag(&mut self, path: &str, default: bool) -> bool {
        let value = self.get(path);
        let flag = value.map_or(Some(default), Value::as_bool);
        if flag.is_none() {
            self.refuse(path, "this must be true or false");
        }
        flag.unwrap_or(default)
    }

    /// Text at a path; `None` if it is missing or not a text.
    pub(super) fn text(&self, path: &str) -> Option<&'a str> {
        self.get(path)?.as_str()
    }

    /// Reads three numbers; `None` if they are missing or refused.
    pub(super) fn triple(&mut self, path: &str) -> Option<[f64; 3]> {
        let list = self.get(path)?.as_array();
        let numbers: Option<Vec<f64>> =
            list.and_then(|list| list.iter().map(Value::as_f64).collect());
        let triple = numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
        if triple.is_none() {
            self.refuse(path, "this must be three numbers");
        }
        triple
    }

    /// Whether the problem is static.
    pub(super) fn is_static(&self) -> bool {
        self.get("time").is_none()
    }

    /// Reads a quantity in SI units: a number, an expression, or an object with a `value` and its `unit`. `None` if it
    /// is missing or refused.
    pub(super) fn signal(&mut self, path: &str, dimension: Dimension) -> Option<Signal> {
        let mut factor = self.units.si_value(dimension);
        self.allow_only(path, &["value", "unit"]);
        if let Some(text) = self.get(path)?.get("unit").and_then(Value::as_str)
            && !text.is_empty()
        {
            match Unit::parse(text).filter(|unit| unit.dimension == dimension) {
                Some(unit) => factor = unit.factor,
                None => {
                    self.refuse(path, format!("`{text}` is no unit that this may have"));
                    return None;
                }
            }
        }
        let expression = self.expression(path)?;
        Some(Signal::new(expression, factor, self.units, self.is_static()))
    }

    /// Reads a number with a dimension, in SI units; `None` if it is missing or refused.
    pub(super) fn quantity(&mut self, path: &str, dimension: Dimension) -> Option<f64> {
        self.get(path)?;
        let number = self.signal(path, dimension)?.number();
        if number.is_none() {
            self.refuse(path, "this must be a number");
        }
        number.map(|x| self.remove_rounding(x))
    }

    /// Removes rounding errors of a conversion to SI units, if the document has other units.
    fn remove_rounding(&self, number: f64) -> f64 {
        match self.units == Units::default() {
            true => number,
            false => rounded(number, 1e-15 * number.abs()),
        }
    }

    /// Reads a number with a dimension, in SI units; `default` (in SI units) if it is missing or refused.
    pub(super) fn quantity_or(&mut self, path: &str, dimension: Dimension, default: f64) -> f64 {
        self.quantity(path, dimension).unwrap_or(default)
    }

    /// Reads three numbers with a dimension, in SI units; `None` if they are missing or refused.
    pub(super) fn vector(&mut self, path: &str, dimension: Dimension) -> Option<[f64; 3]> {
        let factor = self.units.si_value(dimension);
        Some(self.triple(path)?.map(|x| self.remove_rounding(factor * x)))
    }

    /// Reads a number or an expression, or that in the `value` of an object; `None` if it is missing or refused.
    pub(super) fn expression(&mut self, path: &str) -> Option<Expression> {
        let value = self.get(path)?;
        if let Some(number) = value.as_f64() {
            return Some(Expression::constant(number));
        }
        if let Some(text) = value.as_str() {
            if text.ends_with(".txt") {
                self.refuse(path, format!("values of each element, from the file {text}"));
                return None;
            }
            return match Expression::parse(text, Grammar::TinyExpr) {
                Ok(expression) => Some(expression),
                Err(error) => {
                    self.refuse(path, error);
                    None
                }
            };
        }
        if value.get("value").is_some() {
            return self.expression(&format!("{path}/value"));
        }
        self.refuse(path, "this must be a number or an expression");
        None
    }

    /// Reads a list of integers, of which other items are ignored, or a single integer. `None` if it is missing or
    /// another value.
    pub(super) fn ids(&self, path: &str) -> Option<Vec<i64>> {
        match self.get(path)? {
            Value::Array(list) => Some(list.iter().filter_map(Value::as_i64).collect()),
            value => Some(vec![value.as_i64()?]),
        }
    }

    /// Paths of the items of a list; a value that is not a list is its only item, and a missing one has none.
    pub(super) fn items(&self, path: &str) -> Vec<String> {
        match self.get(path) {
            None => Vec::new(),
            Some(Value::Array(list)) => {
                (0..list.len()).map(|index| format!("{path}/{index}")).collect()
            }
            Some(_) => vec![path.to_owned()],
        }
    }
}
