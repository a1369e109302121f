//! `contacts.csv`: a row for each step and pair of colliders that touch.

use super::OutputError;
use super::step_table::{StepTable, TableExtent, field};
use resile_math::Vec3;
use std::path::Path;

const HEADER: &str = "step,time,first,second,normal_x,normal_y,normal_z,friction_x,friction_y,\
    friction_z,smallest_gap,contacts";

/// What two colliders do to each other after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRow<'a> {
    /// Number of the step.
    pub step: u64,
    /// Time after the step (s).
    pub time: f64,
    /// Names of a body, and of another body, of an obstacle or of the same.
    pub names: [&'a str; 2],
    /// Force of the barrier on the first (N).
    pub normal: Vec3,
    /// Force of friction on the first (N).
    pub friction: Vec3,
    /// The smallest gap (m).
    pub smallest_gap: f64,
    /// Pairs of primitives that act.
    pub contacts: usize,
}

/// Writes `contacts.csv`.
#[derive(Debug)]
pub struct ContactsWriter {
    table: StepTable,
}

impl ContactsWriter {
    /// Begins the table.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        Ok(Self { table: StepTable::create(path, HEADER)? })
    }

    /// Takes up the table after a step, to which `known` reaches; nothing is known of one that was
    /// begun after the checkpoint.
    ///
    /// # Errors
    /// If the file has other columns, is not what was written, or has rows that nobody knows of.
    pub fn resume(path: &Path, step: u64, known: Option<TableExtent>) -> Result<Self, OutputError> {
        Ok(Self { table: StepTable::resume_known(path, HEADER, step, known)? })
    }

    /// How far the rows go that were written so far.
    pub fn extent(&self) -> TableExtent {
        self.table.extent()
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&mut self, row: &ContactRow<'_>) -> Result<(), OutputError> {
        let ContactRow { step, time, names, normal, friction, smallest_gap, contacts } = row;
        let [first, second] = names.map(field);
        let [nx, ny, nz] = normal.to_array();
        let [fx, fy, fz] = friction.to_array();
        self.table.write(&format!(
            "{step},{time:?},{first},{second},{nx:?},{ny:?},{nz:?},{fx:?},{fy:?},{fz:?},\
             {smallest_gap:?},{contacts}\n"
        ))
    }

    /// Hands all rows to the system.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.table.flush()
    }
}
