//! Which pairs of triangles bend against each other, in groups of eight.

use super::angle::Angle;
use super::{FOLDED, RestAngles};
use crate::shell::ShellError;
use crate::shell::membrane::rest::check;
use crate::triangles::sides;
use resile_math::Vec3;
use resile_math::lanes::{self, LANES, Lane, Vec3x8};
use std::array::from_fn;

/// Eight hinges: nodes and rest shape.
#[derive(Debug, Clone)]
pub(super) struct HingeGroup {
    /// Start and end of the edge, as the first triangle goes around, then the third
    /// node of the first and of the second triangle.
    pub(super) nodes: [[u32; 4]; LANES],
    /// Hinges in the group; the lanes after them hold copies of stiffness zero.
    pub(super) count: usize,
    /// `D |e|^2 / (A_1 + A_2)` (J), zero in lanes that are copies.
    pub(super) stiffness: Lane,
    /// The angle at rest.
    pub(super) rest: Lane,
}

impl HingeGroup {
    /// The edge, and the vectors from its start to the third node of either triangle.
    #[inline(always)]
    pub(super) fn vectors(&self, x: &[Vec3]) -> [Vec3x8; 3] {
        lanes::edges(x, &self.nodes)
    }
}

/// The groups of all inner edges, in ascending order of their nodes.
pub(super) fn groups(
    rest: &[Vec3],
    triangles: &[[u32; 3]],
    rigidity: f64,
    angles: RestAngles,
) -> Result<Vec<HingeGroup>, ShellError> {
    check(rest, triangles)?;
    let hinges = hinges(triangles)?;
    hinges.chunks(LANES).map(|chunk| group(rest, chunk, rigidity, angles)).collect()
}

/// A triangle's edge: its nodes in ascending order, the triangle, the nodes in the
/// order of the triangle and the node opposite.
type Side = ([u32; 2], usize, [u32; 3]);

/// The nodes of all hinges. By sorting, so that the order depends on the mesh alone.
fn hinges(triangles: &[[u32; 3]]) -> Result<Vec<[u32; 4]>, ShellError> {
    let of_triangle = |(triangle, &corners): (usize, &[u32; 3])| {
        sides(corners).map(|(a, b, opposite)| ([a.min(b), a.max(b)], triangle, [a, b, opposite]))
    };
    let mut sides: Vec<Side> = triangles.iter().enumerate().flat_map(of_triangle).collect();
    sides.sort_unstable();
    let mut hinges = Vec::with_capacity(sides.len() / 2);
    for of_edge in sides.chunk_by(|a, b| a.0 == b.0) {
        match of_edge {
            [_] => {}
            [(_, _, [a, b, c]), (_, _, [_, _, d])] => hinges.push([*a, *b, *c, *d]),
            _ => {
                let (edge, triangles) = (of_edge[0].0, of_edge.len());
                return Err(ShellError::NonManifoldEdge { edge, triangles });
            }
        }
    }
    Ok(hinges)
}

fn group(
    rest: &[Vec3],
    hinges: &[[u32; 4]],
    rigidity: f64,
    angles: RestAngles,
) -> Result<HingeGroup, ShellError> {
    let count = hinges.len();
    let nodes: [[u32; 4]; LANES] = from_fn(|l| hinges[l.min(count - 1)]);
    let weight = |l: usize| if l < count { rigidity * shape_factor(rest, nodes[l]) } else { 0.0 };
    let mut group =
        HingeGroup { nodes, count, stiffness: Lane::new(from_fn(weight)), rest: Lane::ZERO };
    let angle = Angle::new(&group.vectors(rest)).value();
    if let Some(l) = angle.as_array()[..count].iter().position(|a| a.abs() > FOLDED) {
        return Err(ShellError::Folded { edge: [nodes[l][0], nodes[l][1]] });
    }
    match angles {
        RestAngles::AsGiven => group.rest = angle,
        RestAngles::Flat => {}
    }
    Ok(group)
}

/// `|e|^2 / (A_1 + A_2)`.
fn shape_factor(rest: &[Vec3], hinge: [u32; 4]) -> f64 {
    let [a, b, c, d] = hinge.map(|node| rest[node as usize]);
    let edge = b - a;
    let area = |tip: Vec3| 0.5 * edge.cross(tip - a).length();
    edge.length_squared() / (area(c) + area(d))
}
