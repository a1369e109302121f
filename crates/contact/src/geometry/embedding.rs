//! Surfaces embedded in a few nodes.
//!
//! An affine body has four nodes, the corners of a tetrahedron, and a surface of any resolution. A fine surface may
//! also be embedded in a coarse tetrahedral mesh. In both cases each point is a fixed affine combination of nodes,
//! `x_p = sum_k w_pk q_k`, so a straight path of nodes is a straight path of points. Collision detection therefore
//! works on points. Only gradients and Hessians are mapped back to nodes, with the same weights.
//!
//! The points of embedded surfaces are numbered after the nodes of the system. Without embedded surfaces the points
//! are the nodes, at no additional cost.

use crate::{Collider, CollisionMesh};
use resile_math::Vec3;
use resile_sparse::scratch::{Scratch, ScratchPool};
use std::ops::{Deref, Range};
use std::sync::Arc;
use wide::f64x4;

/// Embedding of a point in up to four nodes of its body: `x = sum_k weights[k] q[nodes[k]]`. The weights add up to
/// one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Embedding {
    /// Node indices; nodes with zero weight are ignored.
    pub nodes: [u32; 4],
    /// Weights (dimensionless), of either sign.
    pub weights: [f64; 4],
}

impl Embedding {
    /// Nodes with nonzero weights, and the weights.
    pub fn terms(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let terms = self.nodes.iter().zip(self.weights).filter(|(_, weight)| *weight != 0.0);
        terms.map(|(&node, weight)| (node as usize, weight))
    }

    /// Position of the point (m) for nodes at `nodes` (m), or its velocity, displacement or any other quantity that is
    /// linear in those of the nodes.
    #[inline]
    pub(crate) fn interpolate(&self, nodes: &[Vec3]) -> Vec3 {
        if self.weights.contains(&0.0) {
            return self.terms().map(|(node, weight)| nodes[node] * weight).sum();
        }
        let term = |k: usize| nodes[self.nodes[k] as usize] * self.weights[k];
        Vec3::ZERO + term(0) + term(1) + term(2) + term(3)
    }
}

/// Index map from surfaces to points of a system.
#[derive(Debug, Clone)]
pub(crate) struct PointMap {
    /// Number of nodes up to the last node of a collider.
    nodes: usize,
    /// The first point of each collider.
    first: Vec<usize>,
    /// Embedded surfaces in the order of their points.
    embedded: Vec<EmbeddedSurface>,
    /// Last computed points, preceded by the node positions they were computed from.
    point_cache: ScratchPool<Vec3>,
    /// Buffers for forces on points.
    force_buffers: ScratchPool<Vec3>,
}

/// Positions, or other point quantities, in the order of points.
pub(crate) enum Points<'a> {
    /// The points are the nodes.
    Nodes(&'a [Vec3]),
    /// Nodes followed by the points of embedded surfaces.
    Embedded(Scratch<'a, Vec3>),
}

impl Deref for Points<'_> {
    type Target = [Vec3];

    fn deref(&self) -> &[Vec3] {
        match self {
            Self::Nodes(points) => points,
            Self::Embedded(points) => points,
        }
    }
}

/// An embedded surface, with its points and the nodes of its body.
#[derive(Debug, Clone)]
struct EmbeddedSurface {
    mesh: Arc<CollisionMesh>,
    body: usize,
    first_point: usize,
    first_node: usize,
}

impl EmbeddedSurface {
    /// Range of its points among the points of the system.
    fn points(&self) -> Range<usize> {
        self.first_point..self.first_point + self.mesh.point_count()
    }

    /// Range of the nodes of its body among the nodes of the system.
    fn nodes(&self) -> Range<usize> {
        self.first_node..self.first_node + self.mesh.node_count()
    }

    /// Embedding in nodes of the system of one of its points, by the index of the point in the system.
    fn embedding_of_point(&self, point: usize) -> Embedding {
        let embeddings = self.mesh.embedding().unwrap_or_default();
        let embedding = embeddings[point - self.first_point];
        Embedding { nodes: embedding.nodes.map(|node| node + self.first_node as u32), ..embedding }
    }
}

