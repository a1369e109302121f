//! `sim run`.

mod arguments;

pub(crate) use arguments::{RunArguments, StaticArguments};

use crate::coverage::ResumedOutput;
use crate::follow::LivePage;
use crate::load::{BuiltScene, load_within};
use crate::options::set_threads;
use crate::progress::{Display, Style};
use crate::report::run_report;
use crate::run_warnings::{WarningContext, run_warnings};
use crate::signals::Signals;
use crate::stream::{diagnose, note, print};
use crate::{Failure, NOT_COMPLETE, origin};
use anyhow::Context;
use resile_files::Refusal;
use resile_record::{
    Existing, Fingerprint, OutputError, RunFolder, Status, Summary, read_checkpoint,
};
use resile_runner::{Profile, Progress, Run, RunError, RunOptions, Stop, memory};
use resile_scene::description::Analysis;
use resile_watch::Interrupt;
use resile_world::{SettlingStep, UnsupportedMotion};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Runs a scene to its end, an interruption or a failure.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    let prepared = prepare(arguments)?;
    // The scene is built on a thread of the pool, as the steps are, because allocators reuse freed memory per thread.
    rayon::scope(|_| {
        let loaded =
            load_within(&arguments.scene.with_duration(arguments.duration), prepared.limit)?;
        run_loaded(arguments, prepared, loaded)
    })
}

/// Number of threads, signal handlers and memory limit, which are set up before a scene is read.
pub(crate) struct Prepared {
    pub(crate) threads: usize,
    pub(crate) signals: Signals,
    /// Limit of memory (bytes).
    pub(crate) limit: Option<u64>,
}

/// Starts the thread pool and installs signal handlers.
pub(crate) fn prepare(arguments: &RunArguments) -> Result<Prepared, Failure> {
    let threads = set_threads(arguments.work.threads)?;
    let signals = Signals::listen(Duration::ZERO)?;
    Ok(Prepared { threads, signals, limit: memory_limit(arguments.memory)? })
}

/// Runs a loaded scene to its end and reports the outcome; returns the exit code.
pub(crate) fn run_loaded(
    arguments: &RunArguments,
    prepared: Prepared,
    loaded: BuiltScene,
) -> Result<ExitCode, Failure> {
    let Prepared { threads, signals, limit } = prepared;
    if !arguments.work.quiet {
        loaded.warnings.iter().for_each(diagnose);
    }
    signals.defer_termination();
    let interrupt = &signals.interrupt;
    let text = loaded.text.clone();
    let analysis = loaded.scene.analysis;
    let warning_context = WarningContext::new(&loaded.scene);
    let mut run = start(arguments, loaded, threads)?;
    origin::write(&run, &arguments.scene.scene, &text, threads)?;
    for file in run.repaired_files() {
        note(format_args!("note: {} was damaged and has been rewritten", file.display()));
    }
    let page = match arguments.view {
        true => Some(LivePage::start(run.folder().path())?),
        false => None,
    };
    if analysis == Analysis::Static && !arguments.work.quiet {
        for line in missing_supports(run.unsupported()) {
            note(format_args!("note: {line}"));
        }
    }
    let mut display = Display::new(Style::choose(&arguments.work), run.steps_asked(), run.units());
    run.watch(interrupt.clone(), display.activity(), limit);
    let mut last_progress = None;
    let stop = match settle(&mut run, interrupt, |step| display.settling(step))? {
        Some(stop) => stop,
        None => advance(&mut run, interrupt, |progress| {
            display.show(progress);
            last_progress = Some(*progress);
            Ok(())
        })?,
    };
    display.finish();
    let folder = run.folder().path().to_path_buf();
    let advice = match &stop {
        Stop::Limit(_) => Advice::RaiseLimit,
        Stop::Unsolvable(_) => Advice::ChangeScene,
        Stop::Failed(_) if analysis == Analysis::Static => {
            let lines = missing_supports(run.unsupported_in_next_step()).into_iter();
            Advice::Support(lines.map(|line| format!("\n   = help: {line}")).collect())
        }
        Stop::Failed(_) if matches!(analysis, Analysis::ArcLength { .. }) => Advice::ShortenPath,
        _ if run.is_settling() => Advice::SkipSettling,
        _ => Advice::ShortenSteps,
    };
    let summary = run.finish(stop).context("the run's files could not be written")?;
    run_warnings(&summary, &warning_context).into_iter().for_each(note);
    if !arguments.work.quiet {
        print(run_report(&summary, last_progress.as_ref(), &folder))?;
    }
    if let Some(page) = page {
        page.end();
    }
    Ok(exit_code(&summary, &advice, &folder))
}

