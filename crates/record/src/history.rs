//! `history.csv`: a row for the start and one for each step.

use super::OutputError;
use super::labels::{ColumnLabels, name_and_unit};
use super::step_table::{StepTable, StepsWithRows, TableExtent};
use resile_math::units::Units;
use std::fmt::Write as _;
use std::path::Path;

/// Columns before those of the energy terms.
const LEADING_COLUMNS: &str = "step,time [s],h [s],kinetic [J],potential [J]";
/// Columns after those of the energy terms.
const TRAILING_COLUMNS: &str = "\
        total [J],target [J],alpha,motion [J],dissipated [J],rest_loss [J],external_work [J],\
        momentum_x [kg m/s],momentum_y [kg m/s],momentum_z [kg m/s],angular_x [kg m^2/s],\
        angular_y [kg m^2/s],angular_z [kg m^2/s],com_x [m],com_y [m],com_z [m],newton,linear,\
        backtracks,contacts,min_distance [m],min_det_f,residual [m/s],\
        prescribed_lag [m],seconds [s]";

/// Record of one step. Inapplicable values are `None` and give empty cells.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryRow<'a> {
    /// Number of the step.
    pub step: u64,
    /// Time after the step (s).
    pub time: f64,
    /// Step size (s); the smallest one of a divided step. `None` at the start.
    pub h: Option<f64>,
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// Sum of the terms (J).
    pub potential: f64,
    /// Energy of every term (J), in the order of the header.
    pub terms: &'a [f64],
    /// Kinetic and potential energy (J).
    pub total: f64,
    /// Energy target (J).
    pub target: Option<f64>,
    /// The alpha used; if islands differ, the caller chooses one.
    pub alpha: Option<f64>,
    /// Kinetic energy of the mean velocities in this step (J). `None` at the start.
    pub motion: Option<f64>,
    /// Heat of friction and damping in this step (J), including that of external work against them.
    pub dissipated: f64,
    /// Energy removed by the rest rule in this step (J).
    pub rest_loss: f64,
    /// Work of prescribed motion in this step (J), including that against friction and damping.
    pub external_work: f64,
    /// Linear momentum (kg m/s).
    pub momentum: [f64; 3],
    /// Angular momentum about the origin (kg m^2/s).
    pub angular: [f64; 3],
    /// Centre of mass (m).
    pub com: [f64; 3],
    /// Newton iterations.
    pub newton: u64,
    /// Iterations of the linear solver.
    pub linear: u64,
    /// Halvings in line searches.
    pub backtracks: u64,
    /// Pairs closer than `d_hat` after the step.
    pub contacts: u64,
    /// Smallest distance between surfaces (m).
    pub min_distance: Option<f64>,
    /// Smallest determinant of a deformation gradient.
    pub min_det_f: Option<f64>,
    /// Newton's last step over `h` (m/s).
    pub residual: Option<f64>,
    /// Largest distance of a prescribed node from its target (m). `None` at the start.
    pub prescribed_lag: Option<f64>,
    /// Wall time of the step (s); the only column that is not reproducible.
    pub seconds: f64,
}

/// Writes `history.csv`.
///
/// Numbers are written in their shortest form that reads back to the same bits.
#[derive(Debug)]
pub struct HistoryWriter {
    table: StepTable,
    /// Number of energy terms.
    term_count: usize,
    /// Buffer for a line.
    line: String,
}

