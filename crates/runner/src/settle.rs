//! Settling before the first step, one step per call.

use super::totals::Totals;
use super::{Run, RunError, Start};
use resile_record::Settled;
use resile_scene::description::Ground;
use resile_world::SettlingStep;

/// The record of a settled start for the summary.
pub(super) fn settling_record(settled: resile_world::Settled) -> Settled {
    let distance = settled.smallest_distance;
    Settled {
        steps: settled.steps,
        newton_iterations: settled.newton,
        residual_speed: settled.residual_speed,
        residual_change: settled.residual_change,
        smallest_distance: distance.is_finite().then_some(distance),
        moved: settled.moved,
    }
}

impl Run {
    /// Whether settling is in progress.
    pub fn is_settling(&self) -> bool {
        self.settling.is_some()
    }

    /// Performs a step of settling; after its last step the history begins. Returns `None` if settling is finished or
    /// not requested.
    ///
    /// # Errors
    /// If the start does not settle (call [`finish`](Run::finish) then), or a file cannot be written.
    pub fn settle(&mut self) -> Result<Option<SettlingStep>, RunError> {
        let Some(settling) = &mut self.settling else { return Ok(None) };
        self.watchdog.begin();
        let result = settling.advance(&mut self.world);
        self.watchdog.end();
        self.write_trace(0)?;
        let step = match result {
            Ok(step) => step,
            Err(failure) => {
                let error = self.settling_error(failure);
                if !matches!(error, RunError::Interrupted { .. }) {
                    // The last state shows which bodies move.
                    self.recorder.write_frame(&mut self.world, 0.0)?;
                }
                return Err(error);
            }
        };
        if let Some(settled) = step.settled {
            self.settling = None;
            let start = Totals::at_start(&mut self.world);
            let settling_totals = std::mem::replace(&mut self.totals, start);
            self.totals.phases = settling_totals.phases;
            self.totals.wall_seconds = settling_totals.wall_seconds;
            self.totals.settled = Some(settling_record(settled));
            self.write_start()?;
        }
        Ok(Some(step))
    }

    /// The present state as the start of a comparison.
    pub fn as_start(&mut self, ground: Option<Ground>) -> Start {
        Start::new(&self.scene, &mut self.world, ground)
    }
}
