//! Faces among the elements of a file.

use super::MeshFileError;
use super::groups::{RawGroups, VertexFields};
use super::left_out::LeftOut;
use super::polygons::{Polygons, Seams, SurfaceMesh};
use resile_math::Vec3;
use std::collections::BTreeMap;

/// Arrangement of the corners among the nodes of a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Corners {
    /// The first `n` nodes, in order around the face; the others lie on its edges.
    First(usize),
    /// All nodes, in order around the face.
    All,
    /// Four corners in two rows: VTK's pixel.
    Rows,
    /// A triangle strip: each triangle shares two corners with the previous one.
    Strip,
}

/// Faces in a concatenated list of corners, with the node numbers of the file.
#[derive(Debug, Default)]
pub(super) struct Faces {
    /// Kind of each face.
    names: Vec<&'static str>,
    /// Whether each face is a triangle strip.
    strips: Vec<bool>,
    corners: Vec<i64>,
    /// For each face, the end of its corners in `corners`.
    ends: Vec<usize>,
}

impl Faces {
    /// Adds a face of a kind `name` with these nodes of the file, among which its corners are arranged as `corners`.
    pub(super) fn add(&mut self, name: &'static str, corners: Corners, nodes: &[i64]) {
        match (corners, nodes) {
            (Corners::Rows, &[a, b, c, d]) => self.corners.extend([a, b, d, c]),
            (Corners::First(count), _) => self.corners.extend(nodes.iter().take(count)),
            _ => self.corners.extend(nodes),
        }
        self.names.push(name);
        self.strips.push(corners == Corners::Strip);
        self.ends.push(self.corners.len());
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Corners of a face.
    pub(super) fn corners(&self, face: usize) -> &[i64] {
        let start = face.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        &self.corners[start..self.ends[face]]
    }

    /// Number of faces of each kind.
    pub(super) fn counts_by_kind(&self) -> Vec<LeftOut> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        self.names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
        let left_out = |(kind, count): (&str, usize)| LeftOut { kind: kind.to_owned(), count };
        counts.into_iter().map(left_out).collect()
    }

    /// Renumbers all nodes.
    pub(super) fn renumber(&mut self, number: impl Fn(i64) -> i64) {
        self.corners.iter_mut().for_each(|corner| *corner = number(*corner));
    }

    /// Keeps only the faces for which `keeps` returns true.
    pub(super) fn keep(&mut self, keeps: impl Fn(usize) -> bool) {
        let mut subset = Self::default();
        for face in (0..self.len()).filter(|&face| keeps(face)) {
            subset.corners.extend(self.corners(face));
            subset.ends.push(subset.corners.len());
            subset.names.push(self.names[face]);
            subset.strips.push(self.strips[face]);
        }
        *self = subset;
    }

    /// Builds the surface of all faces, with their groups; node numbers start at `first`.
    ///
    /// # Errors
    /// If a face is invalid or refers to a node that does not exist, or as [`Polygons::finish`].
    pub(super) fn into_surface(
        self,
        positions: Vec<Vec3>,
        vertex_fields: VertexFields,
        first: i64,
        groups: &RawGroups,
        seams: Seams,
    ) -> Result<SurfaceMesh, MeshFileError> {
        let mut surface = Polygons::new(positions);
        surface.vertex_fields = vertex_fields;
        // Index of the first triangle of each face, and the number of triangles.
        let mut first_triangles = vec![0];
        for face in 0..self.len() {
            let corners: Vec<i64> =
                self.corners(face).iter().map(|corner| corner.saturating_sub(first)).collect();
            match self.strips[face] {
                true => surface.add_strip(&corners)?,
                false => surface.add(&corners)?,
            }
            first_triangles.push(surface.triangle_count());
        }
        for (name, faces, nodes) in groups.face_groups() {
            for face in faces.iter().map(|&face| face as usize) {
                surface.add_to_group(name, first_triangles[face]..first_triangles[face + 1]);
            }
            let nodes: Vec<i64> = nodes.iter().map(|node| node.saturating_sub(first)).collect();
            surface.add_nodes_to_group(name, &nodes);
        }
        surface.finish(seams)
    }
}
