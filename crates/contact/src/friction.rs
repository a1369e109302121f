//! Coulomb friction, smoothed at low speed, with lagged normal forces.
//!
//! A pair with weights `w_k` and tangents `T` (3x2), frozen at the start of a step,
//! slides with `u = T^T sum_k w_k v_k` and dissipates
//!
//! ```text
//!   D(v) = mu lambda f0(|u|)  [W]
//!   f0(y) = -y^3/(3 eps^2) + y^2/eps + eps/3  for y < eps,   y  otherwise
//! ```
//!
//! (Li et al. 2020, IPC, section 5), so the force has the magnitude
//! `mu lambda f1(|u|)`, `f1 = 2 y/eps - y^2/eps^2` below the slip speed `eps` and 1
//! above. `lambda = |dE/dd|` in newtons. As `f1' >= 0`, D is convex and its
//! Hessian needs no projection.
//!
//! The argument is a velocity, not a displacement as in IPC: a dissipation knows no
//! time step, and `eps` is a speed that means the same at every step.

use crate::arrangement::{Arrangement, Point};
use crate::barrier::barrier;
use crate::candidates::{Candidate, Meeting, PlaneCandidate};
use crate::chunks::map_chunks;
use crate::cluster::Clusters;
use crate::distance::{BLOCK_PAIRS, Closest};
use crate::search::search;
use resile_math::{Mat3, Vec3, outer};
use resile_system::{Dissipation, Hessian, Psd};

/// A pair with what is lagged.
#[derive(Debug, Clone, Copy)]
struct Frozen {
    points: [Point; 4],
    weights: [f64; 4],
    normal: Vec3,
    /// mu lambda (N).
    limit: f64,
    /// Which fraction of it acts.
    weight: f64,
    /// The bodies that share what it takes: the same twice against an obstacle.
    bodies: [u32; 2],
}

/// The friction between all surfaces of one system and obstacles.
#[derive(Debug)]
pub struct Friction {
    arrangement: Arrangement,
    /// At the start of the step and, where it was asked for, at its end.
    ends: [FrozenPairs; 2],
}

/// The pairs frozen at one position.
#[derive(Debug, Default)]
struct FrozenPairs {
    /// Those among nodes first, as candidates are.
    pairs: Vec<Frozen>,
    among_nodes: usize,
}

/// `f0`, `f1`, and `f1 / y` of the smoothed Coulomb law at speed `y` (m/s).
fn coulomb(y: f64, eps: f64) -> (f64, f64, f64) {
    let s = y / eps;
    if s < 1.0 {
        (eps * (s * s * (1.0 - s / 3.0) + 1.0 / 3.0), s * (2.0 - s), (2.0 - s) / eps)
    } else {
        (y, 1.0, 1.0 / y)
    }
}

impl Frozen {
    /// The pair, if anything presses it together.
    fn if_pressed(self) -> Option<Self> {
        (self.limit > 0.0 && self.limit.is_finite()).then_some(self)
    }

    /// Relative velocity of the two pieces in the tangent plane (m/s), the points of the
    /// system having the velocities `v`.
    fn slip(&self, v: &[Vec3]) -> Vec3 {
        let slip = self.relative(v);
        slip - self.normal * self.normal.dot(slip)
    }

    /// Relative velocity of the two pieces (m/s).
    fn relative(&self, v: &[Vec3]) -> Vec3 {
        let mut relative = Vec3::ZERO;
        for (point, w) in self.points.iter().zip(self.weights) {
            if let Some(point) = point.as_moving() {
                relative += v[point] * w;
            }
        }
        relative
    }

    /// dD/du as a vector in space (N) at this slip (m/s).
    fn force(&self, slip: Vec3, eps: f64) -> Vec3 {
        slip * (self.strength() * coulomb(slip.length(), eps).2)
    }

