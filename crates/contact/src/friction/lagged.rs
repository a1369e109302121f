//! Lagged contacts: normal forces and tangent planes.

use super::bonds::BondPositions;
use crate::chunks::map_chunks;
use crate::geometry::distance::Closest;
use crate::geometry::point::Point;
use crate::potential::signed_sums::PointPositions;
use crate::potential::vertex_plane::PlaneBarrier;
use crate::search::candidates::{Candidate, Candidates, ColliderPair, PlaneCandidate};
use crate::{BarrierPotential, CollisionScene};
use resile_math::Vec3;
use std::borrow::Cow;

/// Active contacts at given positions: normal forces, tangent planes and closest points, held constant while
/// velocities vary.
///
/// ```
/// use resile_contact::{BarrierPotential, Candidates, CollisionMesh, CollisionScene};
/// use resile_contact::{FrictionPotential, LaggedContacts, PairTable, Psd, Vec3};
///
/// let rest = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let mesh = || CollisionMesh::new(&rest, &[[0, 1, 2]]);
/// let mut scene = CollisionScene::of_meshes([mesh()?, mesh()?]);
/// let mut pairs = PairTable::new(2);
/// pairs.set_friction(0, 1, 0.5);
/// scene.pairs = pairs.into();
///
/// // The second triangle is 1 mm above the first.
/// let x: Vec<Vec3> = rest.into_iter().chain(rest.map(|p| p + Vec3::Z * 1e-3)).collect();
/// let barrier = BarrierPotential { barrier: Default::default(), d_hat: 2e-3, kappa: 1e5 };
/// let candidates = Candidates::near(&scene, &x, barrier.d_hat);
/// let lagged = LaggedContacts::new(&scene, &candidates, &barrier, &x);
///
/// // It slides along x.
/// let friction = FrictionPotential { slip_speed: 1e-3 };
/// let v = [[Vec3::ZERO; 3], [Vec3::X; 3]].concat();
/// let gradient = friction.gradient(&scene, &lagged, &v);
/// let force: Vec3 = gradient[3..].iter().sum();
/// assert!(friction.value(&scene, &lagged, &v) > 0.0 && force.x > 0.0);
/// assert!(friction.hessian(&scene, &lagged, &v).iter().count() > 0);
/// # Ok::<(), resile_contact::CollisionMeshError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct LaggedContacts {
    /// Pairs of nodes first, as for candidates.
    pub(super) pairs: Vec<LaggedPair>,
    /// Number of pairs of nodes.
    pub(super) node_pair_count: usize,
}

/// A pair with its lagged quantities.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LaggedPair {
    /// Points in the order of [`PairKind`](crate::distance::PairKind).
    pub(super) points: [Point; 4],
    /// Weights of the point velocities in the relative velocity.
    pub(crate) weights: [f64; 4],
    /// Unit normal of the tangent plane.
    pub(super) normal: Vec3,
    /// Friction limit `mu lambda` (N).
    limit: f64,
    /// Weight of the lagged pair in [0, 1].
    pub(super) weight: f64,
    /// Bodies that share the dissipated power; equal against an obstacle.
    pub(super) bodies: [u32; 2],
    /// Slip (m/s) at zero velocity: zero, unless slip is measured from other positions than the start of the step.
    pub(super) offset: Vec3,
}

impl LaggedPair {
    /// A pair of these bodies with the coefficient of friction `mu` and full weight.
    pub(super) fn new(contact: NormalContact, mu: f64, bodies: [u32; 2]) -> Self {
        let NormalContact { points, weights, normal, force } = contact;
        let (limit, offset) = (mu * force, Vec3::ZERO);
        Self { points, weights, normal, limit, weight: 1.0, bodies, offset }
    }

    /// Returns the pair only if its friction limit is positive and finite.
    pub(super) fn if_limit_is_positive(self) -> Option<Self> {
        (self.limit > 0.0 && self.limit.is_finite()).then_some(self)
    }

    /// Relative velocity of the two primitives (m/s) for point velocities `v`.
    pub(super) fn relative(&self, v: &[Vec3]) -> Vec3 {
        let mut relative = Vec3::ZERO;
        for (point, w) in self.points.iter().zip(self.weights) {
            if let Some(point) = point.as_moving() {
                relative += v[point] * w;
            }
        }
        relative
    }

    /// Relative velocity of the two primitives in the tangent plane (m/s).
    pub(crate) fn slip(&self, v: &[Vec3]) -> Vec3 {
        self.tangential(self.relative(v)) + self.offset
    }

    /// Component of a vector in the tangent plane.
    pub(super) fn tangential(&self, vector: Vec3) -> Vec3 {
        vector - self.normal * self.normal.dot(vector)
    }

    /// Friction limit times the weight of the pair (N).
    pub(super) fn strength(&self) -> f64 {
        self.weight * self.limit
    }
}

