//! Contact as an energy between bodies.

use crate::arrangement::{Arrangement, Point};
use crate::barrier::{Barrier, barrier};
use crate::candidates::{Candidate, Candidates, PlaneCandidate, search};
use crate::chunks::map_chunks;
use crate::distance::{BLOCK_PAIRS, Closest};
use resile_linalg::{Vec3, outer};
use resile_system::{Coupling, Energy, Hessian, Links, Proof, Psd, Way};

/// The barrier between all surfaces of one system, and between them and the obstacles.
///
/// `V(x) = sum over pairs of kappa d_hat area m b(d)`, in joules, over vertex-face,
/// edge-edge and vertex-plane pairs nearer than `d_hat`; see
/// [`barrier`](crate::barrier) and the module `candidates` for the area weights.
///
/// It knows the pairs near the last ways it was asked a step bound for, and none
/// before: ask for that of `Way::at(x)` before the first evaluation at `x`.
#[derive(Debug)]
pub struct Contact {
    arrangement: Arrangement,
    candidates: Candidates,
}

impl Contact {
    /// The contact energy of `arrangement`, without any candidates yet.
    pub fn new(arrangement: Arrangement) -> Self {
        Self { arrangement, candidates: Candidates::default() }
    }

    /// Number of pairs that the last step bound found near the way.
    pub fn candidate_count(&self) -> usize {
        self.candidates.pairs.len() + self.candidates.planes.len()
    }

    fn positions(&self, candidate: &Candidate, x: &[Vec3]) -> [Vec3; 4] {
        candidate.positions(x, &self.arrangement.obstacles.points)
    }

    /// `f(candidate, points)` of every pair, chunk by chunk, those with an answer.
    fn map_pairs<R: Send>(
        &self,
        x: &[Vec3],
        f: impl Fn(&Candidate, &[Vec3; 4]) -> Option<R> + Sync + Send,
    ) -> Vec<Vec<R>> {
        map_chunks(&self.candidates.pairs, |chunk| {
            chunk.iter().filter_map(|c| f(c, &self.positions(c, x))).collect()
        })
    }

    /// Stiffness, barrier and plane normal of a vertex-plane pair.
    fn plane_barrier(&self, pair: &PlaneCandidate, x: &[Vec3]) -> (f64, Barrier, Vec3) {
        let settings = &self.arrangement.settings;
        let plane = &self.arrangement.obstacles.planes[pair.plane as usize];
        let b = barrier(plane.height(x[pair.node as usize]), settings.d_hat);
        (settings.kappa * settings.d_hat * pair.area, b, plane.normal)
    }

    /// `visit(meeting, energy)` of every active pair, in order.
    fn visit_energies(&self, x: &[Vec3], mut visit: impl FnMut(u32, f64)) {
        let settings = &self.arrangement.settings;
        let energies = self.map_pairs(x, |c, points| {
            let energy = c.pair(settings.d_hat, settings.kappa).value(points);
            (energy != 0.0).then_some((c.meeting, energy))
        });
        for (meeting, energy) in energies.into_iter().flatten() {
            visit(meeting, energy);
        }
        for pair in &self.candidates.planes {
            let (stiffness, b, _) = self.plane_barrier(pair, x);
            if b.value != 0.0 {
                visit(pair.meeting, stiffness * b.value);
            }
        }
    }
}

impl Energy for Contact {
    fn name(&self) -> &'static str {
        "contact"
    }

    fn value(&self, x: &[Vec3]) -> f64 {
        let mut sum = 0.0;
        self.visit_energies(x, |_, energy| sum += energy);
        sum
    }

    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let settings = &self.arrangement.settings;
        let gradients = self.map_pairs(x, |c, points| {
            let gradient = c.pair(settings.d_hat, settings.kappa).gradient(points)?;
            Some((c.points, gradient))
        });
        for (points, gradient) in gradients.into_iter().flatten() {
            for (point, g) in points.into_iter().zip(gradient) {
                if let Some(node) = point.as_node() {
                    out[node] += g * scale;
                }
            }
        }
        for pair in &self.candidates.planes {
            let (stiffness, b, normal) = self.plane_barrier(pair, x);
            out[pair.node as usize] += normal * (scale * stiffness * b.first);
        }
    }

    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let settings = &self.arrangement.settings;
        let hessians = self.map_pairs(x, |c, points| {
            let blocks = c.pair(settings.d_hat, settings.kappa).hessian(points, psd)?;
            Some((c.points, blocks))
        });
        for (points, blocks) in hessians.into_iter().flatten() {
            let nodes = points.map(Point::as_node);
            for (block, (k, l)) in blocks.into_iter().zip(BLOCK_PAIRS) {
                if let (Some(i), Some(j)) = (nodes[k], nodes[l]) {
                    out.add(i, j, block);
                }
            }
        }
        for pair in &self.candidates.planes {
            let (stiffness, b, normal) = self.plane_barrier(pair, x);
            if b.second != 0.0 {
                let node = pair.node as usize;
                out.add(node, node, outer(normal, normal) * (stiffness * b.second));
            }
        }
    }

    fn step_bound(&mut self, ways: &[Way<'_>]) -> f64 {
        let mut free: f64 = 1.0;
        for (k, way) in ways.iter().enumerate() {
            let found = search(&self.arrangement, way.from, way.to);
            free = free.min(found.free);
            match k {
                0 => self.candidates = found.candidates,
                _ => self.candidates.join(found.candidates),
            }
        }
        free
    }

    fn proof(&self, x: &[Vec3]) -> Proof {
        let d_hat = self.arrangement.settings.d_hat;
        let mut proof = Proof::NOTHING;
        let mut watch = |distance: f64| {
            proof.min_distance = proof.min_distance.min(distance);
            proof.contacts += usize::from(distance < d_hat);
        };
        let distances =
            self.map_pairs(x, |c, points| Some(Closest::new(c.kind, points).distance()));
        distances.into_iter().flatten().for_each(&mut watch);
        for pair in &self.candidates.planes {
            let plane = &self.arrangement.obstacles.planes[pair.plane as usize];
            watch(plane.height(x[pair.node as usize]));
        }
        proof
    }
}

impl Coupling for Contact {
    fn add_shares(&self, x: &[Vec3], bodies: &mut [f64]) {
        self.visit_energies(x, |meeting, energy| {
            let meeting = self.candidates.meetings[meeting as usize];
            let other = meeting.other.unwrap_or(meeting.body);
            bodies[meeting.body] += 0.5 * energy;
            bodies[other] += 0.5 * energy;
        });
    }

    fn link(&self, x: &[Vec3], links: &mut Links) {
        self.visit_energies(x, |meeting, _| {
            let meeting = self.candidates.meetings[meeting as usize];
            if let Some(other) = meeting.other {
                links.join(meeting.body, other);
            }
        });
    }
}
