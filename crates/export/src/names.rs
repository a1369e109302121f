//! Valid and unique names in formats.

use std::collections::BTreeSet;

/// Largest length of a name (bytes). All common systems allow file names of 255 bytes, which must include
/// number, extension and prefix.
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

    /// A new valid name similar to `name`.
    pub(crate) fn unique(&mut self, name: &str) -> String {
        let mut word = self.rule.word(name);
        word.truncate(word.floor_char_boundary(MAX_NAME_BYTES));
        let mut candidate = word.clone();
        let mut count = 1;
        while !self.used.insert(candidate.to_lowercase()) {
            count += 1;
            candidate = format!("{word}_{count}");
        }
        candidate
    }
}

impl Rule {
    fn word(self, name: &str) -> String {
        let is_allowed = |c: char| match self {
            Self::Word => c.is_alphanumeric() || "-_.".contains(c),
            Self::Identifier => c.is_ascii_alphanumeric() || c == '_',
        };
        let replaced: String = name.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
        // For example, `die[0]` becomes `die_0`.
        let mut word = match replaced == name {
            true => replaced,
            false => replaced.trim_end_matches('_').to_owned(),
        };
        let bad = |c: char| match self {
            Self::Word => c == '.' || c == '-',
            Self::Identifier => c.is_ascii_digit(),
        };
        if word.chars().next().is_none_or(bad) {
            word.insert(0, '_');
        }
        word
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
