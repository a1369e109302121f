//! Impacts: pairs with a coefficient of restitution and a normal force.

use crate::friction::{NormalContact, Positions};
use crate::search::candidates::{Candidates, ColliderPair};
use crate::{BarrierPotential, CollisionScene};
use resile_math::Vec3;
use resile_system::Impact;

/// Impacts among `candidates` at the positions `x` of the scene's nodes (m), in the order of candidates.
pub(crate) fn impacts(
    scene: &CollisionScene,
    candidates: &Candidates,
    barrier: &BarrierPotential,
    x: &[Vec3],
) -> Vec<Impact> {
    let x = &*scene.points.points(x);
    let positions = Positions { scene, candidates, barrier, x, motion: None };
    let collider_pair = |pair: u32| &candidates.collider_pairs[pair as usize];
    let has_restitution = |pair: u32| collider_pair(pair).restitution.is_some();
    let summed = positions.summed(&candidates.pairs);
    let pairs = summed.iter().filter(|c| has_restitution(c.pair));
    let planes = candidates.planes.iter().filter(|c| has_restitution(c.pair));
    let contacts = pairs.map(|c| (c.pair, positions.normal_contact(c)));
    let normal_contacts =
        contacts.chain(planes.map(|c| (c.pair, positions.plane_normal_contact(c, 1.0))));
    normal_contacts
        .filter_map(|(pair, contact)| impact(scene, collider_pair(pair), &contact))
        .collect()
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
