//! The worker process of one run.

use super::{SweepArguments, folder_failure};
use crate::load::assemble;
use crate::options::set_threads;
use crate::run::{advance, settle};
use crate::signals::Signals;
use crate::stream::print;
use crate::{Failure, NOT_COMPLETE, origin};
use anyhow::Context as _;
use resile_record::Status;
use resile_runner::{Profile, Run, RunOptions, Stop, memory};
use resile_scene::text::SceneText;
use resile_sweep::{Claim, Plan, State, StoredPlan, SweepFolder, reasons};
use resile_watch::Interrupt;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Interval between lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Computes one run until the run or the parent process ends. `processes` is the number of such processes, which share
/// the memory.
pub(super) fn work(
    arguments: &SweepArguments,
    run: usize,
    processes: u16,
) -> Result<ExitCode, Failure> {
    // One thread: results do not depend on the number of threads, and concurrent runs use all processors.
    let threads = set_threads(Some(1))?;
    let signals = Signals::listen(Duration::ZERO)?;
    signals.raise_at_end_of_input();
    let folder = SweepFolder::open(&arguments.scene.scene).map_err(folder_failure)?;
    let (stored, text) = folder.read().map_err(folder_failure)?;
    let plan = stored.plan().map_err(|_| Failure::Input("error: the plan is damaged".into()))?;
    let file = folder.path().join("scene.ron").display().to_string();
    let base = SceneText::new(file, text);
    let limit = memory::default_limit().map(|limit| limit / u64::from(processes.max(1)));
    let worker_run = WorkerRun {
        folder: &folder,
        stored: &stored,
        plan: &plan,
        base: &base,
        run,
        threads,
        limit,
    };
    match worker_run.execute(&signals, arguments.retry)? {
        State::Complete => Ok(ExitCode::SUCCESS),
        _ => Ok(ExitCode::from(NOT_COMPLETE)),
    }
}

/// A run of a sweep.
struct WorkerRun<'a> {
    folder: &'a SweepFolder,
    stored: &'a StoredPlan,
    plan: &'a Plan,
    base: &'a SceneText,
    run: usize,
    threads: usize,
    /// Memory limit (bytes) of the process, if known.
    limit: Option<u64>,
}

impl WorkerRun<'_> {
    /// Claims the run and executes it, unless it is complete. A scene with errors counts as failed.
    fn execute(&self, signals: &Signals, retry: bool) -> Result<State, Failure> {
        let stop = || signals.interrupt.is_raised();
        let claim = self.folder.claim(self.run, retry, &stop).map_err(anyhow::Error::from)?;
        let (lock, existing) = match claim {
            Claim::Done(state) => return Ok(state),
            Claim::Stopped => return Ok(State::Interrupted),
            Claim::Run { lock, existing } => (lock, existing),
        };
        let scene = Path::new(&self.stored.scene);
        let result = self
            .plan
            .text(self.base, self.run)
            .and_then(|text| assemble(scene, &text, |problem| text.diagnose(problem)));
        let loaded = match result {
            Ok(loaded) => loaded,
            Err(errors) => {
                let reason = reasons(&errors);
                self.folder.write_failure(self.run, &reason).map_err(folder_failure)?;
                return Ok(State::Failed);
            }
        };
        signals.defer_termination();
        let options = RunOptions {
            folder: lock.path().to_owned(),
            existing,
            name: self.stored.name.clone(),
            steps: self.stored.steps,
            profile: Profile::InTotal,
            threads: self.threads,
            fingerprint: loaded.fingerprint,
            commit: origin::commit(),
            set: [&self.stored.set[..], &self.plan.assignments(self.run)].concat(),
        };
        let text = loaded.text;
        let run = Run::start_locked(loaded.scene, loaded.built, options, lock)
            .context("the run cannot begin")?;
        origin::write(&run, scene, &text, self.threads)?;
        self.take_steps(run, &signals.interrupt)
    }

    /// Takes all steps, reports progress to the parent process, and completes the files of the run.
    fn take_steps(&self, mut run: Run, interrupt: &Interrupt) -> Result<State, Failure> {
        run.watch(interrupt.clone(), resile_watch::Activity::unobserved(), self.limit);
        let total = run.steps_asked();
        print(format_args!("{} {total}", run.steps_done()))?;
        let mut last_report = Instant::now();
        let stop = match settle(&mut run, interrupt, |_| ())? {
            Some(stop) => stop,
            None => advance(&mut run, interrupt, |progress| {
                if last_report.elapsed() >= PROGRESS_INTERVAL {
                    last_report = Instant::now();
                    // An error means that the parent has ended; then the end of standard input stops this process.
                    let _ = print(format_args!("{} {total}", progress.steps));
                }
                Ok(())
            })?,
        };
        let is_interrupted = matches!(stop, Stop::Interrupted);
        let summary = run.finish(stop).context("the run's files could not be written")?;
        Ok(match summary.status {
            Status::Complete => State::Complete,
            _ if is_interrupted => State::Interrupted,
            _ => State::Failed,
        })
    }
}
