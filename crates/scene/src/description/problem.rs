//! Problems of a scene and their collection.

use super::Units;
use super::number_walk::{Visited, walk};
use super::quantity::{Measure, Quantity};
use super::range::Range;
use super::unit::Unit;
use serde::Serialize;
use std::fmt::Display;

/// Severity of a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The scene cannot be run.
    Error,
    /// The scene can be run, but is probably not as intended.
    Warning,
}

/// An error or a warning about a field of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Severity.
    pub severity: Severity,
    /// The field, such as `bodies[2].material`.
    pub path: String,
    /// The message.
    pub message: String,
    /// The remedy; empty if the message contains it.
    pub help: String,
}

/// Known names.
#[derive(Debug)]
pub(super) struct Names {
    all: Vec<String>,
    /// Their numbers in the order of the alphabet: there may be a hundred thousand, each of them used.
    sorted: Vec<usize>,
}

impl Names {
    pub(super) fn new(all: Vec<String>) -> Self {
        let mut sorted: Vec<usize> = (0..all.len()).collect();
        sorted.sort_by(|&a, &b| all[a].cmp(&all[b]));
        Self { all, sorted }
    }

    fn hold(&self, name: &str) -> bool {
        self.sorted.binary_search_by(|&k| self.all[k].as_str().cmp(name)).is_ok()
    }
}

/// Collects problems; every test of a number is written once, here.
#[derive(Debug, Default)]
pub(super) struct Checker {
    pub(super) problems: Vec<Problem>,
    /// The units of messages; numbers are in SI.
    pub(super) units: Units,
}

impl Checker {
    pub(super) fn error(&mut self, path: &str, message: impl Display, help: impl Display) {
        self.push(Severity::Error, path, message, help);
    }

    pub(super) fn warn(&mut self, path: &str, message: impl Display, help: impl Display) {
        self.push(Severity::Warning, path, message, help);
    }

    fn push(&mut self, severity: Severity, path: &str, message: impl Display, help: impl Display) {
        self.problems.push(Problem {
            severity,
            path: path.to_owned(),
            message: message.to_string(),
            help: help.to_string(),
        });
    }

    /// Checks that all numbers of a scene are in the ranges of their fields.
    pub(super) fn numbers(&mut self, scene: &impl Serialize) {
        walk(scene, &mut |quantity, path, value| self.visited(*quantity, path, value));
    }

    fn visited(&mut self, quantity: Quantity, path: &dyn Display, visited: &Visited<'_>) {
        match (quantity.range, visited) {
            (Range::Unchecked, _) => {}
            (Range::Vector | Range::Direction, Visited::Number { index, value }) => {
                let axis = index.and_then(|k| ["x", "y", "z"].get(k)).unwrap_or(&"");
                self.number_of(path, (*value, 0), quantity, &format_args!(", {axis}"));
            }
            (Range::Direction, Visited::List(values)) if values.iter().all(|v| *v == 0.0) => {
                let what = quantity.measure.named(quantity.what, self.units);
                let message = format!("{what} is the zero vector");
                self.error(&path.to_string(), message, "give it a direction, such as (0, 1, 0)");
            }
            (Range::Factors, Visited::List(values)) => {
                if let Some(factor) = values.iter().find(|v| **v <= 0.0 || !v.is_finite()) {
                    self.number_of(path, (*factor, 0), quantity, &"");
                }
            }
            (Range::Factors, Visited::Number { .. }) | (_, Visited::List(_)) => {}
            (_, Visited::Number { index, value }) => {
                self.number_of(path, (*value, index.unwrap_or(0)), quantity, &"");
            }
        }
    }

    /// Checks that a number is finite, in range, and plausible in its unit. `what` is its name with the unit.
    pub(super) fn number(&mut self, path: &str, what: &'static str, value: f64, range: Range) {
        let measure = Measure::from_label(what).unwrap_or_default();
        self.number_of(&path, (value, 0), Quantity { what, measure, range, help: "" }, &"");
    }

