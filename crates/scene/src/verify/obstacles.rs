//! The surfaces of obstacles that stand still, as `obstacles.vtu` has them.
//!
//! The file holds all of them as one grid; each cell says which obstacle of the scene it
//! belongs to.

use super::grid::{self, Grid};
use super::{FrameError, VerifyError};
use crate::description::{Obstacle, Scene};
use std::path::Path;

/// Reads the obstacles of a run; none if the scene has only planes and what moves.
pub(super) fn read(scene: &Scene, frames: &Path) -> Result<Option<Grid>, VerifyError> {
    let is_fixed_mesh = |obstacle: &Obstacle| match obstacle {
        Obstacle::Plane { .. } => false,
        Obstacle::Mesh { .. } | Obstacle::Shape { .. } => obstacle.motion().is_none(),
    };
    if !scene.obstacles.iter().any(is_fixed_mesh) {
        return Ok(None);
    }
    let path = frames.join("obstacles.vtu");
    let wrong = |error: FrameError| VerifyError::File { path: path.clone(), error };
    let grid = grid::read(&path).map_err(wrong)?;
    let (expected, found) = (scene.obstacles.len(), grid.cells.bodies());
    if found > expected {
        return Err(VerifyError::OtherObstacles { path, expected, found });
    }
    Ok(Some(grid))
}
