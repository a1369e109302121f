//! Broad phase: pairs of primitives whose swept boxes overlap on a straight path. The narrow phase then selects
//! those whose distance may fall below `d_hat` plus their minimum separation.

use crate::ccd::time_of_impact_with_plane;
use crate::chunks::chunks;
use crate::geometry::clearance::Clearance;
use crate::geometry::distance::PairKind;
use crate::geometry::shape::Shape;
use crate::search::budget::Budget;
use crate::search::candidates::{Candidates, ColliderPair, PlaneCandidate, Support};
use crate::search::narrow_phase::{NarrowPhaseResult, PointPaths};
use crate::search::pair_lists::{PairLists, ValidLists};
use crate::search::path_search::{PathSearch, Search};
use crate::search::searched::Searched;
use crate::search::task::Task;
use crate::{Collider, CollisionMesh, CollisionScene, Role};
use rayon::prelude::*;
use resile_math::Vec3;

/// A superset of the pairs with a gap below `d_hat` anywhere on the collision-free part of the path between these
/// positions of points. `None` if the number of overlapping boxes exceeds the budget, or if the interrupt was
/// raised.
pub(crate) fn find_near(search: &PathSearch<'_>, lists: Option<&mut PairLists>) -> Option<Search> {
    let PathSearch { scene, path: [from, to], d_hat, budget } = *search;
    let mut candidates = Candidates::default();
    let mut collision_free = scene.find_vertices_near_planes([from, to], d_hat, &mut candidates);
    let shapes = scene.shapes(from, to);
    let tasks = scene.tasks(&shapes, d_hat, &mut candidates);
    let listed = lists.and_then(|lists| lists.update(search, &candidates.collider_pairs));
    let mut pairs = scene.pair_lists.take();
    if pairs.len() < tasks.len() {
        pairs.resize_with(tasks.len(), Vec::new);
    }
    let collider_pairs = &candidates.collider_pairs;
    find_overlaps(&shapes, &tasks, collider_pairs, listed.as_ref(), budget, &mut pairs);
    if budget.is_exceeded() {
        return None;
    }
    let path = PointPaths { from, to, fixed: &scene.obstacles.points };
    // With many bodies most tasks are small, so the chunks of all tasks are distributed together.
    let tasks_with_pairs = tasks.iter().zip(&*pairs);
    let work: Vec<(&Task<'_>, &[[u32; 2]])> = tasks_with_pairs
        .flat_map(|(task, pairs)| chunks(pairs).map(move |chunk| (task, chunk)))
        .collect();
    let narrow = |(task, chunk): &(&Task<'_>, &[[u32; 2]])| {
        let may_continue = !scene.interrupt.is_raised();
        may_continue.then(|| task.narrow(chunk, &path))
    };
    let narrowed: Vec<NarrowPhaseResult> = work.par_iter().map(narrow).collect::<Option<_>>()?;
    let fractions = narrowed.iter().map(|narrowed| narrowed.collision_free);
    collision_free = fractions.fold(collision_free, f64::min);
    for NarrowPhaseResult { kept, .. } in narrowed {
        let before_impact = kept.iter().filter(|(near, _)| *near <= collision_free);
        candidates.pairs.extend(before_impact.map(|(_, candidate)| *candidate));
    }
    candidates.partition_by_support();
    candidates.group_by_vertex();
    candidates.searched = Searched::path(from, to, collision_free, d_hat);
    Some(Search { candidates, collision_free })
}

/// Writes the pairs of primitives of each task that may be near each other, from a valid list if there is one,
/// otherwise by traversal of the trees. Computes the boxes and packed points that this requires.
fn find_overlaps(
    shapes: &[Shape<'_>],
    tasks: &[Task<'_>],
    collider_pairs: &[ColliderPair],
    listed: Option<&ValidLists<'_>>,
    budget: &Budget<'_>,
    pairs: &mut [Vec<[u32; 2]>],
) {
    if tasks.is_empty() {
        return;
    }
    let shapes_of = |task: &Task<'_>| collider_pairs[task.pair as usize].shapes;
    let list = |task: &Task<'_>| listed.filter(|listed| listed.has_list(shapes_of(task)));
    let (cached, uncached): (Vec<&Task<'_>>, Vec<&Task<'_>>) =
        tasks.iter().partition(|task| list(task).is_some());
    prepare_shapes(shapes, uncached.into_iter().map(shapes_of), Shape::prepare);
    prepare_shapes(shapes, cached.into_iter().map(shapes_of), |shape| _ = shape.packed());
    tasks.par_iter().zip(pairs).for_each(|(task, pairs)| match list(task) {
        None => task.list_overlaps(budget, pairs),
        Some(listed) => {
            listed.write_pairs_of_task(
                shapes_of(task),
                task.index,
                task.activation_distance,
                pairs,
            );
        }
    });
}

/// Prepares the shapes of all `pairs` in parallel beforehand: otherwise threads would wait idly while another thread
/// fits a shape.
fn prepare_shapes<'a>(
    shapes: &[Shape<'a>],
    pairs: impl Iterator<Item = [usize; 2]>,
    prepare: impl Fn(&Shape<'a>) + Sync,
) {
    let mut in_use = vec![false; shapes.len()];
    pairs.flatten().for_each(|k| in_use[k] = true);
    let in_use = shapes.par_iter().zip(in_use).filter(|(_, in_use)| *in_use);
    in_use.for_each(|(shape, _)| prepare(shape));
}

impl CollisionScene {
    /// Finds vertices that come near planes; returns the collision-free fraction of the path.
    fn find_vertices_near_planes(
        &self,
        path: [&[Vec3]; 2],
        d_hat: f64,
        out: &mut Candidates,
    ) -> f64 {
        let mut collision_free: f64 = 1.0;
        for (k, collider) in self.colliders.iter().enumerate() {
            if collider.role == Role::Kinematic || !self.is_in_focus(collider.body) {
                continue;
            }
            for (p, plane) in self.obstacles.planes.iter().enumerate() {
                if self.pairs.collide(collider.number, plane.collider) {
                    collision_free =
                        collision_free.min(self.find_vertices_near_plane([k, p], path, d_hat, out));
                }
            }
        }
        collision_free
    }

    /// Finds vertices of collider `k` that come near plane `p`.
    fn find_vertices_near_plane(
        &self,
        [k, p]: [usize; 2],
        [from, to]: [&[Vec3]; 2],
        d_hat: f64,
        out: &mut Candidates,
    ) -> f64 {
        let (collider, plane) = (&self.colliders[k], &self.obstacles.planes[p]);
        let Collider { half_thickness: min_separation, ref mesh, .. } = *collider;
        let (pair, old_count) = (out.collider_pairs.len() as u32, out.planes.len());
        let mut collision_free: f64 = 1.0;
        for (&vertex, &area) in mesh.vertices().iter().zip(&mesh.rest.vertex_areas) {
            let point = self.points.first(k) + vertex as usize;
            let (start, end) = (plane.height(from[point]), plane.height(to[point]));
            if start.min(end) < (d_hat + min_separation) * (1.0 + 1e-9) {
                let max_coordinate = from[point].abs().max_element();
                let (gap, gap_after) = (start - min_separation, end - min_separation);
                out.planes.push(PlaneCandidate {
                    point: point as u32,
                    plane: p as u32,
                    area,
                    pair,
                    rim: mesh.rims.corner_range(vertex),
                });
                collision_free =
                    collision_free.min(time_of_impact_with_plane(gap, gap_after, max_coordinate));
            }
        }
        if out.planes.len() > old_count {
            out.collider_pairs.push(self.plane_pair([k, p]));
        }
        collision_free
    }

    /// Contact parameters of collider `k` and plane `p`.
    pub(crate) fn plane_pair(&self, [k, p]: [usize; 2]) -> ColliderPair {
        let (collider, plane) = (&self.colliders[k], &self.obstacles.planes[p]);
        ColliderPair {
            shapes: [k, self.colliders.len() + self.obstacles.meshes.len() + p],
            body: collider.body,
            other: None,
            friction: self.pairs.friction(collider.number, plane.collider),
            static_friction: self.pairs.static_friction(collider.number, plane.collider),
            restitution: self.pairs.restitution(collider.number, plane.collider),
            damping: self.pairs.contact_damping(collider.number, plane.collider),
            rolling: self.pairs.rolling_friction(collider.number, plane.collider),
            min_separation: collider.half_thickness,
            support: support_of_meshes(&[&collider.mesh]),
        }
    }

    /// Search tasks of the pairs of shapes whose boxes overlap on their path.
    fn tasks<'a>(
        &self,
        shapes: &'a [Shape<'a>],
        d_hat: f64,
        out: &mut Candidates,
    ) -> Vec<Task<'a>> {
        let mut tasks = Vec::new();
        for (i, j) in self.near_shapes(shapes, d_hat) {
            let (a, b) = (&shapes[i], &shapes[j]);
            let pair = out.collider_pairs.len() as u32;
            let min_separation = a.half_thickness + b.half_thickness;
            let activation_distance = d_hat + min_separation;
            let kind = PairKind::EdgeEdge;
            let (contact_distance, index) = (activation_distance, 0);
            let task = Task {
                a,
                b,
                kind,
                activation_distance,
                min_separation,
                contact_distance,
                pair,
                index,
            };
            let exceeds_activation_distance =
                |c: &Clearance| c.min_distance() > activation_distance * (1.0 + 1e-9);
            let certified = i == j && a.clearance.as_ref().is_some_and(exceeds_activation_distance);
            let Some(body) = a.body.filter(|_| !certified && task.may_touch()) else { continue };
            let friction = self.pairs.friction(a.collider, b.collider);
            let static_friction = self.pairs.static_friction(a.collider, b.collider);
            let restitution = self.pairs.restitution(a.collider, b.collider);
            let damping = self.pairs.contact_damping(a.collider, b.collider);
            let rolling = self.pairs.rolling_friction(a.collider, b.collider);
            // The embedding of a fixed obstacle is irrelevant.
            let support = match j < self.colliders.len() {
                true => support_of_meshes(&[a.mesh, b.mesh]),
                false => support_of_meshes(&[a.mesh]),
            };
            let (shapes, other) = ([i, j], b.body);
            let collider_pair = ColliderPair {
                shapes,
                body,
                other,
                friction,
                static_friction,
                restitution,
                damping,
                rolling,
                min_separation,
                support,
            };
            out.collider_pairs.push(collider_pair);
            task.list_into(&mut tasks);
        }
        tasks
    }
}

/// Whether any of the meshes is embedded in nodes.
pub(crate) fn support_of_meshes(meshes: &[&CollisionMesh]) -> Support {
    match meshes.iter().any(|mesh| mesh.embedding().is_some()) {
        true => Support::Embedded,
        false => Support::Nodes,
    }
}
