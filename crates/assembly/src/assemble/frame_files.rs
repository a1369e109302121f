//! The files of an animation, found by their numbers and read by their extensions.

use super::shape::Mesh;
use crate::mesh_file::{self, MeshFile, OtherSolids, Seams};
use resile_math::Vec3;
use resile_mesh::Wireframe;
use resile_mesh::read::{MeshFileError, PointCache, read_mdd, read_pc2};
use resile_scene::description::is_wireframe_file;
use std::fs;
use std::path::{Path, PathBuf};

/// The reason why there are no frames, with a remedy.
#[derive(Debug)]
pub(super) struct NoFrames {
    pub(super) message: String,
    pub(super) help: String,
}

impl NoFrames {
    fn new(message: String, help: &str) -> Self {
        Self { message, help: help.to_owned() }
    }
}

const RELATIVE_PATH_HINT: &str = "names are relative to the scene file";

/// Reads a point cache by the extension of its name.
pub(super) fn read_cache(path: &Path) -> Result<PointCache, NoFrames> {
    let opened = resile_files::open_linked(path).map_err(|e| {
        NoFrames::new(
            format!("the file {} cannot be opened: {e}", path.display()),
            RELATIVE_PATH_HINT,
        )
    })?;
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let read = match ending.as_deref() {
        Some("mdd") => read_mdd(opened),
        _ => read_pc2(opened),
    };
    read.map_err(|e: MeshFileError| {
        let help =
            "save it again in the program that made it: the file is not such a cache, or is truncated";
        NoFrames::new(format!("{}: {e}", path.display()), help)
    })
}

/// Triangles with the numbers of their vertices in a file.
#[derive(Debug, PartialEq)]
pub(super) struct Topology {
    /// Triangles over the used vertices.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Segments over the used vertices, of a file of segments and points.
    pub(super) segments: Option<Vec<[u32; 2]>>,
    /// Numbers of the vertices in the file; for merged vertices the first.
    pub(super) vertices: Vec<u32>,
    /// Number of vertices in the file.
    pub(super) in_file: usize,
}

impl Topology {
    /// The topology of a surface or of the boundary of a solid; `None` without file numbers.
    pub(super) fn new(file: &MeshFile) -> Option<Self> {
        match &file.mesh {
            Mesh::Surface(mesh) => Some(Self {
                in_file: file.vertices.len(),
                vertices: numbers_in_file(&file.vertices, mesh.positions.len()),
                triangles: mesh.triangles.clone(),
                segments: None,
            }),
            Mesh::Curves(_) => None,
            Mesh::Solid(_) if file.unused_vertices > 0 => None,
            Mesh::Solid(mesh) => Some(Self {
                in_file: mesh.positions.len(),
                vertices: mesh.surface().vertices,
                triangles: mesh.boundary().triangles,
                segments: None,
            }),
        }
    }

    /// The topology of segments and points.
    pub(super) fn of_wireframe(frame: &Wireframe) -> Self {
        let in_file = frame.positions.len();
        Self {
            triangles: Vec::new(),
            segments: Some(frame.segments.clone()),
            vertices: (0..in_file as u32).collect(),
            in_file,
        }
    }

    /// A triangle by the numbers of its corners in the file, from 0.
    fn triangle(&self, number: usize) -> Option<[u32; 3]> {
        Some(self.triangles.get(number)?.map(|corner| self.vertices[corner as usize]))
    }

    /// Describes the difference from another topology, if any.
    fn difference(&self, other: &Self) -> Option<String> {
        if self.in_file != other.in_file {
            return Some(format!("it has {} vertices, not {}", other.in_file, self.in_file));
        }
        if self.segments != other.segments {
            return Some("it has other segments".to_owned());
        }
        let max_count = self.triangles.len().max(other.triangles.len());
        let number =
            (0..max_count).find(|&number| self.triangle(number) != other.triangle(number))?;
        let described = |triangle: Option<[u32; 3]>| {
            triangle.map_or("none".to_owned(), |[a, b, c]| format!("{a}-{b}-{c}"))
        };
        let [here, there] = [self, other].map(|topology| described(topology.triangle(number)));
        Some(format!("triangle {number} is {there}, not {here}, all counted from 0"))
    }
}

