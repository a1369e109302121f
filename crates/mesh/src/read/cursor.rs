//! A cursor over the bytes of a file that parses numbers in text or binary encoding.

use super::lines::{count_line_ends, split_line};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Number encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Decimal digits separated by white space.
    Text,
    /// Binary, little-endian.
    LittleEndian,
    /// Binary, big-endian.
    BigEndian,
}

/// Location of an error in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileLocation {
    /// A line of a text file, counted from 1.
    Line(usize),
    /// A byte of a binary file, counted from 0.
    Byte(usize),
}

impl fmt::Display for FileLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// Syntax errors of a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SyntaxError {
    /// An unexpected token.
    #[error("{location}: expected {expected}, found {found}")]
    Expected {
        /// Location of the token.
        location: FileLocation,
        /// Description of the expected token.
        expected: &'static str,
        /// Beginning of the text found.
        found: String,
    },
    /// The file ends prematurely.
    #[error("{location}: the file ends where {expected} should be")]
    Truncated {
        /// Location of the end.
        location: FileLocation,
        /// Description of the missing token.
        expected: &'static str,
    },
    /// A count that the rest of the file cannot hold.
    #[error(
        "{location}: {announced} {what} are announced, but the rest of the file can hold at most {possible}"
    )]
    LyingCount {
        /// Location of the count.
        location: FileLocation,
        /// Kind of items: nodes, elements, ...
        what: &'static str,
        /// Count in the file.
        announced: u64,
        /// Largest count that the rest of the file can hold.
        possible: u64,
    },
}

