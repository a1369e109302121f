//! Broad phase: pairs of primitives whose swept boxes overlap on a straight path. The narrow phase then selects
//! those whose distance may fall below `d_hat` plus their minimum separation.

use crate::ccd::time_of_impact_with_plane;
use crate::chunks::chunks;
use crate::geometry::ROUNDING_FACTOR;
use crate::geometry::clearance::Clearance;
use crate::geometry::shape::Shape;
use crate::search::budget::Budget;
use crate::search::candidates::{Candidates, ColliderPair, PlaneCandidate, Support, SurfacePair};
use crate::search::narrow_phase::{NarrowPhaseResult, PointPaths};
use crate::search::pair_lists::{PairLists, ValidLists};
use crate::search::path_search::{PathSearch, Search};
use crate::search::searched::SearchedPaths;
use crate::search::task::Task;
use crate::{Collider, CollisionMesh, CollisionScene, Role};
use rayon::prelude::*;
use resile_math::Vec3;

/// Candidates and collision-free fraction of the path of `search`. The candidates are a superset of the pairs with a
/// gap below `d_hat` anywhere on the collision-free part. `lists` are consulted and updated if given. `None` if the
/// number of pairs with overlapping boxes exceeds the budget, or if the interrupt was raised.
pub(crate) fn find_near(search: &PathSearch<'_>, lists: Option<&mut PairLists>) -> Option<Search> {
    let PathSearch { scene, path: [from, to], d_hat, budget } = *search;
    let mut candidates = Candidates::default();
    let mut collision_free = scene.find_vertices_near_planes([from, to], d_hat, &mut candidates);
    let shapes = scene.shapes(from, to);
    let tasks = scene.tasks(&shapes, d_hat, &mut candidates);
    let listed = lists.and_then(|lists| lists.update(search, &candidates.collider_pairs));
    let mut overlaps = scene.pair_lists.take();
    if overlaps.len() < tasks.len() {
        overlaps.resize_with(tasks.len(), Vec::new);
    }
    let collider_pairs = &candidates.collider_pairs;
    find_overlaps(&shapes, &tasks, collider_pairs, listed.as_ref(), budget, &mut overlaps);
    if budget.is_exceeded() {
        return None;
    }
    let narrowed = narrow_overlaps(search, &tasks, &overlaps)?;
    let fractions = narrowed.iter().map(|narrowed| narrowed.collision_free);
    collision_free = fractions.fold(collision_free, f64::min);
    candidates.pairs.reserve_exact(narrowed.iter().map(|narrowed| narrowed.near.len()).sum());
    for NarrowPhaseResult { near, .. } in narrowed {
        let before_impact = near.iter().filter(|near| near.near_from <= collision_free);
        candidates.pairs.extend(before_impact.map(|near| near.candidate));
    }
    candidates.partition_by_support();
    candidates.group_by_vertex();
    candidates.searched = SearchedPaths::of_path(from, to, collision_free, d_hat);
    Some(Search { candidates, collision_free })
}

