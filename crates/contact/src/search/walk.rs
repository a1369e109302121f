//! Search of paths with too many pairs, segment by segment.
//!
//! Newton's method occasionally proposes a path many times longer than a body, on which nearly all primitives come
//! near each other. Millions of pairs would be listed, most of them beyond the first impact. Pairs are therefore
//! counted while they are listed. If they become too many, the path is searched in shorter segments up to the first
//! impact, which comes early on such paths.
//!
//! The limit is a multiple of the number of pairs at the start of a segment: with a `d_hat` of several edge lengths
//! there are hundreds per primitive, and a shorter segment has no fewer.

use crate::CollisionScene;
use crate::search::broad_phase::find_near;
use crate::search::budget::Budget;
use crate::search::candidates::Candidates;
use crate::search::pair_lists::PairLists;
use crate::search::path_search::{PathSearch, Search};
use resile_math::Vec3;

/// Number of pairs per vertex, edge and triangle up to which the pairs at the start are not counted. Few searches
/// have more than a tenth of it.
const UNCOUNTED_PAIRS_PER_PRIMITIVE: usize = 64;

/// Number of pairs that is always accepted: half a megabyte.
const MIN_PAIR_BUDGET: usize = 1 << 16;

/// Limit of the number of pairs relative to that at the start of a segment.
const MAX_PAIR_GROWTH: usize = 4;

/// Maximum number of segments of a path. The length of a segment may double each time, so only unphysical paths reach
/// this limit.
const MAX_SEGMENTS: usize = 64;

impl Candidates {
    /// Broad and narrow phase on the straight path between the positions `from` and `to` of a scene's nodes (m).
    /// The result includes every pair whose distance falls below `d_hat` (m) plus its minimum separation on the
    /// collision-free part of the path, and possibly others. O(n log n).
    pub fn search(scene: &CollisionScene, from: &[Vec3], to: &[Vec3], d_hat: f64) -> Search {
        let [from, to] = [from, to].map(|x| scene.points.points(x));
        search(scene, &from, &to, d_hat)
    }

    /// A superset of the pairs closer than `d_hat` (m) plus their minimum separation at the positions `x` of a
    /// scene's nodes (m). O(n log n).
    pub fn near(scene: &CollisionScene, x: &[Vec3], d_hat: f64) -> Self {
        let x = scene.points.points(x);
        search(scene, &x, &x, d_hat).candidates
    }

    /// [`near`](Self::near) if there are at most about `max_pairs` pairs, otherwise `None`: counting them does not take
    /// the memory for all of them.
    pub fn near_within_budget(
        scene: &CollisionScene,
        x: &[Vec3],
        d_hat: f64,
        max_pairs: usize,
    ) -> Option<Self> {
        let x = scene.points.points(x);
        let budget = Budget::new(max_pairs, &scene.interrupt);
        find_near(&PathSearch { scene, path: [&x, &x], d_hat, budget: &budget }, None)
            .map(|search| search.candidates)
    }
}

/// [`Candidates::search`] for positions of points.
pub(crate) fn search(scene: &CollisionScene, from: &[Vec3], to: &[Vec3], d_hat: f64) -> Search {
    search_with(scene, [from, to], d_hat, None)
}

/// [`search`] with optional pair lists.
pub(crate) fn search_with(
    scene: &CollisionScene,
    path: [&[Vec3]; 2],
    d_hat: f64,
    lists: Option<&mut PairLists>,
) -> Search {
    if path[0] == path[1] {
        // No segment has fewer pairs. Lists would save little, and results at the start and end of a step must not
        // depend on them.
        let budget = &Budget::unlimited(&scene.interrupt);
        let search = find_near(&PathSearch { scene, path, d_hat, budget }, None);
        return search.unwrap_or_else(Search::interrupted);
    }
    let max_pairs = MIN_PAIR_BUDGET.max(UNCOUNTED_PAIRS_PER_PRIMITIVE * scene.primitive_count());
    let budget = &Budget::new(max_pairs, &scene.interrupt);
    find_near(&PathSearch { scene, path, d_hat, budget }, lists)
        .unwrap_or_else(|| search_by_segments(scene, path, d_hat, max_pairs))
}

impl Search {
    /// Result after an interruption: no candidates and a collision-free fraction of zero.
    fn interrupted() -> Self {
        Self { candidates: Candidates::default(), collision_free: 0.0 }
    }
}

/// Search of a path with too many pairs, in segments of adapted length.
fn search_by_segments(
    scene: &CollisionScene,
    [from, to]: [&[Vec3]; 2],
    d_hat: f64,
    max_pairs: usize,
) -> Search {
    let mut candidates = Candidates::default();
    let (mut fraction, mut length) = (0.0, 1.0);
    for _ in 0..MAX_SEGMENTS {
        let start = interpolate(from, to, fraction);
        let start_budget = Budget::unlimited(&scene.interrupt);
        let path = [&start[..]; 2];
        find_near(&PathSearch { scene, path, d_hat, budget: &start_budget }, None);
        let max_pairs = max_pairs.max(MAX_PAIR_GROWTH * start_budget.listed_pairs());
        let search = loop {
            let end = interpolate(from, to, fraction + length);
            // Terminates at the latest once the segment is so short that no point moves.
            let (path, budget) = ([&start[..], &end], &Budget::new(max_pairs, &scene.interrupt));
            match find_near(&PathSearch { scene, path, d_hat, budget }, None) {
                Some(search) => break search,
                None if scene.interrupt.is_raised() => return Search::interrupted(),
                None => length *= 0.5,
            }
        };
        candidates.join(search.candidates);
        fraction += length * search.collision_free;
        if search.collision_free < 1.0 || fraction == 1.0 {
            break;
        }
        // Lengths are powers of two, so both operations are exact.
        length = (2.0 * length).min(1.0 - fraction);
    }
    Search { candidates, collision_free: fraction }
}

/// Positions at a fraction of a straight path.
fn interpolate(from: &[Vec3], to: &[Vec3], fraction: f64) -> Vec<Vec3> {
    from.iter().zip(to).map(|(x, y)| *x + (*y - *x) * fraction).collect()
}
