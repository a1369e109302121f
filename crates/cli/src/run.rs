//! `sim run`.

use crate::arguments::RunArguments;
use crate::load::{Loaded, load};
use crate::progress::{Display, Style};
use crate::report::{shown, table};
use crate::stream::{note, print};
use crate::{Failure, NOT_COMPLETE};
use anyhow::Context;
use resile_record::{Existing, OutputError, Status, Summary};
use resile_scene::run::{Profile, Progress, Run, RunError, RunOptions, Stop};
use resile_world::SettlingStep;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs a scene to its end, or to the first interruption or failure.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    let threads = set_threads(arguments.work.threads)?;
    let loaded = load(&arguments.scene)?;
    if !arguments.work.quiet {
        loaded.warnings.iter().for_each(|warning| note(shown(warning)));
    }
    let mut run = start(arguments, loaded, threads)?;
    let interrupted = listen()?;
    let mut display = Display::new(Style::choose(&arguments.work), run.steps_asked());
    let mut last = None;
    let stop = match settle(&mut run, &interrupted, |step| display.settling(step))? {
        Some(stop) => stop,
        None => advance(&mut run, &interrupted, |progress| {
            display.show(progress);
            last = Some(*progress);
            Ok(())
        })?,
    };
    display.finish();
    let unsettled = run.is_settling();
    let folder = run.folder().path().to_path_buf();
    let summary = run.finish(stop).context("the run's files could not be written")?;
    if !arguments.work.quiet {
        print(table(&summary, last.as_ref(), &folder))?;
    }
    Ok(ended(&summary, unsettled, &folder))
}

pub(crate) fn set_threads(asked: Option<u16>) -> Result<usize, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(asked.map_or(0, usize::from));
    pool.build_global().context("the threads could not be started")?;
    Ok(rayon::current_num_threads())
}

fn start(arguments: &RunArguments, loaded: Loaded, threads: usize) -> Result<Run, Failure> {
    let name = loaded.title().to_owned();
    let folder = arguments.output.clone().unwrap_or_else(|| PathBuf::from("out").join(&name));
    let existing = match (arguments.force, arguments.resume) {
        (true, _) => Existing::Replace,
        (_, true) => Existing::Resume,
        (false, false) => Existing::Refuse,
    };
    let options = RunOptions {
        folder,
        existing,
        name,
        steps: arguments.steps,
        profile: if arguments.profile { Profile::EachStep } else { Profile::InTotal },
        threads,
        fingerprint: loaded.fingerprint,
    };
    Run::start(loaded.scene, loaded.built, options).map_err(|error| match error {
        RunError::Output(
            OutputError::Exists { .. }
            | OutputError::NoCheckpoint { .. }
            | OutputError::NothingToResume { .. }
            | OutputError::Busy { .. }
            | OutputError::NotARun { .. },
        )
        | RunError::Checkpoint(_)
        | RunError::OtherBodies { .. } => Failure::Input(format!("error: {error}")),
        other => Failure::Work(other.into()),
    })
}

/// A flag that Ctrl-C raises; a second Ctrl-C ends the program at once.
pub(crate) fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = flag.clone();
    let handler = move || {
        if raised.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler).context("Ctrl-C cannot be listened to")?;
    Ok(flag)
}

/// Takes all steps of settling; returns why the run ends here, if it does.
pub(crate) fn settle(
    run: &mut Run,
    interrupted: &AtomicBool,
    mut seen: impl FnMut(&SettlingStep),
) -> Result<Option<Stop>, Failure> {
    loop {
        if run.is_settling() && interrupted.load(Ordering::SeqCst) {
            return Ok(Some(Stop::Interrupted));
        }
        match run.settle() {
            Ok(Some(step)) => seen(&step),
            Ok(None) => return Ok(None),
            Err(error @ RunError::Settle(_)) => return Ok(Some(Stop::Failed(error.to_string()))),
            Err(other) => return Err(Failure::Work(other.into())),
        }
    }
}

/// Takes all steps; `seen` looks at each of them, and stops a run that it has a reason to.
pub(crate) fn advance(
    run: &mut Run,
    interrupted: &AtomicBool,
    mut seen: impl FnMut(&Progress) -> Result<(), String>,
) -> Result<Stop, Failure> {
    while !run.is_complete() {
        if interrupted.load(Ordering::SeqCst) {
            return Ok(Stop::Interrupted);
        }
        match run.advance() {
            Ok(progress) => {
                if let Err(reason) = seen(&progress) {
                    return Ok(Stop::Failed(reason));
                }
            }
            Err(error @ (RunError::Step { .. } | RunError::Settle(_))) => {
                return Ok(Stop::Failed(error.to_string()));
            }
            Err(other) => return Err(Failure::Work(other.into())),
        }
    }
    Ok(Stop::Done)
}

fn ended(summary: &Summary, unsettled: bool, folder: &std::path::Path) -> ExitCode {
    match summary.status {
        Status::Complete => return ExitCode::SUCCESS,
        Status::Failed if unsettled => note(format_args!(
            "error: {}\nNo time has passed; the frame in {} shows where it was left.",
            summary.reason,
            folder.display()
        )),
        Status::Failed => note(format_args!(
            "error: {}\nThe last good state is in {}. To go on from there with smaller substeps, \
             add --resume --set solver.max_halvings=12 to the same command; if that does not help, \
             look at the last frame, and start again with a smaller `time.step`.",
            summary.reason,
            folder.display()
        )),
        Status::Interrupted => note(format_args!(
            "interrupted after step {} of {}; add --resume to the same command to go on",
            summary.steps_done, summary.steps_asked
        )),
    }
    ExitCode::from(NOT_COMPLETE)
}
