//! `boundary_conditions`: Dirichlet conditions and motions of obstacles, and unsupported conditions.

use super::geometry::{Geometry, Obstacle, Part};
use super::loads::NO_EXPRESSION;
use super::motion::{Displacement, Steps};
use super::reader::Reader;
use super::selection::NONE;
use super::signal::{self, Signal};
use super::unit::Dimension;
use crate::choose;
use crate::draft::{Hold, Motion, Region};
use resile_math::{Aabb, Vec3};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Supported fields of a condition.
const FIELDS: [&str; 5] = ["id", "value", "dimension", "time_reference", "interpolation"];

/// Flags of the prescribed displacement components.
type Axes = [bool; 3];

/// Whether the condition at a path applies to a selection id.
pub(super) fn applies_to(reader: &Reader<'_>, path: &str, id: i64) -> bool {
    match reader.get(&format!("{path}/id")) {
        None => true,
        Some(Value::String(name)) => name == "all",
        Some(_) => reader.ids(&format!("{path}/id")).is_some_and(|ids| ids.contains(&id)),
    }
}

/// Reads the displacement (m) of a condition, with zero for components that are not prescribed. `None` with a refusal
/// if it cannot be expressed.
fn displacement(reader: &mut Reader<'_>, path: &str, axes: Axes) -> Option<Displacement> {
    reader.allow_only(path, &FIELDS);
    let signals = signal::read(reader, path, (3, Dimension::LENGTH))?;
    let mut signals = <[Signal; 3]>::try_from(signals).ok()?;
    for (signal, _) in signals.iter_mut().zip(axes).filter(|(_, held)| !held) {
        *signal = Signal::zero();
    }
    Some(Displacement(signals))
}

/// Reads which displacement components a condition prescribes.
fn axes(reader: &mut Reader<'_>, path: &str) -> Axes {
    let path = format!("{path}/dimension");
    let Some(value) = reader.get(&path) else { return [true; 3] };
    let flags: Option<Vec<bool>> =
        value.as_array().and_then(|list| list.iter().map(Value::as_bool).collect());
    flags.and_then(|flags| Axes::try_from(flags).ok()).unwrap_or_else(|| {
        reader.refuse(&path, "this must be three of true and false");
        [true; 3]
    })
}

/// Flags the nodes of a part that a condition constrains: nodes of selected faces, and directly selected nodes. If
/// several conditions select a face, the first one applies; `earlier` has the paths of the previous ones.
fn constrained_nodes(
    reader: &Reader<'_>,
    path: &str,
    earlier: &[String],
    part: &Part,
) -> Vec<bool> {
    let ids: BTreeSet<i64> =
        part.faces.iter().map(|(_, id)| *id).chain(part.node_ids.iter().copied()).collect();
    let applies = |path: &str, id: i64| {
        let is_for_all =
            reader.get(&format!("{path}/id")).is_some_and(|id| id.as_str() == Some("all"));
        (id != NONE || is_for_all) && applies_to(reader, path, id)
    };
    let applies_first =
        |id: i64| applies(path, id) && !earlier.iter().any(|other| applies(other, id));
    let is_selected: BTreeMap<i64, bool> =
        ids.into_iter().map(|id| (id, applies_first(id))).collect();
    let mut selected: Vec<bool> =
        part.node_ids.iter().map(|id| *id != NONE && is_selected[id]).collect();
    for (face, id) in &part.faces {
        if is_selected[id] {
            face.iter().for_each(|node| selected[*node as usize] = true);
        }
    }
    selected
}

/// Holds of each part by its Dirichlet conditions.
pub(super) fn holds(
    reader: &mut Reader<'_>,
    geometry: &Geometry,
    steps: Steps,
    quadratic: bool,
) -> Vec<Vec<Hold>> {
    let mut holds = vec![Vec::new(); geometry.parts.len()];
    let mut free: Vec<Vec<Axes>> =
        geometry.parts.iter().map(|part| vec![[true; 3]; part.node_ids.len()]).collect();
    let paths = reader.items("boundary_conditions/dirichlet_boundary");
    for (condition_index, path) in paths.iter().enumerate() {
        if let Some(file) = reader.text(path) {
            let message = format!("displacements from the file {file} are not imported");
            reader.refuse(path, message);
            continue;
        }
        let axes = axes(reader, path);
        let Some(displacement) = displacement(reader, path, axes) else { continue };
        for (n, part) in geometry.parts.iter().enumerate() {
            let selected = constrained_nodes(reader, path, &paths[..condition_index], part);
            for (held, selected) in newly_constrained(&selected, axes, &mut free[n]) {
                let condition = Condition { path, displacement: &displacement, held };
                holds[n].extend(hold(reader, &condition, part, &selected, (steps, quadratic)));
            }
        }
    }
    holds
}

/// Groups the selected nodes by the components that a condition newly constrains, and removes these from `free`. `free`
/// has the components of each node that no earlier condition constrains.
fn newly_constrained(selected: &[bool], axes: Axes, free: &mut [Axes]) -> Vec<(Axes, Vec<bool>)> {
    let mut groups: Vec<(Axes, Vec<bool>)> = Vec::new();
    for (node, free) in free.iter_mut().enumerate().filter(|(node, _)| selected[*node]) {
        let remaining = [0, 1, 2].map(|k| axes[k] && free[k]);
        *free = [0, 1, 2].map(|k| free[k] && !axes[k]);
        if remaining == [false; 3] {
            continue;
        }
        match groups.iter_mut().find(|(held, _)| *held == remaining) {
            Some((_, nodes)) => nodes[node] = true,
            None => {
                let mut nodes = vec![false; selected.len()];
                nodes[node] = true;
                groups.push((remaining, nodes));
            }
        }
    }
    groups
}

