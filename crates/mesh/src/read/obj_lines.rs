//! Lines of an OBJ file: joins continued lines and counts unknown ones.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Keywords of lines that affect appearance only, beside those that are read.
const APPEARANCE_KEYWORDS: [&str; 15] = [
    "vt",
    "vn",
    "s",
    "mtllib",
    "usemap",
    "maplib",
    "lod",
    "mg",
    "bevel",
    "c_interp",
    "d_interp",
    "shadow_obj",
    "trace_obj",
    "ctech",
    "stech",
];

/// Largest number of kinds of unknown lines that are listed by name.
const MAX_KINDS: usize = 8;

/// Skipped lines with an unknown keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownLines {
    /// The keyword.
    pub word: String,
    /// Number of lines.
    pub count: usize,
    /// Line number of the first, from 1.
    pub first: usize,
}

/// Lines of one kind.
#[derive(Debug)]
struct LineCount {
    count: usize,
    /// Line number of the first, from 1.
    first: usize,
}

/// Counts lines of unknown kinds.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    /// Lines of each listed keyword.
    kinds: BTreeMap<String, LineCount>,
    /// Lines of further keywords.
    others: Option<LineCount>,
}

impl Unknown {
    /// Counts a line unless it is a comment or affects appearance only.
    pub(super) fn count_line(&mut self, line: usize, word: &str) {
        const MAX_KIND_CHARS: usize = 16;
        if word.starts_with('#') || APPEARANCE_KEYWORDS.contains(&word) {
            return;
        }
        let shown: String = word.chars().take(MAX_KIND_CHARS).collect();
        let is_listed = self.kinds.len() < MAX_KINDS || self.kinds.contains_key(&shown);
        let none = LineCount { count: 0, first: line };
        let lines = match is_listed {
            true => self.kinds.entry(shown).or_insert(none),
            false => self.others.get_or_insert(none),
        };
        lines.count += 1;
    }

    /// Unknown kinds, in the order of their first lines.
    pub(super) fn into_lines(self) -> Vec<UnknownLines> {
        let others = self.others.map(|lines| ("other words".to_owned(), lines));
        let kinds = self.kinds.into_iter().chain(others);
        let mut lines: Vec<UnknownLines> = kinds
            .map(|(word, LineCount { count, first })| UnknownLines { word, count, first })
            .collect();
        lines.sort_by_key(|lines| lines.first);
        lines
    }
}

/// Lines with their numbers, from 1. A backslash at the end of a line that is not a comment joins it with the
/// next.
pub(super) fn joined_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut lines = (1..).zip(bytes.split(|&b| b == b'\n'));
    std::iter::from_fn(move || {
        let (number, first) = lines.next()?;
        let is_comment = first.trim_ascii_start().starts_with(b"#");
        let Some(mut content) = without_backslash(first).filter(|_| !is_comment) else {
            return Some((number, String::from_utf8_lossy(first)));
        };
        let mut joined = Vec::new();
        loop {
            joined.extend_from_slice(content);
            joined.push(b' ');
            let Some((_, next)) = lines.next() else { break };
            match without_backslash(next) {
                Some(next_content) => content = next_content,
                None => {
                    joined.extend_from_slice(next);
                    break;
                }
            }
        }
        Some((number, String::from_utf8_lossy(&joined).into_owned().into()))
    })
}

/// The line up to a final backslash; `None` without one.
fn without_backslash(line: &[u8]) -> Option<&[u8]> {
    line.trim_ascii_end().strip_suffix(b"\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continued_lines_keep_the_number_of_the_first_line() {
        let text = b"# C:\\\nf 1 2 \\\r\n3 \\\n4\nv 0 0 0\nl 1 \\";
        let lines: Vec<(usize, String)> =
            joined_lines(text).map(|(number, line)| (number, line.into_owned())).collect();
        let expected = [(1, "# C:\\"), (2, "f 1 2  3  4"), (5, "v 0 0 0"), (6, "l 1  ")];
        assert_eq!(lines, expected.map(|(number, line)| (number, line.to_owned())));
    }
}
