//! `boundary_conditions`: Dirichlet conditions and motions of obstacles, and unsupported conditions.

use super::geometry::{Geometry, Obstacle};
use super::loads::NO_EXPRESSION;
use super::motion::{Displacement, Steps};
use super::part::Part;
use super::preset;
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

/// Whether the condition at `path` applies to the selection id `id`: its field `id` has that id, is `all`, or is
/// missing.
pub(super) fn applies_to(reader: &Reader<'_>, path: &str, id: i64) -> bool {
    match reader.get(&format!("{path}/id")) {
        None => true,
        Some(Value::String(name)) => name == "all",
        Some(_) => reader.ids(&format!("{path}/id")).is_some_and(|ids| ids.contains(&id)),
    }
}

/// Reads the displacement (m) of the condition at `path`, with zero for components that `axes` does not flag. Refuses
/// other fields and displacements that cannot be expressed.
fn displacement(reader: &mut Reader<'_>, path: &str, axes: Axes) -> Option<Displacement> {
    reader.allow_only(path, &FIELDS);
    let signals = signal::read(reader, path, (3, Dimension::LENGTH))?;
    let mut signals = <[Signal; 3]>::try_from(signals).ok()?;
    for (signal, _) in signals.iter_mut().zip(axes).filter(|(_, is_prescribed)| !is_prescribed) {
        *signal = Signal::zero();
    }
    Some(Displacement(signals))
}

/// Reads which displacement components the condition at `path` prescribes; all of them without the field `dimension`.
fn read_axes(reader: &mut Reader<'_>, path: &str) -> Axes {
    let path = format!("{path}/dimension");
    let Some(value) = reader.get(&path) else { return [true; 3] };
    let flags: Option<Vec<bool>> =
        value.as_array().and_then(|list| list.iter().map(Value::as_bool).collect());
    flags.and_then(|flags| Axes::try_from(flags).ok()).unwrap_or_else(|| {
        reader.refuse(&path, "this must be three of true and false");
        [true; 3]
    })
}

/// Flags the nodes of a part that the condition at `path` constrains: nodes of selected faces, and directly selected
/// nodes. A condition does not apply to faces and nodes that one of the conditions at `earlier_paths` selects.
fn constrained_nodes(
    reader: &Reader<'_>,
    path: &str,
    earlier_paths: &[String],
    part: &Part,
) -> Vec<bool> {
    let face_ids = part.faces.iter().map(|(_, face_id)| *face_id);
    let ids: BTreeSet<i64> = face_ids.chain(part.node_ids.iter().copied()).collect();
    // Faces and nodes that no selection rule of the geometry selects have the id `NONE`. A condition selects them only
    // if its id is `all`; one without an id does not.
    let is_for_all = |condition: &str| {
        reader.get(&format!("{condition}/id")).and_then(Value::as_str) == Some("all")
    };
    let selects = |condition: &str, id: i64| {
        (id != NONE || is_for_all(condition)) && applies_to(reader, condition, id)
    };
    let is_constrained =
        |id: i64| selects(path, id) && !earlier_paths.iter().any(|earlier| selects(earlier, id));
    let is_id_constrained: BTreeMap<i64, bool> =
        ids.into_iter().map(|id| (id, is_constrained(id))).collect();
    // Nodes without an id are constrained by their faces alone, even if the condition is for all.
    let mut constrained: Vec<bool> =
        part.node_ids.iter().map(|id| *id != NONE && is_id_constrained[id]).collect();
    for (face, face_id) in &part.faces {
        if is_id_constrained[face_id] {
            face.iter().for_each(|node| constrained[*node as usize] = true);
        }
    }
    constrained
}

/// Reads the Dirichlet conditions as holds of each part, for a simulation with these `steps`. Parts that are flagged in
/// `is_quadratic` also have nodes at the midpoints of edges. Refuses conditions that cannot be expressed.
pub(super) fn holds(
    reader: &mut Reader<'_>,
    geometry: &Geometry,
    steps: Steps,
    is_quadratic: &[bool],
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
        let axes = read_axes(reader, path);
        let Some(displacement) = displacement(reader, path, axes) else { continue };
        for (part_index, part) in geometry.parts.iter().enumerate() {
            let quadratic = is_quadratic[part_index];
            let condition = Condition { path, displacement: &displacement, steps, quadratic };
            let constrained = constrained_nodes(reader, path, &paths[..condition_index], part);
            for (axes, selected) in newly_constrained(&constrained, axes, &mut free[part_index]) {
                holds[part_index].extend(hold(reader, &condition, part, axes, &selected));
            }
        }
    }
    if preset::is_elastic_exact(reader) {
        for (part_index, part) in geometry.parts.iter().enumerate() {
            holds[part_index].extend(exact_hold(reader, part, steps, is_quadratic[part_index]));
        }
    }
    holds
}

