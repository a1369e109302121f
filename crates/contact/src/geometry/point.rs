//! Points that pairs of primitives consist of.

use resile_math::Vec3;

/// Marks the number of an obstacle's point.
const OBSTACLE: u32 = 1 << 31;

/// A point of the colliders, or a fixed point of an obstacle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point(u32);

impl Point {
    pub(crate) fn moving(i: usize) -> Self {
        Self(i as u32)
    }

    pub(crate) fn fixed(i: usize) -> Self {
        Self(i as u32 | OBSTACLE)
    }

    /// The point `by` places further in the same numbering.
    #[inline]
    pub(crate) fn plus(self, by: u32) -> Self {
        Self(self.0 + by)
    }

    /// The colliders' point, if it is one.
    #[inline]
    pub(crate) fn as_moving(self) -> Option<usize> {
        (self.0 & OBSTACLE == 0).then_some(self.0 as usize)
    }

    #[inline]
    pub(crate) fn position(self, x: &[Vec3], fixed: &[Vec3]) -> Vec3 {
        match self.as_moving() {
            Some(i) => x[i],
            None => fixed[(self.0 & !OBSTACLE) as usize],
        }
    }
}

/// Where four points are, the colliders' being at `x`. Written out: a map over the array is a call
/// a point, a tenth of a search.
#[inline]
pub(crate) fn positions([a, b, c, d]: [Point; 4], x: &[Vec3], fixed: &[Vec3]) -> [Vec3; 4] {
    [a.position(x, fixed), b.position(x, fixed), c.position(x, fixed), d.position(x, fixed)]
}
