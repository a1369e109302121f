//! Broad phase: pairs of primitives whose boxes overlap on a straight path, and with the narrow
//! phase those that may come nearer than `d_hat`, and their minimum separation.

use crate::bvh::{self, Fitted};
use crate::candidates::{Candidates, ColliderPair, PlaneCandidate, Support};
use crate::ccd::time_of_impact_with_plane;
use crate::chunks::chunks;
use crate::clearance::Clearance;
use crate::collision_mesh::Sort;
use crate::distance::PairKind;
use crate::narrow_phase::{Narrowed, OnPath};
use crate::pair_lists::{Listed, PairLists};
use crate::search::{Budget, PathSearch, Search};
use crate::searched::Searched;
use crate::shape::Shape;
use crate::{Collider, CollisionMesh, CollisionScene, Role};
use rayon::prelude::*;
use resile_math::Vec3;
use std::ops::ControlFlow;

/// Every pair that is nearer than `d_hat` somewhere on the collision-free part of the path
/// between these positions of points, and some more. Nothing if more pairs of boxes overlap on
/// the path than the budget has, or the interrupt was raised.
pub(crate) fn find_near(search: &PathSearch<'_>, lists: Option<&mut PairLists>) -> Option<Search> {
    let PathSearch { scene, path: [from, to], d_hat, budget } = *search;
    let mut candidates = Candidates::default();
    let mut collision_free = scene.find_planes([from, to], d_hat, &mut candidates);
    let shapes = scene.shapes(from, to);
    let tasks = scene.tasks(&shapes, d_hat, &mut candidates);
    let listed = lists.and_then(|lists| lists.update(search, &candidates.collider_pairs));
    let mut pairs = scene.pair_lists.take();
    if pairs.len() < tasks.len() {
        pairs.resize_with(tasks.len(), Vec::new);
    }
    let overlapping = (&shapes[..], &tasks[..], &candidates.collider_pairs[..]);
    find_overlaps(overlapping, listed.as_ref(), budget, &mut pairs);
    if budget.is_exceeded() {
        return None;
    }
    let path = OnPath { from, to, fixed: &scene.obstacles.points };
    // Most tasks are small where bodies are many, so their chunks are shared out together.
    let of_tasks = tasks.iter().zip(&*pairs);
    let work: Vec<(&Task<'_>, &[[u32; 2]])> =
        of_tasks.flat_map(|(task, pairs)| chunks(pairs).map(move |chunk| (task, chunk))).collect();
    let narrow = |(task, chunk): &(&Task<'_>, &[[u32; 2]])| {
        let wanted = !scene.interrupt.is_raised();
        wanted.then(|| task.narrow(chunk, &path))
    };
    let narrowed: Vec<Narrowed> = work.par_iter().map(narrow).collect::<Option<_>>()?;
    let all = narrowed.iter().map(|narrowed| narrowed.collision_free);
    collision_free = all.fold(collision_free, f64::min);
    for Narrowed { kept, .. } in narrowed {
        let in_time = kept.iter().filter(|(near, _)| *near <= collision_free);
        candidates.pairs.extend(in_time.map(|(_, candidate)| *candidate));
    }
    candidates.divide();
    candidates.searched = Searched::path(from, to, collision_free, d_hat);
    Some(Search { candidates, collision_free })
}

/// Writes for each task the pairs that may come near, from a list if one holds, and fits and packs what that takes.
fn find_overlaps(
    (shapes, tasks, collider_pairs): (&[Shape<'_>], &[Task<'_>], &[ColliderPair]),
    listed: Option<&Listed<'_>>,
    budget: &Budget<'_>,
    pairs: &mut [Vec<[u32; 2]>],
) {
    let shapes_of = |task: &Task<'_>| collider_pairs[task.pair as usize].shapes;
    let list = |task: &Task<'_>| listed.filter(|listed| listed.holds(shapes_of(task)));
    let (known, unknown): (Vec<&Task<'_>>, Vec<&Task<'_>>) =
        tasks.iter().partition(|task| list(task).is_some());
    make(shapes, unknown.into_iter().map(shapes_of), Shape::prepare);
    make(shapes, known.into_iter().map(shapes_of), |shape| _ = shape.packed());
    tasks.par_iter().zip(pairs).for_each(|(task, pairs)| match list(task) {
        None => task.overlaps(budget, pairs),
        Some(listed) => {
            listed.of_task(shapes_of(task), task.number, task.activation_distance, pairs);
        }
    });
}

/// Makes, by all threads, what all shapes that are looked at have to have: one that waits for
/// another to fit a shape does nothing meanwhile.
fn make<'a>(
    shapes: &[Shape<'a>],
    pairs: impl Iterator<Item = [usize; 2]>,
    what: impl Fn(&Shape<'a>) + Sync,
) {
    let mut wanted = vec![false; shapes.len()];
    pairs.flatten().for_each(|k| wanted[k] = true);
    let wanted = shapes.par_iter().zip(wanted).filter(|(_, wanted)| *wanted);
    wanted.for_each(|(shape, _)| what(shape));
}

impl CollisionScene {
    /// Vertices that come near planes; returns the fraction of the path without contact.
    fn find_planes(&self, path: [&[Vec3]; 2], d_hat: f64, out: &mut Candidates) -> f64 {
        let mut collision_free: f64 = 1.0;
        for (k, collider) in self.colliders.iter().enumerate() {
            if collider.role == Role::Kinematic || !self.is_in_focus(collider.body) {
                continue;
            }
            for (p, plane) in self.obstacles.planes.iter().enumerate() {
                if self.pairs.collide(collider.number, plane.collider) {
                    collision_free = collision_free.min(self.find_plane([k, p], path, d_hat, out));
                }
            }
        }
        collision_free
    }

    /// Vertices of collider `k` that come near plane `p`.
    fn find_plane(
        &self,
        [k, p]: [usize; 2],
        [from, to]: [&[Vec3]; 2],
        d_hat: f64,
        out: &mut Candidates,
    ) -> f64 {
        let (collider, plane) = (&self.colliders[k], &self.obstacles.planes[p]);
        let Collider { half_thickness: min_separation, ref mesh, .. } = *collider;
        let (pair, before) = (out.collider_pairs.len() as u32, out.planes.len());
        let mut collision_free: f64 = 1.0;
        for (&vertex, &area) in mesh.vertices().iter().zip(&mesh.rest.vertex_areas) {
            let point = self.points.first(k) + vertex as usize;
            let (start, end) = (plane.height(from[point]), plane.height(to[point]));
            if start.min(end) < (d_hat + min_separation) * (1.0 + 1e-9) {
                let size = from[point].abs().max_element();
                let (gap, gap_after) = (start - min_separation, end - min_separation);
                out.planes.push(PlaneCandidate {
                    point: point as u32,
                    plane: p as u32,
                    area,
                    pair,
                });
                collision_free =
                    collision_free.min(time_of_impact_with_plane(gap, gap_after, size));
            }
        }
        if out.planes.len() > before {
            out.collider_pairs.push(self.plane_pair([k, p]));
        }
        collision_free
    }

    /// Collider `k` and plane `p`.
    pub(crate) fn plane_pair(&self, [k, p]: [usize; 2]) -> ColliderPair {
        let (collider, plane) = (&self.colliders[k], &self.obstacles.planes[p]);
        ColliderPair {
            shapes: [k, self.colliders.len() + self.obstacles.meshes.len() + p],
            body: collider.body,
            other: None,
            friction: self.pairs.friction(collider.number, plane.collider),
            static_friction: self.pairs.static_friction(collider.number, plane.collider),
            restitution: self.pairs.restitution(collider.number, plane.collider),
            min_separation: collider.half_thickness,
            support: support(&[&collider.mesh]),
        }
    }

    /// What to look for between shapes whose boxes overlap on their path, and which they are.
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
            let (touching, number) = (activation_distance, 0);
            let task =
                Task { a, b, kind, activation_distance, min_separation, touching, pair, number };
            let farther = |c: &Clearance| c.of_all() > activation_distance * (1.0 + 1e-9);
            let certified = i == j && a.clearance.as_ref().is_some_and(farther);
            let Some(body) = a.body.filter(|_| !certified && task.may_touch()) else { continue };
            let friction = self.pairs.friction(a.collider, b.collider);
            let static_friction = self.pairs.static_friction(a.collider, b.collider);
            let restitution = self.pairs.restitution(a.collider, b.collider);
            // What the points of a fixed obstacle hang on does not matter.
            let support = match j < self.colliders.len() {
                true => support(&[a.mesh, b.mesh]),
                false => support(&[a.mesh]),
            };
            let (shapes, other) = ([i, j], b.body);
            let found = ColliderPair {
                shapes,
                body,
                other,
                friction,
                static_friction,
                restitution,
                min_separation,
                support,
            };
            out.collider_pairs.push(found);
            task.list_into(&mut tasks);
        }
        tasks
    }
}

