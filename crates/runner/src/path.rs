//! The table of an equilibrium path.

use super::{Run, RunError};
use resile_integrators::PathTangent;
use resile_record::{PathRow, write_path};
use resile_world::StepRecord;

/// An equilibrium path up to the last step: its direction there, and the rows of its table.
#[derive(Debug, Default)]
pub(super) struct PathProgress {
    /// Direction of the path at the last step; `None` before the first step.
    pub(super) tangent: Option<PathTangent>,
    rows: Vec<PathRow>,
}

impl PathProgress {
    /// The time (s) of each step, and that of the loads that are in equilibrium.
    pub(super) fn load_times(&self) -> Vec<[f64; 2]> {
        self.rows.iter().map(|row| [row.time, row.load_time]).collect()
    }
}

impl Run {
    /// Adds the row of a step and writes the whole table.
    pub(super) fn write_path_row(&mut self, record: &StepRecord) -> Result<(), RunError> {
        let (step, iterations) = (self.totals.steps, record.iterations);
        let (time, load_time) = (self.clock.after(step), self.world.state(0).time);
        self.path.rows.push(PathRow { step, time, load_time, iterations });
        Ok(write_path(&self.folder.equilibrium_path(), &self.path.rows, self.scene.units)?)
    }
}
