//! The JSON header of the page; `page/film.js` has its types.

use crate::arrows::MAX_COMPONENT;
use crate::frames::QUANTISATION_LEVELS;
use crate::page::PageMode;
use crate::survey::{Survey, obstacles};
use crate::table;
use resile_math::Vec3;
use resile_math::units::Units;
use resile_record::{Columns, Playback, PlayedBody, Role, StillBody};
use serde::Serialize;
use std::collections::BTreeMap;

/// Format version, for reading programs.
const VERSION: u32 = 2;

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
    times: &'a [f64],
    groups: &'a [usize],
    fields: Vec<Field<'a>>,
    arrows: Vec<ArrowField<'a>>,
    history: Table,
    /// How numbers in a unit of SI are shown; empty if the scene is in SI.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    units: BTreeMap<String, ShownUnit>,
}

/// A unit of the scene in place of one of SI.
#[derive(Debug, Serialize)]
struct ShownUnit {
    symbol: String,
    /// Number of these units in one of SI.
    factor: f64,
}

#[derive(Debug, Serialize)]
struct Body<'a> {
    name: &'a str,
    kind: &'static str,
    vertices: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantum: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    radius: Option<f32>,
    solid: bool,
}

#[derive(Debug, Serialize)]
struct Plane<'a> {
    name: &'a str,
    point: [f64; 3],
    normal: [f64; 3],
}

#[derive(Debug, Serialize)]
struct Field<'a> {
    name: &'a str,
    unit: &'a str,
    least: f64,
    most: f64,
    beyond: ScaleOverflow,
    levels: u16,
}

#[derive(Debug, Serialize)]
struct ArrowField<'a> {
    name: &'a str,
    most: f64,
    longest: i16,
}

/// Whether values exceed the ends of a scale.
#[derive(Debug, Serialize)]
struct ScaleOverflow {
    least: bool,
    most: bool,
}

#[derive(Debug, Serialize)]
struct Table {
    columns: Vec<String>,
    rows: usize,
}

impl<'a> Header<'a> {
    /// Header of a page: what the script needs to decode the binary blocks and to build its controls.
    pub(crate) fn new(
        run: &'a Playback,
        title: &'a str,
        showing: PageMode,
        survey: &'a Survey,
        history: &Columns,
        groups: &'a [usize],
    ) -> Self {
        let moving = run.bodies().iter().zip(&survey.quanta);
        let moving = moving.map(|(body, &quantum)| entry(body, &survey.reference, Some(quantum)));
        let still = obstacles(run).map(|part| entry(&part.body, &part.positions, None));
        let all = || run.bodies().iter().chain(obstacles(run).map(|part| &part.body));
        let fields = survey.fields.iter().map(|scalar| Field {
            name: &scalar.name,
            unit: &scalar.unit,
            least: scalar.ends[0],
            most: scalar.ends[1],
            beyond: ScaleOverflow {
                least: scalar.reached[0] < scalar.ends[0],
                most: scalar.reached[1] > scalar.ends[1],
            },
            levels: QUANTISATION_LEVELS,
        });
        let arrows = survey.arrows.iter().map(|arrows| ArrowField {
            name: &arrows.field,
            most: arrows.most,
            longest: MAX_COMPONENT,
        });
        Self {
            version: VERSION,
            growing: showing == PageMode::Growing,
            live: showing == PageMode::Live,
            made: format!("Made by resile {}", env!("CARGO_PKG_VERSION")),
            title,
            up: run.up(),
            bounds: survey.bounds.iter().flat_map(|corner| corner.to_array()).collect(),
            outline: survey.outline.points(),
            bodies: moving.chain(still).collect(),
            planes: run.still().iter().filter_map(plane).collect(),
            triangles: all().map(|body| body.triangles.len()).sum(),
            lines: all().map(|body| body.edges.len()).sum(),
            points: all().map(|body| body.points.len()).sum(),
            times: run.times(),
            groups,
            fields: fields.collect(),
            arrows: arrows.collect(),
            units: shown_units(run.scene_units(), survey),
            history: Table { columns: table::names(history), rows: table::rows(history) },
        }
    }
}

/// SI units of the history that the page shows.
const UNITS_OF_HISTORY: [&str; 4] = ["J", "m", "m/s", "N"];

/// The units of the scene in place of those of SI, of the history and of all fields.
fn shown_units(units: Units, survey: &Survey) -> BTreeMap<String, ShownUnit> {
    let of_fields = survey.fields.iter().map(|field| field.unit.as_str());
    let all = UNITS_OF_HISTORY.into_iter().chain(of_fields);
    let shown = |si: &str| {
        let (symbol, factor) = (units.symbol(si), 10f64.powi(units.power_of_si(si)));
        (si.to_owned(), ShownUnit { symbol, factor })
    };
    all.filter(|si| !si.is_empty() && units.symbol(si) != *si).map(shown).collect()
}

fn entry<'a>(body: &'a PlayedBody, positions: &[[f32; 3]], quantum: Option<f64>) -> Body<'a> {
    let kind = if body.role == Role::Body { "body" } else { "obstacle" };
    let (vertices, radius) = (body.vertices.len(), body.radius);
    Body {
        name: &body.name,
        kind,
        vertices,
        quantum,
        radius,
        solid: body.encloses_solid(positions),
    }
}

/// Plane of a drawn piece; `None` for other parts.
fn plane(part: &StillBody) -> Option<Plane<'_>> {
    let corners = part.body.triangles.first().filter(|_| part.body.role == Role::Plane)?;
    let [a, b, c] =
        corners.map(|corner| Vec3::from_array(part.positions[corner as usize].map(f64::from)));
    let normal = (b - a).cross(c - a).try_normalize()?;
    Some(Plane { name: &part.body.name, point: a.to_array(), normal: normal.to_array() })
}
