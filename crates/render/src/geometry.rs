//! Boxes around points.

use glam::Vec3;

/// The smallest box around points, along the axes (m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) min: Vec3,
    pub(crate) max: Vec3,
}

impl Bounds {
    /// Around these points, if there are any.
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

    /// What is in both, if anything is.
    pub(crate) fn common(self, other: Self) -> Option<Self> {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        min.cmple(max).all().then_some(Self { min, max })
    }

    /// As many times as large about its centre.
    pub(crate) fn scaled(&self, factor: f32) -> Self {
        let half = 0.5 * factor * self.size();
        Self { min: self.center() - half, max: self.center() + half }
    }
}
