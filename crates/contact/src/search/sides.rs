//! Candidates of two collision meshes: their points and area weights.
//!
//! # Area weights
//! A pair's energy is `kappa d_hat area b(d)`. The areas are chosen so that the sum
//! over pairs is an integral of pressure over the surface:
//!
//! * vertex and plane: the vertex's area `A_v` (a third of its triangles). A flat face
//!   pressed on a plane at distance `d` then carries exactly `-kappa d_hat b'(d)`
//!   times its area.
//! * vertex and face of two bodies: `A_v / 2`, because in a flat contact both sides'
//!   vertices see a face, and the area is to count once.
//! * edge and edge of two bodies: `(A_a + A_b) / 4`, `A` a third of the edge's
//!   triangles. Two triangulations with edge length `a` laid on one another at a
//!   generic angle have about `8/a^2` crossings a unit area (`2/pi` times both lengths
//!   of edges a unit area), each of weight about `0.15 a^2`: edges add a little more
//!   than vertices give, so a flat contact of two bodies is 2.2 to 2.5 times as
//!   stiff as that with a plane, while `d_hat` is small against the edges. Nearer
//!   than that to an edge or a vertex, a point is counted with each adjacent face, as
//!   in IPC; taking such duplicates out makes the energy discontinuous where
//!   closest features change. A factor on the stiffness moves the distance at rest by a
//!   fraction of `d_hat`, and changes no force: what has to be carried is carried.
//! * against obstacle meshes and kinematic bodies only the body's areas matter, so that how an
//!   obstacle is triangulated does not: the body's vertex `A_v`, the body's face a third of
//!   its area, the body's edge `A_e / 2`.
//!
//! # Codimensional primitives
//! An edge of no triangle is a strip of its length and a width `w`, a point of no edge a square
//! of that side (IPC Toolkit takes length and one). Half of a strip belongs to each end.
//!
//! * vertex and codimensional edge: as vertex and face, `A_v / 2`; two parallel rods press on
//!   each other with exactly the pressure of the barrier times `w` times their length. Against an
//!   obstacle `A_v`, an obstacle's vertex on a body's edge `A_e / 2`.
//! * two edges of which one is codimensional: the patch `w_a w_b` in which both strips cross, with
//!   `w = A / length` for the side of a triangle too. It depends on no mesh: two rods cross once,
//!   however fine they are. An obstacle's edge is taken to be as wide as the body's.
//! * two codimensional points: `(A_a + A_b) / 2`; against an obstacle `A_a`.

use crate::CollisionMesh;
use crate::geometry::distance::PairKind;
use crate::geometry::mollifier;
use crate::geometry::point::Point;
use crate::search::candidates::Candidate;

/// One of two meshes that primitives are taken from.
#[derive(Clone, Copy)]
pub(crate) struct ColliderSide<'a> {
    pub(crate) mesh: &'a CollisionMesh,
    /// Its first point.
    pub(crate) first: Point,
    /// Whether it is solved for.
    pub(crate) simulated: bool,
}

/// The points of primitive `i` of `a` and `j` of `b`, numbered in their meshes, in the order of [`PairKind`]. Primitives are
/// numbered in the lists of their mesh: vertices, edges, triangles; for pairs that only codimensional
/// primitives make, in those of the codimensional ones.
#[inline(always)]
pub(crate) fn corners(kind: PairKind, [a, b]: [&CollisionMesh; 2], [i, j]: [u32; 2]) -> [u32; 4] {
    let (of_a, of_b) = (&a.primitives, &b.primitives);
    let (i, j) = (i as usize, j as usize);
    match kind {
        PairKind::EdgeEdge => {
            let ([e0, e1], [f0, f1]) = (of_a.edges[i], of_b.edges[j]);
            [e0, e1, f0, f1]
        }
        PairKind::VertexFace => {
            let ([f0, f1, f2], vertex) = (of_b.triangles[j], of_a.vertices[i]);
            [vertex, f0, f1, f2]
        }
        PairKind::VertexEdge => {
            let [e0, e1] = of_b.edges[of_b.free_edges[j] as usize];
            [of_a.vertices[i], e0, e1, e1]
        }
        PairKind::VertexVertex => {
            let p = of_a.vertices[of_a.free_points[i] as usize];
            let q = of_b.vertices[of_b.free_points[j] as usize];
            [p, q, q, q]
        }
    }
}

