//! Folders of several runs: those of sweeps and comparisons.

use crate::report::counted;
use resile_record::runs_within;
use resile_sweep::SweepFolder;
use std::path::Path;

/// What a folder without a run is, with a remedy: that of a sweep or a comparison. `None` if it contains no runs.
pub(crate) fn hint_for_runs(path: &Path) -> Option<String> {
    let runs = runs_within(path);
    let (folder, first) = (path.display(), runs.first().map(|run| run.display()));
    let count = counted(runs.len(), "run", "runs");
    match (SweepFolder::is_at(path), first) {
        (true, Some(first)) => Some(format!(
            "it is the folder of a sweep, and holds {count}: name one, such as {first}; `sim sweep {folder}` continues \
             the sweep, and with --collect makes its table"
        )),
        (true, None) => Some(format!(
            "it is the folder of a sweep without runs: `sim sweep {folder}` starts them"
        )),
        (false, Some(first)) => Some(format!("it holds {count}: name one, such as {first}")),
        (false, None) => None,
    }
}