/// Narrow phase of the `overlaps` of each task, in chunks, in a fixed order. `None` if the interrupt was raised.
fn narrow_overlaps(
    search: &PathSearch<'_>,
    tasks: &[Task<'_>],
    overlaps: &[Vec<[u32; 2]>],
) -> Option<Vec<NarrowPhaseResult>> {
    let PathSearch { scene, path: [from, to], .. } = *search;
    let path = PointPaths { from, to, fixed: &scene.obstacles.points };
    // With many bodies most tasks are small, so the chunks of all tasks are distributed together.
    let chunks_of_tasks: Vec<(&Task<'_>, &[[u32; 2]])> = tasks
        .iter()
        .zip(overlaps)
        .flat_map(|(task, pairs)| chunks(pairs).map(move |chunk| (task, chunk)))
        .collect();
    let narrow = |(task, chunk): &(&Task<'_>, &[[u32; 2]])| {
        let may_continue = !scene.interrupt.is_raised();
        may_continue.then(|| task.narrow(chunk, &path))
    };
    chunks_of_tasks.par_iter().map(narrow).collect()
}

/// Writes the pairs of primitives that may be near each other to `overlaps`, task by task: from a valid list if there
/// is one, otherwise by traversal of the trees. Computes the boxes and packed points that this requires.
fn find_overlaps(
    shapes: &[Shape<'_>],
    tasks: &[Task<'_>],
    collider_pairs: &[ColliderPair],
    listed: Option<&ValidLists<'_>>,
    budget: &Budget<'_>,
    overlaps: &mut [Vec<[u32; 2]>],
) {
    if tasks.is_empty() {
        return;
    }
    let shapes_of = |task: &Task<'_>| collider_pairs[task.pair as usize].shapes;
    let lists_for = |task: &Task<'_>| listed.filter(|listed| listed.has_list(shapes_of(task)));
    let (cached, uncached): (Vec<&Task<'_>>, Vec<&Task<'_>>) =
        tasks.iter().partition(|task| lists_for(task).is_some());
    prepare_shapes(shapes, uncached.into_iter().map(shapes_of), Shape::prepare);
    prepare_shapes(shapes, cached.into_iter().map(shapes_of), |shape| _ = shape.packed());
    tasks.par_iter().zip(overlaps).for_each(|(task, overlaps)| match lists_for(task) {
        None => task.list_overlaps(budget, overlaps),
        Some(lists) => {
            lists.write_pairs_of_task(
                shapes_of(task),
                task.index,
                task.activation_distance,
                overlaps,
            );
        }
    });
}

/// Calls `prepare` in parallel for the shapes of all `pairs` before these are processed: otherwise threads would wait
/// idly while another thread fits a shape.
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

/// Index of a collider and of a plane among the obstacles of a scene.
#[derive(Clone, Copy)]
pub(crate) struct ColliderAndPlane {
    pub(crate) collider: usize,
    pub(crate) plane: usize,
}

impl CollisionScene {
    /// Adds candidates of vertices and planes on `path` to `out`, with their pairs of colliders: simulated bodies in
    /// focus whose vertices come nearer to a plane than `d_hat` (m) plus their half thickness. Returns the
    /// collision-free fraction of the path.
    fn find_vertices_near_planes(
        &self,
        path: [&[Vec3]; 2],
        d_hat: f64,
        out: &mut Candidates,
    ) -> f64 {
        let mut collision_free: f64 = 1.0;
        for (collider_index, collider) in self.colliders.iter().enumerate() {
            if collider.role == Role::Kinematic || !self.is_in_focus(collider.body) {
                continue;
            }
            for (plane_index, plane) in self.obstacles.planes.iter().enumerate() {
                if self.pairs.collide(collider.number, plane.collider) {
                    let indices = ColliderAndPlane { collider: collider_index, plane: plane_index };
                    let fraction = self.find_vertices_near_plane(indices, path, d_hat, out);
                    collision_free = collision_free.min(fraction);
                }
            }
        }
        collision_free
    }

    /// [`find_vertices_near_planes`](Self::find_vertices_near_planes) for one collider and one plane.
    fn find_vertices_near_plane(
        &self,
        indices: ColliderAndPlane,
        [from, to]: [&[Vec3]; 2],
        d_hat: f64,
        out: &mut Candidates,
    ) -> f64 {
        let plane = &self.obstacles.planes[indices.plane];
        let Collider { half_thickness: min_separation, ref mesh, .. } =
            self.colliders[indices.collider];
        let (pair, old_count) = (out.collider_pairs.len() as u32, out.planes.len());
        let mut collision_free: f64 = 1.0;
        for (&vertex, &area) in mesh.vertices().iter().zip(&mesh.rest.vertex_areas) {
            let point = self.points.first(indices.collider) + vertex as usize;
            let (start, end) = (plane.height(from[point]), plane.height(to[point]));
            if start.min(end) < (d_hat + min_separation) * ROUNDING_FACTOR {
                out.planes.push(PlaneCandidate {
                    point: point as u32,
                    plane: indices.plane as u32,
                    area,
                    pair,
                    rim: mesh.rims.corner_range(vertex),
                });
                let max_coordinate = from[point].abs().max_element();
                let (start_gap, end_gap) = (start - min_separation, end - min_separation);
                collision_free = collision_free.min(time_of_impact_with_plane(
                    start_gap,
                    end_gap,
                    max_coordinate,
                ));
            }
        }
        if out.planes.len() > old_count {
            out.collider_pairs.push(self.plane_pair(indices));
        }
        collision_free
    }

    /// The pair of a simulated collider and a plane.
    pub(crate) fn plane_pair(&self, indices: ColliderAndPlane) -> ColliderPair {
        let collider = &self.colliders[indices.collider];
        let plane = &self.obstacles.planes[indices.plane];
        let first_plane = self.colliders.len() + self.obstacles.meshes.len();
        let surfaces = SurfacePair {
            shapes: [indices.collider, first_plane + indices.plane],
            body: collider.body,
            other: None,
            min_separation: collider.half_thickness,
            support: support_of_meshes(&[&collider.mesh]),
        };
        ColliderPair::new(surfaces, &self.pairs, [collider.number, plane.collider])
    }

    /// Search tasks of the pairs of shapes whose boxes overlap on their path. Adds these pairs of colliders to `out`.
    /// Self-collision is omitted if the clearance of a shape certifies that its gaps remain above `d_hat` (m).
    fn tasks<'a>(
        &self,
        shapes: &'a [Shape<'a>],
        d_hat: f64,
        out: &mut Candidates,
    ) -> Vec<Task<'a>> {
        let mut tasks = Vec::new();
        for (i, j) in self.near_shapes(shapes, d_hat) {
            let (a, b) = (&shapes[i], &shapes[j]);
            let min_separation = a.half_thickness + b.half_thickness;
            let activation_distance = d_hat + min_separation;
            let task = Task {
                min_separation,
                contact_distance: activation_distance,
                pair: out.collider_pairs.len() as u32,
                ..Task::between(a, b, activation_distance)
            };
            let exceeds_activation_distance =
                |c: &Clearance| c.min_distance() > activation_distance * ROUNDING_FACTOR;
            let is_certified =
                i == j && a.clearance.as_ref().is_some_and(exceeds_activation_distance);
            let Some(body) = a.body.filter(|_| !is_certified && task.may_touch()) else { continue };
            // The embedding of a fixed obstacle is irrelevant.
            let support = match j < self.colliders.len() {
                true => support_of_meshes(&[a.mesh, b.mesh]),
                false => support_of_meshes(&[a.mesh]),
            };
            let surfaces =
                SurfacePair { shapes: [i, j], body, other: b.body, min_separation, support };
            let numbers = [a.collider, b.collider];
            out.collider_pairs.push(ColliderPair::new(surfaces, &self.pairs, numbers));
            task.push_all_kinds(&mut tasks);
        }
        tasks
    }
}

/// [`Support::Embedded`] if any of the meshes is embedded, otherwise [`Support::Nodes`].
pub(crate) fn support_of_meshes(meshes: &[&CollisionMesh]) -> Support {
    match meshes.iter().any(|mesh| mesh.embedding().is_some()) {
        true => Support::Embedded,
        false => Support::Nodes,
    }
}
