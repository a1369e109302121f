//! Many runs in one process, each on its own thread.

use crate::attended::{TaskOutcome, run_observed};
use crate::counts;
use crate::errors::Failure;
use crate::memory_run::MemoryRun;
use crate::pool;
use crate::run::{RequestedRun, execute, existing, open_folder};
use crate::scene::Scene;
use pyo3::prelude::*;
use resile_files::{Folder, MemoryFolder, with_deferred_syncs};
use resile_runner::memory;
use resile_watch::{Interrupt, Patrol};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Time in which a run does not sync its files itself. A sync takes milliseconds, as long as all other work of a small
/// run.
const SYNC_DELAY: Duration = Duration::from_secs(1);

/// Result of one run, which may be held in memory.
type Outcome = Result<Option<MemoryFolder>, Failure>;

/// Runs scenes in parallel, each single-threaded. As each one ends, `finished` is called with the index of the run
/// and the exception that prevented its start, or the run in memory. With folders it is `None`, and runs of less than
/// [`SYNC_DELAY`] are synced to disk together, before that call.
#[pyfunction]
#[pyo3(signature = (scenes, folders, finished, *, resume = false, force = false, threads = None, steps = None))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn run_many(
    py: Python<'_>,
    scenes: Vec<PyRef<'_, Scene>>,
    folders: Option<Vec<PathBuf>>,
    finished: Py<PyAny>,
    resume: bool,
    force: bool,
    #[pyo3(from_py_with = counts::threads)] threads: Option<usize>,
    #[pyo3(from_py_with = counts::steps)] steps: Option<u64>,
) -> PyResult<()> {
    let (existing, threads) = (existing(resume, force)?, pool::threads(py, threads)?);
    let parent_folder = match folders.as_ref().and_then(|folders| folders.first()) {
        Some(folder) => Some(open_parent(folder)?),
        None => None,
    };
    let folders = folders.unwrap_or_else(|| vec![MemoryFolder::path().to_owned(); scenes.len()]);
    if scenes.len() != folders.len() {
        let message = format!("{} folders for {} scenes", folders.len(), scenes.len());
        return Err(Failure::argument("out", folders.len(), message).into());
    }
    let memory = memory::default_limit();
    let request = |(scene, folder): (&PyRef<'_, Scene>, PathBuf)| RequestedRun {
        source: scene.source(),
        folder,
        existing,
        threads: 1,
        steps,
        memory,
    };
    let requests: Vec<RequestedRun> = scenes.iter().zip(folders).map(request).collect();
    drop(scenes);
    let interrupt = Interrupt::new();
    // Indices and outcomes of runs that have ended and are not reported to Python.
    let unreported: Mutex<Vec<(usize, Outcome)>> = Mutex::new(Vec::new());
    let report_progress = |py: Python<'_>| {
        let ended = std::mem::take(&mut *unreported.lock().unwrap_or_else(PoisonError::into_inner));
        report_runs(py, ended, parent_folder.as_ref(), &finished)
    };
    let pool = pool::get(py, 1)?;
    let note_outcome = |index, outcome| {
        unreported.lock().unwrap_or_else(PoisonError::into_inner).push((index, outcome));
    };
    let work = || {
        execute_in_parallel(&requests, parent_folder.as_ref(), threads, &interrupt, &note_outcome)
    };
    let TaskOutcome { result, exception } =
        run_observed(py, pool, &interrupt, work, report_progress)?;
    // Interrupted runs have also ended.
    report_progress(py)?;
    match exception {
        Some(exception) => Err(exception),
        None => Ok(result?),
    }
}

/// Syncs the files of runs that have ended in `parent_folder`, and calls `finished` for each of them.
fn report_runs(
    py: Python<'_>,
    ended: Vec<(usize, Outcome)>,
    parent_folder: Option<&Folder>,
    finished: &Py<PyAny>,
) -> PyResult<()> {
    if let (Some(parent_folder), false) = (parent_folder, ended.is_empty()) {
        py.detach(|| parent_folder.sync_file_system())
            .map_err(|error| Failure::file(parent_folder.path().display(), error))?;
    }
    for (index, outcome) in ended {
        match outcome {
            Ok(Some(memory)) => finished.call1(py, (index, MemoryRun::new(memory)))?,
            Ok(None) => finished.call1(py, (index, py.None()))?,
            Err(failure) => finished.call1(py, (index, PyErr::from(failure).into_value(py)))?,
        };
    }
    Ok(())
}

/// Executes the runs on this number of threads, each with its own pool of one thread, so that no run executes work of
/// another. Calls `note_outcome` with the index and the outcome of each. `parent_folder` contains the folders of the
/// runs; without it the runs are held in memory.
fn execute_in_parallel(
    requests: &[RequestedRun],
    parent_folder: Option<&Folder>,
    threads: usize,
    interrupt: &Interrupt,
    note_outcome: &(impl Fn(usize, Outcome) + Sync),
) -> Result<(), Failure> {
    let worker_count = threads.min(requests.len()).max(1);
    let pools = (0..worker_count).map(|_| pool::new(1)).collect::<Result<Vec<_>, _>>()?;
    let (next_index, patrol) = (AtomicUsize::new(0), Patrol::new(memory::used));
    let execute_remaining = || loop {
        let index = next_index.fetch_add(1, Ordering::Relaxed);
        let Some(request) = requests.get(index) else { return };
        if interrupt.is_raised() {
            return;
        }
        // A run that exceeds its limits does not interrupt the others.
        let run = || execute(request, &interrupt.child(), &patrol, |_| {});
        let outcome = match parent_folder {
            Some(parent_folder) => {
                with_deferred_syncs(parent_folder, SYNC_DELAY, run).map(|()| None)
            }
            None => {
                let memory = MemoryFolder::new();
                memory.mounted(run).map(|()| Some(memory))
            }
        };
        note_outcome(index, outcome);
    };
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| pool.install(execute_remaining));
        }
    });
    Ok(())
}

/// Opens the folder that contains the folder of a run.
fn open_parent(folder: &Path) -> Result<Folder, Failure> {
    open_folder(folder.parent().unwrap_or(Path::new(".")))
}