/// The hold of the boundary of a part at the manufactured solution.
fn exact_hold(reader: &mut Reader<'_>, part: &Part, steps: Steps, quadratic: bool) -> Option<Hold> {
    let displacement = Displacement(preset::displacement(reader));
    let path = "preset_problem";
    let condition = Condition { path, displacement: &displacement, steps, quadratic };
    let mut on_boundary = vec![false; part.node_ids.len()];
    let nodes = part.faces.iter().flat_map(|(face, _)| face);
    nodes.for_each(|node| on_boundary[*node as usize] = true);
    hold(reader, &condition, part, [true; 3], &on_boundary)
}

/// Groups the nodes flagged in `constrained` by the components that a condition on `axes` newly constrains: those in
/// `free`, which has the components of each node that no earlier condition constrains. Removes them from `free`.
/// Returns the components of each group with flags of its nodes.
fn newly_constrained(
    constrained: &[bool],
    axes: Axes,
    free: &mut [Axes],
) -> Vec<(Axes, Vec<bool>)> {
    let mut groups: Vec<(Axes, Vec<bool>)> = Vec::new();
    for (node, free_axes) in free.iter_mut().enumerate().filter(|(node, _)| constrained[*node]) {
        let new_axes = [0, 1, 2].map(|k| axes[k] && free_axes[k]);
        *free_axes = [0, 1, 2].map(|k| free_axes[k] && !axes[k]);
        if new_axes == [false; 3] {
            continue;
        }
        match groups.iter_mut().find(|(group_axes, _)| *group_axes == new_axes) {
            Some((_, in_group)) => in_group[node] = true,
            None => {
                let mut in_group = vec![false; constrained.len()];
                in_group[node] = true;
                groups.push((new_axes, in_group));
            }
        }
    }
    groups
}

/// A Dirichlet condition at `path`, for parts with linear or quadratic elements.
struct Condition<'a> {
    path: &'a str,
    displacement: &'a Displacement,
    /// Steps of the simulation.
    steps: Steps,
    quadratic: bool,
}

/// Hold of the components `axes` of the nodes of a part that `selected` flags; `None` without such nodes. Refuses
/// selections and motions that cannot be expressed.
fn hold(
    reader: &mut Reader<'_>,
    condition: &Condition<'_>,
    part: &Part,
    axes: Axes,
    selected: &[bool],
) -> Option<Hold> {
    let points = part.points();
    let region = region(part, &points, selected, condition.quadratic)?;
    if condition.quadratic
        && matches!(region, Region::Nodes(_))
        && !edges_are_on_faces(part, selected)
    {
        let message = "midpoints of edges between held nodes are held, too, although some of the edges are on no held face";
        reader.note(condition.path, message);
    }
    let selected_points: Vec<Vec3> = points
        .iter()
        .zip(selected)
        .filter(|(_, is_selected)| **is_selected)
        .map(|(p, _)| *p)
        .collect();
    let (displacement, steps) = (condition.displacement, condition.steps);
    let motion = displacement
        .motion(&selected_points, steps)
        .or_else(|| displacement.common_translation(&selected_points, steps))
        .or_else(|| displacement.as_expressions(&selected_points, steps));
    if motion.is_none() {
        reader.refuse(condition.path, NO_EXPRESSION);
    }
    Some(Hold { axes, ..Hold::new(region, motion?) })
}

