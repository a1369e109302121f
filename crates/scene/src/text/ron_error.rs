//! Converts errors of the RON reader to helpful messages.
//!
//! The messages of the reader are technical ("expected identifier"), point before or behind the faulty
//! value, and list the alternatives only for wrong names. The value is therefore looked up in the syntax
//! tree. Where a name is expected, a name that cannot exist is inserted and the text is read again, so
//! that the reader lists the alternatives.

use super::finding::{LocatedFinding, enclosing, list, opening, shorten, suggestion};
use super::options;
use super::tree::{Node, NodeKind};
use crate::description::Scene;
use ron::Error;
use ron::error::{Position, SpannedError};
use std::ops::Range;

/// A name without a field or variant.
const NO_NAME: &str = "no_such_name";

/// Interprets an error of the reader with the tree of the text, if any.
pub(super) fn find(source: &str, tree: Option<&Node>, error: &SpannedError) -> LocatedFinding {
    let start = offset(source, &error.span.start);
    let end = offset(source, &error.span.end);
    let space = source[start..].len() - source[start..].trim_start().len();
    let at = if start + space <= end || source[start..].starts_with(char::is_whitespace) {
        start + space
    } else {
        start
    };
    let site = Site { source, at, token: tree.and_then(|tree| token(tree, at)) };
    site.locate_error(&error.code, tree, at..end.max(at))
}

/// The byte at a line and a column counted in characters.
fn offset(text: &str, position: &Position) -> usize {
    let before: usize = text.split_inclusive('\n').take(position.line - 1).map(str::len).sum();
    let line = &text[before..];
    let column = line.char_indices().nth(position.col - 1).map_or(line.len(), |(at, _)| at);
    before + column
}

/// The innermost value that begins at an offset, or the scalar around or before it.
fn token(node: &Node, at: usize) -> Option<&Node> {
    let inner = node.children.iter().find_map(|child| token(&child.node, at));
    let here = match node.kind {
        NodeKind::Scalar => (node.span.start..=node.span.end).contains(&at),
        // The position of its first letter, or of the bracket after its name.
        _ => node.span.start == at || node.inner.start == at + 1,
    };
    inner.or_else(|| here.then_some(node))
}

/// The place of an error.
struct Site<'a> {
    source: &'a str,
    at: usize,
    token: Option<&'a Node>,
}

