//! Points of surfaces that are given their light together.

use glam::Vec3;

/// Points of surfaces, each with its normal.
#[derive(Debug, Default)]
pub(crate) struct Spots {
    pub(super) points: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
}

/// The box around points, and the normal of all of them if it is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) center: Vec3,
    pub(super) half: Vec3,
    pub(super) normal: Option<Vec3>,
}

impl Spots {
    /// Adds a point and its normal, of unit length.
    pub(crate) fn add(&mut self, point: Vec3, normal: Vec3) {
        self.points.push(point);
        self.normals.push(normal);
    }

    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// Where they are, if there are any.
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
