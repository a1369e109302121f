//! Impacts: contacts with a coefficient of restitution and a normal force.
//!
//! An impulse moves all nodes within its reach together: an affine body or a free solid, or the nodes of a held solid that
//! elastic waves reach within a step. While these nodes rotate, some points within the range of the barrier approach and
//! others separate. Newton's law for each point would act as on a flat foot and change the rotation. Contacts of two
//! bodies within their reach and with similar normals therefore form a patch: one impact, whose opening rate is the mean
//! over the contacts and whose impulse is distributed over them, both with the same weights. For rigid bodies these change
//! the rotation least: a face that lands flat has no torque, wherever its vertices are. Otherwise weights are
//! proportional to barrier forces. Contacts of bodies without reach are impacts of their own.

use crate::friction::{NormalContact, Positions};
use crate::geometry::point::Point;
use crate::search::candidates::{Candidates, ColliderPair};
use crate::{BarrierPotential, CollisionScene};
use resile_math::Vec3;
use resile_system::{Impact, ImpulseResponse, RotationResponse};
use std::collections::BTreeMap;

/// Impacts among `candidates` at the positions `x` of the scene's nodes (m): single contacts and patches, in the order of
/// pairs of colliders. `responses` are those of the bodies. O(contacts times patches of a pair); contacts of bodies without
/// reach are not compared with each other.
pub(crate) fn impacts(
    scene: &CollisionScene,
    candidates: &Candidates,
    barrier: &BarrierPotential,
    x: &[Vec3],
    responses: &[ImpulseResponse],
) -> Vec<Impact> {
    let x = &*scene.points.points(x);
    let positions = Positions { scene, candidates, barrier, x, motion: None };
    let has_restitution =
        |pair: u32| candidates.collider_pairs[pair as usize].restitution.is_some();
    let summed = positions.summed(&candidates.pairs);
    let pairs = summed.iter().filter(|c| has_restitution(c.pair));
    let planes = candidates.planes.iter().filter(|c| has_restitution(c.pair));
    let contacts = pairs.map(|c| (c.pair, positions.normal_contact(c)));
    let normal_contacts =
        contacts.chain(planes.map(|c| (c.pair, positions.plane_normal_contact(c, 1.0))));
    let mut patches_of_pair: BTreeMap<u32, Vec<Patch>> = BTreeMap::new();
    for (pair, contact) in normal_contacts {
        let colliders = &candidates.collider_pairs[pair as usize];
        let Some(impact) = impact(scene, colliders, &contact) else { continue };
        let impact = facing_first_shape(scene, colliders, &contact, impact);
        let contact = LocatedImpact { impact, position: positions.contact_position(&contact) };
        let bodies = [Some(colliders.body), colliders.other].into_iter().flatten();
        let reach_of_pair = bodies.map(|b| responses[b].reach).fold(f64::INFINITY, f64::min);
        add_contact(patches_of_pair.entry(pair).or_default(), contact, reach_of_pair);
    }
    patches_of_pair.into_values().flatten().map(|patch| patch.impact(responses)).collect()
}

/// Adds a contact to the first of the `patches` of its pair that contains it within the `reach` (m), or as a new patch.
fn add_contact(patches: &mut Vec<Patch>, contact: LocatedImpact, reach: f64) {
    let containing_patch = match reach > 0.0 {
        true => patches.iter_mut().find(|patch| patch.contains(&contact, reach)),
        false => None,
    };
    match containing_patch {
        Some(patch) => patch.contacts.push(contact),
        None => patches.push(Patch { contacts: vec![contact] }),
    }
}

/// Smallest cosine of the angle between the normals of a contact and of the first one of its patch: 26 degrees.
const MIN_PATCH_COSINE: f64 = 0.9;

/// A contact with its position (m).
struct LocatedImpact {
    impact: Impact,
    position: Vec3,
}

/// Contacts of two bodies that are one impact; at least one.
struct Patch {
    contacts: Vec<LocatedImpact>,
}

impl Patch {
    /// Whether a contact has a similar normal as the first one of the patch and is closer to it than the `reach` (m).
    fn contains(&self, contact: &LocatedImpact, reach: f64) -> bool {
        let first = &self.contacts[0];
        first.impact.normal.dot(contact.impact.normal) >= MIN_PATCH_COSINE
            && (contact.position - first.position).length() < reach
    }

