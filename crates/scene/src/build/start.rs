//! The start state: nothing may intersect.

use super::body::PlacedBody;
use super::{error, path_of};
use crate::description::{ExpandedBody, Problem, Scene};
use crate::world::Collisions;
use resile_contact::{Intersection, Primitive, intersections};
use resile_linalg::Vec3;
use std::collections::BTreeSet;

/// How many crossing primitives are looked for before the search ends.
const MOST_INTERSECTIONS: usize = 1000;
/// How many pairs of bodies are reported.
const MOST_REPORTS: usize = 20;

/// Reports the first intersection of each pair of bodies.
pub(super) fn intersections_at_start(
    scene: &Scene,
    expanded: &[ExpandedBody],
    placed: &[PlacedBody],
    collisions: &Collisions,
    problems: &mut Vec<Problem>,
) {
    let bodies: Vec<usize> = (0..placed.len()).collect();
    let mut first_nodes = vec![0];
    let mut x: Vec<Vec3> = Vec::new();
    for body in placed {
        x.extend_from_slice(&body.state.positions);
        first_nodes.push(x.len());
    }
    let arrangement = collisions.arrange(&bodies, |k| first_nodes[k]);
    let mut reported = BTreeSet::new();
    for found in intersections(&arrangement, &x, MOST_INTERSECTIONS) {
        let [a, b] = found.colliders;
        if reported.insert([a.min(b), a.max(b)]) && reported.len() <= MOST_REPORTS {
            problems.push(report(scene, expanded, placed, &found));
        }
    }
}

fn report(
    scene: &Scene,
    expanded: &[ExpandedBody],
    placed: &[PlacedBody],
    found: &Intersection,
) -> Problem {
    let name = |collider: usize| match placed.get(collider) {
        Some(body) => body.body.name.clone(),
        None => scene.obstacles[collider - placed.len()].name().to_owned(),
    };
    let [a, b] = found.colliders.map(name);
    let primitive = |p: Primitive| match p {
        Primitive::Vertex(i) => format!("vertex {i}"),
        Primitive::Edge([i, j]) => format!("edge {i}-{j}"),
        Primitive::Triangle([i, j, k]) => format!("triangle {i}-{j}-{k}"),
        Primitive::Plane(_) => "the plane".to_owned(),
    };
    let [p, q] = found.primitives.map(primitive);
    let point = found.point;
    let place = format!("({:.6}, {:.6}, {:.6}) m", point.x, point.y, point.z);
    let message = if found.pair_depth == 0.0 && found.offset > 0.0 {
        let (distance, offset) = (found.distance, found.offset);
        let near = format!("{p} is {distance:e} m from {q} at {place}");
        let who =
            if a == b { format!("\"{a}\" and itself") } else { format!("\"{a}\" and \"{b}\"") };
        format!("{who} are nearer than their thickness, {offset:e} m, at the start: {near}")
    } else if a == b {
        format!("\"{a}\" intersects itself at the start: {p} meets {q} at {place}")
    } else {
        format!("\"{a}\" and \"{b}\" intersect at the start: {p} meets {q} at {place}")
    };
    let help = if found.collider_depth.is_finite() {
        format!(
            "move one of them by more than {:.6} m, or switch the pair off in `contact.off`",
            found.collider_depth
        )
    } else {
        "deform the body less, mend its mesh, or switch the pair off in `contact.off`".to_owned()
    };
    let path = found
        .colliders
        .iter()
        .find_map(|&c| expanded.get(c))
        .map_or_else(|| "obstacles".to_owned(), |body| format!("{}.placement", path_of(body)));
    error(path, message, help)
}