impl LaggedContacts {
    /// The contacts among `candidates` at the positions `x` of the scene's nodes (m), with
    /// `barrier`'s normal forces and the coefficients of the scene's pairs. O(candidates).
    pub fn new(
        scene: &CollisionScene,
        candidates: &Candidates,
        barrier: &BarrierPotential,
        x: &[Vec3],
    ) -> Self {
        Self::at_positions(scene, candidates, barrier, x, None)
    }

    /// [`new`](Self::new) for node velocities `v` (m/s): a pair that slips at less than [`STICKING_LIMIT`] slip speeds
    /// has its coefficient of static friction.
    pub fn moving(
        scene: &CollisionScene,
        candidates: &Candidates,
        barrier: &BarrierPotential,
        x: &[Vec3],
        (v, slip_speed): (&[Vec3], f64),
    ) -> Self {
        let v = &*scene.points.points(v);
        Self::at_positions(scene, candidates, barrier, x, Some((v, slip_speed)))
    }

    /// The contacts at the node positions `x` (m), with [`motion`](Positions::motion).
    fn at_positions(
        scene: &CollisionScene,
        candidates: &Candidates,
        barrier: &BarrierPotential,
        x: &[Vec3],
        motion: Option<(&[Vec3], f64)>,
    ) -> Self {
        let x = &*scene.points.points(x);
        candidates.searched.assert_contains(x, barrier.d_hat);
        let positions = Positions { scene, candidates, barrier, x, motion };
        Self::of_candidates(
            (scene, candidates),
            |pairs| positions.summed(pairs),
            |c| positions.pair(c),
            |c| positions.plane_pair(c),
        )
    }

    /// The bonds of tangential adhesion at `positions`.
    pub(super) fn of_bonds(positions: BondPositions<'_>) -> Self {
        let BondPositions { scene, candidates, bonds, x, .. } = positions;
        let range = bonds.adhesion.range;
        candidates.searched.assert_contains(x, range);
        let point_positions = PointPositions { moving: x, fixed: &scene.obstacles.points };
        Self::of_candidates(
            (scene, candidates),
            |pairs| candidates.summed(pairs, point_positions, range),
            |c| positions.pair(c),
            |c| positions.plane_pair(c),
        )
    }

    /// The pairs of the candidates, of which `summed` has signed sums in place of their terms.
    fn of_candidates<'a>(
        (scene, candidates): (&CollisionScene, &'a Candidates),
        summed: impl Fn(&'a [Candidate]) -> Cow<'a, [Candidate]>,
        pair: impl Fn(&Candidate) -> Option<LaggedPair> + Sync,
        plane_pair: impl Fn(&PlaneCandidate) -> Option<LaggedPair>,
    ) -> Self {
        let lag_chunk =
            |chunk: &[Candidate]| -> Vec<LaggedPair> { chunk.iter().filter_map(&pair).collect() };
        let lag_pairs = |pairs: &'a [Candidate]| -> Vec<LaggedPair> {
            map_chunks(&summed(pairs), lag_chunk).concat()
        };
        let (node_pairs, embedded) = candidates.pairs.split_at(candidates.node_pair_count);
        let (node_planes, embedded_planes): (Vec<_>, Vec<_>) =
            candidates.planes.iter().partition(|c| scene.points.is_node(c.point as usize));
        let mut pairs = lag_pairs(node_pairs);
        pairs.extend(node_planes.into_iter().filter_map(&plane_pair));
        let node_pair_count = pairs.len();
        pairs.extend(lag_pairs(embedded));
        pairs.extend(embedded_planes.into_iter().filter_map(&plane_pair));
        Self { pairs, node_pair_count }
    }

    /// The pairs that involve one of the flagged bodies.
    pub(super) fn restricted(&self, bodies: &[bool]) -> Self {
        let involves = |pair: &&LaggedPair| pair.bodies.iter().any(|&body| bodies[body as usize]);
        let (node_pairs, embedded) = self.pairs.split_at(self.node_pair_count);
        let mut pairs: Vec<LaggedPair> = node_pairs.iter().filter(involves).copied().collect();
        let node_pair_count = pairs.len();
        pairs.extend(embedded.iter().filter(involves));
        Self { pairs, node_pair_count }
    }

    /// Whether any pair has a positive weight.
    pub(super) fn has_weight(&self) -> bool {
        self.pairs.iter().any(|pair| pair.weight > 0.0)
    }

    /// Number of pairs with friction.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether no pair has friction.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The largest force (N) that friction can exert at each pair.
    pub fn limits(&self) -> impl Iterator<Item = f64> + '_ {
        self.pairs.iter().map(LaggedPair::strength)
    }
}

/// Input of lagging: scene, candidates, barrier and positions.
#[derive(Clone, Copy)]
pub(crate) struct Positions<'a> {
    pub(crate) scene: &'a CollisionScene,
    pub(crate) candidates: &'a Candidates,
    pub(crate) barrier: &'a BarrierPotential,
    /// Positions of points (m).
    pub(crate) x: &'a [Vec3],
    /// Velocities (m/s) of points and slip speed (m/s), which decide whether a pair sticks. With `None`, all pairs
    /// slip.
    pub(crate) motion: Option<(&'a [Vec3], f64)>,
}

