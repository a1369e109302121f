//! Shared part of surface readers: from the polygons of a file to triangles.

use super::MeshFileError;
use super::groups::{Groups, RawGroups, VertexFields, fields_of_mesh};
use super::obj_lines::UnknownLines;
use super::triangulate::{PolygonTriangulation, fan, triangulate};
use crate::TriMesh;
use resile_math::Vec3;
use std::collections::BTreeMap;
use std::ops::Range;

/// A surface with groups, fields and a report.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceMesh {
    /// Triangles and vertices in the file's order.
    pub mesh: TriMesh,
    /// Mesh vertex of each vertex of the file; `None` if no face uses it.
    pub vertices: Vec<Option<u32>>,
    /// Named groups of the file.
    pub groups: Groups,
    /// Vertex data of the file, such as colours.
    pub vertex_fields: VertexFields,
    /// Skipped and changed content.
    pub report: SurfaceReport,
}

/// Content of a file with a surface that was skipped or changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SurfaceReport {
    /// Vertices that no face uses.
    pub unused_vertices: usize,
    /// Faces with more than three corners, which were triangulated.
    pub polygons: usize,
    /// Number of polygons that self-intersect or have no area, which were split into fans.
    pub without_inside: usize,
    /// Faces with fewer than three corners, which were left out.
    pub too_few_corners: usize,
    /// Triangles with one vertex at two corners, which were left out. This opens no hole: their other two edges
    /// coincide.
    pub collapsed: usize,
    /// Boundary vertices welded to coincident ones. Programs duplicate vertices at texture seams.
    pub sewn: usize,
    /// Lines of unknown kinds in an OBJ file.
    pub unknown_lines: Vec<UnknownLines>,
    /// A sentence on each defect of the data of cells and points, for which arrays were left out.
    pub data_notes: Vec<String>,
}

impl SurfaceReport {
    /// One sentence per kind of skipped or changed content.
    pub fn notes(&self) -> Vec<String> {
        let split =
            (self.polygons > 0).then(|| format!("split {} polygons into triangles", self.polygons));
        split.into_iter().chain(self.warnings()).collect()
    }

    /// The [`notes`](Self::notes) on content that may not be as intended: all but that on polygons that were split.
    pub fn warnings(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.without_inside > 0 {
            notes.push(format!(
                "{} polygons cross themselves or have no area; each was split into a fan from its first corner",
                self.without_inside
            ));
        }
        if self.too_few_corners > 0 {
            notes
                .push(format!("left out {} faces with fewer than 3 corners", self.too_few_corners));
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
        for UnknownLines { word, count, first } in &self.unknown_lines {
            notes.push(format!(
                "left out {count} lines that begin with `{word}`, which are not read; the first is line {first}"
            ));
        }
        notes.extend(self.data_notes.iter().cloned());
        notes
    }
}

/// Treatment of exactly coincident boundary vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seams {
    /// Keep them separate.
    Kept,
    /// Weld them: programs duplicate vertices at texture seams.
    Sewn,
}

/// Collects a surface face by face.
#[derive(Debug, Default)]
pub(super) struct Polygons {
    pub(super) positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    faces_seen: usize,
    polygons: usize,
    without_inside: usize,
    too_few_corners: usize,
    collapsed: usize,
    groups: RawGroups,
    /// One value per vertex.
    pub(super) vertex_fields: VertexFields,
}

impl Polygons {
    /// Starts a surface with these vertices and no faces.
    pub(super) fn new(positions: Vec<Vec3>) -> Self {
        Self { positions, ..Self::default() }
    }

    /// Adds a face, triangulated. All vertices must have been added before.
    pub(super) fn add(&mut self, corners: &[i64]) -> Result<(), MeshFileError> {
        let corners = self.vertices_of(corners)?;
        let count = corners.len();
        if count < 3 {
            self.too_few_corners += 1;
            return Ok(());
        }
        self.polygons += usize::from(count > 3);
        let triangles_before = self.triangles.len();
        let mut distinct = corners;
        distinct.dedup();
        if distinct.len() > 1 && distinct.first() == distinct.last() {
            distinct.pop();
        }
        match distinct[..] {
            [] | [_] | [_, _] => {}
            [a, b, c] => self.triangles.push([a, b, c]),
            _ => self.add_polygon(&distinct),
        }
        self.collapsed += (triangles_before + count - 2).saturating_sub(self.triangles.len());
        Ok(())
    }

    /// Adds the triangulation of a polygon with more than three distinct corners.
    fn add_polygon(&mut self, corners: &[u32]) {
        let points: Vec<Vec3> = corners.iter().map(|&v| self.positions[v as usize]).collect();
        let triangulation = match points.iter().all(|p| p.is_finite()) {
            true => triangulate(&points),
            // Non-finite positions are rejected in `finish`.
            false => PolygonTriangulation::NoInside,
        };
        let triangles = match triangulation {
            PolygonTriangulation::Triangles(triangles) => triangles,
            PolygonTriangulation::NoInside => {
                self.without_inside += 1;
                fan(corners.len()).collect()
            }
        };
        let vertex_triangles = triangles.into_iter().map(|triangle| triangle.map(|k| corners[k]));
        self.triangles.extend(vertex_triangles.filter(|[a, b, c]| a != b && b != c && a != c));
    }

