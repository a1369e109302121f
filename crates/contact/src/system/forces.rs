//! Contact forces at given positions, by pair of colliders and by point.
//!
//! The solver needs only gradients; output needs the force between each pair of bodies.

use crate::chunks::map_chunks;
use crate::friction::{LaggedPair, Positions};
use crate::geometry::distance::Closest;
use crate::geometry::point::Point;
use crate::potential::vertex_plane::PlaneBarrier;
use crate::search::candidates::{Candidate, Candidates, PlaneCandidate};
use crate::{BarrierPotential, CollisionScene, FrictionPotential};
use resile_math::Vec3;

/// Contact forces between two colliders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairForces {
    /// Indices in the [`PairTable`](crate::PairTable): a simulated collider and another one, or twice the same for
    /// self-contact.
    pub colliders: [usize; 2],
    /// Barrier force (N) of the second collider on the first; zero for self-contact.
    pub normal: Vec3,
    /// Friction force (N) of the second collider on the first.
    pub friction: Vec3,
    /// Smallest gap (m): distance minus minimum separation.
    pub smallest_gap: f64,
    /// Number of active pairs of primitives.
    pub contacts: usize,
}

/// Contact forces at given positions and velocities.
///
/// ```
/// use resile_contact::{BarrierPotential, CollisionMesh, CollisionScene, ContactForces};
/// use resile_contact::{FrictionPotential, Vec3};
///
/// let rest = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let mesh = || CollisionMesh::new(&rest, &[[0, 1, 2]]);
/// let scene = CollisionScene::of_meshes([mesh()?, mesh()?]);
/// // The second triangle is 1 mm above the first.
/// let x: Vec<Vec3> = rest.into_iter().chain(rest.map(|p| p + Vec3::Z * 1e-3)).collect();
/// let barrier = BarrierPotential { barrier: Default::default(), d_hat: 2e-3, kappa: 1e5 };
/// let friction = FrictionPotential { slip_speed: 1e-3 };
/// let forces = ContactForces::new(&scene, &barrier, &friction, &x, &[Vec3::ZERO; 6]);
/// assert_eq!(forces.pairs[0].colliders, [0, 1]);
/// assert!(forces.pairs[0].normal.z < 0.0 && forces.normal[3].z > 0.0);
/// # Ok::<(), resile_contact::CollisionMeshError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ContactForces {
    /// Forces of the pairs of colliders with a gap below `d_hat`, in a fixed order.
    pub pairs: Vec<PairForces>,
    /// Barrier force (N) on each point of the scene: nodes, then points of embedded surfaces, numbered as in
    /// [`CollisionScene::vertices`].
    pub normal: Vec<Vec3>,
    /// Friction force (N) on each point.
    pub friction: Vec<Vec3>,
}

/// Forces of a pair of primitives.
struct PairForce {
    pair: u32,
    gap: f64,
    points: [Point; 4],
    normal: [Vec3; 4],
    friction: [Vec3; 4],
}

/// Positions and velocities of points for the evaluation of forces.
struct PointStates<'a> {
    positions: Positions<'a>,
    friction: &'a FrictionPotential,
    v: &'a [Vec3],
}

impl ContactForces {
    /// Forces for nodes at `x` (m) with the velocities `v` (m/s): those of the barrier gradient, and friction under
    /// the normal forces at `x`. Performs a search and evaluates all pairs: O(n log n).
    pub fn new(
        scene: &CollisionScene,
        barrier: &BarrierPotential,
        friction: &FrictionPotential,
        x: &[Vec3],
        v: &[Vec3],
    ) -> Self {
        let candidates = Candidates::near(scene, x, barrier.d_hat);
        let (x, v) = (&*scene.points.points(x), &*scene.points.points(v));
        let motion = Some((v, friction.slip_speed));
        let positions = Positions { scene, candidates: &candidates, barrier, x, motion };
        let states = PointStates { positions, friction, v };
        let acting = map_chunks(&states.positions.summed(&candidates.pairs), |chunk| {
            chunk.iter().filter_map(|c| states.pair_force(c)).collect::<Vec<_>>()
        });
        let on_planes = candidates.planes.iter().filter_map(|c| states.plane_force(c));
        let mut sums = ForceSums::new(scene, &candidates, x.len());
        acting.into_iter().flatten().chain(on_planes).for_each(|acting| sums.add(&acting));
        sums.forces()
    }

