//! History of a run.

use resile_record::Columns;
use std::io::{Result, Write};

/// Columns that the page does not use.
const UNUSED_COLUMNS: [&str; 1] = ["seconds"];

/// Names of the stored columns.
pub(crate) fn names(history: &Columns) -> Vec<String> {
    let shown = history.names().iter().filter(|name| !UNUSED_COLUMNS.contains(&name.as_str()));
    shown.cloned().collect()
}

/// Number of rows.
pub(crate) fn rows(history: &Columns) -> usize {
    history.column("time").map_or(0, |times| times.len())
}

/// Writes column by column in single precision; empty cells are NaN.
pub(crate) fn write(history: &Columns, out: &mut impl Write) -> Result<()> {
    let rows = rows(history);
    for name in names(history) {
        let column = history.column(&name).unwrap_or_default();
        let values = column.into_iter().chain(std::iter::repeat(None)).take(rows);
        for value in values {
            let value = value.unwrap_or(f64::NAN) as f32;
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}
