//! Lagged quantities of rolling friction.

use crate::friction::{NormalContact, Positions};
use crate::geometry::point::Point;
use crate::search::candidates::Candidates;
use crate::{BarrierPotential, CollisionScene};
use resile_math::{Mat3, Vec3, cross_matrix, outer};

/// Angular velocity of a body as a linear function of its node velocities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rotor {
    pub(super) nodes: [u32; 4],
    /// Half the gradients of the weights of the nodes (1/m), with the sign of the body in the pair.
    half_gradients: [Vec3; 4],
}

/// A pair of primitives with its lagged quantities.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RollingPair {
    /// One per moving body; none for an obstacle at rest.
    pub(super) rotors: Vec<Rotor>,
    normal: Vec3,
    /// Torque limit `rho lambda` (N m).
    limit: f64,
    /// Angular speed (rad/s) above which the torque is at its limit.
    eps: f64,
    /// Weight of the lagged pair in [0, 1].
    pub(super) weight: f64,
    /// Bodies that share the dissipated power; equal against an obstacle.
    pub(super) bodies: [u32; 2],
}

impl Rotor {
    /// The rotor of nodes at `x` (m). `None` if they lie in a plane.
    fn new(nodes: [u32; 4], sign: f64, x: &[Vec3]) -> Option<Self> {
        let [a, b, c, d] = nodes.map(|node| x[node as usize]);
        let [p, q, r] = [b - a, c - a, d - a];
        let volume = p.dot(q.cross(r));
        let reciprocal = [q.cross(r), r.cross(p), p.cross(q)].map(|g| g * (0.5 * sign / volume));
        let first = -(reciprocal[0] + reciprocal[1] + reciprocal[2]);
        let half_gradients = [first, reciprocal[0], reciprocal[1], reciprocal[2]];
        half_gradients.iter().all(|g| g.is_finite()).then_some(Self { nodes, half_gradients })
    }

    /// Angular velocity (rad/s) for the node velocities `v` (m/s), with the sign of the body in the pair.
    fn velocity(&self, v: &[Vec3]) -> Vec3 {
        self.half_gradients.iter().zip(self.nodes).map(|(g, node)| g.cross(v[node as usize])).sum()
    }

    /// Forces (N) on the nodes equivalent to a torque (N m) on the body.
    pub(super) fn forces(&self, torque: Vec3) -> [Vec3; 4] {
        self.half_gradients.map(|g| torque.cross(g))
    }
}

impl RollingPair {
    /// Relative angular velocity (rad/s) of the bodies, without its component along the normal.
    fn rolling(&self, v: &[Vec3]) -> Vec3 {
        let total: Vec3 = self.rotors.iter().map(|rotor| rotor.velocity(v)).sum();
        total - self.normal * self.normal.dot(total)
    }

    /// D (W).
    pub(super) fn value(&self, v: &[Vec3]) -> f64 {
        let (y, eps) = (self.rolling(v).length(), self.eps);
        let s = y / eps;
        let f0 = if s < 1.0 { eps * (s * s * (1.0 - s / 3.0) + 1.0 / 3.0) } else { y };
        self.weight * self.limit * f0
    }

    /// dD/dw (N m).
    pub(super) fn torque(&self, v: &[Vec3]) -> Vec3 {
        let rolling = self.rolling(v);
        rolling * (self.weight * self.limit * self.secant(rolling.length()))
    }

    /// The power (W) of the torque at the node velocities `v`, applied to the motion with the node velocities `motion`.
    pub(super) fn power(&self, v: &[Vec3], motion: &[Vec3]) -> f64 {
        self.torque(v).dot(self.rolling(motion))
    }

    /// `f0'(y) / y`.
    fn secant(&self, y: f64) -> f64 {
        let s = y / self.eps;
        if s < 1.0 { (2.0 - s) / self.eps } else { 1.0 / y }
    }

    /// d2D/dw2 (kg m^2/s), zero along the normal.
    fn curvature(&self, v: &[Vec3]) -> Mat3 {
        let rolling = self.rolling(v);
        let (y, strength) = (rolling.length(), self.weight * self.limit);
        let secant = self.secant(y);
        if y == 0.0 {
            return (Mat3::IDENTITY - outer(self.normal, self.normal)) * (strength * secant);
        }
        let along = rolling / y;
        let binormal = self.normal.cross(along);
        let slope = (2.0 / self.eps * (1.0 - y / self.eps)).max(0.0);
        (outer(binormal, binormal) * secant + outer(along, along) * slope) * strength
    }

