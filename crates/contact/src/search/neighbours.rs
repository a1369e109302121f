//! Bodies that may touch in a step, by sweeps of whole bodies.
//!
//! Bounding boxes of bodies are too coarse: dice that tumble past each other 0.1 m apart have overlapping boxes all
//! the time and would form one island for most of a run. Where they overlap, the swept boxes of the primitives are
//! therefore compared, at the cost of refitting their trees.

use crate::geometry::bvh::{Boxes, Fitted};
use crate::{CollisionMesh, bvh};
use resile_math::{Aabb, Vec3};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// Visits each pair of overlapping boxes once, by index. Empty boxes overlap nothing. O(n log n) for boxes that are
/// spread out.
pub fn overlapping(boxes: &[Aabb], mut visit: impl FnMut(usize, usize)) {
    let is_bounded = |&k: &usize| boxes[k].min.is_finite() && boxes[k].max.is_finite();
    let nonempty = (0..boxes.len()).filter(|&k| boxes[k].min.cmple(boxes[k].max).all());
    let (bounded, unbounded): (Vec<usize>, Vec<usize>) = nonempty.partition(is_bounded);
    let mut visit_if_overlapping = |a: usize, b: usize| {
        if boxes[a].overlaps(&boxes[b]) {
            visit(a, b);
        }
    };
    let bounded_boxes: Vec<Aabb> = bounded.iter().map(|&k| boxes[k]).collect();
    bvh::visit_overlapping(&bounded_boxes, |k, l| visit_if_overlapping(bounded[k], bounded[l]));
    // Boxes with overflowed coordinates cannot be placed in a tree.
    for (k, &a) in unbounded.iter().enumerate() {
        bounded.iter().chain(&unbounded[k + 1..]).for_each(|&b| visit_if_overlapping(a, b));
    }
}

/// Volume swept by the collision mesh of a body during a motion, with a margin. The boxes of its primitives are
/// computed on first use.
#[derive(Debug)]
pub struct Sweep<'a> {
    mesh: Arc<CollisionMesh>,
    /// Corners of the box in which each point stays (m).
    low: Cow<'a, [Vec3]>,
    high: Cow<'a, [Vec3]>,
    hull: Aabb,
    margin: f64,
    facets: OnceLock<Box<[Boxes; 3]>>,
}

impl<'a> Sweep<'a> {
    /// The sweep of a mesh whose points each stay in the box spanned by `low` and `high`, inflated by `margin` (m).
    /// Both are positions of [the mesh's points](CollisionMesh::points) (m) in any order, such as both ends of a
    /// straight path.
    pub fn new(
        mesh: Arc<CollisionMesh>,
        low: impl Into<Cow<'a, [Vec3]>>,
        high: impl Into<Cow<'a, [Vec3]>>,
        margin: f64,
    ) -> Self {
        let (low, high) = (low.into(), high.into());
        let vertices = mesh.vertices().iter().map(|&i| i as usize);
        let hull = Aabb::of_points(vertices.flat_map(|i| [low[i], high[i]])).inflate(margin);
        Self { mesh, low, high, hull, margin, facets: OnceLock::new() }
    }

    /// Bounding box of the sweep, including the margin.
    pub fn hull(&self) -> Aabb {
        self.hull
    }

    /// Whether primitives of the two meshes may touch. If not, the meshes stay apart by at least the sum of the
    /// margins.
    pub fn may_touch(&self, other: &Self) -> bool {
        if !self.hull.overlaps(&other.hull) {
            return false;
        }
        let margin = self.margin + other.margin;
        let stop_at_first = |_, _| ControlFlow::Break(());
        let disjoint = |a, b| bvh::pairs(a, b, Vec3::ZERO, margin, stop_at_first).is_continue();
        let (facets, other_facets) = (self.facets(), other.facets());
        !facets.iter().all(|&a| other_facets.iter().all(|&b| disjoint(a, b)))
    }

    /// Trees of triangles, codimensional edges and points.
    fn facets(&self) -> [Fitted<'_>; 3] {
        let boxes = || Box::new(self.mesh.facet_boxes(&self.low, &self.high));
        self.mesh.fitted_facets(self.facets.get_or_init(boxes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn coordinate() -> impl Strategy<Value = f64> {
        let infinite = prop_oneof![Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(f64::NAN)];
        prop_oneof![20 => -1.0..1.0, 20 => (-3i32..3).prop_map(f64::from), 1 => infinite]
    }

    proptest! {
        #[test]
        fn box_overlaps_equal_all_pairs(
            ends in prop::collection::vec(prop::array::uniform6(coordinate()), 0..40),
        ) {
            let boxes: Vec<Aabb> = ends
                .iter()
                .map(|&[a, b, c, d, e, f]| Aabb {
                    min: Vec3::new(a, b, c).min(Vec3::new(d, e, f)),
                    max: Vec3::new(a, b, c).max(Vec3::new(d, e, f)),
                })
                .chain([Aabb::EMPTY])
                .collect();
            let all = (0..boxes.len()).flat_map(|a| (0..a).map(move |b| [b, a]));
            let expected: Vec<[usize; 2]> =
                all.filter(|&[a, b]| boxes[a].overlaps(&boxes[b])).collect();
            let mut found = Vec::new();
            overlapping(&boxes, |a, b| found.push([a.min(b), a.max(b)]));
            prop_assert_eq!(found.len(), expected.len());
            let sets = [found, expected].map(|pairs| pairs.into_iter().collect::<BTreeSet<_>>());
            prop_assert_eq!(&sets[0], &sets[1]);
        }
    }
}
