//! Readers by the ending of a file, all of one signature.

use super::BETWEEN_FILES;
use resile_mesh::read::{
    MeshFileError, OtherSolidPolicy, PointCache, SolidMesh, SurfaceMesh, read_gmsh, read_mdd,
    read_medit, read_obj, read_off, read_pc2, read_ply, read_stl, read_tetgen, read_vtk, read_vtu,
};
use resile_mesh::{TetMesh, TriMesh};

/// A mesh of either kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mesh {
    Surface(TriMesh),
    Solid(TetMesh),
    Cache(PointCache),
}

/// The endings of all readers; of `TetGen` the first of two.
pub(crate) const EXTENSIONS: [&str; 11] =
    ["obj", "stl", "ply", "off", "msh", "vtk", "vtu", "mesh", "node", "pc2", "mdd"];

/// The mesh, or why there is none. Both files of `TetGen` are in one.
pub(crate) fn read(ending: &str, bytes: &[u8], others: OtherSolidPolicy) -> Result<Mesh, String> {
    match ending {
        "obj" => read_obj(bytes).map(|r| Mesh::Surface(r.mesh)).map_err(|e| e.to_string()),
        "stl" => surface(read_stl(bytes)),
        "ply" => surface(read_ply(bytes)),
        "off" => surface(read_off(bytes)),
        "msh" => solid(read_gmsh(bytes, others)),
        "vtk" => solid(read_vtk(bytes, others)),
        "vtu" => solid(read_vtu(bytes, others)),
        "mesh" => solid(read_medit(bytes, others)),
        "pc2" => read_pc2(bytes).map(Mesh::Cache).map_err(|error| error.to_string()),
        "mdd" => read_mdd(bytes).map(Mesh::Cache).map_err(|error| error.to_string()),
        "node" => {
            let cut = bytes.iter().position(|&byte| byte == BETWEEN_FILES as u8);
            let cut = cut.unwrap_or(bytes.len());
            solid(read_tetgen(&bytes[..cut], bytes.get(cut + 1..).unwrap_or_default()))
        }
        other => panic!("no reader for .{other}"),
    }
}

fn surface(read: Result<SurfaceMesh, MeshFileError>) -> Result<Mesh, String> {
    read.map(|read| Mesh::Surface(read.mesh)).map_err(|error| error.to_string())
}

fn solid(read: Result<SolidMesh, MeshFileError>) -> Result<Mesh, String> {
    read.map(|read| Mesh::Solid(read.mesh)).map_err(|error| error.to_string())
}
