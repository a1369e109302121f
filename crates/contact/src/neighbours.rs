//! Who may meet whom in a step: sweeps of whole bodies.
//!
//! A box around a body is not enough: dice that tumble past each other at a hand's
//! breadth have overlapping boxes all the time, and were solved as one island of
//! eight for most of the run. So where boxes overlap, the swept boxes of the triangles are
//! compared, which costs a refit of a tree.

use crate::bvh::Boxes;
use crate::{Aabb, Surface, bvh};
use resile_math::Vec3;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// Where a body's surface can be during a motion, and some margin. The boxes of its
/// triangles are made when first somebody is near.
#[derive(Debug)]
pub struct Sweep<'a> {
    surface: Arc<Surface>,
    low: Cow<'a, [Vec3]>,
    high: Cow<'a, [Vec3]>,
    hull: Aabb,
    margin: f64,
    triangles: OnceLock<Boxes>,
}

impl<'a> Sweep<'a> {
    /// The sweep of a surface whose points each stay in the box spanned by `low` and
    /// `high` (positions of [the surface's points](Surface::points), m, in any order:
    /// both ends of a straight way will do), grown by `margin` (m).
    pub fn new(
        surface: Arc<Surface>,
        low: impl Into<Cow<'a, [Vec3]>>,
        high: impl Into<Cow<'a, [Vec3]>>,
        margin: f64,
    ) -> Self {
        let (low, high) = (low.into(), high.into());
        let on_surface = surface.vertices.iter().map(|&i| i as usize);
        let hull = Aabb::of_points(on_surface.flat_map(|i| [low[i], high[i]])).inflate(margin);
        Self { surface, low, high, hull, margin, triangles: OnceLock::new() }
    }

    /// The box around it.
    pub fn hull(&self) -> Aabb {
        self.hull
    }

    /// Whether triangles of both may come together. If not, the surfaces stay at least
    /// the sum of the margins apart.
    pub fn may_meet(&self, other: &Self) -> bool {
        if !self.hull.overlaps(&other.hull) {
            return false;
        }
        let margin = self.margin + other.margin;
        let first = |_, _| ControlFlow::Break(());
        bvh::pairs(self.tree(), other.tree(), Vec3::ZERO, margin, first).is_break()
    }

    fn tree(&self) -> bvh::Fitted<'_> {
        let boxes =
            self.triangles.get_or_init(|| self.surface.triangle_boxes(&self.low, &self.high));
        self.surface.triangles_in(boxes)
    }
}
