//! Surfaces swept around the y axis.

use super::{GenerateError, check_count, check_elements, check_size};
use crate::TriMesh;
use resile_math::Vec3;
use resile_math::elementary;
use std::f64::consts::TAU;

/// The closed surface of a cylinder around the y axis: a lateral grid, and a triangle fan around the centre of
/// each cap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CylinderSurface {
    /// Radius in metres.
    pub radius: f64,
    /// Height along y, in metres.
    pub height: f64,
    /// Number of segments around the axis, at least 3.
    pub around: usize,
    /// Number of segments along y.
    pub along: usize,
}

impl CylinderSurface {
    /// Builds the surface with `around (along + 1) + 2` vertices and `2 around (along + 1)` triangles.
    ///
    /// # Errors
    /// If a length is not a positive finite number, or a count is too small or too large.
    pub fn build(&self) -> Result<TriMesh, GenerateError> {
        check_size("radius", self.radius)?;
        check_size("height", self.height)?;
        check_count("around", self.around, 3)?;
        check_count("along", self.along, 1)?;
        check_elements(&[2, self.around, self.along.saturating_add(1)])?;
        let profile: Vec<ProfilePoint> = (0..=self.along)
            .map(|row| {
                let fraction = (2.0 * row as f64 - self.along as f64) / (2.0 * self.along as f64);
                ProfilePoint { radius: self.radius, y: self.height * fraction }
            })
            .collect();
        let mut positions = sweep(&profile, self.around);
        let mut triangles = Vec::new();
        for row in 0..self.along {
            add_strip(row, row + 1, self.around, &mut triangles);
        }
        let (bottom, top) = (positions.len() as u32, positions.len() as u32 + 1);
        let half_height = 0.5 * self.height;
        positions.extend([Vec3::new(0.0, -half_height, 0.0), Vec3::new(0.0, half_height, 0.0)]);
        for j in 0..self.around {
            let [first, next] = [j, j + 1].map(|j| vertex_index(0, j, self.around));
            triangles.push([bottom, next, first]);
            let [first, next] = [j, j + 1].map(|j| vertex_index(self.along, j, self.around));
            triangles.push([top, first, next]);
        }
        Ok(TriMesh { positions, triangles })
    }
}

/// A torus around the y axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Torus {
    /// Distance from the axis to the tube's centreline, in metres.
    pub ring_radius: f64,
    /// Radius of the tube, in metres; smaller than `ring_radius`.
    pub tube_radius: f64,
    /// Number of segments around the axis, at least 3.
    pub around_ring: usize,
    /// Number of segments around the tube, at least 3.
    pub around_tube: usize,
}

impl Torus {
    /// Builds the surface with `around_ring around_tube` vertices and twice as many triangles.
    ///
    /// # Errors
    /// If a radius is not a positive finite number, a count is too small or too large, or the tube radius is not
    /// smaller than the ring radius.
    pub fn build(&self) -> Result<TriMesh, GenerateError> {
        let (ring, tube) = (self.ring_radius, self.tube_radius);
        check_size("ring_radius", ring)?;
        check_size("tube_radius", tube)?;
        check_count("around_ring", self.around_ring, 3)?;
        check_count("around_tube", self.around_tube, 3)?;
        check_elements(&[2, self.around_ring, self.around_tube])?;
        if tube >= ring {
            return Err(GenerateError::TubeTooThick { tube, ring });
        }
        let profile: Vec<ProfilePoint> = (0..self.around_tube)
            .map(|row| {
                let angle = TAU * row as f64 / self.around_tube as f64;
                ProfilePoint {
                    radius: ring + tube * elementary::cos(angle),
                    y: tube * elementary::sin(angle),
                }
            })
            .collect();
        let mut triangles = Vec::with_capacity(2 * self.around_ring * self.around_tube);
        for row in 0..self.around_tube {
            add_strip(row, (row + 1) % self.around_tube, self.around_ring, &mut triangles);
        }
        Ok(TriMesh { positions: sweep(&profile, self.around_ring), triangles })
    }
}

/// A point of the profile of a surface of revolution, in metres.
#[derive(Debug, Clone, Copy)]
struct ProfilePoint {
    /// Distance from the y axis.
    radius: f64,
    y: f64,
}

/// Sweeps each point of the profile through `around` equal angles. Returns a row of vertices (m) for each point.
fn sweep(profile: &[ProfilePoint], around: usize) -> Vec<Vec3> {
    let mut positions = Vec::with_capacity(profile.len() * around);
    for &ProfilePoint { radius, y } in profile {
        for j in 0..around {
            let angle = TAU * j as f64 / around as f64;
            // Clockwise in x and z is counter-clockwise seen from above.
            positions.push(Vec3::new(
                radius * elementary::cos(angle),
                y,
                -radius * elementary::sin(angle),
            ));
        }
    }
    positions
}

/// Index of vertex `j` (cyclic) of a row of `around` vertices.
fn vertex_index(row: usize, j: usize, around: usize) -> u32 {
    (row * around + j % around) as u32
}

/// Adds outward triangles between two rows of `around` vertices. The second row is the next one counter-clockwise
/// around the profile (upward on the outside).
fn add_strip(row: usize, next: usize, around: usize, triangles: &mut Vec<[u32; 3]>) {
    for j in 0..around {
        let (a, b) = (vertex_index(row, j, around), vertex_index(row, j + 1, around));
        let (c, d) = (vertex_index(next, j + 1, around), vertex_index(next, j, around));
        triangles.extend([[a, b, c], [a, c, d]]);
    }
}
