//! Surfaces whose points hang on few nodes.
//!
//! An affine body has four nodes, the corners of a tetrahedron, and a surface of any
//! fineness; a fine surface may be embedded in a coarse mesh of tetrahedra. In both each
//! point is a fixed affine combination of nodes, `x_p = sum_k w_pk q_k`, so straight
//! paths of nodes are straight paths of points: everything that looks for contact works
//! in points, and only gradients and Hessians go back to nodes, by the same weights.
//!
//! Among the numbers of a system the nodes come first, as ever, and behind them the
//! points of embedded surfaces. A system without embedded surfaces therefore
//! has its nodes for points, and pays for none of this.

use crate::{Collider, CollisionMesh};
use resile_linalg::scratch::{Scratch, ScratchPool};
use resile_math::Vec3;
use std::ops::{Deref, Range};
use std::sync::Arc;
use wide::f64x4;

/// How a point hangs on up to four nodes of its body: `x = sum_k weights[k] q[nodes[k]]`.
/// Weights add up to one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Embedding {
    /// The nodes; one of weight zero counts for nothing.
    pub nodes: [u32; 4],
    /// The weights (dimensionless), of either sign.
    pub weights: [f64; 4],
}

impl Embedding {
    /// The nodes that count, with their weights.
    pub fn terms(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let terms = self.nodes.iter().zip(self.weights);
        terms.filter(|term| term.1 != 0.0).map(|(&node, weight)| (node as usize, weight))
    }

    /// The point (m), or its velocity, displacement, anything linear in the nodes'.
    #[inline]
    pub(crate) fn at(&self, nodes: &[Vec3]) -> Vec3 {
        if self.weights.contains(&0.0) {
            return self.terms().map(|(node, weight)| nodes[node] * weight).sum();
        }
        let term = |k: usize| nodes[self.nodes[k] as usize] * self.weights[k];
        Vec3::ZERO + term(0) + term(1) + term(2) + term(3)
    }
}

/// Where the points of each surface of a system are among its points.
#[derive(Debug, Clone)]
pub(crate) struct PointMap {
    /// How many nodes the points of ordinary surfaces lie among.
    nodes: usize,
    /// The first point of each surface.
    first: Vec<usize>,
    embedded: Vec<Embedded>,
    /// Points as they were placed last, behind the nodes that they were placed by.
    placed: ScratchPool<Vec3>,
    /// Forces on points.
    sums: ScratchPool<Vec3>,
}

