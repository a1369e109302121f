//! Axis-aligned boxes.

use crate::Vec3;

/// An axis-aligned bounding box (m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: Vec3,
    /// Largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// The box that contains no point.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box that holds `points`; [`EMPTY`](Self::EMPTY) if there are none.
    pub fn of_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        let grow = |b: Self, p: Vec3| Self { min: b.min.min(p), max: b.max.max(p) };
        points.into_iter().fold(Self::EMPTY, grow)
    }

    /// The smallest box that holds `points`; `None` if there are none.
    pub fn around(points: &[Vec3]) -> Option<Self> {
        (!points.is_empty()).then(|| Self::of_points(points.iter().copied()))
    }

    /// Edge lengths.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// The centre of the box.
    pub fn center(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// The smallest box that contains both boxes.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The intersection of the boxes; `None` if they are disjoint.
    pub fn common(self, other: Self) -> Option<Self> {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        min.cmple(max).all().then_some(Self { min, max })
    }

    /// The box grown by `margin` (m) on all sides.
    #[must_use]
    pub fn inflate(self, margin: f64) -> Self {
        Self { min: self.min - Vec3::splat(margin), max: self.max + Vec3::splat(margin) }
    }

    /// The bounding box of all positions of the box during the translation `by` (m).
    #[must_use]
    pub fn swept(self, by: Vec3) -> Self {
        Self { min: self.min + by.min(Vec3::ZERO), max: self.max + by.max(Vec3::ZERO) }
    }

    /// Whether the boxes have a point in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// The shortest translation (m) along a coordinate axis that separates the boxes; not positive
    /// if they are disjoint.
    pub fn separation(&self, other: &Self) -> f64 {
        (self.max - other.min).min(other.max - self.min).min_element()
    }
}
