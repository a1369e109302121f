//! Cell data of a file: groups by integers or masks, and numeric fields.
//!
//! The cells with a 3 in an integer array `material` form the group `material=3`. A byte array of zeros and
//! ones is a mask: the cells with a 1 form the group of the array's name.

use crate::read::number::Scalar;
use std::collections::BTreeSet;

/// Largest number of distinct values of an integer array that names groups; more are likely cell numbers.
const MAX_PARTS: usize = 256;
/// Largest number of arrays that are read; further ones are ignored.
pub(super) const MAX_ARRAYS: usize = 64;

/// One value per cell of a file.
#[derive(Debug)]
pub(super) struct CellArray {
    pub(super) name: String,
    pub(super) values: Vec<f64>,
    /// Whether the values are integers, which name groups: the cells with a 3 in `material` form the group
    /// `material=3`.
    pub(super) has_integers: bool,
    /// Whether the array is a mask: bytes that are all 0 or 1.
    pub(super) is_mask: bool,
}

impl CellArray {
    /// Creates an array from numbers of type `scalar`.
    pub(super) fn new(name: &str, scalar: Scalar, values: Vec<f64>) -> Self {
        let is_mask = matches!(scalar, Scalar::I8 | Scalar::U8)
            && values.iter().all(|&value| value == 0.0 || value == 1.0);
        Self { name: name.to_owned(), values, has_integers: scalar.is_integer(), is_mask }
    }

    /// Group of a cell in an array that names groups; `None` where a mask is 0.
    pub(super) fn group(&self, cell: usize) -> Option<String> {
        match (self.is_mask, self.values[cell]) {
            (true, mark) => (mark == 1.0).then(|| self.name.clone()),
            (false, value) => Some(format!("{}={value}", self.name)),
        }
    }

    /// Whether the values name groups: integers with at most `MAX_PARTS` distinct values.
    pub(super) fn names_parts(&self) -> bool {
        let mut values = BTreeSet::new();
        let has_few_values = |value: &f64| {
            values.insert(value.to_bits());
            values.len() <= MAX_PARTS
        };
        self.has_integers && self.values.iter().all(has_few_values)
    }
}
