//! Extruded polygons and shapes made from them.

use super::polygon::{Point, check_polygon, signed_area, triangulate};
use super::{GenerateError, check_count, check_elements, check_size};
use crate::TriMesh;
use resile_math::Vec3;

/// The closed surface of a prism: a simple polygon in the xy plane, extruded along z from `-depth / 2` to
/// `depth / 2`. Unlike the other shapes it is not centred in x and y: the polygon keeps its coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Extrusion {
    /// Corners `[x, y]` in metres, at most [`MAX_CORNERS`](super::MAX_CORNERS), in either orientation.
    pub corners: Vec<Point>,
    /// Depth along z, in metres.
    pub depth: f64,
    /// Number of segments along z.
    pub along: usize,
}

impl Extrusion {
    /// Builds the surface with `n (along + 1)` vertices and `2 n (along + 1) - 4` triangles for `n` corners.
    ///
    /// # Errors
    /// If the depth is not a positive finite number, there are no segments or too many, or the polygon is not simple or
    /// has too many corners.
    pub fn build(&self) -> Result<TriMesh, GenerateError> {
        check_size("depth", self.depth)?;
        check_count("along", self.along, 1)?;
        check_polygon(&self.corners)?;
        check_elements(&[2, self.corners.len(), self.along.saturating_add(1)])?;
        let mut corners = self.corners.clone();
        if signed_area(&corners) < 0.0 {
            corners.reverse();
        }
        let cap = triangulate(&corners)?;
        let count = corners.len();
        let mut positions = Vec::with_capacity(count * (self.along + 1));
        for layer in 0..=self.along {
            let fraction = (2.0 * layer as f64 - self.along as f64) / (2.0 * self.along as f64);
            positions.extend(corners.iter().map(|&[x, y]| Vec3::new(x, y, self.depth * fraction)));
        }
        let first_of_last_layer = (self.along * count) as u32;
        let mut triangles: Vec<[u32; 3]> = cap.iter().map(|&[a, b, c]| [a, c, b]).collect();
        triangles.extend(cap.iter().map(|t| t.map(|k| k + first_of_last_layer)));
        for layer in 0..self.along {
            for k in 0..count {
                let vertex = |k: usize, layer: usize| (layer * count + k % count) as u32;
                let (a, b) = (vertex(k, layer), vertex(k + 1, layer));
                let (c, d) = (vertex(k + 1, layer + 1), vertex(k, layer + 1));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Ok(TriMesh { positions, triangles })
    }
}

/// The closed surface of stairs that ascend along x, solid below the steps, centred at the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stairs {
    /// Number of steps.
    pub steps: usize,
    /// Height of a step, in metres.
    pub rise: f64,
    /// Depth of a step along x, in metres.
    pub run: f64,
    /// Width along z, in metres.
    pub width: f64,
}

impl Stairs {
    /// Builds the surface with `4 (steps + 1)` vertices and `8 steps + 4` triangles as an [`Extrusion`].
    ///
    /// # Errors
    /// If a length is not a positive finite number, or there are no steps or too many.
    pub fn build(&self) -> Result<TriMesh, GenerateError> {
        let Self { steps, rise, run, width } = *self;
        check_count("steps", steps, 1)?;
        check_size("rise", rise)?;
        check_size("run", run)?;
        check_size("width", width)?;
        // Checked before the profile, which grows with the number of steps, is allocated.
        if steps > super::MAX_CORNERS / 2 - 1 {
            return Err(GenerateError::TooManyCorners { corners: steps.saturating_mul(2) });
        }
        let half = [0.5 * run * steps as f64, 0.5 * rise * steps as f64];
        let corner = |k: usize, j: usize| [run * k as f64 - half[0], rise * j as f64 - half[1]];
        let mut corners = vec![corner(0, 0), corner(steps, 0)];
        for k in (0..steps).rev() {
            corners.extend([corner(k + 1, k + 1), corner(k, k + 1)]);
        }
        Extrusion { corners, depth: width, along: 1 }.build()
    }
}
