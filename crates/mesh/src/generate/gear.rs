//! Gear wheels.

use super::{GenerateError, check_count, check_elements, check_size};
use crate::TriMesh;
use resile_math::Vec3;
use resile_math::elementary;
use std::f64::consts::TAU;

/// The closed surface of a gear wheel around the y axis, with straight-sided teeth and a round bore. It is a
/// toy for contact: the flanks are not involutes.
///
/// The pitch of a tooth is divided into four equal parts: rising flank, top land, falling flank, and gap. Two
/// wheels with equal tooth size therefore mesh with backlash if their distance is slightly more than the sum of
/// their mean radii.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gear {
    /// Number of teeth, at least 3.
    pub teeth: usize,
    /// Distance of the gaps from the axis, in metres.
    pub root_radius: f64,
    /// Distance of the top lands from the axis, in metres; larger than `root_radius`.
    pub tip_radius: f64,
    /// Radius of the bore, in metres; smaller than `root_radius`.
    pub bore_radius: f64,
    /// Thickness along y, in metres.
    pub thickness: f64,
}

impl Gear {
    /// Builds the surface with `16 teeth` vertices and `32 teeth` triangles.
    ///
    /// # Errors
    /// If there are fewer than three teeth or too many, a length is not a positive finite number, or the radii are not
    /// in ascending order.
    pub fn build(&self) -> Result<TriMesh, GenerateError> {
        check_count("teeth", self.teeth, 3)?;
        check_size("root_radius", self.root_radius)?;
        check_size("tip_radius", self.tip_radius)?;
        check_size("bore_radius", self.bore_radius)?;
        check_size("thickness", self.thickness)?;
        check_elements(&[32, self.teeth])?;
        check_order("bore_radius", self.bore_radius, "root_radius", self.root_radius)?;
        check_order("root_radius", self.root_radius, "tip_radius", self.tip_radius)?;
        let count = 4 * self.teeth;
        let mut positions = Vec::with_capacity(4 * count);
        // Rows of vertices around the solid of the cross section: outer bottom,
        // outer top, inner top, inner bottom.
        for (is_outer, height) in [(true, -0.5), (true, 0.5), (false, 0.5), (false, -0.5)] {
            for k in 0..count {
                let radius = match (is_outer, k % 4) {
                    (false, _) => self.bore_radius,
                    (true, 1 | 2) => self.tip_radius,
                    (true, _) => self.root_radius,
                };
                let angle = TAU * k as f64 / count as f64;
                let (x, z) = (radius * elementary::cos(angle), -radius * elementary::sin(angle));
                positions.push(Vec3::new(x, self.thickness * height, z));
            }
        }
        let mut triangles = Vec::with_capacity(8 * count);
        for row in 0..4 {
            for k in 0..count {
                let vertex = |row: usize, k: usize| (row % 4 * count + k % count) as u32;
                let (a, b) = (vertex(row, k), vertex(row, k + 1));
                let (c, d) = (vertex(row + 1, k + 1), vertex(row + 1, k));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Ok(TriMesh { positions, triangles })
    }
}

/// Rejects two lengths of which the first is not smaller than the second.
fn check_order(
    smaller: &'static str,
    small: f64,
    larger: &'static str,
    large: f64,
) -> Result<(), GenerateError> {
    if small < large { Ok(()) } else { Err(GenerateError::Order { smaller, small, larger, large }) }
}
