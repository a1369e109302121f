//! Whole runs, as executed by `sim run`.

use crate::attended::{TaskOutcome, run_observed};
use crate::counts;
use crate::errors::Failure;
use crate::pool;
use crate::scene::{Scene, Source};
use pyo3::prelude::*;
use rayon::ThreadPool;
use resile_files::{Folder, with_deferred_syncs};
use resile_record::{Existing, Leg, Origin};
use resile_runner::{Profile, Progress, Run, RunError, RunOptions, Stop, earlier_legs, memory};
use resile_watch::{Interrupt, Patrol};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A run to be executed.
#[derive(Debug, Clone)]
pub(crate) struct RequestedRun {
    pub(crate) source: Source,
    /// Folder of the run.
    pub(crate) folder: PathBuf,
    /// Treatment of a folder that contains a run.
    pub(crate) existing: Existing,
    pub(crate) threads: usize,
    /// Number of steps after which the run ends early.
    pub(crate) steps: Option<u64>,
    /// Memory (bytes) that the process may use.
    pub(crate) memory: Option<u64>,
}

/// Executes a run in the current pool, to its end or until the interrupt is raised; calls `report` after each step. The
/// thread of `patrol` enforces its limits.
pub(crate) fn execute(
    request: &RequestedRun,
    interrupt: &Interrupt,
    patrol: &Arc<Patrol>,
    report: impl Fn(Progress),
) -> Result<(), Failure> {
    let mut run = begin(request)?;
    run.watch_on(patrol, interrupt.clone(), request.memory);
    let result = advance(&mut run, interrupt, report);
    let step = run.steps_done();
    let failure = |error| Failure::of_run(step, error);
    // Errors that end a run regularly, such as a failed step, are written to its summary.
    let stop = result.or_else(|error| error.into_stop().map_err(failure))?;
    run.finish(stop).map(drop).map_err(failure)
}

/// Builds the scene, and starts or resumes the run.
fn begin(request: &RequestedRun) -> Result<Run, Failure> {
    let RequestedRun { source, folder, existing, threads, steps, .. } = request.clone();
    let loaded = source.build()?;
    let options = RunOptions {
        folder,
        existing,
        name: source.name_of(&loaded.scene),
        steps,
        profile: Profile::InTotal,
        threads,
        fingerprint: loaded.built.fingerprint(&loaded.scene),
        commit: None,
        set: source.set.clone(),
    };
    let text = source.with_defaults(&loaded.scene);
    let run = Run::start(loaded.scene, loaded.built, options);
    let run = run.map_err(|error| Failure::of_run(0, error))?;
    write_origin(&run, &source, &text, threads)?;
    Ok(run)
}

/// Settles the start and takes the steps of the run until its end or until the interrupt is raised.
fn advance(
    run: &mut Run,
    interrupt: &Interrupt,
    report: impl Fn(Progress),
) -> Result<Stop, RunError> {
    while run.is_settling() {
        if interrupt.is_raised() {
            return Ok(Stop::Interrupted);
        }
        run.settle()?;
    }
    while !run.is_complete() {
        if interrupt.is_raised() {
            return Ok(Stop::Interrupted);
        }
        report(run.advance()?);
    }
    Ok(Stop::Done)
}

/// Writes `run.json` and `scene.ron`, as the program does.
fn write_origin(run: &Run, source: &Source, text: &str, threads: usize) -> Result<(), Failure> {
    let (mut legs, text) = earlier_legs(run, text);
    legs.push(Leg {
        after_step: run.steps_done(),
        command: vec!["resile.run".to_owned()],
        version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        threads,
        text: Leg::checksum(&text),
    });
    let scene_path = match source.origin.exists() {
        true => std::path::absolute(&source.origin).unwrap_or_else(|_| source.origin.clone()),
        false => source.origin.clone(),
    };
    let origin = Origin { scene: scene_path, legs };
    let result = origin.write(run.folder(), &text);
    result.map_err(|error| Failure::file(run.folder().path().display(), error))
}

/// Treatment of a folder that contains a run.
pub(crate) fn existing(resume: bool, force: bool) -> Result<Existing, Failure> {
    match (resume, force) {
        (true, true) => {
            let message = "a run is either resumed or begun anew, not both";
            Err(Failure::argument("resume", "True", message)
                .with_remedy("leave out `force` or `resume`"))
        }
        (true, false) => Ok(Existing::Resume),
        (false, true) => Ok(Existing::Replace),
        (false, false) => Ok(Existing::Refuse),
    }
}

/// Opens a folder that exists.
pub(crate) fn open_folder(path: &Path) -> Result<Folder, Failure> {
    Folder::open(path).map_err(|error| Failure::file(path.display(), error))
}

/// Time for which no file of a temporary folder is synced: longer than any run.
const NEVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Runs a scene, whose output is in `folder`. The files of a `temporary` folder are not synced to disk: a sync takes
/// milliseconds, and after a power failure the folder is of no use. During the run `progress` is called with the number of steps, the
/// requested steps, time (s), Newton iterations, energy (J) and expected energy (J).
#[pyfunction]
#[pyo3(signature = (scene, folder, *, resume = false, force = false, threads = None, steps = None, progress = None,
    temporary = false))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn run(
    py: Python<'_>,
    scene: &Scene,
    folder: PathBuf,
    resume: bool,
    force: bool,
    #[pyo3(from_py_with = counts::threads)] threads: Option<usize>,
    #[pyo3(from_py_with = counts::steps)] steps: Option<u64>,
    progress: Option<Py<PyAny>>,
    temporary: bool,
) -> PyResult<()> {
    let (existing, threads) = (existing(resume, force)?, pool::threads(py, threads)?);
    let (source, memory) = (scene.source(), memory::default_limit());
    let request = RequestedRun { source, folder, existing, threads, steps, memory };
    let pool: &ThreadPool = pool::get(py, threads)?;
    let interrupt = Interrupt::new();
    // The latest progress, until it is reported to Python.
    let unreported: Mutex<Option<Progress>> = Mutex::new(None);
    let note_progress =
        |latest| *unreported.lock().unwrap_or_else(PoisonError::into_inner) = Some(latest);
    let report_progress = |py: Python<'_>| -> PyResult<()> {
        let latest = unreported.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(callback), Some(latest)) = (&progress, latest) else { return Ok(()) };
        let Progress { steps, steps_asked, time, newton, energy, expected_energy, .. } = latest;
        callback.call1(py, (steps, steps_asked, time, newton, energy, expected_energy)).map(drop)
    };
    let execute = || execute(&request, &interrupt, &Patrol::new(memory::used), note_progress);
    let unsynced_folder = match temporary {
        true => Some(open_folder(&request.folder)?),
        false => None,
    };
    let work = || match &unsynced_folder {
        Some(folder) => with_deferred_syncs(folder, NEVER, execute),
        None => execute(),
    };
    let TaskOutcome { result, exception } =
        run_observed(py, pool, &interrupt, work, report_progress)?;
    if let Some(exception) = exception {
        return Err(exception);
    }
    result?;
    report_progress(py)
}
