//! Flat discs of concentric rings.

use super::{GenerateError, check_count, check_elements, check_size};
use crate::TriMesh;
use resile_math::Vec3;
use resile_math::elementary;
use std::f64::consts::TAU;

/// A disc in the plane y = 0, facing up: a central vertex, and rings of vertices. Ring `k` has `6 k` equally
/// spaced vertices at `k / rings` times the disc's radius.
///
/// Six additional vertices per ring keep the triangles close to equilateral; a fixed number per ring would make
/// needles at the centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disc {
    /// Radius in metres.
    pub radius: f64,
    /// Number of rings around the centre.
    pub rings: usize,
}

impl Disc {
    /// Builds the disc with `1 + 3 n (n + 1)` vertices and `6 n^2` triangles for `n` rings.
    ///
    /// # Errors
    /// If the radius is not a positive finite number, or there are no rings or too many.
    pub fn build(&self) -> Result<TriMesh, GenerateError> {
        check_size("radius", self.radius)?;
        check_count("rings", self.rings, 1)?;
        check_elements(&[6, self.rings, self.rings])?;
        let mut positions = vec![Vec3::ZERO];
        let mut triangles = Vec::with_capacity(6 * self.rings * self.rings);
        for ring in 1..=self.rings {
            let radius = self.radius * ring as f64 / self.rings as f64;
            for j in 0..6 * ring {
                let angle = TAU * j as f64 / (6 * ring) as f64;
                // Clockwise in x and z is counter-clockwise seen from above.
                positions.push(Vec3::new(
                    radius * elementary::cos(angle),
                    0.0,
                    -radius * elementary::sin(angle),
                ));
            }
            for sector in 0..6 {
                add_sector(ring, sector, &mut triangles);
            }
        }
        Ok(TriMesh { positions, triangles })
    }
}

/// Index of vertex `j` of `ring`, counted around; ring 0 is the centre.
fn vertex(ring: usize, j: usize) -> u32 {
    let index = if ring == 0 { 0 } else { 1 + 3 * ring * (ring - 1) + j % (6 * ring) };
    index as u32
}

/// Adds the triangles of one sixth of the annulus between `ring - 1` and `ring`.
fn add_sector(ring: usize, sector: usize, triangles: &mut Vec<[u32; 3]>) {
    for j in 0..ring {
        let outer = sector * ring + j;
        let inner = sector * (ring - 1) + j;
        triangles.push([vertex(ring - 1, inner), vertex(ring, outer), vertex(ring, outer + 1)]);
        if j + 1 < ring {
            triangles.push([
                vertex(ring - 1, inner),
                vertex(ring, outer + 1),
                vertex(ring - 1, inner + 1),
            ]);
        }
    }
}