/// Reads words and numbers from the bytes of a file, one after another.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// Character that begins a comment to the end of the line.
    comment: Option<u8>,
    /// Whether locations are counted in bytes, because the file has binary parts between its words.
    pub(super) counts_bytes: bool,
    /// `Text` until [`detect_byte_order`](Self::detect_byte_order) changes it.
    pub(super) encoding: Encoding,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let encoding = Encoding::Text;
        Self { bytes, offset: 0, comment: None, counts_bytes: false, encoding }
    }

    /// A cursor over text in which `comment` begins a comment to the end of the line.
    pub(super) fn with_comments(bytes: &'a [u8], comment: u8) -> Self {
        Self { comment: Some(comment), ..Self::new(bytes) }
    }

    /// Current offset in bytes, for later error messages; [`location_of`](Self::location_of) is not free.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// Location of an offset. Counts the lines before it, so it is used for errors only.
    pub(super) fn location_of(&self, offset: usize) -> FileLocation {
        match self.encoding {
            Encoding::Text if !self.counts_bytes => {
                let start = self.bytes[offset..].iter().take_while(|b| b.is_ascii_whitespace());
                let before = &self.bytes[..offset + start.count()];
                FileLocation::Line(1 + count_line_ends(before))
            }
            _ => FileLocation::Byte(offset),
        }
    }

    /// Location of the current offset.
    pub(super) fn location(&self) -> FileLocation {
        self.location_of(self.offset)
    }

    /// Bytes from the current offset to the end of the file.
    pub(super) fn remaining(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    /// Advances over white space and comments.
    pub(super) fn skip_space(&mut self) {
        loop {
            self.offset += self.remaining().iter().take_while(|b| b.is_ascii_whitespace()).count();
            match self.remaining() {
                [first, ..] if Some(*first) == self.comment => self.end_line(),
                _ => break,
            }
        }
    }

    /// Whether only white space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.remaining().is_empty()
    }

    /// Advances by `count` bytes, which must exist.
    pub(super) fn advance(&mut self, count: usize) {
        self.offset += count;
    }

    /// Returns to an earlier offset.
    pub(super) fn rewind_to(&mut self, offset: usize) {
        self.offset = offset;
    }

    /// Creates an error at the next word.
    pub(super) fn unexpected(&mut self, expected: &'static str) -> SyntaxError {
        self.skip_space();
        let location = self.location();
        match self.remaining() {
            [] => SyntaxError::Truncated { location, expected },
            remaining => {
                let (line, _) = split_line(remaining);
                SyntaxError::Expected { location, expected, found: excerpt(line) }
            }
        }
    }

    /// Reads the next word of text, whatever the number encoding.
    pub(super) fn word(&mut self, expected: &'static str) -> Result<&'a str, SyntaxError> {
        self.skip_space();
        let remaining = self.remaining();
        let length = remaining.iter().take_while(|b| !b.is_ascii_whitespace()).count();
        match std::str::from_utf8(&remaining[..length]) {
            Ok(word) if length > 0 => {
                self.offset += length;
                Ok(word)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Reads a number written as text. On an error the offset is that of the word.
    pub(super) fn text<T: FromStr>(&mut self, expected: &'static str) -> Result<T, SyntaxError> {
        let word = self.word(expected)?;
        word.parse().map_err(|_| {
            self.offset -= word.len();
            self.unexpected(expected)
        })
    }

    /// Reads `N` bytes.
    pub(super) fn raw<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u8; N], SyntaxError> {
        match self.remaining().first_chunk::<N>() {
            Some(&chunk) => {
                self.offset += N;
                Ok(chunk)
            }
            None => Err(SyntaxError::Truncated { location: self.location(), expected }),
        }
    }

    /// Reads a C `int`: four bytes, or a word.
    pub(super) fn integer(&mut self, expected: &'static str) -> Result<i64, SyntaxError> {
        match self.encoding {
            Encoding::Text => self.text(expected),
            Encoding::LittleEndian => Ok(i32::from_le_bytes(self.raw(expected)?).into()),
            Encoding::BigEndian => Ok(i32::from_be_bytes(self.raw(expected)?).into()),
        }
    }

    /// Reads a non-negative `int`.
    pub(super) fn natural(&mut self, expected: &'static str) -> Result<u64, SyntaxError> {
        let start = self.offset;
        u64::try_from(self.integer(expected)?).map_err(|_| {
            self.offset = start;
            self.unexpected(expected)
        })
    }

    /// Reads a C `size_t`: eight bytes, or a word.
    pub(super) fn size(&mut self, expected: &'static str) -> Result<u64, SyntaxError> {
        match self.encoding {
            Encoding::Text => self.text(expected),
            Encoding::LittleEndian => Ok(u64::from_le_bytes(self.raw(expected)?)),
            Encoding::BigEndian => Ok(u64::from_be_bytes(self.raw(expected)?)),
        }
    }

    /// Reads a C `double`: eight bytes, or a word.
    pub(super) fn real(&mut self, expected: &'static str) -> Result<f64, SyntaxError> {
        match self.encoding {
            Encoding::Text => self.text(expected),
            Encoding::LittleEndian => Ok(f64::from_le_bytes(self.raw(expected)?)),
            Encoding::BigEndian => Ok(f64::from_be_bytes(self.raw(expected)?)),
        }
    }

    /// Rejects a count of items of at least `words` numbers each if the rest of the file is too short.
    pub(super) fn expect_remaining(
        &self,
        what: &'static str,
        announced: u64,
        words: u64,
    ) -> Result<(), SyntaxError> {
        // A number takes a digit and a space, or at least the four bytes of an int.
        let word_bytes = if self.encoding == Encoding::Text { 2 * words } else { 4 * words };
        self.expect_bytes(what, announced, word_bytes)
    }

    /// Rejects a count of items of at least `item_bytes` bytes if the rest of the file is too short.
    pub(super) fn expect_bytes(
        &self,
        what: &'static str,
        announced: u64,
        item_bytes: u64,
    ) -> Result<(), SyntaxError> {
        // The last word of a text may end the file without a space.
        let remaining = self.remaining().len() as u64 + u64::from(self.encoding == Encoding::Text);
        let Some(possible) = remaining.checked_div(item_bytes) else { return Ok(()) };
        if announced > possible {
            let location = self.location();
            return Err(SyntaxError::LyingCount { location, what, announced, possible });
        }
        Ok(())
    }

    /// Words up to the end of the line, or to a comment.
    pub(super) fn line_words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let comment = self.comment;
        let line = self.line();
        let line = line.split(|&b| Some(b) == comment).next().unwrap_or_default();
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.map_while(|word| std::str::from_utf8(word).ok())
    }

    /// The rest of the line, without its end.
    pub(super) fn line(&self) -> &'a [u8] {
        split_line(self.remaining()).0
    }

    /// Advances to the start of the next line.
    pub(super) fn end_line(&mut self) {
        let (_, following) = split_line(self.remaining());
        self.offset = self.bytes.len() - following.len();
    }
}

/// Printable beginning of some bytes.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const MAX_SHOWN: usize = 24;
    let shown = bytes[..bytes.len().min(MAX_SHOWN)].escape_ascii();
    let dots = if bytes.len() > MAX_SHOWN { "..." } else { "" };
    format!("`{shown}`{dots}")
}
