//! Lagged quantities of contact damping.

use crate::friction::{NormalContact, Positions};
use crate::geometry::distance::Closest;
use crate::geometry::point::Point;
use crate::search::candidates::{Candidate, Candidates, ColliderPair, PlaneCandidate};
use crate::{BarrierPotential, CollisionScene};
use resile_math::Vec3;

/// A pair of primitives with its lagged quantities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DampedPair {
    pub(super) points: [Point; 4],
    pub(super) weights: [f64; 4],
    pub(super) normal: Vec3,
    /// Damping coefficient `c` (kg/s).
    pub(super) viscosity: f64,
    /// Weight of the lagged pair in [0, 1].
    pub(super) weight: f64,
    /// Bodies that share the dissipated power; equal against an obstacle.
    pub(super) bodies: [u32; 2],
}

impl DampedPair {
    /// Opening speed of the gap (m/s) for point velocities `v`.
    pub(super) fn opening(&self, v: &[Vec3]) -> f64 {
        let moving = self.points.iter().zip(self.weights);
        let velocity_share = |(point, weight): (&Point, f64)| Some(v[point.as_moving()?] * weight);
        moving.filter_map(velocity_share).sum::<Vec3>().dot(self.normal)
    }

    /// D (W) at an opening speed (m/s).
    pub(super) fn value(&self, s: f64) -> f64 {
        0.5 * self.force(s) * s
    }

    /// dD/ds (N), not positive.
    pub(super) fn force(&self, s: f64) -> f64 {
        self.weight * self.viscosity * s.min(0.0)
    }

    /// d2D/ds2 (kg/s).
    pub(super) fn curvature(&self, s: f64) -> f64 {
        if s < 0.0 { self.weight * self.viscosity } else { 0.0 }
    }
}

/// Pairs of `candidates` with contact damping at the positions `x` of the scene's nodes (m), pairs of nodes first,
/// and the number of pairs of nodes. Pairs with a coefficient of restitution have no contact damping.
pub(super) fn lagged(
    scene: &CollisionScene,
    candidates: &Candidates,
    barrier: &BarrierPotential,
    x: &[Vec3],
) -> (Vec<DampedPair>, usize) {
    let x = &*scene.points.points(x);
    let positions = Positions { scene, candidates, barrier, x, motion: None };
    let collider_pair = |pair: u32| &candidates.collider_pairs[pair as usize];
    let damps =
        |pair: u32| collider_pair(pair).damping > 0.0 && collider_pair(pair).restitution.is_none();
    let (node_pairs, embedded) = candidates.pairs.split_at(candidates.node_pair_count);
    let [node_pairs, embedded] = [node_pairs, embedded].map(|pairs| positions.summed(pairs));
    let flagged_node_pairs = node_pairs.iter().map(|c| (true, c));
    let all_pairs = flagged_node_pairs.chain(embedded.iter().map(|c| (false, c)));
    let pairs = all_pairs.filter(|(_, c)| damps(c.pair)).map(|(on_nodes, c)| {
        let stiffness = stiffness(&positions, c);
        (on_nodes, damped_pair(collider_pair(c.pair), &positions.normal_contact(c), stiffness))
    });
    let planes = candidates.planes.iter().filter(|c| damps(c.pair)).map(|c| {
        let contact = positions.plane_normal_contact(c, 1.0);
        (
            scene.points.is_node(c.point as usize),
            damped_pair(collider_pair(c.pair), &contact, plane_stiffness(&positions, c)),
        )
    });
    let damped = pairs.chain(planes).filter_map(|(on_nodes, pair)| Some((on_nodes, pair?)));
    let (nodes, embedded): (Vec<_>, Vec<_>) = damped.partition(|(on_nodes, _)| *on_nodes);
    let node_pair_count = nodes.len();
    (nodes.into_iter().chain(embedded).map(|(_, pair)| pair).collect(), node_pair_count)
}

/// `d2E/dd2` (N/m) of a pair of primitives.
fn stiffness(positions: &Positions<'_>, c: &Candidate) -> f64 {
    let points = c.positions(positions.x, &positions.scene.obstacles.points);
    let distance = Closest::new(c.kind, &points).difference.length();
    positions.barrier.pair(positions.candidates, c).normal_stiffness(distance, &points)
}

/// `d2E/dd2` (N/m) of a vertex and a plane.
fn plane_stiffness(positions: &Positions<'_>, c: &PlaneCandidate) -> f64 {
    let (stiffness, b, _) = positions
        .barrier
        .on_candidates(positions.scene, positions.candidates)
        .plane_barrier(c, positions.x);
    stiffness * b.second
}

/// Damped pair of a contact with this stiffness (N/m); `None` without force or damping.
fn damped_pair(pair: &ColliderPair, contact: &NormalContact, stiffness: f64) -> Option<DampedPair> {
    let NormalContact { points, weights, normal, force } = *contact;
    let viscosity = pair.damping * stiffness;
    let is_active = force > 0.0 && viscosity > 0.0 && viscosity.is_finite();
    let bodies = [pair.body, pair.other.unwrap_or(pair.body)].map(|body| body as u32);
    is_active.then_some(DampedPair { points, weights, normal, viscosity, weight: 1.0, bodies })
}
