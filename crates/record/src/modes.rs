//! `modes.csv`: a row for each natural mode.

use super::OutputError;
use super::cell::cell;
use super::labels::write_table;
use resile_math::units::Units;
use std::path::Path;

/// A natural mode.
#[derive(Debug, Clone, PartialEq)]
pub struct ModeRow {
    /// Number of the mode, from 1.
    pub mode: usize,
    /// Name of the body.
    pub body: String,
    /// Frequency (Hz); negative if the state is unstable in this mode.
    pub frequency: f64,
    /// Square of the angular frequency (1/s^2).
    pub square: f64,
    /// `|K u - square M u|` for the shape of unit modal mass, in the norm of `M^-1` (N/kg^(1/2)).
    pub residual: f64,
    /// Displacement (m) of the node that moves farthest, for unit modal mass.
    pub largest: f64,
    /// Time (s) of the frame that shows the mode.
    pub time: f64,
    /// Whether the residual is at most 1e-8 of the square, or rounding. Otherwise the mode is approximate.
    pub has_converged: bool,
    /// Whether the state is unstable in this mode: the square is negative beyond rounding.
    pub is_unstable: bool,
    /// Relative coupling to other modes by the part of the loads' stiffness that has no potential and is left out.
    pub asymmetry: f64,
}

/// The columns with their SI units.
const COLUMNS: &str =
    "mode,body,frequency [Hz],square [1/s^2],residual,largest [m],time [s],converged,asymmetry";

/// Writes `modes.csv`; `rows` are in SI, and the file is in `units`.
///
/// # Errors
/// If the system refuses.
pub fn write_modes(path: &Path, rows: &[ModeRow], units: Units) -> Result<(), OutputError> {
    let line = |row: &ModeRow| {
        let ModeRow { mode, frequency, square, residual, largest, time, asymmetry, .. } = row;
        let (body, converged) = (cell(&row.body), u8::from(row.has_converged));
        format!(
            "{mode},{body},{frequency:?},{square:?},{residual:?},{largest:?},{time:?},{converged},{asymmetry:?}\n"
        )
    };
    write_table(path, COLUMNS, units, rows.iter().map(line))
}
