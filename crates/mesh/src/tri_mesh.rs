//! Surfaces: vertices and triangles.

use crate::{Surface, SurfaceDefects};
use resile_math::{Aabb, Vec3};
use thiserror::Error;

/// A triangulated surface, closed or open. On a closed one the corners of each
/// triangle turn counter-clockwise seen from outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriMesh {
    /// Rest positions in metres.
    pub positions: Vec<Vec3>,
    /// Three vertex numbers each.
    pub triangles: Vec<[u32; 3]>,
}

/// What makes a list of triangles not a surface.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// There are no triangles.
    #[error("the surface has no triangles")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not a finite number")]
    NotFinite {
        /// Its number, from 0.
        vertex: usize,
    },
    /// A triangle refers to a vertex that is not there.
    #[error("triangle {triangle} refers to vertex {vertex}, but there are {vertices} vertices")]
    OutOfRange {
        /// Counted from 0.
        triangle: usize,
        /// What it refers to, from 0.
        vertex: u32,
        /// Their number.
        vertices: usize,
    },
    /// Triangles without area: contact has no normal to push along.
    #[error(
        "triangles without area: {}; the first is triangle {}, counted from 0, at {}, {}, {}",
        triangles.len(), triangles[0], point(corners[0]), point(corners[1]), point(corners[2])
    )]
    Flat {
        /// All of them, in ascending order, from 0.
        triangles: Vec<u32>,
        /// Where the first is, in metres.
        corners: [Vec3; 3],
    },
}

fn point(p: Vec3) -> String {
    format!("({}, {}, {})", p.x, p.y, p.z)
}

impl TriMesh {
    /// Verifies that every triangle can be touched: finite positions, vertices in range,
    /// areas that are not zero. Holes and the like are allowed: see
    /// [`defects`](Self::defects).
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

    /// As [`check`](Self::check), but triangles without area are allowed.
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
    pub fn bounds(&self) -> Option<Aabb> {
        Aabb::around(&self.positions)
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
