//! `--set path=value`: one field replaced or added, the rest of the text untouched.
//!
//! Overrides edit the text instead of the data, so that the result is a scene file, which is stored with
//! the results and checked by the same reader. A field that is absent is added to its struct; if the
//! struct has no such field, the reader lists the existing ones.

use super::addition::addition;
use super::path::{self, ResolvedPath, Segment};
use super::tree::Node;
use super::typed::Expected;
use super::version::former_field;
use super::{Diagnostic, Edit, Form, SceneText, in_json, quotes};
use crate::description::Severity;
use std::ops::Range;
use std::sync::OnceLock;

/// The form of an override.
const ASSIGNMENT_FORM: &str = "the form is `--set path=value`, such as `--set time.duration=0.5`";

/// The form of the value of an override.
const VALUE_FORM: &str = "one value in RON: a number, \"text\", (a, b, c), [..], Name(field: ..); in a shell in single quotes, \
                          --set 'path=value'";

/// The path and the value of an override.
fn split_assignment(argument: &str) -> Result<(&str, &str), Box<Diagnostic>> {
    argument.split_once('=').ok_or_else(|| {
        Box::new(refusal(argument, "there is no `=`".to_owned(), ASSIGNMENT_FORM.to_owned()))
    })
}

impl SceneText {
    /// Overrides a field: `path=value` with the value in RON, or for a scene in JSON in either format.
    ///
    /// Texts, expressions and fractions such as `1/120` need no quotes.
    ///
    /// # Errors
    /// If the argument does not have that form, or there is no struct for the field.
    pub fn set(&mut self, argument: &str) -> Result<(), Box<Diagnostic>> {
        let (path_text, value) = split_assignment(argument)?;
        let refuse = |message: String, help: String| Box::new(refusal(argument, message, help));
        let segments = path::parse(path_text).ok_or_else(|| {
            refuse(format!("`{path_text}` is not a path"), ASSIGNMENT_FORM.to_owned())
        })?;
        let Some(tree) = self.tree() else {
            // The reader reports errors of the file itself.
            return Ok(());
        };
        let expected = self.expected(&segments);
        let mut segments = in_version_of(tree, segments);
        let resolved = path::resolve(tree, &segments);
        let replaces = resolved.depth == segments.len();
        let old_value = replaces.then_some(&self.text[resolved.span.clone()]);
        let mut value = quoted_value(value, &segments, expected, old_value);
        if Node::parse(&value).is_none() {
            return Err(refuse(format!("`{value}` is not a value"), VALUE_FORM.to_owned()));
        }
        if let Some(absent) = self.absent_alternative(&segments, resolved.depth) {
            value = absent.whole(&value).map_err(|[message, help]| refuse(message, help))?;
            segments.pop();
        }
        if self.form == Form::Json {
            value = in_json::value_in_json(&value).unwrap_or(value);
        }
        let (span, text) = if replaces {
            (resolved.span.clone(), value)
        } else {
            addition(self.form, &resolved, &segments, &value)
                .map_err(|(message, help)| refuse(message, help))?
        };
        self.splice(span, &text, argument);
        Ok(())
    }

    /// Removes a field, an entry of a map or an item of a list, so that a field has its default; false if the text has
    /// nothing at the path.
    pub fn remove(&mut self, path: &str) -> bool {
        let Some((segments, tree)) = path::parse(path).zip(self.tree()) else { return false };
        let resolved = path::resolve(tree, &in_version_of(tree, segments.clone()));
        if resolved.depth < segments.len() {
            return false;
        }
        let start = resolved.key.as_ref().map_or(resolved.span.start, |key| key.start);
        let end = resolved.span.end;
        let is_comma = |token: &Range<usize>| &self.text[token.clone()] == ",";
        // The comma after the value, or else the one before it.
        let span = match Node::next_token(&self.text, end).filter(is_comma) {
            Some(comma) => start..comma.end,
            None => {
                let comma = Node::last_token(&self.text, start).filter(is_comma);
                comma.map_or(start, |comma| comma.start)..end
            }
        };
        self.cut(&span);
        true
    }

    /// Removes a span of the text, and what earlier overrides wrote there.
    fn cut(&mut self, span: &Range<usize>) {
        self.text.replace_range(span.clone(), "");
        (self.tree, self.current) = (OnceLock::new(), OnceLock::new());
        let shift = |offset: usize| match offset {
            offset if offset >= span.end => offset - span.len(),
            offset => offset.min(span.start),
        };
        for edit in &mut self.edits {
            edit.span = shift(edit.span.start)..shift(edit.span.end);
        }
        self.edits.retain(|edit| !edit.span.is_empty());
    }

    /// Whether an override of the field `outer` also replaces the field `inner`: they are one field, in the same or in
    /// different spellings (`bodies.die.friction`, `bodies[0].friction`), or `inner` is within `outer`. False for malformed
    /// paths and for a text with invalid syntax.
    pub fn covers(&self, outer: &str, inner: &str) -> bool {
        let (Some(tree), Some(outer), Some(inner)) =
            (self.tree(), path::parse(outer), path::parse(inner))
        else {
            return false;
        };
        path::covers(tree, &in_version_of(tree, outer), &in_version_of(tree, inner))
    }

