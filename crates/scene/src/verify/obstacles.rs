//! The obstacles' surfaces, as `obstacles.vtu` has them.
//!
//! The file holds all of them as one grid, in the order of the scene; where one ends and the
//! next begins is known from the meshes' files.

use super::grid::{self, Grid};
use super::{FrameError, VerifyError};
use crate::description::{Obstacle, Scene};
use resile_mesh::read::read_obj;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// The obstacles' grid, and whose each cell is.
#[derive(Debug)]
pub(super) struct Obstacles {
    pub(super) grid: Grid,
    /// Number of the obstacle in the scene, of each cell.
    pub(super) owners: Vec<u32>,
}

/// Reads the obstacles of a run; none if the scene has only planes.
pub(super) fn read(
    scene: &Scene,
    scene_folder: &Path,
    frames: &Path,
) -> Result<Option<Obstacles>, VerifyError> {
    let mut owners = Vec::new();
    for (number, obstacle) in (0..).zip(&scene.obstacles) {
        if let Obstacle::Mesh { file, .. } = obstacle {
            let triangles = triangles(&scene_folder.join(file))?;
            owners.extend(std::iter::repeat_n(number, triangles));
        }
    }
    if owners.is_empty() {
        return Ok(None);
    }
    let path = frames.join("obstacles.vtu");
    let wrong = |error: FrameError| VerifyError::File { path: path.clone(), error };
    let grid = grid::read(&path).map_err(wrong)?;
    let found = grid.cells.len();
    if found != owners.len() {
        return Err(VerifyError::OtherObstacles { path, expected: owners.len(), found });
    }
    Ok(Some(Obstacles { grid, owners }))
}

fn triangles(path: &Path) -> Result<usize, VerifyError> {
    let wrong = |reason: String| VerifyError::ObstacleMesh { path: path.to_owned(), reason };
    let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
    let read = read_obj(BufReader::new(file)).map_err(|error| wrong(error.to_string()))?;
    Ok(read.mesh.triangles.len())
}
