//! Converts errors of the RON reader to helpful messages.
//!
//! The messages of the reader are technical ("expected identifier"), point before or behind the faulty
//! value, and list the variants only for wrong names. The value is therefore looked up in the syntax
//! tree. Where a name is expected, a name that cannot exist is inserted and the text is read again, so
//! that the reader lists the variants.

use super::finding::{LocatedFinding, enclosing, opening, quoted_list, shorten, suggestion};
use super::options;
use super::tree::{Node, NodeKind};
use crate::description::Scene;
use ron::Error;
use ron::error::{Position, SpannedError};
use std::ops::Range;

/// A name that no field and no variant has.
const NO_NAME: &str = "no_such_name";

/// Turns an error of the reader into a finding with a helpful message. The tree of the text, if any, locates the faulty
/// value.
pub(super) fn explain(source: &str, tree: Option<&Node>, error: &SpannedError) -> LocatedFinding {
    let start = byte_offset(source, &error.span.start);
    let end = byte_offset(source, &error.span.end);
    let offset = source.len() - source[start..].trim_start().len();
    let token = tree.and_then(|tree| value_at(tree, offset));
    let site = ErrorSite { source, offset, token };
    site.locate_error(&error.code, tree, offset..end.max(offset))
}

/// The byte offset of a position, whose column counts characters.
fn byte_offset(text: &str, position: &Position) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(position.line - 1).map(str::len).sum();
    let line = &text[line_start..];
    let column = line.char_indices().nth(position.col - 1).map_or(line.len(), |(byte, _)| byte);
    line_start + column
}

/// The innermost value that begins at an offset, or the scalar that contains the offset or ends there.
fn value_at(node: &Node, offset: usize) -> Option<&Node> {
    let inner = node.children.iter().find_map(|child| value_at(&child.node, offset));
    let is_at_offset = match node.kind {
        NodeKind::Scalar => (node.span.start..=node.span.end).contains(&offset),
        // The reader reports the first letter, or the bracket after the name.
        _ => node.span.start == offset || node.inner.start == offset + 1,
    };
    inner.or_else(|| is_at_offset.then_some(node))
}

/// What is wrong with a value, and what to do.
struct Explanation {
    message: String,
    help: String,
}

/// The position of an error of the reader.
struct ErrorSite<'a> {
    source: &'a str,
    offset: usize,
    /// The value at the offset.
    token: Option<&'a Node>,
}

