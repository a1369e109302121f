//! `sim bench`: runs scenes several times and reports how fast they were.

mod benchmark;
mod figures;
mod machine;
mod standard;
mod table;

use crate::example::built_in;
use crate::load::load;
use crate::options::{SceneArguments, WorkArguments, set_threads};
use crate::progress::{Style, styled_bar};
use crate::signals::Signals;
use crate::stream::{note, print, print_json, set_message};
use crate::{Failure, NOT_COMPLETE};
use anyhow::Context;
use clap::Args;
use indicatif::ProgressBar;
use resile_record::{RunFolder, Status, Summary};
use resile_watch::Interrupt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use benchmark::{Benchmark, Missing};
use figures::Figures;
use machine::Machine;
use standard::{STANDARD, StandardScene};
use table::table;

/// Long help: columns of the table.
const COLUMNS: &str = "\
Columns of the table (--json has more, in SI units); medians of all runs:
  scene        a name of the standard set, or a file
  steps        steps of a run
  seconds      wall time of a run, from the built scene to the last file
  spread       slowest run divided by the fastest: far above 1 on a busy machine
  Newton       Newton iterations; of islands solved in parallel, the largest count
  ms/Newton    wall time per Newton iteration
  CG/Newton    linear solver iterations per Newton iteration of all islands
  assembly, linear, collision, search, output, other
               shares of the time, in %
  MiB          largest memory use of the process

Each run is a separate process in a temporary folder and writes neither frames nor tables. The
standard set is read from scenes/ in the current folder, or else from the built-in scenes:
  rotating-cube-soft, rotating-cube-stiff, twisted-bar, hanging-bar (the same bar held at
  one end, implicit Euler), bouncing-ball-soft, bouncing-ball-medium, bouncing-ball-stiff,
  dice-implicit-euler (dice.ron under implicit Euler with a tolerance of 1e-3 m/s), dice,
  membrane, chain-net-small

Exit codes: 0 all scenes were measured, 1 a run failed or was interrupted, 2 the command line or
a scene is wrong and nothing was run.";

#[derive(Debug, Args)]
#[command(after_long_help = COLUMNS)]
pub(crate) struct BenchArguments {
    /// Names of the standard set or of built-in scenes, or files [default: the standard set].
    #[arg(value_name = "SCENE")]
    scenes: Vec<String>,
    /// Number of runs of each scene.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Stop each run after this many steps.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Print all figures as JSON instead of a table.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    work: WorkArguments,
}

/// A scene to be measured, with its name in the results.
#[derive(Debug)]
struct BenchScene {
    name: String,
    scene: SceneArguments,
}

/// Runs all scenes sequentially and prints the measurements. A failed scene does not stop the
/// others.
pub(crate) fn bench(arguments: &BenchArguments) -> Result<ExitCode, Failure> {
    let threads = set_threads(arguments.work.threads)?;
    let entries = requested_entries(&arguments.scenes)?;
    check_scenes(&entries)?;
    let signals = Signals::listen(Duration::ZERO)?;
    signals.defer_termination();
    let mut benchmark = Benchmark::new(threads, arguments.runs);
    let display = BenchDisplay::new(arguments, entries.len());
    for entry in &entries {
        match measure(entry, arguments, threads, &signals.interrupt, &display)? {
            Ok(figures) => benchmark.scenes.push(figures),
            Err(reason) => benchmark.missing.push(Missing { scene: entry.name.clone(), reason }),
        }
    }
    display.finish();
    if arguments.json {
        print_json(&benchmark.json())?;
    } else {
        print(table(&benchmark))?;
    }
    for Missing { scene, reason } in &benchmark.missing {
        note(format_args!("error: {scene}: {reason}"));
    }
    let is_complete = benchmark.missing.is_empty();
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(NOT_COMPLETE) })
}

/// The requested scenes; all unknown ones are reported in one failure.
fn requested_entries(requested: &[String]) -> Result<Vec<BenchScene>, Failure> {
    if requested.is_empty() {
        return Ok(STANDARD.iter().map(standard_entry).collect());
    }
    let (mut entries, mut unknown) = (Vec::new(), Vec::new());
    for name in requested {
        match find_entry(name) {
            Some(entry) => entries.push(entry),
            None => unknown.push(format!(
                "error: there is no scene `{name}`: neither in the standard set, nor a file, nor a built-in scene \
                 (`sim scenes`)"
            )),
        }
    }
    if unknown.is_empty() {
        return Ok(entries);
    }
    let names = STANDARD.map(|scene| scene.name).join(", ");
    unknown.push(format!("the standard set: {names}; nothing was run"));
    Err(Failure::Input(unknown.join("\n")))
}

/// The path `scenes/NAME.ron` if that file exists in the current folder; otherwise the name, which denotes the built-in
/// scene.
fn file_or_name(name: &str) -> PathBuf {
    let file = Path::new("scenes").join(format!("{name}.ron"));
    if file.is_file() { file } else { PathBuf::from(name) }
}