    /// Replaces a span of the text and shifts the recorded spans of earlier overrides.
    fn splice(&mut self, span: Range<usize>, new_text: &str, argument: &str) {
        self.text.replace_range(span.clone(), new_text);
        (self.tree, self.current) = (OnceLock::new(), OnceLock::new());
        let shift = |offset: usize| {
            if offset >= span.end { offset + new_text.len() - span.len() } else { offset }
        };
        for edit in &mut self.edits {
            // Text inserted at the end of an edit is not part of it.
            let is_inside =
                edit.span.start <= span.start && span.end <= edit.span.end && !span.is_empty();
            let end =
                if is_inside { edit.span.end + new_text.len() - span.len() } else { edit.span.end };
            edit.span = if edit.span.start >= span.end {
                shift(edit.span.start)..shift(edit.span.end)
            } else {
                edit.span.start..end
            };
        }
        let argument = argument.to_owned();
        self.edits.push(Edit { span: span.start..span.start + new_text.len(), argument });
    }
}

/// Replaces the names of fields in a path by their names of version 1 where the text contains those. Each call replaces
/// one name, that of the first segment that does not exist.
fn in_version_of(tree: &Node, mut segments: Vec<Segment>) -> Vec<Segment> {
    let ResolvedPath { node, depth, .. } = path::resolve(tree, &segments);
    if let Some(Segment::Key(name)) = segments.get_mut(depth)
        && let Some(former) = former_field(node, name)
    {
        former.clone_into(name);
        return in_version_of(tree, segments);
    }
    segments
}

/// The value with the quotes and the variant name that its expected type requires. If the type is unknown, `old_value`,
/// which it replaces, decides.
fn quoted_value(
    value: &str,
    segments: &[Segment],
    expected: Option<Expected<'_>>,
    old_value: Option<&str>,
) -> String {
    match expected {
        Some(expected) => {
            with_variant_name(segments, expected, &quotes::add_quotes(value, expected))
        }
        None => quote_like(value.trim(), old_value),
    }
}

/// Adds quotes to a value of unknown type if it is a fraction, or if it is a word that replaces a text.
fn quote_like(value: &str, old_value: Option<&str>) -> String {
    let is_fraction = value.split_once('/').is_some_and(|(numerator, denominator)| {
        let is_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        is_digits(numerator.trim()) && is_digits(denominator.trim())
    });
    let replaces_text = old_value.is_some_and(|old| old.starts_with('"'));
    let is_plain = value.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c));
    let is_name =
        is_plain && value.chars().any(char::is_alphabetic) && value.parse::<f64>().is_err();
    if is_fraction || (replaces_text && is_name) {
        format!("\"{value}\"")
    } else {
        value.to_owned()
    }
}

/// Puts the name of a variant before its fields if the path ends with that name, because such a path selects the whole
/// value.
fn with_variant_name(segments: &[Segment], expected: Expected<'_>, value: &str) -> String {
    match (segments.last(), expected) {
        (Some(Segment::Key(name)), Expected::Fields(owner))
            if value.starts_with('(') && owner.ends_with(&format!("::{name}")) =>
        {
            format!("{name}{value}")
        }
        _ => value.to_owned(),
    }
}

/// A diagnostic that marks a part of an argument, or all of it if the argument does not contain the part.
pub(super) fn argument_finding(
    argument: &str,
    part: &str,
    severity: Severity,
    path: &str,
    message: String,
    help: String,
) -> Diagnostic {
    // The argument may lack the quotes of the text.
    let unquoted = part.trim_matches('"');
    let part = if argument.contains(part) { part } else { unquoted };
    let offset = argument.rfind(part).filter(|_| !part.is_empty());
    let marked = if offset.is_some() { part } else { argument };
    Diagnostic {
        severity,
        file: "--set".to_owned(),
        line: 1,
        column: 1 + argument[..offset.unwrap_or(0)].chars().count(),
        width: marked.chars().count().max(1),
        source: argument.to_owned(),
        skipped: 0,
        path: path.to_owned(),
        message,
        help,
    }
}

