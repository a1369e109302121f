//! Axis-aligned bounding boxes.

use glam::Vec3;

/// Axis-aligned bounding box of points (m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) min: Vec3,
    pub(crate) max: Vec3,
}

impl Bounds {
    /// Bounding box of points; `None` if there are none.
    pub(crate) fn around(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let point = |p: Vec3| Self { min: p, max: p };
        points.into_iter().map(point).reduce(Self::joined)
    }

    pub(crate) fn joined(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    pub(crate) fn center(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    pub(crate) fn size(&self) -> Vec3 {
        self.max - self.min
    }

    pub(crate) fn corners(&self) -> [Vec3; 8] {
        let side = |bits: u32, bit: u32| bits >> bit & 1 == 1;
        std::array::from_fn(|k| {
            let bits = k as u32;
            Vec3::select(
                glam::BVec3::new(side(bits, 0), side(bits, 1), side(bits, 2)),
                self.max,
                self.min,
            )
        })
    }

    /// Intersection of both boxes; `None` if they are disjoint.
    pub(crate) fn common(self, other: Self) -> Option<Self> {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        min.cmple(max).all().then_some(Self { min, max })
    }

    /// The box scaled about its centre.
    pub(crate) fn scaled(&self, factor: f32) -> Self {
        let half = 0.5 * factor * self.size();
        Self { min: self.center() - half, max: self.center() + half }
    }
}
