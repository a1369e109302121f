//! Descriptions, units and defaults of fields from the reference page, which a test compares with the code.

use std::collections::BTreeMap;

const REFERENCE_PAGE: &str = include_str!("../../../../docs/scene-reference.md");

/// The row of a field or of a variant on the reference page.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldEntry {
    /// The unit of a number, or what a variant holds.
    pub(crate) holds: &'static str,
    pub(super) default: &'static str,
    pub(super) meaning: &'static str,
}

/// All rows by heading, `Type` or `Type::Variant`, and field.
pub(crate) fn reference_entries() -> BTreeMap<(String, String), FieldEntry> {
    let mut entries = BTreeMap::new();
    let mut heading = String::new();
    for line in REFERENCE_PAGE.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            heading = title.trim_matches('`').to_owned();
        } else if let Some([field, holds, default, meaning]) = cells(line) {
            let key = (heading.clone(), field.trim_matches('`').to_owned());
            entries.insert(key, FieldEntry { holds, default, meaning });
        }
    }
    entries
}

/// The cells of a line that is a row of a table of fields, whose first cell is code.
fn cells(line: &'static str) -> Option<[&'static str; 4]> {
    let row = line.strip_prefix("| ").filter(|row| row.starts_with('`'))?.strip_suffix(" |")?;
    let cells: Vec<_> = row.splitn(4, " | ").collect();
    cells.try_into().ok()
}

/// A cell without markup: links are replaced by their labels, and escaped bars are unescaped.
pub(super) fn plain(cell: &str) -> String {
    let mut text = String::new();
    let mut remaining = cell;
    while let Some((before, link)) = remaining.split_once('[') {
        text.push_str(before);
        let target = link
            .split_once("](")
            .and_then(|(label, target)| Some((label, target.split_once(')')?.1)));
        match target {
            Some((label, after)) if !label.contains(']') => {
                text.push_str(label);
                remaining = after;
            }
            _ => {
                text.push('[');
                remaining = link;
            }
        }
    }
    (text + remaining).replace("\\|", "|")
}