/// The first vertex of the file for each of `count` vertices of a mesh.
fn numbers_in_file(vertices: &[Option<u32>], count: usize) -> Vec<u32> {
    let mut numbers = vec![0; count];
    for (number, vertex) in (0..vertices.len() as u32).zip(vertices).rev() {
        vertex.iter().for_each(|&vertex| numbers[vertex as usize] = number);
    }
    numbers
}

/// Positions of the vertices (m) in a file with the same triangles as `topology`, which stems from the file
/// `name`.
pub(super) fn read_frame(
    path: &Path,
    topology: &Topology,
    name: &str,
) -> Result<Vec<Vec3>, NoFrames> {
    let refused = |e: mesh_file::MeshFileError| NoFrames { help: e.help(), message: e.to_string() };
    if is_wireframe_file(&path.to_string_lossy()) {
        let frame = mesh_file::read_wireframe(path).map_err(refused)?;
        return match topology.difference(&Topology::of_wireframe(&frame)) {
            None => Ok(frame.positions),
            Some(difference) => Err(other_mesh(path, name, &difference)),
        };
    }
    let read = mesh_file::read_with(path, OtherSolids::Divide, Seams::Kept);
    let file = read.map_err(refused)?;
    let other = Topology::new(&file);
    let difference = other.map_or(Some("it has nodes of no tetrahedron".to_owned()), |other| {
        topology.difference(&other)
    });
    match difference {
        None => Ok(file.mesh.into_surface().positions),
        Some(difference) => Err(other_mesh(path, name, &difference)),
    }
}

fn other_mesh(path: &Path, name: &str, difference: &str) -> NoFrames {
    NoFrames::new(
        format!("{} is not of the mesh of {name}: {difference}", path.display()),
        "all frames need the same vertices and faces in the same order: save them from one object, with nothing \
         that makes faces anew on the way",
    )
}

/// The files whose names match a pattern, sorted by their numbers. A run of `#` stands for a number with at least that
/// many digits.
pub(super) fn numbered(pattern: &Path) -> Result<Vec<PathBuf>, NoFrames> {
    let name = pattern.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let first = name.find('#').unwrap_or(name.len());
    let (prefix, rest) = name.split_at(first);
    let suffix = rest.trim_start_matches('#');
    let digits = rest.len() - suffix.len();
    let parent = pattern.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = parent.unwrap_or_else(|| Path::new("."));
    let unreadable = |e: std::io::Error| {
        NoFrames::new(
            format!("the folder {} cannot be read: {e}", folder.display()),
            RELATIVE_PATH_HINT,
        )
    };
    let mut files: Vec<(u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name();
        let path = pattern.with_file_name(&name);
        let name = name.to_string_lossy();
        let number = name.strip_prefix(prefix).and_then(|name| name.strip_suffix(suffix));
        if let Some(number) = number.and_then(|number| of_digits(number, digits)) {
            files.push((number, path));
        }
    }
    files.sort();
    let Some(&(first, _)) = files.first() else {
        let message = format!("no file matches {}", pattern.display());
        let help = "`#` stands for a digit: `hand_####.obj` is hand_0001.obj and so on; names are relative to the scene file";
        return Err(NoFrames::new(message, help));
    };
    let gap = (first..).zip(&files).find(|(expected, (number, _))| expected != number);
    if let Some((missing, (next, _))) = gap {
        let message =
            format!("frame {missing} of {} is missing: the next one is {next}", pattern.display());
        return Err(NoFrames::new(
            message,
            "save all frames of one animation, and nothing else of that name",
        ));
    }
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// Parses a number with exactly `digits` digits, or with more digits and no leading zero.
fn of_digits(text: &str, digits: usize) -> Option<u64> {
    let padded = text.len() == digits || (text.len() > digits && !text.starts_with('0'));
    (padded && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_file_numbers_are_zero_padded_and_may_exceed_the_width() {
        let of = |text| of_digits(text, 2);
        assert_eq!([of("07"), of("99"), of("100")], [Some(7), Some(99), Some(100)]);
        assert_eq!([of("7"), of("007"), of("+7"), of(""), of("7a")], [None; 5]);
        assert_eq!(of_digits("99999999999999999999", 2), None);
    }
}
