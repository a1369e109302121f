//! The surfaces of obstacles that stand still, as `obstacles.vtu` has them.
//!
//! The file holds all of them as one grid; each cell says which obstacle of the scene it
//! belongs to.

use crate::grid::{self, Grid};
use crate::{FrameError, VerifyError};
use crate::{ObstacleShape, Rules};
use std::path::Path;

/// Reads the obstacles of a run; none if there are only planes and what moves.
pub(crate) fn read(rules: &Rules, frames: &Path) -> Result<Option<Grid>, VerifyError> {
    if !rules.obstacles.iter().any(|obstacle| obstacle.shape == ObstacleShape::Still) {
        return Ok(None);
    }
    let path = frames.join("obstacles.vtu");
    let wrong = |error: FrameError| VerifyError::File { path: path.clone(), error };
    let grid = grid::read(&path).map_err(wrong)?;
    let (expected, found) = (rules.obstacles.len(), grid.cells.bodies());
    if found > expected {
        return Err(VerifyError::OtherObstacles { path, expected, found });
    }
    Ok(Some(grid))
}
