//! Barrier potential of candidates.

use crate::chunks::map_chunks;
use crate::geometry::distance::{BLOCK_PAIRS, Closest};
use crate::potential::barrier::Barrier;
use crate::potential::cluster::{Cluster, Clusters};
use crate::potential::gap_potential::GapPotential;
use crate::potential::node_blocks::{self, NodeBlock, NodeBlocks};
use crate::potential::signed_sums::PointPositions;
use crate::potential::stencil::Pair;
use crate::potential::stencil::PairHessian;
use crate::potential::vertex_plane::{PlaneBarrier, PlaneHessian};
use crate::search::candidates::{Candidate, Candidates};
use crate::{CollisionScene, HessianBlocks};
use resile_math::{Mat3, Vec3, outer};
use resile_system::{Certificate, Hessian, Psd};
use std::borrow::Cow;

/// Barrier between all pairs of primitives with a gap below `d_hat`.
///
/// `P(x) = sum over pairs of kappa d_hat area m b(d)`, in joules, over the candidates with a gap `d` (the distance
/// minus the minimum separation of both sides) below `d_hat`. Terms of [signed
/// sums](crate::CollisionMesh::with_signed_sums) are added with their coefficients. See [`barrier`](crate::barrier) for
/// `b`, [`mollifier`](crate::mollifier) for the factor `m` of edge-edge pairs, and [`Candidate::area`].
///
/// Every function takes the scene, candidates, and positions `x` of the scene's nodes (m). Results are valid only
/// where the candidates are; see [`Candidates`]. O(candidates).
///
/// ```
/// use resile_contact::{Barrier, BarrierPotential, Candidates, CollisionMesh, CollisionScene};
/// use resile_contact::{Psd, Vec3};
///
/// let rest = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let mesh = || CollisionMesh::new(&rest, &[[0, 1, 2]]);
/// let scene = CollisionScene::of_meshes([mesh()?, mesh()?]);
/// let potential = BarrierPotential { barrier: Barrier::ClampedLog, d_hat: 2e-3, kappa: 1e5 };
///
/// // The second triangle is 1 mm above the first.
/// let x: Vec<Vec3> = rest.into_iter().chain(rest.map(|p| p + Vec3::Z * 1e-3)).collect();
/// let candidates = Candidates::near(&scene, &x, potential.d_hat);
/// let energy = potential.value(&scene, &candidates, &x);
/// let gradient = potential.gradient(&scene, &candidates, &x);
/// let hessian = potential.hessian(&scene, &candidates, &x, Psd::Clamp);
/// assert!(energy > 0.0 && gradient[3].z < 0.0 && hessian.iter().count() > 0);
/// # Ok::<(), resile_contact::CollisionMeshError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarrierPotential {
    /// Barrier function of the gap.
    pub barrier: Barrier,
    /// Activation distance: gap below which the barrier acts (m), positive.
    pub d_hat: f64,
    /// Stiffness (Pa), positive.
    pub kappa: f64,
}

impl BarrierPotential {
    /// Energy (J); `+inf` if a gap is not positive.
    pub fn value(&self, scene: &CollisionScene, candidates: &Candidates, x: &[Vec3]) -> f64 {
        self.on_candidates(scene, candidates).value(x)
    }

    /// Gradient (N) by node, as `x`.
    pub fn gradient(
        &self,
        scene: &CollisionScene,
        candidates: &Candidates,
        x: &[Vec3],
    ) -> Vec<Vec3> {
        self.on_candidates(scene, candidates).gradient(x)
    }

    /// Hessian (N/m), exact or projected pair by pair, with node indices as in `x`.
    pub fn hessian(
        &self,
        scene: &CollisionScene,
        candidates: &Candidates,
        x: &[Vec3],
        psd: Psd,
    ) -> HessianBlocks {
        self.on_candidates(scene, candidates).hessian(x, psd)
    }

    /// The potential of these candidates.
    pub(crate) fn on_candidates<'a>(
        &self,
        scene: &'a CollisionScene,
        candidates: &'a Candidates,
    ) -> PotentialOfCandidates<'a> {
        GapPotential::from(*self).on_candidates(scene, candidates)
    }

    /// Barrier of a pair of `candidates`, whose range is shorter than `d_hat` at low ridges.
    pub(crate) fn pair(&self, candidates: &Candidates, c: &Candidate) -> Pair {
        GapPotential::from(*self).pair(candidates, c)
    }
}

/// Contact force of an obstacle on a body at one contact.
pub(crate) struct ObstacleForce {
    pub(crate) body: usize,
    /// Magnitude (N).
    pub(crate) force: f64,
    /// Velocity of the obstacle at the contact (m/s).
    pub(crate) velocity: Vec3,
}

