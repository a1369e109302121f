//! Chain links.

use super::{GenerateError, check_count, check_elements, check_size};
use crate::TriMesh;
use resile_math::Vec3;
use resile_math::elementary;
use std::f64::consts::PI;

/// The closed surface of a chain link: a round tube along a stadium, two straight sides along x joined by half
/// circles in the plane y = 0.
///
/// Its outer length is `straight + 2 (end_radius + tube_radius)` and its outer width `2 (end_radius + tube_radius)`.
/// The hole is `2 (end_radius - tube_radius)` wide; two links can be interlocked if that exceeds the tube diameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Length of each straight side, in metres.
    pub straight: f64,
    /// Radius of the half circles up to the tube's centreline, in metres.
    pub end_radius: f64,
    /// Radius of the tube, in metres; smaller than `end_radius`.
    pub tube_radius: f64,
    /// Number of segments along each straight side.
    pub along_side: usize,
    /// Number of segments along each half circle, at least 2.
    pub along_end: usize,
    /// Number of segments around the tube, at least 3.
    pub around_tube: usize,
}

impl Link {
    /// Builds the surface with `2 (along_side + along_end) around_tube` vertices and twice as many triangles.
    ///
    /// # Errors
    /// If a length is not a positive finite number, a count is too small or too large, or the tube radius is not
    /// smaller than the end radius.
    pub fn build(&self) -> Result<TriMesh, GenerateError> {
        let (tube, ring) = (self.tube_radius, self.end_radius);
        check_size("straight", self.straight)?;
        check_size("end_radius", ring)?;
        check_size("tube_radius", tube)?;
        check_count("along_side", self.along_side, 1)?;
        check_count("along_end", self.along_end, 2)?;
        check_count("around_tube", self.around_tube, 3)?;
        let station_count = self.along_side.saturating_add(self.along_end).saturating_mul(2);
        check_elements(&[2, station_count, self.around_tube])?;
        if tube >= ring {
            return Err(GenerateError::TubeTooThick { tube, ring });
        }
        let positions =
            self.stations().flat_map(|(center, outward)| self.ring(center, outward)).collect();
        let mut triangles = Vec::with_capacity(2 * station_count * self.around_tube);
        for k in 0..station_count {
            let vertex = |k: usize, j: usize| {
                (k % station_count * self.around_tube + j % self.around_tube) as u32
            };
            for j in 0..self.around_tube {
                let (a, b) = (vertex(k, j), vertex(k + 1, j));
                let (c, d) = (vertex(k + 1, j + 1), vertex(k, j + 1));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Ok(TriMesh { positions, triangles })
    }

    /// Centreline points (m), each with the unit vector away from the hole, counter-clockwise seen from above. Each
    /// half circle begins at the end of a straight side.
    fn stations(&self) -> impl Iterator<Item = (Vec3, Vec3)> {
        let Self { straight, end_radius, along_side, along_end, .. } = *self;
        [1.0, -1.0].into_iter().flat_map(move |sign: f64| {
            let center = Vec3::new(0.5 * sign * straight, 0.0, 0.0);
            let end = (0..along_end).map(move |k| {
                let angle = PI * k as f64 / along_end as f64;
                let outward = sign * Vec3::new(elementary::sin(angle), 0.0, elementary::cos(angle));
                (center + end_radius * outward, outward)
            });
            let side = (0..along_side).map(move |k| {
                let outward = Vec3::new(0.0, 0.0, -sign);
                let offset = Vec3::new(straight * k as f64 / along_side as f64, 0.0, 0.0);
                (center - sign * offset + end_radius * outward, outward)
            });
            end.chain(side)
        })
    }

    /// Vertices (m) around the tube at a point of its centreline.
    fn ring(&self, center: Vec3, outward: Vec3) -> impl Iterator<Item = Vec3> {
        let Self { tube_radius, around_tube, .. } = *self;
        (0..around_tube).map(move |j| {
            let angle = 2.0 * PI * j as f64 / around_tube as f64;
            center
                + tube_radius
                    * (elementary::cos(angle) * outward + elementary::sin(angle) * Vec3::Y)
        })
    }
}