/// A finding about the path of an argument.
fn refusal(argument: &str, message: String, help: String) -> Diagnostic {
    let path = argument.split('=').next().unwrap_or("");
    argument_finding(argument, path, Severity::Error, "", message, help)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"( // a comment
    version: 1,
    materials: {"soft": (density: 1000, model: StVK(young: 1e5, poisson: 0.3))},
    bodies: [(name: "a", shape: File("a.msh"), material: "soft" /* not hard */)],
    gravity: (0, -9.8, 0), contact: Off, integrator: ASearch(),
    time: (step: 0.01, duration: 1), // the end
)"#;

    fn after(arguments: &[&str]) -> String {
        let mut text = SceneText::new("a.ron", TEXT);
        for argument in arguments {
            text.set(argument).unwrap_or_else(|error| panic!("{error}"));
        }
        text.load().unwrap_or_else(|errors| panic!("{}", errors[0]));
        text.text().to_owned()
    }

    #[test]
    fn replacing_a_value_keeps_all_other_text() {
        let cases = [
            ("gravity[1]=-1.6", "-9.8", "-1.6"),
            ("time.step = 1/120", "0.01", "\"1/120\""),
            ("bodies.a.name=b", "\"a\"", "\"b\""),
            ("materials.soft.model.StVK.young=2e5", "1e5", "2e5"),
            ("integrator=Bdf2", "ASearch()", "Bdf2"),
        ];
        for (argument, old, new) in cases {
            assert_eq!(after(&[argument]), TEXT.replacen(old, new, 1), "{argument}");
        }
    }

    #[test]
    fn absent_field_is_added_to_its_struct() {
        let cases = [
            ("integrator.alpha_max=1.2", "ASearch()", "ASearch(alpha_max: 1.2)"),
            ("name=\"x\"", "duration: 1)", "duration: 1), name: \"x\""),
            (
                "bodies[0].placement.translate=(0, 1, 0)",
                "\"soft\" /*",
                "\"soft\", placement: (translate: (0, 1, 0)) /*",
            ),
            (
                "solver.friction.rounds=2",
                "duration: 1)",
                "duration: 1), solver: (friction: (rounds: 2))",
            ),
            (
                "materials.hard=(density: 1000, model: StVK(young: 1e9, poisson: 0))",
                "0.3))}",
                "0.3)), \"hard\": (density: 1000, model: StVK(young: 1e9, poisson: 0))}",
            ),
        ];
        for (argument, old, new) in cases {
            assert_eq!(after(&[argument]), TEXT.replacen(old, new, 1), "{argument}");
        }
    }

    #[test]
    fn field_of_an_absent_alternative_is_added_to_the_default_alternative() {
        let text = TEXT.replace("version: 1", "version: 2");
        let text = text.replace("contact: Off, integrator: ASearch(),", "");
        let json = SceneText::new("a.ron", text.as_str()).to_json().expect("it has a tree");
        let after = |file: &str, text: &str, argument: &str| {
            let mut text = SceneText::new(file, text);
            text.set(argument).unwrap_or_else(|error| panic!("{argument}: {error}"));
            text.read().unwrap_or_else(|errors| panic!("{argument}: {}", errors[0]))
        };
        for (argument, whole) in [
            ("contact.kappa=2e5", "contact=Barrier(kappa: 2e5)"),
            ("contact.Barrier.kappa=2e5", "contact=Barrier(kappa: 2e5)"),
            ("contact.Barrier=(kappa: 2e5)", "contact=Barrier(kappa: 2e5)"),
            ("integrator.target.scale=0.5", "integrator=ASearch(target: (scale: 0.5))"),
        ] {
            let scenes = [("a.ron", &text), ("a.json", &json)].map(|(file, text)| {
                assert_eq!(after(file, text, argument), after(file, text, whole), "{argument}");
                after(file, text, argument)
            });
            assert_eq!(scenes[0], scenes[1], "{argument}");
        }
    }

    #[test]
    fn absent_alternatives_and_names_are_given_whole() {
        let refusals = [
            (
                "bodies.a.repeat.Row.count=2",
                "`bodies.a.repeat` is not in the scene",
                "`bodies.a.repeat=Row(count: 2, step: ...)`",
            ),
            ("bodies.a.repeat.count=2", "`bodies.a.repeat` is not in the scene", "`Grid`, `Row`"),
            (
                "bodies.a.group_materials.core.x=1",
                "`bodies.a.group_materials.core` is not in the scene",
                "`bodies.a.group_materials.core=(...)`",
            ),
        ];
        for (argument, message, help) in refusals {
            let mut text = SceneText::new("a.ron", TEXT);
            let error = text.set(argument).expect_err("the value is absent");
            assert!(error.message.contains(message), "{argument}: {}", error.message);
            assert!(error.help.contains(help), "{argument}: {}", error.help);
            assert_eq!(text.text(), TEXT);
        }
        let added = [
            (
                "bodies.a.repeat.Row=(count: 2, step: (1, 0, 0))",
                "repeat: Row(count: 2, step: (1, 0, 0))",
            ),
            ("bodies.a.group_materials.core=soft", "group_materials: {\"core\": \"soft\"}"),
        ];
        for (argument, expected) in added {
            let text = after(&[argument]);
            assert!(text.contains(expected), "{argument}: {text}");
        }
    }

    #[test]
    fn overrides_apply_in_order_and_errors_name_the_faulty_one() {
        let both = ["solver.tolerance=1e-3", "solver.max_iterations=50", "solver.tolerance=1e-4"];
        assert!(after(&both).contains("solver: (tolerance: 1e-4, max_iterations: 50)"));
        let mut text = SceneText::new("a.ron", TEXT);
        for argument in ["gravity=(0, 0, 0)", "time.duration=-1", "name=\"long enough to shift\""] {
            text.set(argument).unwrap_or_else(|error| panic!("{error}"));
        }
        let errors = text.load().expect_err("the duration is negative");
        assert_eq!((errors.len(), errors[0].source.as_str()), (1, "time.duration=-1"));
        assert_eq!((errors[0].file.as_str(), errors[0].column), ("--set", 15));
    }
}
