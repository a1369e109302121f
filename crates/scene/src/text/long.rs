//! Words and lines that are too long for people.
//!
//! A word of megabytes is no name, and each message that repeats it, each copy of the text with
//! one mistake less, costs as much again. So it is refused before anything else is read, and of a
//! long line only the piece around the place is shown.

use super::tree::Node;
use std::ops::Range;

/// The most bytes of a name, a text or a number: as many as the path of a file may have.
pub(super) const MOST: usize = 4096;

/// How many characters of a line are shown.
const SHOWN: usize = 400;

/// How many of them stand before the place that is meant.
const BEFORE: usize = 100;

/// The first name, text or number of a tree that is too long.
pub(super) fn word(node: &Node) -> Option<Range<usize>> {
    let is_long = |span: &Range<usize>| span.len() > MOST;
    // Of a value with brackets only the name before them is a word.
    let own = node.span.start..node.inner.start.max(node.span.start);
    let own =
        if node.children.is_empty() && node.inner.is_empty() { node.span.clone() } else { own };
    if is_long(&own) {
        return Some(own);
    }
    node.children.iter().find_map(|child| {
        let key = child.key.as_ref().map(|(_, span)| span.clone());
        key.filter(is_long).or_else(|| word(&child.node))
    })
}

/// The piece of a line around a column (in characters, from 0), and how many characters were left
/// out before it.
pub(super) fn piece(line: &str, column: usize) -> (String, usize) {
    let fits = line.len() <= SHOWN || line.chars().nth(SHOWN).is_none();
    let skipped = if fits { 0 } else { column.saturating_sub(BEFORE) };
    (line.chars().skip(skipped).take(SHOWN).collect(), skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_long_word_is_found_wherever_it_stands() {
        let long = "a".repeat(MOST + 1);
        let fine = "a".repeat(MOST - 2);
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
                super::word(&Node::parse(&text).expect("it is a value"))
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
        let text = format!("(/* {} */ list: [{}])", "a".repeat(2 * MOST), "1, ".repeat(MOST));
        assert_eq!(word(&Node::parse(&text).expect("it is a value")), None);
    }

    #[test]
    fn of_a_long_line_the_piece_around_the_place_is_shown() {
        assert_eq!(piece("  wide: 3", 2), ("  wide: 3".to_owned(), 0));
        let line = format!("{}here{}", "ä".repeat(1000), "b".repeat(1000));
        let (piece, skipped) = piece(&line, 1000);
        assert_eq!(skipped, 1000 - BEFORE);
        assert_eq!(piece.chars().count(), SHOWN);
        assert_eq!(piece.chars().skip(BEFORE).take(4).collect::<String>(), "here");
    }
}
