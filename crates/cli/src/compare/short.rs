//! Short formatting of numbers.

/// A number with four decimals, in scientific notation if it is very small or large.
pub(crate) fn short_number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        v if !v.is_finite() => value.to_string(),
        v if (1e-3..10.0).contains(&v) => format!("{value:.4}"),
        v if (10.0..1e4).contains(&v) => format!("{value:.2}"),
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::short_number as short;

    #[test]
    fn numbers_are_printed_short() {
        assert_eq!(short(0.99985), "0.9999");
        assert_eq!(short(-12.3456), "-12.35");
        assert_eq!(short(2.345e12), "2.3e12");
        assert_eq!(short(-1.2e-17), "-1.2e-17");
        assert_eq!([0.0, -0.0, f64::INFINITY, f64::NAN].map(short), ["0", "0", "inf", "NaN"]);
    }
}
