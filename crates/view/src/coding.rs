//! Delta coding of integers that change little from frame to frame.

use std::io::{Result, Write};

/// Rows of integers, one per frame, written as differences from the previous row (zigzag coding): all low bytes
/// before all high bytes. Arithmetic wraps at 16 bits, so that any two numbers have a difference.
#[derive(Debug)]
pub(crate) struct DeltaRows {
    last: Vec<i16>,
    low: Vec<u8>,
    high: Vec<u8>,
}

impl DeltaRows {
    /// Rows of `count` numbers; the row before the first is zero.
    pub(crate) fn new(count: usize) -> Self {
        Self { last: vec![0; count], low: Vec::new(), high: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = i16>) {
        for (last, number) in self.last.iter_mut().zip(row) {
            let difference = number.wrapping_sub(*last);
            // The sign is in the lowest bit: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4.
            let coded = (difference << 1) ^ (difference >> 15);
            let [low, high] = coded.to_le_bytes();
            self.low.push(low);
            self.high.push(high);
            *last = number;
        }
    }

    /// Writes the rows added since the last call.
    pub(crate) fn write(&mut self, out: &mut impl Write) -> Result<()> {
        for plane in [&mut self.low, &mut self.high] {
            out.write_all(plane)?;
            plane.clear();
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