impl PointMap {
    /// Numbers the points of embedded colliders after the nodes.
    pub(crate) fn new(colliders: &[Collider]) -> Self {
        let ends =
            colliders.iter().map(|collider| collider.first_node + collider.mesh.node_count());
        let nodes = ends.max().unwrap_or(0);
        let (mut first, mut embedded, mut end) = (Vec::new(), Vec::new(), nodes);
        for Collider { mesh, body, first_node, .. } in colliders {
            if mesh.embedding().is_none() {
                first.push(*first_node);
                continue;
            }
            first.push(end);
            let (mesh, body, first_node) = (mesh.clone(), *body, *first_node);
            embedded.push(EmbeddedSurface { mesh, body, first_point: end, first_node });
            end += embedded[embedded.len() - 1].mesh.point_count();
        }
        let (point_cache, force_buffers) = (ScratchPool::default(), ScratchPool::default());
        Self { nodes, first, embedded, point_cache, force_buffers }
    }

    /// Index of the first point of a collider among the points of the system.
    pub(crate) fn first(&self, collider: usize) -> usize {
        self.first[collider]
    }

    /// Number of nodes and embedded points.
    fn count(&self) -> usize {
        self.embedded.last().map_or(self.nodes, |e| e.points().end)
    }

    /// Whether all points are nodes.
    pub(crate) fn points_are_nodes(&self) -> bool {
        self.embedded.is_empty()
    }

    /// Whether the point is a node.
    pub(crate) fn is_node(&self, point: usize) -> bool {
        point < self.nodes
    }

    /// Positions of the points for node positions `x`, or velocities for node velocities. Only points of bodies
    /// whose nodes changed since the last call are recomputed.
    pub(crate) fn points<'a>(&'a self, x: &'a [Vec3]) -> Points<'a> {
        if self.points_are_nodes() {
            return Points::Nodes(x);
        }
        let mut points = self.point_cache.take();
        let is_cached = points.len() == self.count();
        let has_moved =
            |e: &&EmbeddedSurface| !is_cached || !same_bits(&points[e.nodes()], &x[e.nodes()]);
        let moved: Vec<&EmbeddedSurface> = self.embedded.iter().filter(has_moved).collect();
        points.resize(self.count(), Vec3::ZERO);
        compute_points(&moved, x, self.nodes, &mut points[self.nodes..]);
        points[..self.nodes].copy_from_slice(&x[..self.nodes]);
        Points::Embedded(points)
    }

    /// Adds a quantity of points, such as a force, to the nodes in `out`, by the transpose of the embedding.
    /// `add_to_points` adds the quantity to a slice with an entry for each point. It must not overwrite entries: without
    /// embedded surfaces the slice is `out` itself. Embedded surfaces are omitted unless `is_in_focus(body)` is true.
    pub(crate) fn gather(
        &self,
        is_in_focus: impl Fn(usize) -> bool,
        out: &mut [Vec3],
        add_to_points: impl FnOnce(&mut [Vec3]),
    ) {
        if self.points_are_nodes() {
            return add_to_points(out);
        }
        let mut point_forces = self.force_buffers.take();
        point_forces.resize(self.count(), Vec3::ZERO);
        point_forces[..self.nodes].fill(Vec3::ZERO);
        let surfaces_in_focus = || self.embedded.iter().filter(|e| is_in_focus(e.body));
        surfaces_in_focus().for_each(|e| point_forces[e.points()].fill(Vec3::ZERO));
        add_to_points(&mut point_forces);
        let node_forces = &point_forces[..self.nodes];
        out.iter_mut().zip(node_forces).for_each(|(out, force)| *out += *force);
        for e in surfaces_in_focus() {
            let embeddings = e.mesh.embedding().into_iter().flatten();
            for (embedding, &force) in embeddings.zip(&point_forces[e.points()]) {
                if force != Vec3::ZERO {
                    embedding.terms().for_each(|(node, w)| out[e.first_node + node] += force * w);
                }
            }
        }
    }

