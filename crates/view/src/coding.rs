//! Delta coding of integers that change little from frame to frame.

use std::io::{Result, Write};

/// Rows of integers, one per frame, written as differences from the previous row (zigzag coding): all low bytes
/// before all high bytes. Arithmetic wraps at 16 bits, so that any two numbers have a difference.
#[derive(Debug)]
pub(crate) struct DeltaRows {
    previous_row: Vec<i16>,
    /// Low bytes of the coded differences that are not written yet.
    low_bytes: Vec<u8>,
    /// High bytes of the coded differences that are not written yet.
    high_bytes: Vec<u8>,
}

impl DeltaRows {
    /// Rows of `count` numbers; the row before the first is zero.
    pub(crate) fn new(count: usize) -> Self {
        Self { previous_row: vec![0; count], low_bytes: Vec::new(), high_bytes: Vec::new() }
    }

    /// Codes the next row, which has as many numbers as all rows.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = i16>) {
        for (previous, number) in self.previous_row.iter_mut().zip(row) {
            let difference = number.wrapping_sub(*previous);
            // The sign is in the lowest bit: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4.
            let coded = (difference << 1) ^ (difference >> 15);
            let [low, high] = coded.to_le_bytes();
            self.low_bytes.push(low);
            self.high_bytes.push(high);
            *previous = number;
        }
    }

    /// Writes the rows added since the last call.
    pub(crate) fn write(&mut self, out: &mut impl Write) -> Result<()> {
        for bytes in [&mut self.low_bytes, &mut self.high_bytes] {
            out.write_all(bytes)?;
            bytes.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_deltas_have_zero_high_bytes_and_extreme_deltas_wrap() {
        let mut tracks = DeltaRows::new(2);
        tracks.push([-1, i16::MAX]);
        tracks.push([1, i16::MIN]);
        let mut bytes = Vec::new();
        tracks.write(&mut bytes).expect("a vector takes all bytes");
        // Differences -1 and 32767; then 2, and 1 from the largest number to the smallest, by wrapping.
        assert_eq!(bytes, [1, 0xfe, 4, 2, 0, 0xff, 0, 0]);
        bytes.clear();
        tracks.write(&mut bytes).expect("a vector takes all bytes");
        assert!(bytes.is_empty(), "what is written is gone");
    }
}