/// The limit of memory (bytes), if the system reports memory use.
fn memory_limit(limit: Option<u64>) -> Result<Option<u64>, Failure> {
    if limit.is_some() && memory::used().is_none() {
        return Err(Failure::Input(
            "error: --memory: this system does not tell how much memory a program uses".to_owned(),
        ));
    }
    Ok(limit.or_else(memory::default_limit))
}

/// Opens or resumes the run of a scene in its output folder. Suggests `--resume` only if the existing run can be
/// resumed. Refuses folders of `sim modes` and `sim buckle`, and trace files that must not be replaced.
pub(crate) fn start(
    arguments: &RunArguments,
    loaded: BuiltScene,
    threads: usize,
) -> Result<Run, Failure> {
    let name = loaded.title().to_owned();
    let folder = arguments.output.clone().unwrap_or_else(|| PathBuf::from("out").join(&name));
    let existing = match (arguments.force, arguments.resume) {
        (true, _) => Existing::Replace,
        (_, true) => Existing::Resume,
        (false, false) => Existing::Refuse,
    };
    if existing == Existing::Resume && has_mode_shapes(&RunFolder::at(&folder)) {
        return Err(Failure::Input(format!(
            "error: {} holds the results of `sim modes` or `sim buckle`, which cannot be resumed; {REPLACE_HINT}",
            folder.display()
        )));
    }
    let fingerprint = loaded.fingerprint;
    let start_failure = |error| match error {
        RunError::Output(OutputError::Exists { folder })
            if arguments.never_resumes || !can_resume(&folder, fingerprint) =>
        {
            Failure::Input(format!(
                "error: {} already holds a run; {REPLACE_HINT}",
                folder.display()
            ))
        }
        error => run_failure(error),
    };
    if let Some(trace) = &arguments.trace {
        Run::check_trace(trace, existing).map_err(start_failure)?;
    }
    let options = RunOptions {
        folder,
        existing,
        name,
        steps: arguments.steps,
        profile: if arguments.profile { Profile::EachStep } else { Profile::InTotal },
        threads,
        fingerprint: loaded.fingerprint,
        commit: origin::commit(),
        set: arguments.scene.with_duration(arguments.duration).set,
    };
    let output =
        (existing == Existing::Resume).then(|| ResumedOutput::of(&loaded.scene, &options.folder));
    let mut run = Run::start(loaded.scene, loaded.built, options).map_err(start_failure)?;
    if let Some(output) = output {
        output.note_changes(run.steps_done());
        note_shorter_duration(&run);
    }
    if let Some(trace) = &arguments.trace {
        run.trace(trace).map_err(start_failure)?;
    }
    Ok(run)
}

/// Prints a note if a resumed run has more steps than are requested.
fn note_shorter_duration(run: &Run) {
    let (done, asked) = (run.steps_done(), run.steps_asked());
    if done > asked {
        note(format_args!(
            "note: the run has {done} steps, and {asked} are requested: it stays as it is"
        ));
    }
}

/// The remedies for an existing run that cannot be resumed.
const REPLACE_HINT: &str = "--force replaces it, -o chooses another folder";

/// Whether a folder has mode shapes among its frames.
fn has_mode_shapes(folder: &RunFolder) -> bool {
    folder.modes().exists() || folder.buckling().exists()
}

/// Whether `--resume` can continue the run in a folder with this scene.
fn can_resume(folder: &Path, scene: Fingerprint) -> bool {
    let folder = RunFolder::at(folder);
    !has_mode_shapes(&folder) && read_checkpoint(&folder.checkpoint(), scene).is_ok()
}

/// The failure of a run that cannot begin: of the input (exit code 2) if existing files are the cause, and otherwise of
/// the work.
fn run_failure(error: RunError) -> Failure {
    match error {
        RunError::Output(
            OutputError::Exists { .. }
            | OutputError::NothingToResume { .. }
            | OutputError::Busy { .. }
            | OutputError::NotARun { .. }
            | OutputError::History { .. }
            | OutputError::Trace { .. }
            | OutputError::Frame { .. },
        )
        | RunError::Checkpoint(_)
        | RunError::ReplacesInitialRun { .. } => Failure::Input(format!("error: {error}")),
        RunError::Output(OutputError::Io { ref source, .. }) => match Refusal::of(source) {
            None | Some(Refusal::FileOnPath) => Failure::Work(error.into()),
            Some(_) => Failure::Input(format!("error: {error}; nothing was written")),
        },
        other => Failure::Work(other.into()),
    }
}

