//! Normals of surfaces that are smooth except across creases.

use crate::FaceList;
use resile_math::{Vec3, elementary::acos};
use std::collections::BTreeMap;

/// Cosine of the crease angle (40 degrees): across a sharper edge normals are not smoothed.
const CREASE_COSINE: f64 = 0.766;

/// Smoothing groups of a surface: the face corners that share a normal. They are determined in one state of a body and
/// apply to all others, so that no crease appears or disappears while the body deforms.
///
/// ```
/// use resile_mesh::{Creases, FaceList};
/// use resile_math::Vec3;
/// let points = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
/// let square = FaceList::of_triangles(&[[0, 1, 2], [0, 2, 3]]);
/// let creases = Creases::find(&points, &square);
/// let normals = creases.normals(&points);
/// assert!(normals.len() == 4 && normals.iter().all(|normal| normal.distance(Vec3::Z) < 1e-15));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Creases {
    faces: FaceList,
    /// Index of the normal of each corner, face by face.
    corners: Vec<u32>,
    normal_count: usize,
}

impl Creases {
    /// Finds the creases of a surface. Costs a sort of its edges.
    ///
    /// # Panics
    /// If a face refers to a point that does not exist.
    pub fn find(positions: &[Vec3], faces: &FaceList) -> Self {
        // Corners that share a normal are joined along each smooth edge, at both of its ends.
        let mut parent: Vec<u32> = (0..faces.corners().len() as u32).collect();
        let directions: Vec<Vec3> =
            faces.iter().map(|face| doubled_area_vector(positions, face)).collect();
        for half_edges in half_edges_by_edge(faces).values() {
            for pair in half_edges.windows(2) {
                let [a, b] = [pair[0], pair[1]];
                let is_smooth = cosine(directions[a.face], directions[b.face]) > CREASE_COSINE;
                // Two faces of opposite orientations have no common outside.
                if is_smooth && a.from == b.to {
                    join(&mut parent, a.corners[0], b.corners[1]);
                    join(&mut parent, a.corners[1], b.corners[0]);
                }
            }
        }
        let mut index_of_root = BTreeMap::new();
        let mut normal_index = |corner: u32| {
            let next = index_of_root.len() as u32;
            *index_of_root.entry(root(&mut parent, corner)).or_insert(next)
        };
        let corners = (0..faces.corners().len() as u32).map(&mut normal_index).collect();
        Self { faces: faces.clone(), corners, normal_count: index_of_root.len() }
    }

    /// Faces of the surface.
    pub fn faces(&self) -> &FaceList {
        &self.faces
    }

    /// Index of the normal of each corner, face by face.
    pub fn corners(&self) -> &[u32] {
        &self.corners
    }

    /// Whether any two faces share a normal.
    pub fn any_smooth(&self) -> bool {
        self.normal_count < self.corners.len()
    }

    /// Unit normals of a state, by the indices of [`corners`](Self::corners): face normals weighted by the angles at
    /// the vertex (Thürmer and Wüthrich 1998). A normal is the y axis if its faces have no area.
    ///
    /// # Panics
    /// If a face refers to a point that does not exist.
    pub fn normals(&self, positions: &[Vec3]) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.normal_count];
        let mut corners = self.corners.iter();
        for face in self.faces.iter() {
            let direction = doubled_area_vector(positions, face).normalize_or_zero();
            let corner_position = |k: usize| positions[face[k % face.len()] as usize];
            for (k, normal) in (0..face.len()).zip(&mut corners) {
                let (corner, next, previous) = (
                    corner_position(k),
                    corner_position(k + 1),
                    corner_position(k + face.len() - 1),
                );
                let angle = acos(cosine(next - corner, previous - corner).clamp(-1.0, 1.0));
                normals[*normal as usize] += angle * direction;
            }
        }
        normals.iter().map(|normal| normal.normalize_or(Vec3::Y)).collect()
    }
}

/// A half-edge: the use of an edge by one face.
#[derive(Debug, Clone, Copy)]
struct FaceHalfEdge {
    face: usize,
    from: u32,
    to: u32,
    /// Corner indices at `from` and `to`.
    corners: [u32; 2],
}

