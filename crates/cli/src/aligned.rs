//! Tables for terminals.

use std::fmt::Write as _;

/// The cells of a table by line: first the names of the columns, then the cells of each row.
pub(crate) fn table_cells<R>(
    columns: &[(&'static str, impl Fn(&R) -> String)],
    rows: &[R],
) -> Vec<Vec<String>> {
    let names = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let cells = rows.iter().map(|row| columns.iter().map(|(_, cell)| cell(row)).collect());
    [names].into_iter().chain(cells).collect()
}

/// Joins the cells of `lines` to columns two spaces apart. The first column and the columns with the indices
/// `text_columns` are aligned to the left; all others hold numbers and are aligned to the right.
pub(crate) fn aligned(lines: &[Vec<String>], text_columns: &[usize]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..lines[0].len()).map(|c| width(c).unwrap_or(0)).collect();
    let mut out = String::new();
    for line in lines {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(out, "{cell:<width$}"),
                _ if text_columns.contains(&column) => write!(out, "  {cell:<width$}"),
                _ => write!(out, "  {cell:>width$}"),
            };
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}
