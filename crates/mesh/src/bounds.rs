//! Axis-aligned bounding boxes.

use resile_math::Vec3;

/// The smallest axis-aligned box around some points, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The smallest coordinates.
    pub min: Vec3,
    /// The largest coordinates.
    pub max: Vec3,
}

impl Bounds {
    /// The box around `points`; `None` if there are none.
    pub fn around(points: &[Vec3]) -> Option<Self> {
        let first = *points.first()?;
        let start = Self { min: first, max: first };
        Some(points.iter().fold(start, |b, &p| Self { min: b.min.min(p), max: b.max.max(p) }))
    }

    /// Edge lengths.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// The middle.
    pub fn center(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// The box around both.
    pub fn joined(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box of all points that are in both; `None` if there are none.
    pub fn common(self, other: Self) -> Option<Self> {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        min.cmple(max).all().then_some(Self { min, max })
    }
}