/// A condition with the components that it constrains at some nodes.
struct Condition<'a> {
    path: &'a str,
    displacement: &'a Displacement,
    held: Axes,
}

/// Hold of the selected nodes of a part. Refuses motions that cannot be expressed.
fn hold(
    reader: &mut Reader<'_>,
    condition: &Condition<'_>,
    part: &Part,
    selected: &[bool],
    (steps, quadratic): (Steps, bool),
) -> Option<Hold> {
    let points = part.points();
    let region = region(part, &points, selected, quadratic)?;
    if matches!(region, Region::Nodes(_)) && quadratic {
        let message = "nodes of quadratic elements that no box or plane selects";
        reader.refuse(condition.path, message);
    }
    let selected_points: Vec<Vec3> = points
        .iter()
        .zip(selected)
        .filter(|(_, is_selected)| **is_selected)
        .map(|(p, _)| *p)
        .collect();
    let displacement = condition.displacement;
    let motion = displacement
        .motion(&selected_points, steps)
        .or_else(|| displacement.common_translation(&selected_points, steps))
        .or_else(|| displacement.as_expressions(&selected_points, steps));
    if motion.is_none() {
        reader.refuse(condition.path, NO_EXPRESSION);
    }
    Some(Hold { axes: condition.held, ..Hold::new(region, motion?) })
}

/// Region of the selected nodes. A quadratic body also selects edge midpoints, which a list of indices cannot contain.
pub(super) fn region(
    part: &Part,
    points: &[Vec3],
    selected: &[bool],
    quadratic: bool,
) -> Option<Region> {
    let (mut points, mut selected) = (points.to_vec(), selected.to_vec());
    let mut vertex_indices = part.mesh.vertex_indices.clone();
    if quadratic {
        let on_faces: BTreeSet<[u32; 2]> = part
            .faces
            .iter()
            .filter(|(face, _)| face.iter().all(|node| selected[*node as usize]))
            .flat_map(|([a, b, c], _)| [[*a, *b], [*b, *c], [*c, *a]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        let tets = part.mesh.solid().map_or(&[][..], |mesh| &mesh.tets);
        let edges: BTreeSet<[u32; 2]> = tets
            .iter()
            .flat_map(|[a, b, c, d]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]])
            .map(|[a, b]| [*a.min(b), *a.max(b)])
            .collect();
        for [a, b] in edges {
            points.push(0.5 * (points[a as usize] + points[b as usize]));
            selected.push(on_faces.contains(&[a, b]));
            vertex_indices.push(u32::MAX);
        }
    }
    choose::region(&points, &vertex_indices, &selected)
}

/// Prescribed motion of an obstacle.
pub(super) fn obstacle_motion(
    reader: &mut Reader<'_>,
    obstacle: &Obstacle,
    bounds: Aabb,
    steps: Steps,
) -> Motion {
    let Some(id) = obstacle.surface else { return Motion::Fixed };
    for path in reader.items("boundary_conditions/obstacle_displacements") {
        if !applies_to(reader, &path, id) {
            continue;
        }
        let Some(displacement) = displacement(reader, &path, [true; 3]) else { break };
        match displacement.motion(&[bounds.min, bounds.max], steps) {
            Some(motion) => return motion,
            None => reader.refuse(&path, "a displacement that is no rigid motion"),
        }
    }
    Motion::Fixed
}

/// Right-hand side of each volume (m/s^2), which is opposite to the acceleration. The first entry for a volume
/// applies.
pub(super) fn right_hand_sides(reader: &mut Reader<'_>, volumes: &[i64]) -> Vec<Vec<Signal>> {
    let path = "boundary_conditions/rhs";
    let items = reader.items(path);
    let has_list =
        |item: &String| reader.get(&format!("{item}/value")).is_some_and(Value::is_array);
    let by_volume = items.iter().any(has_list);
    let zero_signals = || vec![Signal::zero(); 3];
    let read = |reader: &mut Reader<'_>, paths: &[String]| -> Option<Vec<Signal>> {
        let dimension = Dimension::ACCELERATION;
        paths.iter().map(|item| reader.signal(item, dimension)).collect()
    };
    let read_components = |reader: &mut Reader<'_>, path: &str| -> Vec<Signal> {
        let items = reader.items(path);
        if items.len() != 3 {
            reader.refuse(path, "there must be three components");
            return zero_signals();
        }
        read(reader, &items).unwrap_or_else(zero_signals)
    };
    if items.is_empty() {
        return vec![zero_signals(); volumes.len()];
    }
    if !by_volume {
        return vec![read_components(reader, path); volumes.len()];
    }
    let sides: Vec<Vec<Signal>> =
        items.iter().map(|item| read_components(reader, &format!("{item}/value"))).collect();
    let signals_of_volume = |volume: &i64| {
        let first = items.iter().position(|item| applies_to(reader, item, *volume));
        first.map_or_else(zero_signals, |n| sides[n].clone())
    };
    volumes.iter().map(signals_of_volume).collect()
}

/// Refuses unsupported conditions that are not empty.
pub(super) fn refuse_unsupported(reader: &mut Reader<'_>) {
    reader.allow_only(
        "boundary_conditions",
        &[
            "rhs",
            "dirichlet_boundary",
            "neumann_boundary",
            "normal_aligned_neumann_boundary",
            "pressure_boundary",
            "pressure_cavity",
            "obstacle_displacements",
            "periodic_boundary",
        ],
    );
    for item in reader.items("boundary_conditions/pressure_cavity") {
        reader.refuse(&item, "the pressure of an enclosed gas cannot be expressed");
    }
    if reader.flag("boundary_conditions/periodic_boundary/enabled", false) {
        reader.refuse(
            "boundary_conditions/periodic_boundary",
            "periodic boundaries cannot be expressed",
        );
    }
}
