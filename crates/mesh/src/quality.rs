//! Element quality of solids.

use crate::TetMesh;
use resile_math::Vec3;
use resile_math::elementary;

/// Quality measures of the elements. The stiffness of an element grows like the inverse of its smallest height,
/// so a single sliver dominates the condition number.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// Smallest of all dihedral angles, in degrees (70.5 at all six edges of a regular tetrahedron).
    pub smallest_dihedral: f64,
    /// Median of all dihedral angles, in degrees.
    pub median_dihedral: f64,
    /// Shortest edge, in metres.
    pub smallest_edge: f64,
    /// Longest edge, in metres.
    pub largest_edge: f64,
    /// Smallest signed volume, in m^3.
    pub smallest_volume: f64,
    /// Elements whose volume is not positive, in ascending order.
    pub inverted: Vec<u32>,
}

/// End points of each edge of a tetrahedron, then the two opposite corners.
const EDGES: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]];

impl TetMesh {
    /// Measures all elements; `None` for an empty mesh. Costs six angles per element and one selection.
    pub fn quality(&self) -> Option<Quality> {
        let tets = 0..self.tets.len();
        let mut dihedrals: Vec<f64> = tets.flat_map(|tet| self.dihedrals(tet)).collect();
        let lengths = self.edge_lengths();
        let smallest_dihedral = dihedrals.iter().copied().min_by(f64::total_cmp)?;
        let middle = dihedrals.len() / 2;
        let (_, &mut median_dihedral, _) = dihedrals.select_nth_unstable_by(middle, f64::total_cmp);
        Some(Quality {
            smallest_dihedral,
            median_dihedral,
            smallest_edge: lengths.iter().copied().min_by(f64::total_cmp)?,
            largest_edge: lengths.iter().copied().max_by(f64::total_cmp)?,
            smallest_volume: self.volumes().into_iter().min_by(f64::total_cmp)?,
            inverted: self.inverted(),
        })
    }

    /// Smallest dihedral angle of each element, in degrees.
    pub fn smallest_dihedrals(&self) -> Vec<f64> {
        let smallest = |tet| self.dihedrals(tet).into_iter().fold(f64::INFINITY, f64::min);
        (0..self.tets.len()).map(smallest).collect()
    }

    /// Lengths of the six edges of each element, in metres.
    pub(crate) fn edge_lengths(&self) -> Vec<f64> {
        let edge_lengths = |tet: usize| {
            let x = self.corners(tet);
            EDGES.map(|[a, b, ..]| x[a].distance(x[b]))
        };
        (0..self.tets.len()).flat_map(edge_lengths).collect()
    }

    /// Dihedral angles of an element, in degrees.
    fn dihedrals(&self, tet: usize) -> [f64; 6] {
        let x = self.corners(tet);
        EDGES.map(|[a, b, c, d]| dihedral(x[a], x[b], x[c], x[d]).to_degrees())
    }
}

/// Dihedral angle at edge `a b` between the half planes through `c` and `d`, in radians. Uses the arc tangent:
/// the arc cosine loses half of its digits near 0 and 180 degrees, where bad elements are.
fn dihedral(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    let edge = b - a;
    let (u, v) = (edge.cross(c - a), edge.cross(d - a));
    elementary::atan2(u.cross(v).length(), u.dot(v))
}

/// Smallest dihedral angle of a tetrahedron, in degrees; negative if its volume is not positive. Computed from
/// the cosines between face normals, with an accuracy of 1e-6 degrees.
pub fn smallest_dihedral([a, b, c, d]: [Vec3; 4]) -> f64 {
    let outward =
        [(c - b).cross(d - b), (d - a).cross(c - a), (b - a).cross(d - a), (c - a).cross(b - a)];
    if !matches!(outward[3].dot(a - d), volume if volume > 0.0) {
        return -1.0;
    }
    let n = outward.map(Vec3::normalize_or_zero);
    let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let smallest = pairs.map(|[i, j]| n[i].dot(n[j])).into_iter().fold(1.0, f64::min);
    // The angle between outward normals is 180 degrees minus the dihedral angle.
    elementary::acos((-smallest).clamp(-1.0, 1.0)).to_degrees()
}