    /// Embedding of a point, with node indices of the system.
    pub(crate) fn embedding_of_point(&self, point: usize) -> Embedding {
        if self.is_node(point) {
            return Embedding { nodes: [point as u32; 4], weights: [1.0, 0.0, 0.0, 0.0] };
        }
        self.embedded[self.surface_of(point)].embedding_of_point(point)
    }

    /// [`embedding_of_point`](Self::embedding_of_point) for a sequence of points that are mostly on two surfaces: the
    /// surfaces in `recent` are tried before a binary search, whose result replaces the older one.
    pub(crate) fn embedding_of_point_cached(
        &self,
        point: usize,
        recent: &mut [usize; 2],
    ) -> Embedding {
        if self.is_node(point) {
            return self.embedding_of_point(point);
        }
        let is_on = |surface: &&usize| self.embedded[**surface].points().contains(&point);
        let surface = recent.iter().find(is_on).copied().unwrap_or_else(|| {
            *recent = [self.surface_of(point), recent[0]];
            recent[0]
        });
        self.embedded[surface].embedding_of_point(point)
    }

    /// Index of the embedded surface of a point.
    fn surface_of(&self, point: usize) -> usize {
        self.embedded.partition_point(|e| e.first_point <= point) - 1
    }
}

/// Number of points computed by one thread.
const POINTS_PER_TASK: usize = 2048;

/// Computes the points of embedded surfaces in parallel for nodes at `x` (m), and writes them to `out`, whose first
/// entry is the point `out_start`.
fn compute_points(embedded: &[&EmbeddedSurface], x: &[Vec3], out_start: usize, out: &mut [Vec3]) {
    let point_counts = embedded.iter().map(|e| e.mesh.point_count());
    if embedded.len() > 1 && point_counts.sum::<usize>() > POINTS_PER_TASK {
        let (left, right) = embedded.split_at(embedded.len() / 2);
        let right_start = right[0].first_point;
        let (left_out, right_out) = out.split_at_mut(right_start - out_start);
        rayon::join(
            || compute_points(left, x, out_start, left_out),
            || compute_points(right, x, right_start, right_out),
        );
        return;
    }
    for e @ EmbeddedSurface { mesh, first_node, first_point, .. } in embedded {
        let embeddings = mesh.embedding().unwrap_or_default();
        let surface_out = &mut out[first_point - out_start..e.points().end - out_start];
        match (mesh.is_affine(), x[*first_node..].first_chunk::<4>()) {
            (true, Some(&nodes)) => compute_affine_points(embeddings, nodes, surface_out),
            _ => {
                let points = embeddings.iter().map(|e| e.interpolate(&x[*first_node..]));
                surface_out.iter_mut().zip(points).for_each(|(out, point)| *out = point);
            }
        }
    }
}

/// Whether two lists of vectors are bitwise equal; results computed from them are then bitwise equal too.
pub(crate) fn same_bits(a: &[Vec3], b: &[Vec3]) -> bool {
    let bits = |v: &Vec3| v.to_array().map(f64::to_bits);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bits(a) == bits(b))
}

/// Writes points that are all embedded in four nodes at `nodes` (m) to `out`, with the same rounding as
/// [`Embedding::interpolate`]: each node is loaded into a register once.
fn compute_affine_points(embeddings: &[Embedding], nodes: [Vec3; 4], out: &mut [Vec3]) {
    let node_lanes = nodes.map(|q| f64x4::new([q.x, q.y, q.z, 0.0]));
    for (out, Embedding { nodes, weights }) in out.iter_mut().zip(embeddings) {
        // An affine surface has at most four nodes; the remainder only avoids a bounds check.
        let term = |k: usize| node_lanes[nodes[k] as usize % 4] * f64x4::splat(weights[k]);
        let [x, y, z, _] = (term(0) + term(1) + term(2) + term(3)).to_array();
        *out = Vec3::new(x, y, z);
    }
}
