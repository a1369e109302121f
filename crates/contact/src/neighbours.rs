//! Which bodies may touch in a step: sweeps of whole bodies.
//!
//! A box around a body is not enough: dice that tumble past each other at a hand's
//! breadth have overlapping boxes all the time, and would be solved as one island
//! for most of a run. So where boxes overlap, the swept boxes of the primitives are
//! compared, which costs a refit of their trees.

use crate::bvh::Boxes;
use crate::{CollisionMesh, bvh};
use resile_math::{Aabb, Vec3};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// Where a body's collision mesh can be during a motion, and some margin. The boxes of its
/// primitives are made when first somebody is near.
#[derive(Debug)]
pub struct Sweep<'a> {
    mesh: Arc<CollisionMesh>,
    low: Cow<'a, [Vec3]>,
    high: Cow<'a, [Vec3]>,
    hull: Aabb,
    margin: f64,
    facets: OnceLock<[Boxes; 3]>,
}

impl<'a> Sweep<'a> {
    /// The sweep of a mesh whose points each stay in the box spanned by `low` and
    /// `high` (positions of [the mesh's points](CollisionMesh::points), m, in any order:
    /// both ends of a straight path will do), grown by `margin` (m).
    pub fn new(
        mesh: Arc<CollisionMesh>,
        low: impl Into<Cow<'a, [Vec3]>>,
        high: impl Into<Cow<'a, [Vec3]>>,
        margin: f64,
    ) -> Self {
        let (low, high) = (low.into(), high.into());
        let on_surface = mesh.vertices().iter().map(|&i| i as usize);
        let hull = Aabb::of_points(on_surface.flat_map(|i| [low[i], high[i]])).inflate(margin);
        Self { mesh, low, high, hull, margin, facets: OnceLock::new() }
    }

    /// The box around it.
    pub fn hull(&self) -> Aabb {
        self.hull
    }

    /// Whether primitives of both may come together. If not, the meshes stay at least
    /// the sum of the margins apart.
    pub fn may_touch(&self, other: &Self) -> bool {
        if !self.hull.overlaps(&other.hull) {
            return false;
        }
        let margin = self.margin + other.margin;
        let first = |_, _| ControlFlow::Break(());
        let apart = |a, b| bvh::pairs(a, b, Vec3::ZERO, margin, first).is_continue();
        let (own, others) = (self.facets(), other.facets());
        !own.iter().all(|&a| others.iter().all(|&b| apart(a, b)))
    }

    /// Trees of triangles, codimensional edges and points.
    fn facets(&self) -> [bvh::Fitted<'_>; 3] {
        self.mesh
            .facets_in(self.facets.get_or_init(|| self.mesh.facet_boxes(&self.low, &self.high)))
    }
}
