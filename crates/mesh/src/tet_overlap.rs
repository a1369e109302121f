//! Overlap of two tetrahedra.

use crate::TetMesh;
use resile_math::Vec3;

/// Pairs of corners at the edges of a tetrahedron.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/// Triples of corners at its faces.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

impl TetMesh {
    /// The distance (m) by which one of two elements has to be moved so that their interiors become disjoint; zero or
    /// negative if they are. Exact up to rounding, by the separating axis theorem: two convex polyhedra are disjoint exactly
    /// if the normal of a face or the product of two edges separates them. Costs up to 44 projections.
    pub fn overlap(&self, first: usize, second: usize) -> f64 {
        let [a, b] = [first, second].map(|tet| self.corners(tet));
        let edges = |x: &[Vec3; 4]| EDGES.map(|[i, j]| x[j] - x[i]);
        let normals = |x: &[Vec3; 4]| FACES.map(|[i, j, k]| (x[j] - x[i]).cross(x[k] - x[i]));
        let edge_products = edges(&a).into_iter().flat_map(|e| edges(&b).map(|f| e.cross(f)));
        let mut depth = f64::INFINITY;
        for axis in normals(&a).into_iter().chain(normals(&b)).chain(edge_products) {
            let Some(axis) = axis.try_normalize() else { continue };
            depth = depth.min(depth_along(axis, &a, &b));
            if depth <= 0.0 {
                break;
            }
        }
        depth
    }
}

/// The overlap (m) of the projections of both elements to an axis.
fn depth_along(axis: Vec3, a: &[Vec3; 4], b: &[Vec3; 4]) -> f64 {
    let range = |x: &[Vec3; 4]| {
        let projections = x.map(|corner| axis.dot(corner));
        [
            projections.into_iter().fold(f64::INFINITY, f64::min),
            projections.into_iter().fold(-f64::INFINITY, f64::max),
        ]
    };
    let ([a_min, a_max], [b_min, b_max]) = (range(a), range(b));
    (a_max - b_min).min(b_max - a_min)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];

    fn pair(second: [Vec3; 4]) -> f64 {
        let positions = [UNIT, second].concat();
        let mesh = TetMesh { positions, tets: vec![[0, 1, 2, 3], [4, 5, 6, 7]] };
        assert_eq!(mesh.overlap(0, 1), mesh.overlap(1, 0));
        mesh.overlap(0, 1)
    }

    #[test]
    fn overlap_is_the_distance_to_separate_two_elements() {
        let shifted = |by: Vec3| pair(UNIT.map(|corner| corner + by));
        assert!((shifted(Vec3::new(0.8, 0.0, 0.0)) - 0.2 / 3_f64.sqrt()).abs() < 1e-12);
        assert!(shifted(Vec3::X).abs() < 1e-12, "they touch at a corner");
        assert!(shifted(Vec3::new(1.1, 0.0, 0.0)) < 0.0);
        let inside = pair(UNIT.map(|corner| 0.1 * corner + Vec3::splat(0.1)));
        assert!((inside - 0.2).abs() < 1e-12, "{inside}");
    }

    #[test]
    fn elements_that_only_edges_separate_do_not_overlap() {
        // Two edges cross at a distance of 0.1, and all normals of faces overlap.
        let first = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -0.2, -1.0], [0.0, 0.2, -1.0]];
        let second = [[0.0, -1.0, 0.1], [0.0, 1.0, 0.1], [-0.2, 0.0, 1.1], [0.2, 0.0, 1.1]];
        let corners = [first, second].concat();
        let positions = corners.iter().map(|&[x, y, z]| Vec3::new(x, y, z)).collect();
        let mesh = TetMesh { positions, tets: vec![[0, 1, 2, 3], [4, 5, 6, 7]] };
        assert!((mesh.overlap(0, 1) + 0.1).abs() < 1e-12, "{}", mesh.overlap(0, 1));
    }
}
