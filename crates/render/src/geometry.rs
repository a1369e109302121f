//! Axis-aligned bounding boxes.

use glam::Vec3;

/// Axis-aligned bounding box of points (m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    /// Corner with the smallest coordinates.
    pub(crate) min: Vec3,
    /// Corner with the largest coordinates.
    pub(crate) max: Vec3,
}

impl Bounds {
    /// Bounding box of points; `None` if there are none.
    pub(crate) fn around(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let point = |p: Vec3| Self { min: p, max: p };
        points.into_iter().map(point).reduce(Self::joined)
    }

    /// The smallest box that contains both boxes.
    pub(crate) fn joined(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Centre of the box (m).
    pub(crate) fn center(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// Side lengths of the box (m).
    pub(crate) fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// Corners of the box (m). Bits 0, 1 and 2 of the index of a corner are set if its x, y and z are the largest.
    pub(crate) fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|k| {
            let is_max = glam::BVec3::new(k & 1 != 0, k & 2 != 0, k & 4 != 0);
            Vec3::select(is_max, self.max, self.min)
        })
    }

    /// Intersection of both boxes; `None` if they are disjoint.
    pub(crate) fn intersection(self, other: Self) -> Option<Self> {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        min.cmple(max).all().then_some(Self { min, max })
    }

    /// The box scaled about its centre.
    pub(crate) fn scaled(&self, factor: f32) -> Self {
        let half = 0.5 * factor * self.size();
        Self { min: self.center() - half, max: self.center() + half }
    }
}