    /// Vertex indices of a face; an error if a vertex does not exist.
    fn vertices_of(&mut self, corners: &[i64]) -> Result<Vec<u32>, MeshFileError> {
        let element = self.faces_seen;
        self.faces_seen += 1;
        let count = self.positions.len();
        let vertex = |&index: &i64| match u32::try_from(index) {
            Ok(vertex) if (vertex as usize) < count => Ok(vertex),
            _ => {
                let last = count as i64 - 1;
                Err(MeshFileError::OutOfRange { element, index, first: 0, last })
            }
        };
        corners.iter().map(vertex).collect()
    }

    /// Adds a triangle strip: each triangle after the first shares two corners with the previous one; -1 begins
    /// a new strip. Triangles with two equal corners join strips and are left out.
    pub(super) fn add_strip(&mut self, corners: &[i64]) -> Result<(), MeshFileError> {
        for strip in corners.split(|&corner| corner == -1) {
            let strip = self.vertices_of(strip)?;
            for (k, triangle) in strip.windows(3).enumerate() {
                let [a, b, c] = [triangle[0], triangle[1], triangle[2]];
                if a != b && b != c && a != c {
                    self.triangles.push(if k % 2 == 0 { [a, b, c] } else { [b, a, c] });
                }
            }
        }
        Ok(())
    }

    /// Adds nodes to a group that are not part of a face.
    pub(super) fn add_nodes_to_group(&mut self, name: &str, nodes: &[i64]) {
        self.groups.add_nodes(name, nodes);
    }

    /// Number of triangles so far.
    pub(super) fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// Adds existing triangles to a group.
    pub(super) fn add_to_group(&mut self, name: &str, triangles: Range<usize>) {
        for triangle in triangles {
            let corners = self.triangles[triangle].map(i64::from);
            self.groups.add_element(name, triangle, &corners);
        }
    }

    /// Builds the surface without unused vertices, and with welded seams if `seams` says so.
    ///
    /// # Errors
    /// If a position is not finite, or there are no triangles.
    pub(super) fn finish(self, seams: Seams) -> Result<SurfaceMesh, MeshFileError> {
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshFileError::NotFinite { vertex });
        }
        if self.triangles.is_empty() {
            return Err(MeshFileError::NoFaces);
        }
        let mut triangles = self.triangles;
        let original_indices = indices_of_used(self.positions.len(), triangles.as_flattened());
        let unused_vertices = original_indices.iter().filter(|index| index.is_none()).count();
        let representatives = match seams {
            Seams::Sewn => merge_seams(&self.positions, &mut triangles),
            Seams::Kept => (0..self.positions.len() as u32).collect(),
        };
        let used_indices = indices_of_used(self.positions.len(), triangles.as_flattened());
        let vertices: Vec<Option<u32>> =
            representatives.iter().map(|&vertex| used_indices[vertex as usize]).collect();
        let mesh_index = |old: i64| vertices.get(usize::try_from(old).ok()?).copied().flatten();
        let groups = self.groups.finish(mesh_index, |_| Vec::new());
        let report = SurfaceReport {
            unused_vertices,
            polygons: self.polygons,
            without_inside: self.without_inside,
            too_few_corners: self.too_few_corners,
            collapsed: self.collapsed,
            sewn: representatives.iter().zip(0..).filter(|&(&to, from)| to != from).count(),
            unknown_lines: Vec::new(),
            data_notes: Vec::new(),
        };
        let positions = keep_used(self.positions, triangles.as_flattened_mut());
        let vertex_fields = fields_of_mesh(self.vertex_fields, &vertices, positions.len());
        let mesh = TriMesh { positions, triangles };
        Ok(SurfaceMesh { mesh, vertices, groups, vertex_fields, report })
    }
}

/// Welds exactly coincident vertices on boundary edges to the first of them; returns the representative of each vertex.
/// Closed surfaces that touch each other stay separate.
fn merge_seams(positions: &[Vec3], triangles: &mut [[u32; 3]]) -> Vec<u32> {
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    let open_edges = edges.chunk_by(|a, b| a == b).filter(|same| same.len() == 1);
    let mut boundary_vertices: Vec<u32> = open_edges.flat_map(|edge| edge[0]).collect();
    boundary_vertices.sort_unstable();
    boundary_vertices.dedup();
    let mut representatives: Vec<u32> = (0..positions.len() as u32).collect();
    let mut by_position = BTreeMap::new();
    for vertex in boundary_vertices {
        // Adding zero makes -0 equal to 0.
        let key = positions[vertex as usize].to_array().map(|c| (c + 0.0).to_bits());
        representatives[vertex as usize] = *by_position.entry(key).or_insert(vertex);
    }
    // A triangle that would have coincident corners does not change.
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| representatives[vertex as usize]);
        if a != b && b != c && a != c {
            *triangle = [a, b, c];
        }
    }
    representatives
}

/// New index of each of `count` vertices; `None` for those that `indices` does not contain.
pub(super) fn indices_of_used(count: usize, indices: &[u32]) -> Vec<Option<u32>> {
    let mut used = vec![false; count];
    indices.iter().for_each(|&index| used[index as usize] = true);
    let mut next = 0..;
    used.into_iter().map(|used| if used { next.next() } else { None }).collect()
}

/// Returns the positions to which `indices` refer, in their original order, and renumbers `indices`.
pub(crate) fn keep_used(positions: Vec<Vec3>, indices: &mut [u32]) -> Vec<Vec3> {
    let new_indices = indices_of_used(positions.len(), indices);
    let new_index = |index: u32| new_indices[index as usize].expect("every index is used");
    indices.iter_mut().for_each(|index| *index = new_index(*index));
    let used_positions =
        positions.into_iter().zip(&new_indices).filter(|(_, new_index)| new_index.is_some());
    used_positions.map(|(position, _)| position).collect()
}
