//! Tables, the results of studies.

use std::fmt::Write as _;

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// Whether a result is the expected one.
    Verdict(bool),
    /// A measured number with its number of significant digits for display; files contain all digits.
    Number(f64, usize),
    /// A count.
    Count(u64),
    /// Not applicable.
    Nothing,
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Encodes the cell as one line of text, which [`Cell::decode`] reads without loss.
    pub fn encode(&self) -> String {
        match self {
            Self::Text(text) => format!("text {}", text.replace('\n', " ")),
            Self::Verdict(_) => format!("verdict {}", self.display_text()),
            Self::Count(count) => format!("count {count}"),
            Self::Nothing => "nothing ".to_owned(),
            Self::Number(value, digits) => format!("number {digits} {value:e}"),
        }
    }

    /// Decodes a line of [`Cell::encode`].
    pub fn decode(line: &str) -> Option<Self> {
        let (kind, rest) = line.split_once(' ')?;
        Some(match kind {
            "text" => Self::text(rest),
            "verdict" => Self::Verdict(rest == "yes"),
            "count" => Self::Count(rest.parse().ok()?),
            "nothing" => Self::Nothing,
            "number" => {
                let (digits, value) = rest.split_once(' ')?;
                Self::Number(value.parse().ok()?, digits.parse().ok()?)
            }
            _ => return None,
        })
    }

    /// The numeric value of the cell, if it has one.
    fn value(&self) -> Option<f64> {
        match self {
            Self::Number(value, _) => Some(*value),
            Self::Count(count) => Some(*count as f64),
            Self::Text(_) | Self::Verdict(_) | Self::Nothing => None,
        }
    }

    /// The text in a printed table.
    fn display_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Verdict(true) => "yes".to_owned(),
            Self::Verdict(false) => "NO".to_owned(),
            Self::Count(count) => count.to_string(),
            Self::Nothing => "-".to_owned(),
            Self::Number(value, digits) => significant(*value, *digits),
        }
    }

    /// The text in a file of comma-separated values.
    fn csv_text(&self) -> String {
        match self {
            Self::Text(text) if text.contains([',', '"', '\n']) => {
                format!("\"{}\"", text.replace('"', "\"\""))
            }
            Self::Text(text) => text.clone(),
            Self::Verdict(_) => self.display_text(),
            Self::Count(count) => count.to_string(),
            Self::Nothing => String::new(),
            Self::Number(value, _) => format!("{value:e}"),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Cell {
    fn from(as_expected: bool) -> Self {
        Self::Verdict(as_expected)
    }
}

/// Displayed with five significant digits.
impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(value, 5)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<u32> for Cell {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl<C: Into<Self>> From<Option<C>> for Cell {
    fn from(cell: Option<C>) -> Self {
        cell.map_or(Self::Nothing, C::into)
    }
}

/// Formats `value` with significant digits, in scientific notation if it is very small or large.
fn significant(value: f64, digits: usize) -> String {
    let magnitude = value.abs();
    if !value.is_finite() || value == 0.0 {
        return value.to_string();
    }
    if !(1e-3..1e5).contains(&magnitude) {
        return format!("{value:.*e}", digits.saturating_sub(1));
    }
    let integer_digits = magnitude.log10().floor() as i32 + 1;
    let decimals = (digits as i32 - integer_digits).max(0) as usize;
    format!("{value:.decimals$}")
}

/// Measure of the deviation from an expected value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deviation {
    /// `(value - expected) / |expected|` in percent.
    Percent,
    /// `value - expected`.
    Difference,
    /// `expected / value`: for times, the speedup.
    Ratio,
}

impl Deviation {
    /// The deviation of `value` from `reference`.
    fn between(self, value: f64, reference: f64) -> f64 {
        match self {
            Self::Percent => 100.0 * (value - reference) / reference.abs(),
            Self::Difference => value - reference,
            Self::Ratio => reference / value,
        }
    }
}

/// Rows of cells under named columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The name of the table and of its file.
    pub name: String,
    /// Names of the columns, with their units.
    pub columns: Vec<String>,
    /// Rows with one cell per column.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table with one row per value of `rows`; its columns follow.
    pub fn with_rows<R>(name: impl Into<String>, rows: &[R]) -> Columns<'_, R> {
        let table = Self { name: name.into(), columns: vec![], rows: vec![Vec::new(); rows.len()] };
        Columns { rows, table }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If the number of cells differs from that of columns.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "one cell a column in {}", self.name);
        self.rows.push(row);
    }

    /// Number of verdicts that are NO.
    pub fn failed_verdicts(&self) -> usize {
        let cells = self.rows.iter().flatten();
        cells.filter(|cell| matches!(cell, Cell::Verdict(false))).count()
    }

    /// Comma-separated values with all digits, the names of the columns first.
    pub fn csv(&self) -> String {
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let names = self.columns.iter().map(|name| Cell::text(name).csv_text()).collect();
        let rows = self.rows.iter().map(|row| line(row.iter().map(Cell::csv_text).collect()));
        line(names) + &rows.collect::<String>()
    }

    /// Aligned Markdown. Empty columns are omitted; texts longer than 40 characters become numbered notes below
    /// the table.
    pub fn text(&self) -> String {
        let mut notes = Notes::default();
        let has_values =
            |k: &usize| *k == 0 || self.rows.iter().any(|row| row[*k] != Cell::Nothing);
        let shown_columns: Vec<usize> = (0..self.columns.len()).filter(has_values).collect();
        let mut lines: Vec<Vec<String>> =
            vec![shown_columns.iter().map(|&k| self.columns[k].clone()).collect()];
        for row in &self.rows {
            lines.push(
                shown_columns.iter().map(|&k| notes.cell_text(row[k].display_text())).collect(),
            );
        }
        let width =
            |k: usize| lines.iter().map(|line| line[k].chars().count()).max().unwrap_or(0).max(3);
        let widths: Vec<usize> = (0..shown_columns.len()).map(width).collect();
        let delimiter = |(k, width): (usize, &usize)| match k {
            0 => "-".repeat(*width),
            _ => "-".repeat(width - 1) + ":",
        };
        lines.insert(1, widths.iter().enumerate().map(delimiter).collect());
        lines.iter().map(|line| align(line, &widths)).collect::<String>() + &notes.text()
    }
}

