//! What holds for every mesh that a reader gives.

use crate::good_files::read::Mesh;
use resile_mesh::inspect::{SolidInspection, SurfaceInspection};

/// Numbers in range, no more of anything than there were bytes, and nothing that looks at
/// it may panic.
pub(crate) fn sound(mesh: &Mesh, bytes: usize) -> Result<(), String> {
    let (positions, cells, in_range) = match mesh {
        Mesh::Cache(cache) => {
            let even = cache.samples.iter().all(|sample| sample.len() == cache.samples[0].len());
            let alike = even && cache.times.len() == cache.samples.len();
            (&cache.samples.concat(), 0, alike)
        }
        Mesh::Surface(mesh) => {
            let nodes = mesh.triangles.as_flattened().iter();
            let in_range = nodes.into_iter().all(|&n| (n as usize) < mesh.positions.len());
            (&mesh.positions, mesh.triangles.len(), in_range)
        }
        Mesh::Solid(mesh) => {
            let nodes = mesh.tets.as_flattened().iter();
            let in_range = nodes.into_iter().all(|&n| (n as usize) < mesh.positions.len());
            (&mesh.positions, mesh.tets.len(), in_range)
        }
    };
    if !in_range || !positions.iter().all(|p| p.is_finite()) {
        return Err("numbers out of range".to_owned());
    }
    if positions.len() > bytes || cells > bytes {
        return Err(format!("{} points, {cells} cells of {bytes} bytes", positions.len()));
    }
    match mesh {
        Mesh::Cache(_) => {}
        Mesh::Surface(mesh) => drop((mesh.check(), SurfaceInspection::new(mesh))),
        Mesh::Solid(mesh) => drop((mesh.check(), SolidInspection::new(mesh), mesh.boundary())),
    }
    Ok(())
}
