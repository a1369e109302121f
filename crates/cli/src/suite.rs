//! `sim suite`: runs a folder of files of other programs and compares norms with those that they record.

use crate::load::{BuiltScene, load};
use crate::options::{SceneArguments, WorkArguments, set_threads};
use crate::output_path::OutputPath;
use crate::signals::Signals;
use crate::stream::{note, print};
use crate::suite_table::{Row, csv, markdown};
use crate::{Failure, NOT_COMPLETE, origin};
use anyhow::Context as _;
use clap::Args;
use resile_files::Folder;
use resile_import::{DisplacementNorms, ForeignFormat, ImportError, Recorded, import};
use resile_record::{Existing, RunLock, Summary};
use resile_runner::{Profile, Run, RunOptions, Stop};
use resile_verify::{Verdict, Verifier};
use resile_watch::Interrupt;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Long help: columns of the table.
const COLUMNS: &str = "\
Scripts of IPC (.txt) and problems of PolyFEM (.json) in the folder and below it are imported and
run one after the other, each in a folder of its own below -o. Files that others name as `common`
are not scenes. The same command continues an interrupted suite.

Columns of the table, which is printed and written as suite.md and suite.csv:
  scene      the file
  status     complete, failed, stopped by a limit, or refused with the reason
  steps      steps completed, of those requested
  Newton     Newton iterations of all steps
  s/step     wall time per step
  crossings  number of intersections that the check of the frames finds
  L2         norm of the displacement, sqrt(int |u|^2), after as many steps as the file says
  recorded   the norm that PolyFEM recorded
  deviation  the largest relative deviation of the norms L2, H1, L8 and Linf

Exit codes: 0 no run failed, 1 one did or the suite was interrupted, 2 the folder has no scenes.";

#[derive(Debug, Args)]
#[command(after_long_help = COLUMNS)]
pub(crate) struct SuiteArguments {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// Folder for the results.
    #[arg(short, long, value_name = "FOLDER", default_value = "out/suite")]
    pub(crate) output: PathBuf,
    /// Stop each run after this many steps.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: Option<u64>,
    /// Stop each run after this wall time in seconds; called again, the suite goes on with it.
    #[arg(long, value_name = "S")]
    pub(crate) seconds: Option<f64>,
    /// Run only scenes whose path contains this.
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,
    /// Begin every run anew.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

/// Runs all scenes of a folder.
pub(crate) fn suite(arguments: &SuiteArguments) -> Result<ExitCode, Failure> {
    let threads = set_threads(arguments.work.threads)?;
    let files = scene_files(&arguments.folder)?;
    let matches = |file: &&PathBuf| {
        let name = scene_name(&arguments.folder, file);
        arguments.only.as_ref().is_none_or(|text| name.contains(text.as_str()))
    };
    let files: Vec<&PathBuf> = files.iter().filter(matches).collect();
    if files.is_empty() {
        let message =
            format!("error: {} has no scenes of IPC or PolyFEM", arguments.folder.display());
        return Err(Failure::Input(message));
    }
    let signals = Signals::listen(Duration::ZERO)?;
    signals.defer_termination();
    let mut rows = Vec::new();
    for file in &files {
        if signals.interrupt.is_raised() {
            break;
        }
        let name = scene_name(&arguments.folder, file);
        let row = run_file(file, &name, arguments, threads, &signals.interrupt)?;
        if !arguments.work.quiet {
            note(format_args!("{} of {}: {}", rows.len() + 1, files.len(), row.line()));
        }
        rows.push(row);
        for (name, text) in [("suite.csv", csv(&rows)), ("suite.md", markdown(&rows))] {
            OutputPath::new(&arguments.output.join(name))?.write(text.as_bytes(), true)?;
        }
    }
    print(markdown(&rows).trim_end())?;
    let is_incomplete = rows.len() < files.len() || rows.iter().any(Row::is_failure);
    Ok(if is_incomplete { ExitCode::from(NOT_COMPLETE) } else { ExitCode::SUCCESS })
}

/// The path of a file relative to a folder.
fn scene_name(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder).unwrap_or(file).display().to_string()
}