/// Runs all steps of settling, the search for static equilibrium at the start. Returns the reason if the run ends in
/// them.
pub(crate) fn settle(
    run: &mut Run,
    interrupt: &Interrupt,
    mut report: impl FnMut(&SettlingStep),
) -> Result<Option<Stop>, Failure> {
    loop {
        if run.is_settling() && interrupt.is_raised() {
            return Ok(Some(Stop::Interrupted));
        }
        match run.settle() {
            Ok(Some(step)) => report(&step),
            Ok(None) => return Ok(None),
            Err(error) => return stop_after(error).map(Some),
        }
    }
}

/// Runs all steps. `report` observes each step; its error stops the run as failed, with that reason.
pub(crate) fn advance(
    run: &mut Run,
    interrupt: &Interrupt,
    mut report: impl FnMut(&Progress) -> Result<(), String>,
) -> Result<Stop, Failure> {
    while !run.is_complete() {
        if interrupt.is_raised() {
            return Ok(Stop::Interrupted);
        }
        match run.advance() {
            Ok(progress) => {
                if let Err(reason) = report(&progress) {
                    return Ok(Stop::Failed(reason));
                }
            }
            Err(error) => return stop_after(error),
        }
    }
    Ok(Stop::Done)
}

/// The reason for which a run stops after a failed step; errors of files become failures of the command.
fn stop_after(error: RunError) -> Result<Stop, Failure> {
    error.into_stop().map_err(|error| Failure::Work(error.into()))
}

/// Advice after a failed run.
enum Advice {
    /// Resume with a higher limit.
    RaiseLimit,
    /// Add the supports of a static analysis that this text lists, if any.
    Support(String),
    /// Support bodies before the first step, or do not settle.
    SkipSettling,
    /// Restart the equilibrium path with shorter steps.
    ShortenPath,
    /// Change the scene: shorter steps do not help.
    ChangeScene,
    /// Resume with shorter substeps.
    ShortenSteps,
}

/// Maximum number of bodies that an advice names.
const MAX_NAMED_BODIES: usize = 3;

/// The rigid motions that nothing but contact and joints resists, as one line for each of the first bodies.
fn missing_supports(
    unsupported: impl IntoIterator<Item = (String, Vec<UnsupportedMotion>)>,
) -> Vec<String> {
    let line = |(body, motions): (String, Vec<UnsupportedMotion>)| {
        let motions: Vec<String> = motions.iter().map(UnsupportedMotion::to_string).collect();
        format!("nothing but contact and joints prevents \"{body}\" from {}", motions.join(", "))
    };
    unsupported.into_iter().take(MAX_NAMED_BODIES).map(line).collect()
}

/// Reports how a run ended and how to continue it; returns the exit code.
fn exit_code(summary: &Summary, advice: &Advice, folder: &Path) -> ExitCode {
    let (reason, folder) = (&summary.reason, folder.display());
    match (summary.status, advice) {
        (Status::Complete, _) => return ExitCode::SUCCESS,
        (Status::Interrupted, _) => note(format_args!(
            "interrupted after step {} of {}; add --resume to the same command to go on",
            summary.steps_done, summary.steps_asked
        )),
        (Status::Failed, Advice::RaiseLimit) => note(format_args!(
            "error: {reason}\nThe last good state is in {folder}. To go on from there, add --resume and a \
             higher limit to the same command."
        )),
        (Status::Failed, Advice::Support(supports)) if supports.is_empty() => note(format_args!(
            "error: {reason}\nThe last equilibrium is in {folder}. Look at its last frame, and apply the load in smaller \
             steps, with a smaller `time.step`."
        )),
        (Status::Failed, Advice::Support(supports)) => note(format_args!(
            "error: {reason}{supports}\nThe last equilibrium is in {folder}. Add `hold` or `attach` to these bodies, unless \
             contact or joints are meant to carry them."
        )),
        (Status::Failed, Advice::SkipSettling) => note(format_args!(
            "error: {reason}\nNo time has passed; the frame in {folder} shows where it was left. A scene may also leave out \
             `settle: true`."
        )),
        (Status::Failed, Advice::ShortenPath) => note(format_args!(
            "error: {reason}\nThe last equilibrium is in {folder}. A path cannot be resumed: begin it anew with --force."
        )),
        (Status::Failed, Advice::ChangeScene) => note(format_args!(
            "error: {reason}\nThe last good state is in {folder}. Smaller steps do not help: change the scene, and start \
             again with --force."
        )),
        (Status::Failed, Advice::ShortenSteps) => note(format_args!(
            "error: {reason}\nThe last good state is in {folder}. To go on from there with smaller substeps, \
             add --resume --set solver.max_halvings=12 to the same command; if that does not help, \
             look at the last frame, and start again with a smaller `time.step`."
        )),
    }
    ExitCode::from(NOT_COMPLETE)
}