    /// The means over the contacts, weighted by the distribution of the impulse, with the sum of the forces.
    fn impact(mut self, responses: &[ImpulseResponse]) -> Impact {
        if let [_] = self.contacts[..] {
            return self.contacts.remove(0).impact;
        }
        let distribution = self.impulse_distribution(responses);
        let contacts = || self.contacts.iter().map(|contact| &contact.impact).zip(&distribution);
        let normal: Vec3 = contacts().map(|(contact, fraction)| *fraction * contact.normal).sum();
        let mean = |quantity: fn(&Impact) -> f64| {
            contacts().map(|(contact, fraction)| fraction * quantity(contact)).sum::<f64>()
        };
        let mut weights = BTreeMap::new();
        for (contact, fraction) in contacts() {
            for &(node, weight) in &contact.nodes {
                *weights.entry(node).or_insert(0.0) += fraction * weight;
            }
        }
        Impact {
            nodes: weights.into_iter().collect(),
            normal: normal.normalize(),
            force: contacts().map(|(contact, _)| contact.force).sum(),
            restitution: mean(|contact| contact.restitution),
            friction: mean(|contact| contact.friction),
            bodies: self.contacts[0].impact.bodies,
        }
    }

    /// The fraction of the impulse at each contact.
    fn impulse_distribution(&self, responses: &[ImpulseResponse]) -> Vec<f64> {
        let force: f64 = self.contacts.iter().map(|contact| contact.impact.force).sum();
        let mut distribution: Vec<f64> =
            self.contacts.iter().map(|contact| contact.impact.force / force).collect();
        let [first, second] = self.contacts[0].impact.bodies;
        let bodies = [Some(first), Some(second).filter(|second| *second != first)];
        let rotations: Vec<RotationResponse> =
            bodies.into_iter().flatten().filter_map(|b| responses[b].rotation).collect();
        let torques = |contact: &LocatedImpact| -> Vec<Vec3> {
            let arm = |rotation: &RotationResponse| contact.position - rotation.centre;
            rotations.iter().map(|rotation| arm(rotation).cross(contact.impact.normal)).collect()
        };
        let torques: Vec<Vec<Vec3>> = self.contacts.iter().map(torques).collect();
        reduce_rotation(&torques, &rotations, &mut distribution);
        distribution
    }
}

/// Smallest difference of the rates of two contacts by the rotation, relative to the largest rate of a contact by an impulse
/// of its own, for which a part of the impulse is moved from one to the other.
const MIN_RELATIVE_RATE: f64 = 1e-9;

/// Most parts of the impulse that are moved.
const MAX_MOVES: usize = 1000;

/// Changes the `distribution` of a unit impulse over contacts such that the bodies rotate least: it minimises the energy of
/// the rotation over convex combinations. `torques` (m) are those of a unit impulse at each contact on each body of
/// `rotations`. Each move is exact for the contact at which the rotation opens the gap least and the one with an impulse at
/// which it opens most (sequential minimal optimisation, Platt 1998). O(contacts) a move.
fn reduce_rotation(
    torques: &[Vec<Vec3>],
    rotations: &[RotationResponse],
    distribution: &mut [f64],
) {
    let rate = |a: &[Vec3], b: &[Vec3]| -> f64 {
        let terms = a.iter().zip(b).zip(rotations);
        terms.map(|((a, b), rotation)| a.dot(rotation.compliance * *b)).sum()
    };
    let own_rate = |torque: &Vec<Vec3>| rate(torque, torque);
    let largest_rate = torques.iter().map(own_rate).fold(0.0, f64::max);
    let mut torque = vec![Vec3::ZERO; rotations.len()];
    for (contact_torque, fraction) in torques.iter().zip(&*distribution) {
        torque.iter_mut().zip(contact_torque).for_each(|(sum, t)| *sum += *fraction * *t);
    }
    for _ in 0..MAX_MOVES {
        let rates: Vec<f64> = torques.iter().map(|t| rate(t, &torque)).collect();
        let contacts = 0..rates.len();
        let lowest = contacts.clone().min_by(|&a, &b| rates[a].total_cmp(&rates[b]));
        let loaded = contacts.filter(|&k| distribution[k] > 0.0);
        let highest = loaded.max_by(|&a, &b| rates[a].total_cmp(&rates[b]));
        let (Some(to), Some(from)) = (lowest, highest) else { return };
        let difference = rates[from] - rates[to];
        if difference <= MIN_RELATIVE_RATE * largest_rate {
            return;
        }
        let change: Vec<Vec3> =
            torques[to].iter().zip(&torques[from]).map(|(to, from)| *to - *from).collect();
        let part = distribution[from].min(difference / rate(&change, &change));
        distribution[to] += part;
        distribution[from] -= part;
        torque.iter_mut().zip(change).for_each(|(sum, change)| *sum += part * change);
    }
}

