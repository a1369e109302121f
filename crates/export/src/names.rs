//! Valid and unique names in formats.

use std::collections::BTreeSet;

/// Largest length of a name (bytes). All common systems allow file names of 255 bytes, and a file name also has a
/// sample number and an extension.
const MAX_NAME_BYTES: usize = 200;

/// Permitted characters of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Letters, digits, `-`, `_` and `.` inside: a file on any system, a word in any text.
    Word,
    /// ASCII letters, digits and `_`, not starting with a digit: a USD identifier.
    Identifier,
}

/// Unique names assigned in one file or folder.
#[derive(Debug)]
pub(crate) struct Names {
    rule: Rule,
    /// Assigned names in lower case, because some file systems are case-insensitive.
    used: BTreeSet<String>,
}

impl Names {
    pub(crate) fn new(rule: Rule) -> Self {
        Self { rule, used: BTreeSet::new() }
    }

    /// Returns a valid name that is similar to `name` and differs from all names assigned so far: a name that exists
    /// gets the suffix `_2`, `_3`, ...
    pub(crate) fn unique(&mut self, name: &str) -> String {
        let mut valid_name = self.rule.sanitise(name);
        valid_name.truncate(valid_name.floor_char_boundary(MAX_NAME_BYTES));
        let mut candidate = valid_name.clone();
        let mut suffix = 1;
        while !self.used.insert(candidate.to_lowercase()) {
            suffix += 1;
            candidate = format!("{valid_name}_{suffix}");
        }
        candidate
    }
}

impl Rule {
    /// Replaces characters that the rule forbids by `_`, and puts `_` before a forbidden first character.
    fn sanitise(self, name: &str) -> String {
        let is_allowed = |c: char| match self {
            Self::Word => c.is_alphanumeric() || "-_.".contains(c),
            Self::Identifier => c.is_ascii_alphanumeric() || c == '_',
        };
        let replaced: String = name.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
        // For example, `die[0]` becomes `die_0`.
        let mut valid_name = match replaced == name {
            true => replaced,
            false => replaced.trim_end_matches('_').to_owned(),
        };
        let is_invalid_start = |c: char| match self {
            Self::Word => c == '.' || c == '-',
            Self::Identifier => c.is_ascii_digit(),
        };
        if valid_name.chars().next().is_none_or(is_invalid_start) {
            valid_name.insert(0, '_');
        }
        valid_name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_single_words_and_unique() {
        let mut files = Names::new(Rule::Word);
        let given =
            ["die[1]", "die/1", "../x", "", "Die_1", "é.b", "a_"].map(|name| files.unique(name));
        assert_eq!(given, ["die_1", "die_1_2", "_.._x", "_", "Die_1_3", "é.b", "a_"]);
        let long = "ü".repeat(126);
        let [first, second] = [&long, &(long.clone() + "x")].map(|name| files.unique(name));
        assert_eq!((first.len(), second), (MAX_NAME_BYTES, first.clone() + "_2"));
        let mut identifiers = Names::new(Rule::Identifier);
        let given = ["1st", "a-b", "a.b", "é"].map(|name| identifiers.unique(name));
        assert_eq!(given, ["_1st", "a_b", "a_b_2", "_"]);
    }
}
