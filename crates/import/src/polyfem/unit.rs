//! Units in the notation of `PolyFEM`: `mm`, `kg/m^3`, `MPa`.

/// Exponents of length, mass and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dimension([i32; 3]);

impl Dimension {
    pub(super) const NONE: Self = Self([0, 0, 0]);
    pub(super) const LENGTH: Self = Self([1, 0, 0]);
    pub(super) const MASS: Self = Self([0, 1, 0]);
    pub(super) const TIME: Self = Self([0, 0, 1]);
    pub(super) const VELOCITY: Self = Self([1, 0, -1]);
    pub(super) const ACCELERATION: Self = Self([1, 0, -2]);
    pub(super) const STRESS: Self = Self([-1, 1, -2]);
    pub(super) const DENSITY: Self = Self([-3, 1, 0]);
    pub(super) const FORCE: Self = Self([1, 1, -2]);

    /// Dimension of the product with a power of another unit.
    fn multiplied_by_power(self, other: Self, exponent: i32) -> Self {
        Self([0, 1, 2].map(|k| self.0[k] + exponent * other.0[k]))
    }
}

/// Units by name, with their dimension and value in SI units.
const KNOWN_UNITS: [(&str, Dimension, f64); 27] = [
    ("m", Dimension::LENGTH, 1.0),
    ("km", Dimension::LENGTH, 1e3),
    ("dm", Dimension::LENGTH, 0.1),
    ("cm", Dimension::LENGTH, 1e-2),
    ("mm", Dimension::LENGTH, 1e-3),
    ("um", Dimension::LENGTH, 1e-6),
    ("in", Dimension::LENGTH, 0.0254),
    ("ft", Dimension::LENGTH, 0.3048),
    ("kg", Dimension::MASS, 1.0),
    ("g", Dimension::MASS, 1e-3),
    ("mg", Dimension::MASS, 1e-6),
    ("t", Dimension::MASS, 1e3),
    ("lb", Dimension::MASS, 0.453_592_37),
    ("s", Dimension::TIME, 1.0),
    ("ms", Dimension::TIME, 1e-3),
    ("us", Dimension::TIME, 1e-6),
    ("min", Dimension::TIME, 60.0),
    ("h", Dimension::TIME, 3600.0),
    ("hr", Dimension::TIME, 3600.0),
    ("N", Dimension::FORCE, 1.0),
    ("kN", Dimension::FORCE, 1e3),
    ("Pa", Dimension::STRESS, 1.0),
    ("mPa", Dimension::STRESS, 1e-3),
    ("kPa", Dimension::STRESS, 1e3),
    ("MPa", Dimension::STRESS, 1e6),
    ("GPa", Dimension::STRESS, 1e9),
    ("1", Dimension::NONE, 1.0),
];

/// Largest magnitude of an exponent.
const MAX_EXPONENT: i32 = 9;

/// `base` to the power `exponent`, by repeated multiplication.
fn power(base: f64, exponent: i32) -> f64 {
    let positive_power = (0..exponent.abs()).fold(1.0, |product, _| product * base);
    if exponent < 0 { 1.0 / positive_power } else { positive_power }
}

/// A unit: its dimension, and its value in SI units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    pub(super) dimension: Dimension,
    pub(super) factor: f64,
}

impl Unit {
    /// Parses products and quotients of powers of known units, from left to right. `None` for unknown units and
    /// exponents beyond [`MAX_EXPONENT`].
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut unit = Self { dimension: Dimension::NONE, factor: 1.0 };
        let mut sign = 1;
        let text = text.trim();
        if text.is_empty() || text.ends_with(['*', '/']) {
            return None;
        }
        for factor_with_operator in text.split_inclusive(['*', '/']) {
            let (factor, next_sign) = match factor_with_operator.strip_suffix('/') {
                Some(factor) => (factor, -1),
                None => (factor_with_operator.trim_end_matches('*'), 1),
            };
            let (name, exponent) = factor.split_once('^').unwrap_or((factor, "1"));
            let exponent: i32 = exponent.trim().parse().ok()?;
            if !(-MAX_EXPONENT..=MAX_EXPONENT).contains(&exponent) {
                return None;
            }
            let exponent = sign * exponent;
            let (_, dimension, factor) =
                KNOWN_UNITS.into_iter().find(|(known_name, ..)| *known_name == name.trim())?;
            unit.dimension = unit.dimension.multiplied_by_power(dimension, exponent);
            unit.factor *= power(factor, exponent);
            sign = next_sign;
        }
        Some(unit)
    }
}

/// Base units of a file, for length, mass and time, in SI units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Units([f64; 3]);

impl Default for Units {
    fn default() -> Self {
        Self([1.0; 3])
    }
}

impl Units {
    pub(super) fn new(length: f64, mass: f64, time: f64) -> Self {
        Self([length, mass, time])
    }

    /// Value in SI units of one unit of this dimension.
    pub(super) fn si_value(&self, dimension: Dimension) -> f64 {
        [0, 1, 2].map(|k| power(self.0[k], dimension.0[k])).iter().product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_products_of_powers() {
        let of = |text| Unit::parse(text).map(|unit| (unit.dimension, unit.factor));
        assert_eq!(of("mm"), Some((Dimension::LENGTH, 1e-3)));
        assert_eq!(of("kg/m^3"), Some((Dimension::DENSITY, 1.0)));
        assert_eq!(of("g / cm^3").map(|(d, f)| (d, f.round())), Some((Dimension::DENSITY, 1e3)));
        assert_eq!(of("N/mm^2").map(|(d, f)| (d, f.round())), Some((Dimension::STRESS, 1e6)));
        assert_eq!(of("kg*m/s^2*1"), Some((Dimension::FORCE, 1.0)));
        for unknown in ["", "parsec", "m^x", "m/"] {
            assert_eq!(of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn quantities_scale_with_the_units_of_the_file() {
        let units = Units::new(1e-3, 1e-3, 1.0);
        assert!((units.si_value(Dimension::STRESS) - 1.0).abs() < 1e-15);
        assert!((units.si_value(Dimension::DENSITY) / 1e6 - 1.0).abs() < 1e-15);
        assert_eq!(Units::default().si_value(Dimension::ACCELERATION), 1.0);
    }
}
