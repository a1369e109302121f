//! What the surface readers share: from polygons as a file has them to triangles.

use super::MeshFileError;
use super::groups::{Groups, RawGroups};
use crate::TriMesh;
use resile_math::Vec3;
use std::collections::BTreeMap;
use std::ops::Range;

/// A surface, and what was changed to get it.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceMesh {
    /// Triangles and vertices in the file's order.
    pub mesh: TriMesh,
    /// For each vertex of the file the vertex of the mesh that it became; none of one that no face uses.
    pub vertices: Vec<Option<u32>>,
    /// Parts that the file gives names.
    pub groups: Groups,
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
    /// Vertices that were sewn to others: on rims, and exactly where another is. Programs double
    /// vertices at seams of textures.
    pub sewn: usize,
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
        if self.sewn > 0 {
            notes.push(format!("sewed {} vertices on rims to others at the same place", self.sewn));
        }
        if self.unused_vertices > 0 {
            notes.push(format!("dropped {} vertices that no face uses", self.unused_vertices));
        }
        notes
    }
}

/// What becomes of rims that lie exactly on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seams {
    /// They stay apart.
    Kept,
    /// They become one: the file is of a program that doubles vertices where textures end.
    Sewn,
}

/// Collects a surface face by face.
#[derive(Debug, Default)]
pub(super) struct Polygons {
    pub(super) positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    faces_seen: usize,
    polygons: usize,
    collapsed: usize,
    groups: RawGroups,
}

impl Polygons {
    /// Of these vertices, without faces yet.
    pub(super) fn of(positions: Vec<Vec3>) -> Self {
        Self { positions, ..Self::default() }
    }

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

    /// How many triangles there are.
    pub(super) fn triangles(&self) -> usize {
        self.triangles.len()
    }

    /// Adds triangles that are there to a group.
    pub(super) fn add_to_group(&mut self, name: &str, triangles: Range<usize>) {
        for triangle in triangles {
            let corners = self.triangles[triangle].map(i64::from);
            self.groups.add_element(name, triangle, &corners);
        }
    }

    /// Checks positions and drops what no face uses.
    pub(super) fn finish(self, seams: Seams) -> Result<SurfaceMesh, MeshFileError> {
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshFileError::NotFinite { vertex });
        }
        if self.triangles.is_empty() {
            return Err(MeshFileError::NoFaces);
        }
        let mut triangles = self.triangles;
        let unused = used(self.positions.len(), triangles.as_flattened());
        let unused = unused.iter().filter(|number| number.is_none()).count();
        let sewn = match seams {
            Seams::Sewn => sew(&self.positions, &mut triangles),
            Seams::Kept => (0..self.positions.len() as u32).collect(),
        };
        let numbers = used(self.positions.len(), triangles.as_flattened());
        let vertices: Vec<Option<u32>> =
            sewn.iter().map(|&vertex| numbers[vertex as usize]).collect();
        let number = |old: i64| vertices.get(usize::try_from(old).ok()?).copied().flatten();
        let groups = self.groups.finish(number);
        let report = SurfaceReport {
            unused_vertices: unused,
            polygons: self.polygons,
            collapsed: self.collapsed,
            sewn: sewn.iter().zip(0..).filter(|&(&to, from)| to != from).count(),
        };
        let positions = keep_used(self.positions, triangles.as_flattened_mut());
        Ok(SurfaceMesh { mesh: TriMesh { positions, triangles }, vertices, groups, report })
    }
}

/// Joins vertices on edges of a single triangle that are exactly at the same place, and lets
/// triangles use the first of them; for each vertex the one that stands for it. Closed surfaces that touch
/// stay apart.
fn sew(positions: &[Vec3], triangles: &mut [[u32; 3]]) -> Vec<u32> {
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    let open = edges.chunk_by(|a, b| a == b).filter(|same| same.len() == 1);
    let mut rim: Vec<u32> = open.flat_map(|edge| edge[0]).collect();
    rim.sort_unstable();
    rim.dedup();
    let mut standing: Vec<u32> = (0..positions.len() as u32).collect();
    let mut known = BTreeMap::new();
    for vertex in rim {
        // Adding zero makes -0 equal to 0.
        let place = positions[vertex as usize].to_array().map(|c| (c + 0.0).to_bits());
        standing[vertex as usize] = *known.entry(place).or_insert(vertex);
    }
    // A triangle whose corners are at one place stays as it is, without area.
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| standing[vertex as usize]);
        if a != b && b != c && a != c {
            *triangle = [a, b, c];
        }
    }
    standing
}

/// The new number of each of `count` vertices, if those are left out that `indices` do not name.
pub(super) fn used(count: usize, indices: &[u32]) -> Vec<Option<u32>> {
    let mut used = vec![false; count];
    indices.iter().for_each(|&index| used[index as usize] = true);
    let mut next = 0..;
    used.into_iter().map(|used| if used { next.next() } else { None }).collect()
}

/// The positions that `indices` refer to, in their order; renumbers `indices`.
pub(crate) fn keep_used(positions: Vec<Vec3>, indices: &mut [u32]) -> Vec<Vec3> {
    let numbers = used(positions.len(), indices);
    let number = |index: u32| numbers[index as usize].expect("it is used");
    indices.iter_mut().for_each(|index| *index = number(*index));
    let kept = positions.into_iter().zip(&numbers).filter(|(_, number)| number.is_some());
    kept.map(|(position, _)| position).collect()
}