    /// d2D/du2 as a matrix in space (kg/s), zero along the normal.
    fn curvature(&self, v: &[Vec3], eps: f64) -> Mat3 {
        let slip = self.slip(v);
        let speed = slip.length();
        let (_, _, secant) = coulomb(speed, eps);
        let tangents = Mat3::IDENTITY - outer(self.normal, self.normal);
        if speed == 0.0 {
            return tangents * (self.strength() * secant);
        }
        let along = slip / speed;
        let slope = (2.0 / eps * (1.0 - speed / eps)).max(0.0);
        // As a sum of squares, so that rounding cannot make it indefinite.
        let beside = self.normal.cross(along);
        (outer(beside, beside) * secant + outer(along, along) * slope) * self.strength()
    }

    /// The largest force (N).
    fn strength(&self) -> f64 {
        self.weight * self.limit
    }
}

impl Friction {
    /// The friction of `arrangement`, without any pairs until it is frozen.
    pub fn new(arrangement: Arrangement) -> Self {
        Self { arrangement, ends: Default::default() }
    }

    /// Number of pairs that rub.
    pub fn pair_count(&self) -> usize {
        self.ends.iter().map(|end| end.pairs.len()).sum()
    }

    /// The largest force (N) that friction can exert at each pair.
    pub fn limits(&self) -> impl Iterator<Item = f64> + '_ {
        self.ends.iter().flat_map(|end| &end.pairs).map(Frozen::strength)
    }

    /// The pairs that press on each other at `x`.
    fn pairs_at(&self, x: &[Vec3]) -> FrozenPairs {
        let Arrangement { settings, obstacles, points: map, .. } = &self.arrangement;
        let x = &*map.points(x);
        let candidates = search(&self.arrangement, x, x).candidates;
        let bodies = |meeting: u32| {
            let Meeting { body, other, .. } = candidates.meetings[meeting as usize];
            [body, other.unwrap_or(body)].map(|body| body as u32)
        };
        let freeze = |c: &Candidate| {
            let mu = candidates.meetings[c.meeting as usize].friction;
            let points = c.positions(x, &obstacles.points);
            let Closest { weights, difference, .. } = Closest::new(c.kind, &points);
            let distance = difference.length();
            let force = candidates.pair(c, settings).normal_force(distance, &points);
            let normal = difference / distance;
            let (limit, bodies) = (mu * force, bodies(c.meeting));
            Frozen { points: c.points, weights, normal, limit, weight: 1.0, bodies }.if_pressed()
        };
        let on_plane = |pair: &PlaneCandidate| {
            let plane = &obstacles.planes[pair.plane as usize];
            let b = barrier(candidates.gap(pair, &obstacles.planes, x), settings.d_hat);
            let mu = candidates.meetings[pair.meeting as usize].friction;
            let limit = -mu * settings.stiffness(pair.area) * b.first;
            let mut points = [Point::fixed(0); 4];
            points[0] = Point::moving(pair.point as usize);
            let (weights, normal) = ([1.0, -1.0, 0.0, 0.0], plane.normal);
            let bodies = bodies(pair.meeting);
            Frozen { points, weights, normal, limit, weight: 1.0, bodies }.if_pressed()
        };
        let of_pairs = |pairs: &[Candidate]| {
            map_chunks(pairs, |chunk| chunk.iter().filter_map(freeze).collect::<Vec<_>>()).concat()
        };
        let (among_nodes, embedded) = candidates.pairs.split_at(candidates.among_nodes);
        let (nodes, others): (Vec<_>, Vec<_>) =
            candidates.planes.iter().partition(|c| map.is_node(c.point as usize));
        let mut pairs = of_pairs(among_nodes);
        pairs.extend(nodes.iter().filter_map(on_plane));
        let among_nodes = pairs.len();
        pairs.extend(of_pairs(embedded));
        pairs.extend(others.iter().filter_map(on_plane));
        FrozenPairs { pairs, among_nodes }
    }

    fn rubs(&self) -> bool {
        self.ends.iter().any(|end| !end.pairs.is_empty())
    }
}

