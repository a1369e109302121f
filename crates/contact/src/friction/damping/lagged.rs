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
    /// Points in the order of [`PairKind`](crate::distance::PairKind).
    pub(super) points: [Point; 4],
    /// Weights of the point velocities in the relative velocity.
    pub(super) weights: [f64; 4],
    /// Unit normal of the contact.
    pub(super) normal: Vec3,
    /// Damping coefficient `c` (kg/s).
    pub(super) viscosity: f64,
    /// Weight of the lagged pair in [0, 1].
    pub(super) weight: f64,
    /// Bodies that share the dissipated power; equal against an obstacle.
    pub(super) bodies: [u32; 2],
}

impl DampedPair {
    /// Opening speed of the gap (m/s) for point velocities `v` (m/s).
    pub(super) fn opening_speed(&self, v: &[Vec3]) -> f64 {
        let weighted_velocity =
            |(point, weight): (&Point, f64)| Some(v[point.as_moving()?] * weight);
        let velocities = self.points.iter().zip(self.weights).filter_map(weighted_velocity);
        velocities.sum::<Vec3>().dot(self.normal)
    }

    /// D (W) at the opening speed `s` (m/s).
    pub(super) fn value(&self, s: f64) -> f64 {
        0.5 * self.force(s) * s
    }

    /// dD/ds (N), not positive, at the opening speed `s` (m/s).
    pub(super) fn force(&self, s: f64) -> f64 {
        self.weight * self.viscosity * s.min(0.0)
    }

    /// d2D/ds2 (kg/s) at the opening speed `s` (m/s).
    pub(super) fn curvature(&self, s: f64) -> f64 {
        if s < 0.0 { self.weight * self.viscosity } else { 0.0 }
    }
}

/// Damped pairs, lagged at one end of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct DampedPairs {
    /// Pairs whose points are nodes first.
    pub(super) pairs: Vec<DampedPair>,
    /// Number of pairs whose points are nodes.
    pub(super) node_pair_count: usize,
}

/// A damped pair, with whether its points are nodes.
struct SupportedPair {
    pair: DampedPair,
    on_nodes: bool,
}

/// Pairs of `candidates` with contact damping for nodes at `x` (m). Pairs with a coefficient of restitution have none.
pub(super) fn lagged(
    scene: &CollisionScene,
    candidates: &Candidates,
    barrier: &BarrierPotential,
    x: &[Vec3],
) -> DampedPairs {
    let x = &*scene.points.points(x);
    let positions = Positions { scene, candidates, barrier, x, motion: None };
    let collider_pair = |pair: u32| &candidates.collider_pairs[pair as usize];
    let has_damping =
        |pair: u32| collider_pair(pair).damping > 0.0 && collider_pair(pair).restitution.is_none();
    let damped = |c: &Candidate| {
        let (contact, stiffness) = (positions.normal_contact(c), stiffness(&positions, c));
        damped_pair(collider_pair(c.pair), &contact, stiffness)
    };
    let damped_on_plane = |c: &PlaneCandidate| {
        let (contact, stiffness) =
            (positions.plane_normal_contact(c, 1.0), plane_stiffness(&positions, c));
        let pair = damped_pair(collider_pair(c.pair), &contact, stiffness)?;
        Some(SupportedPair { pair, on_nodes: scene.points.is_node(c.point as usize) })
    };
    let damped_of_pairs = |pairs: &[Candidate], on_nodes: bool| -> Vec<SupportedPair> {
        let summed = positions.summed(pairs);
        let candidates = summed.iter().filter(|c| has_damping(c.pair));
        let pairs = candidates.filter_map(damped);
        pairs.map(|pair| SupportedPair { pair, on_nodes }).collect()
    };
    let (node_pairs, embedded) = candidates.pairs.split_at(candidates.node_pair_count);
    let mut all = damped_of_pairs(node_pairs, true);
    all.extend(damped_of_pairs(embedded, false));
    let planes = candidates.planes.iter().filter(|c| has_damping(c.pair));
    all.extend(planes.filter_map(damped_on_plane));
    let (on_nodes, embedded): (Vec<SupportedPair>, Vec<SupportedPair>) =
        all.into_iter().partition(|supported| supported.on_nodes);
    let node_pair_count = on_nodes.len();
    let pairs = on_nodes.into_iter().chain(embedded).map(|supported| supported.pair).collect();
    DampedPairs { pairs, node_pair_count }
}

/// `d2E/dd2` (N/m) of a pair of primitives.
fn stiffness(positions: &Positions<'_>, c: &Candidate) -> f64 {
    let points = c.positions(positions.x, &positions.scene.obstacles.points);
    let distance = Closest::new(c.kind, &points).difference.length();
    positions.barrier.pair(positions.candidates, c).normal_stiffness(distance, &points)
}

/// `d2E/dd2` (N/m) of a vertex and a plane at constant rim weights.
fn plane_stiffness(positions: &Positions<'_>, c: &PlaneCandidate) -> f64 {
    let on_candidates = positions.barrier.on_candidates(positions.scene, positions.candidates);
    on_candidates.plane_barrier(c, positions.x).second()
}

/// Damped pair of a contact with this stiffness (N/m); `None` without force or damping.
fn damped_pair(pair: &ColliderPair, contact: &NormalContact, stiffness: f64) -> Option<DampedPair> {
    let NormalContact { points, weights, normal, force } = *contact;
    let viscosity = pair.damping * stiffness;
    let is_active = force > 0.0 && viscosity > 0.0 && viscosity.is_finite();
    let bodies = [pair.body, pair.other.unwrap_or(pair.body)].map(|body| body as u32);
    is_active.then_some(DampedPair { points, weights, normal, viscosity, weight: 1.0, bodies })
}
