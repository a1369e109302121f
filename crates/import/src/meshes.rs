//! Meshes of foreign files, read for their extent, nodes and faces.

use resile_files::open_linked;
use resile_math::{Aabb, Vec3};
use resile_mesh::read::{
    self, AnyMesh, Format, Groups, OtherSolidPolicy, Seams, SolidMesh, SurfaceMesh,
};
use resile_mesh::{TetMesh, TriMesh, Wireframe};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

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
    /// For each tetrahedron, the number of its physical group in a Gmsh file, or 0; empty without such groups.
    pub(crate) volume_ids: Vec<i64>,
}

impl ForeignMesh {
    /// Positions of all nodes, in the units of the file.
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

    /// Bounding box of all nodes, in the units of the file.
    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::of_points(self.positions().iter().copied())
    }
}

/// Reads a mesh, with the format determined by the file extension. Other solid elements than tetrahedra are divided
/// into tetrahedra.
///
/// # Errors
/// The reason, if the format is not supported or the file cannot be read.
pub(crate) fn read(path: &Path) -> Result<ForeignMesh, String> {
    let format = Format::of_name(&path.to_string_lossy())
        .ok_or_else(|| "the file extension is not that of a supported format".to_owned())?;
    Ok(match read_format(path, format)? {
        AnyMesh::Solid(SolidMesh { mesh, vertices, groups, .. }) => {
            let vertex_indices = first_vertices(&vertices, mesh.positions.len());
            let numbers = match format {
                Format::Gmsh => volume_numbers(path),
                _ => BTreeMap::new(),
            };
            let volume_ids = volume_ids(&groups, &numbers, mesh.tets.len());
            ForeignMesh { content: Content::Solid(mesh), vertex_indices, volume_ids }
        }
        AnyMesh::Surface(SurfaceMesh { mesh, vertices, .. }) => {
            let vertex_indices = first_vertices(&vertices, mesh.positions.len());
            ForeignMesh { content: Content::Surface(mesh), vertex_indices, volume_ids: Vec::new() }
        }
    })
}

/// Reads a mesh of a given format. The nodes and elements of a mesh of `TetGen` are in two files beside each other.
fn read_format(path: &Path, format: Format) -> Result<AnyMesh, String> {
    let open = |path: &Path| open_linked(path).map_err(|error| error.to_string());
    let file = open(path)?;
    let (other_solids, seams) = (OtherSolidPolicy::Divide, Seams::Kept);
    match format {
        Format::Obj => with_text_error(read::read_obj_with(file, seams).map(AnyMesh::Surface)),
        Format::Stl => with_text_error(read::read_stl(file).map(AnyMesh::Surface)),
        Format::Ply => with_text_error(read::read_ply_with(file, seams).map(AnyMesh::Surface)),
        Format::Off => with_text_error(read::read_off_with(file, seams).map(AnyMesh::Surface)),
        Format::Gmsh => with_text_error(read::read_gmsh_any(file, other_solids, seams)),
        Format::Vtk => with_text_error(read::read_vtk_any(file, other_solids, seams)),
        Format::Vtu | Format::Vtp => with_text_error(read::read_vtu_any(file, other_solids, seams)),
        Format::Medit => with_text_error(read::read_medit_any(file, other_solids, seams)),
        Format::TetGen => {
            let nodes = open(&path.with_extension("node"))?;
            let elements = open(&path.with_extension("ele"))?;
            with_text_error(read::read_tetgen(nodes, elements).map(AnyMesh::Solid))
        }
    }
}

/// The result with the message of its error.
fn with_text_error<T>(result: Result<T, impl std::fmt::Display>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

/// Reads segments and points, `.seg` and `.pt`.
///
/// # Errors
/// The reason, if the file cannot be read or its wireframe is invalid.
pub(crate) fn read_wireframe(path: &Path) -> Result<ForeignMesh, String> {
    let file = open_linked(path).map_err(|error| error.to_string())?;
    let wireframe = read::read_wireframe(file).map_err(|error| error.to_string())?;
    wireframe.check().map_err(|error| error.to_string())?;
    let vertex_indices = (0..wireframe.positions.len() as u32).collect();
    let content = Content::Wireframe(wireframe);
    Ok(ForeignMesh { content, vertex_indices, volume_ids: Vec::new() })
}

/// Largest number of bytes from the start of a Gmsh file in which the names of its groups are looked for.
const MAX_NAME_BYTES: u64 = 1 << 16;

/// Numbers of the named physical groups of volumes, from `$PhysicalNames` of a Gmsh file; empty if it has none.
fn volume_numbers(path: &Path) -> BTreeMap<String, i64> {
    let mut start = Vec::new();
    let read = open_linked(path).and_then(|file| file.take(MAX_NAME_BYTES).read_to_end(&mut start));
    let text = String::from_utf8_lossy(&start);
    let section = text.split("$PhysicalNames").nth(1).filter(|_| read.is_ok());
    let lines = section.unwrap_or_default().lines().take_while(|line| !line.starts_with("$End"));
    let named_volume = |line: &str| {
        let (dimension, rest) = line.trim().split_once(' ')?;
        let (number, name) = rest.trim().split_once(' ')?;
        let number = number.parse().ok().filter(|_| dimension == "3")?;
        Some((name.trim().trim_matches('"').to_owned(), number))
    };
    lines.filter_map(named_volume).collect()
}

/// Numbers of the physical groups of `element_count` tetrahedra, 0 for those in none; empty without groups. `numbers` has
/// those of named groups.
fn volume_ids(groups: &Groups, numbers: &BTreeMap<String, i64>, element_count: usize) -> Vec<i64> {
    let number = |name: &String| {
        let unnamed = || name.strip_prefix("volume ")?.parse::<i64>().ok();
        numbers.get(name).copied().or_else(unnamed)
    };
    let mut ids = Vec::new();
    for (number, group) in groups.iter().filter_map(|(name, group)| Some((number(name)?, group))) {
        ids.resize(element_count, 0);
        group.elements.iter().for_each(|element| ids[*element as usize] = number);
    }
    ids
}

/// For each of `node_count` nodes, the index of the first vertex of the file that maps to it; `u32::MAX` without one.
/// `vertex_nodes` has the node of each vertex.
fn first_vertices(vertex_nodes: &[Option<u32>], node_count: usize) -> Vec<u32> {
    let mut first_vertices = vec![u32::MAX; node_count];
    for (vertex, node) in vertex_nodes.iter().enumerate().rev() {
        if let Some(node) = node {
            first_vertices[*node as usize] = vertex as u32;
        }
    }
    first_vertices
}

/// `path` relative to the folder `base`, with `/` between its components. Both are made absolute first.
pub(crate) fn relative_path(base: &Path, path: &Path) -> String {
    let (base, path) = (normalized(base), normalized(path));
    let common_count = base.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let parents = base.components().skip(common_count).map(|_| "..".to_owned());
    let children = path.components().skip(common_count);
    let children = children.map(|component| component.as_os_str().to_string_lossy().into_owned());
    parents.chain(children).collect::<Vec<_>>().join("/")
}

/// An absolute path without `..`; the empty path is the current folder.
fn normalized(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut normalized = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => drop(normalized.pop()),
            component => normalized.push(component),
        }
    }
    normalized
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
