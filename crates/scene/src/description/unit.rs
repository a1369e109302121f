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

const fn unit(symbol: &'static str, min: f64, max: f64) -> Unit {
    Unit { symbol, max, min }
}

/// The units of all quantities of a scene.
const UNITS: [Unit; 23] = [
    unit("m", 1e-12, 1e9),
    unit("1/m", 1e-12, 1e12),
    unit("m/s", 1e-15, 1e8),
    unit("m/s^2", 1e-15, 1e9),
    unit("rad/s", 1e-15, 1e9),
    unit("degrees", 1e-12, 1e12),
    unit("s", 1e-15, 1e12),
    unit("1/s", 1e-15, 1e12),
    unit("Hz", 1e-15, 1e12),
    unit("kg", 1e-30, 1e30),
    unit("kg/m^2", 1e-12, 1e12),
    unit("kg/m^3", 1e-9, 1e12),
    unit("kg/s", 1e-30, 1e20),
    unit("N", 1e-30, 1e20),
    unit("N/m", 1e-30, 1e20),
    unit("N/m^3", 1e-30, 1e30),
    // The unit of a spring's stiffness depends on its law.
    unit("N/m or N/m^3", 1e-30, 1e30),
    unit("N m", 1e-30, 1e20),
    unit("J", 1e-30, 1e30),
    unit("Pa", 1e-9, 1e18),
    unit("m^3/s^2", 1e-30, 1e30),
    // A list of coefficients of powers of a coordinate.
    unit("J, J/m, ...", 1e-30, 1e30),
    // A number without a unit.
    unit("", 1e-15, 1e15),
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
        entry.copied().unwrap_or(unit("", 0.0, f64::MAX))
    }
}