impl ErrorSite<'_> {
    /// Converts an error of the reader to a message with help; a missing field is located at its parent.
    fn locate_error(
        &self,
        error: &Error,
        tree: Option<&Node>,
        span: Range<usize>,
    ) -> LocatedFinding {
        let at_span =
            |message: String, help: String| LocatedFinding { span: span.clone(), message, help };
        match error {
            Error::NoSuchStructField { expected, found, outer } => {
                let in_owner =
                    outer.as_deref().map_or(String::new(), |name| format!(" in `{name}`"));
                let message = format!("unknown field `{found}`{in_owner}");
                at_span(message, suggestion(found, expected, "fields"))
            }
            Error::NoSuchEnumVariant { expected, found, outer } => {
                let kind = outer.as_deref().unwrap_or("alternative");
                let message = format!("`{found}` is not a known `{kind}`");
                at_span(message, suggestion(found, expected, "known"))
            }
            Error::MissingStructField { field, outer } => {
                let in_owner =
                    outer.as_deref().map_or(String::new(), |name| format!(" in `{name}`"));
                let span = tree.map_or(span.clone(), |tree| opening(enclosing(tree, self.offset)));
                let help =
                    format!("add `{field}: ...`; docs/scene-reference.md says what it means");
                LocatedFinding {
                    span,
                    message: format!("the field `{field}` is missing{in_owner}"),
                    help,
                }
            }
            Error::DuplicateStructField { field, .. } => at_span(
                format!("the field `{field}` is given twice"),
                "remove one of them".to_owned(),
            ),
            Error::Message(message) => at_span(message.clone(), String::new()),
            other => self.mismatch(other, tree, span),
        }
    }

    /// The finding for a value of the wrong kind, or for broken syntax.
    fn mismatch(&self, error: &Error, tree: Option<&Node>, span: Range<usize>) -> LocatedFinding {
        let Some(token) = self.token else {
            return self.syntax_error(error, tree, span);
        };
        let explanation =
            self.number_mismatch(error, token).or_else(|| self.bracket_mismatch(error, token));
        let Explanation { message, help } = match (explanation, error) {
            (Some(explanation), _) => explanation,
            (None, Error::ExpectedDifferentLength { .. } | Error::Eof) => {
                return self.syntax_error(error, tree, span);
            }
            (None, _) => self.other_mismatch(error, token, tree),
        };
        LocatedFinding { span: token.span.clone(), message, help }
    }

    /// The text of a value.
    fn text_of(&self, token: &Node) -> &str {
        &self.source[token.span.clone()]
    }

    /// Explains a value that begins like a number and is none, or another value where a number is expected.
    fn number_mismatch(&self, error: &Error, token: &Node) -> Option<Explanation> {
        let text = self.text_of(token);
        let is_number = text.parse::<f64>().is_ok();
        let starts_as_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        let has_unit = text.chars().any(char::is_alphabetic) && !is_number;
        let expected_number = |help: String| {
            Some(Explanation {
                message: format!("expected a number, found `{}`", shorten(text)),
                help,
            })
        };
        match error {
            _ if starts_as_number && text.contains('/') => expected_number(format!(
                "a fraction stands in quotes: \"{text}\" (only time steps may be fractions)"
            )),
            _ if starts_as_number && has_unit => expected_number(
                "numbers stand without units; docs/scene-reference.md gives the unit of each field"
                    .to_owned(),
            ),
            Error::ExpectedFloat => expected_number(String::new()),
            Error::IntegerOutOfBounds
            | Error::ExpectedInteger
            | Error::InvalidIntegerDigit { .. } => Some(integer_expected(text)),
            // The reader of integers stops at a point or an exponent.
            Error::ExpectedComma | Error::ExpectedStructLikeEnd | Error::ExpectedArrayEnd
                if starts_as_number && self.offset > token.span.start && is_number =>
            {
                Some(integer_expected(text))
            }
            _ => None,
        }
    }

    /// Explains a value without the quotes or brackets that its kind requires.
    fn bracket_mismatch(&self, error: &Error, token: &Node) -> Option<Explanation> {
        let (text, span) = (self.text_of(token), &token.span);
        let shown = shorten(text);
        let is_word = token.kind == NodeKind::Scalar && text.starts_with(char::is_alphabetic);
        let (message, help) = match error {
            Error::ExpectedString => (
                format!("expected text in quotes, found `{shown}`"),
                format!("write \"{}\"", text.trim_matches('\'')),
            ),
            Error::ExpectedStructLike if is_word => {
                let fields = match self.known_names(span, &format!("{text}({NO_NAME}: 0)")) {
                    Some(fields) => format!("its fields are {}", quoted_list(fields)),
                    None => format!("write `{text}(...)`"),
                };
                (format!("`{text}` needs a value or fields in parentheses"), fields)
            }
            Error::ExpectedStructLike => {
                let fields = match self.known_names(span, &format!("({NO_NAME}: 0)")) {
                    Some(fields) => format!("its fields are {}", quoted_list(fields)),
                    None => "several numbers stand in parentheses, such as (0, 0.3, 0)".to_owned(),
                };
                (format!("expected values in parentheses, found `{shown}`"), fields)
            }
            Error::ExpectedArray => (
                format!("expected a list in square brackets, found `{shown}`"),
                "write `[...]`, also around a single entry".to_owned(),
            ),
            Error::ExpectedMap => (
                format!("expected names and values in braces, found `{shown}`"),
                "write `{\"name\": (...)}`".to_owned(),
            ),
            _ => return None,
        };
        Some(Explanation { message, help })
    }

    /// Explains a missing name, superfluous fields or values, and all other errors at a value.
    fn other_mismatch(&self, error: &Error, token: &Node, tree: Option<&Node>) -> Explanation {
        let shown = shorten(self.text_of(token));
        let (message, help) = match error {
            Error::ExpectedIdentifier
            | Error::SuggestRawIdentifier(_)
            | Error::InvalidIdentifier(_) => return self.name_expected(token, tree, &shown),
            Error::ExpectedComma | Error::TrailingCharacters
                if self.source[self.offset..].starts_with('(') =>
            {
                let tag = token.tag.as_deref();
                (
                    format!("`{}` takes no fields", tag.unwrap_or(&shown)),
                    format!("remove the parentheses: write `{}`", tag.unwrap_or("")),
                )
            }
            Error::ExpectedStructLikeEnd => {
                ("too many values".to_owned(), format!("remove `{shown}` and what follows it"))
            }
            Error::InvalidValueForType { expected, .. } => {
                (format!("expected {expected}, found `{shown}`"), String::new())
            }
            _ => (format!("cannot read `{shown}` here"), format!("RON's reader says: {error}")),
        };
        Explanation { message, help }
    }

    /// Explains a token that is not a name where the name of a field or of a variant is expected.
    fn name_expected(&self, token: &Node, tree: Option<&Node>, shown: &str) -> Explanation {
        if let Some(variants) = self.known_names(&token.span, NO_NAME) {
            let quotes = if shown.starts_with('"') { " without quotes" } else { "" };
            let message = format!("expected a name{quotes}, found `{shown}`");
            return Explanation { message, help: format!("known: {}", quoted_list(variants)) };
        }
        let enclosing_span = tree.map(|tree| enclosing(tree, self.offset).span.clone());
        let fields =
            enclosing_span.and_then(|span| self.known_names(&span, &format!("({NO_NAME}: 0)")));
        let help =
            fields.map_or(String::new(), |fields| format!("fields: {}", quoted_list(fields)));
        Explanation { message: format!("expected `field: value`, found `{shown}`"), help }
    }

    /// The names that the reader lists when `span` is replaced by `probe`, which contains [`NO_NAME`].
    fn known_names(&self, span: &Range<usize>, probe: &str) -> Option<&'static [&'static str]> {
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

    /// The finding for broken brackets, commas and quotes.
    fn syntax_error(
        &self,
        error: &Error,
        tree: Option<&Node>,
        span: Range<usize>,
    ) -> LocatedFinding {
        let is_at_end = self.source[self.offset..].trim().is_empty();
        if let Some(quote) = open_quote(self.source, self.offset) {
            return LocatedFinding {
                span: quote,
                message: "a quote is opened here and not closed on this line".to_owned(),
                help: "text is written \"...\"".to_owned(),
            };
        }
        match error {
            Error::ExpectedDifferentLength { expected, found } => {
                let expected = expected.replace("an array of length 3", "three values, (x, y, z)");
                LocatedFinding {
                    span: tree.map_or(span, |tree| enclosing(tree, self.offset).span.clone()),
                    message: format!("expected {expected}, found {found} values"),
                    help: String::new(),
                }
            }
            Error::ExpectedComma if !is_at_end => LocatedFinding {
                span: Node::last_token(self.source, self.offset).unwrap_or(span),
                message: "a comma or a closing bracket is missing after this".to_owned(),
                help: UNCLOSED_HINT.to_owned(),
            },
            error => {
                let Explanation { message, help } = broken_syntax(error);
                LocatedFinding { span, message, help }
            }
        }
    }
}

