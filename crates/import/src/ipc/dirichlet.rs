//! Boundary conditions of the nodes of a shape in boxes: prescribed motions and forces.

use super::place::PlacedShape;
use super::script::{Dirichlet, Script, Triple};
use crate::choose;
use crate::draft::{Hold, Key, Motion};
use crate::refusal::Findings;
use crate::ron::{Field, Ron, remove_rounding, rounded};
use resile_math::{Aabb, Vec3};
use std::path::Path;

/// Relative precision to which a sum of masses is written.
const MASS_PRECISION: f64 = 1e-12;
/// Largest difference (s) between the end of a motion and the start of the next one.
const TIME_TOLERANCE: f64 = 1e-9;

/// Flags the boundary nodes in a box. Its corners are relative to the bounds of the mesh: 0 is the minimum and 1 the
/// maximum.
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

/// Holds of a shape. Boxes with the same nodes form one hold with consecutive motions. Notes boxes without nodes, and
/// refuses motions that cannot be expressed.
pub(super) fn holds(
    file: &Path,
    script: &Script,
    placed: &PlacedShape<'_>,
    findings: &mut Findings,
) -> Vec<Hold> {
    let mut groups: Vec<(Vec<bool>, Vec<&Dirichlet>)> = Vec::new();
    for condition in &placed.shape.dirichlet {
        let nodes = boundary_nodes_in_box(placed, &condition.box_corners);
        match groups.iter_mut().find(|(existing, _)| *existing == nodes) {
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

/// Merges the consecutive motions of some nodes to one, whose rotation is about `pivot` (m). Returns it with the time
/// (s) at which the nodes are released before the end, if they are.
///
/// # Errors
/// The reason, if the nodes are free before the first motion or between two of them, or if several motions rotate.
fn prescribed_motion(
    script: &Script,
    mut conditions: Vec<&Dirichlet>,
    pivot: Vec3,
) -> Result<(Motion, Option<f64>), String> {
    conditions.sort_by(|a, b| a.times[0].total_cmp(&b.times[0]));
    let mut release_time = 0.0;
    for condition in &conditions {
        let [start, end] = intersection(condition.times, script.dirichlet_times);
        if (start - release_time).abs() > TIME_TOLERANCE {
            return Err(format!("nodes that are free until {start} s and held from then on"));
        }
        release_time = end;
    }
    let until = (release_time < script.duration).then_some(release_time);
    let motion = match conditions[..] {
        [condition] => single_motion(condition, pivot),
        _ if conditions.iter().any(|condition| condition.angular != [0.0; 3]) => {
            return Err("rotations that change with time".to_owned());
        }
        _ => consecutive_translations(script, &conditions),
    };
    Ok((motion, until))
}

/// Motion of one condition, whose rotation is about `pivot` (m).
fn single_motion(condition: &Dirichlet, pivot: Vec3) -> Motion {
    let velocity = condition.velocity;
    let angular_velocity = condition.angular.map(f64::to_radians);
    match angular_velocity == [0.0; 3] {
        true => Motion::moving(velocity),
        false => Motion::Move { velocity, angular_velocity, pivot: pivot.to_array(), end: None },
    }
}

/// Keyframes of the translations of conditions, which are sorted by time and follow each other without a gap.
fn consecutive_translations(script: &Script, conditions: &[&Dirichlet]) -> Motion {
    let mut keys = vec![Key { time: 0.0, translate: [0.0; 3], turn: None }];
    let mut translation = Vec3::ZERO;
    for condition in conditions {
        let [start, end] = intersection(condition.times, script.dirichlet_times);
        let end = end.min(script.duration.max(start));
        translation += Vec3::from_array(condition.velocity) * (end - start);
        keys.push(Key { time: end, translate: translation.to_array(), turn: None });
    }
    Motion::Keys { keys, pivot: None }
}

/// Intersection of two intervals of time (s).
fn intersection([start, end]: [f64; 2], [other_start, other_end]: [f64; 2]) -> [f64; 2] {
    [start.max(other_start), end.min(other_end)]
}

/// Terms `Force` of a shape with this density (kg/m^3): the forces of its boxes, which act only without an animation,
/// and the `animated` ones, given as flags of nodes and an acceleration (m/s^2). The source multiplies an acceleration
/// by the mass of each node. A scene specifies the total force, which it distributes by mass.
pub(super) fn forces(
    script: &Script,
    placed: &PlacedShape<'_>,
    animated: &[(Vec<bool>, Vec3)],
    density: f64,
) -> Vec<Ron> {
    let loads =
        placed.shape.neumann.iter().filter(|_| script.animation.name == "null").map(|load| {
            let times = intersection(load.times, script.neumann_times);
            let nodes = boundary_nodes_in_box(placed, &load.box_corners);
            (nodes, Vec3::from_array(load.acceleration), times)
        });
    let animated = animated
        .iter()
        .map(|(nodes, acceleration)| (nodes.clone(), *acceleration, script.neumann_times));
    let points = placed.points();
    let masses = lumped_masses(placed, density);
    let mut terms = Vec::new();
    for (nodes, acceleration, [start, end]) in loads.chain(animated) {
        let Some(region) = choose::region(&points, &placed.mesh.vertex_indices, &nodes) else {
            continue;
        };
        let selected = masses.iter().zip(&nodes).filter(|(_, is_selected)| **is_selected);
        let mass: f64 = selected.map(|(mass, _)| mass).sum();
        let mut fields = vec![force(mass, acceleration), Field::new("region", region.ron())];
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

/// The field of the force on a `mass` (kg) with this acceleration (m/s^2).
fn force(mass: f64, acceleration: Vec3) -> Field {
    let comment = format!(
        "{} kg times the acceleration of the source.",
        rounded(mass, MASS_PRECISION * mass)
    );
    Field::new("force", remove_rounding((acceleration * mass).to_array())).with_comment(comment)
}

/// Lumped nodal masses (kg) for a density (kg/m^3): each tetrahedron contributes a quarter of its mass to each node.
/// All are zero for a mesh without tetrahedra.
fn lumped_masses(placed: &PlacedShape<'_>, density: f64) -> Vec<f64> {
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
