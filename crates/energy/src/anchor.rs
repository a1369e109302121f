//! Points of bodies that are not nodes.

use resile_system::Vec3;

/// Tolerance of the sum of weights, which must be one.
const WEIGHT_TOLERANCE: f64 = 1e-9;

/// An anchor is not a point of its body.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum AnchorError {
    /// A node does not exist.
    #[error("names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// Index of the node.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// The weights do not sum to one.
    #[error("has weights that sum up to {sum}, not to 1")]
    Weights {
        /// Sum of the weights.
        sum: f64,
    },
}

/// A point of a body: the weighted mean of nodes, whose indices are those within the body. The weights sum to
/// one; negative weights give a point outside the convex hull of the nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// Node indices within the body, with their weights.
    pub(crate) nodes: Vec<(usize, f64)>,
}

impl From<usize> for Anchor {
    fn from(node: usize) -> Self {
        Self { nodes: vec![(node, 1.0)] }
    }
}

impl Anchor {
    /// The weighted mean of nodes. Terms check the weights of the anchors that they are given.
    pub fn new(nodes: Vec<(usize, f64)>) -> Self {
        Self { nodes }
    }

    /// Returns an error if a node index is not below `node_count` or the weights do not sum to one.
    pub(crate) fn check(&self, node_count: usize) -> Result<(), AnchorError> {
        if let Some(&(node, _)) = self.nodes.iter().find(|(node, _)| *node >= node_count) {
            return Err(AnchorError::NoSuchNode { node, nodes: node_count });
        }
        let sum: f64 = self.nodes.iter().map(|(_, weight)| weight).sum();
        // The comparison is also false for NaN.
        let sums_to_one = (sum - 1.0).abs() <= WEIGHT_TOLERANCE;
        if sums_to_one { Ok(()) } else { Err(AnchorError::Weights { sum }) }
    }

    /// Position of the point (m) for nodes at `x`.
    pub fn at(&self, x: &[Vec3]) -> Vec3 {
        self.nodes.iter().map(|&(node, weight)| x[node] * weight).sum()
    }
}
