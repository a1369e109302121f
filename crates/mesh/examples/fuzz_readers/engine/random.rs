//! Numbers that are the same everywhere for the same beginning.

/// Splitmix64 (Steele, Lea, Flood 2014).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, or 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    /// A short piece of something so long.
    pub(super) fn piece(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        let most = if self.below(4) == 0 { length - start } else { 40.min(length - start) };
        start..start + self.below(most + 1)
    }
}
