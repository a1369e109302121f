//! Surfaces of fixed obstacles, from `obstacles.vtu` or, with frames in PLY, `obstacles.ply`.
//!
//! The file holds all of them as one grid; each cell has the number of its obstacle. Obstacle numbers follow
//! those of the bodies in frames. Planes have a separate file, which is not read: the rules define them.

use crate::grid::{self, Grid};
use crate::{FrameError, VerifyError};
use crate::{ObstacleShape, Rules};
use resile_files::Folder;

/// Reads the obstacles of a run, which are numbered from `first` on; the result is empty if all obstacles are
/// planes or move. `name` is that of the file in the folder `frames`.
pub(crate) fn read(
    rules: &Rules,
    first: u32,
    (frames, name): (&Folder, &str),
) -> Result<Option<Grid>, VerifyError> {
    if !rules.obstacles.iter().any(|obstacle| obstacle.shape == ObstacleShape::Still) {
        return Ok(None);
    }
    let path = frames.path().join(name);
    let file_error = |error: FrameError| VerifyError::File { path: path.clone(), error };
    let grid = grid::read(frames, name).map_err(file_error)?;
    let expected = first..first + rules.obstacles.len() as u32;
    let unexpected = grid.cells.iter().map(|cell| cell.body).find(|body| !expected.contains(body));
    match unexpected {
        Some(unexpected) => Err(VerifyError::OtherObstacles { path, expected, found: unexpected }),
        None => Ok(Some(grid)),
    }
}
