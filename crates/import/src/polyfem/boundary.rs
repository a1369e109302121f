//! `boundary_conditions`: Dirichlet conditions and motions of obstacles, and unsupported conditions.

use super::geometry::{Geometry, Part, Rigid};
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

/// Whether the condition at a path applies to an id.
pub(super) fn is_for(reader: &Reader<'_>, path: &str, number: i64) -> bool {
    match reader.get(&format!("{path}/id")) {
        None => true,
        Some(Value::String(all)) => all == "all",
        Some(_) => reader.ids(&format!("{path}/id")).is_some_and(|ids| ids.contains(&number)),
    }
}

/// Displacement at a path; `None` with a refusal if it cannot be expressed.
fn displacement(reader: &mut Reader<'_>, path: &str, axes: Axes) -> Option<Displacement> {
    reader.only(path, &FIELDS);
    let signals = signal::read(reader, path, (3, Dimension::LENGTH))?;
    let mut signals = <[Signal; 3]>::try_from(signals).ok()?;
    for (signal, _) in signals.iter_mut().zip(axes).filter(|(_, held)| !held) {
        *signal = Signal::zero();
    }
    Some(Displacement(signals))
}

/// Displacement components that a condition prescribes.
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

/// Nodes of a part that a condition constrains: those of its faces, and directly selected ones. The first
/// condition of a face applies.
fn nodes(reader: &Reader<'_>, path: &str, earlier: &[String], part: &Part) -> Vec<bool> {
    let ids: BTreeSet<i64> =
        part.faces.iter().map(|(_, id)| *id).chain(part.nodes.iter().copied()).collect();
    let applies = |path: &str, id: i64| {
        let all = reader.get(&format!("{path}/id")).is_some_and(|id| id.as_str() == Some("all"));
        (id != NONE || all) && is_for(reader, path, id)
    };
    let first = |id: i64| applies(path, id) && !earlier.iter().any(|before| applies(before, id));
    let is_selected: BTreeMap<i64, bool> = ids.into_iter().map(|id| (id, first(id))).collect();
    let mut selected: Vec<bool> =
        part.nodes.iter().map(|id| *id != NONE && is_selected[id]).collect();
    for (face, id) in &part.faces {
        if is_selected[id] {
            face.iter().for_each(|node| selected[*node as usize] = true);
        }
    }
    selected
}

/// Holds of all parts.
pub(super) fn holds(
    reader: &mut Reader<'_>,
    geometry: &Geometry,
    steps: Steps,
    quadratic: bool,
) -> Vec<Vec<Hold>> {
    let mut holds = vec![Vec::new(); geometry.parts.len()];
    let mut free: Vec<Vec<Axes>> =
        geometry.parts.iter().map(|part| vec![[true; 3]; part.nodes.len()]).collect();
    let paths = reader.items("boundary_conditions/dirichlet_boundary");
    for (c, path) in paths.iter().enumerate() {
        if let Some(file) = reader.text(path) {
            let message = format!("displacements from the file {file} are not imported");
            reader.refuse(path, message);
            continue;
        }
        let axes = axes(reader, path);
        let Some(displaced) = displacement(reader, path, axes) else { continue };
        for (n, part) in geometry.parts.iter().enumerate() {
            let selected = nodes(reader, path, &paths[..c], part);
            for (held, selected) in held(&selected, axes, &mut free[n]) {
                let condition = Condition { path, displaced: &displaced, held };
                holds[n].extend(hold(reader, &condition, part, &selected, (steps, quadratic)));
            }
        }
    }
    holds
}

/// Components that a condition newly constrains at its selected nodes, with the nodes grouped by these
/// components.
fn held(selected: &[bool], axes: Axes, free: &mut [Axes]) -> Vec<(Axes, Vec<bool>)> {
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
    displaced: &'a Displacement,
    held: Axes,
}

/// Hold of some nodes of a part.
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
    let chosen: Vec<Vec3> =
        points.iter().zip(selected).filter(|(_, is)| **is).map(|(p, _)| *p).collect();
    let displaced = condition.displaced;
    let motion = displaced
        .motion(&chosen, steps)
        .or_else(|| displaced.common_translation(&chosen, steps))
        .or_else(|| displaced.as_expressions(&chosen, steps));
    if motion.is_none() {
        reader.refuse(condition.path, NO_EXPRESSION);
    }
    Some(Hold { axes: condition.held, ..Hold::new(region, motion?) })
}

/// Region of nodes. For quadratic elements it includes edge midpoints, which a list of numbers cannot contain.
pub(super) fn region(
    part: &Part,
    points: &[Vec3],
    selected: &[bool],
    quadratic: bool,
) -> Option<Region> {
    let (mut points, mut selected) = (points.to_vec(), selected.to_vec());
    let mut numbers = part.mesh.numbers.clone();
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
            numbers.push(u32::MAX);
        }
    }
    choose::region(&points, &numbers, &selected)
}

/// Prescribed motion of an obstacle.
pub(super) fn obstacle(
    reader: &mut Reader<'_>,
    solid: &Rigid,
    bounds: Aabb,
    steps: Steps,
) -> Motion {
    let Some(id) = solid.surface else { return Motion::Fixed };
    for path in reader.items("boundary_conditions/obstacle_displacements") {
        if !is_for(reader, &path, id) {
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
    let nothing = || vec![Signal::zero(); 3];
    let read = |reader: &mut Reader<'_>, paths: &[String]| -> Option<Vec<Signal>> {
        let dimension = Dimension::ACCELERATION;
        paths.iter().map(|item| reader.signal(item, dimension)).collect()
    };
    let checked = |reader: &mut Reader<'_>, path: &str| -> Vec<Signal> {
        let items = reader.items(path);
        if items.len() != 3 {
            reader.refuse(path, "there must be three components");
            return nothing();
        }
        read(reader, &items).unwrap_or_else(nothing)
    };
    if items.is_empty() {
        return vec![nothing(); volumes.len()];
    }
    if !by_volume {
        return vec![checked(reader, path); volumes.len()];
    }
    let sides: Vec<Vec<Signal>> =
        items.iter().map(|item| checked(reader, &format!("{item}/value"))).collect();
    let signals_of_volume = |volume: &i64| {
        let first = items.iter().position(|item| is_for(reader, item, *volume));
        first.map_or_else(nothing, |n| sides[n].clone())
    };
    volumes.iter().map(signals_of_volume).collect()
}

/// Refuses unsupported conditions that are not empty.
pub(super) fn refuse_unsupported(reader: &mut Reader<'_>) {
    reader.only(
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
