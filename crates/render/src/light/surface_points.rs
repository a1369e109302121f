//! Batches of surface points that are lit together.

use glam::Vec3;

/// Surface points with their normals.
#[derive(Debug, Default)]
pub(crate) struct SurfacePoints {
    /// Positions (m).
    pub(super) points: Vec<Vec3>,
    /// Unit normal at each point.
    pub(super) normals: Vec<Vec3>,
}

/// Bounding box of points, and their common normal if there is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// Centre of the bounding box (m).
    pub(super) center: Vec3,
    /// Half of the sides of the bounding box (m).
    pub(super) half_size: Vec3,
    /// Unit normal, if it is the same at all points.
    pub(super) normal: Option<Vec3>,
}

impl SurfacePoints {
    /// Adds a point and its unit normal.
    pub(crate) fn add(&mut self, point: Vec3, normal: Vec3) {
        self.points.push(point);
        self.normals.push(normal);
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// Extent of the points; `None` if there are none.
    pub(super) fn extent(&self) -> Option<Extent> {
        let first = *self.points.first()?;
        let extend = |[min, max]: [Vec3; 2], &p: &Vec3| [min.min(p), max.max(p)];
        let [min, max] = self.points.iter().fold([first, first], extend);
        let first_normal = self.normals[0];
        let have_common_normal = self.normals.iter().all(|&normal| normal == first_normal);
        Some(Extent {
            center: 0.5 * (min + max),
            half_size: 0.5 * (max - min),
            normal: have_common_normal.then_some(first_normal),
        })
    }
}
