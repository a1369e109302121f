//! Points of a surface on a straight path, packed for lanes of single precision.
//!
//! Eight pairs of primitives are looked at together only if their points come into lanes
//! cheaply: with where a point is and how far it moves in one row of eight numbers, the rows of
//! eight points are transposed in registers, and nothing is gathered number by number. A row is seen
//! from the middle of its surface and from the mean displacement, so that single precision is lost neither
//! to a place far from the origin nor to a long way of all.

use crate::CollisionMesh;
use resile_math::Vec3;
use wide::f32x8;

/// Where the points of a surface are at the start of a path, and how far they move on it.
#[derive(Debug)]
pub(crate) struct PackedPath {
    /// For each point its place, its displacement, and two zeros; all zero for what is not on the surface.
    rows: Vec<[f32; 8]>,
    /// What places are seen from (m).
    pub(crate) centre: Vec3,
    /// What displacements are seen from (m).
    pub(crate) mean: Vec3,
    /// The largest number in the rows (m), rounded up.
    pub(crate) size: f64,
}

/// Places and displacements of eight points, one a lane, by coordinate.
pub(crate) type Packed = [[f32x8; 3]; 2];

impl PackedPath {
    /// Of a mesh of which the points go straight from `from` to `to` (m), with what their places and displacements
    /// are seen from. O(points).
    pub(crate) fn new(
        mesh: &CollisionMesh,
        [centre, mean]: [Vec3; 2],
        from: &[Vec3],
        to: &[Vec3],
    ) -> Self {
        let mut rows = vec![[0.0; 8]; mesh.point_count()];
        let mut largest = Vec3::ZERO;
        for &i in mesh.vertices() {
            let (from, to) = (from[i as usize], to[i as usize]);
            let (place, moved) = (from - centre, (to - from) - mean);
            largest = largest.max(place.abs()).max(moved.abs());
            let [x, y, z] = place.to_array().map(|x| x as f32);
            let [u, v, w] = moved.to_array().map(|x| x as f32);
            rows[i as usize] = [x, y, z, u, v, w, 0.0, 0.0];
        }
        Self { rows, centre, mean, size: largest.max_element() * (1.0 + f64::from(f32::EPSILON)) }
    }

    /// Of eight points.
    #[inline(always)]
    pub(crate) fn lanes(&self, points: [u32; 8]) -> Packed {
        // Written out: a map over the array is a call a point.
        let row = |l: usize| f32x8::new(self.rows[points[l] as usize]);
        let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
        let [x, y, z, u, v, w, _, _] = f32x8::transpose(rows);
        [[x, y, z], [u, v, w]]
    }
}
