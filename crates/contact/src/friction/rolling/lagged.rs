//! Lagged quantities of rolling friction.

use crate::friction::potential::{secant_slope, smoothed_speed};
use crate::friction::{NormalContact, Positions};
use crate::geometry::point::Point;
use crate::search::candidates::{Candidates, ColliderPair};
use crate::{BarrierPotential, CollisionScene};
use resile_math::{Mat3, Vec3, cross_matrix, outer};

/// Angular velocity of a body as a linear function of its node velocities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rotor {
    /// Nodes of the body, numbered as in the system.
    pub(super) nodes: [u32; 4],
    /// Half the gradients of the weights of the nodes (1/m), with the sign of the body in the pair.
    half_gradients: [Vec3; 4],
}

/// A pair of primitives with its lagged quantities.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RollingPair {
    /// One per moving body; none for an obstacle at rest.
    pub(super) rotors: Vec<Rotor>,
    /// Unit normal of the contact.
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
    /// The rotor of four `nodes`, with all nodes at `x` (m) and the `sign` of the body in the pair. `None` if the four
    /// nodes lie in a plane.
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

    /// Forces (N) on the nodes equivalent to a torque (N m) on the body, with the sign of the body in the pair.
    pub(super) fn forces(&self, torque: Vec3) -> [Vec3; 4] {
        self.half_gradients.map(|g| torque.cross(g))
    }
}

impl RollingPair {
    /// Relative angular velocity (rad/s) of the bodies at the node velocities `v` (m/s), without its component along the
    /// normal.
    fn rolling_velocity(&self, v: &[Vec3]) -> Vec3 {
        let total: Vec3 = self.rotors.iter().map(|rotor| rotor.velocity(v)).sum();
        total - self.normal * self.normal.dot(total)
    }

    /// D (W) at the node velocities `v` (m/s).
    pub(super) fn value(&self, v: &[Vec3]) -> f64 {
        let speed = self.rolling_velocity(v).length();
        self.weight * self.limit * smoothed_speed(speed, self.eps)
    }

    /// dD/dw (N m) at the node velocities `v` (m/s).
    pub(super) fn torque(&self, v: &[Vec3]) -> Vec3 {
        let rolling = self.rolling_velocity(v);
        rolling * (self.weight * self.limit * secant_slope(rolling.length(), self.eps))
    }

    /// Power (W) of the torque at the node velocities `v` (m/s) in a motion with the node velocities `motion` (m/s).
    pub(super) fn power(&self, v: &[Vec3], motion: &[Vec3]) -> f64 {
        self.torque(v).dot(self.rolling_velocity(motion))
    }

