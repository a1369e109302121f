//! Values of other languages, such as Python, written as values of a scene.

use super::json::MAX_EXACT_INTEGER;
use super::quotes::takes_text;
use super::typed::Expected;
use super::{SceneText, path};
use crate::schema::Type;
use std::fmt::Write as _;

/// A value without the distinctions of RON: words and texts, tuples and lists, structs, variants and maps.
///
/// The variant `Box(size: (1, 1, 1))` is the field `Box` with the value of its content, as in JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// No value.
    Nothing,
    /// `true` or `false`.
    Truth(bool),
    /// A number, as written.
    Number(String),
    /// A text, an expression, or the name of a variant.
    Text(String),
    /// Several values.
    Items {
        /// The values.
        values: Vec<Self>,
        /// Whether they are written in parentheses if the scene has no such field.
        is_tuple: bool,
    },
    /// Values by name.
    Fields(Vec<(String, Self)>),
}

impl SceneText {
    /// A value in RON, written as the field at a path requires it. Where the scene can have no such field, the value is
    /// written as it is, and [`load`](Self::load) reports the path.
    pub fn format_value(&self, path: &str, value: &FieldValue) -> String {
        let segments = path::parse(path).unwrap_or_default();
        let expected = self.expected(&segments);
        // A path that ends with the name of a variant names the whole value.
        let content = match (expected, value) {
            (Some(Expected::Fields(owner)), FieldValue::Fields(fields)) => match &fields[..] {
                [(name, content)] if owner.ends_with(&format!("::{name}")) => content,
                _ => value,
            },
            _ => value,
        };
        value_in_ron(content, expected)
    }
}

/// A value in RON, on one line, as a value of the type `expected` if that is known.
pub(super) fn value_in_ron(value: &FieldValue, expected: Option<Expected<'_>>) -> String {
    let mut out = String::new();
    write_value(&mut out, value, expected);
    out
}

/// Writes a value in RON as a value of the type `expected`, if that is known.
fn write_value(out: &mut String, value: &FieldValue, expected: Option<Expected<'_>>) {
    let expected = expected.map(Expected::present);
    let _ = match value {
        FieldValue::Nothing => write!(out, "None"),
        FieldValue::Truth(truth) => write!(out, "{truth}"),
        FieldValue::Number(number) => match (expected, whole_number(number)) {
            (Some(Expected::Value(Type::Integer)), Some(integer)) => write!(out, "{integer}"),
            _ => write!(out, "{number}"),
        },
        FieldValue::Text(text) => match expected {
            Some(Expected::Value(Type::Named(_))) if is_word(text) => write!(out, "{text}"),
            _ => write!(out, "{text:?}"),
        },
        FieldValue::Items { values, is_tuple } => {
            write_items(out, values, *is_tuple, expected);
            Ok(())
        }
        FieldValue::Fields(fields) => {
            write_fields(out, fields, expected);
            Ok(())
        }
    };
}

/// Writes a list or a tuple.
fn write_items(
    out: &mut String,
    values: &[FieldValue],
    is_tuple: bool,
    expected: Option<Expected<'_>>,
) {
    let [open, close] = match expected {
        Some(Expected::Value(Type::List(_))) => ["[", "]"],
        Some(Expected::Value(Type::Tuple(_))) => ["(", ")"],
        Some(Expected::Value(Type::Either(kinds))) if !takes_text(kinds) => ["(", ")"],
        _ if is_tuple => ["(", ")"],
        _ => ["[", "]"],
    };
    out.push_str(open);
    for (index, value) in values.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        let item = match expected {
            Some(Expected::Value(Type::List(kind))) => Some(Expected::Value(kind)),
            Some(Expected::Value(Type::Tuple(kinds))) => kinds.get(index).map(Expected::Value),
            _ => None,
        };
        write_value(out, value, item);
    }
    out.push_str(close);
}

/// Writes a map, a struct or a variant.
fn write_fields(out: &mut String, fields: &[(String, FieldValue)], expected: Option<Expected<'_>>) {
    if let Some(Expected::Value(Type::Map(kind))) = expected {
        let quoted = |key: &str| format!("{key:?}");
        return write_entries(out, ['{', '}'], fields, quoted, |_| Some(Expected::Value(kind)));
    }
    let write_struct = |out: &mut String, fields: &[_], owner: Option<&str>| {
        let expected = |name: &str| Expected::field(owner?, name);
        write_entries(out, ['(', ')'], fields, str::to_owned, expected);
    };
    match (expected, fields) {
        (Some(Expected::Fields(owner)), _) => write_struct(out, fields, Some(owner)),
        (Some(Expected::Value(Type::Named(owner))), [(name, content)]) => {
            out.push_str(name);
            match (Expected::content(owner, name), content) {
                // A variant without content, as in JSON.
                (None, FieldValue::Nothing) => {}
                (Some(Expected::Fields(owner)), FieldValue::Fields(fields)) => {
                    write_struct(out, fields, Some(owner));
                }
                (kind, content) => {
                    out.push('(');
                    write_value(out, content, kind);
                    out.push(')');
                }
            }
        }
        _ => write_struct(out, fields, None),
    }
}

/// Writes keys and values between brackets; `key` is the text of a key, `expected` the type of its value.
fn write_entries<'t>(
    out: &mut String,
    [open, close]: [char; 2],
    fields: &[(String, FieldValue)],
    key: impl Fn(&str) -> String,
    expected: impl Fn(&str) -> Option<Expected<'t>>,
) {
    out.push(open);
    for (index, (name, value)) in fields.iter().enumerate() {
        let _ = write!(out, "{}{}: ", if index > 0 { ", " } else { "" }, key(name));
        write_value(out, value, expected(name));
    }
    out.push(close);
}

/// The whole number from zero on that a text such as `8.0` or `8e0` gives: JSON has one type of numbers.
fn whole_number(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        let is_whole = number.fract() == 0.0 && (0.0..=MAX_EXACT_INTEGER).contains(&number);
        is_whole.then_some(number as u64)
    })
}

/// Whether a text can be the name of a variant.
fn is_word(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}
