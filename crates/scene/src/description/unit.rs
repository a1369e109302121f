//! Units with bounds on the size of plausible numbers.
//!
//! The bounds are generous. A number beyond them is a typing error or has another unit; it would cause an overflow in
//! the simulation, where the field of the scene is no longer known. Within the bounds squares and products of three
//! stay finite.

/// The unit of a number in a scene, with its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    /// Symbol in messages.
    pub(super) symbol: &'static str,
    /// Largest plausible absolute value.
    pub(super) most: f64,
    /// Smallest plausible positive value.
    pub(super) least: f64,
}

const fn unit(symbol: &'static str, min: f64, max: f64) -> Unit {
    Unit { symbol, most: max, least: min }
}

/// Every unit that a quantity of a scene is measured in.
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
    // A number without one.
    unit("", 1e-15, 1e15),
];

/// Whether a text is the unit of a quantity of a scene.
pub(crate) fn is_unit(symbol: &str) -> bool {
    !symbol.is_empty() && UNITS.iter().any(|unit| unit.symbol == symbol)
}

impl Unit {
    /// The unit that the name of a quantity gives in parentheses, such as `radius (m)`.
    pub(super) fn from_label(quantity: &str) -> Self {
        let written = quantity.rsplit_once('(').and_then(|(_, rest)| rest.split_once(')'));
        let symbol = written.map_or("", |(symbol, _)| symbol);
        let entry = UNITS.iter().find(|unit| unit.symbol == symbol);
        debug_assert!(entry.is_some(), "`{quantity}` has a unit without bounds");
        entry.copied().unwrap_or(unit("", 0.0, f64::MAX))
    }
}
