//! Batches of surface points that are lit together.

use glam::Vec3;

/// Surface points with their normals.
#[derive(Debug, Default)]
pub(crate) struct SurfacePoints {
    pub(super) points: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
}

/// Bounding box of points, and their common normal if there is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) center: Vec3,
    pub(super) half: Vec3,
    pub(super) normal: Option<Vec3>,
}

impl SurfacePoints {
    /// Adds a point and its unit normal.
    pub(crate) fn add(&mut self, point: Vec3, normal: Vec3) {
        self.points.push(point);
        self.normals.push(normal);
    }

    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// Extent of the points; `None` if there are none.
    pub(super) fn extent(&self) -> Option<Extent> {
        let first = *self.points.first()?;
        let bounds = |[min, max]: [Vec3; 2], &p: &Vec3| [min.min(p), max.max(p)];
        let [min, max] = self.points.iter().fold([first, first], bounds);
        let normal = self.normals[0];
        let is_one = self.normals.iter().all(|&other| other == normal);
        let (center, half) = (0.5 * (min + max), 0.5 * (max - min));
        Some(Extent { center, half, normal: is_one.then_some(normal) })
    }
}
