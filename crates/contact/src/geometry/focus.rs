//! Focus on some bodies of a scene while all others are at rest.
//!
//! Solving for a few bodies alone takes many short searches. The boxes of the other bodies do not change meanwhile
//! and are fitted once per focus.

use crate::geometry::embedding::same_bits;
use crate::geometry::shape::Fits;
use resile_math::{Aabb, Vec3};
use std::sync::{Arc, OnceLock};

/// A shape at rest.
#[derive(Debug, Clone)]
pub(crate) struct StationaryShape {
    /// Positions of its nodes (m).
    nodes: Arc<[Vec3]>,
    /// Bounding box of the shape.
    pub(crate) root: Aabb,
    pub(crate) fits: Arc<Fits>,
}

/// Bodies whose pairs are searched, and cached data of the others.
#[derive(Debug, Clone)]
pub(crate) struct Focus {
    /// Whether each body is in focus.
    in_focus: Box<[bool]>,
    /// Cached data by collider.
    stationary: Vec<OnceLock<StationaryShape>>,
}

impl Focus {
    /// Focus on the flagged `bodies` of a scene with this number of colliders.
    pub(crate) fn new(bodies: &[bool], colliders: usize) -> Self {
        let stationary = std::iter::repeat_with(OnceLock::new).take(colliders).collect();
        Self { in_focus: bodies.into(), stationary }
    }

    /// Whether a body is in focus.
    pub(crate) fn contains(&self, body: usize) -> bool {
        self.in_focus[body]
    }

    /// Whether each body is in focus.
    pub(crate) fn bodies(&self) -> &[bool] {
        &self.in_focus
    }

    /// Collider `k` at rest with its nodes at `nodes` and the bounding box `root`. The result is cached for the node
    /// positions of the first call; calls with other positions are not cached. These occur if a term is evaluated at
    /// two states.
    pub(crate) fn stationary_shape(
        &self,
        k: usize,
        nodes: &[Vec3],
        root: impl Fn() -> Aabb,
    ) -> StationaryShape {
        let fresh = || StationaryShape { nodes: nodes.into(), root: root(), fits: Arc::default() };
        let known = self.stationary[k].get_or_init(fresh);
        if same_bits(&known.nodes, nodes) { known.clone() } else { fresh() }
    }
}
