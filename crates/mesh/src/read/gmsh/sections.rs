//! Sections of a `.msh` file: `$Name` to `$EndName`.

use crate::read::cursor::{Cursor, Encoding, SyntaxError};

impl<'a> Cursor<'a> {
    /// Reads the integer 1, by which a binary file marks its byte order.
    pub(in crate::read) fn detect_byte_order(&mut self) -> Result<(), SyntaxError> {
        const ONE: &str = "the integer 1 in four bytes";
        self.encoding = match self.remaining().first_chunk::<4>() {
            Some([1, 0, 0, 0]) => Encoding::LittleEndian,
            Some([0, 0, 0, 1]) => Encoding::BigEndian,
            _ => return Err(self.unexpected(ONE)),
        };
        self.advance(4);
        Ok(())
    }

    /// Name of the section that begins here; `None` at the end of the file.
    pub(in crate::read) fn next_section(&mut self) -> Result<Option<&'a str>, SyntaxError> {
        const SECTION: &str = "a section such as $Nodes";
        self.skip_space();
        if self.remaining().is_empty() {
            return Ok(None);
        }
        let start = self.offset();
        match self.word(SECTION)?.strip_prefix('$') {
            Some(name) => {
                self.end_line();
                Ok(Some(name))
            }
            None => {
                self.rewind_to(start);
                Err(self.unexpected(SECTION))
            }
        }
    }

    /// Reads the end mark `$End...` of the current section.
    pub(in crate::read) fn end_section(&mut self, mark: &'static str) -> Result<(), SyntaxError> {
        self.skip_space();
        let start = self.offset();
        if self.word(mark)? != mark {
            self.rewind_to(start);
            return Err(self.unexpected(mark));
        }
        Ok(())
    }

    /// Skips a section up to its end mark.
    pub(in crate::read) fn skip_section(&mut self, name: &str) -> Result<(), SyntaxError> {
        let mark = format!("$End{name}");
        let end = self.remaining().windows(mark.len()).position(|window| window == mark.as_bytes());
        match end {
            Some(start) => {
                self.advance(start + mark.len());
                Ok(())
            }
            None => {
                self.advance(self.remaining().len());
                Err(self.unexpected("the end of a section"))
            }
        }
    }
}