    /// Range of the points of a collider's mesh among the points of the scene.
    pub fn points_of(scene: &CollisionScene, collider: usize) -> std::ops::Range<usize> {
        let first = scene.points.first(collider);
        first..first + scene.colliders[collider].mesh.point_count()
    }
}

impl PointStates<'_> {
    /// Forces of a pair of primitives; `None` if it is inactive.
    fn pair_force(&self, c: &Candidate) -> Option<PairForce> {
        let Positions { scene, candidates, barrier, x, .. } = self.positions;
        let points = c.positions(x, &scene.obstacles.points);
        let normal = barrier.pair(candidates, c).gradient(&points)?.map(|g| -g);
        let gap = Closest::new(c.kind, &points).distance() - candidates.min_separation(c);
        let friction = self.friction_forces(self.positions.pair(c));
        Some(PairForce { pair: c.pair, gap, points: c.points, normal, friction })
    }

    /// Forces of a vertex and a plane at constant rim weights; `None` if they are inactive.
    fn plane_force(&self, c: &PlaneCandidate) -> Option<PairForce> {
        let Positions { scene, candidates, barrier, x, .. } = self.positions;
        let plane_barrier = barrier.on_candidates(scene, candidates).plane_barrier(c, x);
        let PlaneBarrier { stiffness, barrier, normal: plane_normal } = plane_barrier;
        let gap = candidates.gap(c, &scene.obstacles.planes, x);
        let mut points = [Point::fixed(0); 4];
        points[0] = Point::moving(c.point as usize);
        let mut normal = [Vec3::ZERO; 4];
        normal[0] = plane_normal * (-stiffness * barrier.first);
        let friction = self.friction_forces(self.positions.plane_pair(c));
        (barrier.first != 0.0).then_some(PairForce { pair: c.pair, gap, points, normal, friction })
    }

    /// Friction force on each point.
    fn friction_forces(&self, pair: Option<LaggedPair>) -> [Vec3; 4] {
        let Some(pair) = pair else { return [Vec3::ZERO; 4] };
        let force = pair.force(pair.slip(self.v), self.friction.slip_speed);
        pair.weights.map(|weight| force * -weight)
    }
}

/// Sums of forces by pair of colliders and by point.
struct ForceSums<'a> {
    scene: &'a CollisionScene,
    candidates: &'a Candidates,
    /// Forces in the order of the candidates' pairs of colliders.
    pairs: Vec<PairForces>,
    normal: Vec<Vec3>,
    friction: Vec<Vec3>,
}

impl<'a> ForceSums<'a> {
    /// Zero sums for a scene with this number of points.
    fn new(scene: &'a CollisionScene, candidates: &'a Candidates, points: usize) -> Self {
        let collider_indices = scene.shape_numbers();
        let pairs = candidates.collider_pairs.iter().map(|pair| PairForces {
            colliders: pair.shapes.map(|shape| collider_indices[shape]),
            normal: Vec3::ZERO,
            friction: Vec3::ZERO,
            smallest_gap: f64::INFINITY,
            contacts: 0,
        });
        let (pairs, zeros) = (pairs.collect(), vec![Vec3::ZERO; points]);
        Self { scene, candidates, pairs, normal: zeros.clone(), friction: zeros }
    }

    /// Adds the forces of a pair of primitives to its pair of colliders and to its points.
    fn add(&mut self, acting: &PairForce) {
        let [first, second] = self.candidates.collider_pairs[acting.pair as usize].shapes;
        let points = ContactForces::points_of(self.scene, first);
        let sums = &mut self.pairs[acting.pair as usize];
        sums.contacts += 1;
        sums.smallest_gap = sums.smallest_gap.min(acting.gap);
        for (k, point) in acting.points.iter().enumerate() {
            let Some(point) = point.as_moving() else { continue };
            self.normal[point] += acting.normal[k];
            self.friction[point] += acting.friction[k];
            if first != second && points.contains(&point) {
                sums.normal += acting.normal[k];
                sums.friction += acting.friction[k];
            }
        }
    }

    /// The sums, without pairs of colliders that have no active pair.
    fn forces(self) -> ContactForces {
        let acting = self.pairs.into_iter().filter(|pair| pair.contacts > 0);
        ContactForces { pairs: acting.collect(), normal: self.normal, friction: self.friction }
    }
}
