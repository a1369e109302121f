//! Candidates of two collision meshes: their points and area weights.
//!
//! # Area weights
//! A pair's energy is `kappa d_hat area b(d)`. The areas are chosen so that the sum
//! over pairs is an integral of pressure over the surface:
//!
//! * vertex and plane: the vertex's area `A_v` (a third of its triangles). A flat face
//!   pressed on a plane at distance `d` then carries exactly `-kappa d_hat b'(d)`
//!   times its area.
//! * vertex and face of two bodies: `A_v / 2`, because in a flat contact the vertices of both sides are paired with
//!   a face, and the area must count once.
//! * edge and edge of two bodies: `(A_a + A_b) / 4`, `A` a third of the edge's triangles. Two triangulations with
//!   edge length `a` that overlap at a generic angle have about `8/a^2` crossings per unit area (`2/pi` times the
//!   product of both edge lengths per unit area), each with a weight of about `0.15 a^2`. Edges thus contribute
//!   slightly more than vertices. A flat contact of two bodies is 2.2 to 2.5 times as stiff as one with a plane, as
//!   long as `d_hat` is small relative to the edges. A point closer than that to an edge or a vertex is counted
//!   with each adjacent face, as in IPC; removing such duplicates would make the energy discontinuous where closest
//!   features change. A factor on the stiffness changes the equilibrium gap by a fraction of `d_hat` but no force,
//!   since the load is carried in any case.
//! * against obstacle meshes and kinematic bodies only the areas of the body count, so the result does not depend
//!   on the triangulation of the obstacle: `A_v` for a vertex of the body, a third of its area for a face,
//!   `A_e / 2` for an edge.
//!
//! # Signed sums
//! Between meshes with [signed sums](CollisionMesh::with_signed_sums) a vertex counts once for each surface, with the
//! same areas, so that a flat contact without edges is as stiff as one with a plane. Edges of triangles act below
//! `MIN_RANGE d_hat` where a rigid mesh is flat, and below the height of a ridge; so do vertices of obstacles, each
//! with the mean of `A_v` of the body.
//!
//! # Codimensional primitives
//! A codimensional edge represents a strip of its length and a width `w`, a codimensional point a square of side
//! `w` (IPC Toolkit uses the length and one). Half of a strip belongs to each end.
//!
//! * vertex and codimensional edge: as vertex and face, `A_v / 2`; the force between two parallel rods is exactly
//!   the pressure of the barrier times `w` times their length. Against an obstacle `A_v`; for a vertex of an
//!   obstacle and an edge of a body `A_e / 2`.
//! * two edges, at least one of them codimensional: the patch `w_a w_b` in which both strips cross, with
//!   `w = A / length` also for the side of a triangle. It does not depend on the mesh: two rods cross once at any
//!   resolution. An edge of an obstacle is assigned the width of the body's edge.
//! * two codimensional points: `(A_a + A_b) / 2`; against an obstacle `A_a`.

use crate::CollisionMesh;
use crate::geometry::distance::PairKind;
use crate::geometry::facets::{Coefficients, SIDES};
use crate::geometry::mollifier;
use crate::geometry::point::Point;
use crate::search::candidates::Candidate;

/// Collision mesh of one of the two colliders of a pair.
#[derive(Clone, Copy)]
pub(crate) struct ColliderSide<'a> {
    pub(crate) mesh: &'a CollisionMesh,
    /// First point of the mesh.
    pub(crate) first: Point,
    /// Whether the body is simulated.
    pub(crate) simulated: bool,
}

impl ColliderSide<'_> {
    /// Whether the ridges of the mesh keep their heights at rest. Obstacles, moving or fixed, do not deform.
    fn is_rigid(&self) -> bool {
        !self.simulated || self.mesh.is_rigid
    }
}

