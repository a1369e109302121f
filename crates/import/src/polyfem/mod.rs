//! `PolyFEM`'s JSON (Schneider et al., polyfem.github.io), `.json`.
//!
//! Source of the format: its documentation and `json-specs/input-spec.json`.

mod boundary;
mod document;
mod effect;
mod factor;
mod fields;
mod geometry;
mod initial;
mod loads;
mod material;
mod mesh_file;
mod motion;
mod obstacles;
mod part;
mod placement;
mod preset;
mod reader;
mod selection;
mod sequence;
mod settings;
mod signal;
mod time_factor;
mod transformation;
mod unit;
mod volumes;
mod writer;

use crate::draft::Draft;
use crate::naming::Names;
use crate::refusal::{Findings, ImportError, ImportRefusal};
use crate::{GeneratedMesh, Recorded};
use document::Document;
use reader::Reader;
use serde_json::Value;
use std::path::Path;
use unit::{Dimension, Unit, Units};
use writer::ProblemWriter;

/// Whether a text is a problem of `PolyFEM` and not a scene in JSON.
pub(crate) fn is_polyfem(text: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(text).ok();
    let fields = value.as_ref().and_then(Value::as_object);
    fields.is_some_and(|fields| {
        !fields.contains_key("version")
            && ["geometry", "common", "meshes", "body_params"]
                .iter()
                .any(|name| fields.contains_key(*name))
    })
}

/// Value of the field `common` in the text of a problem; `None` without it or for invalid JSON.
pub(crate) fn common_of(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    value.get("common")?.as_str().map(str::to_owned)
}

/// Result of converting a problem.
#[derive(Debug)]
pub(crate) struct ConvertedProblem {
    pub(crate) draft: Draft,
    pub(crate) files: Vec<GeneratedMesh>,
    pub(crate) recorded: Option<Recorded>,
}

/// Supported fields of a problem.
const FIELDS: [&str; 22] = [
    "geometry",
    "materials",
    "units",
    "root_path",
    "space",
    "time",
    "contact",
    "solver",
    "boundary_conditions",
    "initial_conditions",
    "output",
    "tests",
    "input",
    "preset_problem",
    "authen",
    "patch",
    "state_solve",
    "optimization",
    "default_params",
    "_comment",
    "comment",
    "defaults",
];
/// Tolerance that `PolyFEM` applies to norms without a `margin`.
const DEFAULT_MARGIN: f64 = 1e-5;

/// Converts the `text` of a problem `file` to a scene whose paths are relative to the folder `base`.
///
/// # Errors
/// If the text or a common file is no JSON or cannot be read. Features that cannot be expressed go to `findings`.
pub(crate) fn read(
    file: &Path,
    text: String,
    base: &Path,
    findings: &mut Findings,
) -> Result<ConvertedProblem, ImportError> {
    let document = Document::read(file, text)?;
    refuse_old_schema(file, &document)?;
    let mut reader = Reader { document: &document, findings, units: Units::default() };
    reader.units = read_units(&mut reader);
    reader.allow_only("", &FIELDS);
    fields::check(&mut reader);
    let geometry = geometry::read(&mut reader);
    boundary::refuse_unsupported(&mut reader);
    effect::note_ineffective(&mut reader, &geometry);
    let names = Names::default();
    let mut writer = ProblemWriter { base, reader, geometry, names, files: Vec::new() };
    let draft = writer.draft(file);
    let recorded = recorded_norms(&writer.reader, draft.duration, draft.step);
    let files = writer.files;
    Ok(ConvertedProblem { draft, files, recorded })
}

/// Refuses problems of the schema before `geometry`.
fn refuse_old_schema(file: &Path, document: &Document) -> Result<(), ImportError> {
    let has = |name: &str| document.value.get(name).is_some();
    let Some(old) = ["meshes", "body_params"].into_iter().find(|name| has(name)) else {
        return Ok(());
    };
    if has("geometry") {
        return Ok(());
    }
    let (_, line) = document.location(old);
    let what = format!(
        "`{old}` belongs to the old schema of PolyFEM; the present one has `geometry`, `materials` and `time`"
    );
    Err(ImportError::Refused(vec![ImportRefusal { file: file.to_owned(), line, what }]))
}

/// Reads the base units of the file; SI units where they are missing. Refuses unknown units.
fn read_units(reader: &mut Reader<'_>) -> Units {
    let base_dimensions =
        [("length", Dimension::LENGTH), ("mass", Dimension::MASS), ("time", Dimension::TIME)];
    let [length, mass, time] = base_dimensions.map(|(name, dimension)| {
        let path = format!("units/{name}");
        let Some(text) = reader.text(&path).filter(|text| !text.is_empty()) else { return 1.0 };
        let unit = Unit::parse(text).filter(|unit| unit.dimension == dimension);
        if unit.is_none() {
            reader.refuse(&path, format!("`{text}` is no unit of {name} that is known"));
        }
        unit.map_or(1.0, |unit| unit.factor)
    });
    Units::new(length, mass, time)
}

/// Norms in `tests`, converted to SI units, with the number of steps after which they were recorded. `duration` and
/// `step` are those of the problem (s). `None` without all of the norms, and for norms of the error of a known solution:
/// a `reference`, or that of a `preset_problem` that depends on time.
fn recorded_norms(reader: &Reader<'_>, duration: f64, step: f64) -> Option<Recorded> {
    let tests = reader.get("tests")?;
    let has_known_solution = reader.get("preset_problem").is_some() && !reader.is_static()
        || !reader.items("output/reference/solution").is_empty();
    if has_known_solution {
        return None;
    }
    let step_count = (duration / step).round() as u64;
    let steps = match tests.get("time_steps") {
        None => 1,
        Some(Value::String(text)) if text == "all" || text == "static" => step_count,
        Some(value) => value.as_u64().unwrap_or(1),
    };
    let norm = |name: &str| tests.get(name).and_then(Value::as_f64);
    let margin = norm("margin").unwrap_or(DEFAULT_MARGIN);
    // The L^p norm of the displacement has the unit of length to the power 1 + 3/p.
    let length = reader.units.si_value(Dimension::LENGTH);
    let length_to_half = length.sqrt();
    let length_to_eighth = length_to_half.sqrt().sqrt();
    Some(Recorded {
        steps,
        margin,
        l2: norm("err_l2")? * length * length * length_to_half,
        h1_semi: norm("err_h1_semi")? * length * length_to_half,
        l8: norm("err_lp")? * length * length_to_eighth * length_to_eighth * length_to_eighth,
        linf: norm("err_linf")? * length,
    })
}
