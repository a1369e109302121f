//! Points of bodies that are not nodes.

use resile_system::Vec3;

/// Rounding of weights that were meant to sum up to one.
pub(crate) const WEIGHT_TOLERANCE: f64 = 1e-9;

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
    /// The mean of nodes by weights. Who takes an anchor checks them.
    pub fn new(nodes: Vec<(usize, f64)>) -> Self {
        Self { nodes }
    }

    pub(crate) fn sum(&self) -> f64 {
        self.nodes.iter().map(|(_, weight)| weight).sum()
    }

    /// Where it is if the nodes are at `x` (m).
    pub fn at(&self, x: &[Vec3]) -> Vec3 {
        self.nodes.iter().map(|&(node, weight)| x[node] * weight).sum()
    }
}
