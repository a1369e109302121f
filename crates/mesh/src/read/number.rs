//! Numbers of a width that the file itself declares (PLY properties, VTK arrays).

use super::cursor::{Cursor, Encoding, SyntaxError};

/// Type of a number in binary encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// Size of the type in binary encoding.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    pub(super) fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

impl Cursor<'_> {
    /// Reads the bytes of a binary number and reverses big-endian ones.
    fn little_endian_bytes<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u8; N], SyntaxError> {
        let mut bytes = self.raw::<N>(expected)?;
        if self.encoding == Encoding::BigEndian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// Reads a real number; an integer is converted.
    pub(super) fn read_real(
        &mut self,
        scalar: Scalar,
        expected: &'static str,
    ) -> Result<f64, SyntaxError> {
        match (self.encoding, scalar) {
            (Encoding::Text, _) => self.text(expected),
            (_, Scalar::F32) => Ok(f32::from_le_bytes(self.little_endian_bytes(expected)?).into()),
            (_, Scalar::F64) => Ok(f64::from_le_bytes(self.little_endian_bytes(expected)?)),
            _ => Ok(self.read_integer(scalar, expected)? as f64),
        }
    }

    /// Reads an integer. A real number, or one beyond an `i64`, becomes -1, which no format allows as an index
    /// or count.
    pub(super) fn read_integer(
        &mut self,
        scalar: Scalar,
        expected: &'static str,
    ) -> Result<i64, SyntaxError> {
        if self.encoding == Encoding::Text {
            return self.text(expected);
        }
        Ok(match scalar {
            Scalar::I8 => i8::from_le_bytes(self.little_endian_bytes(expected)?).into(),
            Scalar::U8 => u8::from_le_bytes(self.little_endian_bytes(expected)?).into(),
            Scalar::I16 => i16::from_le_bytes(self.little_endian_bytes(expected)?).into(),
            Scalar::U16 => u16::from_le_bytes(self.little_endian_bytes(expected)?).into(),
            Scalar::I32 => i32::from_le_bytes(self.little_endian_bytes(expected)?).into(),
            Scalar::U32 => u32::from_le_bytes(self.little_endian_bytes(expected)?).into(),
            Scalar::I64 => i64::from_le_bytes(self.little_endian_bytes(expected)?),
            Scalar::U64 => {
                i64::try_from(u64::from_le_bytes(self.little_endian_bytes(expected)?)).unwrap_or(-1)
            }
            Scalar::F32 => self.little_endian_bytes::<4>(expected).map(|_| -1)?,
            Scalar::F64 => self.little_endian_bytes::<8>(expected).map(|_| -1)?,
        })
    }

    /// Skips a number without decoding it.
    pub(super) fn skip_number(
        &mut self,
        scalar: Scalar,
        expected: &'static str,
    ) -> Result<(), SyntaxError> {
        match self.encoding {
            Encoding::Text => self.word(expected).map(|_| ()),
            _ => self.read_integer(scalar, expected).map(|_| ()),
        }
    }
}
