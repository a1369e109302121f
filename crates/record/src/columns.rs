//! Reading tables such as `history.csv` back.

use crate::atomic::NO_LIMIT;
use crate::labels::name_and_power;
use crate::{OutputError, io};
use resile_math::units::parse_shifted;
use std::path::Path;

/// The columns of a table. Names are those in the file without units; numbers are in SI, whatever the units of the
/// file.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// Name of the file, for messages.
    file: String,
    names: Vec<String>,
    rows: Vec<Vec<Option<f64>>>,
}

impl Columns {
    /// Reads all complete rows of a table, including those of resumed runs. An incomplete last row, which a run in
    /// progress may have, is skipped.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(history: &Path) -> Result<Self, OutputError> {
        let text = resile_files::read_text(history, NO_LIMIT).map_err(io("read", history))?;
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        Ok(Self::parse(complete, &history.display().to_string()))
    }

    /// Names of all columns, in their order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of a column, if it exists; empty cells are `None`.
    pub fn column(&self, name: &str) -> Option<Vec<Option<f64>>> {
        let column = self.names.iter().position(|column_name| column_name == name)?;
        Some(self.rows.iter().map(|row| row.get(column).copied().flatten()).collect())
    }

    /// Parses a table, whose header states its units; `file` is the name for messages.
    pub fn parse(text: &str, file: &str) -> Self {
        let mut lines = text.lines();
        let labels = lines.next().unwrap_or("").split(',').map(name_and_power);
        let (names, powers): (Vec<&str>, Vec<i32>) = labels.unzip();
        let power = |column: usize| powers.get(column).copied().unwrap_or(0);
        let rows = lines.map(|line| {
            let cells = line.split(',').enumerate();
            cells.map(|(column, cell)| parse_shifted(cell, power(column))).collect()
        });
        let names = names.into_iter().map(str::to_owned).collect();
        Self { file: file.to_owned(), names, rows: rows.collect() }
    }

    /// The rows of one probe in the text of `probes.csv`.
    pub fn of_probe(text: &str, probe: &str, file: &str) -> Self {
        let name_cell = format!(",{},", super::cell(probe));
        // A row begins with the step and the time, which contain no quoted commas; the name of the probe is the third
        // cell.
        let probe_lines = text.lines().filter_map(|line| {
            let time_start = line.find(',')? + 1;
            let name_start = time_start + line[time_start..].find(',')?;
            let measurements = line[name_start..].strip_prefix(&*name_cell)?;
            Some(format!("{},,{measurements}", &line[..name_start]))
        });
        let header = text.lines().next().map(str::to_owned);
        let lines: Vec<String> = header.into_iter().chain(probe_lines).collect();
        Self::parse(&lines.join("\n"), file)
    }

    /// The values of these columns for every row; empty cells are `None`.
    ///
    /// # Errors
    /// If a column does not exist.
    pub fn select<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<impl Iterator<Item = [Option<f64>; N]>, OutputError> {
        let mut columns = [0; N];
        for (slot, name) in columns.iter_mut().zip(names) {
            let index = self.names.iter().position(|column| column == name);
            *slot = index.ok_or_else(|| OutputError::NoColumn {
                file: self.file.clone(),
                column: name.to_owned(),
            })?;
        }
        let value = |row: &Vec<Option<f64>>, column: usize| row.get(column).copied().flatten();
        Ok(self.rows.iter().map(move |row| columns.map(|column| value(row, column))))
    }
}
