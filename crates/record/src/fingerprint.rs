//! A hash that identifies a problem, so that a checkpoint is not resumed with another one.

/// FNV-1a with 64 bits: detects mistakes, not malice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Fingerprint of the empty byte string.
    pub const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Continues the fingerprint with more bytes, such as those of a mesh file.
    #[must_use]
    pub fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }

    /// Restores a fingerprint from its value.
    pub const fn from_value(value: u64) -> Self {
        Self(value)
    }

    /// Value of the fingerprint.
    pub const fn value(self) -> u64 {
        self.0
    }
}
