//! Points of bodies that are not nodes.

use resile_system::Vec3;

/// Rounding of weights that were meant to sum up to one.
const WEIGHT_TOLERANCE: f64 = 1e-9;

/// An anchor that is no point of its body.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum AnchorError {
    /// A node does not exist.
    #[error("names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The node it names.
        node: usize,
        /// Number of nodes there are.
        nodes: usize,
    },
    /// Weights do not make a mean.
    #[error("has weights that sum up to {sum}, not to 1")]
    Weights {
        /// Their sum.
        sum: f64,
    },
}

/// A point of a body: the mean of nodes, counted within the body, by weights whose sum is
/// one. Weights may be negative: the point is then outside of its nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    pub(crate) nodes: Vec<(usize, f64)>,
}

impl From<usize> for Anchor {
    /// A node itself.
    fn from(node: usize) -> Self {
        Self { nodes: vec![(node, 1.0)] }
    }
}

impl Anchor {
    /// The mean of nodes by weights. The term that takes an anchor checks them.
    pub fn new(nodes: Vec<(usize, f64)>) -> Self {
        Self { nodes }
    }

    /// Refuses an anchor that is no mean of the `nodes` nodes of its body.
    pub(crate) fn check(&self, nodes: usize) -> Result<(), AnchorError> {
        if let Some(&(node, _)) = self.nodes.iter().find(|(node, _)| *node >= nodes) {
            return Err(AnchorError::NoSuchNode { node, nodes });
        }
        let sum: f64 = self.nodes.iter().map(|(_, weight)| weight).sum();
        // False for what is not a number, too.
        let whole = (sum - 1.0).abs() <= WEIGHT_TOLERANCE;
        if whole { Ok(()) } else { Err(AnchorError::Weights { sum }) }
    }

    /// Where it is if the nodes are at `x` (m).
    pub fn at(&self, x: &[Vec3]) -> Vec3 {
        self.nodes.iter().map(|&(node, weight)| x[node] * weight).sum()
    }
}