    /// d2D/dw2 (kg m^2/s) at the node velocities `v` (m/s), zero along the normal.
    fn curvature(&self, v: &[Vec3]) -> Mat3 {
        let rolling = self.rolling_velocity(v);
        let (speed, strength) = (rolling.length(), self.weight * self.limit);
        let secant = secant_slope(speed, self.eps);
        if speed == 0.0 {
            return (Mat3::IDENTITY - outer(self.normal, self.normal)) * (strength * secant);
        }
        let direction = rolling / speed;
        let binormal = self.normal.cross(direction);
        let tangent_slope = (2.0 / self.eps * (1.0 - speed / self.eps)).max(0.0);
        (outer(binormal, binormal) * secant + outer(direction, direction) * tangent_slope)
            * strength
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

/// The pairs among `candidates` with rolling friction, lagged with nodes at `nodes` (m). The torque reaches its limit
/// where the centre of the body moves past the contact at `slip_speed` (m/s).
pub(super) fn lagged(
    scene: &CollisionScene,
    candidates: &Candidates,
    barrier: &BarrierPotential,
    nodes: &[Vec3],
    slip_speed: f64,
) -> Vec<RollingPair> {
    let x = &*scene.points.points(nodes);
    let positions = Positions { scene, candidates, barrier, x, motion: None };
    let collider_pair = |pair: u32| &candidates.collider_pairs[pair as usize];
    let has_rolling_friction = |pair: u32| collider_pair(pair).rolling > 0.0;
    let summed = positions.summed(&candidates.pairs);
    let pairs = summed.iter().filter(|c| has_rolling_friction(c.pair));
    let planes = candidates.planes.iter().filter(|c| has_rolling_friction(c.pair));
    let contacts_of_pairs = pairs.map(|c| (c.pair, positions.normal_contact(c)));
    let contacts_of_planes = planes.map(|c| (c.pair, positions.plane_normal_contact(c, 1.0)));
    let contacts = contacts_of_pairs.chain(contacts_of_planes);
    contacts
        .filter_map(|(pair, contact)| {
            let sides = sides(scene, &contact, x)?;
            RollingPair::new(collider_pair(pair), &contact, &sides, nodes, slip_speed)
        })
        .collect()
}

impl RollingPair {
    /// The pair of a contact of the bodies `sides` with nodes at `nodes` (m). `None` if the nodes of a body lie in a
    /// plane, or if its torque is zero or not finite.
    fn new(
        pair: &ColliderPair,
        contact: &NormalContact,
        sides: &[ContactSide],
        nodes: &[Vec3],
        slip_speed: f64,
    ) -> Option<Self> {
        let rotor = |side: &ContactSide| Rotor::new(side.nodes, side.weight_sum.signum(), nodes);
        let rotors: Vec<Rotor> = sides.iter().map(rotor).collect::<Option<_>>()?;
        let arms = sides.iter().map(|side| side.arm(nodes));
        let limit = pair.rolling * contact.force;
        let eps = slip_speed / arms.fold(f64::INFINITY, f64::min);
        let is_active = limit > 0.0 && limit.is_finite() && eps > 0.0 && eps.is_finite();
        let bodies = [pair.body, pair.other.unwrap_or(pair.body)].map(|body| body as u32);
        is_active.then_some(Self {
            rotors,
            normal: contact.normal,
            limit,
            eps,
            weight: 1.0,
            bodies,
        })
    }
}

/// The points of one affine body in a contact.
struct ContactSide {
    /// Nodes of the body, numbered as in the system.
    nodes: [u32; 4],
    /// Sum of the weights of its points: one or minus one, but zero in self-contact.
    weight_sum: f64,
    /// Sum of the positions of its points (m), times their weights.
    weighted_position: Vec3,
}

impl ContactSide {
    /// Distance (m) of the closest point from the mean of the nodes of the body, which are at `nodes` (m).
    fn arm(&self, nodes: &[Vec3]) -> f64 {
        let centre = self.nodes.iter().map(|&node| nodes[node as usize]).sum::<Vec3>() * 0.25;
        (self.weighted_position / self.weight_sum).distance(centre)
    }
}

/// The moving bodies of a contact, with points at `x` (m). `None` if a body is not affine, and in self-contact.
fn sides(scene: &CollisionScene, contact: &NormalContact, x: &[Vec3]) -> Option<Vec<ContactSide>> {
    let mut sides: Vec<ContactSide> = Vec::with_capacity(2);
    for (point, weight) in contact.points.iter().zip(contact.weights) {
        let Some(point) = Point::as_moving(*point).filter(|_| weight != 0.0) else { continue };
        if scene.points.is_node(point) {
            return None;
        }
        let nodes = scene.points.embedding_of_point(point).nodes;
        let weighted_position = weight * x[point];
        match sides.iter_mut().find(|side| side.nodes == nodes) {
            Some(side) => {
                side.weight_sum += weight;
                side.weighted_position += weighted_position;
            }
            None => sides.push(ContactSide { nodes, weight_sum: weight, weighted_position }),
        }
    }
    let is_self_contact = sides.iter().any(|side| side.weight_sum.abs() < 0.5);
    (!is_self_contact).then_some(sides)
}
