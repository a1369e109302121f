//! Lines of an OBJ file: joins continued lines and counts unknown ones.

use super::lines::split_line;
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

/// Keywords of lines that name the part of the faces that follow.
pub(super) const KEYWORDS: [&str; 3] = ["g", "o", "usemtl"];

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
    /// Counts a line unless it affects appearance only.
    pub(super) fn count_line(&mut self, line: usize, word: &str) {
        const MAX_KIND_CHARS: usize = 16;
        if APPEARANCE_KEYWORDS.contains(&word) {
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

/// Lines with their numbers, from 1, without comments. A backslash at the end of a line joins it with the next.
pub(super) fn joined_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut lines = (1..).zip(lines(bytes));
    std::iter::from_fn(move || {
        let (number, first) = lines.next()?;
        let names_part = first
            .split(u8::is_ascii_whitespace)
            .find(|word| !word.is_empty())
            .is_some_and(|word| KEYWORDS.iter().any(|keyword| keyword.as_bytes() == word));
        let first = without_comment(first, names_part);
        let Some(mut content) = without_backslash(first) else {
            return Some((number, String::from_utf8_lossy(first)));
        };
        let mut joined = Vec::new();
        loop {
            joined.extend_from_slice(content);
            joined.push(b' ');
            let Some((_, next)) = lines.next() else { break };
            let next = without_comment(next, names_part);
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

/// All lines, without their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut remaining = bytes;
    std::iter::from_fn(move || {
        if remaining.is_empty() {
            return None;
        }
        let (line, following) = split_line(remaining);
        remaining = following;
        Some(line)
    })
}

/// The line up to its comment. Names may contain a `#`: in a line that names a part, only one between spaces begins a
/// comment.
fn without_comment(line: &[u8], names_part: bool) -> &[u8] {
    let is_space = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    let begins_comment = |&at: &usize| {
        let previous = at.checked_sub(1).and_then(|before| line.get(before));
        !names_part || (is_space(previous) && is_space(line.get(at + 1)))
    };
    let mut marks = line.iter().enumerate().filter(|(_, byte)| **byte == b'#').map(|(at, _)| at);
    marks.find(begins_comment).map_or(line, |end| &line[..end])
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
        let expected = [(1, ""), (2, "f 1 2  3  4"), (5, "v 0 0 0"), (6, "l 1  ")];
        assert_eq!(lines, expected.map(|(number, line)| (number, line.to_owned())));
    }

    #[test]
    fn comments_end_lines_and_names_may_contain_a_hash() {
        let text = b"f 1 2 3 # a \\\rv 0 0 0# b\r\nf 1 \\\n2 # c\\\ng left #1 # d\nusemtl no#2\nvt 0 0 #e\n";
        let lines: Vec<(usize, String)> =
            joined_lines(text).map(|(number, line)| (number, line.trim_end().to_owned())).collect();
        let expected = [
            (1, "f 1 2 3"),
            (2, "v 0 0 0"),
            (3, "f 1  2"),
            (5, "g left #1"),
            (6, "usemtl no#2"),
            (7, "vt 0 0"),
        ];
        assert_eq!(lines, expected.map(|(number, line)| (number, line.to_owned())));
    }
}
