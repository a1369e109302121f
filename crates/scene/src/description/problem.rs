//! What is wrong with a scene, and collecting all of it.

use super::unit::Unit;
use serde::Serialize;
use std::fmt::Display;

/// How bad a [`Problem`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The scene cannot be run.
    Error,
    /// The scene can be run, but probably is not what was meant.
    Warning,
}

/// Something wrong with a field of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Whether the scene can be run at all.
    pub severity: Severity,
    /// The field, such as `bodies[2].material`.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
    /// What to do; may be empty where the message says it.
    pub help: String,
}

/// Names that may be used.
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

    /// Whether a number lies in an open or closed range; `what` names it with its
    /// unit, `expected` puts the range into words.
    pub(super) fn number(
        &mut self,
        path: &str,
        what: &str,
        value: f64,
        expected: &str,
        holds: impl Fn(f64) -> bool,
    ) {
        if !value.is_finite() {
            self.error(path, format!("{what} is {value}, not a finite number"), "");
        } else if !holds(value) {
            self.error(path, format!("{what} must be {expected}, but is {value}"), "");
        } else if let unit = Unit::named_in(what)
            && value.abs() > unit.most
        {
            let help = format!("no more than {} can be meant; mind the unit", unit.of(unit.most));
            self.error(path, format!("{what} is {value:e}"), help);
        }
    }

    pub(super) fn positive(&mut self, path: &str, what: &str, value: f64) {
        self.number(path, what, value, "positive", |v| v > 0.0);
        let unit = Unit::named_in(what);
        if value > 0.0 && value < unit.least {
            let help = format!("no less than {} can be meant; mind the unit", unit.of(unit.least));
            self.error(path, format!("{what} is {value:e}"), help);
        }
    }

    pub(super) fn not_negative(&mut self, path: &str, what: &str, value: f64) {
        self.number(path, what, value, "zero or positive", |v| v >= 0.0);
    }

    pub(super) fn finite(&mut self, path: &str, what: &str, value: f64) {
        self.number(path, what, value, "", |_| true);
    }

    pub(super) fn finite_vector(&mut self, path: &str, what: &str, value: [f64; 3]) {
        for (k, value) in value.into_iter().enumerate() {
            self.finite(
                &format!("{path}[{k}]"),
                &format!("{what}, {}", "xyz".split_at(k).1.split_at(1).0),
                value,
            );
        }
    }

    /// A vector that gives a direction: finite and not zero.
    pub(super) fn direction(&mut self, path: &str, what: &str, value: [f64; 3]) {
        self.finite_vector(path, what, value);
        if value == [0.0; 3] {
            self.error(
                path,
                format!("{what} is the zero vector"),
                "give it a direction, such as (0, 1, 0)",
            );
        }
    }

    /// A whole number that must be at least one and small enough to be meant.
    pub(super) fn count(&mut self, path: &str, what: &str, value: u32, most: u32) {
        if value == 0 {
            self.error(path, format!("{what} must be at least 1, but is 0"), "");
        } else if value > most {
            self.error(path, format!("{what} must be at most {most}, but is {value}"), "");
        }
    }

    /// That a name is one of those known.
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

/// The first dozen of some names, in quotes.
fn list(names: &[String]) -> String {
    let shown: Vec<_> = names.iter().take(12).map(|name| format!("\"{name}\"")).collect();
    let more = if names.len() > shown.len() { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// A name with more bytes is no slip of the pen; to compare two takes the product of their lengths.
const LONGEST_SLIP: usize = 200;

/// The name nearest to one mistyped, if it is near enough to have been meant.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST_SLIP {
        return None;
    }
    let near = known.into_iter().map(|k| (distance(name, k), k)).min_by_key(|&(d, _)| d)?;
    (near.0 <= (name.chars().count() / 3).max(1)).then_some(near.1)
}

/// Letters to insert, delete, replace or swap with their neighbour to turn one
/// word into the other, upper and lower case being alike.
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
    fn the_nearest_name_forgives_a_slip_but_does_not_guess() {
        let known = ["rubber", "steel", "foam"];
        assert_eq!(nearest("ruber", known), Some("rubber"));
        assert_eq!(nearest("Steel", known), Some("steel"));
        assert_eq!(nearest("fomа", known), None, "two letters of four");
        assert_eq!(nearest("foma", known), Some("foam"));
        assert_eq!(nearest("glass", known), None);
        let long = "a".repeat(LONGEST_SLIP + 1);
        assert_eq!(nearest(&long, [long.as_str()]), None, "it is not even looked at");
    }
}
