//! Many runs in one process, each on its own thread.

use crate::attended::{TaskOutcome, run_observed};
use crate::errors::Failure;
use crate::memory_run::MemoryRun;
use crate::pool;
use crate::run::{RequestedRun, existing, make};
use crate::scene::Scene;
use pyo3::prelude::*;
use resile_files::{Folder, MemoryFolder, with_deferred_syncs};
use resile_runner::memory;
use resile_watch::{Interrupt, Patrol};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Time in which a run does not sync its files itself. Each sync takes milliseconds, as many as the rest of a small run.
const SYNC_DELAY: Duration = Duration::from_secs(1);

/// Result of one run, which may be held in memory.
type Outcome = Result<Option<MemoryFolder>, Failure>;

/// Runs scenes in parallel, each single-threaded. As each one ends, `finished` is called with the number of the run
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
    threads: Option<usize>,
    steps: Option<u64>,
) -> PyResult<()> {
    let (existing, threads) = (existing(resume, force)?, pool::threads(py, threads)?);
    let around = match folders.as_ref().and_then(|folders| folders.first()) {
        Some(folder) => Some(parent(folder)?),
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
    let ended: Mutex<Vec<(usize, Outcome)>> = Mutex::new(Vec::new());
    let report_progress = |py: Python<'_>| -> PyResult<()> {
        let new = std::mem::take(&mut *ended.lock().unwrap_or_else(PoisonError::into_inner));
        if let (Some(around), false) = (&around, new.is_empty()) {
            py.detach(|| around.sync_file_system())
                .map_err(|error| unusable(around.path(), &error))?;
        }
        for (number, outcome) in new {
            match outcome {
                Ok(Some(memory)) => finished.call1(py, (number, MemoryRun::new(memory)))?,
                Ok(None) => finished.call1(py, (number, py.None()))?,
                Err(failure) => {
                    finished.call1(py, (number, PyErr::from(failure).into_value(py)))?
                }
            };
        }
        Ok(())
    };
    let pool = pool::get(py, 1)?;
    let note = |number, outcome| {
        ended.lock().unwrap_or_else(PoisonError::into_inner).push((number, outcome));
    };
    let work = || side_by_side(&requests, around.as_ref(), threads, &interrupt, &note);
    let TaskOutcome { result, exception } =
        run_observed(py, pool, &interrupt, work, report_progress)?;
    // Interrupted runs have also ended.
    report_progress(py)?;
    match exception {
        Some(exception) => Err(exception),
        None => Ok(result?),
    }
}

/// Executes the runs on this number of threads, each with its own pool of one thread, so that no run executes work of
/// another. `around` is the folder around those of the runs; without it they are held in memory.
fn side_by_side(
    wanted: &[RequestedRun],
    around: Option<&Folder>,
    threads: usize,
    interrupt: &Interrupt,
    note: &(impl Fn(usize, Outcome) + Sync),
) -> Result<(), Failure> {
    let workers = threads.min(wanted.len()).max(1);
    let pools = (0..workers).map(|_| pool::new(1)).collect::<Result<Vec<_>, _>>()?;
    let (next, patrol) = (AtomicUsize::new(0), Patrol::new(memory::used));
    let queue = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(wanted) = wanted.get(number) else { return };
        if interrupt.is_raised() {
            return;
        }
        // A run that exceeds its limits does not interrupt the others.
        let run = || make(wanted, &interrupt.child(), &patrol, |_| {});
        let outcome = match around {
            Some(around) => with_deferred_syncs(around, SYNC_DELAY, run).map(|()| None),
            None => {
                let memory = MemoryFolder::new();
                memory.mounted(run).map(|()| Some(memory))
            }
        };
        note(number, outcome);
    };
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| pool.install(queue));
        }
    });
    Ok(())
}

/// The existing folder around the folder of a run.
fn parent(folder: &Path) -> Result<Folder, Failure> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    Folder::open(parent).map_err(|error| unusable(parent, &error))
}

fn unusable(folder: &Path, error: &io::Error) -> Failure {
    Failure::File {
        path: folder.display().to_string(),
        message: error.to_string(),
        remedy: String::new(),
    }
}