impl HistoryWriter {
    /// Begins a history in some units; `terms` are the names of the energy terms.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn create(path: &Path, terms: &[&str], units: Units) -> Result<Self, OutputError> {
        Ok(Self::with_table(StepTable::create(path, labels(terms, units))?, terms))
    }

    /// Names of all columns of a history with these energy terms.
    pub fn columns(terms: &[&str]) -> Vec<String> {
        columns(terms).split(',').map(|label| name_and_unit(label).0.to_owned()).collect()
    }

    /// The SI unit of a column; `None` without a unit. All other columns are energies of terms.
    pub fn unit(column: &str) -> Option<&'static str> {
        let columns = LEADING_COLUMNS.split(',').chain(TRAILING_COLUMNS.split(','));
        let label = columns.map(name_and_unit).find(|(name, _)| *name == column);
        label.map_or(Some("J"), |(_, unit)| unit)
    }

    /// Resumes a history after a step, at which it had this extent. Later rows of a killed run are truncated before the
    /// next row is written.
    ///
    /// # Errors
    /// If the file has other columns or units, or is not what was written up to that step.
    pub fn resume(
        path: &Path,
        terms: &[&str],
        units: Units,
        step: u64,
        extent: TableExtent,
    ) -> Result<Self, OutputError> {
        Ok(Self::with_table(
            StepTable::resume(path, labels(terms, units), step, StepsWithRows::All, extent)?,
            terms,
        ))
    }

    /// Extent of the rows written so far.
    pub fn extent(&self) -> TableExtent {
        self.table.extent()
    }

    /// A writer that adds rows to a table.
    fn with_table(table: StepTable, terms: &[&str]) -> Self {
        Self { table, term_count: terms.len(), line: String::new() }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If the system refuses.
    ///
    /// # Panics
    /// If the row has another number of energy terms than the header.
    pub fn write(&mut self, row: &HistoryRow<'_>) -> Result<(), OutputError> {
        assert_eq!(row.terms.len(), self.term_count, "one energy a term of the header");
        self.line.clear();
        row.append_to(&mut self.line);
        self.table.write(&self.line)
    }

    /// Syncs all rows to disk. Call it before a checkpoint is written, so that the history always reaches the
    /// checkpoint.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.table.flush()
    }
}

/// The columns with their SI units, separated by commas.
fn columns(terms: &[&str]) -> String {
    let terms: String = terms.iter().map(|term| format!(",{term} [J]")).collect();
    format!("{LEADING_COLUMNS}{terms},{TRAILING_COLUMNS}")
}

/// The labels of the columns in some units.
fn labels(terms: &[&str], units: Units) -> ColumnLabels {
    ColumnLabels::new(&columns(terms), units)
}

/// The beginning of the first line of a history in some units, up to the energy terms.
pub(crate) fn first_labels(units: Units) -> String {
    ColumnLabels::new(LEADING_COLUMNS, units).header().to_owned()
}

/// The units of a history, found from the beginning of its first line.
pub(crate) fn units_of(text: &str) -> Option<Units> {
    Units::ALL.into_iter().find(|&units| text.starts_with(&first_labels(units)))
}

impl HistoryRow<'_> {
    /// Appends the row with its line break in the order of the header; a missing value gives an empty cell.
    fn append_to(&self, table: &mut String) {
        let _ = write!(table, "{},", self.step);
        for value in [Some(self.time), self.h, Some(self.kinetic), Some(self.potential)] {
            append_cell(table, value);
        }
        self.terms.iter().for_each(|&term| append_cell(table, Some(term)));
        for value in [Some(self.total), self.target, self.alpha, self.motion] {
            append_cell(table, value);
        }
        for value in [self.dissipated, self.rest_loss, self.external_work] {
            append_cell(table, Some(value));
        }
        for value in [self.momentum, self.angular, self.com].as_flattened() {
            append_cell(table, Some(*value));
        }
        for count in [self.newton, self.linear, self.backtracks, self.contacts] {
            let _ = write!(table, "{count},");
        }
        for value in [self.min_distance, self.min_det_f, self.residual, self.prescribed_lag] {
            append_cell(table, value);
        }
        let _ = writeln!(table, "{:?}", self.seconds);
    }
}

