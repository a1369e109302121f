//! Descriptions, units and defaults of fields from the reference page, which a test compares with the code.

use std::collections::BTreeMap;

const REFERENCE_PAGE: &str = include_str!("../../../../docs/scene-reference.md");

/// The description of a field or alternative on the reference page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words {
    /// The unit of a number, or what an alternative holds.
    pub(crate) holds: &'static str,
    pub(super) default: &'static str,
    pub(super) meaning: &'static str,
}

/// All descriptions by heading and field.
pub(crate) fn words() -> BTreeMap<(String, String), Words> {
    let mut words = BTreeMap::new();
    let mut heading = String::new();
    for line in REFERENCE_PAGE.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            heading = title.trim_matches('`').to_owned();
        } else if let Some([field, holds, default, meaning]) = cells(line) {
            let key = (heading.clone(), field.trim_matches('`').to_owned());
            words.insert(key, Words { holds, default, meaning });
        }
    }
    words
}

/// The cells of a row of a table of fields.
fn cells(line: &'static str) -> Option<[&'static str; 4]> {
    let row = line.strip_prefix("| ").filter(|row| row.starts_with('`'))?.strip_suffix(" |")?;
    let cells: Vec<_> = row.splitn(4, " | ").collect();
    cells.try_into().ok()
}

/// Text of the page without markup.
pub(super) fn plain(text: &str) -> String {
    // Links are replaced by their texts.
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain.push_str(before);
        match link.split_once("](").and_then(|(words, rest)| Some((words, rest.split_once(')')?.1)))
        {
            Some((words, after)) if !words.contains(']') => {
                plain.push_str(words);
                rest = after;
            }
            _ => {
                plain.push('[');
                rest = link;
            }
        }
    }
    (plain + rest).replace("\\|", "|")
}
