//! History of a run as a table of the page.

use resile_record::Columns;
use std::io::{Result, Write};

/// Columns that the page does not use.
const UNUSED_COLUMNS: [&str; 1] = ["seconds"];

/// Names of the columns that the page stores.
pub(crate) fn column_names(history: &Columns) -> Vec<String> {
    let used = history.names().iter().filter(|name| !UNUSED_COLUMNS.contains(&name.as_str()));
    used.cloned().collect()
}

/// Number of rows of the history.
pub(crate) fn row_count(history: &Columns) -> usize {
    history.column("time").map_or(0, |times| times.len())
}

/// Writes the values column by column in single precision; empty cells are NaN.
pub(crate) fn write(history: &Columns, out: &mut impl Write) -> Result<()> {
    let row_count = row_count(history);
    for name in column_names(history) {
        let column = history.column(&name).unwrap_or_default();
        let values = column.into_iter().chain(std::iter::repeat(None)).take(row_count);
        for value in values {
            let value = value.unwrap_or(f64::NAN) as f32;
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}
