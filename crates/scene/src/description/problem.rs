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
    /// Whether it is a warning of time steps, the duration or the integrator, which do not concern the state at the
    /// start and its natural modes.
    pub concerns_steps: bool,
}

/// The names to which a field may refer.
#[derive(Debug)]
pub(super) struct Names {
    /// In the order in which messages list them.
    listed: Vec<String>,
    /// Indices of `listed` in alphabetical order, for a binary search: a scene may refer to a hundred thousand names.
    sorted: Vec<usize>,
}

impl Names {
    pub(super) fn new(listed: Vec<String>) -> Self {
        let mut sorted: Vec<usize> = (0..listed.len()).collect();
        sorted.sort_by(|&a, &b| listed[a].cmp(&listed[b]));
        Self { listed, sorted }
    }

    fn contains(&self, name: &str) -> bool {
        self.sorted.binary_search_by(|&index| self.listed[index].as_str().cmp(name)).is_ok()
    }
}

/// Collects problems, and has the checks of numbers that all fields share.
#[derive(Debug, Default)]
pub(super) struct Checker {
    pub(super) problems: Vec<Problem>,
    /// The units of messages. The checked numbers are in SI.
    pub(super) units: Units,
}

impl Checker {
    pub(super) fn error(&mut self, path: &str, message: impl Display, help: impl Display) {
        self.push((Severity::Error, false), path, message, help);
    }

    pub(super) fn warn(&mut self, path: &str, message: impl Display, help: impl Display) {
        self.push((Severity::Warning, false), path, message, help);
    }

    /// Adds a warning that [concerns steps](Problem::concerns_steps).
    pub(super) fn warn_steps(&mut self, path: &str, message: impl Display, help: impl Display) {
        self.push((Severity::Warning, true), path, message, help);
    }

    fn push(
        &mut self,
        (severity, concerns_steps): (Severity, bool),
        path: &str,
        message: impl Display,
        help: impl Display,
    ) {
        self.problems.push(Problem {
            severity,
            path: path.to_owned(),
            message: message.to_string(),
            help: help.to_string(),
            concerns_steps,
        });
    }

    /// Checks that all numbers of a scene are in the ranges of their fields.
    pub(super) fn check_all_numbers(&mut self, scene: &impl Serialize) {
        walk(scene, &mut |quantity, path, visited| self.check_visited(*quantity, path, visited));
    }

    /// Checks a number or a list of numbers of a field with a quantity.
    fn check_visited(&mut self, quantity: Quantity, path: &dyn Display, visited: &Visited<'_>) {
        match (quantity.range, visited) {
            (Range::Unchecked, _) => {}
            (Range::Vector | Range::Direction, Visited::Number { index, value }) => {
                let axis = index.and_then(|k| ["x", "y", "z"].get(k)).unwrap_or(&"");
                self.check_number(path, (*value, 0), quantity, &format_args!(", {axis}"));
            }
            (Range::Direction, Visited::List(values)) if values.iter().all(|v| *v == 0.0) => {
                let label = quantity.measure.named(quantity.label, self.units);
                let message = format!("{label} is the zero vector");
                self.error(&path.to_string(), message, "give it a direction, such as (0, 1, 0)");
            }
            (Range::Factors, Visited::List(values)) => {
                if let Some(factor) = values.iter().find(|v| **v <= 0.0 || !v.is_finite()) {
                    self.check_number(path, (*factor, 0), quantity, &"");
                }
            }
            (Range::Factors, Visited::Number { .. }) | (_, Visited::List(_)) => {}
            (_, Visited::Number { index, value }) => {
                self.check_number(path, (*value, index.unwrap_or(0)), quantity, &"");
            }
        }
    }

    /// Checks a number that is not visited with its field. `label` is its name with the unit.
    pub(super) fn check_labelled(
        &mut self,
        path: &str,
        label: &'static str,
        value: f64,
        range: Range,
    ) {
        let measure = Measure::from_label(label).unwrap_or_default();
        self.check_number(&path, (value, 0), Quantity { label, measure, range, help: "" }, &"");
    }

