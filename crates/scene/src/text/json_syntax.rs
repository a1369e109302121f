//! Syntax errors of JSON with their likely causes.

use super::finding::LocatedFinding;
use super::tree::Node;
use serde::de::IgnoredAny;

/// The syntax error, if any.
pub(super) fn find(text: &str) -> Option<LocatedFinding> {
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    let at = offset(text, error.line(), error.column());
    let full_message = error.to_string();
    let reason =
        full_message.rsplit_once(" at line ").map_or(&full_message[..], |(reason, _)| reason);
    let rest = text[at..].trim_start();
    let here = text.len() - rest.len();
    let here = here..here + rest.chars().next().map_or(0, char::len_utf8);
    let before = |fallback| Node::last_token(text, at).unwrap_or(fallback);
    let (span, message, help) = match reason {
        _ if rest.starts_with("//") || rest.starts_with("/*") => {
            (here, "JSON has no comments", "remove it, or write the scene in RON, which has them")
        }
        reason if reason.starts_with("EOF") => {
            (before(here), "the file ends too early", "a bracket or quote is not closed")
        }
        "expected `,` or `}`" | "expected `,` or `]`" => (
            before(here),
            "a comma or a closing bracket is missing after this",
            "or a bracket or quote further up is not closed",
        ),
        "trailing comma" => {
            (here, "a comma stands before this bracket", "JSON has none after the last value")
        }
        "expected `:`" => (here, "a colon is missing", "fields are written `\"name\": value`"),
        "key must be a string" => {
            (here, "a field name stands in quotes", "fields are written `\"name\": value`")
        }
        "trailing characters" => {
            (here, "the scene has ended before this", "remove what follows its last `}`")
        }
        "expected value" if rest.starts_with('(') => {
            (here, "JSON has no parentheses", "write [x, y, z] and {\"field\": value}")
        }
        reason => {
            return Some(LocatedFinding {
                span: here,
                message: format!("broken syntax: {reason}"),
                help: "values are numbers, \"text\", true, false, null, [...] and {\"name\": ...}"
                    .to_owned(),
            });
        }
    };
    Some(LocatedFinding { span, message: message.to_owned(), help: help.to_owned() })
}

/// The byte offset of an error position: line from 1, column in bytes of the last byte read.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
