//! The icosahedron, and spheres by subdivision.

use super::{GenerateError, check_elements, check_size};
use crate::{Surface, TriMesh};
use resile_math::Vec3;

/// Corners of an icosahedron on the unit sphere: cyclic permutations of `(0, +-1, +-golden ratio)`, normalised.
pub(super) fn corners() -> [Vec3; 12] {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let (s, l) = (1.0 / (1.0 + golden * golden).sqrt(), golden / (1.0 + golden * golden).sqrt());
    [
        Vec3::new(-s, l, 0.0),
        Vec3::new(s, l, 0.0),
        Vec3::new(-s, -l, 0.0),
        Vec3::new(s, -l, 0.0),
        Vec3::new(0.0, -s, l),
        Vec3::new(0.0, s, l),
        Vec3::new(0.0, -s, -l),
        Vec3::new(0.0, s, -l),
        Vec3::new(l, 0.0, -s),
        Vec3::new(l, 0.0, s),
        Vec3::new(-l, 0.0, -s),
        Vec3::new(-l, 0.0, s),
    ]
}

/// Faces, outward counter-clockwise.
pub(super) const FACES: [[u32; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

/// A sphere from an icosahedron whose triangles are split in four `subdivisions` times; new vertices are
/// projected onto the sphere.
///
/// All vertices lie on the sphere, so the enclosed volume is slightly less than the sphere's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Icosphere {
    /// Radius in metres.
    pub radius: f64,
    /// Number of subdivisions: 0 is the icosahedron itself; 3 gives 642 vertices and 1,280 triangles.
    pub subdivisions: usize,
}

impl Icosphere {
    /// Builds the surface with `10 4^s + 2` vertices and `20 4^s` triangles for `s` subdivisions.
    ///
    /// # Errors
    /// If the radius is not a positive finite number, or there are too many subdivisions.
    pub fn build(&self) -> Result<TriMesh, GenerateError> {
        check_size("radius", self.radius)?;
        // 4^15 is far above the limit already, and fits any `usize`.
        check_elements(&[20, 4_usize.pow(self.subdivisions.min(15) as u32)])?;
        let mut positions = corners().to_vec();
        let mut triangles = FACES.to_vec();
        for _ in 0..self.subdivisions {
            triangles = split_in_four(&mut positions, triangles);
        }
        positions.iter_mut().for_each(|p| *p *= self.radius);
        Ok(TriMesh { positions, triangles })
    }
}

/// Splits each triangle in four at its edge midpoints, projected onto the unit sphere. New vertices follow in the order
/// of the sorted edges. Returns the triangles.
fn split_in_four(positions: &mut Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
    let first_new = positions.len() as u32;
    let Surface { edges, triangles, .. } = Surface::from_triangles(triangles);
    for &[a, b] in &edges {
        positions.push((positions[a as usize] + positions[b as usize]).normalize());
    }
    let midpoint = |a: u32, b: u32| {
        let index = edges.binary_search(&[a.min(b), a.max(b)]);
        first_new + index.expect("the edges are those of these triangles") as u32
    };
    let split = |[a, b, c]: [u32; 3]| {
        let (ab, bc, ca) = (midpoint(a, b), midpoint(b, c), midpoint(c, a));
        [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
    };
    triangles.into_iter().flat_map(split).collect()
}
