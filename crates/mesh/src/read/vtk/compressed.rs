//! Compressed arrays of a `.vtu` file, the default of VTK, `ParaView` and meshio.
//!
//! The data are preceded by the number of blocks, the unpacked size of each block, the unpacked size of the
//! last one (0 if it is equal) and the packed sizes, all of the file's header type (VTK file formats,
//! "vtkZLibDataCompressor").

use super::array::FileHeader;
use crate::read::cursor::{Cursor, SyntaxError, excerpt};
use flate2::read::ZlibDecoder;
use std::io::Read;

/// Largest expansion factor of zlib (RFC 1951: 258 bytes from two bits, rounded up). A larger announced size is
/// invalid.
const MAX_EXPANSION_FACTOR: u64 = 1032;

/// Unpacks the compressed array at the beginning of `bytes`, which starts with its header.
pub(super) fn inflate(bytes: &[u8], file: &FileHeader) -> Result<Vec<u8>, SyntaxError> {
    let mut cursor = Cursor::new(bytes);
    cursor.encoding = file.order;
    let mut read_number = |expected| {
        let number = cursor.read_integer(file.header, expected)?;
        // Negative means that the number did not fit an `i64`.
        Ok::<u64, SyntaxError>(u64::try_from(number).unwrap_or(u64::MAX))
    };
    let blocks = read_number("the number of compressed blocks")?;
    let unpacked_size = read_number("the size of a block")?;
    let last = read_number("the size of the last block")?;
    cursor.expect_bytes("compressed blocks", blocks, file.header.bytes())?;
    let packed = (0..blocks).map(|_| {
        let packed_size = cursor.read_integer(file.header, "the size of a compressed block")?;
        Ok(u64::try_from(packed_size).unwrap_or(u64::MAX))
    });
    let packed = packed.collect::<Result<Vec<u64>, SyntaxError>>()?;
    let mut unpacked_bytes = Vec::new();
    for (block, &packed) in (1..).zip(&packed) {
        cursor.expect_bytes("compressed bytes", packed, 1)?;
        let (packed_block, _) = cursor.remaining().split_at(packed as usize);
        let unpacked_size = if block == blocks && last > 0 { last } else { unpacked_size };
        let location = cursor.location();
        if unpacked_size > MAX_EXPANSION_FACTOR.saturating_mul(packed) {
            let (what, possible) =
                ("bytes of a block", MAX_EXPANSION_FACTOR.saturating_mul(packed));
            return Err(SyntaxError::LyingCount {
                location,
                what,
                announced: unpacked_size,
                possible,
            });
        }
        let unpacked_before = unpacked_bytes.len();
        let unpacked =
            ZlibDecoder::new(packed_block).take(unpacked_size).read_to_end(&mut unpacked_bytes);
        if unpacked.is_err() || (unpacked_bytes.len() - unpacked_before) as u64 != unpacked_size {
            let expected = "a block compressed by zlib";
            return Err(SyntaxError::Expected { location, expected, found: excerpt(packed_block) });
        }
        cursor.advance(packed as usize);
    }
    Ok(unpacked_bytes)
}
