//! A cursor over the bytes of a file that parses numbers in text or binary encoding.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// How a file writes numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Decimal digits and white space.
    Text,
    /// Binary, the least significant byte first.
    LittleEndian,
    /// Binary, the most significant byte first.
    BigEndian,
}

/// Where in a file something is wrong.
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
        /// Where.
        location: FileLocation,
        /// What should be there.
        expected: &'static str,
        /// Beginning of the text found.
        found: String,
    },
    /// The file ends in the middle of something.
    #[error("{location}: the file ends where {expected} should be")]
    Truncated {
        /// Where.
        location: FileLocation,
        /// What is missing.
        expected: &'static str,
    },
    /// A count that the rest of the file cannot hold.
    #[error(
        "{location}: {announced} {what} are announced, but the rest of the file can hold at most {possible}"
    )]
    LyingCount {
        /// Where.
        location: FileLocation,
        /// Nodes, elements, ...
        what: &'static str,
        /// What stands in the file.
        announced: u64,
        /// How many could follow.
        possible: u64,
    },
}

#[derive(Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Begins a remark that goes to the end of the line.
    comment: Option<u8>,
    /// Text until [`detect_byte_order`](Self::detect_byte_order) says otherwise.
    pub(super) encoding: Encoding,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, comment: None, encoding: Encoding::Text }
    }

    /// Text in which `comment` begins a remark that goes to the end of the line.
    pub(super) fn with_comments(bytes: &'a [u8], comment: u8) -> Self {
        Self { comment: Some(comment), ..Self::new(bytes) }
    }

    /// A place to report later; [`location_of`](Self::location_of) is not free.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// Counts the lines before `place`: for errors only.
    pub(super) fn location_of(&self, place: usize) -> FileLocation {
        match self.encoding {
            Encoding::Text => {
                let start = self.bytes[place..].iter().take_while(|b| b.is_ascii_whitespace());
                let before = &self.bytes[..place + start.count()];
                FileLocation::Line(1 + before.iter().filter(|&&b| b == b'\n').count())
            }
            _ => FileLocation::Byte(place),
        }
    }

    pub(super) fn location(&self) -> FileLocation {
        self.location_of(self.at)
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub(super) fn skip_space(&mut self) {
        loop {
            self.at += self.rest().iter().take_while(|b| b.is_ascii_whitespace()).count();
            match self.rest() {
                [first, ..] if Some(*first) == self.comment => self.end_line(),
                _ => break,
            }
        }
    }

    /// Whether nothing but space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.rest().is_empty()
    }

    /// Steps over `count` bytes, of which the caller has seen that they are there.
    pub(super) fn advance(&mut self, count: usize) {
        self.at += count;
    }

    /// Back to a place that was left.
    pub(super) fn go_back(&mut self, place: usize) {
        self.at = place;
    }

    /// An error at the next word.
    pub(super) fn unexpected(&mut self, expected: &'static str) -> SyntaxError {
        self.skip_space();
        let location = self.location();
        match self.rest() {
            [] => SyntaxError::Truncated { location, expected },
            rest => {
                let line = rest.iter().take_while(|&&b| b != b'\n').count();
                SyntaxError::Expected { location, expected, found: excerpt(&rest[..line]) }
            }
        }
    }

    /// The next word of text, whatever the encoding of numbers.
    pub(super) fn word(&mut self, expected: &'static str) -> Result<&'a str, SyntaxError> {
        self.skip_space();
        let rest = self.rest();
        let length = rest.iter().take_while(|b| !b.is_ascii_whitespace()).count();
        match std::str::from_utf8(&rest[..length]) {
            Ok(word) if length > 0 => {
                self.at += length;
                Ok(word)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// A number written as text.
    pub(super) fn text<T: FromStr>(&mut self, expected: &'static str) -> Result<T, SyntaxError> {
        let word = self.word(expected)?;
        word.parse().map_err(|_| {
            self.at -= word.len();
            self.unexpected(expected)
        })
    }

    pub(super) fn raw<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u8; N], SyntaxError> {
        match self.rest().first_chunk::<N>() {
            Some(&chunk) => {
                self.at += N;
                Ok(chunk)
            }
            None => Err(SyntaxError::Truncated { location: self.location(), expected }),
        }
    }

    /// A C `int`: four bytes, or a word.
    pub(super) fn integer(&mut self, expected: &'static str) -> Result<i64, SyntaxError> {
        match self.encoding {
            Encoding::Text => self.text(expected),
            Encoding::LittleEndian => Ok(i32::from_le_bytes(self.raw(expected)?).into()),
            Encoding::BigEndian => Ok(i32::from_be_bytes(self.raw(expected)?).into()),
        }
    }

    /// An `int` that must not be negative.
    pub(super) fn natural(&mut self, expected: &'static str) -> Result<u64, SyntaxError> {
        let start = self.at;
        u64::try_from(self.integer(expected)?).map_err(|_| {
            self.at = start;
            self.unexpected(expected)
        })
    }

    /// A C `size_t`: eight bytes, or a word.
    pub(super) fn size(&mut self, expected: &'static str) -> Result<u64, SyntaxError> {
        match self.encoding {
            Encoding::Text => self.text(expected),
            Encoding::LittleEndian => Ok(u64::from_le_bytes(self.raw(expected)?)),
            Encoding::BigEndian => Ok(u64::from_be_bytes(self.raw(expected)?)),
        }
    }

    /// A C `double`: eight bytes, or a word.
    pub(super) fn real(&mut self, expected: &'static str) -> Result<f64, SyntaxError> {
        match self.encoding {
            Encoding::Text => self.text(expected),
            Encoding::LittleEndian => Ok(f64::from_le_bytes(self.raw(expected)?)),
            Encoding::BigEndian => Ok(f64::from_be_bytes(self.raw(expected)?)),
        }
    }

    /// Rejects a count of items of at least `words` numbers each if the rest of the file is too short.
    pub(super) fn expect_room(
        &self,
        what: &'static str,
        announced: u64,
        words: u64,
    ) -> Result<(), SyntaxError> {
        // A number takes a digit and a space, or at least the four bytes of an int.
        let each = if self.encoding == Encoding::Text { 2 * words } else { 4 * words };
        self.expect_bytes(what, announced, each)
    }

    /// Rejects a count of items of at least `each` bytes if the rest of the file is too short.
    pub(super) fn expect_bytes(
        &self,
        what: &'static str,
        announced: u64,
        each: u64,
    ) -> Result<(), SyntaxError> {
        // The last word of a text may stand at the very end, without a space.
        let rest = self.rest().len() as u64 + u64::from(self.encoding == Encoding::Text);
        let Some(possible) = rest.checked_div(each) else { return Ok(()) };
        if announced > possible {
            let location = self.location();
            return Err(SyntaxError::LyingCount { location, what, announced, possible });
        }
        Ok(())
    }

    /// The words up to the end of the line, or to a comment.
    pub(super) fn line_words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let comment = self.comment;
        let rest = self.rest();
        let ends = |&b: &u8| b == b'\n' || Some(b) == comment;
        let line = rest.iter().position(ends).map_or(rest, |end| &rest[..end]);
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.map_while(|word| std::str::from_utf8(word).ok())
    }

    /// To the start of the next line.
    pub(super) fn end_line(&mut self) {
        let rest = self.rest();
        let line = rest.iter().position(|&b| b == b'\n');
        self.at += line.map_or(rest.len(), |newline| newline + 1);
    }
}

/// The beginning of some bytes, fit to be shown.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const MAX_SHOWN: usize = 24;
    let shown = bytes[..bytes.len().min(MAX_SHOWN)].escape_ascii();
    let dots = if bytes.len() > MAX_SHOWN { "..." } else { "" };
    format!("`{shown}`{dots}")
}