    /// Checks a number at a place in a list; `axis` follows its name in messages.
    fn number_of(
        &mut self,
        path: &dyn Display,
        (value, place): (f64, usize),
        quantity: Quantity,
        axis: &dyn Display,
    ) {
        let Quantity { what, measure, range, help } = quantity;
        let unit = Unit::from_label(what);
        let holds = value.is_finite() && range.holds(value);
        // The range of a count is also its range of plausible values.
        let is_large = !matches!(range, Range::Count(..)) && value.abs() > unit.most;
        let is_small = matches!(range, Range::Positive | Range::Factors) && value < unit.least;
        // Return before any text is formatted: most numbers are valid.
        if holds && !is_large && !is_small {
            return;
        }
        let written = |value: f64| measure.written(value, place, self.units);
        let bound = |bound: f64| {
            format!("{:e} {}", written(bound), measure.symbol(unit.symbol, self.units))
        };
        let (what, shown) = (measure.named(what, self.units), written(value));
        let (message, help) = if !value.is_finite() {
            (format!("{what}{axis} is {value}, not a finite number"), String::new())
        } else if !holds {
            let must = range.requirement();
            (format!("{what}{axis} must be {must}, but is {shown}"), help.to_owned())
        } else {
            let [than, bound] = match is_large {
                true => ["more", bound(unit.most).trim_end()].map(str::to_owned),
                false => ["less", bound(unit.least).trim_end()].map(str::to_owned),
            };
            let help = format!("no {than} than {bound} can be meant; mind the unit");
            (format!("{what}{axis} is {shown:e}"), help)
        };
        self.error(&path.to_string(), message, help);
    }

    /// Checks a relation of a finite number to others; `expected` names it.
    pub(super) fn relation(
        &mut self,
        path: &str,
        what: &str,
        value: f64,
        expected: &str,
        holds: bool,
    ) {
        if value.is_finite() && !holds && !self.has_problem_at(path) {
            self.error(path, format!("{what} must be {expected}, but is {value}"), "");
        }
    }

    /// Whether a field or a part of it has a problem.
    pub(super) fn has_problem_at(&self, path: &str) -> bool {
        let parts = self.problems.iter().filter_map(|problem| problem.path.strip_prefix(path));
        parts.into_iter().any(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }

    /// Checks that a name is known.
    pub(super) fn known(&mut self, path: &str, kind: &str, name: &str, known: &Names) {
        if known.hold(name) {
            return;
        }
        let known = &known.all;
        let help = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None if known.is_empty() => format!("the scene defines no {kind}"),
            None => format!("known: {}", list(known)),
        };
        self.error(path, format!("there is no {kind} named \"{name}\""), help);
    }
}

/// The first twelve names, in quotes.
fn list(names: &[String]) -> String {
    let shown: Vec<_> = names.iter().take(12).map(|name| format!("\"{name}\"")).collect();
    let more = if names.len() > shown.len() { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Longer names are not compared with known ones, because a comparison costs the product of the lengths.
const MAX_COMPARED_BYTES: usize = 200;

/// The known name most similar to a mistyped one, if similar enough.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let near = known.into_iter().map(|k| (distance(name, k), k)).min_by_key(|&(d, _)| d)?;
    (near.0 <= (name.chars().count() / 3).max(1)).then_some(near.1)
}

/// Number of letters to insert, delete, replace or swap with a neighbour to turn one word into the other, ignoring
/// case.
fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|s| s.to_lowercase().chars().collect::<Vec<_>>());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_suggestion_corrects_one_slip_and_does_not_guess() {
        let known = ["rubber", "steel", "foam"];
        assert_eq!(nearest("ruber", known), Some("rubber"));
        assert_eq!(nearest("Steel", known), Some("steel"));
        assert_eq!(nearest("fomа", known), None, "two letters of four");
        assert_eq!(nearest("foma", known), Some("foam"));
        assert_eq!(nearest("glass", known), None);
        let long = "a".repeat(MAX_COMPARED_BYTES + 1);
        assert_eq!(nearest(&long, [long.as_str()]), None, "it is not even looked at");
    }
}
