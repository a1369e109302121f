//! Many runs in one process, each on its own thread.

use crate::attended::{TaskOutcome, run_observed};
use crate::errors::Failure;
use crate::pool;
use crate::run::{RequestedRun, existing, make};
use crate::scene::Scene;
use pyo3::prelude::*;
use resile_files::without_syncs;
use resile_watch::Interrupt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Result of one run.
type Outcome = Result<(), Failure>;

/// Runs scenes in parallel, each single-threaded. As each one ends, `finished` is called with the number of the run
/// and the exception that prevented its start, if any. Files in `temporary` folders are not synced to disk.
#[pyfunction]
#[pyo3(signature = (scenes, folders, finished, *, resume = false, force = false, threads = None, steps = None, temporary = false))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn run_many(
    py: Python<'_>,
    scenes: Vec<PyRef<'_, Scene>>,
    folders: Vec<PathBuf>,
    finished: Py<PyAny>,
    resume: bool,
    force: bool,
    threads: Option<usize>,
    steps: Option<u64>,
    temporary: bool,
) -> PyResult<()> {
    if scenes.len() != folders.len() {
        let message = format!("{} folders for {} scenes", folders.len(), scenes.len());
        return Err(Failure::argument("out", folders.len(), message).into());
    }
    let (existing, threads) = (existing(resume, force)?, pool::threads(py, threads)?);
    let of = |(scene, folder): (&PyRef<'_, Scene>, PathBuf)| RequestedRun {
        source: scene.source(),
        folder,
        existing,
        threads: 1,
        steps,
    };
    let wanted: Vec<RequestedRun> = scenes.iter().zip(folders).map(of).collect();
    drop(scenes);
    let interrupt = Interrupt::new();
    let ended: Mutex<Vec<(usize, Outcome)>> = Mutex::new(Vec::new());
    let report_progress = |py: Python<'_>| -> PyResult<()> {
        let new = std::mem::take(&mut *ended.lock().unwrap_or_else(PoisonError::into_inner));
        for (number, outcome) in new {
            let error = outcome.err().map(|failure| PyErr::from(failure).into_value(py));
            finished.call1(py, (number, error))?;
        }
        Ok(())
    };
    let pool = pool::of(py, 1)?;
    let note = |number, outcome| {
        ended.lock().unwrap_or_else(PoisonError::into_inner).push((number, outcome));
    };
    let work = || side_by_side(&wanted, temporary, threads, &interrupt, &note);
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
/// another.
fn side_by_side(
    wanted: &[RequestedRun],
    temporary: bool,
    threads: usize,
    interrupt: &Interrupt,
    note: &(impl Fn(usize, Outcome) + Sync),
) -> Result<(), Failure> {
    let workers = threads.min(wanted.len()).max(1);
    let pools = (0..workers).map(|_| pool::new(1)).collect::<Result<Vec<_>, _>>()?;
    let next = AtomicUsize::new(0);
    let queue = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(wanted) = wanted.get(number) else { return };
        if interrupt.is_raised() {
            return;
        }
        let run = || make(wanted, interrupt, |_| {});
        note(number, if temporary { without_syncs(run) } else { run() });
    };
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| pool.install(queue));
        }
    });
    Ok(())
}
