//! Point location in tetrahedral meshes.

use crate::TetMesh;
use crate::TriangleTree;
use rayon::prelude::*;
use resile_math::{Mat3, Vec3};

/// A point as an affine combination of the corners of an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Location {
    /// Index of the element.
    pub tet: u32,
    /// Barycentric coordinates; their sum is one. At least one is negative if the point is outside the element.
    pub weights: [f64; 4],
}

impl TetMesh {
    /// Locates, for each point, the element that contains it, or the nearest element if the point is outside
    /// the mesh. The mesh must pass [`check`](Self::check).
    ///
    /// The nearest face, interior ones included, belongs to the element that contains the point, because a
    /// nearer face would have to lie inside that element. One nearest-triangle query therefore covers points
    /// inside and outside. Costs a tree of all faces, and `O(log n)` per point.
    pub fn locate(&self, points: &[Vec3]) -> Vec<Location> {
        let faces = self.shared_faces();
        if faces.is_empty() {
            return Vec::new();
        }
        let corners = faces.iter().map(|(face, _)| face.map(|v| self.positions[v as usize]));
        let tree = TriangleTree::new(corners);
        let locate = |&point: &Vec3| {
            let (_, nearest_face) = tree.nearest(point);
            let (_, tets) = faces[nearest_face as usize];
            let first = Location { tet: tets[0], weights: self.barycentric(tets[0], point) };
            let second = Location { tet: tets[1], weights: self.barycentric(tets[1], point) };
            if second.min_barycentric() > first.min_barycentric() { second } else { first }
        };
        points.par_iter().with_min_len(64).map(locate).collect()
    }

    /// Barycentric coordinates of a point (m) in element `tet`.
    fn barycentric(&self, tet: u32, point: Vec3) -> [f64; 4] {
        let [a, b, c, d] = self.corners(tet as usize);
        let edges = Mat3::from_cols(b - a, c - a, d - a);
        let [u, v, w] = (edges.inverse() * (point - a)).to_array();
        [1.0 - u - v - w, u, v, w]
    }
}

impl Location {
    /// Smallest barycentric coordinate; positive inside the element.
    fn min_barycentric(&self) -> f64 {
        self.weights.into_iter().fold(f64::INFINITY, f64::min)
    }
}