/// The scene files in a folder and below it, sorted by path; files that others name as `common_files` are left out.
fn scene_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder);
        let entries = entries.map_err(|error| {
            Failure::Input(format!("error: {} cannot be listed: {error}", folder.display()))
        })?;
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    let mut common_files = BTreeSet::new();
    for file in &files {
        common_files
            .extend(resile_import::common_of(file).and_then(|path| path.canonicalize().ok()));
    }
    let is_common =
        |file: &PathBuf| file.canonicalize().is_ok_and(|file| common_files.contains(&file));
    files.retain(|file| ForeignFormat::of(file).is_some() && !is_common(file));
    Ok(files)
}

/// Imports and runs one file; a file that cannot be imported or built gives a row with the reason.
fn run_file(
    file: &Path,
    name: &str,
    arguments: &SuiteArguments,
    threads: usize,
    interrupt: &Interrupt,
) -> Result<Row, Failure> {
    let Some(format) = ForeignFormat::of(file) else { return Ok(Row::refused(name, "no format")) };
    let recorded_norms = match import(file, format, file.parent().unwrap_or(Path::new(""))) {
        Ok(imported) => imported.recorded,
        Err(ImportError::Refused(refusals)) => {
            let first = refusals.first().map_or_else(String::new, ToString::to_string);
            let further = match refusals.len() {
                0 | 1 => String::new(),
                n => format!(" (and {} more)", n - 1),
            };
            return Ok(Row::refused(name, &format!("{first}{further}")));
        }
        Err(error) => return Ok(Row::refused(name, &error.to_string())),
    };
    let scene = SceneArguments::new(file.to_owned(), Vec::new());
    let loaded = match load(&scene) {
        Ok(loaded) => loaded,
        Err(Failure::Input(reason)) => return Ok(Row::refused(name, &reason)),
        Err(Failure::Scene(diagnostics)) => {
            return Ok(Row::refused(name, &diagnostics.first_message()));
        }
        Err(error) => return Err(error),
    };
    // The folder of the suite may have another owner, and this program chose the name.
    let folder = Folder::create(&arguments.output);
    let folder =
        folder.with_context(|| format!("{} cannot be created", arguments.output.display()));
    let lock = RunLock::within(&folder?, &name.replace(['/', '\\'], "_"));
    let lock = lock.map_err(|error| Failure::Input(format!("error: {error}")))?;
    run_scene(loaded, recorded_norms, name, lock, arguments, threads, interrupt)
}