impl Site<'_> {
    /// Converts an error of the reader to a message with help; a missing field is located at its parent.
    fn locate_error(
        &self,
        error: &Error,
        tree: Option<&Node>,
        span: Range<usize>,
    ) -> LocatedFinding {
        let named =
            |message: String, help: String| LocatedFinding { span: span.clone(), message, help };
        match error {
            Error::NoSuchStructField { expected, found, outer } => {
                let place = outer.as_deref().map_or(String::new(), |name| format!(" in `{name}`"));
                let message = format!("unknown field `{found}`{place}");
                named(message, suggestion(found, expected, "fields"))
            }
            Error::NoSuchEnumVariant { expected, found, outer } => {
                let kind = outer.as_deref().unwrap_or("alternative");
                let message = format!("`{found}` is not a known `{kind}`");
                named(message, suggestion(found, expected, "known"))
            }
            Error::MissingStructField { field, outer } => {
                let place = outer.as_deref().map_or(String::new(), |name| format!(" in `{name}`"));
                let span = tree.map_or(span.clone(), |tree| opening(enclosing(tree, self.at)));
                let help =
                    format!("add `{field}: ...`; docs/scene-reference.md says what it means");
                LocatedFinding {
                    span,
                    message: format!("the field `{field}` is missing{place}"),
                    help,
                }
            }
            Error::DuplicateStructField { field, .. } => named(
                format!("the field `{field}` is given twice"),
                "remove one of them".to_owned(),
            ),
            Error::Message(message) => named(message.clone(), String::new()),
            other => self.mismatch(other, tree, span),
        }
    }

    /// A value of the wrong kind, or broken syntax.
    fn mismatch(&self, error: &Error, tree: Option<&Node>, span: Range<usize>) -> LocatedFinding {
        let Some(token) = self.token else {
            return self.syntax(error, tree, span);
        };
        let text = &self.source[token.span.clone()];
        let shown = shorten(text);
        let word = token.kind == NodeKind::Scalar && text.starts_with(char::is_alphabetic);
        let number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        let (message, help) = match error {
            _ if number && text.contains('/') => (
                format!("expected a number, found `{shown}`"),
                format!(
                    "a fraction stands in quotes: \"{text}\" (only time steps may be fractions)"
                ),
            ),
            _ if number && text.chars().any(char::is_alphabetic) && text.parse::<f64>().is_err() => (
                format!("expected a number, found `{shown}`"),
                "numbers stand without units; docs/scene-reference.md gives the unit of each field".to_owned(),
            ),
            Error::ExpectedFloat => (format!("expected a number, found `{shown}`"), String::new()),
            Error::IntegerOutOfBounds
            | Error::ExpectedInteger
            | Error::InvalidIntegerDigit { .. } => {
                (format!("expected a non-negative integer, found `{shown}`"), String::new())
            }
            Error::ExpectedComma | Error::ExpectedStructLikeEnd | Error::ExpectedArrayEnd
                if number && text.parse::<f64>().is_ok_and(|v| v.fract() != 0.0 || v < 0.0) =>
            {
                (format!("expected a non-negative integer, found `{shown}`"), String::new())
            }
            Error::ExpectedString => {
                (format!("expected text in quotes, found `{shown}`"), format!("write \"{text}\""))
            }
            Error::ExpectedStructLike if word => {
                let probe = format!("{text}({NO_NAME}: 0)");
                let fields = match self.alternatives(&token.span, &probe) {
                    Some(fields) => format!("its fields are {}", list(fields)),
                    None => format!("write `{text}(...)`"),
                };
                (format!("`{text}` needs a value or fields in parentheses"), fields)
            }
            Error::ExpectedStructLike => {
                let help = match self.alternatives(&token.span, &format!("({NO_NAME}: 0)")) {
                    Some(fields) => format!("its fields are {}", list(fields)),
                    None => "several numbers stand in parentheses, such as (0, 0.3, 0)".to_owned(),
                };
                (format!("expected values in parentheses, found `{shown}`"), help)
            }
            Error::ExpectedArray => (
                format!("expected a list in square brackets, found `{shown}`"),
                "write `[...]`, also around a single entry".to_owned(),
            ),
            Error::ExpectedMap => (
                format!("expected names and values in braces, found `{shown}`"),
                "write `{\"name\": (...)}`".to_owned(),
            ),
            Error::ExpectedIdentifier
            | Error::SuggestRawIdentifier(_)
            | Error::InvalidIdentifier(_) => self.name_expected(token, tree, &shown),
            Error::ExpectedComma | Error::TrailingCharacters
                if self.source[self.at..].starts_with('(') =>
            {
                (
                    format!("`{}` takes no fields", token.tag.as_deref().unwrap_or(&shown)),
                    format!(
                        "remove the parentheses: write `{}`",
                        token.tag.as_deref().unwrap_or("")
                    ),
                )
            }
            Error::ExpectedStructLikeEnd => {
                ("too many values".to_owned(), format!("remove `{shown}` and what follows it"))
            }
            Error::InvalidValueForType { expected, .. } => {
                (format!("expected {expected}, found `{shown}`"), String::new())
            }
            Error::ExpectedDifferentLength { .. } | Error::Eof => {
                return self.syntax(error, tree, span);
            }
            _ => (format!("cannot read `{shown}` here"), format!("RON's reader says: {error}")),
        };
        LocatedFinding { span: token.span.clone(), message, help }
    }

    /// Something other than a name, where a field or an alternative is chosen.
    fn name_expected(&self, token: &Node, tree: Option<&Node>, shown: &str) -> (String, String) {
        if let Some(alternatives) = self.alternatives(&token.span, NO_NAME) {
            let quotes = if shown.starts_with('"') { " without quotes" } else { "" };
            let message = format!("expected a name{quotes}, found `{shown}`");
            return (message, format!("known: {}", list(alternatives)));
        }
        let around = tree.map(|tree| enclosing(tree, self.at).span.clone());
        let fields = around.and_then(|span| self.alternatives(&span, &format!("({NO_NAME}: 0)")));
        let help = fields.map_or(String::new(), |fields| format!("fields: {}", list(fields)));
        (format!("expected `field: value`, found `{shown}`"), help)
    }

    /// The alternatives that the reader lists for a name that cannot exist.
    fn alternatives(&self, span: &Range<usize>, probe: &str) -> Option<&'static [&'static str]> {
        let mut text = self.source.to_owned();
        text.replace_range(span.clone(), probe);
        match options().from_str::<Scene>(&text).err()?.code {
            Error::NoSuchEnumVariant { expected, found, .. }
            | Error::NoSuchStructField { expected, found, .. } => {
                (found == NO_NAME).then_some(expected)
            }
            _ => None,
        }
    }

    /// Broken brackets, commas and quotes.
    fn syntax(&self, error: &Error, tree: Option<&Node>, span: Range<usize>) -> LocatedFinding {
        if let Some(quote) = open_quote(self.source, self.at) {
            let message = "a quote is opened here and not closed on this line".to_owned();
            return LocatedFinding {
                span: quote,
                message,
                help: "text is written \"...\"".to_owned(),
            };
        }
        let unclosed = "or a bracket or quote further up is not closed";
        let (message, help) = match error {
            Error::ExpectedDifferentLength { expected, found } => {
                let span = tree.map_or(span, |tree| enclosing(tree, self.at).span.clone());
                let expected = expected.replace("an array of length 3", "three values, (x, y, z)");
                let message = format!("expected {expected}, found {found} values");
                return LocatedFinding { span, message, help: String::new() };
            }
            Error::ExpectedComma if self.source[self.at..].trim().is_empty() => (
                "the file ends too early".to_owned(),
                "a bracket further up is not closed".to_owned(),
            ),
            Error::ExpectedComma => {
                let span = Node::last_token(self.source, self.at).unwrap_or(span);
                let message = "a comma or a closing bracket is missing after this".to_owned();
                return LocatedFinding { span, message, help: unclosed.to_owned() };
            }
            Error::ExpectedFloat => {
                ("expected a number without a field name".to_owned(), String::new())
            }
            Error::ExpectedArray => {
                ("expected a list in square brackets".to_owned(), "write `[...]`".to_owned())
            }
            Error::ExpectedMapColon => {
                ("a colon is missing".to_owned(), "fields are written `name: value`".to_owned())
            }
            Error::Eof | Error::ExpectedStringEnd => (
                "the file ends too early".to_owned(),
                format!("something is missing here, {unclosed}"),
            ),
            Error::TrailingCharacters => (
                "the scene has ended before this".to_owned(),
                "remove what follows its last `)`".to_owned(),
            ),
            other => (
                format!("broken syntax: {other}").to_lowercase(),
                unclosed.replacen("or a", "perhaps a", 1),
            ),
        };
        LocatedFinding { span, message, help }
    }
}

/// The last quote of the first line with an odd number of quotes.
fn open_quote(text: &str, before: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or(line);
        if code.matches('"').count() % 2 == 1 {
            let quote = start + code.rfind('"')?;
            return (quote < before).then_some(quote..quote + 1);
        }
        start += line.len();
    }
    None
}
