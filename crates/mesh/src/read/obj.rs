//! Wavefront OBJ surfaces, parsed by `tobj`.
//!
//! Only positions and faces matter to mechanics, so `tobj` is handed nothing
//! else: texture coordinates, normals, colours, groups and materials are left
//! out first. Left in, a group or a material would start a mesh of its own, with
//! the vertices along the seam doubled: a closed surface would come out as open
//! patches. The same pass checks each line, because `tobj` does not say where an
//! error is and takes NaN for a number.

use crate::TriMesh;
use crate::read::polygons::{SurfaceMesh, SurfaceReport, keep_used};
use crate::read::{InputError, read_all};
use resile_math::Vec3;
use std::io::Read;
use std::path::Path;
use thiserror::Error;
use tobj::{LoadError, LoadOptions};

/// Why a file is not a surface in OBJ format.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ObjError {
    /// The bytes could not be had.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A vertex or face that cannot be understood.
    #[error("line {line}: cannot be read as {expected}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// What the line begins as.
        expected: &'static str,
    },
    /// A coordinate is NaN or infinite.
    #[error("line {line}: vertex {vertex} has a coordinate that is not a finite number")]
    NotFinite {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, as faces do.
        vertex: usize,
    },
    /// A face refers to a vertex that is not there.
    #[error(
        "line {line}: the face refers to vertex {index}, but there are {vertices} vertices \
         (counting starts at 1, or at -1 backwards from the last one so far)"
    )]
    OutOfRange {
        /// Counted from 1.
        line: usize,
        /// As written in the file.
        index: i64,
        /// How many the index could refer to.
        vertices: usize,
    },
    /// A face with fewer than three corners.
    #[error("line {line}: the face has {corners} corners; it needs at least 3")]
    TooFewCorners {
        /// Counted from 1.
        line: usize,
        /// How many it has.
        corners: usize,
    },
    /// No faces at all.
    #[error("the file has no faces")]
    NoFaces,
    /// `tobj` refused what passed all checks above.
    #[error("not an OBJ surface: {0}")]
    Refused(LoadError),
}

/// Reads a surface: all faces of the file as one mesh, polygons split into fans
/// from their first corner.
///
/// Triangles come in the file's order, vertices in the order in which faces first use
/// them. Not refused: holes, non-manifold edges, repeated faces; ask
/// [`TriMesh::defects`].
pub fn read_obj(reader: impl Read) -> Result<SurfaceMesh, ObjError> {
    let bytes = read_all(reader)?;
    let essence = Essence::of(&bytes)?;
    if essence.triangles == 0 {
        return Err(ObjError::NoFaces);
    }
    let options = LoadOptions { triangulate: true, ..LoadOptions::default() };
    let no_materials = |_: &Path| Err(LoadError::OpenFileFailed);
    let (models, _) = tobj::load_obj_buf(&mut essence.text.as_bytes(), &options, no_materials)
        .map_err(ObjError::Refused)?;
    let mut mesh = TriMesh::default();
    for model in models {
        let first = mesh.positions.len() as u32;
        let (positions, _) = model.mesh.positions.as_chunks::<3>();
        mesh.positions.extend(positions.iter().map(|&p| Vec3::from_array(p)));
        let (triangles, _) = model.mesh.indices.as_chunks::<3>();
        mesh.triangles.extend(triangles.iter().map(|t| t.map(|v| v + first)));
    }
    let faces = mesh.triangles.len();
    mesh.triangles.retain(|[a, b, c]| a != b && b != c && a != c);
    let collapsed = faces - mesh.triangles.len();
    if mesh.triangles.is_empty() {
        return Err(ObjError::NoFaces);
    }
    mesh.positions = keep_used(mesh.positions, mesh.triangles.as_flattened_mut());
    let unused_vertices = essence.vertices - mesh.positions.len();
    let report = SurfaceReport { unused_vertices, polygons: essence.polygons, collapsed };
    Ok(SurfaceMesh { mesh, report })
}

/// What of a file matters, line by line.
#[derive(Debug, Default)]
struct Essence {
    /// Vertices and faces only, indices counted from 1.
    text: String,
    vertices: usize,
    polygons: usize,
    /// After splitting.
    triangles: usize,
}

impl Essence {
    fn of(bytes: &[u8]) -> Result<Self, ObjError> {
        let mut essence = Self::default();
        // Faces may refer to vertices further on: the largest index, its line.
        let mut farthest = (0, 0);
        for (line, content) in bytes.split(|&b| b == b'\n').enumerate() {
            let line = line + 1;
            let content = String::from_utf8_lossy(content);
            let mut words = content.split_ascii_whitespace();
            match words.next() {
                Some("v") => essence.add_vertex(line, words)?,
                Some("f") => farthest = farthest.max((essence.add_face(line, words)?, line)),
                _ => {}
            }
        }
        let vertices = essence.vertices;
        match farthest {
            (index, _) if index <= vertices => Ok(essence),
            (index, line) => Err(ObjError::OutOfRange { line, index: index as i64, vertices }),
        }
    }

    fn add_vertex<'a>(
        &mut self,
        line: usize,
        mut words: impl Iterator<Item = &'a str>,
    ) -> Result<(), ObjError> {
        self.vertices += 1;
        self.text.push('v');
        for _ in 0..3 {
            let malformed = ObjError::Syntax { line, expected: "a vertex, v x y z" };
            let Some(word) = words.next() else { return Err(malformed) };
            match word.parse::<f64>() {
                Ok(coordinate) if coordinate.is_finite() => {}
                Ok(_) => return Err(ObjError::NotFinite { line, vertex: self.vertices }),
                Err(_) => return Err(malformed),
            }
            self.text.push(' ');
            self.text.push_str(word);
        }
        self.text.push('\n');
        Ok(())
    }

    /// Returns the largest index.
    fn add_face<'a>(
        &mut self,
        line: usize,
        words: impl Iterator<Item = &'a str>,
    ) -> Result<usize, ObjError> {
        let (mut corners, mut largest) = (0, 0);
        self.text.push('f');
        for word in words {
            let index = self.resolve(line, word)?;
            self.text.push(' ');
            self.text.push_str(&index.to_string());
            largest = largest.max(index);
            corners += 1;
        }
        self.text.push('\n');
        if corners < 3 {
            return Err(ObjError::TooFewCorners { line, corners });
        }
        self.polygons += usize::from(corners > 3);
        self.triangles += corners - 2;
        Ok(largest)
    }

    /// The vertex, counted from 1, that a corner such as `7`, `-1` or `7/1/3`
    /// refers to.
    fn resolve(&self, line: usize, corner: &str) -> Result<usize, ObjError> {
        let position = corner.split('/').next().unwrap_or_default();
        let Ok(index) = position.parse::<i64>() else {
            return Err(ObjError::Syntax { line, expected: "a face, f 1 2 3 or f 1/1/1 ..." });
        };
        let vertices = self.vertices;
        let resolved = if index < 0 { vertices as i64 + 1 + index } else { index };
        match usize::try_from(resolved) {
            Ok(found) if found > 0 => Ok(found),
            _ => Err(ObjError::OutOfRange { line, index, vertices }),
        }
    }
}