    /// The blocks of d2D/dv2 (kg/s) by pairs of nodes, each pair once, the smaller node first.
    pub(super) fn blocks(&self, v: &[Vec3]) -> Vec<(usize, usize, Mat3)> {
        let curvature = self.curvature(v);
        let gradients =
            self.rotors.iter().flat_map(|rotor| rotor.nodes.into_iter().zip(rotor.half_gradients));
        let gradients: Vec<(usize, Mat3)> =
            gradients.map(|(node, g)| (node as usize, cross_matrix(g))).collect();
        let mut blocks = Vec::with_capacity(gradients.len() * (gradients.len() + 1) / 2);
        for (i, first) in &gradients {
            for (j, second) in gradients.iter().filter(|(j, _)| i <= j) {
                blocks.push((*i, *j, first.transpose() * curvature * *second));
            }
        }
        blocks
    }
}

/// The pairs among `candidates` that have rolling friction, lagged at the positions `nodes` (m) of the scene.
pub(super) fn lagged(
    scene: &CollisionScene,
    candidates: &Candidates,
    barrier: &BarrierPotential,
    nodes: &[Vec3],
    slip_speed: f64,
) -> Vec<RollingPair> {
    let x = &*scene.points.points(nodes);
    let positions = Positions { scene, candidates, barrier, x, motion: None };
    let rho = |pair: u32| candidates.collider_pairs[pair as usize].rolling;
    let summed = positions.summed(&candidates.pairs);
    let pairs = summed.iter().filter(|c| rho(c.pair) > 0.0);
    let planes = candidates.planes.iter().filter(|c| rho(c.pair) > 0.0);
    let contacts = pairs.map(|c| (c.pair, positions.normal_contact(c)));
    let contacts_and_planes =
        contacts.chain(planes.map(|c| (c.pair, positions.plane_normal_contact(c, 1.0))));
    let rolling_pair = |(pair, contact): (u32, NormalContact)| {
        let limit = rho(pair) * contact.force;
        let (rotors, arm) = rotors(scene, &contact, nodes, x)?;
        let collider = &candidates.collider_pairs[pair as usize];
        let bodies = [collider.body, collider.other.unwrap_or(collider.body)];
        let eps = slip_speed / arm;
        let is_active = limit > 0.0 && limit.is_finite() && eps > 0.0 && eps.is_finite();
        is_active.then(|| RollingPair {
            rotors,
            normal: contact.normal,
            limit,
            eps,
            weight: 1.0,
            bodies: bodies.map(|body| body as u32),
        })
    };
    contacts_and_planes.filter_map(rolling_pair).collect()
}

/// Rotors of a pair, and the smallest distance of their centres from the contact (m). `None` if a body is not
/// affine or in self-contact.
fn rotors(
    scene: &CollisionScene,
    contact: &NormalContact,
    nodes: &[Vec3],
    x: &[Vec3],
) -> Option<(Vec<Rotor>, f64)> {
    // For each body: its nodes, the sum of the weights of its points, and their weighted position.
    let mut sides: Vec<([u32; 4], f64, Vec3)> = Vec::with_capacity(2);
    for (point, weight) in contact.points.iter().zip(contact.weights) {
        let Some(point) = Point::as_moving(*point).filter(|_| weight != 0.0) else { continue };
        if scene.points.is_node(point) {
            return None;
        }
        let body_nodes = scene.points.embedding_of_point(point).nodes;
        match sides.iter_mut().find(|(nodes, ..)| *nodes == body_nodes) {
            Some((_, sum, weighted_position)) => {
                (*sum, *weighted_position) =
                    (*sum + weight, *weighted_position + weight * x[point]);
            }
            None => sides.push((body_nodes, weight, weight * x[point])),
        }
    }
    let mut arm = f64::INFINITY;
    let rotor = |(body_nodes, sum, weighted_position): &([u32; 4], f64, Vec3)| {
        let centre = body_nodes.iter().map(|&node| nodes[node as usize]).sum::<Vec3>() * 0.25;
        arm = arm.min((*weighted_position / *sum).distance(centre));
        Rotor::new(*body_nodes, sum.signum(), nodes)
    };
    // Self-contact.
    if sides.iter().any(|(_, sum, _)| sum.abs() < 0.5) {
        return None;
    }
    let rotors: Vec<Rotor> = sides.iter().map(rotor).collect::<Option<_>>()?;
    Some((rotors, arm))
}
