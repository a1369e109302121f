//! The springs of a cloth, from its triangles.
//!
//! Provot (1995, *Deformation constraints in a mass-spring model*) hangs springs of three
//! kinds on a grid of squares: structural ones along the threads, shear ones along both
//! diagonals of a square, bending ones over every second node. A mesh of triangles does
//! not say what its threads are, so they are guessed from lengths: an edge that is the
//! longest side of both its triangles is the diagonal of a quadrilateral. It is a shear
//! spring, and so is the other diagonal, which is no edge. Every other edge is structural,
//! and across it the opposite corners are joined by a bending spring. On a grid this is
//! Provot's cloth, but for bending springs over every other node only (one for each edge
//! between two squares, where he has one for each node between two others); on a mesh
//! of nearly equilateral triangles all edges are structural and there is no shear.

use crate::SpringElement;
use crate::triangles::{TriangleError, check, sides};
use resile_system::Vec3;
use std::collections::BTreeMap;

/// An edge counts as longer than another if it is so by this fraction: what is
/// longer by rounding is not a diagonal.
const LONGER: f64 = 1e-6;

/// The stiffness of each spring of a kind (N/m); zero leaves the kind out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClothStiffness {
    /// Along edges that are not diagonals.
    pub structural: f64,
    /// Along both diagonals of quadrilaterals.
    pub shear: f64,
    /// Across edges that are not diagonals.
    pub bending: f64,
}

/// A mesh that makes no cloth.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ClothError {
    /// A triangle has no three nodes.
    #[error(transparent)]
    Triangle(#[from] TriangleError),
    /// An edge has more than two triangles.
    #[error("the edge between the nodes {0} and {1} has {triangles} triangles, but may have two", edge[0], edge[1])]
    Branching {
        /// The nodes at its ends.
        edge: [u32; 2],
        /// Number of its triangles.
        triangles: usize,
    },
    /// A stiffness is negative or not finite.
    #[error(
        "the {kind} springs have the stiffness {stiffness} N/m, but must have a finite one >= 0"
    )]
    Stiffness {
        /// Which springs.
        kind: &'static str,
        /// What was given (N/m).
        stiffness: f64,
    },
}

/// The springs of the cloth that rests at `rest` (m), ordered by their nodes. Springs that
/// would join the same two nodes are one, of the sum of their stiffnesses. O(triangles log
/// triangles).
///
/// # Errors
/// The first triangle without three nodes, an edge of more than two triangles, a stiffness
/// that is out of range.
pub fn cloth_springs(
    rest: &[Vec3],
    triangles: &[[u32; 3]],
    stiffness: ClothStiffness,
) -> Result<Vec<SpringElement>, ClothError> {
    let ClothStiffness { structural, shear, bending } = stiffness;
    for (kind, stiffness) in [("structural", structural), ("shear", shear), ("bending", bending)] {
        if !(stiffness >= 0.0 && stiffness.is_finite()) {
            return Err(ClothError::Stiffness { kind, stiffness });
        }
    }
    check(rest.len(), triangles)?;
    let mut springs: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    let mut add = |[a, b]: [u32; 2], stiffness: f64| {
        if a != b && stiffness > 0.0 {
            *springs.entry([a.min(b), a.max(b)]).or_default() += stiffness;
        }
    };
    for (edge, opposite) in edges(triangles) {
        match opposite[..] {
            [_] => add(edge, structural),
            [c, d] if is_longest(rest, edge, c) && is_longest(rest, edge, d) => {
                add(edge, shear);
                add([c, d], shear);
            }
            [c, d] => {
                add(edge, structural);
                add([c, d], bending);
            }
            _ => return Err(ClothError::Branching { edge, triangles: opposite.len() }),
        }
    }
    let spring = |(nodes, stiffness): ([u32; 2], f64)| {
        SpringElement::at_rest(nodes.map(|node| node as usize), rest, stiffness)
    };
    Ok(springs.into_iter().map(spring).collect())
}

/// Each edge, its smaller node first, with the corners opposite to it.
fn edges(triangles: &[[u32; 3]]) -> BTreeMap<[u32; 2], Vec<u32>> {
    let mut edges: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for &corners in triangles {
        for (from, to, opposite) in sides(corners) {
            edges.entry([from.min(to), from.max(to)]).or_default().push(opposite);
        }
    }
    edges
}

/// Whether `edge` is longer than both other sides of its triangle with the corner `apex`.
fn is_longest(rest: &[Vec3], edge: [u32; 2], apex: u32) -> bool {
    let [a, b, c] = [edge[0], edge[1], apex].map(|node| rest[node as usize]);
    a.distance(b) > (1.0 + LONGER) * a.distance(c).max(b.distance(c))
}
