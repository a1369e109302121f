//! The JSON header of the page; `page/film.js` has its types.

use crate::arrows::MAX_COMPONENT;
use crate::frames::QUANTISATION_LEVELS;
use crate::page::PageMode;
use crate::scalar::Scalar;
use crate::survey::{Survey, obstacles};
use crate::table;
use resile_math::Vec3;
use resile_math::units::Units;
use resile_record::{Columns, Playback, PlayedBody, Role, StillBody};
use serde::Serialize;
use std::collections::BTreeMap;

/// Format version, for reading programs.
const VERSION: u32 = 2;

/// The header of a page.
#[derive(Debug, Serialize)]
pub(crate) struct Header<'a> {
    version: u32,
    growing: bool,
    live: bool,
    made: String,
    title: &'a str,
    up: [f64; 3],
    bounds: Vec<f64>,
    outline: Vec<[f64; 3]>,
    bodies: Vec<Body<'a>>,
    planes: Vec<Plane<'a>>,
    triangles: usize,
    lines: usize,
    points: usize,
    /// Counts of what is inside of solids; `None` if the page does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<InsideCounts>,
    times: &'a [f64],
    /// What frames show, if it is no motion; empty if no frame has a caption.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    captions: Vec<Option<String>>,
    /// Whether frames are mode shapes, between which there are no states.
    shapes: bool,
    groups: &'a [usize],
    fields: Vec<Field<'a>>,
    arrows: Vec<ArrowField<'a>>,
    history: Table,
    /// For each SI unit, the unit in which its values are displayed; empty if the scene is in SI units.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    units: BTreeMap<String, DisplayedUnit>,
}

/// Numbers of points and tetrahedra inside of solids.
#[derive(Debug, Serialize)]
struct InsideCounts {
    points: usize,
    tetrahedra: usize,
}

/// A unit of the scene that replaces an SI unit.
#[derive(Debug, Serialize)]
struct DisplayedUnit {
    symbol: String,
    /// Value of the SI unit in this unit.
    factor: f64,
}

/// A moving body or a fixed obstacle.
#[derive(Debug, Serialize)]
struct Body<'a> {
    name: &'a str,
    kind: &'static str,
    /// Number of vertices.
    vertices: usize,
    /// Quantisation step of positions (m); `None` for a fixed obstacle.
    #[serde(skip_serializing_if = "Option::is_none")]
    quantum: Option<f64>,
    /// Radius of elastic rods (m).
    #[serde(skip_serializing_if = "Option::is_none")]
    radius: Option<f32>,
    /// Whether the triangles enclose a solid.
    solid: bool,
}

/// An infinite plane, by a point (m) and a unit normal.
#[derive(Debug, Serialize)]
struct Plane<'a> {
    name: &'a str,
    point: [f64; 3],
    normal: [f64; 3],
}

/// A field that colours can show.
#[derive(Debug, Serialize)]
struct Field<'a> {
    name: &'a str,
    unit: &'a str,
    /// Value at the lower end of the colour scale.
    least: f64,
    /// Value at the upper end of the colour scale.
    most: f64,
    beyond: ScaleOverflow,
    /// Number of quantisation steps of the scale.
    levels: u16,
}

/// A field that arrows can show.
#[derive(Debug, Serialize)]
struct ArrowField<'a> {
    name: &'a str,
    /// Largest magnitude of a force (N).
    most: f64,
    /// Length of the stored vector of the largest force.
    longest: i16,
}

/// Whether values exceed the lower and the upper end of a scale.
#[derive(Debug, Serialize)]
struct ScaleOverflow {
    least: bool,
    most: bool,
}

/// The table of the history.
#[derive(Debug, Serialize)]
struct Table {
    columns: Vec<String>,
    /// Number of rows.
    rows: usize,
}

