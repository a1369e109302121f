//! Search tasks between two shapes, and their pairs of primitives with overlapping boxes.

use crate::geometry::ROUNDING_FACTOR;
use crate::geometry::bvh::{self, Fitted};
use crate::geometry::collision_mesh::Sort;
use crate::geometry::distance::PairKind;
use crate::geometry::shape::Shape;
use crate::search::budget::Budget;
use std::ops::ControlFlow;

/// Search for pairs of one kind between two shapes: edges or vertices of `a` with primitives of `b`.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) a: &'a Shape<'a>,
    pub(crate) b: &'a Shape<'a>,
    pub(crate) kind: PairKind,
    /// Distance below which a pair is active (m).
    pub(crate) activation_distance: f64,
    /// Distance (m) at which the two shapes touch.
    pub(crate) min_separation: f64,
    /// Distance (m) below which curves are in contact; it determines which neighbours along them are excluded.
    pub(crate) contact_distance: f64,
    /// Index of the pair of colliders among the candidates.
    pub(crate) pair: u32,
    /// Index among the tasks between the same shapes.
    pub(crate) index: usize,
}

impl<'a> Task<'a> {
    /// Task for the edges of one shape that also lists neighbours along curves.
    pub(crate) fn with_itself(shape: &'a Shape<'a>, activation_distance: f64) -> Self {
        Self::between(shape, shape, activation_distance)
    }

    /// Task for the edges of two shapes without minimum separation, for the first pair of colliders.
    pub(crate) fn between(a: &'a Shape<'a>, b: &'a Shape<'a>, activation_distance: f64) -> Self {
        let (kind, min_separation, contact_distance) = (PairKind::EdgeEdge, 0.0, 0.0);
        Self {
            a,
            b,
            kind,
            activation_distance,
            min_separation,
            contact_distance,
            pair: 0,
            index: 0,
        }
    }

    /// Appends the tasks of all kinds of pairs between the shapes of this task to `tasks`, and numbers them.
    pub(crate) fn push_all_kinds(self, tasks: &mut Vec<Self>) {
        let first = tasks.len();
        let reversed = (!self.is_self()).then_some(Self { a: self.b, b: self.a, ..self });
        let task_and_reverse = || std::iter::once(self).chain(reversed);
        tasks.push(self);
        tasks.extend(task_and_reverse().map(|task| Self { kind: PairKind::VertexFace, ..task }));
        let vertex_edge_tasks =
            task_and_reverse().filter(|task| !task.b.mesh.primitives.free_edges.is_empty());
        tasks.extend(vertex_edge_tasks.map(|task| Self { kind: PairKind::VertexEdge, ..task }));
        let free_points = |shape: &Shape<'_>| !shape.mesh.primitives.free_points.is_empty();
        if free_points(self.a) && free_points(self.b) {
            tasks.push(Self { kind: PairKind::VertexVertex, ..self });
        }
        tasks[first..].iter_mut().enumerate().for_each(|(index, task)| task.index = index);
    }

    /// Whether the task searches for self-collision.
    fn is_self(&self) -> bool {
        std::ptr::eq(self.a, self.b)
    }

    /// Whether the swept boxes of the two shapes overlap; true for self-collision.
    pub(crate) fn may_touch(&self) -> bool {
        let relative = self.b.mean_displacement - self.a.mean_displacement;
        let b = self.b.root.swept(relative).inflate(self.slack());
        self.is_self() || self.a.root.overlaps(&b)
    }

