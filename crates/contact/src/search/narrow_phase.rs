//! Narrow phase: selects near pairs among those with overlapping boxes, and finds the collision-free fraction of a
//! path.

use crate::ccd::{self, CONSERVATIVE_GAP, max_relative_displacement, time_of_impact_with_plane};
use crate::chunks::map_chunks;
use crate::geometry::ROUNDING_FACTOR;
use crate::geometry::distance::{Closest, PairKind};
use crate::geometry::point::{self, Point};
use crate::search::candidates::Candidate;
use crate::search::plane_separation::{LANES, PlaneSeparation};
use crate::search::sides::{self, ColliderSide};
use crate::search::task::Task;
use crate::{Candidates, CollisionScene};
use resile_math::Vec3;

/// Smallest closed fraction of a gap at a time of impact.
const MIN_CLOSED_FRACTION: f64 = 1.0 - 2.0 * CONSERVATIVE_GAP;

/// Absolute margin of a fraction of the path, far above its rounding error.
const FRACTION_MARGIN: f64 = 1e-9;

/// Result of the narrow phase for some pairs.
pub(crate) struct NarrowPhaseResult {
    /// Pairs that may become near on the collision-free part of the path. Impacts of other pairs shorten the path and
    /// remove most of them.
    pub(crate) near: Vec<NearCandidate>,
    /// Collision-free fraction of the path for these pairs.
    pub(crate) collision_free: f64,
}

/// A candidate that may become near on a path.
pub(crate) struct NearCandidate {
    /// Fraction of the path before which the pair is not near; not positive if it may be near at the start.
    pub(crate) near_from: f64,
    pub(crate) candidate: Candidate,
}

/// A pair of primitives, by index in their meshes, with its distance (m) at given positions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairDistance {
    pub(crate) pair: [u32; 2],
    pub(crate) distance: f64,
}

/// Straight paths of all points: positions of moving points at both ends, and of fixed points (m).
pub(crate) struct PointPaths<'a> {
    pub(crate) from: &'a [Vec3],
    pub(crate) to: &'a [Vec3],
    /// Positions of the points of obstacles (m).
    pub(crate) fixed: &'a [Vec3],
}

impl PointPaths<'_> {
    /// Positions of four points at the start of the path (m).
    #[inline]
    pub(crate) fn start(&self, points: [Point; 4]) -> [Vec3; 4] {
        point::positions(points, self.from, self.fixed)
    }

    /// Positions of four points at the end of the path (m).
    #[inline]
    pub(crate) fn end(&self, points: [Point; 4]) -> [Vec3; 4] {
        point::positions(points, self.to, self.fixed)
    }
}

/// The collision-free fraction (0 to 1) of the straight path between two states of a scene. Up to this fraction no
/// candidate touches, and at it at least [a tenth](crate::ccd::CONSERVATIVE_GAP) of every gap remains.
///
/// `from` and `to` are positions of the nodes (m). Pairs that are not candidates are not tested. `candidates` must
/// therefore come from a [search of this path](Candidates::search), which already returns the fraction, or from
/// another broad phase that is complete for it. Debug builds panic for candidates of another path. About 70 ns per
/// pair.
///
/// ```
/// use resile_contact::{CollisionMesh, CollisionScene, Candidates, PrimitivePairs, Vec3};
/// use resile_contact::time_of_impact;
///
/// // A grain falls towards a triangle at height zero, from 1 m to -1 m.
/// let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.2, 0.2, 1.0)];
/// let mesh = CollisionMesh::with_codimensional(&rest, &[[0, 1, 2]], &[], &[3], 0.01)?;
/// let scene = CollisionScene::of_meshes([mesh]);
/// let pairs = PrimitivePairs { vertex_faces: vec![[3, 0]], ..PrimitivePairs::default() };
/// let candidates = Candidates::from_pairs(&scene, &pairs)?;
/// let mut to = rest;
/// to[3].z = -1.0;
/// let fraction = time_of_impact(&scene, &candidates, &rest, &to);
/// assert!(0.4 < fraction && fraction < 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn time_of_impact(
    scene: &CollisionScene,
    candidates: &Candidates,
    from: &[Vec3],
    to: &[Vec3],
) -> f64 {
    let [from, to] = [from, to].map(|x| scene.points.points(x));
    let path = PointPaths { from: &from, to: &to, fixed: &scene.obstacles.points };
    let times = map_chunks(&candidates.pairs, |chunk| {
        let times = chunk.iter().map(|c| {
            let (start, end) = (path.start(c.points), path.end(c.points));
            ccd::time_of_impact(c.kind, &start, &end, candidates.min_separation(c))
        });
        times.fold(1.0, f64::min)
    });
    let fraction_of_pairs = times.into_iter().fold(1.0, f64::min);
    let planes = &scene.obstacles.planes;
    let plane_fractions = candidates.planes.iter().map(|c| {
        let [start, end] = [path.from, path.to].map(|x| candidates.gap(c, planes, x));
        time_of_impact_with_plane(start, end, path.from[c.point as usize].abs().max_element())
    });
    let fraction = plane_fractions.fold(fraction_of_pairs, f64::min);
    candidates.searched.assert_contains_path(path.from, path.to, fraction);
    fraction
}