/// Runs a scene for as many steps as the reference records, computes its displacement norms, and verifies its frames. A
/// run that cannot start gives a row with the reason. An existing run is resumed, or replaced with `--force`.
fn run_scene(
    loaded: BuiltScene,
    recorded_norms: Option<Recorded>,
    name: &str,
    lock: RunLock,
    arguments: &SuiteArguments,
    threads: usize,
    interrupt: &Interrupt,
) -> Result<Row, Failure> {
    let folder = lock.path().to_owned();
    let rules = loaded.scene.rules();
    let solids: Vec<_> = loaded
        .built
        .meshes
        .iter()
        .enumerate()
        .filter(|(_, mesh)| !mesh.tets.is_empty())
        .map(|(body, mesh)| (body, mesh.tets.clone(), mesh.quadratic.clone(), mesh.rest.clone()))
        .collect();
    let scene_steps = loaded.scene.time.steps();
    let step_count = recorded_norms.map_or(scene_steps, |recorded| recorded.steps.min(scene_steps));
    let steps = arguments.steps.map_or(step_count, |limit| limit.min(step_count));
    let text = loaded.text.clone();
    let options = RunOptions {
        folder: folder.clone(),
        existing: if arguments.force { Existing::Replace } else { Existing::Resume },
        name: name.to_owned(),
        steps: Some(steps),
        profile: Profile::InTotal,
        threads,
        fingerprint: loaded.fingerprint,
        commit: origin::commit(),
        set: Vec::new(),
    };
    let mut scene = loaded.scene;
    scene.solver.max_seconds_per_step = arguments.seconds;
    let mut run = match Run::start_locked(scene, loaded.built, options, lock) {
        Ok(run) => run,
        Err(error) => return Ok(Row::refused(name, &error.to_string())),
    };
    origin::write(&run, Path::new(name), &text, threads)?;
    let stop = advance(&mut run, arguments.seconds, interrupt)?;
    let mut norms = DisplacementNorms::default();
    for (body, tets, quadratic, rest) in &solids {
        let positions = &run.world().state(*body).positions;
        match quadratic.is_empty() {
            true => norms.add(tets, rest, positions),
            false => norms.add_quadratic(quadratic, rest, positions),
        }
    }
    let steps_done = run.steps_done();
    let summary = run.finish(stop).map_err(|error| Failure::Work(error.into()))?;
    let crossings = match Verifier::open(&rules, &folder).map(|verifier| verifier.run(&mut |_| ()))
    {
        Ok(report) if report.verdict == Verdict::Apart => "none".to_owned(),
        Ok(report) if report.verdict == Verdict::Crossed => {
            report.crossing_count.max(1).to_string()
        }
        Ok(_) => "some frames could not be read".to_owned(),
        // Without contact there is nothing to check.
        Err(_) => "-".to_owned(),
    };
    let comparable_norms = recorded_norms.filter(|recorded| recorded.steps == steps_done);
    Ok(summary_row(name, &summary, scene_steps, crossings, norms, comparable_norms))
}

/// Advances a run to its end, until `seconds` of wall time have passed, or until an interrupt.
fn advance(run: &mut Run, seconds: Option<f64>, interrupt: &Interrupt) -> Result<Stop, Failure> {
    let start = Instant::now();
    while !run.is_complete() {
        let has_timed_out = seconds.is_some_and(|seconds| start.elapsed().as_secs_f64() > seconds);
        if interrupt.is_raised() || has_timed_out {
            return Ok(Stop::Interrupted);
        }
        match run.advance() {
            Ok(_) => {}
            Err(error) => {
                return match error.into_stop() {
                    Ok(Stop::Limit(_)) => Ok(Stop::Interrupted),
                    stop => stop.map_err(|error| Failure::Work(error.into())),
                };
            }
        }
    }
    Ok(Stop::Done)
}

/// The row of a run. The deviation is the largest relative difference from the recorded norms.
fn summary_row(
    name: &str,
    summary: &Summary,
    total_steps: u64,
    crossings: String,
    norms: DisplacementNorms,
    recorded_norms: Option<Recorded>,
) -> Row {
    let deviation = recorded_norms.map(|recorded| {
        let pairs = [
            (norms.l2(), recorded.l2),
            (norms.h1_semi(), recorded.h1_semi),
            (norms.l8(), recorded.l8),
            (norms.linf(), recorded.linf),
        ];
        // A norm below a thousandth of L2 is compared relative to a thousandth of L2.
        let scale = |reference: f64| reference.abs().max(1e-3 * recorded.l2);
        pairs
            .iter()
            .map(|(value, reference)| (value - reference).abs() / scale(*reference))
            .fold(0.0, f64::max)
    });
    Row {
        scene: name.to_owned(),
        status: summary.status,
        reason: summary.reason.clone(),
        steps: summary.steps_done,
        total_steps,
        newton: summary.counts.newton_iterations,
        seconds: summary.wall_seconds / summary.steps_done.max(1) as f64,
        crossings,
        norm: norms.l2(),
        recorded: recorded_norms.map(|recorded| recorded.l2),
        deviation,
        is_refused: false,
    }
}
