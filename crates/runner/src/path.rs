//! Steps along an equilibrium path.

use super::{Run, RunError};
use resile_integrators::PathTangent;
use resile_record::{PathRow, write_path};
use resile_world::StepRecord;

/// State of an equilibrium path.
#[derive(Debug, Default)]
pub(super) struct PathProgress {
    tangent: Option<PathTangent>,
    rows: Vec<PathRow>,
}

impl Run {
    /// Takes a step along the equilibrium path and writes the table.
    pub(super) fn follow_path(&mut self, length: f64) -> Result<StepRecord, RunError> {
        let step = self.totals.steps + 1;
        let taken = self.world.path_step(length, self.path.tangent.as_ref());
        let (tangent, record) = taken.map_err(|cause| RunError::Path { step, cause })?;
        self.path.tangent = Some(tangent);
        let (load_time, iterations) = (self.world.state(0).time, record.iterations);
        self.path.rows.push(PathRow { step, time: self.clock.after(step), load_time, iterations });
        write_path(&self.folder.equilibrium_path(), &self.path.rows)?;
        Ok(record)
    }
}
