//! A path that is searched, and what was found.

use crate::CollisionScene;
use crate::search::budget::Budget;
use crate::search::candidates::Candidates;
use resile_math::Vec3;

/// A path that is searched.
#[derive(Clone, Copy)]
pub(crate) struct PathSearch<'a> {
    pub(crate) scene: &'a CollisionScene,
    /// Where points are at both ends.
    pub(crate) path: [&'a [Vec3]; 2],
    pub(crate) d_hat: f64,
    pub(crate) budget: &'a Budget<'a>,
}

/// What a search of a path found.
#[derive(Debug, Clone)]
#[must_use]
pub struct Search {
    /// The pairs near the collision-free part of the path.
    pub candidates: Candidates,
    /// The fraction of the path (0 to 1) up to which surely nothing touches, at which of every gap at least
    /// [a tenth](crate::ccd::CONSERVATIVE_GAP), or `d_hat`, is left.
    pub collision_free: f64,
}