/// Appends a number and a comma; nothing before the comma for a missing value.
fn append_cell(table: &mut String, value: Option<f64>) {
    if let Some(value) = value {
        // `{:?}` is the shortest form, with an exponent where that is shorter.
        let _ = write!(table, "{value:?}");
    }
    table.push(',');
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn row(step: u64) -> HistoryRow<'static> {
        HistoryRow {
            step,
            time: step as f64 / 120.0,
            h: Some(1.0 / 120.0),
            kinetic: 0.1 + 0.2,
            potential: 1e-300,
            terms: &[1.0, -2.5e-7],
            total: 4.0,
            target: None,
            alpha: Some(1.0),
            motion: Some(0.25),
            dissipated: 0.0,
            rest_loss: 0.125,
            external_work: -0.0,
            momentum: [1.0, 2.0, 3.0],
            angular: [4.0, 5.0, 6.0],
            com: [7.0, 8.0, 9.0],
            newton: 3,
            linear: 40,
            backtracks: 1,
            contacts: 12,
            min_distance: Some(f64::MIN_POSITIVE),
            min_det_f: None,
            residual: Some(0.009),
            prescribed_lag: Some(2e-4),
            seconds: 0.25,
        }
    }

    fn lines(path: &Path) -> Vec<Vec<String>> {
        let text = fs::read_to_string(path).expect("the history was written");
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn history_numbers_stand_in_their_columns_and_read_back_exactly() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("history.csv");
        let mut writer = HistoryWriter::create(&path, &["elastic", "gravity"], Units::Metres)
            .expect("it is new");
        writer.write(&row(7)).and_then(|()| writer.flush()).expect("the folder can be written");
        let lines = lines(&path);
        assert_eq!(lines[0].len(), lines[1].len());
        let value = |name: &str| {
            let column = lines[0].iter().position(|column| column == name);
            lines[1][column.unwrap_or_else(|| panic!("no column {name}"))].as_str()
        };
        let exact = |name, expected: f64| {
            let read: f64 = value(name).parse().expect("a number");
            assert_eq!(read.to_bits(), expected.to_bits(), "{name}");
        };
        assert_eq!(value("step"), "7");
        exact("time", 7.0 / 120.0);
        exact("h", 1.0 / 120.0);
        exact("kinetic", 0.1 + 0.2);
        exact("potential", 1e-300);
        exact("gravity", -2.5e-7);
        exact("external_work", -0.0);
        exact("motion", 0.25);
        exact("rest_loss", 0.125);
        assert_eq!((value("target"), value("min_det_f"), value("alpha")), ("", "", "1.0"));
        exact("angular_y", 5.0);
        exact("com_z", 9.0);
        assert_eq!((value("newton"), value("contacts")), ("3", "12"));
        exact("min_distance", f64::MIN_POSITIVE);
        exact("residual", 0.009);
        exact("prescribed_lag", 2e-4);
        exact("seconds", 0.25);
    }

    #[test]
    fn resumed_history_equals_an_uninterrupted_run() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let terms = ["elastic", "gravity"];
        let write = |name: &str, steps, checkpoint| {
            let path = folder.path().join(name);
            let mut writer =
                HistoryWriter::create(&path, &terms, Units::Metres).expect("it is new");
            let mut known = writer.extent();
            for step in steps {
                writer.write(&row(step)).expect("the folder can be written");
                if step == checkpoint {
                    known = writer.extent();
                }
            }
            writer.flush().expect("the folder can be written");
            (path, known)
        };
        let (whole, _) = write("whole.csv", 1..=9, 9);
        let (killed, known) = write("killed.csv", 1..=6, 4);
        let mut torn = fs::read_to_string(&killed).expect("it was written");
        torn.truncate(torn.len() - 30);
        fs::write(&killed, torn).expect("the folder can be written");
        let mut writer =
            HistoryWriter::resume(&killed, &terms, Units::Metres, 4, known).expect("it is whole");
        for step in 5..=9 {
            writer.write(&row(step)).expect("the folder can be written");
        }
        drop(writer);
        let read = |path| fs::read(path).expect("it was written");
        assert_eq!(read(&killed), read(&whole));

        let (short, known) = write("short.csv", 1..=3, 3);
        for (terms, step) in [(&terms[..], 4), (&["elastic"][..], 3)] {
            let refusal = HistoryWriter::resume(&short, terms, Units::Metres, step, known);
            assert!(matches!(refusal, Err(OutputError::History { .. })), "{refusal:?}");
        }
        assert_eq!(lines(&short).len(), 4, "a refusal changes nothing");
    }
}
