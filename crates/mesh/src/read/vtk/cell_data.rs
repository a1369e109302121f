//! What a file says of its cells: parts, by integers, and fields of numbers.
//!
//! The cells with a 3 in an array `material` of integers are the group `material=3`. An array of bytes that
//! are 0 or 1 is a mask: the cells with a 1 are the group of its name.

use crate::read::elements::Elements;
use crate::read::number::Scalar;
use std::collections::BTreeSet;

/// An array of integers with more values than this says which cell it is, not of what part.
const MAX_PARTS: usize = 256;
/// How many arrays are read; those after them are not.
pub(super) const MAX_ARRAYS: usize = 64;

/// A number for each cell of a file.
#[derive(Debug)]
pub(super) struct CellArray {
    pub(super) name: String,
    pub(super) values: Vec<f64>,
    /// Integers name parts: the cells with a 3 in `material` are the group `material=3`.
    pub(super) integers: bool,
    /// Bytes that are all 0 or 1: a mask.
    pub(super) is_mask: bool,
}

impl CellArray {
    /// Of a type of numbers.
    pub(super) fn new(name: &str, scalar: Scalar, values: Vec<f64>) -> Self {
        let is_mask = matches!(scalar, Scalar::I8 | Scalar::U8)
            && values.iter().all(|&value| value == 0.0 || value == 1.0);
        Self { name: name.to_owned(), values, integers: scalar.is_integer(), is_mask }
    }

    /// The group of a cell, of an array that names parts; none of what a mask leaves out.
    pub(super) fn group(&self, cell: usize) -> Option<String> {
        match (self.is_mask, self.values[cell]) {
            (true, mark) => (mark == 1.0).then(|| self.name.clone()),
            (false, value) => Some(format!("{}={value}", self.name)),
        }
    }

    pub(super) fn names_parts(&self) -> bool {
        let mut seen = BTreeSet::new();
        let few = |value: &f64| {
            seen.insert(value.to_bits());
            seen.len() <= MAX_PARTS
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
