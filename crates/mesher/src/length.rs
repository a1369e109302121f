//! Lengths in messages.

use std::fmt;

/// Lengths (m) in this range are shown without a power of ten.
const POSITIONAL: std::ops::Range<f64> = 1e-6..1e7;

/// A length (m) as messages show it, without its unit: in single precision, which is enough for a message, with a power of
/// ten where it would have many zeros.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShownLength(pub f64);

impl fmt::Display for ShownLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(length) = *self;
        match length == 0.0 || POSITIONAL.contains(&length.abs()) {
            true => write!(f, "{}", length as f32),
            // Single precision has no numbers beyond 3.4e38.
            false => write!(f, "{length:.4e}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ShownLength;

    #[test]
    fn lengths_of_any_magnitude_are_short() {
        let shown = [0.0, 1e-6, 0.1, 1.0, 0.064_267_661, 4.016_728_8e28, 3e-17, 1e300];
        let shown = shown.map(|length| ShownLength(length).to_string());
        let expected =
            ["0", "0.000001", "0.1", "1", "0.06426766", "4.0167e28", "3.0000e-17", "1.0000e300"];
        assert_eq!(shown, expected);
    }
}
