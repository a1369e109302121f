//! Boxes of nodes of a shape with prescribed motions or forces.

use super::place::PlacedShape;
use super::script::{Dirichlet, Script, Triple};
use crate::choose;
use crate::draft::{Hold, Key, Motion};
use crate::refusal::Findings;
use crate::ron::{Field, Ron};
use resile_math::{Aabb, Vec3};
use std::path::Path;

/// Flags the boundary nodes in a box, whose corners are relative to the bounds of the mesh.
fn boundary_nodes_in_box(placed: &PlacedShape<'_>, box_corners: &[Triple; 2]) -> Vec<bool> {
    let bounds = placed.mesh.bounds();
    let [low, high] =
        box_corners.map(|corner| bounds.min + bounds.size() * Vec3::from_array(corner));
    let mut on_boundary = vec![false; placed.mesh.positions().len()];
    placed.mesh.triangles().iter().flatten().for_each(|node| on_boundary[*node as usize] = true);
    let is_inside = |p: &Vec3| p.cmpge(low).all() && p.cmple(high).all();
    placed
        .mesh
        .positions()
        .iter()
        .zip(on_boundary)
        .map(|(p, is_on_boundary)| is_on_boundary && is_inside(p))
        .collect()
}

/// Holds of a shape; boxes with the same nodes form one hold with consecutive motions.
pub(super) fn holds(
    file: &Path,
    script: &Script,
    placed: &PlacedShape<'_>,
    findings: &mut Findings,
) -> Vec<Hold> {
    let mut groups: Vec<(Vec<bool>, Vec<&Dirichlet>)> = Vec::new();
    for condition in &placed.shape.dirichlet {
        let nodes = boundary_nodes_in_box(placed, &condition.box_corners);
        match groups.iter_mut().find(|(known, _)| *known == nodes) {
            Some((_, conditions)) => conditions.push(condition),
            None => groups.push((nodes, vec![condition])),
        }
    }
    let points = placed.points();
    let mut holds = Vec::new();
    for (nodes, conditions) in groups {
        let Some(region) = choose::region(&points, &placed.mesh.vertex_indices, &nodes) else {
            findings.note(format!(
                "a DBC in line {} selects no node and is left out",
                placed.shape.line
            ));
            continue;
        };
        let selected_points =
            points.iter().zip(&nodes).filter(|(_, is_selected)| **is_selected).map(|(p, _)| *p);
        let pivot = Aabb::of_points(selected_points).center();
        match prescribed_motion(script, conditions, pivot) {
            Ok((motion, until)) => holds.push(Hold { until, ..Hold::new(region, motion) }),
            Err(reason) => findings.refuse(file, placed.shape.line, format!("DBC: {reason}")),
        }
    }
    holds
}

/// Merges consecutive motions into one, whose rotation is about `pivot` (m); returns it with the time (s) at which the
/// nodes are released, if they are.
fn prescribed_motion(
    script: &Script,
    mut conditions: Vec<&Dirichlet>,
    pivot: Vec3,
) -> Result<(Motion, Option<f64>), String> {
    conditions.sort_by(|a, b| a.times[0].total_cmp(&b.times[0]));
    let active_interval = |condition: &Dirichlet| {
        let ([start, end], [from, to]) = (condition.times, script.dirichlet_times);
        [start.max(from), end.min(to)]
    };
    let mut held_until = 0.0;
    for condition in &conditions {
        let [start, end] = active_interval(condition);
        if (start - held_until).abs() > 1e-9 {
            return Err(format!("nodes that are free until {start} s and held from then on"));
        }
        held_until = end;
    }
    let until = (held_until < script.duration).then_some(held_until);
    if let [condition] = conditions[..] {
        let velocity = condition.velocity;
        let angular_velocity = condition.angular.map(f64::to_radians);
        let motion = match angular_velocity == [0.0; 3] {
            true => Motion::moving(velocity),
            false => {
                let pivot = pivot.to_array();
                Motion::Move { velocity, angular_velocity, pivot, end: None }
            }
        };
        return Ok((motion, until));
    }
    if conditions.iter().any(|condition| condition.angular != [0.0; 3]) {
        return Err("rotations that change with time".to_owned());
    }
    let mut keys = vec![Key { time: 0.0, translate: [0.0; 3], turn: None }];
    let mut translation = Vec3::ZERO;
    for condition in conditions {
        let [start, end] = active_interval(condition);
        let end = end.min(script.duration.max(start));
        translation += Vec3::from_array(condition.velocity) * (end - start);
        keys.push(Key { time: end, translate: translation.to_array(), turn: None });
    }
    Ok((Motion::Keys { keys, pivot: None }, until))
}

/// Nodal forces of a shape with this density (kg/m^3): those of its boxes, and the `animated` ones as selected nodes
/// and an acceleration (m/s^2). The source multiplies an acceleration by the mass of each node; a scene specifies the
/// total force, which it distributes by mass.
pub(super) fn forces(
    script: &Script,
    placed: &PlacedShape<'_>,
    animated: &[(Vec<bool>, Vec3)],
    density: f64,
) -> Vec<Ron> {
    let loads =
        placed.shape.neumann.iter().filter(|_| script.animation.name == "null").map(|load| {
            let ([start, end], [from, to]) = (load.times, script.neumann_times);
            let times = [start.max(from), end.min(to)];
            (boundary_nodes_in_box(placed, &load.box_corners), Vec3::from_array(load.force), times)
        });
    let animated = animated
        .iter()
        .map(|(nodes, acceleration)| (nodes.clone(), *acceleration, script.neumann_times));
    let points = placed.points();
    let masses = masses(placed, density);
    let mut terms = Vec::new();
    for (nodes, acceleration, [start, end]) in loads.chain(animated) {
        let Some(region) = choose::region(&points, &placed.mesh.vertex_indices, &nodes) else {
            continue;
        };
        let mass: f64 = masses
            .iter()
            .zip(&nodes)
            .filter(|(_, is_selected)| **is_selected)
            .map(|(mass, _)| mass)
            .sum();
        let force = Field::new("force", (acceleration * mass).to_array())
            .with_comment(format!("{mass} kg times the acceleration of the source."));
        let mut fields = vec![force, Field::new("region", region.ron())];
        if start > 0.0 {
            fields.push(Field::new("start", start));
        }
        if end < script.duration {
            fields.push(Field::new("end", end));
        }
        terms.push(Ron::Struct("Force", fields));
    }
    terms
}

/// Lumped nodal masses (kg) for a density (kg/m^3): each tetrahedron contributes a quarter of its mass to each node.
fn masses(placed: &PlacedShape<'_>, density: f64) -> Vec<f64> {
    let mut masses = vec![0.0; placed.mesh.positions().len()];
    let Some(mesh) = placed.mesh.solid() else { return masses };
    let volume_scale = placed.pose.scale.x * placed.pose.scale.y * placed.pose.scale.z;
    for (tet, volume) in mesh.tets.iter().zip(mesh.volumes()) {
        for node in tet {
            masses[*node as usize] += 0.25 * density * volume_scale * volume;
        }
    }
    masses
}