pub(crate) fn support(meshes: &[&CollisionMesh]) -> Support {
    match meshes.iter().any(|mesh| mesh.embedding().is_some()) {
        true => Support::Embedded,
        false => Support::Nodes,
    }
}

/// What to look for between two shapes: primitives of `a`, vertices unless they are edges, and
/// primitives of `b`.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) a: &'a Shape<'a>,
    pub(crate) b: &'a Shape<'a>,
    pub(crate) kind: PairKind,
    /// The distance from which on the pair is active.
    pub(crate) activation_distance: f64,
    pub(crate) min_separation: f64,
    /// Distance (m) at which parts of a curve are taken for touching, and left out if they are
    /// neighbours along it.
    pub(crate) touching: f64,
    pub(crate) pair: u32,
    /// Its number among the tasks between the same shapes.
    pub(crate) number: usize,
}

impl<'a> Task<'a> {
    /// What to look for between the edges of a shape and themselves, neighbours along curves too.
    pub(crate) fn with_itself(shape: &'a Shape<'a>, activation_distance: f64) -> Self {
        Self::between(shape, shape, activation_distance)
    }

    /// What to look for between the edges of two shapes.
    pub(crate) fn between(a: &'a Shape<'a>, b: &'a Shape<'a>, activation_distance: f64) -> Self {
        let (kind, min_separation, touching) = (PairKind::EdgeEdge, 0.0, 0.0);
        Self { a, b, kind, activation_distance, min_separation, touching, pair: 0, number: 0 }
    }