/// A builder of a table with one row per value of type `R`; each column is a name and a function from a row to its
/// cell.
#[derive(Debug, Clone)]
pub struct Columns<'a, R> {
    rows: &'a [R],
    table: Table,
}

impl<'a, R> Columns<'a, R> {
    /// Adds a column.
    #[must_use]
    pub fn column<C: Into<Cell>>(mut self, name: &str, cell: impl Fn(&'a R) -> C) -> Self {
        self.table.columns.push(name.to_owned());
        for (row, cells) in self.rows.iter().zip(&mut self.table.rows) {
            cells.push(cell(row).into());
        }
        self
    }

    /// Adds a column of numbers that are displayed with `digits` significant digits.
    #[must_use]
    pub fn number<N>(self, name: &str, digits: usize, value: impl Fn(&'a R) -> N) -> Self
    where
        N: Into<Option<f64>>,
    {
        self.column(name, |row| value(row).into().map(|value| Cell::Number(value, digits)))
    }

    /// Adds the column `name` with the deviation of column `compared` from column `reference`, to the right of both.
    /// Rows in which one of them has no number get [`Cell::Nothing`].
    ///
    /// # Panics
    /// If there is no column `compared` or `reference`.
    #[must_use]
    pub fn compare(
        self,
        name: &str,
        deviation: Deviation,
        compared: &str,
        reference: &str,
    ) -> Self {
        self.compare_where(name, deviation, &[compared], reference, |_| true)
    }

    /// Adds a column as [`Columns::compare`] does, with the largest deviation of several columns `compared` from the
    /// column `reference`. It is empty in rows that are not `comparable`.
    ///
    /// # Panics
    /// If a column does not exist.
    #[must_use]
    pub fn compare_where(
        mut self,
        name: &str,
        deviation: Deviation,
        compared: &[&str],
        reference: &str,
        comparable: impl Fn(&R) -> bool,
    ) -> Self {
        let table = &mut self.table;
        let column_index = |name: &str| {
            let index = table.columns.iter().position(|column| column == name);
            index.unwrap_or_else(|| panic!("{} has no column {name}", table.name))
        };
        let compared_indices: Vec<usize> = compared.iter().map(|name| column_index(name)).collect();
        let reference_index = column_index(reference);
        let new_index = compared_indices.iter().fold(reference_index, |max, &k| max.max(k)) + 1;
        table.columns.insert(new_index, name.to_owned());
        for (row, cells) in self.rows.iter().zip(&mut table.rows) {
            let largest_deviation = || {
                let reference = cells[reference_index].value()?;
                let values = compared_indices.iter().filter_map(|&k| cells[k].value());
                let distance = |value: &f64| (value - reference).abs();
                let farthest = values.max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
                Some(deviation.between(farthest, reference)).filter(|number| number.is_finite())
            };
            let number = largest_deviation().filter(|_| comparable(row));
            cells.insert(new_index, number.map(|number| Cell::Number(number, 2)).into());
        }
        self
    }

    /// The table.
    pub fn table(self) -> Table {
        self.table
    }
}

/// A line of a Markdown table: the first cell is aligned to the left, the others to the right.
fn align(cells: &[String], widths: &[usize]) -> String {
    let mut out = String::new();
    for (k, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let _ = match k {
            0 => write!(out, "| {cell:<width$} "),
            _ => write!(out, "| {cell:>width$} "),
        };
    }
    out + "|\n"
}

/// Texts that are too long for a cell and are printed below the table.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    const MAX_CELL_CHARS: usize = 40;

    /// The text for a cell: `text` itself or, if it is too long, a reference to its note.
    fn cell_text(&mut self, text: String) -> String {
        if text.chars().count() <= Self::MAX_CELL_CHARS {
            return text;
        }
        let index = self.0.iter().position(|note| *note == text).unwrap_or_else(|| {
            self.0.push(text);
            self.0.len() - 1
        });
        format!("note {}", index + 1)
    }

    /// The notes, each a paragraph.
    fn text(&self) -> String {
        let note = |(k, text): (usize, &String)| format!("\nNote {}: {text}\n", k + 1);
        self.0.iter().enumerate().map(note).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_back_exactly() {
        let cells = [
            Cell::text("a, b"),
            Cell::text(""),
            Cell::Verdict(false),
            Cell::Verdict(true),
            Cell::Count(u64::MAX),
            Cell::Nothing,
            Cell::Number(0.1 + 0.2, 3),
            Cell::Number(f64::INFINITY, 2),
        ];
        for cell in cells {
            assert_eq!(Cell::decode(&cell.encode()), Some(cell));
        }
        assert_eq!([Cell::decode("number 3"), Cell::decode("")], [None, None]);
    }

    #[test]
    fn deviation_column_follows_its_value_and_uses_the_farthest_figure() {
        let rows =
            [(Cell::Count(3), -4.0), (Cell::text("stopped"), 2.0), (Cell::Number(1.0, 5), 0.0)];
        let table = Table::with_rows("t", &rows)
            .column("name", |_| "a")
            .column("here", |(here, _)| here.clone())
            .column("there", |_| 5.0)
            .column("known", |(_, known)| *known)
            .column("last", |_| Cell::Nothing)
            .compare("percent", Deviation::Percent, "here", "known")
            .compare_where(
                "farthest",
                Deviation::Difference,
                &["here", "there"],
                "known",
                |(_, known)| *known != 0.0,
            )
            .compare("ratio", Deviation::Ratio, "there", "known")
            .table();
        let names = ["name", "here", "there", "known", "ratio", "farthest", "percent", "last"];
        assert_eq!(table.columns, names);
        let number = |value: f64| Cell::Number(value, 2);
        let seen: Vec<&[Cell]> = table.rows.iter().map(|row| &row[4..7]).collect();
        assert_eq!(seen[0], [number(-0.8), number(9.0), number(175.0)]);
        assert_eq!(seen[1], [number(0.4), number(3.0), Cell::Nothing]);
        assert_eq!(seen[2], [number(0.0), Cell::Nothing, Cell::Nothing]);
    }

    #[test]
    #[should_panic(expected = "t has no column known")]
    fn missing_column_is_not_compared() {
        let columns = Table::with_rows("t", &[1.0]).column("here", |value| *value);
        let _ = columns.compare("percent", Deviation::Percent, "here", "known");
    }

    #[test]
    fn files_keep_all_digits_and_printed_tables_are_rounded() {
        let rows = [("a, \"b\"", Some(1.0 / 3.0)), ("c", None)];
        let columns = Table::with_rows("t", &rows).column("name", |(name, _)| *name);
        let mut table = columns.number("value", 5, |(_, value)| *value).table();
        assert_eq!(table.failed_verdicts(), 0);
        assert_eq!(table.csv(), "name,value\n\"a, \"\"b\"\"\",3.333333333333333e-1\nc,\n");
        assert!(table.text().contains("| 0.33333 |"), "{}", table.text());
        table.push(vec![Cell::text("d"), Cell::Verdict(true)]);
        table.push(vec![Cell::text("NO"), Cell::Verdict(false)]);
        assert!(table.csv().ends_with("d,yes\nNO,NO\n"));
        assert_eq!(table.failed_verdicts(), 1);
        assert_eq!(significant(123_456.0, 5), "1.2346e5");
        assert_eq!(significant(99.999_99, 5), "100.000");
        assert_eq!(significant(-0.012_345_678, 5), "-0.012346");
    }

    #[test]
    fn printed_tables_omit_empty_columns_and_list_long_texts_below() {
        let long = "a text that is so long that no column is wide enough";
        let table = Table::with_rows("t", &[("a", Some(long)), ("b", None), ("c", Some(long))])
            .column("name", |(name, _)| *name)
            .column("ended by", |(_, why)| *why)
            .column("nothing", |_| Cell::Nothing)
            .table();
        let rows = "| a    |   note 1 |\n| b    |        - |\n| c    |   note 1 |\n";
        let head = "| name | ended by |\n| ---- | -------: |\n";
        assert_eq!(table.text(), format!("{head}{rows}\nNote 1: {long}\n"));
        assert!(table.csv().starts_with("name,ended by,nothing\n"), "files have all");
    }
}
