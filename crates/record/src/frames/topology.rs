//! Cells of all bodies, which are the same in all frames.

use super::Role;
use resile_math::Vec3;

/// One body: its name, and its cells by the points of this body, numbered from zero.
#[derive(Debug, Clone, Copy, Default)]
pub struct BodyCells<'a> {
    /// Name of the body.
    pub name: &'a str,
    /// Number of the body; by default one more than that of the previous body.
    pub number: Option<u32>,
    /// Role of the body.
    pub role: Role,
    /// Tetrahedra of the body.
    pub tets: &'a [[u32; 4]],
    /// Triangles of the body.
    pub triangles: &'a [[u32; 3]],
    /// Lines of the body.
    pub lines: &'a [[u32; 2]],
    /// Radius of rods whose axes are `lines` (m).
    pub radius: Option<f64>,
    /// Whether `triangles` are a sheet, as of a shell, and not the surface of a solid.
    pub is_sheet: bool,
    /// Points that are drawn individually.
    pub points: &'a [u32],
    /// Named groups of the tetrahedra or, of a body without tetrahedra, of the triangles.
    pub groups: &'a [(String, Vec<u32>)],
}

/// Cells of all bodies, which are the same in all frames.
#[derive(Debug, Clone, Default)]
pub struct Topology {
    /// Gravitational acceleration at the start (m/s^2), which defines the down direction.
    pub gravity: Vec3,
    pub(super) bodies: Vec<OwnedCells>,
    /// Number of points of all bodies.
    point_count: u32,
}

/// Cells of one body, by the points of a frame.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnedCells {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) tets: Vec<[u32; 4]>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) lines: Vec<[u32; 2]>,
    pub(super) radius: Option<f64>,
    pub(super) is_sheet: bool,
    pub(super) points: Vec<u32>,
    pub(super) groups: Vec<(String, Vec<u32>)>,
}

impl Topology {
    /// Adds the next body with `point_count` points and these cells.
    pub fn add_body(&mut self, point_count: usize, cells: BodyCells<'_>) {
        let first_point = self.point_count;
        let next_number = self.bodies.last().map_or(0, |last| last.number + 1);
        let body = OwnedCells {
            number: cells.number.unwrap_or(next_number),
            name: cells.name.to_owned(),
            role: cells.role,
            tets: shifted(cells.tets, first_point),
            triangles: shifted(cells.triangles, first_point),
            lines: shifted(cells.lines, first_point),
            radius: cells.radius,
            is_sheet: cells.is_sheet,
            points: cells.points.iter().map(|point| point + first_point).collect(),
            groups: cells.groups.to_vec(),
        };
        self.bodies.push(body);
        self.point_count += point_count as u32;
    }
}

/// Cells whose point indices are increased by `first`.
fn shifted<const N: usize>(cells: &[[u32; N]], first: u32) -> Vec<[u32; N]> {
    cells.iter().map(|cell| cell.map(|point| point + first)).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use resile_math::Vec3;

    pub(crate) const POINTS: [Vec3; 8] =
        [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE, Vec3::ZERO, Vec3::NEG_X, Vec3::NEG_ONE];

    /// A body of two tetrahedra, and one of two particles with a spring and one without.
    pub(crate) fn topology() -> Topology {
        let mut topology = Topology::default();
        let tets = &[[0, 1, 2, 3], [1, 4, 2, 3]];
        topology.add_body(5, BodyCells { name: "solid", tets, ..BodyCells::default() });
        let (lines, points) = (&[[0, 2]], &[1]);
        let name = "two <&\">";
        topology.add_body(3, BodyCells { name, lines, points, ..BodyCells::default() });
        topology
    }
}
