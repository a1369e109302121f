//! Copies of the original mesh files, kept beside the frames.
//!
//! Frames have only the vertices of triangles, without texture coordinates, groups and quadrilaterals. Exports
//! need the original mesh, so its file is copied when a run begins, and
//! [`Playback::original`](crate::Playback::original) maps the positions of frames to its vertices in their order.

use crate::frames::ORIGINAL;
use crate::{OutputError, RunFolder, io};
use resile_files::Durability;
use resile_mesh::read::{ObjError, ObjFaces, ObjMesh, Seams, read_obj_faces, read_obj_mesh};
use serde::{Deserialize, Serialize};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Name of the list of originals, without extension.
pub(crate) const ORIGINALS: &str = "originals";

/// Byte order mark at the beginning of some text files.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A mesh file in OBJ format, and the bodies and obstacles that it represents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginalFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Path that the list of originals has for it: in a temporary folder a file has another path in every run.
    pub source: PathBuf,
    /// Names of the bodies.
    pub bodies: Vec<String>,
}

/// An entry of the list of originals.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListEntry {
    /// Name of the copy beside the frames.
    pub(crate) file: String,
    /// Original path when the run began; in a built-in scene, the name in the scene.
    pub(crate) source: PathBuf,
    /// Names of the bodies that the file represents.
    pub(crate) bodies: Vec<String>,
}

/// Copies the original files to the folder of frames and writes their list; writes nothing if there are no files.
///
/// # Errors
/// If the system refuses.
pub fn keep_originals(folder: &RunFolder, files: &[OriginalFile]) -> Result<(), OutputError> {
    if files.is_empty() {
        return Ok(());
    }
    let frames = folder.frames_folder()?;
    let write = |name: &str, content: &[u8]| {
        let write_result = frames.write(name, content, Durability::Synced);
        write_result.map_err(io("write", &frames.path().join(name)))
    };
    let mut list = Vec::new();
    for (index, OriginalFile { path, source, bodies }) in files.iter().enumerate() {
        let file = format!("{ORIGINAL}{index:06}.obj");
        let content = read_all(path).map_err(io("read", path))?;
        write(&file, &content)?;
        list.push(ListEntry { file, source: source.clone(), bodies: bodies.clone() });
    }
    let name = format!("{ORIGINALS}.json");
    let json = serde_json::to_string_pretty(&list);
    let json = json.map_err(|e| io("write", &frames.path().join(&name))(e.into()))?;
    write(&name, (json + "\n").as_bytes())
}

/// Reads a mesh file of the scene, which may be a symbolic link.
fn read_all(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    resile_files::open_linked(path)?.read_to_end(&mut content)?;
    Ok(content)
}

/// An original mesh with the map from its vertices to those of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Text of the OBJ file when the run began, with line feeds as line ends.
    pub text: String,
    /// For each vertex of the file, in order, the corresponding vertex of the body. A vertex that is not used maps to
    /// the body vertex of the last used one before it, or to the first body vertex.
    pub vertices: Vec<u32>,
}

impl Original {
    /// Reads the file of a body with `vertex_count` vertices. The file holds a surface, whose seams are welded or, for
    /// obstacles moved by files, open, or the curves of rods.
    ///
    /// # Errors
    /// If the file is neither a surface nor a set of curves.
    pub fn with_vertex_count(content: &[u8], vertex_count: usize) -> Result<Self, ObjError> {
        let sewn = Self::new(content, Seams::Sewn)?;
        if sewn.body_vertex_count() == vertex_count {
            Ok(sewn)
        } else {
            Self::new(content, Seams::Kept)
        }
    }

    /// Number of vertices of the body.
    pub fn body_vertex_count(&self) -> usize {
        self.vertices.iter().max().map_or(0, |&last| last as usize + 1)
    }

    /// The faces of the surface, by vertex indices of the file; empty for curves.
    pub fn faces(&self) -> ObjFaces {
        read_obj_faces(self.text.as_bytes())
    }

    /// Reads a file with welded or open seams.
    fn new(content: &[u8], seams: Seams) -> Result<Self, ObjError> {
        let text = String::from_utf8_lossy(content);
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let last_used = |last: &mut u32, vertex: Option<u32>| {
            *last = vertex.unwrap_or(*last);
            Some(*last)
        };
        let vertices = match read_obj_mesh(content, seams)? {
            ObjMesh::Surface(surface) => surface.vertices,
            ObjMesh::Curves { vertices, .. } => vertices,
        };
        Ok(Self { text, vertices: vertices.into_iter().scan(0, last_used).collect() })
    }

    /// Values at the vertices of the file, from values at the vertices of the body.
    pub fn placed<T: Copy>(&self, body: &[T]) -> Vec<T> {
        self.vertices.iter().map(|&vertex| body[vertex as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn original_vertices_follow_the_file_order() {
        let text = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 1 1 0\nv 0 1 0\nv 7 7 7\nf 2 3 5 6\n";
        let original = Original::with_vertex_count(text.as_bytes(), 4).expect("it is a surface");
        assert_eq!(original.placed(&["a", "b", "c", "d"]), ["a", "a", "b", "b", "c", "d", "d"]);
    }

    #[test]
    fn original_curve_vertices_follow_the_lines() {
        let text = "\u{feff}v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 1 1 0\nl 5 3 2\n";
        let original = Original::with_vertex_count(text.as_bytes(), 3).expect("it has lines");
        assert_eq!(original.placed(&["a", "b", "c"]), ["a", "a", "b", "b", "c"]);
        assert!(original.text.starts_with("v 9"), "without its byte order mark");
        assert!(original.faces().faces.is_empty());
    }
}