/// Multiple of the slip speed above which a pair counts as slipping. Friction reaches its limit at one slip speed.
/// The speed of a body held near this limit is accurate only to Newton's tolerance, which is of the order of the
/// slip speed.
pub const STICKING_LIMIT: f64 = 2.0;

impl Positions<'_> {
    /// `pairs` of the candidates with signed sums in place of their terms.
    pub(crate) fn summed<'b>(&self, pairs: &'b [Candidate]) -> Cow<'b, [Candidate]> {
        let x = PointPositions { moving: self.x, fixed: &self.scene.obstacles.points };
        self.candidates.summed(pairs, x, self.barrier.d_hat)
    }

    /// Coefficient of friction of a pair of primitives with these points, weights and normal, static if the pair sticks,
    /// and its two bodies, equal against an obstacle. `pair` is the index of the pair of colliders.
    fn friction_coefficient(
        &self,
        pair: u32,
        points: [Point; 4],
        weights: [f64; 4],
        normal: Vec3,
    ) -> (f64, [u32; 2]) {
        let ColliderPair { body, other, friction, static_friction, .. } =
            self.candidates.collider_pairs[pair as usize];
        let bodies = [body, other.unwrap_or(body)].map(|body| body as u32);
        let sticks = |(v, slip_speed): (&[Vec3], f64)| {
            let pair =
                LaggedPair::new(NormalContact { points, weights, normal, force: 1.0 }, 1.0, bodies);
            pair.slip(v).length() < STICKING_LIMIT * slip_speed
        };
        let mu = match self.motion {
            Some(motion) if static_friction > friction && sticks(motion) => static_friction,
            _ => friction,
        };
        (mu, bodies)
    }

    /// Normal contact of a pair of primitives.
    pub(crate) fn normal_contact(&self, c: &Candidate) -> NormalContact {
        let points = c.positions(self.x, &self.scene.obstacles.points);
        let Closest { weights, difference, .. } = Closest::new(c.kind, &points);
        let distance = difference.length();
        let force = self.barrier.pair(self.candidates, c).normal_force(distance, &points);
        NormalContact { points: c.points, weights, normal: difference / distance, force }
    }

    /// Normal contact of a vertex and a plane at constant rim weights, with the force multiplied by `factor`.
    pub(crate) fn plane_normal_contact(&self, c: &PlaneCandidate, factor: f64) -> NormalContact {
        let on_candidates = self.barrier.on_candidates(self.scene, self.candidates);
        let PlaneBarrier { stiffness, barrier, normal } = on_candidates.plane_barrier(c, self.x);
        let force = -factor * stiffness * barrier.first;
        let mut points = [Point::fixed(0); 4];
        points[0] = Point::moving(c.point as usize);
        NormalContact { points, weights: [1.0, -1.0, 0.0, 0.0], normal, force }
    }

    /// Position (m) of the contact on one of its two surfaces.
    pub(crate) fn contact_position(&self, contact: &NormalContact) -> Vec3 {
        let terms = contact.points.iter().zip(contact.weights).filter(|(_, weight)| *weight > 0.0);
        let position = |point: Point| point.position(self.x, &self.scene.obstacles.points);
        terms.map(|(&point, weight)| position(point) * weight).sum()
    }

    /// Lagged pair of primitives; `None` without friction.
    pub(crate) fn pair(&self, c: &Candidate) -> Option<LaggedPair> {
        let NormalContact { points, weights, normal, force } = self.normal_contact(c);
        let (mu, bodies) = self.friction_coefficient(c.pair, points, weights, normal);
        LaggedPair::new(NormalContact { points, weights, normal, force }, mu, bodies)
            .if_limit_is_positive()
    }

    /// Lagged pair of a vertex and a plane; `None` without friction.
    pub(crate) fn plane_pair(&self, c: &PlaneCandidate) -> Option<LaggedPair> {
        let NormalContact { points, weights, normal, .. } = self.plane_normal_contact(c, 1.0);
        let (mu, bodies) = self.friction_coefficient(c.pair, points, weights, normal);
        let force = self.plane_normal_contact(c, mu).force;
        LaggedPair::new(NormalContact { points, weights, normal, force }, 1.0, bodies)
            .if_limit_is_positive()
    }
}

/// Normal contact of two primitives.
pub(crate) struct NormalContact {
    /// Points in the order of [`PairKind`](crate::distance::PairKind).
    pub(crate) points: [Point; 4],
    /// Weights of the point velocities in the relative velocity, whose normal component is the opening speed of the gap.
    pub(crate) weights: [f64; 4],
    /// Unit vector along the difference of the closest points.
    pub(crate) normal: Vec3,
    /// Barrier force (N); zero if the pair is inactive.
    pub(crate) force: f64,
}
