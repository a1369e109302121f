//! Numbers and units of axis labels.

/// Unit of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Dimensionless.
    One,
    /// A unit that takes prefixes, such as kJ.
    Prefixed(&'static str),
    /// A compound unit without prefixes; powers of ten precede it.
    Compound(&'static str),
}

impl Unit {
    /// Unit in brackets with a prefix or a power of ten, and the factor that converts values to it. The largest
    /// absolute value becomes a number from 1 to 1000 if possible.
    pub(crate) fn scaled(self, largest: f64) -> (String, f64) {
        let exponent = match largest {
            v if v >= 1e6 => 6,
            v if v >= 1e3 => 3,
            v if v >= 1.0 || v == 0.0 => 0,
            v if v >= 1e-3 => -3,
            _ => -6,
        };
        match self {
            Self::One => (String::new(), 1.0),
            Self::Prefixed(unit) => {
                let prefix = match exponent {
                    6 => "M",
                    3 => "k",
                    0 => "",
                    -3 => "m",
                    _ => "u",
                };
                (format!(" ({prefix}{unit})"), 10f64.powi(-exponent))
            }
            Self::Compound(unit) if largest > 0.0 && largest.is_finite() => {
                let exponent = 3 * (largest.log10() / 3.0).floor() as i32;
                let power = if exponent == 0 { String::new() } else { format!("1e{exponent} ") };
                (format!(" ({power}{unit})"), 10f64.powi(-exponent))
            }
            Self::Compound(unit) => (format!(" ({unit})"), 1.0),
        }
    }
}

/// A label without the zeros and rounding errors of binary fractions.
pub(crate) fn short(value: f64) -> String {
    trim_zeros(&format!("{value:.4}"))
}

/// Upper bound of the number of tick intervals of an axis.
const MAX_INTERVALS: f64 = 25.0;

/// Label of a tick, with enough digits to differ from the next one on an axis from `first` to `last`. Axes with very
/// large or very small values have powers of ten.
pub(crate) fn tick(value: f64, [first, last]: [f64; 2]) -> String {
    let largest = first.abs().max(last.abs());
    let decimal_places = decimals((last - first).abs() / MAX_INTERVALS);
    if (1e-2..1e4).contains(&largest) || largest == 0.0 {
        return trim_zeros(&format!("{value:.*}", decimal_places.max(0) as usize));
    }
    if value.abs() < 0.5 * 10f64.powi(-decimal_places) {
        return "0".to_owned();
    }
    let mantissa_places = (decimal_places + value.abs().log10().floor() as i32).clamp(0, 15);
    let scientific = format!("{value:.*e}", mantissa_places as usize);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    format!("{}e{exponent}", trim_zeros(mantissa))
}

/// Number of decimal places that distinguish numbers that differ by `step`.
fn decimals(step: f64) -> i32 {
    if step > 0.0 { (-step.log10().floor() as i32).clamp(-300, 300) } else { 0 }
}

/// Removes trailing zeros after the point of a decimal number, and the sign of zero.
fn trim_zeros(number: &str) -> String {
    let trimmed = match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    };
    if trimmed == "-0" { "0".to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_prefixes_keep_labels_short() {
        let scaled = |unit: Unit, largest| unit.scaled(largest).0;
        assert_eq!(scaled(Unit::Prefixed("J"), 2500.0), " (kJ)");
        assert_eq!(scaled(Unit::Prefixed("J"), 0.0), " (J)");
        assert_eq!(scaled(Unit::Prefixed("J"), 2e-5), " (uJ)");
        let momentum = Unit::Compound("kg m/s");
        assert_eq!(scaled(momentum, 12.0), " (kg m/s)");
        assert_eq!(scaled(momentum, 0.25), " (1e-3 kg m/s)");
        assert_eq!(scaled(momentum, 3e-17), " (1e-18 kg m/s)");
        assert!((3e-17 * momentum.scaled(3e-17).1 - 30.0).abs() < 1e-12);
        assert_eq!((short(-0.00001), short(0.30000000000000004)), ("0".into(), "0.3".into()));
    }

    #[test]
    fn labels_of_ticks_differ() {
        for (range, step) in [
            ([0.2993, 0.2994], 1e-5),
            ([5e4, 2e5], 2e4),
            ([0.4, 0.4001], 1e-5),
            ([-3e-9, 5e-9], 1e-9),
            ([1e7, 1.000001e7], 1.0),
            ([0.0, 1.0], 0.1),
            ([-540.32, -540.26], 0.01),
        ] {
            let ticks: Vec<String> = (0..((range[1] - range[0]) / step) as usize)
                .map(|k| tick(range[0] + k as f64 * step, range))
                .collect();
            let mut unique = ticks.clone();
            unique.dedup();
            assert_eq!(ticks, unique);
        }
        assert_eq!(tick(6e4, [5e4, 2e5]), "6e4");
        assert_eq!(tick(1.2e5, [5e4, 2e5]), "1.2e5");
        assert_eq!(tick(0.30000000000000004, [0.0, 1.0]), "0.3");
        assert_eq!(tick(-1e-17, [-1.0, 1.0]), "0");
        assert_eq!(tick(1e-22, [-3e-9, 5e-9]), "0");
        assert_eq!(tick(200.0, [0.0, 1000.0]), "200");
        assert_eq!(tick(2e3, [0.0, 5e3]), "2000");
    }
}
