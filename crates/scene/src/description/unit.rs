//! Units with bounds on plausible magnitudes.
//!
//! A number outside these wide bounds is a typing error or is in another unit. In the simulation it would overflow, and
//! the field could no longer be named. Within the bounds, squares and products of three numbers are finite.

/// The unit of a number in a scene, with its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    /// Symbol in messages.
    pub(super) symbol: &'static str,
    /// Largest plausible absolute value.
    pub(super) max: f64,
    /// Smallest plausible positive value.
    pub(super) min: f64,
}

/// A unit with the bounds of plausible numbers.
const fn bounded(symbol: &'static str, min: f64, max: f64) -> Unit {
    Unit { symbol, max, min }
}

/// The units of all quantities of a scene.
const UNITS: [Unit; 23] = [
    bounded("m", 1e-12, 1e9),
    bounded("1/m", 1e-12, 1e12),
    bounded("m/s", 1e-15, 1e8),
    bounded("m/s^2", 1e-15, 1e9),
    bounded("rad/s", 1e-15, 1e9),
    bounded("degrees", 1e-12, 1e12),
    bounded("s", 1e-15, 1e12),
    bounded("1/s", 1e-15, 1e12),
    bounded("Hz", 1e-15, 1e12),
    bounded("kg", 1e-30, 1e30),
    bounded("kg/m^2", 1e-12, 1e12),
    bounded("kg/m^3", 1e-9, 1e12),
    bounded("kg/s", 1e-30, 1e20),
    bounded("N", 1e-30, 1e20),
    bounded("N/m", 1e-30, 1e20),
    bounded("N/m^3", 1e-30, 1e30),
    // The unit of a spring's stiffness depends on its law.
    bounded("N/m or N/m^3", 1e-30, 1e30),
    bounded("N m", 1e-30, 1e20),
    bounded("J", 1e-30, 1e30),
    bounded("Pa", 1e-9, 1e18),
    bounded("m^3/s^2", 1e-30, 1e30),
    // A list of coefficients of powers of a coordinate.
    bounded("J, J/m, ...", 1e-30, 1e30),
    // A number without a unit.
    bounded("", 1e-15, 1e15),
];

/// Whether a text is the unit of a quantity of a scene.
pub(crate) fn is_unit(symbol: &str) -> bool {
    !symbol.is_empty() && UNITS.iter().any(|unit| unit.symbol == symbol)
}

impl Unit {
    /// The unit at the end of a label such as `radius (m)`, or that of numbers without a unit.
    pub(super) fn from_label(label: &str) -> Self {
        let in_parentheses =
            label.rsplit_once('(').and_then(|(_, after_bracket)| after_bracket.split_once(')'));
        let symbol = in_parentheses.map_or("", |(symbol, _)| symbol);
        let entry = UNITS.iter().find(|unit| unit.symbol == symbol);
        debug_assert!(entry.is_some(), "`{label}` has a unit without bounds");
        entry.copied().unwrap_or(bounded("", 0.0, f64::MAX))
    }
}