/// Edges of the faces of a part of which `selected` flags all corners.
fn edges_of_selected_faces(part: &Part, selected: &[bool]) -> BTreeSet<[u32; 2]> {
    part.faces
        .iter()
        .filter(|(face, _)| face.iter().all(|node| selected[*node as usize]))
        .flat_map(|([a, b, c], _)| [[*a, *b], [*b, *c], [*c, *a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect()
}

/// Edges of all elements of a part.
fn edges_of(part: &Part) -> BTreeSet<[u32; 2]> {
    let tets = part.mesh.solid().map_or(&[][..], |mesh| &mesh.tets);
    tets.iter()
        .flat_map(|[a, b, c, d]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]])
        .map(|[a, b]| [*a.min(b), *a.max(b)])
        .collect()
}

/// Whether every edge between two nodes that `selected` flags belongs to a face of which it flags all corners.
fn edges_are_on_faces(part: &Part, selected: &[bool]) -> bool {
    let selected_edges = edges_of_selected_faces(part, selected);
    edges_of(part).iter().all(|edge| {
        selected_edges.contains(edge) || !edge.iter().all(|node| selected[*node as usize])
    })
}

/// Region of the nodes that `selected` flags, for nodes of the part at `points` (m); `None` if no node is flagged. In a
/// `quadratic` body it also has the midpoints of the edges of faces with selected corners. In a list of node indices
/// they appear as `u32::MAX`.
pub(super) fn region(
    part: &Part,
    points: &[Vec3],
    selected: &[bool],
    quadratic: bool,
) -> Option<Region> {
    if !quadratic {
        return choose::region(points, &part.mesh.vertex_indices, selected);
    }
    let (selected_edges, edges) = (edges_of_selected_faces(part, selected), edges_of(part));
    let (mut points, mut selected) = (points.to_vec(), selected.to_vec());
    let mut vertex_indices = part.mesh.vertex_indices.clone();
    for [a, b] in edges {
        points.push(0.5 * (points[a as usize] + points[b as usize]));
        selected.push(selected_edges.contains(&[a, b]));
        vertex_indices.push(u32::MAX);
    }
    choose::region(&points, &vertex_indices, &selected)
}

/// Prescribed motion of an obstacle with these bounds (m), for a simulation with these `steps`: that of the first
/// condition for its surface among `obstacle_displacements`, or else among `dirichlet_boundary`. Refuses displacements
/// that are no rigid motion.
pub(super) fn obstacle_motion(
    reader: &mut Reader<'_>,
    obstacle: &Obstacle,
    bounds: Aabb,
    steps: Steps,
) -> Motion {
    let Some(id) = obstacle.surface else { return Motion::Fixed };
    let lists = ["obstacle_displacements", "dirichlet_boundary"];
    let conditions =
        lists.map(|list| reader.items(&format!("boundary_conditions/{list}"))).concat();
    let Some(path) = conditions.iter().find(|path| applies_to(reader, path, id)) else {
        return Motion::Fixed;
    };
    let Some(displacement) = displacement(reader, path, [true; 3]) else { return Motion::Fixed };
    displacement.motion(&[bounds.min, bounds.max], steps).unwrap_or_else(|| {
        reader.refuse(path, "a displacement that is no rigid motion");
        Motion::Fixed
    })
}

/// Right-hand side (m/s^2) for each volume id of `volumes`, which is opposite to the acceleration: one vector for all
/// volumes, or the vector of the first list entry that applies to a volume. Zero if there is none.
pub(super) fn right_hand_sides(reader: &mut Reader<'_>, volumes: &[i64]) -> Vec<Vec<Signal>> {
    let path = "boundary_conditions/rhs";
    let items = reader.items(path);
    if items.is_empty() {
        return vec![zero_vector(); volumes.len()];
    }
    let has_vector =
        |item: &String| reader.get(&format!("{item}/value")).is_some_and(Value::is_array);
    if !items.iter().any(has_vector) {
        return vec![read_acceleration(reader, path); volumes.len()];
    }
    let vectors: Vec<Vec<Signal>> =
        items.iter().map(|item| read_acceleration(reader, &format!("{item}/value"))).collect();
    let vector_of_volume = |volume: &i64| {
        let first = items.iter().position(|item| applies_to(reader, item, *volume));
        first.map_or_else(zero_vector, |index| vectors[index].clone())
    };
    volumes.iter().map(vector_of_volume).collect()
}

/// Three components that are zero.
fn zero_vector() -> Vec<Signal> {
    vec![Signal::zero(); 3]
}

/// Reads the three components (m/s^2) of the vector at `path`. Refuses other numbers of components; the result is then
/// zero.
fn read_acceleration(reader: &mut Reader<'_>, path: &str) -> Vec<Signal> {
    let component_paths = reader.items(path);
    if component_paths.len() != 3 {
        reader.refuse(path, "there must be three components");
        return zero_vector();
    }
    let components = component_paths
        .iter()
        .map(|component_path| reader.signal(component_path, Dimension::ACCELERATION));
    components.collect::<Option<_>>().unwrap_or_else(zero_vector)
}

/// Refuses unknown fields, pressures of enclosed gases and periodic boundaries.
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
            "nodal_neumann_boundary",
        ],
    );
    for item in reader.items("boundary_conditions/nodal_neumann_boundary") {
        reader.refuse(&item, "forces at nodes cannot be expressed");
    }
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