/// The same points among those of the scene.
#[inline]
pub(crate) fn points(kind: PairKind, [a, b]: [ColliderSide<'_>; 2], pair: [u32; 2]) -> [Point; 4] {
    let [p, q, r, s] = corners(kind, [a.mesh, b.mesh], pair);
    let second = if kind == PairKind::EdgeEdge { a.first } else { b.first };
    [a.first.plus(p), second.plus(q), b.first.plus(r), b.first.plus(s)]
}

/// The candidate with these `points`, numbers as there; `pair` is that of the colliders, of which
/// at least one is simulated, for edges the first.
pub(crate) fn candidate(
    kind: PairKind,
    sides: [ColliderSide<'_>; 2],
    numbers: [u32; 2],
    points: [Point; 4],
    pair: u32,
) -> Candidate {
    let mollifier = match kind {
        PairKind::EdgeEdge => {
            let [a, b] = [0, 1].map(|k| sides[k].mesh.rest.edge_lengths2[numbers[k] as usize]);
            mollifier::threshold(a, b)
        }
        _ => 0.0,
    };
    Candidate { points, area: area(kind, sides, numbers), mollifier, kind, pair }
}

fn area(kind: PairKind, [a, b]: [ColliderSide<'_>; 2], [i, j]: [u32; 2]) -> f64 {
    let (i, j) = (i as usize, j as usize);
    let (of_a, of_b) = (&a.mesh.rest, &b.mesh.rest);
    let free_point = |side: ColliderSide<'_>, k: usize| {
        side.mesh.rest.vertex_areas[side.mesh.primitives.free_points[k] as usize]
    };
    match (kind, (a.simulated, b.simulated)) {
        (PairKind::EdgeEdge, (_, other)) => match (strip(a, i), strip(b, j), other) {
            (None, None, true) => 0.25 * (of_a.edge_areas[i] + of_b.edge_areas[j]),
            (None, _, false) => 0.5 * of_a.edge_areas[i],
            (Some(own), _, false) => own * own,
            (_, _, true) => width(a, i) * width(b, j),
        },
        (PairKind::VertexFace | PairKind::VertexEdge, (true, true)) => 0.5 * of_a.vertex_areas[i],
        (PairKind::VertexFace | PairKind::VertexEdge, (true, false)) => of_a.vertex_areas[i],
        (PairKind::VertexFace, (false, _)) => of_b.triangle_areas[j] / 3.0,
        (PairKind::VertexEdge, (false, _)) => {
            0.5 * of_b.edge_areas[b.mesh.primitives.free_edges[j] as usize]
        }
        (PairKind::VertexVertex, (true, true)) => 0.5 * (free_point(a, i) + free_point(b, j)),
        (PairKind::VertexVertex, (true, false)) => free_point(a, i),
        (PairKind::VertexVertex, (false, _)) => free_point(b, j),
    }
}

/// The width (m) of an edge's share of the surface.
fn width(side: ColliderSide<'_>, edge: usize) -> f64 {
    side.mesh.rest.edge_areas[edge] / side.mesh.rest.edge_lengths2[edge].sqrt()
}

/// The same of a codimensional edge; nothing for the side of a triangle.
fn strip(side: ColliderSide<'_>, edge: usize) -> Option<f64> {
    let free = side.mesh.primitives.free_edges.binary_search(&(edge as u32)).is_ok();
    free.then(|| width(side, edge))
}
