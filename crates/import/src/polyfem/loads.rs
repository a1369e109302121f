//! Tractions, pressures and body forces, converted to terms of bodies.

use super::boundary::{applies_to, region};
use super::factor::{self, Factor};
use super::geometry::Geometry;
use super::motion::Steps;
use super::part::Part;
use super::reader::Reader;
use super::selection::NONE;
use super::signal::{self, Signal};
use super::unit::Dimension;
use crate::draft::Region;
use crate::face_parts::selectable_parts;
use crate::ron::{Field, Ron, word};
use resile_mesh::read::{Group, Groups};
use std::collections::BTreeSet;

/// Supported fields of a condition.
const FIELDS: [&str; 4] = ["id", "value", "time_reference", "interpolation"];

/// Message for quantities that depend on position and on a table over time.
pub(super) const NO_EXPRESSION: &str = "a long table, or one that goes on beyond its ends, cannot be expressed where the quantity depends on the place";

/// Largest number of regions into which the faces of a load are divided.
const MAX_REGIONS: usize = 16;

/// Kind of a load on faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoadKind {
    /// Force per rest area.
    Traction,
    /// Force per rest area along the rest normal, outward.
    Normal,
    /// Force per current area along the current outward normal.
    Pressure,
}

/// Kinds of loads by the name of their list in `boundary_conditions`.
const KINDS: [(&str, LoadKind); 3] = [
    ("neumann_boundary", LoadKind::Traction),
    ("normal_aligned_neumann_boundary", LoadKind::Normal),
    ("pressure_boundary", LoadKind::Pressure),
];

/// A load on faces, given by the condition at `path`.
struct FaceLoad<'a> {
    path: &'a str,
    kind: LoadKind,
    /// Force per area (Pa): three components of a traction, or one component along the normal.
    signals: Vec<Signal>,
}

/// Surface loads of a part.
#[derive(Debug, Clone, Default)]
pub(super) struct SurfaceLoads {
    /// Terms of the scene.
    pub(super) terms: Vec<Ron>,
    /// Groups of the mesh of the part that the terms name.
    pub(super) groups: Groups,
}

/// Surface loads of each part. Parts that are flagged in `is_quadratic` also have nodes at the midpoints of edges.
/// Refuses loads that cannot be expressed.
pub(super) fn surface_loads(
    reader: &mut Reader<'_>,
    geometry: &Geometry,
    steps: Steps,
    is_quadratic: &[bool],
) -> Vec<SurfaceLoads> {
    let mut loads = vec![SurfaceLoads::default(); geometry.parts.len()];
    for (name, kind) in KINDS {
        let paths = reader.items(&format!("boundary_conditions/{name}"));
        for (condition_index, path) in paths.iter().enumerate() {
            let Some(load) = read_face_load(reader, path, kind) else { continue };
            for (part_index, part) in geometry.parts.iter().enumerate() {
                let selected = selected_faces(reader, part, path, &paths[..condition_index]);
                if !selected.contains(&true) {
                    continue;
                }
                let SurfaceLoads { terms, groups } = &mut loads[part_index];
                match regions_of_faces(part, &selected, is_quadratic[part_index], groups) {
                    Some(regions) => {
                        for region in regions {
                            terms.extend(terms_of_load(reader, &load, &region, steps));
                        }
                    }
                    None => {
                        reader.refuse(path, "faces that no few regions of a scene select alone");
                    }
                }
            }
        }
    }
    loads
}

/// Reads a load of a kind from the condition at `path`; `None` if it is zero. Refuses pressures that follow the surface
/// and depend on the position.
fn read_face_load<'a>(
    reader: &mut Reader<'_>,
    path: &'a str,
    kind: LoadKind,
) -> Option<FaceLoad<'a>> {
    reader.allow_only(path, &FIELDS);
    let count = if kind == LoadKind::Traction { 3 } else { 1 };
    let signals = signal::read(reader, path, (count, Dimension::STRESS))?;
    if signals.iter().all(|signal| signal.number() == Some(0.0)) {
        return None;
    }
    if kind == LoadKind::Pressure && signals.iter().any(Signal::depends_on_position) {
        let message =
            "pressures that follow the surface and depend on the place cannot be expressed";
        reader.refuse(&format!("{path}/value"), message);
        return None;
    }
    Some(FaceLoad { path, kind, signals })
}

