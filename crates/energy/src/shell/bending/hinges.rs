//! Hinges: pairs of triangles with a common edge, in groups of eight.

use super::angle::Angle;
use super::{FOLD_ANGLE, RestAngles};
use crate::shell::ShellError;
use crate::shell::membrane::rest::check;
use crate::triangles::{Side, sides};
use resile_math::Vec3;
use resile_math::lanes::{self, LANES, Lane, Vec3x8};
use std::array::from_fn;

/// Eight hinges: nodes and rest shape.
#[derive(Debug, Clone)]
pub(in crate::shell) struct HingeGroup {
    /// Start and end of the edge in the orientation of the first triangle, then the third nodes of
    /// the first and the second triangle.
    pub(in crate::shell) nodes: [[u32; 4]; LANES],
    /// Number of hinges in the group; the lanes after them hold copies of stiffness zero.
    pub(in crate::shell) count: usize,
    /// Stiffness (J), energy `stiffness / 2 * angle^2`; zero in lanes that are copies.
    pub(in crate::shell) stiffness: Lane,
    /// The angle at rest.
    pub(in crate::shell) rest: Lane,
}

impl HingeGroup {
    /// The edge, and the vectors from its start to the third node of either triangle.
    #[inline(always)]
    pub(in crate::shell) fn vectors(&self, x: &[Vec3]) -> [Vec3x8; 3] {
        lanes::edges(x, &self.nodes)
    }
}

/// An edge of two triangles.
#[derive(Debug, Clone, Copy)]
pub(in crate::shell) struct InnerEdge {
    /// The four nodes in the order of [`HingeGroup::nodes`].
    pub(in crate::shell) nodes: [u32; 4],
    /// The first and the second triangle.
    pub(in crate::shell) triangles: [u32; 2],
}

/// A side of a triangle. Sides are ordered by their edge, then by their triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TriangleSide {
    /// Nodes in ascending order.
    edge: [u32; 2],
    /// Index of the triangle.
    triangle: usize,
    /// Start and end in the orientation of the triangle.
    ends: [u32; 2],
    /// The opposite node.
    opposite: u32,
}

/// All inner edges of a surface with nodes at `rest` (m), sorted by their nodes, so that the order depends on the mesh
/// only. Fails for invalid triangles and for edges of more than two triangles.
pub(in crate::shell) fn inner_edges(
    rest: &[Vec3],
    triangles: &[[u32; 3]],
) -> Result<Vec<InnerEdge>, ShellError> {
    check(rest, triangles)?;
    let triangle_sides = |(triangle, &corners): (usize, &[u32; 3])| {
        sides(corners).map(|Side { from, to, opposite }| {
            let edge = [from.min(to), from.max(to)];
            TriangleSide { edge, triangle, ends: [from, to], opposite }
        })
    };
    let mut sides: Vec<TriangleSide> =
        triangles.iter().enumerate().flat_map(triangle_sides).collect();
    sides.sort_unstable();
    let mut edges = Vec::with_capacity(sides.len() / 2);
    for edge_sides in sides.chunk_by(|a, b| a.edge == b.edge) {
        match edge_sides {
            [_] => {}
            [first, second] => {
                let [start, end] = first.ends;
                edges.push(InnerEdge {
                    nodes: [start, end, first.opposite, second.opposite],
                    triangles: [first.triangle as u32, second.triangle as u32],
                });
            }
            _ => {
                let (edge, triangles) = (edge_sides[0].edge, edge_sides.len());
                return Err(ShellError::NonManifoldEdge { edge, triangles });
            }
        }
    }
    Ok(edges)
}

/// The groups of the edges, in their order; `stiffness` returns the stiffness (J) of the edge of an index.
pub(in crate::shell) fn groups(
    rest: &[Vec3],
    edges: &[InnerEdge],
    stiffness: impl Fn(usize) -> f64,
    angles: RestAngles,
) -> Result<Vec<HingeGroup>, ShellError> {
    let chunks = (0..).step_by(LANES).zip(edges.chunks(LANES));
    chunks.map(|(first, chunk)| group(rest, chunk, |l| stiffness(first + l), angles)).collect()
}

/// A group of up to eight hinges; unused lanes repeat the last hinge with stiffness zero.
fn group(
    rest: &[Vec3],
    edges: &[InnerEdge],
    stiffness: impl Fn(usize) -> f64,
    angles: RestAngles,
) -> Result<HingeGroup, ShellError> {
    let count = edges.len();
    let nodes: [[u32; 4]; LANES] = from_fn(|l| edges[l.min(count - 1)].nodes);
    let weight = |l: usize| if l < count { stiffness(l) } else { 0.0 };
    let mut group =
        HingeGroup { nodes, count, stiffness: Lane::new(from_fn(weight)), rest: Lane::ZERO };
    let angle = Angle::new(&group.vectors(rest)).value();
    if let Some(l) = angle.as_array()[..count].iter().position(|a| a.abs() > FOLD_ANGLE) {
        return Err(ShellError::Folded { edge: [nodes[l][0], nodes[l][1]] });
    }
    match angles {
        RestAngles::AsGiven => group.rest = angle,
        RestAngles::Flat => {}
    }
    Ok(group)
}

/// The factor `|e|^2 / (A_1 + A_2)` of a hinge at rest, which multiplies the flexural rigidity.
pub(super) fn shape_factor(rest: &[Vec3], hinge: [u32; 4]) -> f64 {
    let [a, b, c, d] = hinge.map(|node| rest[node as usize]);
    let edge = b - a;
    let area = |tip: Vec3| 0.5 * edge.cross(tip - a).length();
    edge.length_squared() / (area(c) + area(d))
}
