//! Tractions, pressures and body forces, converted to terms of bodies.

use super::boundary::applies_to;
use super::boundary::region;
use super::factor::{self, Factor};
use super::geometry::{Geometry, Part};
use super::motion::Steps;
use super::reader::Reader;
use super::selection::NONE;
use super::signal::{self, Signal};
use super::unit::Dimension;
use crate::draft::Region;
use crate::ron::{Field, Ron};
use std::collections::BTreeSet;

/// Supported fields of a condition.
const FIELDS: [&str; 4] = ["id", "value", "time_reference", "interpolation"];

/// Message for quantities that depend on position and on a table over time.
pub(super) const NO_EXPRESSION: &str = "a long table, or one that goes on beyond its ends, cannot be expressed where the quantity depends on the place";

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

/// Surface loads of each part, as terms of a scene. `quadratic` parts also have nodes at the midpoints of edges.
pub(super) fn surface_terms(
    reader: &mut Reader<'_>,
    geometry: &Geometry,
    steps: Steps,
    quadratic: bool,
) -> Vec<Vec<Ron>> {
    let mut terms = vec![Vec::new(); geometry.parts.len()];
    for (name, kind) in KINDS {
        let paths = reader.items(&format!("boundary_conditions/{name}"));
        for (condition_index, path) in paths.iter().enumerate() {
            reader.allow_only(path, &FIELDS);
            let count = if kind == LoadKind::Traction { 3 } else { 1 };
            let Some(signals) = signal::read(reader, path, (count, Dimension::STRESS)) else {
                continue;
            };
            if signals.iter().all(|signal| signal.number() == Some(0.0)) {
                continue;
            }
            let depends_on_position = signals.iter().any(Signal::depends_on_position);
            if depends_on_position && kind == LoadKind::Pressure {
                let message =
                    "pressures that follow the surface and depend on the place cannot be expressed";
                reader.refuse(&format!("{path}/value"), message);
                continue;
            }
            for (part, terms) in geometry.parts.iter().zip(&mut terms) {
                let selected = selected_faces(reader, part, path, &paths[..condition_index]);
                if !selected.contains(&true) {
                    continue;
                }
                match region_of_faces(part, &selected, quadratic) {
                    Some(region) => {
                        terms.extend(terms_of_condition(
                            reader,
                            path,
                            kind,
                            (&signals, &region),
                            steps,
                        ));
                    }
                    None => reader.refuse(path, "faces that no region of a scene selects alone"),
                }
            }
        }
    }
    terms
}

/// Flags the faces of a part to which a condition applies. If several conditions select a face, the first one applies;
/// `earlier` has the paths of the previous ones.
fn selected_faces(reader: &Reader<'_>, part: &Part, path: &str, earlier: &[String]) -> Vec<bool> {
    let is_selected = |id: i64| {
        id != NONE
            && applies_to(reader, path, id)
            && !earlier.iter().any(|other| applies_to(reader, other, id))
    };
    part.faces.iter().map(|(_, id)| is_selected(*id)).collect()
}

/// Region that contains all nodes of the faces that `selected` flags, and no other faces; `None` if there is none.
fn region_of_faces(part: &Part, selected: &[bool], quadratic: bool) -> Option<Region> {
    let points = part.points();
    let faces = || part.faces.iter().zip(selected);
    let face_nodes: BTreeSet<u32> =
        faces().filter(|(_, is_selected)| **is_selected).flat_map(|((face, _), _)| *face).collect();
    let is_exact = faces().all(|((face, _), is_selected)| {
        *is_selected || !face.iter().all(|node| face_nodes.contains(node))
    });
    let selected_nodes: Vec<bool> =
        (0..points.len()).map(|node| face_nodes.contains(&(node as u32))).collect();
    region(part, &points, &selected_nodes, quadratic)
        .filter(|region| is_exact && !(quadratic && matches!(region, Region::Nodes(_))))
}

/// Terms of a load condition on one part.
fn terms_of_condition(
    reader: &mut Reader<'_>,
    path: &str,
    kind: LoadKind,
    (signals, region): (&[Signal], &Region),
    steps: Steps,
) -> Vec<Ron> {
    let region_field = || match region {
        Region::All => None,
        region => Some(Field::new("region", region.ron())),
    };
    if signals.iter().any(Signal::depends_on_position) {
        let (name, field, sign) = match kind {
            LoadKind::Traction => ("Traction", "traction", 1.0),
            LoadKind::Normal | LoadKind::Pressure => ("SurfacePressure", "pressure", -1.0),
        };
        let Some(formulas) = signal::formulas(signals, sign, None) else {
            reader.refuse(path, NO_EXPRESSION);
            return Vec::new();
        };
        let mut fields = vec![Field::new(field, formulas)];
        fields.extend(region_field());
        if kind != LoadKind::Traction {
            fields.push(Field::new("follows", Ron::Raw("false".to_owned())));
        }
        return vec![Ron::Struct(name, fields)];
    }
    let outward = match kind {
        LoadKind::Traction => {
            let vectors = vectors(reader, path, signals, steps);
            return vectors
                .into_iter()
                .map(|(traction, factor)| {
                    let mut fields = vec![Field::new("traction", traction)];
                    fields.extend(region_field());
                    Ron::Struct("Traction", append_factor(fields, factor))
                })
                .collect();
        }
        LoadKind::Normal | LoadKind::Pressure => &signals[0],
    };
    let Some(scaled) = fit_factor(reader, path, &|time| outward.at([0.0; 3], time), steps) else {
        return Vec::new();
    };
    if kind == LoadKind::Pressure && *region == Region::All {
        let fields = vec![Field::new("pressure", scaled.peak)];
        return vec![Ron::Struct("Pressure", append_factor(fields, scaled.factor))];
    }
    let mut fields = vec![Field::new("pressure", -scaled.peak)];
    fields.extend(region_field());
    match kind {
        LoadKind::Pressure => reader.findings.note(
            "pressure on part of a surface has its direction and area from the start of each step, which is \
             exact in static equilibrium and of first order in the step otherwise",
        ),
        _ => fields.push(Field::new("follows", Ron::Raw("false".to_owned()))),
    }
    vec![Ron::Struct("SurfacePressure", append_factor(fields, scaled.factor))]
}

/// Appends the field `factor`, if there is a factor.
fn append_factor(mut fields: Vec<Field>, factor: Option<Factor>) -> Vec<Field> {
    fields.extend(factor.map(|factor| Field::new("factor", factor.ron())));
    fields
}

/// Fits a load factor to a function of time. Notes sampled tables, and refuses tables with too many points.
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

/// Converts a time-dependent vector to a vector with one factor, or to one vector and factor per component.
pub(super) fn vectors(
    reader: &mut Reader<'_>,
    path: &str,
    signals: &[Signal],
    steps: Steps,
) -> Vec<([f64; 3], Option<Factor>)> {
    let mut vectors: Vec<([f64; 3], Option<Factor>)> = Vec::new();
    for (axis, signal) in signals.iter().enumerate() {
        let function = |time: f64| signal.at([0.0; 3], time);
        let Some(scaled) = fit_factor(reader, path, &function, steps).filter(|s| s.peak != 0.0)
        else {
            continue;
        };
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

/// Body force (N/m^3) that depends on the position: the negative right-hand side (m/s^2) times the density (kg/m^3).
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

/// Forces that accelerate a body of this mass (kg) uniformly, by accelerations (m/s^2) times their factors.
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
