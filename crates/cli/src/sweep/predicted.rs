//! Prediction of the time and memory of a sweep.

use crate::load::{assemble, cannot_fit};
use resile_assembly::estimate::{estimated_memory, estimated_seconds};
use resile_runner::memory;
use resile_scene::text::SceneText;
use resile_sweep::{Checked, Plan, result_columns};
use std::path::Path;

/// Number of elements of all runs together up to which every run is built before the first run starts, which takes some
/// seconds. Of larger sweeps, only the first and the last run are built; intersections in the others appear as failed
/// runs in the table.
const MAX_BUILT_ELEMENTS: f64 = 2e5;

/// Predicted cost of the runs of a sweep, without the cost of contact.
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

/// Builds the scenes of the runs, adds their errors and warnings to `checked`, and predicts the cost. If only the first
/// and the last run are built, their mean is extrapolated to all runs.
pub(super) fn predict_cost(
    path: &Path,
    plan: &Plan,
    base: &SceneText,
    checked: &mut Checked,
) -> PredictedCost {
    let (count, mut built_count) = (plan.run_count(), 0u32);
    let mut total = PredictedCost { seconds: Some(0.0), ..PredictedCost::default() };
    let mut builds_all = true;
    for run in 0..count {
        if !builds_all && run + 1 < count {
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
                if total.columns.is_empty() {
                    let terms = loaded.built.world.term_names();
                    total.columns = result_columns(&terms, &loaded.scene);
                }
                let elements: usize =
                    loaded.built.meshes.iter().map(|mesh| mesh.element_count()).sum();
                builds_all = elements as f64 * count as f64 <= MAX_BUILT_ELEMENTS;
                let seconds = estimated_seconds(&loaded.scene, &loaded.built);
                total.seconds = total
                    .seconds
                    .zip(seconds)
                    .map(|(total_seconds, seconds)| total_seconds + seconds);
                total.memory = total.memory.max(estimated_memory(&loaded.built));
                total.steps += loaded.scene.time.steps();
                built_count += 1;
                checked.add(plan, run, loaded.warnings);
            }
            Err(errors) => checked.add(plan, run, errors),
        }
    }
    let scale = count as f64 / f64::from(built_count.max(1));
    let seconds = total.seconds.map(|seconds| seconds * scale);
    PredictedCost { seconds, steps: (total.steps as f64 * scale) as u64, ..total }
}