    /// Checks that the number at an index of a list is finite, in range, and plausible in its unit. `axis` follows its
    /// name in messages.
    fn check_number(
        &mut self,
        path: &dyn Display,
        (value, index): (f64, usize),
        quantity: Quantity,
        axis: &dyn Display,
    ) {
        let Quantity { label, measure, range, help } = quantity;
        let unit = Unit::from_label(label);
        let is_in_range = value.is_finite() && range.contains(value);
        // The range of a count is also its range of plausible values.
        let is_large = !matches!(range, Range::Count(..)) && value.abs() > unit.max;
        let is_small = matches!(range, Range::Positive | Range::Factors) && value < unit.min;
        // Return before any text is formatted: most numbers are valid.
        if is_in_range && !is_large && !is_small {
            return;
        }
        let written = |value: f64| measure.written(value, index, self.units);
        let bound_text = |bound: f64| {
            format!("{:e} {}", written(bound), measure.symbol(unit.symbol, self.units))
        };
        let (label, shown) = (measure.named(label, self.units), written(value));
        let (message, help) = if !value.is_finite() {
            (format!("{label}{axis} is {value}, not a finite number"), String::new())
        } else if !is_in_range {
            let requirement = range.requirement();
            (format!("{label}{axis} must be {requirement}, but is {shown}"), help.to_owned())
        } else {
            let [comparative, bound] = match is_large {
                true => ["more", bound_text(unit.max).trim_end()].map(str::to_owned),
                false => ["less", bound_text(unit.min).trim_end()].map(str::to_owned),
            };
            let help = format!("no {comparative} than {bound} can be meant; mind the unit");
            (format!("{label}{axis} is {shown:e}"), help)
        };
        self.error(&path.to_string(), message, help);
    }

    /// Reports that a finite number violates a relation to other fields unless it `holds`; `expected` is the relation
    /// in words.
    pub(super) fn check_relation(
        &mut self,
        path: &str,
        label: &str,
        value: f64,
        expected: &str,
        holds: bool,
    ) {
        if value.is_finite() && !holds && !self.has_problem_at(path) {
            self.error(path, format!("{label} must be {expected}, but is {value}"), "");
        }
    }

    /// Whether a field or a part of it has a problem.
    pub(super) fn has_problem_at(&self, path: &str) -> bool {
        let suffixes = self.problems.iter().filter_map(|problem| problem.path.strip_prefix(path));
        suffixes.into_iter().any(|suffix| suffix.is_empty() || suffix.starts_with(['.', '[']))
    }

    /// Checks that a name is one of the known names of a `kind` of things.
    pub(super) fn check_name(&mut self, path: &str, kind: &str, name: &str, names: &Names) {
        if names.contains(name) {
            return;
        }
        let known = &names.listed;
        let help = match nearest(name, known.iter().map(String::as_str)) {
            Some(similar) => format!("did you mean \"{similar}\"?"),
            None if known.is_empty() => format!("the scene defines no {kind}"),
            None => format!("known: {}", first_names(known)),
        };
        self.error(path, format!("there is no {kind} named \"{name}\""), help);
    }
}

/// The first twelve names in quotes, separated by commas.
fn first_names(names: &[String]) -> String {
    let shown: Vec<_> = names.iter().take(12).map(|name| format!("\"{name}\"")).collect();
    let more = if names.len() > shown.len() { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Maximum length of a name for which similar names are sought, because a comparison costs the product of the lengths.
const MAX_COMPARED_BYTES: usize = 200;

/// The known name with the smallest edit distance to a mistyped one, if that is at most a third of its letters or 1.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let candidates = known.into_iter().map(|candidate| (edit_distance(name, candidate), candidate));
    let (distance, closest) = candidates.min_by_key(|&(distance, _)| distance)?;
    (distance <= (name.chars().count() / 3).max(1)).then_some(closest)
}

/// Number of letters to insert, delete, replace or swap with a neighbour to turn one word into the other, ignoring case
/// (the optimal string alignment distance).
fn edit_distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|s| s.to_lowercase().chars().collect::<Vec<_>>());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(table[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    table[a.len()][b.len()]
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
