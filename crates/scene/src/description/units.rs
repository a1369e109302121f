//! Unit systems of scene files and their conversion to SI.
//!
//! Every system has the second and decimal multiples of the metre and the kilogram, so a conversion moves the decimal
//! point: `100` in millimetres is the same number, to the bit, as `0.1` in metres.

use resile_math::Aabb;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, LowerExp};

/// The unit system of a scene file and of messages about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Units {
    /// m, kg, s, N, Pa, J.
    #[default]
    Metres,
    /// mm, t, s, N, `MPa`, mJ: the custom of finite element models.
    Millimetres,
    /// cm, g, s, dyn, dyn/cm^2, erg: the CGS system.
    Centimetres,
}

/// Powers of length, mass and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Dimension {
    pub(crate) length: i32,
    pub(crate) mass: i32,
    pub(crate) time: i32,
}

impl Dimension {
    /// Dimension of a symbol such as `kg/m^3`: units of SI with blanks between factors and a slash before each divisor.
    pub(crate) fn new(symbol: &str) -> Option<Self> {
        let mut sum = Self::default();
        for (index, factors) in symbol.split('/').enumerate() {
            let sign = if index == 0 { 1 } else { -1 };
            for factor in factors.split_whitespace() {
                let (base, power) = factor.split_once('^').unwrap_or((factor, "1"));
                sum = sum.times_power(Self::of_base(base)?, sign * power.parse::<i32>().ok()?);
            }
        }
        Some(sum)
    }

    fn of_base(symbol: &str) -> Option<Self> {
        let [length, mass, time] = match symbol {
            "m" => [1, 0, 0],
            "kg" => [0, 1, 0],
            "s" => [0, 0, 1],
            "N" => [1, 1, -2],
            "Pa" => [-1, 1, -2],
            "J" => [2, 1, -2],
            "W" => [2, 1, -3],
            "Hz" => [0, 0, -1],
            "rad" | "degrees" | "1" | "-" => [0; 3],
            _ => return None,
        };
        Some(Self { length, mass, time })
    }

    /// This one times the `power`-th power of another.
    pub(crate) fn times_power(self, other: Self, power: i32) -> Self {
        Self {
            length: self.length + power * other.length,
            mass: self.mass + power * other.mass,
            time: self.time + power * other.time,
        }
    }
}

impl Units {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Metres, Self::Millimetres, Self::Centimetres];

    pub(super) fn is_si(&self) -> bool {
        *self == Self::Metres
    }

    /// Converts a length (m) to these units.
    pub fn length(self, metres: f64) -> f64 {
        self.of_si(metres, Dimension { length: 1, ..Dimension::default() })
    }

    /// Number of units of length per metre.
    pub fn per_metre(self) -> f64 {
        self.length(1.0)
    }

    /// The power of ten that leads from these units to SI.
    fn power(self, dimension: Dimension) -> i32 {
        let [length, mass] = match self {
            Self::Metres => [0, 0],
            Self::Millimetres => [-3, 3],
            Self::Centimetres => [-2, -3],
        };
        length * dimension.length + mass * dimension.mass
    }

    /// A number written in these units, in SI.
    pub(crate) fn to_si(self, value: f64, dimension: Dimension) -> f64 {
        shifted(value, self.power(dimension))
    }

    /// A number in SI, written in these units.
    pub(crate) fn of_si(self, value: f64, dimension: Dimension) -> f64 {
        shifted(value, -self.power(dimension))
    }

    /// The name of an SI unit in these units: `MPa` for `Pa` in millimetres. In a compound symbol the names are
    /// replaced one by one.
    pub fn symbol(self, si: &str) -> String {
        let mut symbol = String::new();
        for piece in si.split_inclusive(|c: char| !c.is_ascii_alphabetic()) {
            let name = piece.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
            symbol.push_str(self.name(name));
            symbol.push_str(&piece[name.len()..]);
        }
        symbol
    }

    fn name(self, si: &str) -> &str {
        let names = match self {
            Self::Metres => return si,
            Self::Millimetres => ["mm", "t", "N", "MPa", "mJ", "mW"],
            Self::Centimetres => ["cm", "g", "dyn", "dyn/cm^2", "erg", "erg/s"],
        };
        let index = ["m", "kg", "N", "Pa", "J", "W"].iter().position(|name| *name == si);
        index.map_or(si, |index| names[index])
    }

    /// The unit of length in words.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Metres => "metres",
            Self::Millimetres => "millimetres",
            Self::Centimetres => "centimetres",
        }
    }

    /// Formats a number in an SI unit with its unit in these units. A symbol that is not an SI unit leaves the number
    /// unchanged.
    pub fn show(self, value: f64, si: &str) -> FormattedQuantity {
        FormattedQuantity { value: self.number(value, si), symbol: self.symbol(si) }
    }

    /// Formats a number in an SI unit in these units.
    pub fn number(self, value: f64, si: &str) -> f64 {
        self.of_si(value, Self::dimension(si))
    }

    /// A number written in these units, in the unit of SI.
    pub fn in_si(self, value: f64, si: &str) -> f64 {
        self.to_si(value, Self::dimension(si))
    }

    fn dimension(si: &str) -> Dimension {
        let dimension = Dimension::new(si);
        debug_assert!(dimension.is_some(), "`{si}` is no unit");
        dimension.unwrap_or_default()
    }

    /// The corners (m) of a box as messages show them.
    pub fn reach(self, Aabb { min, max }: Aabb) -> String {
        format!("from {} to {}", self.point(min.to_array()), self.point(max.to_array()))
    }

    /// A point (m) as messages show it, with the unit.
    pub fn point(self, point: [f64; 3]) -> String {
        let [x, y, z] = point.map(|x| self.length(x));
        format!("({x:.6}, {y:.6}, {z:.6}) {}", self.symbol("m"))
    }
}

