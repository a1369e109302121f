//! `contacts.csv`: a row for each step and pair of colliders in contact.

use super::cell::cell;
use super::step_table::StepsWithRows;
use super::table::{Table, TableWriter};
use resile_math::Vec3;

/// Contact of two colliders after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRow<'a> {
    /// Number of the step.
    pub step: u64,
    /// Time after the step (s).
    pub time: f64,
    /// Names of a body and of its partner: another body, an obstacle, or itself.
    pub names: [&'a str; 2],
    /// Barrier force on the first body (N).
    pub normal: Vec3,
    /// Friction force on the first body (N).
    pub friction: Vec3,
    /// Smallest gap (m).
    pub smallest_gap: f64,
    /// Number of active pairs of primitives.
    pub contacts: usize,
}

/// The table `contacts.csv`.
#[derive(Debug)]
pub enum ContactsTable {}

/// Writes `contacts.csv`.
pub type ContactsWriter = TableWriter<ContactsTable>;

impl Table for ContactsTable {
    type Row<'a> = ContactRow<'a>;

    const COLUMNS: &'static str = "\
        step,time [s],first,second,normal_x [N],normal_y [N],normal_z [N],friction_x [N],\
        friction_y [N],friction_z [N],smallest_gap [m],contacts";

    const STEPS: StepsWithRows = StepsWithRows::Some;

    fn line(row: &ContactRow<'_>) -> String {
        let ContactRow { step, time, names, normal, friction, smallest_gap, contacts } = row;
        let [first, second] = names.map(cell);
        let [nx, ny, nz] = normal.to_array();
        let [fx, fy, fz] = friction.to_array();
        format!(
            "{step},{time:?},{first},{second},{nx:?},{ny:?},{nz:?},{fx:?},{fy:?},{fz:?},\
             {smallest_gap:?},{contacts}"
        )
    }
}
