//! `boundary_conditions`: held nodes, body forces, motions of obstacles.

use super::geometry::{Geometry, Part, Rigid};
use super::motion::{Displacement, Steps};
use super::reader::Reader;
use super::selection::NONE;
use crate::choose;
use crate::draft::{Hold, Key, Motion, Region};
use crate::expression::Expression;
use resile_math::{Aabb, Vec3};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Fields of a condition that are understood.
const FIELDS: [&str; 5] = ["id", "value", "dimension", "time_reference", "interpolation"];

/// Whether the condition at a path is for a number.
fn is_for(reader: &Reader<'_>, path: &str, number: i64) -> bool {
    match reader.get(&format!("{path}/id")) {
        None => true,
        Some(Value::String(all)) => all == "all",
        Some(_) => reader.ids(&format!("{path}/id")).is_some_and(|ids| ids.contains(&number)),
    }
}

/// The displacement at a path; nothing if it cannot be expressed, which is said.
fn displacement(reader: &mut Reader<'_>, path: &str) -> Option<Displacement> {
    reader.only(path, &FIELDS);
    let value = format!("{path}/value");
    if reader.items(&value).len() != 3 {
        reader.refuse(&value, "there must be three components");
        return None;
    }
    if reader.get(&format!("{path}/interpolation")).is_some() {
        reader.refuse(&format!("{path}/interpolation"), "interpolations are not imported");
        return None;
    }
    let mut components = Vec::new();
    for item in reader.items(&value) {
        components.push(reader.expression(&item)?);
    }
    Some(Displacement(<[Expression; 3]>::try_from(components).ok()?))
}

/// A list of values at times in place of expressions.
fn timed(reader: &mut Reader<'_>, path: &str) -> Option<Motion> {
    let times = format!("{path}/time_reference");
    if reader.items(&times).is_empty() {
        return None;
    }
    let values = format!("{path}/value");
    let mut keys = Vec::new();
    for (time, value) in reader.items(&times).iter().zip(reader.items(&values)) {
        let time = reader.number(time)?;
        let translate = reader.triple(&value)?;
        keys.push(Key { time, translate, turn: None });
    }
    Some(Motion::Keys { keys, pivot: None })
}

/// The components that a condition holds, if not all of them.
fn some_components(reader: &Reader<'_>, path: &str) -> Option<[bool; 3]> {
    let list = reader.get(&format!("{path}/dimension"))?.as_array()?;
    let flags: Vec<bool> = list.iter().filter_map(Value::as_bool).collect();
    <[bool; 3]>::try_from(flags).ok().filter(|flags| flags.contains(&false))
}

/// Nodes of a part that a condition holds: those of its faces, and those that are chosen themselves.
fn nodes(reader: &Reader<'_>, path: &str, part: &Part) -> Vec<bool> {
    let ids: BTreeSet<i64> =
        part.faces.iter().map(|(_, id)| *id).chain(part.nodes.iter().copied()).collect();
    let wanted: BTreeMap<i64, bool> = ids
        .into_iter()
        .map(|id| {
            let all =
                reader.get(&format!("{path}/id")).is_some_and(|id| id.as_str() == Some("all"));
            (id, (id != NONE || all) && is_for(reader, path, id))
        })
        .collect();
    let mut selected: Vec<bool> = part.nodes.iter().map(|id| *id != NONE && wanted[id]).collect();
    for (face, id) in &part.faces {
        if wanted[id] {
            face.iter().for_each(|node| selected[*node as usize] = true);
        }
    }
    selected
}

