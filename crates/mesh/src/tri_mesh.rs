//! Surfaces: vertices and triangles.

use crate::{Bounds, Surface, SurfaceDefects};
use resile_linalg::Vec3;

/// A triangulated surface, closed or open. On a closed one the corners of each
/// triangle turn counter-clockwise seen from outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriMesh {
    /// Rest positions in metres.
    pub positions: Vec<Vec3>,
    /// Three vertex numbers each.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// The corners of `triangle`.
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|vertex| self.positions[vertex as usize])
    }

    /// The total area in m^2.
    pub fn area(&self) -> f64 {
        self.triangles.iter().map(|&t| triangle_area(&self.positions, t)).sum()
    }

    /// The volume inside a closed surface, in m^3, by the divergence theorem:
    /// the signed volumes of the cones from a point to all triangles. Positive
    /// if the triangles face outward; without meaning for an open surface.
    pub fn enclosed_volume(&self) -> f64 {
        // From the first vertex rather than from the origin: far from the origin
        // the cones would be huge and cancel.
        let Some(&apex) = self.positions.first() else { return 0.0 };
        let cone = |t| {
            let [a, b, c] = self.corners(t).map(|p| p - apex);
            a.cross(b).dot(c) / 6.0
        };
        (0..self.triangles.len()).map(cone).sum()
    }

    /// The box around all vertices; `None` if there are none.
    pub fn bounds(&self) -> Option<Bounds> {
        Bounds::around(&self.positions)
    }

    /// Vertices, edges and triangles, numbered as in this mesh. Vertices that no
    /// triangle uses are left out.
    pub fn surface(&self) -> Surface {
        Surface::from_triangles(self.triangles.clone())
    }

    /// What keeps this from being a closed, consistently oriented surface.
    pub fn defects(&self) -> SurfaceDefects {
        SurfaceDefects::of(&self.positions, &self.triangles)
    }
}

/// The area of one triangle, in m^2.
pub(crate) fn triangle_area(positions: &[Vec3], triangle: [u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
    0.5 * (b - a).cross(c - a).length()
}
