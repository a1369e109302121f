//! Prediction of time and memory of a sweep.

use crate::load::{assemble, cannot_fit};
use resile_assembly::estimate::{estimated_memory, estimated_seconds};
use resile_record::{HistoryWriter, ProbesTable, Table as _};
use resile_runner::memory;
use resile_scene::description::Analysis;
use resile_scene::text::SceneText;
use resile_sweep::{Checked, PROBES, Plan};
use std::path::Path;

/// Total number of elements up to which the bodies of every run are built before the first one starts, which
/// takes some seconds. For larger sweeps only the first and last run are built; intersections in others appear as
/// failed runs in the table.
const MAX_BUILT_ELEMENTS: f64 = 2e5;

/// The column of `path.csv` that the history lacks.
const LOAD_TIME: &str = "load_time";

/// Predicted cost of the runs of a sweep without contact.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PredictedCost {
    /// Columns of the history of the first run; empty if it was not built.
    pub(super) columns: Vec<String>,
    /// Time (s) of all runs together; `None` if it cannot be predicted.
    pub(super) seconds: Option<f64>,
    /// Memory (bytes) of the largest run.
    pub(super) memory: u64,
    /// Steps of all runs together.
    pub(super) steps: u64,
}

/// Builds the scenes of the runs and collects their errors.
pub(super) fn assembled(
    path: &Path,
    plan: &Plan,
    base: &SceneText,
    checked: &mut Checked,
) -> PredictedCost {
    let (count, mut built) = (plan.run_count(), 0u32);
    let mut sum = PredictedCost { seconds: Some(0.0), ..PredictedCost::default() };
    let mut all = true;
    for run in 0..count {
        if !(all || run + 1 == count) {
            continue;
        }
        let Ok(text) = plan.text(base, run) else { continue };
        let too_large =
            text.read().ok().and_then(|scene| cannot_fit(&scene, memory::default_limit()));
        if let Some(problem) = too_large {
            checked.add(plan, run, [text.diagnose(&problem)]);
            continue;
        }
        match assemble(path, &text, |problem| text.diagnose(problem)) {
            Ok(loaded) => {
                if sum.columns.is_empty() {
                    let terms = loaded.built.world.term_names();
                    let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
                    sum.columns = HistoryWriter::columns(&terms);
                    if matches!(loaded.scene.analysis, Analysis::ArcLength { .. }) {
                        sum.columns.push(LOAD_TIME.to_owned());
                    }
                    let probes = &loaded.scene.output.probes;
                    sum.columns.extend(probes.iter().flat_map(|probe| of_probe(&probe.name)));
                }
                let elements: usize =
                    loaded.built.meshes.iter().map(|mesh| mesh.element_count()).sum();
                all = elements as f64 * count as f64 <= MAX_BUILT_ELEMENTS;
                let seconds = estimated_seconds(&loaded.scene, &loaded.built);
                sum.seconds = sum.seconds.zip(seconds).map(|(sum, seconds)| sum + seconds);
                sum.memory = sum.memory.max(estimated_memory(&loaded.built));
                sum.steps += loaded.scene.time.steps();
                built += 1;
                checked.add(plan, run, loaded.warnings);
            }
            Err(errors) => checked.add(plan, run, errors),
        }
    }
    let scale = count as f64 / f64::from(built.max(1));
    let seconds = sum.seconds.map(|seconds| seconds * scale);
    PredictedCost { seconds, steps: (sum.steps as f64 * scale) as u64, ..sum }
}

/// The columns of a probe as results name them.
fn of_probe(name: &str) -> impl Iterator<Item = String> {
    let numbers = ProbesTable::names().into_iter().skip(3);
    numbers.map(move |column| format!("{PROBES}{name}.{column}"))
}
