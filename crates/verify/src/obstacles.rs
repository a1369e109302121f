//! The surfaces of obstacles that stand still, as `obstacles.vtu` has them.
//!
//! The file holds all of them as one grid; each cell has the number of its obstacle, which are
//! numbered after what is in frames. Planes are in a file of their own, which is not read: what
//! a plane is, the rules say.

use crate::grid::{self, Grid};
use crate::{FrameError, VerifyError};
use crate::{ObstacleShape, Rules};
use resile_files::Folder;

/// Reads the obstacles of a run, which are numbered from `first` on; none if there are only planes
/// and what moves.
pub(crate) fn read(
    rules: &Rules,
    first: u32,
    frames: &Folder,
) -> Result<Option<Grid>, VerifyError> {
    if !rules.obstacles.iter().any(|obstacle| obstacle.shape == ObstacleShape::Still) {
        return Ok(None);
    }
    let (name, path) = ("obstacles.vtu", frames.path().join("obstacles.vtu"));
    let wrong = |error: FrameError| VerifyError::File { path: path.clone(), error };
    let grid = grid::read(frames, name).map_err(wrong)?;
    let expected = first..first + rules.obstacles.len() as u32;
    let found = grid.cells.iter().map(|cell| cell.body).find(|body| !expected.contains(body));
    match found {
        Some(found) => Err(VerifyError::OtherObstacles { path, expected, found }),
        None => Ok(Some(grid)),
    }
}