/// The holds of all parts.
pub(super) fn holds(
    reader: &mut Reader<'_>,
    geometry: &Geometry,
    steps: Steps,
    quadratic: bool,
) -> Vec<Vec<Hold>> {
    let mut holds = vec![Vec::new(); geometry.parts.len()];
    let mut taken: Vec<Vec<bool>> =
        geometry.parts.iter().map(|part| vec![false; part.nodes.len()]).collect();
    for path in reader.items("boundary_conditions/dirichlet_boundary") {
        if let Some(file) = reader.text(&path) {
            let said = format!("displacements from the file {file} are not imported");
            reader.refuse(&path, said);
            continue;
        }
        let motion = timed(reader, &path);
        let displaced = if motion.is_some() { None } else { displacement(reader, &path) };
        if motion.is_none() && displaced.is_none() {
            continue;
        }
        if let Some(flags) = some_components(reader, &path) {
            let said = format!("held components alone ({flags:?}) cannot be expressed");
            reader.refuse(&format!("{path}/dimension"), said);
            continue;
        }
        for (n, part) in geometry.parts.iter().enumerate() {
            let mut selected = nodes(reader, &path, part);
            // The first condition of a node counts.
            for (is, taken) in selected.iter_mut().zip(&mut taken[n]) {
                *is &= !*taken;
                *taken |= *is;
            }
            let points = part.points();
            let Some(region) = region(part, &points, &selected, quadratic) else { continue };
            if matches!(region, Region::Nodes(_)) && quadratic {
                reader.refuse(&path, "nodes of quadratic elements that no box or plane selects");
            }
            let chosen: Vec<Vec3> =
                points.iter().zip(&selected).filter(|(_, is)| **is).map(|(p, _)| *p).collect();
            let motion = match (&motion, &displaced) {
                (Some(motion), _) => Some(motion.clone()),
                (None, Some(displaced)) => displaced.motion(&chosen, steps),
                _ => None,
            };
            match motion {
                Some(motion) => holds[n].push(Hold::new(region, motion)),
                None => reader.refuse(&path, "a displacement that is no rigid motion"),
            }
        }
    }
    holds
}

/// The region of nodes; of quadratic elements with the middles of edges, which no list of numbers may have.
fn region(part: &Part, points: &[Vec3], selected: &[bool], quadratic: bool) -> Option<Region> {
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

/// The motion of an obstacle.
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
        if let Some(motion) = timed(reader, &path) {
            return motion;
        }
        let Some(displacement) = displacement(reader, &path) else { break };
        match displacement.motion(&[bounds.min, bounds.max], steps) {
            Some(motion) => return motion,
            None => reader.refuse(&path, "a displacement that is no rigid motion"),
        }
    }
    Motion::Fixed
}

/// The acceleration of each volume (m/s^2). In the source the right side points against it.
pub(super) fn accelerations(reader: &mut Reader<'_>, volumes: &[i64]) -> Vec<[f64; 3]> {
    let path = "boundary_conditions/rhs";
    let mut result = vec![[0.0; 3]; volumes.len()];
    let items = reader.items(path);
    let by_volume = items.iter().any(|item| reader.get(&format!("{item}/value")).is_some());
    let constant = |reader: &mut Reader<'_>, path: &str| -> Option<[f64; 3]> {
        let items = reader.items(path);
        let mut components = [0.0; 3];
        if items.len() != 3 {
            reader.refuse(path, "there must be three components");
            return None;
        }
        for (component, item) in components.iter_mut().zip(&items) {
            let expression = reader.expression(item)?;
            let Some(number) = expression.number() else {
                reader.refuse(item, "body forces that depend on place or time cannot be expressed");
                return None;
            };
            *component = -number + 0.0;
        }
        Some(components)
    };
    match by_volume {
        false if items.is_empty() => {}
        false => result.fill(constant(reader, path).unwrap_or_default()),
        true => {
            for item in &items {
                let value = constant(reader, &format!("{item}/value")).unwrap_or_default();
                for (volume, result) in volumes.iter().zip(&mut result) {
                    if is_for(reader, item, *volume) {
                        *result = value;
                    }
                }
            }
        }
    }
    result
}

/// Conditions that are not imported are refused where they are not empty.
pub(super) fn others(reader: &mut Reader<'_>) {
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
    for name in [
        "neumann_boundary",
        "normal_aligned_neumann_boundary",
        "pressure_boundary",
        "pressure_cavity",
    ] {
        for item in reader.items(&format!("boundary_conditions/{name}")) {
            let values = reader.items(&format!("{item}/value"));
            let zero = |reader: &mut Reader<'_>, path: &String| {
                reader.expression(path).and_then(|value| value.number()) == Some(0.0)
            };
            if values.is_empty() || !values.iter().all(|value| zero(reader, value)) {
                reader.refuse(
                    &item,
                    "tractions and pressures on parts of a surface are not imported",
                );
            }
        }
    }
    if reader.flag("boundary_conditions/periodic_boundary/enabled", false) {
        reader.refuse(
            "boundary_conditions/periodic_boundary",
            "periodic boundaries cannot be expressed",
        );
    }
}
