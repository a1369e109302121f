//! Who may meet whom in a step: sweeps of whole bodies.
//!
//! A box around a body is not enough: dice that tumble past each other at a hand's
//! breadth have overlapping boxes all the time, and were solved as one island of
//! eight for most of the run. So where boxes overlap, the swept boxes of the triangles are
//! compared, which costs a refit of a tree.

use crate::surface::SurfaceBoxes;
use crate::{Aabb, Surface, bvh};
use resile_linalg::Vec3;
use std::sync::Arc;

/// Where a body's surface can be during a motion, and some margin.
#[derive(Debug)]
pub struct Sweep {
    surface: Arc<Surface>,
    boxes: SurfaceBoxes,
    margin: f64,
}

impl Sweep {
    /// The sweep of a surface whose points each stay in the box spanned by `low` and
    /// `high` (positions of [the surface's points](Surface::points), m, in any order:
    /// both ends of a straight way will do), grown by `margin` (m).
    pub fn new(surface: Arc<Surface>, low: &[Vec3], high: &[Vec3], margin: f64) -> Self {
        let boxes = surface.boxes(|i| low[i as usize], |i| high[i as usize]);
        Self { surface, boxes, margin }
    }

    /// The box around it.
    pub fn hull(&self) -> Aabb {
        self.boxes.root().inflate(self.margin)
    }

    /// Whether triangles of both may come together. If not, the surfaces stay at least
    /// the sum of the margins apart.
    pub fn may_meet(&self, other: &Self) -> bool {
        if !self.hull().overlaps(&other.hull()) {
            return false;
        }
        let (a, b) =
            (self.surface.triangle_tree(&self.boxes), other.surface.triangle_tree(&other.boxes));
        let mut found = false;
        bvh::pairs(a, b, Vec3::ZERO, self.margin + other.margin, &mut |_, _| found = true);
        found
    }
}
