//! Points of a surface on a straight path, packed for lanes of single precision.
//!
//! Eight pairs of primitives are processed together, so their points must be loaded into lanes cheaply. A row of
//! eight numbers holds the position and the displacement of a point; the rows of eight points are transposed in
//! registers, without gathering single numbers. Rows are relative to the centre of the surface and to the mean
//! displacement, so that neither a position far from the origin nor a large common displacement costs accuracy in
//! single precision.

use crate::CollisionMesh;
use resile_math::Vec3;
use wide::f32x8;

/// Positions of the points of a surface at the start of a path, and displacements on it.
#[derive(Debug)]
pub(crate) struct PackedPath {
    /// Position, displacement and two zeros of each point; all zero for points that are not on the surface.
    rows: Vec<[f32; 8]>,
    /// Origin of positions (m).
    pub(crate) centre: Vec3,
    /// Origin of displacements (m): their mean.
    pub(crate) mean_displacement: Vec3,
    /// Largest absolute value in the rows (m), rounded up.
    pub(crate) max_entry: f64,
}

/// Positions and displacements of eight points, one per lane, by coordinate.
pub(crate) type Packed = [[f32x8; 3]; 2];

impl PackedPath {
    /// Packs the points of a mesh on straight paths from `from` to `to` (m), relative to the `centre` and the
    /// `mean_displacement` (m). O(points).
    pub(crate) fn new(
        mesh: &CollisionMesh,
        centre: Vec3,
        mean_displacement: Vec3,
        [from, to]: [&[Vec3]; 2],
    ) -> Self {
        let mut rows = vec![[0.0; 8]; mesh.point_count()];
        let mut largest = Vec3::ZERO;
        for &i in mesh.vertices() {
            let (from, to) = (from[i as usize], to[i as usize]);
            let (position, displacement) = (from - centre, (to - from) - mean_displacement);
            largest = largest.max(position.abs()).max(displacement.abs());
            let [x, y, z] = position.to_array().map(|x| x as f32);
            let [u, v, w] = displacement.to_array().map(|x| x as f32);
            rows[i as usize] = [x, y, z, u, v, w, 0.0, 0.0];
        }
        Self {
            rows,
            centre,
            mean_displacement,
            max_entry: largest.max_element() * (1.0 + f64::from(f32::EPSILON)),
        }
    }

    /// Lanes of eight points.
    #[inline(always)]
    pub(crate) fn lanes(&self, points: [u32; 8]) -> Packed {
        // Unrolled: a map over the array makes one call per point.
        let row = |l: usize| f32x8::new(self.rows[points[l] as usize]);
        let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
        let [x, y, z, u, v, w, _, _] = f32x8::transpose(rows);
        [[x, y, z], [u, v, w]]
    }
}
