//! Checks of the node indices of triangles.

/// A triangle does not have three different nodes of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TriangleError {
    /// A node does not exist.
    #[error("triangle {triangle} has node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The triangle, counted from zero.
        triangle: usize,
        /// Index of the node.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// Two corners are the same node.
    #[error("triangle {triangle} has node {node} twice")]
    Degenerate {
        /// The triangle, counted from zero.
        triangle: usize,
        /// Index of the repeated node.
        node: u32,
    },
}

/// Returns an error for the first triangle without three different node indices below `nodes`.
pub(crate) fn check(nodes: usize, triangles: &[[u32; 3]]) -> Result<(), TriangleError> {
    for (triangle, &corners) in triangles.iter().enumerate() {
        for Side { from, to, .. } in sides(corners) {
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

/// A side of a triangle, by its nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    /// Start in the orientation of the triangle.
    pub(crate) from: u32,
    /// End in the orientation of the triangle.
    pub(crate) to: u32,
    /// Opposite corner.
    pub(crate) opposite: u32,
}

/// The sides of a triangle, from its first corner on.
pub(crate) fn sides([a, b, c]: [u32; 3]) -> [Side; 3] {
    [[a, b, c], [b, c, a], [c, a, b]].map(|[from, to, opposite]| Side { from, to, opposite })
}
