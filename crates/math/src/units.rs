//! Unit systems of scenes and of their results, and the conversion to SI.
//!
//! Every system has the second and decimal multiples of the metre and the kilogram, so a conversion moves the decimal
//! point: `100` in millimetres is the same number, to the bit, as `0.1` in metres.

use crate::Aabb;
use std::fmt::{self, Display, LowerExp};

/// The unit system of a scene file, of messages about it and of the tables of its runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
pub struct Dimension {
    /// Power of length.
    pub length: i32,
    /// Power of mass.
    pub mass: i32,
    /// Power of time.
    pub time: i32,
}

impl Dimension {
    /// Dimension of a symbol such as `kg/m^3`: units of SI with blanks between factors and a slash before each divisor.
    pub fn new(symbol: &str) -> Option<Self> {
        factors(symbol).try_fold(Self::default(), |sum, factor| {
            let (base, power) = factor?;
            Some(sum.times_power(Self::of_base(base)?, power))
        })
    }

    /// Whether the unit of this dimension is the same in every system: it has neither length nor mass.
    pub fn is_independent_of_units(self) -> bool {
        self.length == 0 && self.mass == 0
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
    pub fn times_power(self, other: Self, power: i32) -> Self {
        Self {
            length: self.length + power * other.length,
            mass: self.mass + power * other.mass,
            time: self.time + power * other.time,
        }
    }
}

/// The factors of a symbol such as `kg/m^3` with their powers; `None` for a power that is not an integer.
fn factors(symbol: &str) -> impl Iterator<Item = Option<(&str, i32)>> {
    symbol.split('/').enumerate().flat_map(|(index, factors)| {
        let sign = if index == 0 { 1 } else { -1 };
        factors.split_whitespace().map(move |factor| {
            let (base, power) = factor.split_once('^').unwrap_or((factor, "1"));
            Some((base, sign * power.parse::<i32>().ok()?))
        })
    })
}

/// SI units with a name of their own in other systems.
const NAMED: [&str; 6] = ["m", "kg", "N", "Pa", "J", "W"];

/// The power of ten that converts a number with a unit of any system, such as `mJ` or `t mm/s`, to SI. `None` if
/// the symbol is not a unit.
pub fn power_to_si(symbol: &str) -> Option<i32> {
    let base_power = |base: &str| {
        let of_system = |units: Units| {
            let si = NAMED.into_iter().find(|&si| units.name(si) == base)?;
            Some(units.power(Dimension::of_base(si)?))
        };
        Units::ALL.into_iter().find_map(of_system).or_else(|| Dimension::of_base(base).map(|_| 0))
    };
    factors(symbol).try_fold(0, |sum, factor| {
        let (base, power) = factor?;
        Some(sum + power * base_power(base)?)
    })
}

impl Units {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Metres, Self::Millimetres, Self::Centimetres];

    /// Whether they are SI.
    pub fn is_si(&self) -> bool {
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

    /// The power of ten that converts a number in an SI unit to these units.
    pub fn power_of_si(self, si: &str) -> i32 {
        -self.power(Self::dimension(si))
    }

    /// A number written in these units, in SI.
    pub fn to_si(self, value: f64, dimension: Dimension) -> f64 {
        shifted(value, self.power(dimension))
    }

    /// A number in SI, written in these units.
    pub fn of_si(self, value: f64, dimension: Dimension) -> f64 {
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

    /// The name of a unit of SI that is not compound: `mJ` for `J` in millimetres.
    pub fn name(self, si: &str) -> &str {
        let names = match self {
            Self::Metres => return si,
            Self::Millimetres => ["mm", "t", "N", "MPa", "mJ", "mW"],
            Self::Centimetres => ["cm", "g", "dyn", "dyn/cm^2", "erg", "erg/s"],
        };
        let index = NAMED.iter().position(|name| *name == si);
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
    parse_shifted(&format!("{value:e}"), power).unwrap_or(value)
}

/// Reads a decimal number times a power of ten, rounded once. `None` if the text is not a number.
pub fn parse_shifted(text: &str, power: i32) -> Option<f64> {
    let value = text.parse::<f64>().ok()?;
    if power == 0 || !text.contains(|c: char| c.is_ascii_digit()) {
        return Some(value);
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = exponent.parse::<i32>().ok()? + power;
    format!("{mantissa}e{exponent}").parse().ok()
}

/// Exponents of ten of numbers that are written without an exponent.
const POSITIONAL: std::ops::Range<i32> = -5..16;

/// Writes a number times a power of ten with the digits of the number, so that [`parse_shifted`] with the opposite power
/// returns the same bits. The digits are the fewest that identify the number.
pub fn shifted_text(value: f64, power: i32) -> String {
    if power == 0 || value == 0.0 || !value.is_finite() {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent = exponent.parse::<i32>().unwrap_or(0) + power;
    if !POSITIONAL.contains(&exponent) {
        return format!("{mantissa}e{exponent}");
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let Ok(point) = usize::try_from(exponent + 1) else {
        return format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    };
    let whole = digits.chars().chain(std::iter::repeat('0')).take(point).collect::<String>();
    let fraction = digits.get(point..).filter(|rest| !rest.is_empty()).unwrap_or("0");
    match whole.is_empty() {
        true => format!("{sign}0.{fraction}"),
        false => format!("{sign}{whole}.{fraction}"),
    }
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

    /// Every unit symbol of every system leads back to SI with the opposite power.
    #[test]
    fn symbols_of_all_systems_lead_back_to_si() {
        let symbols = [
            "m", "kg", "N", "Pa", "J", "W", "m/s", "kg m/s", "kg m^2/s", "J/m^3", "N m", "s", "Hz",
            "1/s^2",
        ];
        for units in Units::ALL {
            for si in symbols {
                let label = units.symbol(si);
                assert_eq!(power_to_si(&label), Some(-units.power_of_si(si)), "{units:?}: {label}");
            }
        }
        assert_eq!(power_to_si("furlong"), None);
        assert_eq!(power_to_si("m^x"), None);
    }

    /// The law of tables in scene units: a written number has the digits of the number in SI, and reads back to its bits.
    #[test]
    fn shifted_text_reads_back_to_the_same_bits() {
        let mut values = vec![0.0, -0.0, 0.1 + 0.2, 1.0 / 3.0, -9.81, 5e-324, f64::MAX, 1.0, 100.0];
        values.extend((-30..30).map(|k| 7.123_456_789_012_345_f64 * 10f64.powi(k)));
        values.extend((1..200).map(|k| (f64::from(k) * 0.731).sin()));
        for value in values {
            for power in [-12, -7, -5, -3, -1, 0, 1, 2, 3, 6, 7] {
                let text = shifted_text(value, power);
                let back = parse_shifted(&text, -power).expect("it is a number");
                assert_eq!(back.to_bits(), value.to_bits(), "{value:e} by {power}: {text}");
                let number = text.parse::<f64>().expect("it is a number");
                let exact = shifted(value, power);
                assert_eq!(number.to_bits(), exact.to_bits(), "{value:e} by {power}: {text}");
            }
        }
        assert_eq!(shifted_text(0.1 + 0.2, 3), "300.00000000000004");
        assert_eq!(shifted_text(0.1, 3), "100.0");
        assert_eq!(shifted_text(-2.5, -3), "-0.0025");
        assert_eq!(shifted_text(-2.5, -1), "-0.25");
        assert_eq!(parse_shifted("die", 3), None);
    }
}
