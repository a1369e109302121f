//! How far ahead to look for contact.
//!
//! Newton's method now and then proposes a path of many times a body's size, on which
//! nearly everything comes near to everything: millions of pairs would be listed, nearly all
//! of them beyond the first impact. So pairs are counted while they are listed, and where
//! they become too many, the path is walked in pieces that have fewer, up to the first impact:
//! hopeless directions have one soon.
//!
//! Too many means many more than there are where a piece begins: with a `d_hat` of several
//! edges there are hundreds to a primitive, and a shorter piece has no fewer.

use crate::CollisionScene;
use crate::search::broad_phase::find_near;
use crate::search::budget::Budget;
use crate::search::candidates::Candidates;
use crate::search::pair_lists::PairLists;
use crate::search::path_search::{PathSearch, Search};
use resile_math::Vec3;

/// Pairs for each vertex, edge and triangle that are no reason to ask how many there are at
/// the start: few searches have more than a tenth of it.
const MANY: usize = 64;

/// Pairs that are not too many in any case: half a megabyte.
const FEW: usize = 1 << 16;

/// How many times the pairs where a piece begins are too many.
const GROWTH: usize = 4;

/// Pieces of a path that are looked at. What flies apart doubles its size in each, so that
/// this is the end only of paths that nothing physical goes.
const PIECES: usize = 64;

impl Candidates {
    /// Broad and narrow phase on the straight path between the positions `from` and `to` of a
    /// scene's nodes (m): every pair that is nearer than `d_hat` (m), and its minimum separation,
    /// somewhere on the collision-free part of the path, and some more. O(n log n).
    pub fn search(scene: &CollisionScene, from: &[Vec3], to: &[Vec3], d_hat: f64) -> Search {
        let [from, to] = [from, to].map(|x| scene.points.points(x));
        search(scene, &from, &to, d_hat)
    }

    /// Every pair that is nearer than `d_hat` (m), and its minimum separation, at the positions
    /// `x` of a scene's nodes (m), and some more. O(n log n).
    pub fn near(scene: &CollisionScene, x: &[Vec3], d_hat: f64) -> Self {
        let x = scene.points.points(x);
        search(scene, &x, &x, d_hat).candidates
    }

    /// The same if they are about `most` at most: a caller that asks whether there are too many need not
    /// have the memory for all of them.
    pub fn near_if_few(
        scene: &CollisionScene,
        x: &[Vec3],
        d_hat: f64,
        most: usize,
    ) -> Option<Self> {
        let x = scene.points.points(x);
        let budget = Budget::new(most, &scene.interrupt);
        find_near(&PathSearch { scene, path: [&x, &x], d_hat, budget: &budget }, None)
            .map(|search| search.candidates)
    }
}

/// As [`Candidates::search`], by the positions of points.
pub(crate) fn search(scene: &CollisionScene, from: &[Vec3], to: &[Vec3], d_hat: f64) -> Search {
    search_with(scene, [from, to], d_hat, None)
}

/// The same, with the help of lists.
pub(crate) fn search_with(
    scene: &CollisionScene,
    path: [&[Vec3]; 2],
    d_hat: f64,
    lists: Option<&mut PairLists>,
) -> Search {
    if path[0] == path[1] {
        // No piece has fewer pairs. Lists would spare little, and where a step ends or begins nothing may depend on them.
        let budget = &Budget::endless(&scene.interrupt);
        let search = find_near(&PathSearch { scene, path, d_hat, budget }, None);
        return search.unwrap_or_else(Search::interrupted);
    }
    let most = FEW.max(MANY * scene.primitive_count());
    let budget = &Budget::new(most, &scene.interrupt);
    find_near(&PathSearch { scene, path, d_hat, budget }, lists)
        .unwrap_or_else(|| walk(scene, path, d_hat, most))
}

impl Search {
    /// That of a path of which nothing is known: nowhere to go, and nothing to evaluate.
    fn interrupted() -> Self {
        Self { candidates: Candidates::default(), collision_free: 0.0 }
    }
}

/// The same for a path with too many pairs.
fn walk(scene: &CollisionScene, [from, to]: [&[Vec3]; 2], d_hat: f64, most: usize) -> Search {
    let mut candidates = Candidates::default();
    let (mut at, mut length) = (0.0, 1.0);
    for _ in 0..PIECES {
        let start = along(from, to, at);
        let here = Budget::endless(&scene.interrupt);
        let path = [&start[..]; 2];
        find_near(&PathSearch { scene, path, d_hat, budget: &here }, None);
        let most = most.max(GROWTH * here.taken());
        let piece = loop {
            let end = along(from, to, at + length);
            // Ends at the latest where nothing moves any more.
            let (path, budget) = ([&start[..], &end], &Budget::new(most, &scene.interrupt));
            match find_near(&PathSearch { scene, path, d_hat, budget }, None) {
                Some(piece) => break piece,
                None if scene.interrupt.is_raised() => return Search::interrupted(),
                None => length *= 0.5,
            }
        };
        candidates.join(piece.candidates);
        at += length * piece.collision_free;
        if piece.collision_free < 1.0 || at == 1.0 {
            break;
        }
        // Halves of halves: both are exact.
        length = (2.0 * length).min(1.0 - at);
    }
    Search { candidates, collision_free: at }
}

fn along(from: &[Vec3], to: &[Vec3], fraction: f64) -> Vec<Vec3> {
    from.iter().zip(to).map(|(x, y)| *x + (*y - *x) * fraction).collect()
}
