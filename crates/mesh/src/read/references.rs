//! Numbers by which formats without names mark parts.

use std::collections::BTreeMap;

/// More than these are not parts, but say which element it is.
const MAX_PARTS: usize = 256;

/// Groups of what has the same number, such as `ref=3`.
#[derive(Debug)]
pub(super) struct References {
    word: String,
    names: BTreeMap<String, String>,
}

impl References {
    /// Groups that are called after this word.
    pub(super) fn new(word: &str) -> Self {
        Self { word: word.to_owned(), names: BTreeMap::new() }
    }

    /// The group of what has a number; zero is none.
    pub(super) fn group(&mut self, number: &str) -> Option<&str> {
        if number.parse::<f64>().is_ok_and(|number| number == 0.0) {
            return None;
        }
        if !self.names.contains_key(number) {
            if self.names.len() >= MAX_PARTS {
                return None;
            }
            // As 3 and 3.0 are one number.
            let shown = number.parse::<f64>().map_or_else(|_| number.to_owned(), |n| n.to_string());
            self.names.insert(number.to_owned(), format!("{}={shown}", self.word));
        }
        self.names.get(number).map(String::as_str)
    }
}
