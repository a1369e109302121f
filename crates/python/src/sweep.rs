//! Runs and results of sweeps, as `sim sweep` computes them.

use crate::errors::Failure;
use crate::pool;
use crate::scene::{Scene, Source};
use pyo3::prelude::*;
use resile_scene::text::{Diagnostic, SceneText};
use resile_sweep::{
    Design, FolderError, Measure, Plan, State, SweepFolder, default_measures, measures_from_lists,
    read_rows, result_columns, table,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// For each run of a sweep of a scene, the values of its parameters as text. `vary` has the parameters as `PATH=VALUES`;
/// `runs` and `seed` are those of random designs.
#[pyfunction]
#[pyo3(signature = (scene, vary, design, runs, seed))]
pub(crate) fn sweep_runs(
    scene: &Scene,
    vary: Vec<String>,
    design: &str,
    runs: Option<usize>,
    seed: u64,
) -> PyResult<Vec<Vec<String>>> {
    let plan = Design::named(design, runs, seed).map_err(|message| {
        match Design::NAMES.contains(&design) {
            true => Failure::argument("runs", runs.unwrap_or(0), message),
            false => Failure::argument("design", design, message),
        }
    })?;
    let plan = Plan::new(&vary, plan).map_err(|errors| first_failure(&errors))?;
    if plan.run_count() == 0 {
        return Err(Failure::argument("vary", "{}", "no parameter is varied").into());
    }
    let base = SceneText::new("scene.ron", scene.source().text().to_owned());
    let replaced = plan.replaced_parameters(&base, &vary);
    if !replaced.is_empty() {
        return Err(first_failure(&replaced).into());
    }
    Ok((0..plan.run_count()).map(|run| plan.values(run).to_vec()).collect())
}

/// The failure of the first of these errors of a plan.
fn first_failure(errors: &[Diagnostic]) -> Failure {
    let Some(error) = errors.first() else { return Failure::argument("vary", "", "") };
    let (path, values) = error.source.split_once('=').unwrap_or((&error.source, ""));
    Failure::argument(&format!("vary[{path:?}]"), values, &error.message).with_remedy(&error.help)
}

/// Parses results such as `total:final`. The failure is that of the first malformed one.
fn to_measures(results: &[String]) -> Result<Vec<Measure>, Failure> {
    measures_from_lists(results).map_err(|errors| {
        let [result, message, help] = errors.into_iter().next().unwrap_or_default();
        Failure::argument("results", result, message).with_remedy(help)
    })
}

/// The results in the table of a sweep: the requested ones, or the default. Raises an exception for malformed ones, and
/// for columns that no table of a run of the scene has.
#[pyfunction]
#[pyo3(signature = (scene, requested))]
pub(crate) fn sweep_results(
    py: Python<'_>,
    scene: &Scene,
    requested: Option<Vec<String>>,
) -> PyResult<Vec<String>> {
    let Some(requested) = requested else { return Ok(default_measures()) };
    let (source, pool) = (scene.source(), pool::get(py, 1)?);
    py.detach(|| pool.install(|| check_columns(&source, &to_measures(&requested)?)))?;
    Ok(requested)
}

/// Fails for a measure whose column no table of a run of the scene has. A scene that cannot be built is that of a run
/// that fails, so nothing is known of its columns.
fn check_columns(source: &Source, measures: &[Measure]) -> Result<(), Failure> {
    let Ok(loaded) = source.build() else { return Ok(()) };
    let known = result_columns(&loaded.built.world.term_names(), &loaded.scene);
    match measures.iter().find(|measure| !known.contains(&measure.column)) {
        Some(Measure { column, .. }) => {
            Err(Failure::Name { kind: "column of results", name: column.clone(), known })
        }
        None => Ok(()),
    }
}

/// The table of the sweep in `folder` as CSV. `broken` has the reasons of the runs whose worker was lost, by the index
/// of the run.
#[pyfunction]
pub(crate) fn sweep_table(
    py: Python<'_>,
    folder: PathBuf,
    broken: BTreeMap<usize, String>,
) -> PyResult<String> {
    py.detach(|| table_of(&folder, &broken)).map_err(PyErr::from)
}

/// The table of the sweep in `folder`; `broken` is that of [`sweep_table`].
fn table_of(folder: &Path, broken: &BTreeMap<usize, String>) -> Result<String, Failure> {
    let failure = |error: FolderError| Failure::file(folder.display(), error);
    let sweep = SweepFolder::open(folder).map_err(failure)?;
    let (stored, scene) = sweep.read().map_err(failure)?;
    let plan = stored.plan().map_err(Failure::Scene)?;
    let measures = to_measures(&stored.results)?;
    let mut rows = read_rows(&sweep, &plan, &measures).map_err(failure)?;
    for row in &mut rows {
        if let Some(reason) = broken.get(&row.run) {
            (row.outcome.state, row.outcome.reason) = (State::Failed, reason.clone());
        }
    }
    let units = SceneText::new("scene.ron", scene).units();
    Ok(table(&plan, &measures, &rows, units))
}
