//! Headers of tables and the units of their columns.
//!
//! A table declares its columns once, with their SI units: `step,time,com_x [m]`. A run in SI writes the bare names. In
//! other units the header has the unit of each column whose dimension has length or mass, `com_x [mm]`, and the decimal
//! points of its numbers are moved. The digits remain, so a reader gets the bits of the number in SI.

use super::{OutputError, write_atomically};
use resile_math::units::{Dimension, Units, power_to_si, shifted_text};
use std::borrow::Cow;
use std::path::Path;

/// The columns of a table in a system of units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnLabels {
    header: String,
    /// For each column the power of ten that converts it from SI; empty if all of them are zero.
    powers: Vec<i32>,
}

impl ColumnLabels {
    /// The labels, in some units, of columns that are declared with SI units, such as `step,time [s],com_x [m]`.
    pub fn new(columns: &str, units: Units) -> Self {
        let columns_and_units: Vec<(&str, Option<&str>)> =
            cells_of(columns).map(name_and_unit).collect();
        let needs_unit =
            |dimension: Dimension| !units.is_si() && !dimension.is_independent_of_units();
        let label = |(name, unit): &(&str, Option<&str>)| match unit {
            Some(si) if Dimension::new(si).is_some_and(needs_unit) => {
                format!("{name} [{}]", units.symbol(si))
            }
            _ => (*name).to_owned(),
        };
        let header = columns_and_units.iter().map(label).collect::<Vec<_>>().join(",");
        let power = |(_, unit): &(&str, Option<&str>)| unit.map_or(0, |si| units.power_of_si(si));
        let powers: Vec<i32> = columns_and_units.iter().map(power).collect();
        let powers = if powers.iter().all(|&power| power == 0) { Vec::new() } else { powers };
        Self { header, powers }
    }

    /// The first line of the table, without its end.
    pub fn header(&self) -> &str {
        &self.header
    }

    /// Converts lines with numbers in SI.
    pub fn rows<'t>(&self, lines: &'t str) -> Cow<'t, str> {
        if self.powers.is_empty() {
            return lines.into();
        }
        lines.split_inclusive('\n').map(|line| self.row(line)).collect::<String>().into()
    }

    /// Converts a line; cells that are not numbers remain.
    fn row(&self, line: &str) -> String {
        let (cells, end) = line.strip_suffix('\n').map_or((line, ""), |cells| (cells, "\n"));
        let mut row = String::with_capacity(line.len());
        for (column, cell) in cells_of(cells).enumerate() {
            if column > 0 {
                row.push(',');
            }
            match (self.powers.get(column), cell.parse::<f64>()) {
                (Some(&power), Ok(value)) if power != 0 => {
                    row.push_str(&shifted_text(value, power));
                }
                _ => row.push_str(cell),
            }
        }
        row + end
    }
}

/// Writes a whole table; lines are in SI and are converted to some units.
///
/// # Errors
/// If the system refuses.
pub(crate) fn write_table(
    path: &Path,
    columns: &str,
    units: Units,
    lines: impl Iterator<Item = String>,
) -> Result<(), OutputError> {
    let labels = ColumnLabels::new(columns, units);
    let rows: String = lines.collect();
    write_atomically(path, format!("{}\n{}", labels.header(), labels.rows(&rows)).as_bytes())
}

/// The name of a column, and the unit in its label.
pub(crate) fn name_and_unit(label: &str) -> (&str, Option<&str>) {
    // Brackets that do not hold a unit are part of the name.
    let pair = label.strip_suffix(']').and_then(|label| label.rsplit_once(" ["));
    let pair = pair.filter(|(_, unit)| power_to_si(unit).is_some());
    pair.map_or((label, None), |(name, unit)| (name, Some(unit)))
}

/// Reads the label of a column of a file: its name and the power of ten that converts its numbers to SI.
pub(crate) fn name_and_power(label: &str) -> (&str, i32) {
    let (name, unit) = name_and_unit(label);
    (name, unit.and_then(power_to_si).unwrap_or(0))
}

/// The cells of a line; a quoted comma does not separate cells.
pub(crate) fn cells_of(line: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    line.split(move |c: char| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &str = "step,time [s],body,energy [J],force [N],momentum [kg m/s],x [m],alpha";
    const ROW: &str = "3,0.5,\"a,b\",0.30000000000000004,2.5,,1e-9,0.25\n";

    #[test]
    fn table_in_si_has_bare_names_and_the_rows_as_they_are() {
        let labels = ColumnLabels::new(COLUMNS, Units::Metres);
        assert_eq!(labels.header(), "step,time,body,energy,force,momentum,x,alpha");
        assert_eq!(labels.rows(ROW), ROW);
    }

    #[test]
    fn table_in_other_units_has_labels_and_moved_points() {
        let labels = ColumnLabels::new(COLUMNS, Units::Millimetres);
        let header = "step,time,body,energy [mJ],force [N],momentum [t mm/s],x [mm],alpha";
        assert_eq!(labels.header(), header);
        let row = "3,0.5,\"a,b\",300.00000000000004,2.5,,1e-6,0.25\n";
        assert_eq!(labels.rows(ROW), row);
        assert_eq!(labels.rows(&ROW.repeat(2)), row.repeat(2));
        let labels = ColumnLabels::new(COLUMNS, Units::Centimetres);
        let header = "step,time,body,energy [erg],force [dyn],momentum [g cm/s],x [cm],alpha";
        assert_eq!(labels.header(), header);
        assert_eq!(labels.rows(ROW), "3,0.5,\"a,b\",3000000.0000000004,250000.0,,1e-7,0.25\n");
    }

    #[test]
    fn label_of_a_file_gives_name_and_power() {
        for (label, read) in [
            ("x [mm]", ("x", -3)),
            ("force [dyn]", ("force", -5)),
            ("momentum_x [t mm/s]", ("momentum_x", 0)),
            ("alpha", ("alpha", 0)),
            ("die[1]", ("die[1]", 0)),
            ("die [one]", ("die [one]", 0)),
        ] {
            assert_eq!(name_and_power(label), read);
        }
    }
}
