//! Points of pairs of primitives.

use resile_math::Vec3;

/// Bit that marks points of obstacles.
const OBSTACLE_BIT: u32 = 1 << 31;

/// A point of the colliders, or a fixed point of an obstacle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point(u32);

impl Point {
    /// Point `i` of the colliders.
    pub(crate) fn moving(i: usize) -> Self {
        Self(i as u32)
    }

    /// Point `i` of the fixed obstacles.
    pub(crate) fn fixed(i: usize) -> Self {
        Self(i as u32 | OBSTACLE_BIT)
    }

    /// The point with the index increased by `by`.
    #[inline]
    pub(crate) fn plus(self, by: u32) -> Self {
        Self(self.0 + by)
    }

    /// Index of a point of the colliders; `None` for an obstacle.
    #[inline]
    pub(crate) fn as_moving(self) -> Option<usize> {
        (self.0 & OBSTACLE_BIT == 0).then_some(self.0 as usize)
    }

    /// Position of the point (m), with points of the colliders at `x` and points of obstacles at `fixed`.
    #[inline]
    pub(crate) fn position(self, x: &[Vec3], fixed: &[Vec3]) -> Vec3 {
        match self.as_moving() {
            Some(i) => x[i],
            None => fixed[(self.0 & !OBSTACLE_BIT) as usize],
        }
    }
}

/// Positions of four points (m), with points of the colliders at `x`. Unrolled: a map over the array makes one call
/// per point, a tenth of the time of a search.
#[inline]
pub(crate) fn positions([a, b, c, d]: [Point; 4], x: &[Vec3], fixed: &[Vec3]) -> [Vec3; 4] {
    [a.position(x, fixed), b.position(x, fixed), c.position(x, fixed), d.position(x, fixed)]
}
