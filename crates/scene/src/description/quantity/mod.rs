//! Name, unit and range of each numeric field of a scene.
//!
//! The table has one row per field. [`Scene::check`](super::Scene::check) and the JSON Schema read it; a test compares
//! its keys with the fields that serde reads.

mod measure;
mod rows;
#[cfg(test)]
mod tests;

pub(crate) use measure::Measure;
pub(super) use rows::MAX_COPIES;

use super::range::Range;
use rows::rows;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What a number of a field is, or each number of its list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quantity {
    /// Name in messages, with the unit in parentheses.
    pub(crate) label: &'static str,
    /// Dimension, or dimensions of the numbers of a list.
    pub(crate) measure: Measure,
    /// Range of the number in SI.
    pub(crate) range: Range,
    /// Remedy for a number out of range, if the message does not contain it.
    pub(crate) help: &'static str,
}

/// The quantity of a field of a struct, whose `variant` is empty, or of a variant of an enum.
pub(crate) fn quantity(owner: &str, variant: &str, field: &str) -> Option<&'static Quantity> {
    QUANTITIES.get(owner)?.get(variant)?.get(field)
}

/// The quantity of a field inside a field with the quantity `outer`. A field whose measure is [`Measure::Varied`]
/// inherits `outer`.
pub(crate) fn quantity_within(
    outer: Option<&'static Quantity>,
    [owner, variant]: [&str; 2],
    field: &str,
) -> Option<&'static Quantity> {
    let inner = quantity(owner, variant, field);
    if inner.is_some_and(|inner| inner.measure == Measure::Varied) { outer } else { inner }
}

/// Quantities by type, variant (empty for a struct) and field.
type Table = BTreeMap<&'static str, BTreeMap<&'static str, BTreeMap<&'static str, Quantity>>>;

static QUANTITIES: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::new();
    for (owner, field, label, range) in rows() {
        let (owner, variant) = owner.split_once("::").unwrap_or((owner, ""));
        let help = HELP.iter().find(|(o, v, f, _)| (*o, *v, *f) == (owner, variant, field));
        let measure = Measure::from_label(label);
        debug_assert!(measure.is_some(), "{owner}::{variant}.{field}: `{label}` has no unit");
        let measure = measure.unwrap_or_default();
        let quantity = Quantity { label, measure, range, help: help.map_or("", |row| row.3) };
        let previous =
            table.entry(owner).or_default().entry(variant).or_default().insert(field, quantity);
        debug_assert!(previous.is_none(), "{owner}::{variant}.{field} is declared twice");
    }
    table
});

/// Remedies that do not follow from ranges, by type, variant and field.
const HELP: [(&str, &str, &str, &str); 3] = [
    ("Shape", "Sphere", "subdivisions", "each makes four triangles of one"),
    ("Solver", "", "max_halvings", "6 make the step 64 times smaller"),
    ("Resolution", "Tets", "0", "fewer do not fill any shape"),
];
