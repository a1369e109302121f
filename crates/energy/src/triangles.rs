//! Triangles by the numbers of their corners.

/// A triangle that has no three nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TriangleError {
    /// A node does not exist.
    #[error("triangle {triangle} has node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The triangle, counted from zero.
        triangle: usize,
        /// The node it names.
        node: u32,
        /// Number of nodes there are.
        nodes: usize,
    },
    /// Two corners are one node.
    #[error("triangle {triangle} has node {node} twice")]
    Degenerate {
        /// The triangle, counted from zero.
        triangle: usize,
        /// The node it names twice.
        node: u32,
    },
}

/// Finds the first triangle without three of the `nodes` nodes.
pub(crate) fn check(nodes: usize, triangles: &[[u32; 3]]) -> Result<(), TriangleError> {
    for (triangle, &corners) in triangles.iter().enumerate() {
        for (from, to, _) in sides(corners) {
            if from as usize >= nodes {
                return Err(TriangleError::NoSuchNode { triangle, node: from, nodes });
            }
            if from == to {
                return Err(TriangleError::Degenerate { triangle, node: from });
            }
        }
    }
    Ok(())
}

/// The sides in the sense of the triangle: where each begins and ends, and the corner
/// opposite to it.
pub(crate) fn sides([a, b, c]: [u32; 3]) -> [(u32, u32, u32); 3] {
    [(a, b, c), (b, c, a), (c, a, b)]
}
