//! Meshes of foreign files, read for their extent, nodes and faces.

use resile_files::open_linked;
use resile_math::{Aabb, Vec3};
use resile_mesh::read::{self, AnyMesh, Format, OtherSolidPolicy, Seams, SolidMesh, SurfaceMesh};
use resile_mesh::{TetMesh, TriMesh, Wireframe};
use std::path::{Path, PathBuf};

/// Content of a mesh: a solid, a surface, or segments and points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Solid(TetMesh),
    Surface(TriMesh),
    Wireframe(Wireframe),
}

/// A mesh as stored in its file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ForeignMesh {
    pub(crate) content: Content,
    /// For each node, the index of the first vertex of the file that maps to it.
    pub(crate) vertex_indices: Vec<u32>,
}

impl ForeignMesh {
    /// Positions of all nodes, as in the file.
    pub(crate) fn positions(&self) -> &[Vec3] {
        match &self.content {
            Content::Solid(mesh) => &mesh.positions,
            Content::Surface(mesh) => &mesh.positions,
            Content::Wireframe(mesh) => &mesh.positions,
        }
    }

    /// The tetrahedra, if the mesh is a solid.
    pub(crate) fn solid(&self) -> Option<&TetMesh> {
        match &self.content {
            Content::Solid(mesh) => Some(mesh),
            Content::Surface(_) | Content::Wireframe(_) => None,
        }
    }

    /// Boundary of a solid, or triangles of a surface, by indices of [`positions`](Self::positions).
    pub(crate) fn triangles(&self) -> Vec<[u32; 3]> {
        match &self.content {
            Content::Solid(mesh) => mesh.surface().triangles,
            Content::Surface(mesh) => mesh.triangles.clone(),
            Content::Wireframe(_) => Vec::new(),
        }
    }

    /// Bounding box of all nodes, as in the file.
    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::of_points(self.positions().iter().copied())
    }
}

/// Reads a mesh, with the format determined by the file extension.
pub(crate) fn read(path: &Path) -> Result<ForeignMesh, String> {
    let format = Format::of_name(&path.to_string_lossy())
        .ok_or_else(|| "the file extension is not that of a supported format".to_owned())?;
    let open = |path: &Path| open_linked(path).map_err(|error| error.to_string());
    let file = open(path)?;
    let other_solids = OtherSolidPolicy::Divide;
    let surface = |mesh: SurfaceMesh| AnyMesh::Surface(mesh);
    let mesh_of_file = match format {
        Format::Obj => {
            read::read_obj_with(file, Seams::Kept).map(surface).map_err(|e| e.to_string())
        }
        Format::Stl => read::read_stl(file).map(surface).map_err(|e| e.to_string()),
        Format::Ply => {
            read::read_ply_with(file, Seams::Kept).map(surface).map_err(|e| e.to_string())
        }
        Format::Off => {
            read::read_off_with(file, Seams::Kept).map(surface).map_err(|e| e.to_string())
        }
        Format::Gmsh => {
            read::read_gmsh_any(file, other_solids, Seams::Kept).map_err(|e| e.to_string())
        }
        Format::Vtk => {
            read::read_vtk_any(file, other_solids, Seams::Kept).map_err(|e| e.to_string())
        }
        Format::Vtu | Format::Vtp => {
            read::read_vtu_any(file, other_solids, Seams::Kept).map_err(|e| e.to_string())
        }
        Format::Medit => {
            read::read_medit_any(file, other_solids, Seams::Kept).map_err(|e| e.to_string())
        }
        Format::TetGen => {
            let (node, ele) =
                (open(&path.with_extension("node"))?, open(&path.with_extension("ele"))?);
            read::read_tetgen(node, ele).map(AnyMesh::Solid).map_err(|e| e.to_string())
        }
    }?;
    Ok(match mesh_of_file {
        AnyMesh::Solid(SolidMesh { mesh, vertices, .. }) => {
            let vertex_indices = first_vertices(&vertices, mesh.positions.len());
            ForeignMesh { content: Content::Solid(mesh), vertex_indices }
        }
        AnyMesh::Surface(SurfaceMesh { mesh, vertices, .. }) => {
            let vertex_indices = first_vertices(&vertices, mesh.positions.len());
            ForeignMesh { content: Content::Surface(mesh), vertex_indices }
        }
    })
}

/// Reads segments and points, `.seg` and `.pt`.
pub(crate) fn read_wireframe(path: &Path) -> Result<ForeignMesh, String> {
    let file = open_linked(path).map_err(|error| error.to_string())?;
    let frame = read::read_wireframe(file).map_err(|error| error.to_string())?;
    frame.check().map_err(|error| error.to_string())?;
    let vertex_indices = (0..frame.positions.len() as u32).collect();
    Ok(ForeignMesh { content: Content::Wireframe(frame), vertex_indices })
}

/// For each of `node_count` nodes, the index of the first vertex of the file that maps to it. `vertex_nodes` has the
/// node of each vertex.
fn first_vertices(vertex_nodes: &[Option<u32>], node_count: usize) -> Vec<u32> {
    let mut first_vertices = vec![u32::MAX; node_count];
    for (vertex, node) in vertex_nodes.iter().enumerate().rev() {
        if let Some(node) = node {
            first_vertices[*node as usize] = vertex as u32;
        }
    }
    first_vertices
}

/// `path` relative to the folder `base`; both are made absolute first.
pub(crate) fn relative_path(base: &Path, path: &Path) -> String {
    let full_name = |path: &Path| {
        let mut parts = PathBuf::new();
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        for part in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
            match part {
                std::path::Component::ParentDir => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        parts
    };
    let (base, path) = (full_name(base), full_name(path));
    let common = base.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let parents = base.components().skip(common).map(|_| "..".to_owned());
    let children = path.components().skip(common);
    let children = children.map(|part| part.as_os_str().to_string_lossy().into_owned());
    parents.chain(children).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_go_through_the_common_folder() {
        let named = |base: &str, path: &str| relative_path(Path::new(base), Path::new(path));
        assert_eq!(named("/a/b", "/a/c/d.msh"), "../c/d.msh");
        assert_eq!(named("/a/b", "/a/b/d.msh"), "d.msh");
        assert_eq!(named("/a/b", "/a/b/../../e/d.msh"), "../../e/d.msh");
        assert_eq!(named("", "x/d.msh"), "x/d.msh");
    }

    #[test]
    fn merged_vertices_take_the_lowest_number() {
        assert_eq!(first_vertices(&[None, Some(1), Some(0), Some(1)], 2), [2, 1]);
    }
}
