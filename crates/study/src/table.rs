//! Tables: what every study returns.

use std::fmt::Write as _;

/// What stands in one place of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A name.
    Text(String),
    /// Whether something is as it should be.
    Verdict(bool),
    /// A measured number, shown to this many significant digits; files have all of them.
    Number(f64, usize),
    /// A counted number.
    Count(u64),
    /// Does not apply.
    Nothing,
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number of which five digits matter to people.
    pub fn number(value: f64) -> Self {
        Self::Number(value, 5)
    }

    /// A number that may not apply.
    pub fn maybe(value: Option<f64>) -> Self {
        value.map_or(Self::Nothing, Self::number)
    }

    /// As one line of text from which [`Cell::decode`] makes it again, to the bit.
    pub fn encode(&self) -> String {
        match self {
            Self::Text(text) => format!("text {}", text.replace('\n', " ")),
            Self::Verdict(_) => format!("verdict {}", self.shown()),
            Self::Count(count) => format!("count {count}"),
            Self::Nothing => "nothing ".to_owned(),
            Self::Number(value, digits) => format!("number {digits} {value:e}"),
        }
    }

    /// The cell of an [encoded](Cell::encode) line, if it is one.
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

    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Verdict(true) => "yes".to_owned(),
            Self::Verdict(false) => "NO".to_owned(),
            Self::Count(count) => count.to_string(),
            Self::Nothing => "-".to_owned(),
            Self::Number(value, digits) => significant(*value, *digits),
        }
    }

    fn stored(&self) -> String {
        match self {
            Self::Text(text) if text.contains([',', '"', '\n']) => {
                format!("\"{}\"", text.replace('"', "\"\""))
            }
            Self::Text(text) => text.clone(),
            Self::Verdict(_) => self.shown(),
            Self::Count(count) => count.to_string(),
            Self::Nothing => String::new(),
            Self::Number(value, _) => format!("{value:e}"),
        }
    }
}

/// `value` to so many significant digits, as a plain number where that is readable.
fn significant(value: f64, digits: usize) -> String {
    let size = value.abs();
    if !value.is_finite() || value == 0.0 {
        return value.to_string();
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{value:.*e}", digits.saturating_sub(1));
    }
    let before = size.log10().floor() as i32 + 1;
    let after = (digits as i32 - before).max(0) as usize;
    format!("{value:.after$}")
}

/// Rows of cells under named columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What files with it are called, and where its head comes from.
    pub name: String,
    /// Names of the columns, with their units.
    pub columns: Vec<String>,
    /// One cell a column.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(name: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { name: name.into(), columns, rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If there is not one cell a column.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "one cell a column in {}", self.name);
        self.rows.push(row);
    }

    /// How many of its verdicts are NO.
    pub fn missed(&self) -> usize {
        let cells = self.rows.iter().flatten();
        cells.filter(|cell| matches!(cell, Cell::Verdict(false))).count()
    }

    /// Comma-separated values with all digits, the names of the columns first.
    pub fn csv(&self) -> String {
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let names = self.columns.iter().map(|name| Cell::text(name).stored()).collect();
        let rows = self.rows.iter().map(|row| line(row.iter().map(Cell::stored).collect()));
        line(names) + &rows.collect::<String>()
    }

    /// Aligned text for people: a Markdown table that is readable as it stands.
    pub fn text(&self) -> String {
        let shown: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::shown).collect()).collect();
        let width = |k: usize| {
            let cells = shown.iter().map(|row| row[k].chars().count());
            cells.chain([self.columns[k].chars().count(), 3]).max().unwrap_or(3)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut out = String::new();
        let mut line = |cells: &[String]| {
            for (k, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let left = k == 0;
                let _ = match left {
                    true => write!(out, "| {cell:<width$} "),
                    false => write!(out, "| {cell:>width$} "),
                };
            }
            out.push_str("|\n");
        };
        line(&self.columns);
        let rule = |(k, width): (usize, &usize)| match k {
            0 => "-".repeat(*width),
            _ => "-".repeat(width - 1) + ":",
        };
        line(&widths.iter().enumerate().map(rule).collect::<Vec<_>>());
        shown.iter().for_each(|row| line(row));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_is_written_is_read_to_the_bit() {
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
    fn files_keep_all_digits_and_people_see_those_that_matter() {
        let mut table = Table::new("t", &["name", "value"]);
        table.push(vec![Cell::text("a, \"b\""), Cell::number(1.0 / 3.0)]);
        table.push(vec![Cell::text("c"), Cell::Nothing]);
        assert_eq!(table.missed(), 0);
        assert_eq!(table.csv(), "name,value\n\"a, \"\"b\"\"\",3.333333333333333e-1\nc,\n");
        assert!(table.text().contains("| 0.33333 |"), "{}", table.text());
        table.push(vec![Cell::text("d"), Cell::Verdict(true)]);
        table.push(vec![Cell::text("NO"), Cell::Verdict(false)]);
        assert!(table.csv().ends_with("d,yes\nNO,NO\n"));
        assert_eq!(table.missed(), 1);
        assert_eq!(significant(123_456.0, 5), "1.2346e5");
        assert_eq!(significant(99.999_99, 5), "100.000");
        assert_eq!(significant(-0.012_345_678, 5), "-0.012346");
    }
}