/// Positions, or what else points have, in the order of points.
pub(crate) enum Points<'a> {
    /// The points are the nodes.
    Nodes(&'a [Vec3]),
    /// With those of embedded surfaces.
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

#[derive(Debug, Clone)]
struct Embedded {
    mesh: Arc<CollisionMesh>,
    body: usize,
    first_point: usize,
    first_node: usize,
}

impl Embedded {
    fn points(&self) -> Range<usize> {
        self.first_point..self.first_point + self.mesh.point_count()
    }

    fn nodes(&self) -> Range<usize> {
        self.first_node..self.first_node + self.mesh.node_count()
    }

    /// What one of its points hangs on.
    fn of_point(&self, point: usize) -> Embedding {
        let all = self.mesh.embedding().map_or(&[][..], |all| all);
        let of_body = all[point - self.first_point];
        Embedding { nodes: of_body.nodes.map(|node| node + self.first_node as u32), ..of_body }
    }
}

impl PointMap {
    pub(crate) fn new(colliders: &[Collider]) -> Self {
        let ends = colliders.iter().map(|p| p.first_node + p.mesh.node_count());
        let nodes = ends.max().unwrap_or(0);
        let (mut first, mut embedded, mut end) = (Vec::new(), Vec::new(), nodes);
        for Collider { mesh, body, first_node, .. } in colliders {
            if mesh.embedding().is_none() {
                first.push(*first_node);
                continue;
            }
            first.push(end);
            let (mesh, body, first_node) = (mesh.clone(), *body, *first_node);
            embedded.push(Embedded { mesh, body, first_point: end, first_node });
            end += embedded[embedded.len() - 1].mesh.point_count();
        }
        let (placed, sums) = (ScratchPool::default(), ScratchPool::default());
        Self { nodes, first, embedded, placed, sums }
    }

    /// The first point of a collider.
    pub(crate) fn first(&self, collider: usize) -> usize {
        self.first[collider]
    }

    /// Nodes, and points that are none.
    fn count(&self) -> usize {
        self.embedded.last().map_or(self.nodes, |e| e.points().end)
    }

    /// Whether all points are nodes.
    pub(crate) fn is_plain(&self) -> bool {
        self.embedded.is_empty()
    }

    /// Whether the point is a node.
    pub(crate) fn is_node(&self, point: usize) -> bool {
        point < self.nodes
    }

    /// The points where the nodes' positions are `x`; their velocities, for velocities. Only those of bodies of which
    /// a node is elsewhere than the last time are placed anew.
    pub(crate) fn points<'a>(&'a self, x: &'a [Vec3]) -> Points<'a> {
        if self.is_plain() {
            return Points::Nodes(x);
        }
        let mut points = self.placed.take();
        let known = points.len() == self.count();
        let moved = |e: &&Embedded| !known || !same_bits(&points[e.nodes()], &x[e.nodes()]);
        let moved: Vec<&Embedded> = self.embedded.iter().filter(moved).collect();
        points.resize(self.count(), Vec3::ZERO);
        place(&moved, x, self.nodes, &mut points[self.nodes..]);
        points[..self.nodes].copy_from_slice(&x[..self.nodes]);
        Points::Embedded(points)
    }

    /// Adds to `out`, in nodes, what `visit` adds in points; on an embedded surface only that of bodies in focus.
    pub(crate) fn gather(
        &self,
        in_focus: impl Fn(usize) -> bool,
        out: &mut [Vec3],
        visit: impl FnOnce(&mut [Vec3]),
    ) {
        if self.is_plain() {
            return visit(out);
        }
        let mut of_points = self.sums.take();
        of_points.resize(self.count(), Vec3::ZERO);
        of_points[..self.nodes].fill(Vec3::ZERO);
        let wanted = || self.embedded.iter().filter(|e| in_focus(e.body));
        wanted().for_each(|e| of_points[e.points()].fill(Vec3::ZERO));
        visit(&mut of_points);
        out.iter_mut().zip(&of_points[..self.nodes]).for_each(|(out, own)| *out += *own);
        for e in wanted() {
            let embedding = e.mesh.embedding().into_iter().flatten();
            for (point, &force) in embedding.zip(&of_points[e.points()]) {
                if force != Vec3::ZERO {
                    point.terms().for_each(|(node, w)| out[e.first_node + node] += force * w);
                }
            }
        }
    }

    /// The nodes that a point hangs on, numbered in the system.
    pub(crate) fn of_point(&self, point: usize) -> Embedding {
        if self.is_node(point) {
            return Embedding { nodes: [point as u32; 4], weights: [1.0, 0.0, 0.0, 0.0] };
        }
        self.embedded[self.surface_of(point)].of_point(point)
    }

    /// The same for points of which most are on two surfaces, those of the `known` numbers, which are looked at
    /// before they are searched for.
    pub(crate) fn of_point_near(&self, point: usize, known: &mut [usize; 2]) -> Embedding {
        if self.is_node(point) {
            return self.of_point(point);
        }
        let is_on = |surface: &&usize| self.embedded[**surface].points().contains(&point);
        let surface = known.iter().find(is_on).copied().unwrap_or_else(|| {
            *known = [self.surface_of(point), known[0]];
            known[0]
        });
        self.embedded[surface].of_point(point)
    }

    /// The number of the embedded surface that a point is on.
    fn surface_of(&self, point: usize) -> usize {
        self.embedded.partition_point(|e| e.first_point <= point) - 1
    }
}

/// Points that one thread places.
const PORTION: usize = 2048;

/// Writes the points of some embedded surfaces, shared out among threads; point `first` is the first of `out`.
fn place(embedded: &[&Embedded], x: &[Vec3], first: usize, out: &mut [Vec3]) {
    let points = embedded.iter().map(|e| e.mesh.point_count());
    if embedded.len() > 1 && points.sum::<usize>() > PORTION {
        let (left, right) = embedded.split_at(embedded.len() / 2);
        let middle = right[0].first_point;
        let (own, rest) = out.split_at_mut(middle - first);
        rayon::join(|| place(left, x, first, own), || place(right, x, middle, rest));
        return;
    }
    for e @ Embedded { mesh, first_node, first_point, .. } in embedded {
        let embedding = mesh.embedding().map_or(&[][..], |all| all);
        let own = &mut out[first_point - first..e.points().end - first];
        match (mesh.is_affine(), x[*first_node..].first_chunk::<4>()) {
            (true, Some(&nodes)) => place_affine(embedding, nodes, own),
            _ => {
                let points = embedding.iter().map(|point| point.at(&x[*first_node..]));
                own.iter_mut().zip(points).for_each(|(out, point)| *out = point);
            }
        }
    }
}

/// Whether these are the same to the bit: whatever is computed from them is, too.
pub(crate) fn same_bits(a: &[Vec3], b: &[Vec3]) -> bool {
    let bits = |v: &Vec3| v.to_array().map(f64::to_bits);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bits(a) == bits(b))
}

/// The same of points that all hang on these four nodes, to the same roundings: each node is put in a register once. An
/// affine surface has four nodes at most, so that the remainder only spares a check.
fn place_affine(embedding: &[Embedding], nodes: [Vec3; 4], out: &mut [Vec3]) {
    let nodes = nodes.map(|q| f64x4::new([q.x, q.y, q.z, 0.0]));
    for (out, point) in out.iter_mut().zip(embedding) {
        let term = |k: usize| nodes[point.nodes[k] as usize % 4] * f64x4::splat(point.weights[k]);
        let [x, y, z, _] = (term(0) + term(1) + term(2) + term(3)).to_array();
        *out = Vec3::new(x, y, z);
    }
}
