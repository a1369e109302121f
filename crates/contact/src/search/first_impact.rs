//! First impact on a path.

use crate::ccd::{self, time_of_impact_with_plane};
use crate::chunks::map_chunks;
use crate::search::narrow_phase::PointPaths;
use crate::{Candidates, CollisionScene};
use resile_math::Vec3;

/// Smallest time of impact of the candidates on the path between two states of the points of a scene, as a fraction
/// of the path, and the index of its pair of colliders. `None` if there is no impact. Ties are resolved by the
/// order of candidates, so the result does not depend on the number of threads. About 70 ns per candidate.
pub(crate) fn first_impact(
    scene: &CollisionScene,
    candidates: &Candidates,
    [from, to]: [&[Vec3]; 2],
) -> Option<(f64, u32)> {
    let path = PointPaths { from, to, fixed: &scene.obstacles.points };
    let earlier = |first: (f64, u32), other: (f64, u32)| match other.0 < first.0 {
        true => other,
        false => first,
    };
    let no_impact = (1.0, u32::MAX);
    let first_of_chunks = map_chunks(&candidates.pairs, |chunk| {
        let times = chunk.iter().map(|c| {
            let (start, end) = (path.start(c.points), path.end(c.points));
            (ccd::time_of_impact(c.kind, &start, &end, candidates.min_separation(c)), c.pair)
        });
        times.fold(no_impact, earlier)
    });
    let first_of_pairs = first_of_chunks.into_iter().fold(no_impact, earlier);
    let planes = &scene.obstacles.planes;
    let plane_impacts = candidates.planes.iter().map(|c| {
        let [start, end] = [from, to].map(|x| candidates.gap(c, planes, x));
        let max_coordinate = from[c.point as usize].abs().max_element();
        (time_of_impact_with_plane(start, end, max_coordinate), c.pair)
    });
    let first = plane_impacts.fold(first_of_pairs, earlier);
    (first.0 < 1.0).then_some(first)
}
