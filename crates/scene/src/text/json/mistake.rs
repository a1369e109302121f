//! Mistakes that serde finds in JSON, with their place.

use super::super::finding::suggestion;
use serde::de::{self, Expected, Unexpected};
use std::fmt;
use std::ops::Range;

/// An invalid value, with its place once that is known.
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) span: Option<Range<usize>>,
    pub(super) kind: MistakeKind,
}

#[derive(Debug)]
pub(super) enum MistakeKind {
    Field { found: String, known: &'static [&'static str] },
    Alternative { found: String, known: &'static [&'static str] },
    Missing(&'static str),
    Expected(String),
    Said { message: String, help: String },
}

impl MistakeKind {
    /// The message about a value `shown` of a type `owner`, and the remedy.
    pub(super) fn message_and_remedy(self, owner: &str, shown: &str) -> (String, String) {
        let place = if owner.is_empty() { String::new() } else { format!(" in `{owner}`") };
        match self {
            Self::Field { found, known } => {
                (format!("unknown field `{found}`{place}"), suggestion(&found, known, "fields"))
            }
            Self::Alternative { found, known } => {
                (format!("`{found}` is not a known `{owner}`"), suggestion(&found, known, "known"))
            }
            Self::Missing(field) => (
                format!("the field `{field}` is missing{place}"),
                format!("add `\"{field}\": ...`; docs/scene-reference.md says what it means"),
            ),
            Self::Expected(expected) => {
                (format!("expected {expected}, found `{shown}`"), String::new())
            }
            Self::Said { message, help } => (message, help),
        }
    }
}

impl Mistake {
    pub(super) fn at(
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let (message, help) = (message.into(), help.into());
        Self { span: Some(span), kind: MistakeKind::Said { message, help } }
    }

    /// Adds the place and the type, if missing.
    pub(super) fn within(mut self, span: Range<usize>, owner: &str, shown: &str) -> Self {
        if self.span.is_none() {
            let (message, help) = self.kind.message_and_remedy(owner, shown);
            self = Self::at(span, message, help);
        }
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.kind)
    }
}

impl std::error::Error for Mistake {}

impl de::Error for Mistake {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let kind = MistakeKind::Said { message: message.to_string(), help: String::new() };
        Self { span: None, kind }
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self { span: None, kind: MistakeKind::Expected(in_json(&expected.to_string())) }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        let expected = in_json(&expected.to_string());
        Self::custom(format!("expected {expected}, found {length} values"))
    }

    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Self {
        Self { span: None, kind: MistakeKind::Alternative { found: found.to_owned(), known } }
    }

    fn unknown_field(found: &str, known: &'static [&'static str]) -> Self {
        Self { span: None, kind: MistakeKind::Field { found: found.to_owned(), known } }
    }

    fn missing_field(field: &'static str) -> Self {
        Self { span: None, kind: MistakeKind::Missing(field) }
    }
}

/// Converts the expectation of a type, which is in terms of RON.
fn in_json(expected: &str) -> String {
    expected
        .replace("an array of length 3", "three values, [x, y, z]")
        .replace("(1, 2, 1)", "[1, 2, 1]")
}