/// Flags the faces of a part to which the condition at `path` applies: those with an id that it selects and none of the
/// conditions at `earlier_paths`.
fn selected_faces(
    reader: &Reader<'_>,
    part: &Part,
    path: &str,
    earlier_paths: &[String],
) -> Vec<bool> {
    let is_selected = |id: i64| {
        id != NONE
            && applies_to(reader, path, id)
            && !earlier_paths.iter().any(|earlier| applies_to(reader, earlier, id))
    };
    part.faces.iter().map(|(_, id)| is_selected(*id)).collect()
}

/// Regions that select the faces that `selected` flags, each face once and no others: one region, or else few of which
/// each selects a part of them. Lists of nodes in a `quadratic` body become groups of its mesh. `None` if there are more
/// than [`MAX_REGIONS`].
fn regions_of_faces(
    part: &Part,
    selected: &[bool],
    quadratic: bool,
    groups: &mut Groups,
) -> Option<Vec<Region>> {
    let points = part.points();
    let flagged = part.faces.iter().zip(selected).filter(|(_, is_selected)| **is_selected);
    let faces: Vec<[u32; 3]> = flagged.map(|((face, _), _)| *face).collect();
    let nodes_of = |indices: &[usize]| -> BTreeSet<u32> {
        indices.iter().flat_map(|index| faces[*index]).collect()
    };
    let all: Vec<usize> = (0..faces.len()).collect();
    let all_nodes = nodes_of(&all);
    let is_exact = part.faces.iter().zip(selected).all(|((face, _), is_selected)| {
        *is_selected || !face.iter().all(|node| all_nodes.contains(node))
    });
    let parts = match is_exact {
        true => vec![all],
        false => selectable_parts(&faces, part.faces.iter().map(|(face, _)| *face)),
    };
    if parts.len() > MAX_REGIONS {
        return None;
    }
    let mut region_of = |nodes: BTreeSet<u32>| {
        let is_inside: Vec<bool> =
            (0..points.len()).map(|node| nodes.contains(&(node as u32))).collect();
        match region(part, &points, &is_inside, quadratic)? {
            Region::Nodes(_) if quadratic => Some(add_group(groups, nodes)),
            region => Some(region),
        }
    };
    parts.iter().map(|indices| region_of(nodes_of(indices))).collect()
}

/// Adds a group of these nodes, and returns its region.
fn add_group(groups: &mut Groups, nodes: BTreeSet<u32>) -> Region {
    let name = format!("loaded-{}", groups.len() + 1);
    let nodes = nodes.into_iter().collect();
    groups.insert(name.clone(), Group { nodes, ..Group::default() });
    Region::Group(name)
}

/// Terms of a load on a region of one part; none if the load is refused.
fn terms_of_load(
    reader: &mut Reader<'_>,
    load: &FaceLoad<'_>,
    region: &Region,
    steps: Steps,
) -> Vec<Ron> {
    if load.signals.iter().any(Signal::depends_on_position) {
        return position_dependent_term(reader, load, region).into_iter().collect();
    }
    if load.kind != LoadKind::Traction {
        return pressure_term(reader, load, region, steps).into_iter().collect();
    }
    let vectors = vectors(reader, load.path, &load.signals, steps);
    let traction_term = |(traction, factor)| {
        let mut fields = vec![Field::new("traction", traction)];
        fields.extend(region_field(region));
        Ron::Struct("Traction", append_factor(fields, factor))
    };
    vectors.into_iter().map(traction_term).collect()
}

/// Field `region` of a term; `None` for the whole surface.
fn region_field(region: &Region) -> Option<Field> {
    match region {
        Region::All => None,
        region => Some(Field::new("region", region.ron())),
    }
}

/// Term of a load that depends on the position, by expressions. Refuses loads that are no expressions.
fn position_dependent_term(
    reader: &mut Reader<'_>,
    load: &FaceLoad<'_>,
    region: &Region,
) -> Option<Ron> {
    let (name, field, sign) = match load.kind {
        LoadKind::Traction => ("Traction", "traction", 1.0),
        LoadKind::Normal | LoadKind::Pressure => ("SurfacePressure", "pressure", -1.0),
    };
    let Some(formulas) = signal::formulas(&load.signals, sign, None) else {
        reader.refuse(load.path, NO_EXPRESSION);
        return None;
    };
    let mut fields = vec![Field::new(field, formulas)];
    fields.extend(region_field(region));
    if load.kind != LoadKind::Traction {
        fields.push(Field::new("follows", word("false")));
    }
    Some(Ron::Struct(name, fields))
}

