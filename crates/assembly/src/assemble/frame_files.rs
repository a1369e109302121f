//! The files of an animation, found by their numbers and read by their extensions.

use super::shape::Mesh;
use crate::mesh_file::{self, MeshFile, OtherSolidPolicy, Seams};
use resile_math::Vec3;
use resile_mesh::Wireframe;
use resile_mesh::read::{MeshFileError, PointCache, read_mdd, read_pc2};
use resile_scene::description::is_wireframe_file;
use std::fs;
use std::path::{Path, PathBuf};

/// The error of an animation without readable frames, with a remedy.
#[derive(Debug)]
pub(super) struct FrameError {
    pub(super) message: String,
    pub(super) help: String,
}

impl FrameError {
    /// Creates an error with its remedy.
    fn new(message: String, help: &str) -> Self {
        Self { message, help: help.to_owned() }
    }
}

/// Remedy for a file that is not found.
const RELATIVE_PATH_HINT: &str = "names are relative to the scene file";

/// Reads a point cache by the extension of its name.
pub(super) fn read_cache(path: &Path) -> Result<PointCache, FrameError> {
    let file = resile_files::open_linked(path).map_err(|e| {
        FrameError::new(
            format!("the file {} cannot be opened: {e}", path.display()),
            RELATIVE_PATH_HINT,
        )
    })?;
    let extension =
        path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let read = match extension.as_deref() {
        Some("mdd") => read_mdd(file),
        _ => read_pc2(file),
    };
    read.map_err(|e: MeshFileError| {
        let help =
            "save it again in the program that made it: the file is not such a cache, or is truncated";
        FrameError::new(format!("{}: {e}", path.display()), help)
    })
}

/// The triangles or segments of an animated mesh, and which vertices of the file they use.
#[derive(Debug, PartialEq)]
pub(super) struct Topology {
    /// Triangles over the used vertices.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Segments over the used vertices, of a file of segments and points.
    pub(super) segments: Option<Vec<[u32; 2]>>,
    /// The index in the file of each used vertex; for merged vertices that of the first.
    pub(super) vertices: Vec<u32>,
    /// Number of vertices in the file.
    pub(super) file_vertex_count: usize,
}

impl Topology {
    /// Returns the topology of a surface or of the boundary of a solid. Returns `None` for curves, and for a solid
    /// whose vertices were renumbered.
    pub(super) fn new(file: &MeshFile) -> Option<Self> {
        match &file.mesh {
            Mesh::Surface(mesh) => Some(Self {
                file_vertex_count: file.vertices.len(),
                vertices: file_indices(&file.vertices, mesh.positions.len()),
                triangles: mesh.triangles.clone(),
                segments: None,
            }),
            Mesh::Curves(_) => None,
            Mesh::Solid(_) if file.unused_vertices > 0 => None,
            Mesh::Solid(mesh) => Some(Self {
                file_vertex_count: mesh.positions.len(),
                vertices: mesh.surface().vertices,
                triangles: mesh.boundary().triangles,
                segments: None,
            }),
        }
    }

    /// Returns the topology of a mesh of segments and points, which uses all vertices of its file.
    pub(super) fn from_wireframe(wireframe: &Wireframe) -> Self {
        let file_vertex_count = wireframe.positions.len();
        Self {
            triangles: Vec::new(),
            segments: Some(wireframe.segments.clone()),
            vertices: (0..file_vertex_count as u32).collect(),
            file_vertex_count,
        }
    }

    /// Returns the vertex indices in the file of the corners of a triangle, or `None` if there is no such triangle.
    fn triangle(&self, index: usize) -> Option<[u32; 3]> {
        Some(self.triangles.get(index)?.map(|corner| self.vertices[corner as usize]))
    }

    /// Describes the first difference from another topology; `None` if they are equal.
    fn difference(&self, other: &Self) -> Option<String> {
        if self.file_vertex_count != other.file_vertex_count {
            return Some(format!(
                "it has {} vertices, not {}",
                other.file_vertex_count, self.file_vertex_count
            ));
        }
        if self.segments != other.segments {
            return Some("it has other segments".to_owned());
        }
        let max_count = self.triangles.len().max(other.triangles.len());
        let index = (0..max_count).find(|&index| self.triangle(index) != other.triangle(index))?;
        let corners_text = |triangle: Option<[u32; 3]>| {
            triangle.map_or("none".to_owned(), |[a, b, c]| format!("{a}-{b}-{c}"))
        };
        let [expected, found] =
            [self, other].map(|topology| corners_text(topology.triangle(index)));
        Some(format!("triangle {index} is {found}, not {expected}, all counted from 0"))
    }
}