/// The impact with the sign of its normal and weights such that the points of the first collider of its pair have
/// positive weights.
fn facing_first_shape(
    scene: &CollisionScene,
    pair: &ColliderPair,
    contact: &NormalContact,
    mut impact: Impact,
) -> Impact {
    let first = pair.shapes.into_iter().find(|&shape| shape < scene.colliders.len());
    let Some([points, _]) = first.map(|shape| scene.ranges(shape)) else { return impact };
    let is_first = |point: &Point| point.as_moving().is_some_and(|point| points.contains(&point));
    let weights = contact.points.iter().zip(contact.weights);
    let sum: f64 = weights.filter(|(point, _)| is_first(point)).map(|(_, weight)| weight).sum();
    if sum < 0.0 {
        impact.normal = -impact.normal;
        impact.nodes.iter_mut().for_each(|(_, weight)| *weight = -*weight);
    }
    impact
}

/// The impact of a contact with a coefficient of restitution and a positive normal force, with its weights by node.
fn impact(scene: &CollisionScene, pair: &ColliderPair, contact: &NormalContact) -> Option<Impact> {
    let NormalContact { points, weights, normal, force } = *contact;
    let restitution = pair.restitution?;
    if !(force > 0.0 && force.is_finite()) {
        return None;
    }
    let mut nodes: Vec<(usize, f64)> = Vec::with_capacity(8);
    for (point, weight) in points.iter().zip(weights).filter(|(_, weight)| *weight != 0.0) {
        let Some(point) = point.as_moving() else { continue };
        for (node, share) in scene.points.embedding_of_point(point).terms() {
            match nodes.iter_mut().find(|(known, _)| *known == node) {
                Some((_, sum)) => *sum += weight * share,
                None => nodes.push((node, weight * share)),
            }
        }
    }
    let bodies = [pair.body, pair.other.unwrap_or(pair.body)];
    Some(Impact { nodes, normal, force, restitution, friction: pair.friction, bodies })
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::Mat3;

    /// The distribution over contacts at these horizontal positions (m) from the centre of a body with this compliance, where
    /// it is `initial` before, and its torque (m).
    fn reduced(positions: &[[f64; 2]], compliance: Mat3, initial: &[f64]) -> (Vec<f64>, Vec3) {
        let rotation = RotationResponse { centre: Vec3::ZERO, compliance };
        let torque = |&[x, z]: &[f64; 2]| Vec3::new(x, 0.0, z).cross(Vec3::Y);
        let torques: Vec<Vec<Vec3>> = positions.iter().map(|p| vec![torque(p)]).collect();
        let mut distribution = initial.to_vec();
        reduce_rotation(&torques, &[rotation], &mut distribution);
        let total = torques.iter().zip(&distribution).map(|(t, fraction)| *fraction * t[0]).sum();
        (distribution, total)
    }

    fn is_convex(distribution: &[f64]) -> bool {
        let sum: f64 = distribution.iter().sum();
        distribution.iter().all(|fraction| *fraction >= 0.0) && (sum - 1.0).abs() < 1e-12
    }

    #[test]
    fn face_around_the_centre_has_no_torque() {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [0.5, 0.2]];
        let compliance = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 5.0));
        let (distribution, torque) = reduced(&corners, compliance, &[0.7, 0.1, 0.1, 0.05, 0.05]);
        assert!(is_convex(&distribution) && torque.length() < 1e-4, "{distribution:?}: {torque}");
    }

    /// The least torque of an edge beside the centre is that of its nearest point.
    #[test]
    fn edge_acts_at_the_point_that_is_nearest_to_the_centre() {
        let edge = [[0.3, -1.0], [0.3, 1.0]];
        let (distribution, torque) = reduced(&edge, Mat3::IDENTITY, &[0.9, 0.1]);
        assert!(is_convex(&distribution) && (distribution[0] - 0.5).abs() < 1e-8);
        assert!((torque - Vec3::Z * 0.3).length() < 1e-8, "{torque}");
    }

    #[test]
    fn corner_keeps_its_impulse_and_a_body_that_does_not_rotate_its_forces() {
        let (distribution, _) = reduced(&[[0.3, 0.2]], Mat3::IDENTITY, &[1.0]);
        assert_eq!(distribution, [1.0]);
        let (distribution, _) = reduced(&[[1.0, 0.0], [2.0, 0.0]], Mat3::ZERO, &[0.9, 0.1]);
        assert_eq!(distribution, [0.9, 0.1]);
    }
}
