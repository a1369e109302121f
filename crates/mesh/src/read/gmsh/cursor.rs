//! A place in the bytes of a file, and how the numbers there are written.

use super::GmshError;
use std::fmt;
use std::str::FromStr;

/// How a file writes numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Decimal digits and white space.
    Text,
    /// Binary, the least significant byte first.
    LittleEndian,
    /// Binary, the most significant byte first.
    BigEndian,
}

/// Where in a file something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// A line of a text file, counted from 1.
    Line(usize),
    /// A byte of a binary file, counted from 0.
    Byte(usize),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

#[derive(Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Text until [`detect_byte_order`](Self::detect_byte_order) says otherwise.
    pub(super) encoding: Encoding,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, encoding: Encoding::Text }
    }

    /// A place to report later; [`location_of`](Self::location_of) is not free.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// Counts the lines before `place`: for errors only.
    pub(super) fn location_of(&self, place: usize) -> Location {
        match self.encoding {
            Encoding::Text => {
                let start = self.bytes[place..].iter().take_while(|b| b.is_ascii_whitespace());
                let before = &self.bytes[..place + start.count()];
                Location::Line(1 + before.iter().filter(|&&b| b == b'\n').count())
            }
            _ => Location::Byte(place),
        }
    }

    pub(super) fn location(&self) -> Location {
        self.location_of(self.at)
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().iter().take_while(|b| b.is_ascii_whitespace()).count();
    }

    /// An error at the next word.
    pub(super) fn unexpected(&mut self, expected: &'static str) -> GmshError {
        self.skip_space();
        let location = self.location();
        match self.rest() {
            [] => GmshError::Truncated { location, expected },
            rest => {
                let line = rest.iter().take_while(|&&b| b != b'\n').count();
                GmshError::Expected { location, expected, found: excerpt(&rest[..line]) }
            }
        }
    }

    /// The next word of text, whatever the encoding of numbers.
    pub(super) fn word(&mut self, expected: &'static str) -> Result<&'a str, GmshError> {
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
    pub(super) fn text<T: FromStr>(&mut self, expected: &'static str) -> Result<T, GmshError> {
        let word = self.word(expected)?;
        word.parse().map_err(|_| {
            self.at -= word.len();
            self.unexpected(expected)
        })
    }

    fn raw<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], GmshError> {
        match self.rest().first_chunk::<N>() {
            Some(&chunk) => {
                self.at += N;
                Ok(chunk)
            }
            None => Err(GmshError::Truncated { location: self.location(), expected }),
        }
    }

    /// Gmsh's `int`: four bytes, or a word.
    pub(super) fn integer(&mut self, expected: &'static str) -> Result<i64, GmshError> {
        match self.encoding {
            Encoding::Text => self.text(expected),
            Encoding::LittleEndian => Ok(i32::from_le_bytes(self.raw(expected)?).into()),
            Encoding::BigEndian => Ok(i32::from_be_bytes(self.raw(expected)?).into()),
        }
    }

    /// An `int` that must not be negative.
    pub(super) fn natural(&mut self, expected: &'static str) -> Result<u64, GmshError> {
        let start = self.at;
        u64::try_from(self.integer(expected)?).map_err(|_| {
            self.at = start;
            self.unexpected(expected)
        })
    }

    /// Gmsh's `size_t`: eight bytes, or a word.
    pub(super) fn size(&mut self, expected: &'static str) -> Result<u64, GmshError> {
        match self.encoding {
            Encoding::Text => self.text(expected),
            Encoding::LittleEndian => Ok(u64::from_le_bytes(self.raw(expected)?)),
            Encoding::BigEndian => Ok(u64::from_be_bytes(self.raw(expected)?)),
        }
    }

    /// Gmsh's `double`: eight bytes, or a word.
    pub(super) fn real(&mut self, expected: &'static str) -> Result<f64, GmshError> {
        match self.encoding {
            Encoding::Text => self.text(expected),
            Encoding::LittleEndian => Ok(f64::from_le_bytes(self.raw(expected)?)),
            Encoding::BigEndian => Ok(f64::from_be_bytes(self.raw(expected)?)),
        }
    }

    /// Refuses a count of things that each take at least `words` numbers if the
    /// rest of the file is too short for it.
    pub(super) fn expect_room(
        &self,
        what: &'static str,
        announced: u64,
        words: u64,
    ) -> Result<(), GmshError> {
        // A number takes a digit and a space, or at least the four bytes of an
        // int; the last may stand at the very end.
        let bytes = if self.encoding == Encoding::Text { 2 * words } else { 4 * words };
        let possible = (self.rest().len() as u64 + 1) / bytes;
        if announced > possible {
            let location = self.location();
            return Err(GmshError::LyingCount { location, what, announced, possible });
        }
        Ok(())
    }

    /// To the start of the next line.
    pub(super) fn end_line(&mut self) {
        let rest = self.rest();
        let line = rest.iter().position(|&b| b == b'\n');
        self.at += line.map_or(rest.len(), |newline| newline + 1);
    }

    /// The integer 1, by which a binary file shows its byte order.
    pub(super) fn detect_byte_order(&mut self) -> Result<(), GmshError> {
        const ONE: &str = "the integer 1 in four bytes";
        self.encoding = match self.rest().first_chunk::<4>() {
            Some([1, 0, 0, 0]) => Encoding::LittleEndian,
            Some([0, 0, 0, 1]) => Encoding::BigEndian,
            _ => return Err(self.unexpected(ONE)),
        };
        self.at += 4;
        Ok(())
    }

    /// The name of the section that begins here; `None` at the end of the file.
    pub(super) fn next_section(&mut self) -> Result<Option<&'a str>, GmshError> {
        const SECTION: &str = "a section such as $Nodes";
        self.skip_space();
        if self.rest().is_empty() {
            return Ok(None);
        }
        let start = self.at;
        match self.word(SECTION)?.strip_prefix('$') {
            Some(name) => {
                self.end_line();
                Ok(Some(name))
            }
            None => {
                self.at = start;
                Err(self.unexpected(SECTION))
            }
        }
    }

    /// The mark `$End...` of the section being read.
    pub(super) fn end_section(&mut self, mark: &'static str) -> Result<(), GmshError> {
        self.skip_space();
        let start = self.at;
        if self.word(mark)? != mark {
            self.at = start;
            return Err(self.unexpected(mark));
        }
        Ok(())
    }

    /// Past the end mark of a section whose content does not matter.
    pub(super) fn skip_section(&mut self, name: &str) -> Result<(), GmshError> {
        let mark = format!("$End{name}");
        let found = self.rest().windows(mark.len()).position(|window| window == mark.as_bytes());
        match found {
            Some(start) => {
                self.at += start + mark.len();
                Ok(())
            }
            None => {
                self.at = self.bytes.len();
                Err(self.unexpected("the end of a section"))
            }
        }
    }
}

/// The beginning of some bytes, fit to be shown.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const MOST: usize = 24;
    let shown = bytes[..bytes.len().min(MOST)].escape_ascii();
    let dots = if bytes.len() > MOST { "..." } else { "" };
    format!("`{shown}`{dots}")
}
