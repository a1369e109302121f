//! What the surface readers share: from polygons as a file has them to triangles.

use super::MeshFileError;
use crate::TriMesh;
use resile_math::Vec3;

/// A surface, and what was changed to get it.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceMesh {
    /// Triangles and vertices in the file's order.
    pub mesh: TriMesh,
    /// What was left out or changed.
    pub report: SurfaceReport,
}

/// What of a file with a surface was not used as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SurfaceReport {
    /// Vertices that no face uses.
    pub unused_vertices: usize,
    /// Faces with more than three corners, split into fans.
    pub polygons: usize,
    /// Triangles that had one vertex at two corners. Leaving them out opens nothing:
    /// their other two edges run back and forth along one line.
    pub collapsed: usize,
}

impl SurfaceReport {
    /// A sentence for each thing that was left out or changed.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.polygons > 0 {
            notes.push(format!("split {} polygons into triangles", self.polygons));
        }
        if self.collapsed > 0 {
            notes.push(format!("left out {} triangles with two corners in one", self.collapsed));
        }
        if self.unused_vertices > 0 {
            notes.push(format!("dropped {} vertices that no face uses", self.unused_vertices));
        }
        notes
    }
}

/// Collects a surface face by face.
#[derive(Debug, Default)]
pub(super) struct Polygons {
    pub(super) positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    faces_seen: usize,
    polygons: usize,
    collapsed: usize,
}

impl Polygons {
    /// Adds a face, split into a fan from its first corner. All vertices must be there
    /// already.
    pub(super) fn add(&mut self, corners: &[i64]) -> Result<(), MeshFileError> {
        let face = self.faces_seen;
        self.faces_seen += 1;
        if corners.len() < 3 {
            return Err(MeshFileError::TooFewCorners { face, corners: corners.len() });
        }
        let count = self.positions.len();
        let vertex = |index: i64| match u32::try_from(index) {
            Ok(vertex) if (vertex as usize) < count => Ok(vertex),
            _ => {
                let last = count as i64 - 1;
                Err(MeshFileError::OutOfRange { element: face, index, first: 0, last })
            }
        };
        self.polygons += usize::from(corners.len() > 3);
        let first = vertex(corners[0])?;
        for pair in corners[1..].windows(2) {
            let triangle = [first, vertex(pair[0])?, vertex(pair[1])?];
            let [a, b, c] = triangle;
            if a == b || b == c || a == c {
                self.collapsed += 1;
            } else {
                self.triangles.push(triangle);
            }
        }
        Ok(())
    }

    /// Checks positions and drops what no face uses.
    pub(super) fn finish(self) -> Result<SurfaceMesh, MeshFileError> {
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshFileError::NotFinite { vertex });
        }
        if self.triangles.is_empty() {
            return Err(MeshFileError::NoFaces);
        }
        let mut triangles = self.triangles;
        let vertices = self.positions.len();
        let positions = keep_used(self.positions, triangles.as_flattened_mut());
        let report = SurfaceReport {
            unused_vertices: vertices - positions.len(),
            polygons: self.polygons,
            collapsed: self.collapsed,
        };
        Ok(SurfaceMesh { mesh: TriMesh { positions, triangles }, report })
    }
}

/// The positions that `indices` refer to, in their order; renumbers `indices`.
pub(crate) fn keep_used(positions: Vec<Vec3>, indices: &mut [u32]) -> Vec<Vec3> {
    let mut used = vec![false; positions.len()];
    indices.iter().for_each(|&index| used[index as usize] = true);
    let mut number = vec![0; positions.len()];
    let mut kept = Vec::with_capacity(used.iter().filter(|&&u| u).count());
    for (old, position) in positions.into_iter().enumerate() {
        if used[old] {
            number[old] = kept.len() as u32;
            kept.push(position);
        }
    }
    indices.iter_mut().for_each(|index| *index = number[*index as usize]);
    kept
}
