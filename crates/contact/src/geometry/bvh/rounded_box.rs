//! Boxes in single precision, rounded outwards: single ones, and eight of them side by side.

use resile_math::{Aabb, Vec3};
use std::{array, iter};
use wide::{f32x4, f32x8};

/// Largest number of primitives of a leaf and of children of a node: the number of boxes compared at once.
pub(super) const LEAF_SIZE: usize = 8;

/// A box in single precision: the smallest coordinates and the negated largest ones, so that the hull takes the
/// minimum of both. The last lane is always zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundedBox {
    pub(super) min: f32x4,
    pub(super) neg_max: f32x4,
}

impl RoundedBox {
    pub(crate) const EMPTY: Self =
        Self { min: f32x4::new([f32::INFINITY; 4]), neg_max: f32x4::new([f32::INFINITY; 4]) };

    /// The smallest such box that contains `b`.
    pub(crate) fn around(b: Aabb) -> Self {
        Self { min: round_down_lanes(b.min), neg_max: round_down_lanes(-b.max) }
    }

    /// Smallest box that contains both boxes.
    pub(crate) fn hull(self, other: Self) -> Self {
        Self { min: self.min.fast_min(other.min), neg_max: self.neg_max.fast_min(other.neg_max) }
    }
}

/// Coordinates of `v` in single precision, rounded down; the last lane is zero.
pub(super) fn round_down_lanes(v: Vec3) -> f32x4 {
    f32x4::new([round_down(v.x), round_down(v.y), round_down(v.z), 0.0])
}

/// The largest single-precision number that is at most `x`.
fn round_down(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) > x { rounded.next_down() } else { rounded }
}

/// Boxes of the children of a node or of the primitives of a leaf, by coordinate, as in [`RoundedBox`]. Unused lanes
/// are empty.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackedBoxes {
    pub(super) min: [f32x8; 3],
    pub(super) neg_max: [f32x8; 3],
}

impl PackedBoxes {
    pub(super) const EMPTY: Self = {
        let empty = [f32x8::new([f32::INFINITY; 8]); 3];
        Self { min: empty, neg_max: empty }
    };

    /// Boxes of the children or primitives, transposed to one lane for each.
    pub(super) fn new(boxes: &[RoundedBox; LEAF_SIZE]) -> Self {
        let [mut min, mut neg_max] = [[[f32::INFINITY; LEAF_SIZE]; 3]; 2];
        for (lane, rounded) in boxes.iter().enumerate() {
            let (lane_min, lane_neg_max) = (rounded.min.to_array(), rounded.neg_max.to_array());
            for axis in 0..3 {
                min[axis][lane] = lane_min[axis];
                neg_max[axis][lane] = lane_neg_max[axis];
            }
        }
        Self { min: min.map(f32x8::new), neg_max: neg_max.map(f32x8::new) }
    }

    /// Bounding box of all boxes.
    #[inline]
    pub(super) fn hull(&self) -> RoundedBox {
        let min_of_lanes = |bounds: &[f32x8; 3]| {
            let half =
                |v: &f32x8, from: usize| f32x4::new(array::from_fn(|k| v.as_array()[from + k]));
            let [x, y, z] = bounds.each_ref().map(|v| half(v, 0).fast_min(half(v, 4)));
            let [a, b, c, d] = f32x4::transpose([x, y, z, f32x4::ZERO]);
            a.fast_min(b).fast_min(c.fast_min(d))
        };
        RoundedBox { min: min_of_lanes(&self.min), neg_max: min_of_lanes(&self.neg_max) }
    }
}

/// Positions of the set bits, ascending.
#[inline]
pub(crate) fn set_bits(mut bits: u32) -> impl Iterator<Item = usize> {
    iter::from_fn(move || {
        let lane = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lane
    })
}