/// Half-edges of each undirected edge, whose key has the smaller vertex first.
fn half_edges_by_edge(faces: &FaceList) -> BTreeMap<[u32; 2], Vec<FaceHalfEdge>> {
    let mut edges: BTreeMap<[u32; 2], Vec<FaceHalfEdge>> = BTreeMap::new();
    for (face_index, face) in faces.iter().enumerate() {
        let first_corner = faces.first_corner(face_index);
        for k in 0..face.len() {
            let ends = [k, (k + 1) % face.len()];
            let [from, to] = ends.map(|k| face[k]);
            let corners = ends.map(|k| (first_corner + k) as u32);
            let half_edge = FaceHalfEdge { face: face_index, from, to, corners };
            edges.entry([from.min(to), from.max(to)]).or_default().push(half_edge);
        }
    }
    edges
}

/// Twice the area vector of a polygon (Newell's method).
fn doubled_area_vector(positions: &[Vec3], face: &[u32]) -> Vec3 {
    let Some((&first, others)) = face.split_first() else { return Vec3::ZERO };
    let from_first = |corner: &u32| positions[*corner as usize] - positions[first as usize];
    others.windows(2).map(|pair| from_first(&pair[0]).cross(from_first(&pair[1]))).sum()
}

/// Cosine of the angle between two vectors; 1 if one of them is zero.
fn cosine(a: Vec3, b: Vec3) -> f64 {
    let lengths = (a.length_squared() * b.length_squared()).sqrt();
    if lengths > 0.0 { a.dot(b) / lengths } else { 1.0 }
}

/// Representative of the set of a corner in a union-find forest, whose paths it shortens.
fn root(parent: &mut [u32], mut corner: u32) -> u32 {
    while parent[corner as usize] != corner {
        parent[corner as usize] = parent[parent[corner as usize] as usize];
        corner = parent[corner as usize];
    }
    corner
}

/// Unites the sets of two corners; the smaller representative represents both.
fn join(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of two squares that meet at this angle (rad), the second one turned up.
    fn bent(angle: f64) -> Vec<Vec3> {
        let far = Vec3::new(1.0 + angle.cos(), angle.sin(), 0.0);
        let row = |z: f64| [Vec3::ZERO, Vec3::X, far].map(|p| p + z * Vec3::NEG_Z);
        [row(0.0), row(1.0)].concat()
    }

    /// The strip as triangles and as squares; a corner of each square at the edge between them.
    fn strips() -> [(FaceList, [usize; 2]); 2] {
        let mut squares = FaceList::default();
        squares.push([0, 1, 4, 3]);
        squares.push([1, 2, 5, 4]);
        [
            (FaceList::of_triangles(&[[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]), [1, 6]),
            (squares, [1, 4]),
        ]
    }

    #[test]
    fn crease_normals_split_at_box_edges_and_not_on_a_ball() {
        for (faces, at_edge) in strips() {
            let points = bent(1.0);
            let sharp = Creases::find(&points, &faces);
            let normals = sharp.normals(&points);
            let at = |corner: usize| normals[sharp.corners()[corner] as usize];
            let second = Vec3::new(-1f64.sin(), 1f64.cos(), 0.0);
            assert!(at(at_edge[0]).distance(Vec3::Y) < 1e-12, "the first is flat to its edge");
            assert!(at(at_edge[1]).distance(second) < 1e-12);
            // A crease stays one when the body is straightened.
            assert_eq!(sharp.normals(&bent(0.0)).len(), sharp.normals(&points).len());

            let points = bent(0.5);
            let smooth = Creases::find(&points, &faces);
            let normals = smooth.normals(&points);
            let at = |corner: usize| normals[smooth.corners()[corner] as usize];
            let middle = Vec3::new(-0.25f64.sin(), 0.25f64.cos(), 0.0);
            for corner in at_edge {
                // At such a corner the faces subtend 90 degrees on both sides, or 45 + 45 degrees where a
                // square is split.
                assert!(at(corner).distance(middle) < 1e-12, "{}", at(corner));
            }
        }
    }

    #[test]
    fn fold_has_separate_normals_on_both_sides() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(0.5, 0.0, -1.0)];
        // The second triangle has the opposite orientation.
        let faces = FaceList::of_triangles(&[[0, 1, 2], [0, 1, 3]]);
        let creases = Creases::find(&points, &faces);
        assert_eq!(creases.normals(&points).len(), 6);
        assert!(!creases.any_smooth());
    }
}
