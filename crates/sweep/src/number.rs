//! Numbers of a plan as text.

/// Significant digits of computed values, which hide rounding errors such as that of 0.30000000000000004.
const DIGITS: usize = 15;

/// A number with at most 15 significant digits, in the shortest form that a scene file can contain: whole numbers have
/// no decimal point, and very large and very small numbers have an exponent.
pub fn number_text(value: f64) -> String {
    let number = rounded(value, DIGITS);
    let magnitude = f64::abs(number);
    match magnitude {
        0.0 => "0".to_owned(),
        1e-5..1e16 => format!("{number}"),
        _ => format!("{number:e}"),
    }
}

/// Rounds a number to this many significant digits.
pub(crate) fn rounded(value: f64, digits: usize) -> f64 {
    let decimals = digits - 1;
    format!("{value:.decimals$e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_short_without_rounding_errors() {
        let numbers = [0.1 + 0.2, -0.0, 1.0, 1e5 - 3e-11, 1e-7, 2.5e20, -1.0 / 3.0];
        let texts = ["0.3", "0", "1", "100000", "1e-7", "2.5e20", "-0.333333333333333"];
        assert_eq!(numbers.map(number_text), texts);
    }
}
