//! Some bodies of a scene in focus, while all others stay where they are.
//!
//! A few bodies are solved for alone in many short searches. What is known of the others from one
//! of these holds in the next: their boxes are fitted once in a focus.

use crate::geometry::embedding::same_bits;
use crate::geometry::shape::Fits;
use resile_math::{Aabb, Vec3};
use std::sync::{Arc, OnceLock};

/// A shape that stays where it is.
#[derive(Debug, Clone)]
pub(crate) struct StillShape {
    /// Where its nodes are.
    nodes: Arc<[Vec3]>,
    /// The box around everything.
    pub(crate) root: Aabb,
    pub(crate) fits: Arc<Fits>,
}

/// The bodies that pairs are looked for, and what is known of the others.
#[derive(Debug, Clone)]
pub(crate) struct Focus {
    /// Of each body whether it is in focus.
    among: Box<[bool]>,
    /// What is known of each collider.
    still: Vec<OnceLock<StillShape>>,
}

impl Focus {
    pub(crate) fn new(among: &[bool], colliders: usize) -> Self {
        let still = std::iter::repeat_with(OnceLock::new).take(colliders).collect();
        Self { among: among.into(), still }
    }

    pub(crate) fn holds(&self, body: usize) -> bool {
        self.among[body]
    }

    pub(crate) fn bodies(&self) -> &[bool] {
        &self.among
    }

    /// Collider `k`, whose nodes stay at `nodes`, with the box `root` around it. Known from before if they were
    /// there when it was first asked for: where a term is evaluated at two places it is known at the first.
    pub(crate) fn still(&self, k: usize, nodes: &[Vec3], root: impl Fn() -> Aabb) -> StillShape {
        let fresh = || StillShape { nodes: nodes.into(), root: root(), fits: Arc::default() };
        let known = self.still[k].get_or_init(fresh);
        if same_bits(&known.nodes, nodes) { known.clone() } else { fresh() }
    }
}
