//! Reading tables such as `history.csv` back.

use crate::atomic::NO_LIMIT;
use crate::labels::{cells_of, name_and_power};
use crate::{OutputError, io};
use resile_math::units::parse_shifted;
use std::path::Path;

/// The complete rows of a table, with its header.
fn complete_rows(table: &Path) -> Result<String, OutputError> {
    let mut text = resile_files::read_text(table, NO_LIMIT).map_err(io("read", table))?;
    text.truncate(text.rfind('\n').unwrap_or(0));
    Ok(text)
}

/// Columns of text: names of bodies and probes, and states. A name may look like a number.
const TEXT_COLUMNS: [&str; 6] = ["body", "island", "rest", "probe", "first", "second"];

/// The cells of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Numbers in SI; empty cells are `None`.
    Numbers(Vec<Option<f64>>),
    /// Texts without the quotes of the file; empty cells are empty.
    Texts(Vec<String>),
}

impl Cells {
    /// Reads all complete rows of a table: its columns by name, in their order. A column has texts if it is one of names
    /// or if a cell is neither empty nor a number.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read_table(table: &Path) -> Result<Vec<(String, Self)>, OutputError> {
        let text = complete_rows(table)?;
        let Columns { names, rows, .. } = Columns::parse(&text, "");
        let columns = names.into_iter().enumerate().map(|(column, name)| {
            let numbers = rows.iter().map(|row| row.get(column).copied().flatten());
            let written = || {
                let lines = text.lines().skip(1);
                lines.map(|line| cells_of(line).nth(column).unwrap_or_default())
            };
            let is_text = TEXT_COLUMNS.contains(&name.as_str())
                || numbers
                    .clone()
                    .zip(written())
                    .any(|(number, cell)| number.is_none() && !cell.is_empty());
            let cells = match is_text {
                true => Self::Texts(written().map(unquoted).collect()),
                false => Self::Numbers(numbers.collect()),
            };
            (name, cells)
        });
        Ok(columns.collect())
    }
}

/// The text of a cell, which has quotes if it contains a comma or quotes.
fn unquoted(cell: &str) -> String {
    let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.map_or_else(|| cell.to_owned(), |inner| inner.replace("\"\"", "\""))
}

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
        Ok(Self::parse(&complete_rows(history)?, &history.display().to_string()))
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
        let labels = cells_of(lines.next().unwrap_or("")).map(name_and_power);
        let (names, powers): (Vec<&str>, Vec<i32>) = labels.unzip();
        let power = |column: usize| powers.get(column).copied().unwrap_or(0);
        let rows = lines.map(|line| {
            let cells = cells_of(line).enumerate();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_names_are_texts_and_quoted_commas_are_part_of_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bodies.csv");
        let table = "step,time [s],body,rest,x [mm],stop\n\
            0,0.0,\"a, \"\"b\"\"\",,1.5,\n0,0.0,7,slow,,late\n1,0.5,half";
        std::fs::write(&path, table).expect("it is written");
        let texts = |texts: [&str; 2]| Cells::Texts(texts.map(str::to_owned).to_vec());
        let expected = [
            ("step", Cells::Numbers(vec![Some(0.0); 2])),
            ("time", Cells::Numbers(vec![Some(0.0); 2])),
            ("body", texts(["a, \"b\"", "7"])),
            ("rest", texts(["", "slow"])),
            ("x", Cells::Numbers(vec![Some(0.0015), None])),
            ("stop", texts(["", "late"])),
        ];
        let read = Cells::read_table(&path).expect("it is a table");
        assert_eq!(read, expected.map(|(name, cells)| (name.to_owned(), cells)));
        std::fs::write(&path, "step,body\n").expect("it is written");
        let empty = Cells::read_table(&path).expect("it is a table");
        assert_eq!(empty[1], ("body".to_owned(), Cells::Texts(Vec::new())));
        // Numbers behind a quoted comma are in their columns.
        let columns = Columns::read(&path).expect("it is a table");
        assert_eq!(columns.column("step"), Some(Vec::new()));
        let columns = Columns::parse("body,x\n\"a,b\",2", "a.csv");
        assert_eq!(columns.column("x"), Some(vec![Some(2.0)]));
    }
}