/// Points of primitive `i` of `a` and `j` of `b`, by index in their meshes, in the order of [`PairKind`].
/// Primitives are numbered in the vertex, edge and triangle lists of their mesh. Edges of vertex-edge pairs and
/// points of vertex-vertex pairs are numbered in the lists of codimensional primitives.
#[inline(always)]
pub(crate) fn corners(kind: PairKind, [a, b]: [&CollisionMesh; 2], [i, j]: [u32; 2]) -> [u32; 4] {
    let (primitives_a, primitives_b) = (&a.primitives, &b.primitives);
    let (i, j) = (i as usize, j as usize);
    match kind {
        PairKind::EdgeEdge => {
            let ([e0, e1], [f0, f1]) = (primitives_a.edges[i], primitives_b.edges[j]);
            [e0, e1, f0, f1]
        }
        PairKind::VertexFace => {
            let ([f0, f1, f2], vertex) = (primitives_b.triangles[j], primitives_a.vertices[i]);
            [vertex, f0, f1, f2]
        }
        PairKind::VertexEdge => {
            let [e0, e1] = primitives_b.edges[primitives_b.free_edges[j] as usize];
            [primitives_a.vertices[i], e0, e1, e1]
        }
        PairKind::VertexVertex => {
            let p = primitives_a.vertices[primitives_a.free_points[i] as usize];
            let q = primitives_b.vertices[primitives_b.free_points[j] as usize];
            [p, q, q, q]
        }
    }
}