impl<'a> Header<'a> {
    /// Header of a page: the data that the script needs to decode the binary blocks and to build its controls.
    /// `frames_per_block` has the number of frames of each block.
    pub(crate) fn new(
        run: &'a Playback,
        title: &'a str,
        mode: PageMode,
        survey: &'a Survey,
        history: &Columns,
        frames_per_block: &'a [usize],
    ) -> Self {
        let bodies_with_quanta = run.bodies().iter().zip(&survey.quanta);
        let moving = bodies_with_quanta
            .map(|(body, &quantum)| body_entry(body, &survey.reference, Some(quantum)));
        let fixed = obstacles(run).map(|part| body_entry(&part.body, &part.positions, None));
        let drawn_bodies = || run.bodies().iter().chain(obstacles(run).map(|part| &part.body));
        let arrows = survey.arrows.iter().map(|arrows| ArrowField {
            name: &arrows.field,
            most: arrows.max_force,
            longest: MAX_COMPONENT,
        });
        Self {
            version: VERSION,
            growing: mode == PageMode::Growing,
            live: mode == PageMode::Live,
            made: format!("Made by resile {}", env!("CARGO_PKG_VERSION")),
            title,
            up: run.up(),
            bounds: survey.bounds.iter().flat_map(|corner| corner.to_array()).collect(),
            outline: survey.outline.points(),
            bodies: moving.chain(fixed).collect(),
            planes: run.still().iter().filter_map(plane_entry).collect(),
            triangles: drawn_bodies().map(|body| body.triangles.len()).sum(),
            lines: drawn_bodies().map(|body| body.edges.len()).sum(),
            points: drawn_bodies().map(|body| body.points.len()).sum(),
            inside: inside_counts(survey),
            times: run.times(),
            captions: captions(run),
            shapes: run.has_shapes(),
            groups: frames_per_block,
            fields: survey.fields.iter().map(field_entry).collect(),
            arrows: arrows.collect(),
            units: displayed_units(run.scene_units(), survey),
            history: Table {
                columns: table::column_names(history),
                rows: table::row_count(history),
            },
        }
    }
}

/// Captions of all frames; empty if no frame has one.
fn captions(run: &Playback) -> Vec<Option<String>> {
    let captions = run.captions();
    if captions.iter().all(Option::is_none) { Vec::new() } else { captions }
}

/// Counts of what is inside of solids, if there is anything.
fn inside_counts(survey: &Survey) -> Option<InsideCounts> {
    let (points, tetrahedra) = (survey.inside.point_count(), survey.inside.tet_count());
    (tetrahedra > 0).then_some(InsideCounts { points, tetrahedra })
}

/// SI units of the quantities of the history that the page shows.
const HISTORY_UNITS: [&str; 4] = ["J", "m", "m/s", "N"];

/// The units of the scene that replace SI units of the history and of fields, by the SI units.
fn displayed_units(units: Units, survey: &Survey) -> BTreeMap<String, DisplayedUnit> {
    let field_units = survey.fields.iter().map(|field| field.unit.as_str());
    let si_units = HISTORY_UNITS.into_iter().chain(field_units);
    let replacement = |si_unit: &str| {
        let (symbol, factor) = (units.symbol(si_unit), 10f64.powi(units.power_of_si(si_unit)));
        (si_unit.to_owned(), DisplayedUnit { symbol, factor })
    };
    let is_replaced = |si_unit: &&str| !si_unit.is_empty() && units.symbol(si_unit) != *si_unit;
    si_units.filter(is_replaced).map(replacement).collect()
}

/// Entry of a body or obstacle; `positions` are those of all vertices that its triangles may refer to (m).
fn body_entry<'a>(body: &'a PlayedBody, positions: &[[f32; 3]], quantum: Option<f64>) -> Body<'a> {
    Body {
        name: &body.name,
        kind: if body.role == Role::Body { "body" } else { "obstacle" },
        vertices: body.vertices.len(),
        quantum,
        radius: body.radius,
        solid: body.encloses_solid(positions),
    }
}

/// Entry of a field with its colour scale.
fn field_entry(scalar: &Scalar) -> Field<'_> {
    let [scale_min, scale_max] = scalar.scale_ends;
    let [min, max] = scalar.extremes;
    Field {
        name: &scalar.name,
        unit: &scalar.unit,
        least: scale_min,
        most: scale_max,
        beyond: ScaleOverflow { least: min < scale_min, most: max > scale_max },
        levels: QUANTISATION_LEVELS,
    }
}

/// Entry of an infinite plane, from its first triangle; `None` for other parts.
fn plane_entry(part: &StillBody) -> Option<Plane<'_>> {
    let corners = part.body.triangles.first().filter(|_| part.body.role == Role::Plane)?;
    let [a, b, c] =
        corners.map(|corner| Vec3::from_array(part.positions[corner as usize].map(f64::from)));
    let normal = (b - a).cross(c - a).try_normalize()?;
    Some(Plane { name: &part.body.name, point: a.to_array(), normal: normal.to_array() })
}