/// Another cause of a syntax error.
const UNCLOSED_HINT: &str = "or a bracket or quote further up is not closed";

/// Explains broken syntax where there is no value. A missing comma is at the end of the file.
fn broken_syntax(error: &Error) -> Explanation {
    let (message, help) = match error {
        Error::ExpectedComma => {
            ("the file ends too early".to_owned(), "a bracket further up is not closed".to_owned())
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
            format!("something is missing here, {UNCLOSED_HINT}"),
        ),
        Error::TrailingCharacters => (
            "the scene has ended before this".to_owned(),
            "remove what follows its last `)`".to_owned(),
        ),
        other => (
            format!("broken syntax: {other}").to_lowercase(),
            UNCLOSED_HINT.replacen("or a", "perhaps a", 1),
        ),
    };
    Explanation { message, help }
}

/// Explains a number that is no non-negative integer.
fn integer_expected(number: &str) -> Explanation {
    let help = match number.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.fract() == 0.0 => {
            format!("write {value}, without a point")
        }
        _ => String::new(),
    };
    let message = format!("expected a non-negative integer, found `{}`", shorten(number));
    Explanation { message, help }
}

/// The last quote of the first line with an odd number of quotes, if it stands before the offset `end`.
fn open_quote(text: &str, end: usize) -> Option<Range<usize>> {
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or(line);
        if code.matches('"').count() % 2 == 1 {
            let quote = line_start + code.rfind('"')?;
            return (quote < end).then_some(quote..quote + 1);
        }
        line_start += line.len();
    }
    None
}
