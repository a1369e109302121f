//! Tables with fixed columns.

use super::OutputError;
use super::labels::{ColumnLabels, name_and_unit};
use super::step_table::{StepTable, StepsWithRows, TableExtent};
use resile_math::units::Units;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::path::Path;

/// A table with rows per step: its columns, and the conversion of a row to a line.
pub trait Table: Debug {
    /// Data of a row.
    type Row<'a>;

    /// Comma-separated columns, those with a dimension with their SI unit, such as `x [m]`; the first is `step`.
    const COLUMNS: &'static str;

    /// Steps for which the table has rows.
    const STEPS: StepsWithRows = StepsWithRows::All;

    /// Comma-separated fields of a row in SI, in the order of the columns.
    fn line(row: &Self::Row<'_>) -> String;

    /// The SI unit of a column; `None` without a unit.
    fn unit(column: &str) -> Option<&'static str> {
        let mut columns = Self::COLUMNS.split(',').map(name_and_unit);
        columns.find(|(name, _)| *name == column)?.1
    }

    /// Names of the columns without units.
    fn names() -> Vec<&'static str> {
        Self::COLUMNS.split(',').map(|label| name_and_unit(label).0).collect()
    }
}

/// Writes the table `T`.
#[derive(Debug)]
pub struct TableWriter<T> {
    table: StepTable,
    rows: PhantomData<T>,
}

impl<T: Table> TableWriter<T> {
    /// Begins the table in some units.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path, units: Units) -> Result<Self, OutputError> {
        let labels = ColumnLabels::new(T::COLUMNS, units);
        Ok(Self { table: StepTable::create(path, labels)?, rows: PhantomData })
    }

    /// Resumes the table after a step, at which it had this extent; `None` for a table that was begun after the
    /// checkpoint.
    ///
    /// # Errors
    /// If the file has other columns or units, was changed, or has rows of earlier steps that the checkpoint does not
    /// list.
    pub fn resume(
        path: &Path,
        units: Units,
        step: u64,
        extent: Option<TableExtent>,
    ) -> Result<Self, OutputError> {
        let labels = ColumnLabels::new(T::COLUMNS, units);
        let table = StepTable::resume_any(path, labels, step, T::STEPS, extent)?;
        Ok(Self { table, rows: PhantomData })
    }

    /// Extent of the rows written so far.
    pub fn extent(&self) -> TableExtent {
        self.table.extent()
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&mut self, row: &T::Row<'_>) -> Result<(), OutputError> {
        self.table.write(&(T::line(row) + "\n"))
    }

    /// Syncs all rows to disk, before a checkpoint that refers to them is written.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.table.flush()
    }
}