/// The entry of a scene of the standard set, with its overrides.
fn standard_entry(scene: &StandardScene) -> BenchScene {
    let set = scene.set.iter().map(|&assignment| assignment.to_owned()).collect();
    BenchScene {
        name: scene.name.to_owned(),
        scene: SceneArguments::new(file_or_name(scene.file), set),
    }
}

/// The scene of this name: of the standard set, a file, or a built-in scene.
fn find_entry(name: &str) -> Option<BenchScene> {
    if let Some(scene) = StandardScene::named(name) {
        return Some(standard_entry(scene));
    }
    let paths = [PathBuf::from(name), file_or_name(name)];
    let path = paths.into_iter().find(|path| path.is_file() || built_in(path).is_some())?;
    Some(BenchScene { name: name.to_owned(), scene: SceneArguments::new(path, Vec::new()) })
}

/// Builds each scene once, so that nothing is run if one is invalid.
fn check_scenes(entries: &[BenchScene]) -> Result<(), Failure> {
    let mut errors = Vec::new();
    for entry in entries {
        match load(&entry.scene) {
            Ok(_) => {}
            Err(Failure::Input(message)) => errors.push(message),
            Err(other) => return Err(other),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::Input(errors.join("\n"))) }
}

/// Runs a scene `--runs` times and summarises the runs. The inner error is the reason why this scene has no figures;
/// the outer error ends the command.
fn measure(
    entry: &BenchScene,
    arguments: &BenchArguments,
    threads: usize,
    interrupt: &Interrupt,
    display: &BenchDisplay,
) -> Result<Result<Figures, String>, Failure> {
    let mut summaries = Vec::new();
    for run in 1..=arguments.runs {
        if interrupt.is_raised() {
            return Ok(Err("interrupted".to_owned()));
        }
        display.begin(&entry.name, run);
        match run_once(entry, arguments, threads)? {
            Ok(summary) => {
                display.end(&entry.name, run, &summary);
                summaries.push(summary);
            }
            Err(reason) => return Ok(Err(reason)),
        }
    }
    Ok(Figures::new(&entry.name, &summaries).map_err(|error| error.to_string()))
}

/// Runs a scene once in a child process and reads its summary; the inner error is the reason of a failed run. Ctrl-C at
/// a terminal interrupts both processes.
fn run_once(
    entry: &BenchScene,
    arguments: &BenchArguments,
    threads: usize,
) -> Result<Result<Summary, String>, Failure> {
    let folder = tempfile::tempdir().context("a temporary folder could not be made")?;
    let program = std::env::current_exe().context("the path of this program is unknown")?;
    let mut command = Command::new(program);
    command.arg("run").arg(&entry.scene.scene).arg("--output").arg(folder.path());
    command.args(["--quiet", "--threads", &threads.to_string()]);
    for assignment in &entry.scene.set {
        command.args(["--set", assignment]);
    }
    command.args(["--set", "output.formats=[]", "--set", "output.tables=[]"]);
    if let Some(steps) = arguments.steps {
        command.args(["--steps", &steps.to_string()]);
    }
    let process_output =
        command.stdin(Stdio::null()).output().context("a run could not be started")?;
    let summary = Summary::read(&RunFolder::at(folder.path()).summary());
    Ok(match summary {
        Ok(summary) if summary.status == Status::Complete => Ok(summary),
        Ok(summary) => Err(summary.reason),
        Err(_) => Err(String::from_utf8_lossy(&process_output.stderr).trim().to_owned()),
    })
}

/// Progress on standard error: a bar on a terminal, else one line per run.
#[derive(Debug)]
struct BenchDisplay {
    style: Style,
    bar: Option<ProgressBar>,
    runs: u32,
}

impl BenchDisplay {
    /// The display of `arguments.runs` runs of each scene; a bar, if one is chosen, counts all these runs.
    fn new(arguments: &BenchArguments, scene_count: usize) -> Self {
        let style = Style::choose(&arguments.work);
        let bar = (style == Style::Bar).then(|| {
            let run_count = scene_count as u64 * u64::from(arguments.runs);
            let template = "{bar:30} {pos}/{len} runs, {msg}, {elapsed} so far";
            let bar = styled_bar(Some(run_count), template);
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self { style, bar, runs: arguments.runs }
    }

    /// Shows that a run begins.
    fn begin(&self, name: &str, run: u32) {
        if let Some(bar) = &self.bar {
            set_message(bar, format_args!("{name}, run {run} of {}", self.runs));
        }
    }

    /// Counts a completed run and, with plain lines, prints its wall time.
    fn end(&self, name: &str, run: u32, summary: &Summary) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
        if self.style == Style::Plain {
            note(format_args!("{name}, run {run} of {}: {:.3} s", self.runs, summary.wall_seconds));
        }
    }

    /// Removes the bar.
    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
