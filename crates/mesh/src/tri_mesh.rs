//! Surfaces: vertices and triangles.

use crate::{Surface, SurfaceDefects};
use resile_math::{Aabb, Vec3};
use thiserror::Error;

/// A triangulated surface, closed or open. The triangles of a closed surface are counter-clockwise seen from
/// outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriMesh {
    /// Rest positions in metres.
    pub positions: Vec<Vec3>,
    /// Three vertex indices per triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// Errors of a triangle mesh.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// There are no triangles.
    #[error("the surface has no triangles")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not a finite number")]
    NotFinite {
        /// Index of the vertex, from 0.
        vertex: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {vertex}, but there are {vertices} vertices")]
    OutOfRange {
        /// Index of the triangle, from 0.
        triangle: usize,
        /// Index of the missing vertex, from 0.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// Triangles without area, which have no contact normal.
    #[error(
        "triangles without area: {}; the first is triangle {}, counted from 0, at {}, {}, {}",
        triangles.len(), triangles[0], point(corners[0]), point(corners[1]), point(corners[2])
    )]
    Flat {
        /// Indices of the triangles, in ascending order, from 0.
        triangles: Vec<u32>,
        /// Corner positions of the first, in metres.
        corners: [Vec3; 3],
    },
}

fn point(p: Vec3) -> String {
    format!("({}, {}, {})", p.x, p.y, p.z)
}

impl TriMesh {
    /// Validates the surface for contact: finite positions, vertices in range, nonzero areas. Topological
    /// defects such as holes are allowed: see [`defects`](Self::defects).
    pub fn check(&self) -> Result<(), SurfaceError> {
        self.check_numbers()?;
        let flat = |&t: &u32| {
            let area = triangle_area(&self.positions, self.triangles[t as usize]);
            !matches!(area, a if a > 0.0)
        };
        let triangles: Vec<u32> = (0..self.triangles.len() as u32).filter(flat).collect();
        match triangles.first() {
            Some(&first) => {
                Err(SurfaceError::Flat { corners: self.corners(first as usize), triangles })
            }
            None => Ok(()),
        }
    }

    /// Validates positions and vertex indices as [`check`](Self::check) does; triangles without area are allowed.
    pub fn check_numbers(&self) -> Result<(), SurfaceError> {
        if self.triangles.is_empty() {
            return Err(SurfaceError::Empty);
        }
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(SurfaceError::NotFinite { vertex });
        }
        let vertices = self.positions.len();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
                return Err(SurfaceError::OutOfRange { triangle, vertex, vertices });
            }
        }
        Ok(())
    }

    /// Corners of `triangle`.
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|vertex| self.positions[vertex as usize])
    }

    /// Total area in m^2.
    pub fn area(&self) -> f64 {
        self.triangles.iter().map(|&t| triangle_area(&self.positions, t)).sum()
    }

    /// Volume enclosed by a closed surface, in m^3, by the divergence theorem: the sum of the signed volumes of
    /// the cones from one point to all triangles. Positive if the triangles face outward; meaningless for an
    /// open surface.
    pub fn enclosed_volume(&self) -> f64 {
        // The apex is the first vertex, because cones from a distant origin would be huge and cancel.
        let Some(&apex) = self.positions.first() else { return 0.0 };
        let cone = |t| {
            let [a, b, c] = self.corners(t).map(|p| p - apex);
            a.cross(b).dot(c) / 6.0
        };
        (0..self.triangles.len()).map(cone).sum()
    }

    /// Bounding box of all vertices; `None` if there are none.
    pub fn bounds(&self) -> Option<Aabb> {
        Aabb::around(&self.positions)
    }

    /// Vertices, edges and triangles, with the indices of this mesh. Unused vertices are left out.
    pub fn surface(&self) -> Surface {
        Surface::from_triangles(self.triangles.clone())
    }

    /// Defects that keep this from being a closed, consistently oriented surface.
    pub fn defects(&self) -> SurfaceDefects {
        SurfaceDefects::new(&self.positions, &self.triangles)
    }
}

/// Area of one triangle, in m^2.
pub(crate) fn triangle_area(positions: &[Vec3], triangle: [u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
    0.5 * (b - a).cross(c - a).length()
}