/// Smaller numbers are shown with a power of ten.
const MIN_DECIMAL: f64 = 1e-5;

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
pub struct FormattedQuantity {
    value: f64,
    symbol: String,
}

impl Display for FormattedQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Densities in t/mm^3 would begin with many zeros.
        if f.precision().is_none() && self.value != 0.0 && self.value.abs() < MIN_DECIMAL {
            LowerExp::fmt(&self.value, f)?;
        } else {
            Display::fmt(&self.value, f)?;
        }
        write!(f, " {}", self.symbol)
    }
}

impl LowerExp for FormattedQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LowerExp::fmt(&self.value, f)?;
        write!(f, " {}", self.symbol)
    }
}

/// A number times a power of ten, rounded once from its shortest decimal digits.
fn shifted(value: f64, power: i32) -> f64 {
    if power == 0 || value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = format!("{value:e}");
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
    let exponent = exponent.parse::<i32>().unwrap_or(0) + power;
    format!("{mantissa}e{exponent}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_units_follow_from_base_units() {
        for units in Units::ALL {
            let power = |symbol| units.power(Dimension::new(symbol).expect("it is a unit"));
            let same = |a, b| assert_eq!(power(a), power(b), "{units:?}: {a} and {b}");
            same("N", "kg m/s^2");
            same("Pa", "N/m^2");
            same("J", "N m");
            same("J/m^3", "Pa");
            same("W", "J/s");
            same("Hz", "1/s");
            same("rad/s", "1/s");
        }
    }

    /// Handbooks: 1 `MPa` is 1 N/mm^2, steel has 7.85e-9 t/mm^3; 1 dyn is 1e-5 N, 1 erg 1e-7 J.
    #[test]
    fn unit_conversions_equal_handbook_values() {
        let mm = |value, symbol| Units::Millimetres.show(value, symbol).to_string();
        assert_eq!(mm(0.1, "m"), "100 mm");
        assert_eq!(mm(7850.0, "kg/m^3"), "7.85e-9 t/mm^3");
        assert_eq!(mm(2.1e11, "Pa"), "210000 MPa");
        assert_eq!(mm(9.81, "m/s^2"), "9810 mm/s^2");
        assert_eq!(mm(3.0, "N"), "3 N");
        assert_eq!(mm(3.0, "N m"), "3000 N mm");
        assert_eq!(mm(0.002, "J"), "2 mJ");
        let cm = |value, symbol| Units::Centimetres.show(value, symbol).to_string();
        assert_eq!(cm(1000.0, "kg/m^3"), "1 g/cm^3");
        assert_eq!(cm(1.0, "N"), "100000 dyn");
        assert_eq!(cm(0.1, "Pa"), "1 dyn/cm^2");
        assert_eq!(cm(1.0, "J"), "10000000 erg");
        assert_eq!(format!("{:.1e}", Units::Millimetres.show(0.123, "m")), "1.2e2 mm");
    }

    #[test]
    fn unit_conversion_only_moves_the_decimal_point() {
        let values = [0.1, 1e-3, 123.456, -9.81, 2.1e11, 7.85e-9, 1.0 / 3.0, 5e-324, f64::INFINITY];
        for value in values {
            assert_eq!(shifted(value, 0).to_bits(), value.to_bits());
        }
        for (value, power, moved) in
            [(100.0, -3, 0.1), (0.7, 3, 700.0), (-9810.0, -3, -9.81), (7.85e-9, 12, 7850.0)]
        {
            assert_eq!(shifted(value, power).to_bits(), f64::to_bits(moved), "{value}");
            assert_eq!(shifted(moved, -power).to_bits(), value.to_bits(), "{moved}");
        }
    }
}
