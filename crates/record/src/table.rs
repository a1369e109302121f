//! Tables with fixed columns.

use super::OutputError;
use super::step_table::{StepTable, StepsWithRows, TableExtent};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::path::Path;

/// A table with rows per step: its columns, and the conversion of a row to a line.
pub trait Table: Debug {
    /// Data of a row.
    type Row<'a>;

    /// Comma-separated names of the columns; the first is `step`.
    const COLUMNS: &'static str;

    /// Steps for which the table has rows.
    const STEPS: StepsWithRows = StepsWithRows::All;

    /// Comma-separated fields of a row, in the order of the columns.
    fn line(row: &Self::Row<'_>) -> String;
}

/// Writes the table `T`.
#[derive(Debug)]
pub struct TableWriter<T> {
    table: StepTable,
    rows: PhantomData<T>,
}

impl<T: Table> TableWriter<T> {
    /// Begins the table.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        Ok(Self { table: StepTable::create(path, T::COLUMNS)?, rows: PhantomData })
    }

    /// Resumes the table after a step, up to the extent `extent`, which is `None` for a table begun after
    /// the checkpoint.
    ///
    /// # Errors
    /// If the file has other columns, differs from what was written, or has uncounted rows.
    pub fn resume(
        path: &Path,
        step: u64,
        extent: Option<TableExtent>,
    ) -> Result<Self, OutputError> {
        let table = StepTable::resume_known(path, T::COLUMNS, step, T::STEPS, extent)?;
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