    /// The tasks of all kinds between the same shapes.
    pub(crate) fn list_into(self, tasks: &mut Vec<Self>) {
        let first = tasks.len();
        let turned = (!self.is_self()).then_some(Self { a: self.b, b: self.a, ..self });
        let both = || std::iter::once(self).chain(turned);
        tasks.push(self);
        tasks.extend(both().map(|task| Self { kind: PairKind::VertexFace, ..task }));
        let on_edges = both().filter(|task| !task.b.mesh.primitives.free_edges.is_empty());
        tasks.extend(on_edges.map(|task| Self { kind: PairKind::VertexEdge, ..task }));
        let free_points = |shape: &Shape<'_>| !shape.mesh.primitives.free_points.is_empty();
        if free_points(self.a) && free_points(self.b) {
            tasks.push(Self { kind: PairKind::VertexVertex, ..self });
        }
        tasks[first..].iter_mut().enumerate().for_each(|(number, task)| task.number = number);
    }

    fn is_self(&self) -> bool {
        std::ptr::eq(self.a, self.b)
    }

    fn may_touch(&self) -> bool {
        let relative = self.b.mean - self.a.mean;
        let b = self.b.root.swept(relative).inflate(self.slack());
        self.is_self() || self.a.root.overlaps(&b)
    }

