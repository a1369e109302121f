//! `buckling.csv`: a row for each load factor.

use super::OutputError;
use super::cell::cell;
use super::labels::write_table;
use resile_math::units::Units;
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
    /// Relative part of the load's stiffness that has no potential and is left out of the factor, in the norm of K.
    pub asymmetry: f64,
}

/// The columns with their SI units.
const COLUMNS: &str = "mode,body,factor,residual,time [s],converged,asymmetry";

/// Writes `buckling.csv`; `rows` are in SI, and the file is in `units`.
///
/// # Errors
/// If the system refuses.
pub fn write_buckling(path: &Path, rows: &[BucklingRow], units: Units) -> Result<(), OutputError> {
    let line = |row: &BucklingRow| {
        let BucklingRow { mode, body, factor, residual, time, has_converged, asymmetry } = row;
        let (body, converged) = (cell(body), u8::from(*has_converged));
        format!("{mode},{body},{factor:?},{residual:?},{time:?},{converged},{asymmetry:?}\n")
    };
    write_table(path, COLUMNS, units, rows.iter().map(line))
}
