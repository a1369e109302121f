//! Groups from numeric references in formats without names.

use std::collections::BTreeMap;

/// Largest number of distinct references that become groups; more are likely element numbers.
const MAX_PARTS: usize = 256;

/// Groups named after a reference number, such as `ref=3`.
#[derive(Debug)]
pub(super) struct References {
    word: String,
    names: BTreeMap<String, String>,
}

impl References {
    /// Groups whose names begin with `word`.
    pub(super) fn new(word: &str) -> Self {
        Self { word: word.to_owned(), names: BTreeMap::new() }
    }

    /// Group name of a reference number; `None` for zero.
    pub(super) fn group(&mut self, number: &str) -> Option<&str> {
        if number.parse::<f64>().is_ok_and(|number| number == 0.0) {
            return None;
        }
        if !self.names.contains_key(number) {
            if self.names.len() >= MAX_PARTS {
                return None;
            }
            // Normalised, because 3 and 3.0 are the same number.
            let shown = number.parse::<f64>().map_or_else(|_| number.to_owned(), |n| n.to_string());
            self.names.insert(number.to_owned(), format!("{}={shown}", self.word));
        }
        self.names.get(number).map(String::as_str)
    }
}
