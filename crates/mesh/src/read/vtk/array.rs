//! One array of numbers of a `.vtu` file.

use super::compressed::inflate;
use crate::read::cursor::{Cursor, Encoding, SyntaxError, excerpt};
use crate::read::number::Scalar;
use crate::read::{FileLocation, MeshFileError};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::borrow::Cow;

/// How a file writes what is binary.
#[derive(Debug)]
pub(super) struct FileHeader {
    pub(super) order: Encoding,
    /// The type of the length, in bytes, that stands before the numbers.
    pub(super) header: Scalar,
    pub(super) compression: Compression,
}

/// Whether what is binary is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    Absent,
    Zlib,
}

impl Default for FileHeader {
    fn default() -> Self {
        Self {
            order: Encoding::LittleEndian,
            header: Scalar::U32,
            compression: Compression::Absent,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum DataFormat {
    Text,
    Base64,
    /// So many bytes after the beginning of what is appended.
    Appended(u64),
}

#[derive(Debug)]
pub(super) struct Array<'a> {
    pub(super) scalar: Scalar,
    pub(super) format: DataFormat,
    /// What stands between its tags.
    pub(super) text: Cow<'a, str>,
}

impl Array<'_> {
    pub(super) fn reals(
        &self,
        file: &FileHeader,
        appended: Option<&[u8]>,
    ) -> Result<Vec<f64>, MeshFileError> {
        self.numbers(file, appended, |cursor| cursor.real_of(self.scalar, "a number"))
    }

    pub(super) fn integers(
        &self,
        file: &FileHeader,
        appended: Option<&[u8]>,
    ) -> Result<Vec<i64>, MeshFileError> {
        self.numbers(file, appended, |cursor| cursor.integer_of(self.scalar, "an integer"))
    }

    fn numbers<T>(
        &self,
        file: &FileHeader,
        appended: Option<&[u8]>,
        read: impl Fn(&mut Cursor<'_>) -> Result<T, SyntaxError>,
    ) -> Result<Vec<T>, MeshFileError> {
        let decoded;
        let bytes = match self.format {
            DataFormat::Text => {
                let mut cursor = Cursor::new(self.text.as_bytes());
                let mut numbers = Vec::new();
                while !cursor.is_at_end() {
                    numbers.push(read(&mut cursor)?);
                }
                return Ok(numbers);
            }
            DataFormat::Base64 => {
                decoded = decode(&self.text)?;
                &decoded[..]
            }
            DataFormat::Appended(offset) => {
                let data = appended.ok_or(MeshFileError::Missing { what: "appended data" })?;
                let rest = usize::try_from(offset).ok().and_then(|offset| data.get(offset..));
                rest.ok_or(SyntaxError::Truncated {
                    location: FileLocation::Byte(data.len()),
                    expected: "appended data",
                })?
            }
        };
        if file.compression == Compression::Zlib {
            let inflated = inflate(bytes, file)?;
            let mut cursor = Cursor::new(&inflated);
            cursor.encoding = file.order;
            let count = inflated.len() as u64 / self.scalar.bytes();
            return Ok((0..count).map(|_| read(&mut cursor)).collect::<Result<_, _>>()?);
        }
        let mut cursor = Cursor::new(bytes);
        cursor.encoding = file.order;
        let length = cursor.integer_of(file.header, "the length of an array in bytes")?;
        // What is negative did not fit.
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        cursor.expect_bytes("bytes", length, 1)?;
        let mut numbers = Vec::new();
        for _ in 0..length / self.scalar.bytes() {
            numbers.push(read(&mut cursor)?);
        }
        Ok(numbers)
    }
}

/// The header may be padded, and the numbers after it begin anew.
fn decode(text: &str) -> Result<Vec<u8>, SyntaxError> {
    let symbols: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let mut bytes = Vec::new();
    // Groups that end with padding.
    for group in symbols.chunk_by(|&a, &b| a != b'=' || b == b'=') {
        BASE64_STANDARD.decode_vec(group, &mut bytes).map_err(|_| SyntaxError::Expected {
            location: FileLocation::Byte(bytes.len()),
            expected: "base64",
            found: excerpt(group),
        })?;
    }
    Ok(bytes)
}