/// A potential with its scene and candidates.
#[derive(Clone, Copy)]
pub(crate) struct PotentialOfCandidates<'a> {
    pub(super) potential: GapPotential,
    pub(super) scene: &'a CollisionScene,
    pub(super) candidates: &'a Candidates,
}

impl PotentialOfCandidates<'_> {
    /// Positions of the points of a candidate (m).
    fn positions(&self, candidate: &Candidate, x: &[Vec3]) -> [Vec3; 4] {
        candidate.positions(x, &self.scene.obstacles.points)
    }

    /// The results of `f(candidate, positions of its points)` for all `pairs` that are not `None`, by chunk, with the
    /// points of the scene at `x` (m).
    fn map_pairs<R: Send>(
        &self,
        pairs: &[Candidate],
        x: &[Vec3],
        f: impl Fn(&Candidate, &[Vec3; 4]) -> Option<R> + Sync + Send,
    ) -> Vec<Vec<R>> {
        self.candidates.searched.assert_contains(x, self.potential.range);
        map_chunks(pairs, |chunk| {
            chunk.iter().filter_map(|c| f(c, &self.positions(c, x))).collect()
        })
    }

    /// `pairs` with signed sums in place of their terms, at the positions `x` of points (m).
    fn summed<'b>(&self, pairs: &'b [Candidate], x: &[Vec3]) -> Cow<'b, [Candidate]> {
        let x = PointPositions { moving: x, fixed: &self.scene.obstacles.points };
        self.candidates.summed(pairs, x, self.potential.range)
    }

    /// Law of a pair.
    fn pair(&self, c: &Candidate) -> Pair {
        self.potential.pair(self.candidates, c)
    }

    /// Energy (J) for nodes at `x` (m).
    pub(crate) fn value(&self, x: &[Vec3]) -> f64 {
        let mut sum = 0.0;
        self.visit_energies(x, |_, energy| sum += energy);
        sum
    }

    /// Gradient (N) by node for nodes at `x` (m).
    pub(super) fn gradient(&self, x: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; x.len()];
        self.value_and_gradient(x, 1.0, &mut out);
        out
    }

    /// Hessian (N/m) for nodes at `x` (m), exact or projected pair by pair.
    pub(super) fn hessian(&self, x: &[Vec3], psd: Psd) -> HessianBlocks {
        let mut out = HessianBlocks::default();
        self.add_hessian(x, psd, &mut Hessian::new(&mut out, 0, 1.0));
        out
    }

    /// Calls `visit(collider pair, energy)` for every active pair, in order, with its energy (J) for nodes at `x` (m).
    pub(crate) fn visit_energies(&self, x: &[Vec3], mut visit: impl FnMut(u32, f64)) {
        let x = &*self.scene.points.points(x);
        let energies = self.map_pairs(&self.summed(&self.candidates.pairs, x), x, |c, points| {
            let energy = self.pair(c).value(points);
            (energy != 0.0).then_some((c.pair, energy))
        });
        for (pair, energy) in energies.into_iter().flatten() {
            visit(pair, energy);
        }
        for c in &self.candidates.planes {
            let plane_barrier = self.plane_barrier(c, x);
            if plane_barrier.barrier.value != 0.0 {
                visit(c.pair, plane_barrier.value());
            }
        }
    }

    /// Calls `visit(collider pair, point)` for every active pair, in order. The point (m) is the closest point on one
    /// of its primitives.
    pub(crate) fn visit_contact_points(&self, x: &[Vec3], mut visit: impl FnMut(u32, Vec3)) {
        let x = &*self.scene.points.points(x);
        let contact_points =
            self.map_pairs(&self.summed(&self.candidates.pairs, x), x, |c, points| {
                let pair = self.pair(c);
                (pair.value(points) != 0.0).then(|| (c.pair, pair.contact_point(points)))
            });
        contact_points.into_iter().flatten().for_each(|(pair, point)| visit(pair, point));
        for c in &self.candidates.planes {
            if self.plane_barrier(c, x).barrier.value != 0.0 {
                visit(c.pair, x[c.point as usize]);
            }
        }
    }

    /// Calls `visit(collider pair, rate)` for every active pair with the rate of change (W) of its energy for nodes at
    /// `x` (m) with the velocities `v` (m/s). Omits pairs of primitives at rest.
    pub(crate) fn visit_rates(&self, x: &[Vec3], v: &[Vec3], mut visit: impl FnMut(u32, f64)) {
        let map = &self.scene.points;
        let (x, v) = (&*map.points(x), &*map.points(v));
        let rates = self.map_pairs(&self.summed(&self.candidates.pairs, x), x, |c, points| {
            let velocities = c.points.map(|point| point.as_moving().map_or(Vec3::ZERO, |i| v[i]));
            if velocities == [Vec3::ZERO; 4] {
                return None;
            }
            let gradient = self.pair(c).gradient(points)?;
            Some((c.pair, velocities.iter().zip(gradient).map(|(v, g)| v.dot(g)).sum::<f64>()))
        });
        rates.into_iter().flatten().for_each(|(pair, rate)| visit(pair, rate));
        for c in &self.candidates.planes {
            let plane_barrier = self.plane_barrier(c, x);
            let PlaneBarrier { barrier, normal, .. } = plane_barrier;
            let mut rate = plane_barrier.first() * normal.dot(v[c.point as usize]);
            for corner in self.rim_terms(c, x, barrier) {
                let normal_speeds = corner.points.map(|point| normal.dot(v[point]));
                rate += corner.first.iter().zip(normal_speeds).map(|(g, v)| g * v).sum::<f64>();
            }
            visit(c.pair, rate);
        }
    }

    /// Contact forces of obstacles on bodies, in the order of candidates, for nodes at `x` (m) with the velocities `v`
    /// (m/s).
    pub(crate) fn obstacle_forces(&self, x: &[Vec3], v: &[Vec3]) -> Vec<ObstacleForce> {
        let map = &self.scene.points;
        let (x, v) = (&*map.points(x), &*map.points(v));
        let summed = self.summed(&self.candidates.pairs, x);
        let forces_of_pairs =
            self.map_pairs(&summed, x, |c, positions| self.obstacle_force(c, positions, v));
        let forces_of_planes = self.candidates.planes.iter().map(|c| {
            let body = self.candidates.collider_pairs[c.pair as usize].body;
            let force = self.plane_barrier(c, x).first().abs();
            ObstacleForce { body, force, velocity: Vec3::ZERO }
        });
        forces_of_pairs.into_iter().flatten().chain(forces_of_planes).collect()
    }

    /// Contact force of an obstacle on a body for a pair of primitives with its points at `positions` (m) and the
    /// velocities `v` (m/s) of all points. `None` for pairs of two bodies and for inactive pairs.
    ///
    /// The velocity of an obstacle in contact is `sum_k (g_k . g / g . g) v_k` over its points, with `g_k` the
    /// gradient of the barrier with respect to point `k` and `g` the sum of all `g_k`. On a face this is the
    /// velocity at the closest point.
    fn obstacle_force(
        &self,
        c: &Candidate,
        positions: &[Vec3; 4],
        v: &[Vec3],
    ) -> Option<ObstacleForce> {
        let pair = &self.candidates.collider_pairs[c.pair as usize];
        if pair.other.is_some() {
            return None;
        }
        let gradient = self.pair(c).gradient(positions)?;
        let kinematic_points = self.scene.moving_obstacle(pair.shapes);
        let is_obstacle_point =
            |k: &usize| c.points[*k].as_moving().is_none_or(|i| kinematic_points.contains(&i));
        let obstacle_points = || (0..4).filter(is_obstacle_point);
        let total = obstacle_points().map(|k| gradient[k]).sum::<Vec3>();
        let force = total.length();
        if force.is_nan() || force <= 0.0 {
            return None;
        }
        let point_velocity = |k: usize| c.points[k].as_moving().map_or(Vec3::ZERO, |i| v[i]);
        let weight = |k: usize| gradient[k].dot(total) / total.length_squared();
        let velocity = obstacle_points().map(|k| weight(k) * point_velocity(k)).sum();
        Some(ObstacleForce { body: pair.body, force, velocity })
    }

    /// Adds `scale * dP/dx` (N) to `out`, by node, and returns the energy `P` (J) for nodes at `x` (m), bitwise equal to
    /// [`BarrierPotential::value`].
    pub(crate) fn value_and_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) -> f64 {
        let x = &*self.scene.points.points(x);
        let contributions =
            self.map_pairs(&self.summed(&self.candidates.pairs, x), x, |c, points| {
                let (value, gradient) = self.pair(c).value_and_gradient(points);
                let is_active = value != 0.0 || gradient.is_some();
                is_active.then_some((value, c.points, gradient.unwrap_or_default()))
            });
        let mut sum = 0.0;
        self.scene.gather(out, |out| {
            for (value, points, gradient) in contributions.into_iter().flatten() {
                sum += value;
                for (point, g) in points.into_iter().zip(gradient) {
                    if let Some(point) = point.as_moving() {
                        out[point] += g * scale;
                    }
                }
            }
            for c in &self.candidates.planes {
                let plane_barrier = self.plane_barrier(c, x);
                let PlaneBarrier { stiffness, barrier, normal } = plane_barrier;
                sum += plane_barrier.value();
                out[c.point as usize] += normal * (scale * stiffness * barrier.first);
                for corner in self.rim_terms(c, x, barrier) {
                    for (point, g) in corner.points.into_iter().zip(corner.first) {
                        out[point] += normal * (scale * g);
                    }
                }
            }
        });
        sum
    }

    /// Adds the Hessian for nodes at `x` (m) to `out`, exact or projected pair by pair.
    pub(crate) fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let map = &self.scene.points;
        let x = &*map.points(x);
        self.candidates.searched.assert_contains(x, self.potential.range);
        node_blocks::push(&self.node_pair_blocks(x, psd), out);
        for c in self.candidates.planes.iter().filter(|c| map.is_node(c.point as usize)) {
            let Some(hessian) = self.plane_hessian(c, x, psd) else { continue };
            let PlaneHessian { vertex_stiffness, corners, normal } = hessian;
            let node = c.point as usize;
            out.add(node, node, outer(normal, normal) * vertex_stiffness);
            for corner in corners {
                for (block, (k, l)) in corner.blocks(normal).into_iter().zip(BLOCK_PAIRS) {
                    if l < corner.points.len() {
                        out.add(corner.points[k], corner.points[l], block);
                    }
                }
            }
        }
        if !map.points_are_nodes() {
            self.clusters(x, psd).iter().for_each(|cluster| cluster.push(out));
        }
    }

    /// Hessians of the pairs of primitives whose points are nodes, summed by chunk.
    fn node_pair_blocks(&self, x: &[Vec3], psd: Psd) -> Vec<Vec<NodeBlock>> {
        let node_pairs = &self.candidates.pairs[..self.candidates.node_pair_count];
        map_chunks(&self.summed(node_pairs, x), |chunk| {
            let mut sums = NodeBlocks::of_pairs(chunk.len());
            for c in chunk {
                let Some(blocks) = self.pair(c).hessian(&self.positions(c, x), psd) else {
                    continue;
                };
                let nodes = c.moving_points();
                for (block, (k, l)) in blocks.iter().zip(BLOCK_PAIRS) {
                    if let (Some(i), Some(j)) = (nodes[k], nodes[l])
                        && *block != Mat3::ZERO
                    {
                        sums.add(i, j, *block);
                    }
                }
            }
            sums.into_blocks()
        })
    }

    /// Hessians of the pairs with embedded points, summed by groups of nodes.
    fn clusters(&self, x: &[Vec3], psd: Psd) -> Vec<Cluster> {
        let points = &self.scene.points;
        let embedded = &self.candidates.pairs[self.candidates.node_pair_count..];
        let clusters_of_pairs = map_chunks(&self.summed(embedded, x), |chunk| {
            let mut clusters = Clusters::new(points);
            for c in chunk {
                if let Some(hessian) = self.pair(c).sparse_hessian(&self.positions(c, x), psd) {
                    clusters.add(c.moving_points(), &hessian);
                }
            }
            clusters.into_clusters()
        });
        let clusters_of_planes = self.plane_clusters(x, psd);
        clusters_of_pairs.into_iter().flatten().chain(clusters_of_planes).collect()
    }

    /// Hessians of the pairs of a plane and an embedded point, summed by groups of nodes.
    fn plane_clusters(&self, x: &[Vec3], psd: Psd) -> Vec<Cluster> {
        let points = &self.scene.points;
        let mut clusters = Clusters::new(points);
        for c in self.candidates.planes.iter().filter(|c| !points.is_node(c.point as usize)) {
            let Some(hessian) = self.plane_hessian(c, x, psd) else { continue };
            let PlaneHessian { vertex_stiffness, corners, normal } = hessian;
            let points = [Some(c.point as usize), None, None, None];
            let block = outer(normal, normal) * vertex_stiffness;
            clusters.add_weighted(points, [1.0, 0.0, 0.0, 0.0], block);
            for corner in corners {
                let [p, q, r] = corner.points.map(Some);
                clusters.add([p, q, r, None], &PairHessian::Blocks(corner.blocks(normal)));
            }
        }
        clusters.into_clusters()
    }

    /// Smallest gap of the candidates for nodes at `x` (m), and number of gaps below `d_hat`.
    pub(crate) fn certificate(&self, x: &[Vec3]) -> Certificate {
        let mut certificate = Certificate::NOTHING;
        let mut record_gap = |gap: f64| {
            certificate.min_distance = certificate.min_distance.min(gap);
            certificate.contacts += usize::from(gap < self.potential.range);
        };
        let x = &*self.scene.points.points(x);
        let gaps = self.map_pairs(&self.candidates.pairs, x, |c, points| {
            let distance = Closest::new(c.kind, points).distance();
            Some(distance - self.candidates.min_separation(c))
        });
        gaps.into_iter().flatten().for_each(&mut record_gap);
        for c in &self.candidates.planes {
            record_gap(self.candidates.gap(c, &self.scene.obstacles.planes, x));
        }
        certificate
    }
}
