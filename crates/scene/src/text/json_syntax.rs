//! Syntax errors of JSON with their likely causes.

use super::finding::LocatedFinding;
use super::tree::Node;
use serde::de::IgnoredAny;

/// The first syntax error of a text, with its likely cause.
pub(super) fn find_error(text: &str) -> Option<LocatedFinding> {
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    let error_offset = byte_offset(text, error.line(), error.column());
    let full_message = error.to_string();
    let reason =
        full_message.rsplit_once(" at line ").map_or(&full_message[..], |(reason, _)| reason);
    let remaining = text[error_offset..].trim_start();
    let start = text.len() - remaining.len();
    let next_char = start..start + remaining.chars().next().map_or(0, char::len_utf8);
    let token_before = |fallback| Node::last_token(text, error_offset).unwrap_or(fallback);
    let (span, message, help) = match reason {
        _ if remaining.starts_with("//") || remaining.starts_with("/*") => (
            next_char,
            "JSON has no comments",
            "remove it, or write the scene in RON, which has them",
        ),
        reason if reason.starts_with("EOF") => {
            (token_before(next_char), "the file ends too early", "a bracket or quote is not closed")
        }
        "expected `,` or `}`" | "expected `,` or `]`" => (
            token_before(next_char),
            "a comma or a closing bracket is missing after this",
            "or a bracket or quote further up is not closed",
        ),
        "trailing comma" => {
            (next_char, "a comma stands before this bracket", "JSON has none after the last value")
        }
        "expected `:`" => (next_char, "a colon is missing", "fields are written `\"name\": value`"),
        "key must be a string" => {
            (next_char, "a field name stands in quotes", "fields are written `\"name\": value`")
        }
        "trailing characters" => {
            (next_char, "the scene has ended before this", "remove what follows its last `}`")
        }
        "expected value" if remaining.starts_with('(') => {
            (next_char, "JSON has no parentheses", "write [x, y, z] and {\"field\": value}")
        }
        reason => {
            return Some(LocatedFinding {
                span: next_char,
                message: format!("broken syntax: {reason}"),
                help: "values are numbers, \"text\", true, false, null, [...] and {\"name\": ...}"
                    .to_owned(),
            });
        }
    };
    Some(LocatedFinding { span, message: message.to_owned(), help: help.to_owned() })
}

/// The byte offset of a position in a text: the line counts from 1, the column in bytes from 1 (`serde_json` gives that
/// of the last byte read). Rounded down to the start of a character.
fn byte_offset(text: &str, line: usize, column: usize) -> usize {
    let line_start: usize =
        text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut offset = (line_start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