    /// Activation distance plus the rounding error bound of the boxes (m).
    fn slack(&self) -> f64 {
        let max_coordinate = |s: &Shape<'_>| {
            let root = s.root;
            root.min.abs().max(root.max.abs()).max_element()
                + s.mean_displacement.abs().max_element()
        };
        let rounding = 8.0 * f64::EPSILON * max_coordinate(self.a).max(max_coordinate(self.b));
        self.activation_distance * ROUNDING_FACTOR + rounding
    }

    /// Lists pairs of primitives without a common vertex whose swept boxes overlap. The list is incomplete if the
    /// budget is exceeded.
    pub(crate) fn list_overlaps(&self, budget: &Budget<'_>, out: &mut Vec<[u32; 2]>) {
        out.clear();
        let mut list = |i: usize, j: usize| {
            out.push([i as u32, j as u32]);
            budget.count_listed(out.len())
        };
        let listed = match self.kind {
            PairKind::EdgeEdge => self.edge_edge(&mut list),
            PairKind::VertexFace => self.vertex_face(&mut list),
            PairKind::VertexEdge => self.vertex_edge(&mut list),
            PairKind::VertexVertex => self.vertex_vertex(&mut list),
        };
        if listed.is_continue() {
            budget.count_remainder(out.len());
        }
    }

    /// Tree of the primitives of one sort of `shape`, which is `a` or `b`.
    fn tree(&self, shape: &'a Shape<'_>, sort: Sort) -> Fitted<'a> {
        match self.is_self() {
            true => shape.tree_within(sort, self.activation_distance * ROUNDING_FACTOR),
            false => shape.tree(sort),
        }
    }

    /// Visits pairs of primitives of one sort of `a` and one of `b` whose boxes overlap.
    #[inline]
    fn visit_overlaps(
        &self,
        [sort_a, sort_b]: [Sort; 2],
        list: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let sweep = self.b.mean_displacement - self.a.mean_displacement;
        bvh::pairs(self.tree(self.a, sort_a), self.tree(self.b, sort_b), sweep, self.slack(), list)
    }

    /// Visits pairs of edges with overlapping boxes.
    #[inline]
    fn edge_edge(&self, mut list: impl FnMut(usize, usize) -> ControlFlow<()>) -> ControlFlow<()> {
        if !self.is_self() {
            return self.visit_overlaps([Sort::Edges, Sort::Edges], list);
        }
        let edges = self.a.mesh.edges();
        bvh::self_pairs(self.tree(self.a, Sort::Edges), self.slack(), |i, j| {
            let ([p, q], [r, s]) = (edges[i], edges[j]);
            let disjoint = p != r && p != s && q != r && q != s;
            let disjoint = disjoint && !self.are_neighbours(&edges[i], &edges[j]);
            if disjoint { list(i, j) } else { ControlFlow::Continue(()) }
        })
    }

    /// Visits pairs of a vertex of `a` and a triangle of `b` with overlapping boxes.
    #[inline]
    fn vertex_face(
        &self,
        mut list: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let is_self = self.is_self();
        let (vertices, triangles) = (self.a.mesh.vertices(), self.b.mesh.triangles());
        self.visit_overlaps([Sort::Vertices, Sort::Triangles], |i, j| {
            let shared = || triangles[j].contains(&vertices[i]);
            if is_self && shared() { ControlFlow::Continue(()) } else { list(i, j) }
        })
    }

    /// Visits pairs of a vertex of `a` and a codimensional edge of `b` with overlapping boxes.
    fn vertex_edge(
        &self,
        mut list: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let is_self = self.is_self();
        let (vertices, primitives_b) = (self.a.mesh.vertices(), &self.b.mesh.primitives);
        self.visit_overlaps([Sort::Vertices, Sort::FreeEdges], |i, j| {
            let edge = &primitives_b.edges[primitives_b.free_edges[j] as usize];
            let shared =
                || edge.contains(&vertices[i]) || self.are_neighbours(&[vertices[i]], edge);
            if is_self && shared() { ControlFlow::Continue(()) } else { list(i, j) }
        })
    }

    /// Whether two primitives with the points `a` and `b` are neighbours along one curve.
    fn are_neighbours(&self, a: &[u32], b: &[u32]) -> bool {
        self.a.mesh.are_neighbours(a, b, self.contact_distance)
    }

    /// Visits pairs of codimensional points with overlapping boxes.
    fn vertex_vertex(&self, list: impl FnMut(usize, usize) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.is_self() {
            return bvh::self_pairs(self.tree(self.a, Sort::FreePoints), self.slack(), list);
        }
        self.visit_overlaps([Sort::FreePoints, Sort::FreePoints], list)
    }
}
