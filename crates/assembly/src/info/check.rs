//! The result of `sim check`.

use super::SceneInfo;
use crate::assemble::Crossing;
use crate::mesh_file::{self, Groups, Mesh, MeshFileError, refuse_files_of_runs};
use resile_mesh::TriMesh;
use resile_record::surfaces;
use resile_scene::text::Diagnostic;
use serde::Serialize;
use std::path::Path;

/// The result of a check.
#[derive(Debug, Serialize)]
pub struct CheckInfo {
    /// Whether the scene is valid.
    pub good: bool,
    /// Errors and warnings, in the order in which they are reported.
    pub problems: Vec<Diagnostic>,
    /// Intersections in the initial state.
    pub crossings: Vec<Crossing>,
    /// The scene, if it is valid.
    pub scene: Option<SceneInfo>,
    /// Estimated memory (bytes) of the first steps without contact.
    pub usual_memory_bytes: Option<u64>,
    /// Estimated time (s) of all steps without contact, if predictable.
    pub usual_seconds: Option<f64>,
}

/// Writes the intersecting triangles as `.vtu` with the index of the body of each triangle, or as `.ply` or `.obj`.
///
/// # Errors
/// If the extension is none of these, or the file cannot be written.
pub fn write_crossings(crossings: &[Crossing], path: &Path) -> Result<(), MeshFileError> {
    let meshes: Vec<(u32, TriMesh)> = crossings.iter().flat_map(Crossing::meshes).collect();
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("vtu")) {
        refuse_files_of_runs(path)?;
        let file = surfaces(meshes.iter().map(|(body, mesh)| (*body, mesh)));
        return resile_files::replace(path, |out| out.write_all(&file))
            .map_err(|error| MeshFileError::Write { path: path.to_owned(), error });
    }
    let mut merged = TriMesh { positions: Vec::new(), triangles: Vec::new() };
    for (_, mesh) in meshes {
        let first_point = merged.positions.len() as u32;
        merged.positions.extend(mesh.positions);
        merged.triangles.extend(mesh.triangles.iter().map(|t| t.map(|point| point + first_point)));
    }
    mesh_file::write(&Mesh::Surface(merged), &Groups::new(), path)
}
