//! Limits of the length of words and lines.
//!
//! Words of megabytes would be repeated in messages and copies of the text, so they are refused before anything else
//! is read. Messages quote only the part of a long line around the error.

use super::tree::Node;
use std::ops::Range;

/// Maximum bytes of a name, string or number, equal to the limit of paths on Linux (`PATH_MAX`).
pub(super) const MAX_WORD_BYTES: usize = 4096;

/// Maximum number of characters of a line in messages.
const MAX_LINE_CHARS: usize = 160;

/// Number of characters shown before the column of the error, in a longer line.
const CHARS_BEFORE: usize = 60;

/// Takes the place of the first and the last characters of a part of a line.
const ELLIPSIS: &str = "...";

/// The first name, string or number that exceeds the limit.
pub(super) fn overlong_word(node: &Node) -> Option<Range<usize>> {
    let is_long = |span: &Range<usize>| span.len() > MAX_WORD_BYTES;
    // If the value has brackets, the word is the name before them.
    let tag_span = node.span.start..node.inner.start.max(node.span.start);
    let tag_span = if node.children.is_empty() && node.inner.is_empty() {
        node.span.clone()
    } else {
        tag_span
    };
    if is_long(&tag_span) {
        return Some(tag_span);
    }
    node.children.iter().find_map(|child| {
        let key = child.key.as_ref().map(|(_, span)| span.clone());
        key.filter(is_long).or_else(|| overlong_word(&child.node))
    })
}

/// The part of a line around a column (in characters, from 0), and the number of omitted characters before
/// it. Where the line goes on, the part has an ellipsis in place of its outermost characters.
pub(super) fn excerpt(line: &str, column: usize) -> (String, usize) {
    let count = line.chars().count();
    if count <= MAX_LINE_CHARS {
        return (line.to_owned(), 0);
    }
    let skipped = column.saturating_sub(CHARS_BEFORE);
    let mut shown: Vec<char> = line.chars().skip(skipped).take(MAX_LINE_CHARS).collect();
    let ellipsis = || ELLIPSIS.chars();
    let end = shown.len();
    if skipped + end < count {
        shown.splice(end - ELLIPSIS.len().., ellipsis());
    }
    if skipped > 0 {
        shown.splice(..ELLIPSIS.len(), ellipsis());
    }
    (shown.into_iter().collect(), skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_overlong_token_is_found_anywhere() {
        let long = "a".repeat(MAX_WORD_BYTES + 1);
        let fine = "a".repeat(MAX_WORD_BYTES - 2);
        for (before, after) in [
            ("(name: \"", "\")"),
            ("(", ": 1)"),
            ("(list: [1, ", "])"),
            ("{\"b\": 2, \"", "\": 3}"),
            ("(x: ", "(1))"),
            ("(x: ", "())"),
        ] {
            let found = |word: &str| {
                let text = format!("{before}{word}{after}");
                overlong_word(&Node::parse(&text).expect("it is a value"))
            };
            let span = found(&long).expect(before);
            let name = before.len()..before.len() + long.len();
            assert!(span.start <= name.start && name.end <= span.end, "{before}: {span:?}");
            assert!(span.len() <= long.len() + 2, "{before}: {span:?}");
            assert_eq!(found(&fine), None, "{before}");
        }
    }

    #[test]
    fn comments_and_lists_may_be_long() {
        let text = format!(
            "(/* {} */ list: [{}])",
            "a".repeat(2 * MAX_WORD_BYTES),
            "1, ".repeat(MAX_WORD_BYTES)
        );
        assert_eq!(overlong_word(&Node::parse(&text).expect("it is a value")), None);
    }

    #[test]
    fn long_lines_are_shown_around_the_error() {
        assert_eq!(excerpt("  wide: 3", 2), ("  wide: 3".to_owned(), 0));
        let line = format!("{}here{}", "ä".repeat(1000), "b".repeat(1000));
        let (shown, skipped) = excerpt(&line, 1000);
        assert_eq!(skipped, 1000 - CHARS_BEFORE);
        assert_eq!(shown.chars().count(), MAX_LINE_CHARS);
        assert_eq!(shown.chars().skip(CHARS_BEFORE).take(4).collect::<String>(), "here");
        assert!(shown.starts_with("...ä") && shown.ends_with("b..."), "{shown}");
        let (start, end) = (excerpt(&line, 10).0, excerpt(&line, 2000).0);
        assert!(start.starts_with("ää") && start.ends_with("ä..."), "{start}");
        assert!(end.starts_with("...b") && end.ends_with("bb"), "{end}");
    }
}
