//! `buckling.csv`: a row for each load factor.

use super::cell::cell;
use super::{OutputError, write_atomically};
use std::path::Path;

/// A load factor of linear buckling.
#[derive(Debug, Clone, PartialEq)]
pub struct BucklingRow {
    /// Number of the factor, from 1.
    pub mode: usize,
    /// Name of the body.
    pub body: String,
    /// Load factor.
    pub factor: f64,
    /// `|u + factor K^-1 (K_loaded - K) u| / |u|` for its shape u, in the norm of the stiffness K without the load.
    pub residual: f64,
    /// Time (s) of the frame that shows the mode.
    pub time: f64,
    /// Whether the residual is at most 1e-7. Otherwise factor and shape are approximate.
    pub has_converged: bool,
}

const COLUMNS: &str = "mode,body,factor,residual,time,converged";

/// Writes the table.
///
/// # Errors
/// If the system refuses.
pub fn write_buckling(path: &Path, rows: &[BucklingRow]) -> Result<(), OutputError> {
    let line = |row: &BucklingRow| {
        let BucklingRow { mode, body, factor, residual, time, has_converged } = row;
        let (body, converged) = (cell(body), u8::from(*has_converged));
        format!("{mode},{body},{factor:?},{residual:?},{time:?},{converged}\n")
    };
    let text: String =
        std::iter::once(format!("{COLUMNS}\n")).chain(rows.iter().map(line)).collect();
    write_atomically(path, text.as_bytes())
}
