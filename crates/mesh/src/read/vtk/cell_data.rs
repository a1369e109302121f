//! What a file says of its cells: parts, by integers, and fields of numbers.

use crate::read::elements::Elements;
use std::collections::BTreeSet;

/// An array of integers with more values than this says which cell it is, not of what part.
const MOST_PARTS: usize = 256;
/// How many arrays are read; those after them are not.
pub(super) const MOST_ARRAYS: usize = 32;

/// A number for each cell of a file.
#[derive(Debug)]
pub(super) struct CellArray {
    pub(super) name: String,
    pub(super) values: Vec<f64>,
    /// Integers name parts: the cells with a 3 in `material` are the group `material=3`.
    pub(super) integers: bool,
}

impl CellArray {
    /// The group of a cell, of an array that names parts.
    pub(super) fn group(&self, cell: usize) -> String {
        format!("{}={}", self.name, self.values[cell])
    }

    /// Whether it names parts.
    pub(super) fn names_parts(&self) -> bool {
        let mut seen = BTreeSet::new();
        let few = |value: &f64| {
            seen.insert(value.to_bits());
            seen.len() <= MOST_PARTS
        };
        self.integers && self.values.iter().all(few)
    }

    /// Adds the number of a tetrahedron to its field.
    pub(super) fn add_to_field(&self, cell: usize, elements: &mut Elements) {
        if !elements.fields.contains_key(&self.name) {
            elements.fields.insert(self.name.clone(), Vec::new());
        }
        if let Some(field) = elements.fields.get_mut(&self.name) {
            field.push(self.values[cell]);
        }
    }
}
