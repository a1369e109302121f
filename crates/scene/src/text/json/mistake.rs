//! Mistakes that serde finds in JSON, with their positions.

use super::super::finding::suggestion;
use serde::de::{self, Expected, Unexpected};
use std::fmt;
use std::ops::Range;

/// A mistake. serde creates it without a position, which the deserialiser adds by [`locate`](Self::locate).
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) span: Option<Range<usize>>,
    pub(super) kind: MistakeKind,
}

/// What is wrong.
#[derive(Debug)]
pub(super) enum MistakeKind {
    UnknownField {
        found: String,
        known: &'static [&'static str],
    },
    UnknownVariant {
        found: String,
        known: &'static [&'static str],
    },
    MissingField(&'static str),
    /// A value of another type or out of range, with the description of the expected values.
    WrongValue(String),
    /// A mistake whose message is complete.
    Message {
        message: String,
        help: String,
    },
}

impl MistakeKind {
    /// The message and the remedy. `owner` is the struct, variant or enum that is read, and `shown` the text of the
    /// value.
    pub(super) fn message_and_remedy(self, owner: &str, shown: &str) -> (String, String) {
        let in_owner = if owner.is_empty() { String::new() } else { format!(" in `{owner}`") };
        match self {
            Self::UnknownField { found, known } => {
                (format!("unknown field `{found}`{in_owner}"), suggestion(&found, known, "fields"))
            }
            Self::UnknownVariant { found, known } => {
                (format!("`{found}` is not a known `{owner}`"), suggestion(&found, known, "known"))
            }
            Self::MissingField(field) => (
                format!("the field `{field}` is missing{in_owner}"),
                format!("add `\"{field}\": ...`; docs/scene-reference.md says what it means"),
            ),
            Self::WrongValue(expected) => {
                (format!("expected {expected}, found `{shown}`"), String::new())
            }
            Self::Message { message, help } => (message, help),
        }
    }
}

impl Mistake {
    /// A mistake with its position and a complete message.
    pub(super) fn located(
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let (message, help) = (message.into(), help.into());
        Self { span: Some(span), kind: MistakeKind::Message { message, help } }
    }

    /// Adds the position and completes the message, unless the mistake has a position.
    pub(super) fn locate(mut self, span: Range<usize>, owner: &str, shown: &str) -> Self {
        if self.span.is_none() {
            let (message, help) = self.kind.message_and_remedy(owner, shown);
            self = Self::located(span, message, help);
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
        let kind = MistakeKind::Message { message: message.to_string(), help: String::new() };
        Self { span: None, kind }
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self { span: None, kind: MistakeKind::WrongValue(in_json(&expected.to_string())) }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        let expected = in_json(&expected.to_string());
        Self::custom(format!("expected {expected}, found {length} values"))
    }

    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Self {
        Self { span: None, kind: MistakeKind::UnknownVariant { found: found.to_owned(), known } }
    }

    fn unknown_field(found: &str, known: &'static [&'static str]) -> Self {
        Self { span: None, kind: MistakeKind::UnknownField { found: found.to_owned(), known } }
    }

    fn missing_field(field: &'static str) -> Self {
        Self { span: None, kind: MistakeKind::MissingField(field) }
    }
}

/// Converts the description of the expected values, which names the syntax of RON, to that of JSON.
fn in_json(expected: &str) -> String {
    expected
        .replace("an array of length 3", "three values, [x, y, z]")
        .replace("(1, 2, 1)", "[1, 2, 1]")
}