/// The points of [`corners`], by index in the scene.
#[inline]
pub(crate) fn points(kind: PairKind, [a, b]: [ColliderSide<'_>; 2], pair: [u32; 2]) -> [Point; 4] {
    let [p, q, r, s] = corners(kind, [a.mesh, b.mesh], pair);
    let first_of_q = if kind == PairKind::EdgeEdge { a.first } else { b.first };
    [a.first.plus(p), first_of_q.plus(q), b.first.plus(r), b.first.plus(s)]
}

/// The candidate with these `points`, as from [`points`], and indices of `primitives`, as in [`corners`]. `pair` is the
/// index of the pair of colliders. At least one of `sides` is simulated: the first one for edge-edge and vertex-vertex
/// pairs.
pub(crate) fn candidate(
    kind: PairKind,
    sides: [ColliderSide<'_>; 2],
    primitives: [u32; 2],
    points: [Point; 4],
    pair: u32,
) -> Candidate {
    let [a, b] = sides;
    let [i, j] = primitives.map(|index| index as usize);
    let has_signed_sums = a.mesh.has_signed_sums && b.mesh.has_signed_sums;
    let mut candidate = Candidate {
        points,
        area: area(kind, sides, primitives),
        mollifier: 0.0,
        ridge: f32::INFINITY,
        pair,
        kind,
        coefficients: None,
    };
    match kind {
        PairKind::EdgeEdge => {
            let [rest_a, rest_b] = [&a.mesh.rest, &b.mesh.rest];
            let (length_a2, length_b2) = (rest_a.edge_lengths2[i], rest_b.edge_lengths2[j]);
            candidate.mollifier = mollifier::threshold(length_a2, length_b2);
            if has_signed_sums {
                candidate.ridge = lower_ridge(sides, primitives);
            }
        }
        PairKind::VertexFace if has_signed_sums => {
            if !a.simulated {
                candidate.ridge = a.mesh.rest.vertex_ridges[i] as f32;
                candidate.area = b.mesh.rest.mean_vertex_area;
            }
            candidate.coefficients = Some(coefficients(sides, primitives));
        }
        PairKind::VertexFace | PairKind::VertexEdge | PairKind::VertexVertex => {}
    }
    candidate
}

/// Height (m) of the lower ridge of edge `i` of `a` and edge `j` of `b`, among meshes whose ridges keep their heights;
/// infinite if there is none, or if an edge is codimensional.
fn lower_ridge([a, b]: [ColliderSide<'_>; 2], [i, j]: [u32; 2]) -> f32 {
    let edges = [(a, i as usize), (b, j as usize)];
    if edges.iter().any(|&(side, edge)| codimensional_width(side, edge).is_some()) {
        return f32::INFINITY;
    }
    let rigid = edges.into_iter().filter(|(side, _)| side.is_rigid());
    let heights = rigid.map(|(side, edge)| side.mesh.rest.edge_ridges[edge] as f32);
    heights.fold(f32::INFINITY, f32::min)
}

/// Coefficients of the sides and corners of triangle `j` of `b` in the contact of vertex `i` of `a`. In self-contact the
/// vertex cannot touch the triangles around it, which leave a hole in the surface. Sides and corners on the rim of this
/// hole are on a boundary, and their coefficients are zero.
fn coefficients([a, b]: [ColliderSide<'_>; 2], [i, j]: [u32; 2]) -> Coefficients {
    let mut coefficients = b.mesh.rest.coefficients[j as usize];
    let is_self_contact = a.first == b.first;
    if !is_self_contact {
        return coefficients;
    }
    let vertex = a.mesh.vertices()[i as usize];
    let are_adjacent = b.mesh.triangles()[j as usize].map(|corner| {
        let edge = [vertex.min(corner), vertex.max(corner)];
        b.mesh.edges().binary_search(&edge).is_ok()
    });
    for (side, [p, q]) in coefficients.sides.iter_mut().zip(SIDES) {
        if are_adjacent[p] && are_adjacent[q] {
            *side = 0;
        }
    }
    for (corner, is_adjacent) in coefficients.corners.iter_mut().zip(are_adjacent) {
        if is_adjacent {
            *corner = 0;
        }
    }
    coefficients
}

/// The area weight (m^2) of a pair of primitives with these indices; see the module documentation.
fn area(kind: PairKind, [a, b]: [ColliderSide<'_>; 2], [i, j]: [u32; 2]) -> f64 {
    let (i, j) = (i as usize, j as usize);
    let (rest_a, rest_b) = (&a.mesh.rest, &b.mesh.rest);
    let free_point_area = |side: ColliderSide<'_>, k: usize| {
        side.mesh.rest.vertex_areas[side.mesh.primitives.free_points[k] as usize]
    };
    match (kind, (a.simulated, b.simulated)) {
        (PairKind::EdgeEdge, (_, b_simulated)) => {
            match (codimensional_width(a, i), codimensional_width(b, j), b_simulated) {
                (None, None, true) => 0.25 * (rest_a.edge_areas[i] + rest_b.edge_areas[j]),
                (None, _, false) => 0.5 * rest_a.edge_areas[i],
                (Some(width_a), _, false) => width_a * width_a,
                (_, _, true) => width(a, i) * width(b, j),
            }
        }
        (PairKind::VertexFace | PairKind::VertexEdge, (true, true)) => 0.5 * rest_a.vertex_areas[i],
        (PairKind::VertexFace | PairKind::VertexEdge, (true, false)) => rest_a.vertex_areas[i],
        (PairKind::VertexFace, (false, _)) => rest_b.triangle_areas[j] / 3.0,
        (PairKind::VertexEdge, (false, _)) => {
            0.5 * rest_b.edge_areas[b.mesh.primitives.free_edges[j] as usize]
        }
        (PairKind::VertexVertex, (true, true)) => {
            0.5 * (free_point_area(a, i) + free_point_area(b, j))
        }
        (PairKind::VertexVertex, (true, false)) => free_point_area(a, i),
        (PairKind::VertexVertex, (false, _)) => free_point_area(b, j),
    }
}

/// Width (m) of the strip with the area of an edge and its length.
fn width(side: ColliderSide<'_>, edge: usize) -> f64 {
    side.mesh.rest.edge_areas[edge] / side.mesh.rest.edge_lengths2[edge].sqrt()
}

/// Width (m) of a codimensional edge; `None` for a side of a triangle.
fn codimensional_width(side: ColliderSide<'_>, edge: usize) -> Option<f64> {
    let free = side.mesh.primitives.free_edges.binary_search(&(edge as u32)).is_ok();
    free.then(|| width(side, edge))
}
