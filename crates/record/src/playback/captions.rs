//! Captions of frames that show no motion: mode shapes and states of an equilibrium path.

use super::Playback;
use crate::atomic::NO_LIMIT;
use crate::labels::{cells_of, name_and_power};
use resile_math::units::parse_shifted;
use std::collections::BTreeSet;
use std::path::Path;

/// Number of significant digits in captions.
const DIGITS: i32 = 5;
/// Values below this one are written with an exponent.
const MIN_DECIMAL: f64 = 1e-3;
/// Largest difference of the times (s) of a frame and its row, relative to the time.
const TIME_TOLERANCE: f64 = 1e-9;

/// A table with text cells.
struct TextTable {
    /// Names of the columns with the powers of ten that convert their numbers to SI.
    columns: Vec<(String, i32)>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// Reads a table; `None` if it does not exist or cannot be read.
    fn read(path: &Path) -> Option<Self> {
        let text = resile_files::read_text(path, NO_LIMIT).ok()?;
        let mut lines = text.lines();
        let header = lines.next()?.split(',').map(name_and_power);
        let columns = header.map(|(name, power)| (name.to_owned(), power)).collect();
        let rows = lines.map(|line| cells_of(line).map(str::to_owned).collect()).collect();
        Some(Self { columns, rows })
    }

    /// The cell of a column in a row.
    fn text<'t>(&self, row: &'t [String], column: &str) -> Option<&'t str> {
        let index = self.columns.iter().position(|(name, _)| name == column)?;
        row.get(index).map(String::as_str)
    }

    /// The number of a column in a row, in SI.
    fn number(&self, row: &[String], column: &str) -> Option<f64> {
        let index = self.columns.iter().position(|(name, _)| name == column)?;
        parse_shifted(row.get(index)?, self.columns[index].1)
    }

    /// Time (s) and caption of each row with both; `caption` gets the row.
    fn captions(&self, caption: impl Fn(&[String]) -> Option<String>) -> Vec<(f64, String)> {
        let timed = |row: &Vec<String>| Some((self.number(row, "time")?, caption(row)?));
        self.rows.iter().filter_map(timed).collect()
    }
}

impl Playback {
    /// Caption of each frame: the number and the frequency or load factor of a mode, or the time whose loads are in
    /// equilibrium. `None` for frames of motion.
    pub fn captions(&self) -> Vec<Option<String>> {
        let folder = self.folder();
        let tables = [
            TextTable::read(&folder.modes()).map(|table| mode_captions(&table, "frequency")),
            TextTable::read(&folder.buckling()).map(|table| mode_captions(&table, "factor")),
            TextTable::read(&folder.equilibrium_path()).map(|table| path_captions(&table)),
        ];
        let captions: Vec<(f64, String)> = tables.into_iter().flatten().flatten().collect();
        let caption_at = |time: &f64| {
            let is_same = |other: f64| (other - time).abs() <= TIME_TOLERANCE * time.abs();
            captions.iter().find(|(other, _)| is_same(*other)).map(|(_, caption)| caption.clone())
        };
        self.times().iter().map(caption_at).collect()
    }

    /// Whether frames are mode shapes, between which there are no states.
    pub fn has_shapes(&self) -> bool {
        self.folder().modes().is_file() || self.folder().buckling().is_file()
    }
}

/// Captions of mode shapes, with the value in this column. Bodies are named if there are several.
fn mode_captions(table: &TextTable, column: &str) -> Vec<(f64, String)> {
    let bodies: BTreeSet<&str> =
        table.rows.iter().filter_map(|row| table.text(row, "body")).collect();
    table.captions(|row| {
        let (mode, value) = (table.text(row, "mode")?, number_text(table.number(row, column)?));
        let body = match bodies.len() {
            0 | 1 => String::new(),
            _ => format!(" ({})", table.text(row, "body")?.trim_matches('"')),
        };
        let is_unstable = table.number(row, "square").is_some_and(|square| square < 0.0);
        Some(match (column, is_unstable) {
            ("frequency", false) => format!("mode {mode}{body}: {value} Hz"),
            ("frequency", true) => format!("mode {mode}{body}: unstable, {value} Hz"),
            _ => format!("mode {mode}{body}: load factor {value}"),
        })
    })
}

/// Captions of states of an equilibrium path.
fn path_captions(table: &TextTable) -> Vec<(f64, String)> {
    table.captions(|row| {
        let (step, load_time) = (table.text(row, "step")?, table.number(row, "load_time")?);
        Some(format!("step {step}: load time {} s", number_text(load_time)))
    })
}

/// A number with [`DIGITS`] significant digits.
fn number_text(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        magnitude if magnitude < MIN_DECIMAL => format!("{value:.2e}"),
        magnitude => {
            let decimals = (DIGITS - 1 - magnitude.log10().floor() as i32).max(0) as usize;
            format!("{value:.decimals$}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_five_digits() {
        let texts = [40.729_623, 99_709.16, 1_234_567.0, 0.25, -5.2, 0.0, 1.3e-5].map(number_text);
        assert_eq!(texts, ["40.730", "99709", "1234567", "0.25000", "-5.2000", "0", "1.30e-5"]);
    }
}
