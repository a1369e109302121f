//! Contact as an energy between bodies.

use crate::arrangement::{Arrangement, Point};
use crate::barrier::{Barrier, barrier};
use crate::candidates::{Candidate, Candidates, PlaneCandidate};
use crate::chunks::map_chunks;
use crate::cluster::{Cluster, Clusters};
use crate::distance::{BLOCK_PAIRS, Blocks, Closest};
use crate::search::search;
use resile_math::{Vec3, outer};
use resile_system::{Coupling, Energy, Hessian, Links, Proof, Psd, Way};

/// The barrier between all surfaces of one system, and between them and the obstacles.
///
/// `V(x) = sum over pairs of kappa d_hat area m b(d)`, in joules, over vertex-face,
/// edge-edge and vertex-plane pairs with a gap `d` (the distance less the offsets of both
/// sides) below `d_hat`; see [`barrier`](crate::barrier), and the module `broad_phase` for
/// the area weights.
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

    /// `f(candidate, points)` of every one of `pairs`, chunk by chunk, those with an
    /// answer, the points of the system being at `x`.
    fn map_pairs<R: Send>(
        &self,
        pairs: &[Candidate],
        x: &[Vec3],
        f: impl Fn(&Candidate, &[Vec3; 4]) -> Option<R> + Sync + Send,
    ) -> Vec<Vec<R>> {
        map_chunks(pairs, |chunk| {
            chunk.iter().filter_map(|c| f(c, &self.positions(c, x))).collect()
        })
    }

    fn hessian(&self, c: &Candidate, points: &[Vec3; 4], psd: Psd) -> Option<Blocks> {
        let settings = &self.arrangement.settings;
        self.candidates.pair(c, settings).hessian(points, psd)
    }

    /// Hessians of the pairs that hang on nodes, summed between the nodes.
    fn clusters(&self, x: &[Vec3], psd: Psd) -> Vec<Cluster> {
        let points = &self.arrangement.points;
        let embedded = &self.candidates.pairs[self.candidates.among_nodes..];
        let of_pairs = map_chunks(embedded, |chunk| {
            let mut clusters = Clusters::new(points);
            for c in chunk {
                if let Some(blocks) = self.hessian(c, &self.positions(c, x), psd) {
                    clusters.add(c.points.map(Point::as_moving), &BLOCK_PAIRS, &blocks);
                }
            }
            clusters.done()
        });
        let mut of_planes = Clusters::new(points);
        for pair in self.candidates.planes.iter().filter(|c| !points.is_node(c.point as usize)) {
            let (stiffness, b, normal) = self.plane_barrier(pair, x);
            if b.second != 0.0 {
                let block = outer(normal, normal) * (stiffness * b.second);
                of_planes.add([Some(pair.point as usize)], &[(0, 0)], &[block]);
            }
        }
        of_pairs.into_iter().flatten().chain(of_planes.done()).collect()
    }

    /// Stiffness, barrier and plane normal of a vertex-plane pair.
    fn plane_barrier(&self, pair: &PlaneCandidate, x: &[Vec3]) -> (f64, Barrier, Vec3) {
        let settings = &self.arrangement.settings;
        let plane = &self.arrangement.obstacles.planes[pair.plane as usize];
        let gap = self.candidates.gap(pair, &self.arrangement.obstacles.planes, x);
        let b = barrier(gap, settings.d_hat);
        (settings.stiffness(pair.area), b, plane.normal)
    }

    /// `visit(meeting, energy)` of every active pair, in order.
    fn visit_energies(&self, x: &[Vec3], mut visit: impl FnMut(u32, f64)) {
        let settings = &self.arrangement.settings;
        let x = &*self.arrangement.points.points(x);
        let energies = self.map_pairs(&self.candidates.pairs, x, |c, points| {
            let energy = self.candidates.pair(c, settings).value(points);
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
        let x = &*self.arrangement.points.points(x);
        let gradients = self.map_pairs(&self.candidates.pairs, x, |c, points| {
            let gradient = self.candidates.pair(c, settings).gradient(points)?;
            Some((c.points, gradient))
        });
        self.arrangement.points.gather(out, |out| {
            for (points, gradient) in gradients.into_iter().flatten() {
                for (point, g) in points.into_iter().zip(gradient) {
                    if let Some(point) = point.as_moving() {
                        out[point] += g * scale;
                    }
                }
            }
            for pair in &self.candidates.planes {
                let (stiffness, b, normal) = self.plane_barrier(pair, x);
                out[pair.point as usize] += normal * (scale * stiffness * b.first);
            }
        });
    }

    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let map = &self.arrangement.points;
        let x = &*map.points(x);
        let among_nodes = &self.candidates.pairs[..self.candidates.among_nodes];
        let hessians = self
            .map_pairs(among_nodes, x, |c, points| Some((c.points, self.hessian(c, points, psd)?)));
        for (points, blocks) in hessians.into_iter().flatten() {
            let nodes = points.map(Point::as_moving);
            for (block, (k, l)) in blocks.into_iter().zip(BLOCK_PAIRS) {
                if let (Some(i), Some(j)) = (nodes[k], nodes[l]) {
                    out.add(i, j, block);
                }
            }
        }
        for pair in self.candidates.planes.iter().filter(|c| map.is_node(c.point as usize)) {
            let (stiffness, b, normal) = self.plane_barrier(pair, x);
            if b.second != 0.0 {
                let node = pair.point as usize;
                out.add(node, node, outer(normal, normal) * (stiffness * b.second));
            }
        }
        if !map.is_plain() {
            self.clusters(x, psd).iter().for_each(|cluster| cluster.push(out));
        }
    }

    fn step_bound(&mut self, ways: &[Way<'_>]) -> f64 {
        let mut free: f64 = 1.0;
        for (k, way) in ways.iter().enumerate() {
            let [from, to] = [way.from, way.to].map(|x| self.arrangement.points.points(x));
            let found = search(&self.arrangement, &from, &to);
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
        let mut watch = |gap: f64| {
            proof.min_distance = proof.min_distance.min(gap);
            proof.contacts += usize::from(gap < d_hat);
        };
        let x = &*self.arrangement.points.points(x);
        let meetings = &self.candidates.meetings;
        let gaps = self.map_pairs(&self.candidates.pairs, x, |c, points| {
            let distance = Closest::new(c.kind, points).distance();
            Some(distance - meetings[c.meeting as usize].offset)
        });
        gaps.into_iter().flatten().for_each(&mut watch);
        for pair in &self.candidates.planes {
            watch(self.candidates.gap(pair, &self.arrangement.obstacles.planes, x));
        }
        proof
    }
}

impl Coupling for Contact {
    fn add_shares(&self, x: &[Vec3], bodies: &mut [f64]) {
        self.visit_energies(x, |meeting, energy| self.candidates.share(meeting, energy, bodies));
    }

    fn add_share_rates(&self, x: &[Vec3], v: &[Vec3], bodies: &mut [f64]) {
        let (settings, map) = (&self.arrangement.settings, &self.arrangement.points);
        let (x, v) = (&*map.points(x), &*map.points(v));
        let rates = self.map_pairs(&self.candidates.pairs, x, |c, points| {
            let moving = c.points.map(|point| point.as_moving().map_or(Vec3::ZERO, |i| v[i]));
            if moving == [Vec3::ZERO; 4] {
                return None;
            }
            let gradient = self.candidates.pair(c, settings).gradient(points)?;
            Some((c.meeting, moving.iter().zip(gradient).map(|(v, g)| v.dot(g)).sum::<f64>()))
        });
        let mut add = |meeting, rate| self.candidates.share(meeting, rate, bodies);
        rates.into_iter().flatten().for_each(|(meeting, rate)| add(meeting, rate));
        for pair in &self.candidates.planes {
            let (stiffness, b, normal) = self.plane_barrier(pair, x);
            add(pair.meeting, stiffness * b.first * normal.dot(v[pair.point as usize]));
        }
    }

    fn link(&self, x: &[Vec3], links: &mut Links) {
        self.visit_energies(x, |meeting, _| {
            let meeting = self.candidates.meetings[meeting as usize];
            links.touch(meeting.body);
            if let Some(other) = meeting.other {
                links.touch(other);
                links.join(meeting.body, other);
            }
        });
    }
}
