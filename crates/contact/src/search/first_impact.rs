//! First impact on a path.

use crate::ccd::{self, time_of_impact_with_plane};
use crate::chunks::map_chunks;
use crate::search::narrow_phase::PointPaths;
use crate::{Candidates, CollisionScene};
use resile_math::Vec3;

/// Impact of two colliders on a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImpactOnPath {
    /// Fraction of the path.
    pub(crate) time: f64,
    /// Index of the pair of colliders among the candidates.
    pub(crate) pair: u32,
}

impl ImpactOnPath {
    /// End of a path without an impact.
    const NONE: Self = Self { time: 1.0, pair: u32::MAX };

    /// The earlier one of two impacts, `self` if they are simultaneous.
    pub(crate) fn earlier(self, other: Self) -> Self {
        if other.time < self.time { other } else { self }
    }
}

/// The first impact of the candidates on the straight path between two states of the points of a scene (m); `None` if
/// there is none. Ties are resolved by the order of candidates, so the result does not depend on the number of
/// threads. About 70 ns per candidate.
pub(crate) fn first_impact(
    scene: &CollisionScene,
    candidates: &Candidates,
    [from, to]: [&[Vec3]; 2],
) -> Option<ImpactOnPath> {
    let path = PointPaths { from, to, fixed: &scene.obstacles.points };
    let first_of_chunks = map_chunks(&candidates.pairs, |chunk| {
        let impacts = chunk.iter().map(|c| {
            let (start, end) = (path.start(c.points), path.end(c.points));
            let min_separation = candidates.min_separation(c);
            let time = ccd::time_of_impact(c.kind, &start, &end, min_separation);
            ImpactOnPath { time, pair: c.pair }
        });
        impacts.fold(ImpactOnPath::NONE, ImpactOnPath::earlier)
    });
    let first_of_pairs =
        first_of_chunks.into_iter().fold(ImpactOnPath::NONE, ImpactOnPath::earlier);
    let planes = &scene.obstacles.planes;
    let plane_impacts = candidates.planes.iter().map(|c| {
        let [start, end] = [from, to].map(|x| candidates.gap(c, planes, x));
        let max_coordinate = from[c.point as usize].abs().max_element();
        ImpactOnPath { time: time_of_impact_with_plane(start, end, max_coordinate), pair: c.pair }
    });
    let first = plane_impacts.fold(first_of_pairs, ImpactOnPath::earlier);
    (first.time < 1.0).then_some(first)
}
