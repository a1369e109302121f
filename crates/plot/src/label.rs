//! Numbers and units along the axes.

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
    /// The unit in brackets and the factor that scales the largest number to between 1 and 1000 if possible.
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
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
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
}
