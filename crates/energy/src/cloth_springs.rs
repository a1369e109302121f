//! The springs of a cloth, from its triangles.
//!
//! Provot (1995, *Deformation constraints in a mass-spring model*) uses three kinds of springs on
//! a grid of squares: structural springs along the threads, shear springs along both diagonals
//! of a square, and bending springs between second neighbours. A triangle mesh does not
//! distinguish threads, so the kinds follow from lengths. An edge that is the longest side of
//! both its triangles is the diagonal of a quadrilateral: it becomes a shear spring, and so does
//! the other diagonal. Every other edge becomes a structural spring, and a bending spring joins
//! its opposite corners. On a grid this is Provot's cloth except for the bending springs: one per
//! edge between two squares, where Provot has one per node between two neighbours. A mesh of nearly
//! equilateral triangles has structural and bending springs only.

use crate::SpringElement;
use crate::triangles::{Side, TriangleError, check, sides};
use resile_system::Vec3;
use std::collections::BTreeMap;

/// Relative tolerance of the comparison of lengths, above rounding.
const LENGTH_TOLERANCE: f64 = 1e-6;

/// The stiffness (N/m) of each kind of spring; zero omits the kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClothStiffness {
    /// Along edges that are not diagonals.
    pub structural: f64,
    /// Along both diagonals of quadrilaterals.
    pub shear: f64,
    /// Across edges that are not diagonals.
    pub bending: f64,
}

/// The mesh or a stiffness is invalid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ClothError {
    /// A triangle does not have three different nodes of the mesh.
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
        /// Kind of the springs.
        kind: &'static str,
        /// The given value (N/m).
        stiffness: f64,
    },
}

/// The springs of a cloth with rest positions `rest` (m), ordered by their nodes. Springs between
/// the same two nodes are merged: their stiffnesses are added. O(triangles log
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

/// Maps each edge, smaller node first, to the opposite corners of its triangles.
fn edges(triangles: &[[u32; 3]]) -> BTreeMap<[u32; 2], Vec<u32>> {
    let mut edges: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for &corners in triangles {
        for Side { from, to, opposite } in sides(corners) {
            edges.entry([from.min(to), from.max(to)]).or_default().push(opposite);
        }
    }
    edges
}

/// Whether `edge` is longer than both other sides of its triangle with the corner `apex`.
fn is_longest(rest: &[Vec3], edge: [u32; 2], apex: u32) -> bool {
    let [a, b, c] = [edge[0], edge[1], apex].map(|node| rest[node as usize]);
    a.distance(b) > (1.0 + LENGTH_TOLERANCE) * a.distance(c).max(b.distance(c))
}