/// Returns for each of the `count` vertices of a mesh the index of the first vertex of the file that became it.
/// `vertices` has the vertex of the mesh for each vertex of the file.
fn file_indices(vertices: &[Option<u32>], count: usize) -> Vec<u32> {
    let mut indices = vec![0; count];
    for (index, vertex) in (0..vertices.len() as u32).zip(vertices).rev() {
        vertex.iter().for_each(|&vertex| indices[vertex as usize] = index);
    }
    indices
}

/// Reads the vertex positions (m) of the frame in the file `path`, which must have the triangles or segments of
/// `topology`. `name` is the file of that topology, for messages.
pub(super) fn read_frame(
    path: &Path,
    topology: &Topology,
    name: &str,
) -> Result<Vec<Vec3>, FrameError> {
    let frame_error =
        |e: mesh_file::MeshFileError| FrameError { help: e.help(), message: e.to_string() };
    if is_wireframe_file(&path.to_string_lossy()) {
        let wireframe = mesh_file::read_wireframe(path).map_err(frame_error)?;
        return match topology.difference(&Topology::from_wireframe(&wireframe)) {
            None => Ok(wireframe.positions),
            Some(difference) => Err(other_mesh_error(path, name, &difference)),
        };
    }
    let result = mesh_file::read_with(path, OtherSolidPolicy::Divide, Seams::Kept);
    let file = result.map_err(frame_error)?;
    let frame_topology = Topology::new(&file);
    let difference = frame_topology
        .map_or(Some("it has nodes of no tetrahedron".to_owned()), |found| {
            topology.difference(&found)
        });
    match difference {
        None => Ok(file.mesh.into_surface().positions),
        Some(difference) => Err(other_mesh_error(path, name, &difference)),
    }
}

/// Returns the error of a frame whose mesh differs from that of the file `name`.
fn other_mesh_error(path: &Path, name: &str, difference: &str) -> FrameError {
    FrameError::new(
        format!("{} is not of the mesh of {name}: {difference}", path.display()),
        "all frames need the same vertices and faces in the same order: save them from one object, with nothing \
         that makes faces anew on the way",
    )
}

/// Returns the files whose names match a pattern, sorted by their numbers, which must be consecutive. A run of `#`
/// stands for a number with at least that many digits.
pub(super) fn numbered_files(pattern: &Path) -> Result<Vec<PathBuf>, FrameError> {
    let name = pattern.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let digits_start = name.find('#').unwrap_or(name.len());
    let (prefix, digits_and_suffix) = name.split_at(digits_start);
    let suffix = digits_and_suffix.trim_start_matches('#');
    let digits = digits_and_suffix.len() - suffix.len();
    let parent = pattern.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = parent.unwrap_or_else(|| Path::new("."));
    let folder_error = |e: std::io::Error| {
        FrameError::new(
            format!("the folder {} cannot be read: {e}", folder.display()),
            RELATIVE_PATH_HINT,
        )
    };
    let mut files: Vec<(u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder).map_err(folder_error)? {
        let name = entry.map_err(folder_error)?.file_name();
        let path = pattern.with_file_name(&name);
        let name = name.to_string_lossy();
        let number = name.strip_prefix(prefix).and_then(|name| name.strip_suffix(suffix));
        if let Some(number) = number.and_then(|number| parse_digits(number, digits)) {
            files.push((number, path));
        }
    }
    files.sort();
    let Some(&(first, _)) = files.first() else {
        let message = format!("no file matches {}", pattern.display());
        let help = "`#` stands for a digit: `hand_####.obj` is hand_0001.obj and so on; names are relative to the scene file";
        return Err(FrameError::new(message, help));
    };
    let gap = (first..).zip(&files).find(|(expected, (number, _))| expected != number);
    if let Some((missing, (next, _))) = gap {
        let message =
            format!("frame {missing} of {} is missing: the next one is {next}", pattern.display());
        return Err(FrameError::new(
            message,
            "save all frames of one animation, and nothing else of that name",
        ));
    }
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// Parses a number with exactly `digits` digits, or with more digits and no leading zero.
fn parse_digits(text: &str, digits: usize) -> Option<u64> {
    let padded = text.len() == digits || (text.len() > digits && !text.starts_with('0'));
    (padded && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_file_numbers_are_zero_padded_and_may_exceed_the_width() {
        let parse = |text| parse_digits(text, 2);
        assert_eq!([parse("07"), parse("99"), parse("100")], [Some(7), Some(99), Some(100)]);
        assert_eq!([parse("7"), parse("007"), parse("+7"), parse(""), parse("7a")], [None; 5]);
        assert_eq!(parse_digits("99999999999999999999", 2), None);
    }
}
