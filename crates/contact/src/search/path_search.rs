//! Input and result of a search on a path.

use crate::CollisionScene;
use crate::search::budget::Budget;
use crate::search::candidates::Candidates;
use resile_math::Vec3;

/// Input of a search: a straight path of the points of a scene.
#[derive(Clone, Copy)]
pub(crate) struct PathSearch<'a> {
    pub(crate) scene: &'a CollisionScene,
    /// Positions of the points at both ends (m).
    pub(crate) path: [&'a [Vec3]; 2],
    pub(crate) d_hat: f64,
    pub(crate) budget: &'a Budget<'a>,
}

/// Result of a search on a path.
#[derive(Debug, Clone)]
#[must_use]
pub struct Search {
    /// Pairs that are near on the collision-free part of the path.
    pub candidates: Candidates,
    /// Fraction of the path (0 to 1) that is certified to be collision-free. At this fraction at least [a
    /// tenth](crate::ccd::CONSERVATIVE_GAP) of every gap, or `d_hat`, remains.
    pub collision_free: f64,
}