/// Term of a load along the normal that does not depend on the position. A pressure on the whole surface becomes a
/// potential of the enclosed volume, `Pressure`. Refuses functions of time that need a long table.
fn pressure_term(
    reader: &mut Reader<'_>,
    load: &FaceLoad<'_>,
    region: &Region,
    steps: Steps,
) -> Option<Ron> {
    let outward_force = |time: f64| load.signals[0].at([0.0; 3], time);
    let scaled = fit_factor(reader, load.path, &outward_force, steps)?;
    if load.kind == LoadKind::Pressure && *region == Region::All {
        let fields = vec![Field::new("pressure", scaled.peak)];
        return Some(Ron::Struct("Pressure", append_factor(fields, scaled.factor)));
    }
    let mut fields = vec![Field::new("pressure", -scaled.peak)];
    fields.extend(region_field(region));
    match load.kind {
        LoadKind::Pressure => reader.findings.note(
            "pressure on part of a surface has its direction and area from the start of each step, which is \
             exact in static equilibrium and of first order in the step otherwise",
        ),
        _ => fields.push(Field::new("follows", word("false"))),
    }
    Some(Ron::Struct("SurfacePressure", append_factor(fields, scaled.factor)))
}

/// Appends the field `factor`, if there is a factor.
fn append_factor(mut fields: Vec<Field>, factor: Option<Factor>) -> Vec<Field> {
    fields.extend(factor.map(|factor| Field::new("factor", factor.ron())));
    fields
}

/// Fits a load factor to a function of time (s) of the condition at `path`. Notes sampled tables, and refuses tables
/// with too many points.
fn fit_factor(
    reader: &mut Reader<'_>,
    path: &str,
    function: &dyn Fn(f64) -> f64,
    steps: Steps,
) -> Option<factor::Scaled> {
    let scaled = factor::fit(function, steps);
    match &scaled {
        None => reader.refuse(path, "a function of time that needs a table of too many points"),
        Some(factor::Scaled { factor: Some(Factor::Table { sampled: true, .. }), .. }) => {
            reader.findings.note(
                "loads that are curves over time are tables that agree with them at the ends of steps",
            );
        }
        Some(_) => {}
    }
    scaled
}

/// Converts a time-dependent vector to a sum of constant vectors, each with a factor. Components with the same factor
/// are in one vector, and components that are zero in none.
pub(super) fn vectors(
    reader: &mut Reader<'_>,
    path: &str,
    signals: &[Signal],
    steps: Steps,
) -> Vec<([f64; 3], Option<Factor>)> {
    let mut vectors: Vec<([f64; 3], Option<Factor>)> = Vec::new();
    for (axis, signal) in signals.iter().enumerate() {
        let function = |time: f64| signal.at([0.0; 3], time);
        let scaled = fit_factor(reader, path, &function, steps);
        let Some(scaled) = scaled.filter(|scaled| scaled.peak != 0.0) else { continue };
        match vectors.iter_mut().find(|(_, factor)| *factor == scaled.factor) {
            Some((vector, _)) => vector[axis] = scaled.peak,
            None => {
                let mut vector = [0.0; 3];
                vector[axis] = scaled.peak;
                vectors.push((vector, scaled.factor));
            }
        }
    }
    vectors
}

/// Term of a body force (N/m^3) that depends on the position: the negative right-hand side (m/s^2) times the density
/// (kg/m^3). Refuses right-hand sides that are no expressions.
pub(super) fn body_force(
    reader: &mut Reader<'_>,
    right_hand_side: &[Signal],
    density: f64,
) -> Option<Ron> {
    let force = signal::formulas(right_hand_side, -density, None);
    if force.is_none() {
        reader.refuse("boundary_conditions/rhs", NO_EXPRESSION);
    }
    Some(Ron::Struct("BodyForce", vec![Field::new("force", force?)]))
}

/// Terms of forces that accelerate a body of this mass (kg) uniformly, by the sum of accelerations (m/s^2) times their
/// factors.
pub(super) fn uniform_acceleration_forces(
    mass: f64,
    accelerations: &[([f64; 3], Option<Factor>)],
) -> Vec<Ron> {
    let force = |(acceleration, factor): &([f64; 3], Option<Factor>)| {
        let force = acceleration.map(|component| component * mass);
        let message =
            format!("{mass} kg times {acceleration:?} m/s^2: each body has its own gravity.");
        Ron::Struct(
            "Force",
            append_factor(vec![Field::new("force", force).with_comment(message)], factor.clone()),
        )
    };
    accelerations.iter().map(force).collect()
}