    /// The activation distance, and what rounding in the boxes may take away.
    fn slack(&self) -> f64 {
        let size = |s: &Shape<'_>| {
            let root = s.root;
            root.min.abs().max(root.max.abs()).max_element() + s.mean.abs().max_element()
        };
        let rounding = 8.0 * f64::EPSILON * size(self.a).max(size(self.b));
        self.activation_distance * (1.0 + 1e-9) + rounding
    }

    /// Lists pairs of primitives, without a vertex in common, whose swept boxes overlap; only
    /// some where the budget is exceeded.
    pub(crate) fn overlaps(&self, budget: &Budget<'_>, out: &mut Vec<[u32; 2]>) {
        out.clear();
        let mut list = |i: usize, j: usize| {
            out.push([i as u32, j as u32]);
            budget.listed(out.len())
        };
        let listed = match self.kind {
            PairKind::EdgeEdge => self.edge_edge(&mut list),
            PairKind::VertexFace => self.vertex_face(&mut list),
            PairKind::VertexEdge => self.vertex_edge(&mut list),
            PairKind::VertexVertex => self.vertex_vertex(&mut list),
        };
        if listed.is_continue() {
            budget.complete(out.len());
        }
    }

    /// The tree of one of both shapes.
    fn tree(&self, shape: &'a Shape<'_>, sort: Sort) -> Fitted<'a> {
        match self.is_self() {
            true => shape.tree_within(sort, self.activation_distance * (1.0 + 1e-9)),
            false => shape.tree(sort),
        }
    }

    /// Visits the primitives of one sort of `a` and of another of `b` whose boxes overlap.
    #[inline]
    fn across(
        &self,
        [of_a, of_b]: [Sort; 2],
        list: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let sweep = self.b.mean - self.a.mean;
        bvh::pairs(self.tree(self.a, of_a), self.tree(self.b, of_b), sweep, self.slack(), list)
    }

    #[inline]
    fn edge_edge(&self, mut list: impl FnMut(usize, usize) -> ControlFlow<()>) -> ControlFlow<()> {
        if !self.is_self() {
            return self.across([Sort::Edges, Sort::Edges], list);
        }
        let edges = self.a.mesh.edges();
        bvh::self_pairs(self.tree(self.a, Sort::Edges), self.slack(), |i, j| {
            let ([p, q], [r, s]) = (edges[i], edges[j]);
            let apart = p != r && p != s && q != r && q != s;
            let apart = apart && !self.are_neighbours(&edges[i], &edges[j]);
            if apart { list(i, j) } else { ControlFlow::Continue(()) }
        })
    }

    #[inline]
    fn vertex_face(
        &self,
        mut list: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let is_self = self.is_self();
        let (vertices, triangles) = (self.a.mesh.vertices(), self.b.mesh.triangles());
        self.across([Sort::Vertices, Sort::Triangles], |i, j| {
            let shared = || triangles[j].contains(&vertices[i]);
            if is_self && shared() { ControlFlow::Continue(()) } else { list(i, j) }
        })
    }

    fn vertex_edge(
        &self,
        mut list: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let is_self = self.is_self();
        let (vertices, of_b) = (self.a.mesh.vertices(), &self.b.mesh.primitives);
        self.across([Sort::Vertices, Sort::FreeEdges], |i, j| {
            let edge = &of_b.edges[of_b.free_edges[j] as usize];
            let shared =
                || edge.contains(&vertices[i]) || self.are_neighbours(&[vertices[i]], edge);
            if is_self && shared() { ControlFlow::Continue(()) } else { list(i, j) }
        })
    }

    /// Whether these points of one curve are near each other along it.
    fn are_neighbours(&self, a: &[u32], b: &[u32]) -> bool {
        self.a.mesh.are_neighbours(a, b, self.touching)
    }

    fn vertex_vertex(&self, list: impl FnMut(usize, usize) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.is_self() {
            return bvh::self_pairs(self.tree(self.a, Sort::FreePoints), self.slack(), list);
        }
        self.across([Sort::FreePoints, Sort::FreePoints], list)
    }
}
