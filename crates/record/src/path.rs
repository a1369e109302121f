//! `path.csv`: a row for each step along an equilibrium path.

use super::OutputError;
use super::labels::write_table;
use resile_math::units::Units;
use std::path::Path;

/// A step along an equilibrium path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathRow {
    /// Number of the step.
    pub step: u64,
    /// Time (s) of the step in the other tables and of its frame.
    pub time: f64,
    /// Time (s) of the loads that are in equilibrium.
    pub load_time: f64,
    /// Corrections by Newton's method.
    pub iterations: usize,
}

/// The columns with their SI units.
const COLUMNS: &str = "step,time [s],load_time [s],iterations";

/// Writes `path.csv`; `rows` are in SI, and the file is in `units`.
///
/// # Errors
/// If the system refuses.
pub fn write_path(path: &Path, rows: &[PathRow], units: Units) -> Result<(), OutputError> {
    let line = |row: &PathRow| {
        let PathRow { step, time, load_time, iterations } = row;
        format!("{step},{time:?},{load_time:?},{iterations}\n")
    };
    write_table(path, COLUMNS, units, rows.iter().map(line))
}
