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
    let block_count = read_number("the number of compressed blocks")?;
    let block_size = read_number("the size of a block")?;
    let last_block_size = read_number("the size of the last block")?;
    cursor.expect_bytes("compressed blocks", block_count, file.header.bytes())?;
    let packed_sizes = (0..block_count).map(|_| {
        let packed_size = cursor.read_integer(file.header, "the size of a compressed block")?;
        Ok(u64::try_from(packed_size).unwrap_or(u64::MAX))
    });
    let packed_sizes = packed_sizes.collect::<Result<Vec<u64>, SyntaxError>>()?;
    let mut unpacked_bytes = Vec::new();
    for (block, &packed_size) in (1..).zip(&packed_sizes) {
        let is_short = block == block_count && last_block_size > 0;
        let unpacked_size = if is_short { last_block_size } else { block_size };
        inflate_block(&mut cursor, packed_size, unpacked_size, &mut unpacked_bytes)?;
    }
    Ok(unpacked_bytes)
}

/// Unpacks the next `packed_size` bytes, appends them to `unpacked_bytes`, and advances the cursor.
///
/// # Errors
/// If the bytes are missing, are not compressed by zlib, or do not unpack to `unpacked_size` bytes.
fn inflate_block(
    cursor: &mut Cursor<'_>,
    packed_size: u64,
    unpacked_size: u64,
    unpacked_bytes: &mut Vec<u8>,
) -> Result<(), SyntaxError> {
    cursor.expect_bytes("compressed bytes", packed_size, 1)?;
    let (packed_block, _) = cursor.remaining().split_at(packed_size as usize);
    let location = cursor.location();
    let possible = MAX_EXPANSION_FACTOR.saturating_mul(packed_size);
    if unpacked_size > possible {
        let (what, announced) = ("bytes of a block", unpacked_size);
        return Err(SyntaxError::LyingCount { location, what, announced, possible });
    }
    let bytes_before = unpacked_bytes.len();
    let outcome = ZlibDecoder::new(packed_block).take(unpacked_size).read_to_end(unpacked_bytes);
    if outcome.is_err() || (unpacked_bytes.len() - bytes_before) as u64 != unpacked_size {
        let expected = "a block compressed by zlib";
        return Err(SyntaxError::Expected { location, expected, found: excerpt(packed_block) });
    }
    cursor.advance(packed_size as usize);
    Ok(())
}
