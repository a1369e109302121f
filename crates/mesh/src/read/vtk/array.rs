//! Numeric arrays of a `.vtu` file.

use super::compressed::inflate;
use crate::read::cursor::{Cursor, Encoding, SyntaxError, excerpt};
use crate::read::number::Scalar;
use crate::read::{FileLocation, MeshFileError};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::borrow::Cow;

/// Binary encoding of a file.
#[derive(Debug)]
pub(super) struct FileHeader {
    pub(super) order: Encoding,
    /// Type of the length, in bytes, that precedes the numbers.
    pub(super) header: Scalar,
    pub(super) compression: Compression,
}

/// Compression of binary data.
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

/// Location and encoding of the numbers of an array.
#[derive(Debug, Clone, Copy)]
pub(super) enum DataFormat {
    Text,
    Base64,
    /// Byte offset in the appended data.
    Appended(u64),
}

/// Encoding of appended data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum AppendedEncoding {
    #[default]
    Raw,
    /// Base64; offsets count its characters.
    Base64,
}

/// Appended data after the XML.
#[derive(Debug)]
pub(super) struct Appended<'a> {
    pub(super) data: &'a [u8],
    pub(super) encoding: AppendedEncoding,
    /// Offsets of the arrays, in ascending order.
    pub(super) starts: Vec<u64>,
}

impl Appended<'_> {
    /// Decoded bytes of the array at an offset, possibly followed by others.
    fn bytes_at(&self, offset: u64) -> Result<Cow<'_, [u8]>, SyntaxError> {
        let remaining = usize::try_from(offset).ok().and_then(|offset| self.data.get(offset..));
        let remaining = remaining.ok_or(SyntaxError::Truncated {
            location: FileLocation::Byte(self.data.len()),
            expected: "appended data",
        })?;
        if self.encoding == AppendedEncoding::Raw {
            return Ok(remaining.into());
        }
        let next = self.starts.partition_point(|&start| start <= offset);
        let length = self.starts.get(next).map_or(remaining.len(), |next| (next - offset) as usize);
        let remaining = &remaining[..length.min(remaining.len())];
        let symbols =
            remaining.iter().position(|&b| b == b'<').map_or(remaining, |end| &remaining[..end]);
        Ok(decode(symbols)?.into())
    }
}

/// A data array of the file whose numbers are not decoded yet.
#[derive(Debug)]
pub(super) struct Array<'a> {
    pub(super) scalar: Scalar,
    pub(super) format: DataFormat,
    /// Text between the tags.
    pub(super) text: Cow<'a, str>,
}

impl Array<'_> {
    /// Offset in the appended data, if the array is there.
    pub(super) fn offset(&self) -> Option<u64> {
        match self.format {
            DataFormat::Appended(offset) => Some(offset),
            DataFormat::Text | DataFormat::Base64 => None,
        }
    }

    /// Decodes the array as real numbers.
    pub(super) fn reals(
        &self,
        file: &FileHeader,
        appended: Option<&Appended<'_>>,
    ) -> Result<Vec<f64>, MeshFileError> {
        self.numbers(file, appended, |cursor| cursor.read_real(self.scalar, "a number"))
    }

    /// Decodes the array as integers.
    pub(super) fn integers(
        &self,
        file: &FileHeader,
        appended: Option<&Appended<'_>>,
    ) -> Result<Vec<i64>, MeshFileError> {
        self.numbers(file, appended, |cursor| cursor.read_integer(self.scalar, "an integer"))
    }

    /// Decodes the array in any of its encodings, with `read` for each number. `appended` is the appended data of the
    /// file.
    ///
    /// # Errors
    /// If a number cannot be read, the array is shorter than its length, or appended data are missing.
    fn numbers<T>(
        &self,
        file: &FileHeader,
        appended: Option<&Appended<'_>>,
        read: impl Fn(&mut Cursor<'_>) -> Result<T, SyntaxError>,
    ) -> Result<Vec<T>, MeshFileError> {
        let bytes: Cow<'_, [u8]> = match self.format {
            DataFormat::Text => {
                let mut cursor = Cursor::new(self.text.as_bytes());
                let mut numbers = Vec::new();
                while !cursor.is_at_end() {
                    numbers.push(read(&mut cursor)?);
                }
                return Ok(numbers);
            }
            DataFormat::Base64 => decode(self.text.as_bytes())?.into(),
            DataFormat::Appended(offset) => {
                let data = appended.ok_or(MeshFileError::Missing { what: "appended data" })?;
                data.bytes_at(offset)?
            }
        };
        if file.compression == Compression::Zlib {
            let inflated = inflate(&bytes, file)?;
            let mut cursor = Cursor::new(&inflated);
            cursor.encoding = file.order;
            let count = inflated.len() as u64 / self.scalar.bytes();
            return Ok((0..count).map(|_| read(&mut cursor)).collect::<Result<_, _>>()?);
        }
        let mut cursor = Cursor::new(&bytes);
        cursor.encoding = file.order;
        let byte_count = cursor.read_integer(file.header, "the length of an array in bytes")?;
        // Negative means that the length did not fit an `i64`.
        let byte_count = u64::try_from(byte_count).unwrap_or(u64::MAX);
        cursor.expect_bytes("bytes", byte_count, 1)?;
        let mut numbers = Vec::new();
        for _ in 0..byte_count / self.scalar.bytes() {
            numbers.push(read(&mut cursor)?);
        }
        Ok(numbers)
    }
}

/// Decodes base64. The header may be padded, and the numbers after it are encoded separately.
fn decode(text: &[u8]) -> Result<Vec<u8>, SyntaxError> {
    let symbols: Vec<u8> = text.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    let mut bytes = Vec::new();
    // Each group ends with padding.
    for group in symbols.chunk_by(|&a, &b| a != b'=' || b == b'=') {
        BASE64_STANDARD.decode_vec(group, &mut bytes).map_err(|_| SyntaxError::Expected {
            location: FileLocation::Byte(bytes.len()),
            expected: "base64",
            found: excerpt(group),
        })?;
    }
    Ok(bytes)
}