impl Task<'_> {
    /// The two meshes of this task with their points in the scene.
    pub(crate) fn sides(&self) -> [ColliderSide<'_>; 2] {
        [self.a, self.b].map(|shape| ColliderSide {
            mesh: shape.mesh,
            first: shape.first,
            simulated: shape.body.is_some(),
        })
    }

    /// Separating-plane test of the pairs of this task.
    #[inline(always)]
    pub(crate) fn plane_separation(&self, kind: PairKind) -> PlaneSeparation<'_> {
        let meshes = [self.a.mesh, self.b.mesh];
        PlaneSeparation::new(kind, meshes, [self.a.packed(), self.b.packed()])
    }

    /// Selects the pairs that may become near on the path, and computes the collision-free fraction of all `pairs`.
    pub(crate) fn narrow(&self, pairs: &[[u32; 2]], path: &PointPaths<'_>) -> NarrowPhaseResult {
        // A constant kind lets the compiler specialise for the number of points.
        match self.kind {
            PairKind::EdgeEdge => self.narrow_pairs_of_kind(PairKind::EdgeEdge, pairs, path),
            PairKind::VertexFace => self.narrow_pairs_of_kind(PairKind::VertexFace, pairs, path),
            PairKind::VertexEdge => self.narrow_pairs_of_kind(PairKind::VertexEdge, pairs, path),
            PairKind::VertexVertex => {
                self.narrow_pairs_of_kind(PairKind::VertexVertex, pairs, path)
            }
        }
    }

    /// [`narrow`](Self::narrow) for pairs of a kind known at compile time.
    #[inline(always)]
    fn narrow_pairs_of_kind(
        &self,
        kind: PairKind,
        pairs: &[[u32; 2]],
        path: &PointPaths<'_>,
    ) -> NarrowPhaseResult {
        let mut near = Vec::with_capacity(pairs.len().min(32));
        let mut collision_free: f64 = 1.0;
        let sides = self.sides();
        let plane_separation = self.plane_separation(kind);
        let distance = self.activation_distance * ROUNDING_FACTOR;
        for pairs in pairs.chunks(LANES) {
            let end = search_fraction(collision_free) * ROUNDING_FACTOR;
            for l in plane_separation.unseparated(pairs, distance, end) {
                let points = sides::points(kind, sides, pairs[l]);
                let fraction = self.first_near_fraction(kind, points, path, &mut collision_free);
                near.extend(fraction.map(|near_from| (near_from, pairs[l], points)));
            }
        }
        near.retain(|(near_from, ..)| *near_from <= collision_free);
        let with_candidate = |(near_from, pair, points)| NearCandidate {
            near_from,
            candidate: sides::candidate(kind, sides, pair, points, self.pair),
        };
        NarrowPhaseResult { near: near.into_iter().map(with_candidate).collect(), collision_free }
    }

    /// The pairs at the start of a path that are at most the activation distance apart.
    pub(crate) fn near_at_rest(
        &self,
        pairs: &[[u32; 2]],
        path: &PointPaths<'_>,
    ) -> Vec<PairDistance> {
        let (sides, plane_separation) = (self.sides(), self.plane_separation(self.kind));
        let max_distance = self.activation_distance * ROUNDING_FACTOR;
        let mut near = Vec::new();
        for pairs in pairs.chunks(LANES) {
            for l in plane_separation.unseparated(pairs, max_distance, 0.0) {
                let start = path.start(sides::points(self.kind, sides, pairs[l]));
                let distance = Closest::new(self.kind, &start).distance();
                if distance <= max_distance {
                    near.push(PairDistance { pair: pairs[l], distance });
                }
            }
        }
        near
    }

    /// Fraction of the path before which a pair is not near, not positive if it may be near at the start; `None` if it
    /// is not near on the collision-free part. Lowers `collision_free` to the time of impact of the pair.
    #[inline(always)]
    fn first_near_fraction(
        &self,
        kind: PairKind,
        points: [Point; 4],
        path: &PointPaths<'_>,
        collision_free: &mut f64,
    ) -> Option<f64> {
        let (start, end) = (path.start(points), path.end(points));
        let motion = std::array::from_fn(|k| end[k] - start[k]);
        let relative_displacement = max_relative_displacement(kind, &motion);
        let reach =
            self.activation_distance + search_fraction(*collision_free) * relative_displacement;
        let distance = Closest::new(kind, &start).distance();
        if distance > reach * ROUNDING_FACTOR {
            return None;
        }
        if relative_displacement == 0.0 {
            return Some(0.0);
        }
        let gap = distance - self.min_separation;
        if MIN_CLOSED_FRACTION * gap <= *collision_free * relative_displacement * ROUNDING_FACTOR {
            let time = ccd::time_of_impact(kind, &start, &end, self.min_separation);
            *collision_free = collision_free.min(time);
        }
        Some((distance - self.activation_distance) / relative_displacement - FRACTION_MARGIN)
    }
}

/// Fraction of the path up to which pairs are searched, given the collision-free fraction so far: a pair that comes
/// near only later is neither near on the collision-free part nor shortens this part.
fn search_fraction(collision_free: f64) -> f64 {
    (collision_free / MIN_CLOSED_FRACTION).min(1.0)
}