impl Dissipation for Friction {
    fn name(&self) -> &'static str {
        "friction"
    }

    fn freeze(&mut self, x: &[Vec3]) {
        if self.arrangement.pairs.is_frictionless() {
            return; // nothing was ever frozen
        }
        self.ends = [self.pairs_at(x), FrozenPairs::default()];
    }

    fn freeze_end(&mut self, x: &[Vec3]) -> bool {
        if self.arrangement.pairs.is_frictionless() {
            return false;
        }
        self.ends[1] = self.pairs_at(x);
        self.rubs()
    }

    fn weigh(&mut self, start: &[f64]) {
        let map = &self.arrangement.points;
        for (end, FrozenPairs { pairs, .. }) in self.ends.iter_mut().enumerate() {
            for frozen in pairs {
                let moving = frozen.points.iter().filter_map(|point| point.as_moving());
                let fraction = moving.map(|point| start[map.of_point(point).nodes[0] as usize]);
                let fraction = fraction.fold(0.0, f64::max);
                let weight = if end == 0 { fraction } else { 1.0 - fraction };
                frozen.weight = weight.clamp(0.0, 1.0);
            }
        }
    }

    fn value(&self, v: &[Vec3]) -> f64 {
        if !self.rubs() {
            return 0.0;
        }
        let eps = self.arrangement.settings.slip_speed;
        let v = &*self.arrangement.points.points(v);
        let sum = |end: &FrozenPairs| -> f64 {
            let sums = map_chunks(&end.pairs, |chunk| {
                chunk.iter().map(|f| f.strength() * coulomb(f.slip(v).length(), eps).0).sum::<f64>()
            });
            sums.into_iter().sum()
        };
        self.ends.iter().map(sum).sum()
    }

    fn add_gradient(&self, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        if !self.rubs() {
            return;
        }
        let eps = self.arrangement.settings.slip_speed;
        let v = &*self.arrangement.points.points(v);
        self.arrangement.points.gather(out, |out| {
            for frozen in self.ends.iter().flat_map(|end| &end.pairs) {
                let slip = frozen.slip(v);
                let force = frozen.force(slip, eps) * scale;
                for (point, w) in frozen.points.iter().zip(frozen.weights) {
                    if let Some(point) = point.as_moving() {
                        out[point] += force * w;
                    }
                }
            }
        });
    }

    fn add_share_powers(&self, v: &[Vec3], led: &[Vec3], bodies: &mut [f64]) {
        let eps = self.arrangement.settings.slip_speed;
        let [v, led] = [v, led].map(|v| self.arrangement.points.points(v));
        for frozen in self.ends.iter().flat_map(|end| &end.pairs) {
            let power = frozen.force(frozen.slip(&v), eps).dot(frozen.relative(&led));
            frozen.bodies.iter().for_each(|&body| bodies[body as usize] += 0.5 * power);
        }
    }

    fn add_hessian(&self, v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        if !self.rubs() {
            return;
        }
        let v = &*self.arrangement.points.points(v);
        self.ends.iter().for_each(|end| self.add_pair_hessians(end, v, out));
    }
}

impl Friction {
    fn add_pair_hessians(&self, end: &FrozenPairs, v: &[Vec3], out: &mut Hessian<'_>) {
        let eps = self.arrangement.settings.slip_speed;
        let (among_nodes, embedded) = end.pairs.split_at(end.among_nodes);
        for frozen in among_nodes {
            let curvature = frozen.curvature(v, eps);
            let nodes = frozen.points.map(Point::as_moving);
            for (k, l) in BLOCK_PAIRS {
                let weight = frozen.weights[k] * frozen.weights[l];
                if let (Some(i), Some(j)) = (nodes[k], nodes[l])
                    && weight != 0.0
                {
                    out.add(i, j, curvature * weight);
                }
            }
        }
        let clusters = map_chunks(embedded, |chunk| {
            let mut clusters = Clusters::new(&self.arrangement.points);
            for frozen in chunk {
                let curvature = frozen.curvature(v, eps);
                let blocks =
                    BLOCK_PAIRS.map(|(k, l)| curvature * (frozen.weights[k] * frozen.weights[l]));
                clusters.add(frozen.points.map(Point::as_moving), &BLOCK_PAIRS, &blocks);
            }
            clusters.done()
        });
        clusters.iter().flatten().for_each(|cluster| cluster.push(out));
    }
}
