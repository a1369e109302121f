//! `sim sweep`.

mod collect;
mod display;
mod predicted;
mod prepare;
mod preview;
mod slurm;
mod worker;
mod workers;

use crate::options::SceneArguments;
use crate::progress::Style;
use crate::report::{counted, shell_word};
use crate::signals::Signals;
use crate::stream::{diagnose, note, print};
use crate::{Failure, NOT_COMPLETE};
use clap::{Args, ValueEnum};
use collect::collect;
use display::SweepDisplay;
use prepare::{PreparedSweep, prepare};
use resile_sweep::{Design, SweepFolder, default_measures};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use workers::Workers;

/// Long help: values and designs.
const FORMS: &str = "\
Values of --vary PATH=VALUES (PATH as for --set):
  0.1,0.2,0.5               these; also words: ImplicitEuler,Bdf2, or structs in brackets
  0:1:20                    20 equally spaced numbers from 0 to 1
  1e4:1e7:4:log             4 numbers with equal ratios
  0:1, 1e4:1e7:log          an interval, for --design random and latin-hypercube

Results of --result COLUMN:STATISTIC: a column of history.csv with final, min, max, mean, sum or
a time in seconds, such as total:final,com_y:0.5.

The folder gets sweep.csv (parameters, status, results and reason of each run), plots, and runs/
with an ordinary run for each. `sim sweep FOLDER` continues after an interruption of any kind.

Exit codes: 0 every run is complete, 1 a run failed or the sweep was interrupted, 2 the command
line, the plan or the scene is wrong, and nothing was run.";

#[derive(Debug, Args)]
#[command(after_long_help = FORMS)]
pub(crate) struct SweepArguments {
    /// The scene file or the name of a scene inside the program; or the folder of a sweep, to continue it.
    #[command(flatten)]
    pub(crate) scene: SceneArguments,
    /// Field that varies, and its values; may be given several times.
    ///
    /// For example --vary bodies.die.friction=0:1:20 or --vary integrator=ImplicitEuler,Bdf2.
    #[arg(long, value_name = "PATH=VALUES")]
    pub(crate) vary: Vec<String>,
    /// Combinations of the values to run.
    #[arg(long, value_enum, default_value_t = DesignName::Grid)]
    pub(crate) design: DesignName,
    /// Number of runs of a random or Latin hypercube design.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: Option<u32>,
    /// Seed of a random or Latin hypercube design [default: 0].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Results in the table, separated by commas.
    #[arg(long, value_name = "COLUMN:STATISTIC")]
    pub(crate) result: Vec<String>,
    /// Folder for the results [default: out/NAME-sweep].
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing sweep in the folder.
    #[arg(long, conflicts_with_all = ["only", "collect", "retry"])]
    pub(crate) force: bool,
    /// Number of runs at once, each with one thread; all processors by default.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Simulated time of each run in seconds; short for --set time.duration=S.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) duration: Option<f64>,
    /// Stop each run after this many steps.
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,
    /// Print the parameters of all runs, the expected time and memory, and run nothing.
    #[arg(long, conflicts_with_all = ["only", "collect", "slurm"])]
    pub(crate) plan: bool,
    /// Run only this run, or these (`FIRST-LAST`), and leave the table to --collect.
    #[arg(long, value_name = "K", value_parser = run_range)]
    pub(crate) only: Option<[usize; 2]>,
    /// Write the table and the plots of what has been run, and run nothing.
    #[arg(long, conflicts_with_all = ["only", "slurm", "retry"])]
    pub(crate) collect: bool,
    /// Write sweep.sbatch, an array job for Slurm, to the folder, and run nothing.
    #[arg(long, conflicts_with = "only")]
    pub(crate) slurm: bool,
    /// Run failed runs again, from their last checkpoint.
    #[arg(long)]
    pub(crate) retry: bool,
    /// Print only errors.
    #[arg(short, long, conflicts_with = "plain")]
    pub(crate) quiet: bool,
    /// Print a plain line at intervals instead of a progress bar, for logs.
    #[arg(long)]
    pub(crate) plain: bool,
    /// Be the process of one run: progress to standard output, and stop when standard input ends. The value
    /// is the number of such processes.
    #[arg(long, hide = true, requires = "only")]
    pub(crate) worker: Option<u16>,
}

/// Names of designs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DesignName {
    /// Each value of a parameter with each of the others; the last parameter changes fastest.
    Grid,
    /// The first values of all parameters, then the second values, and so on.
    Zip,
    /// Independent uniform samples.
    Random,
    /// One sample in each of N equal parts of every interval.
    LatinHypercube,
}

impl DesignName {
    /// The name of the design in the files of a sweep.
    fn name(self) -> &'static str {
        let [grid, zip, random, latin_hypercube] = Design::NAMES;
        match self {
            Self::Grid => grid,
            Self::Zip => zip,
            Self::Random => random,
            Self::LatinHypercube => latin_hypercube,
        }
    }
}

/// Parses `K` or `FIRST-LAST` to the first and the last run.
fn run_range(text: &str) -> Result<[usize; 2], String> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let range = match text.split_once('-') {
        None => number(text).map(|run| [run, run]),
        Some((first, last)) => number(first).zip(number(last)).map(|(first, last)| [first, last]),
    };
    let range = range.filter(|[first, last]| first <= last);
    range.ok_or_else(|| {
        "must be the number of a run, or the first and the last, such as 10-19".into()
    })
}

impl SweepArguments {
    /// Number of concurrent runs.
    fn jobs(&self) -> u16 {
        let processors = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.jobs.unwrap_or_else(|| u16::try_from(processors()).unwrap_or(1))
    }

    /// The results of the table: those requested, or the default ones.
    fn results(&self) -> Vec<String> {
        if self.result.is_empty() { default_measures() } else { self.result.clone() }
    }

    /// The style of the display of progress.
    fn style(&self) -> Style {
        Style::of_options(self.quiet, self.plain)
    }
}

/// Runs a scene with many values of its parameters.
pub(crate) fn sweep(arguments: &SweepArguments) -> Result<ExitCode, Failure> {
    if let (Some(processes), Some([run, _])) = (arguments.worker, arguments.only) {
        return worker::work(arguments, run, processes);
    }
    let signals = Signals::listen(Duration::ZERO)?;
    let prepared = prepare(arguments)?;
    let runs = selected_runs(arguments, &prepared)?;
    if !arguments.quiet {
        prepared.warnings.iter().for_each(diagnose);
    }
    if arguments.plan {
        print(preview::preview_text(&prepared, arguments.jobs()))?;
        if let Some(error) = &prepared.folder_error {
            note(format_args!("note: {}", prepare::with_remedy(error)));
        }
        return Ok(ExitCode::SUCCESS);
    }
    signals.defer_termination();
    let folder = prepared.write_plan()?;
    if arguments.slurm {
        return slurm::write(&prepared, &folder, arguments.quiet);
    }
    let mut crash_reasons = Default::default();
    if !arguments.collect {
        let display = SweepDisplay::new(arguments.style(), usize::from(arguments.jobs()));
        let workers = Workers::new(&folder, arguments.jobs(), arguments.retry, display);
        crash_reasons = workers.run(runs, &signals.interrupt)?;
    }
    let outcome = collect(&prepared, &folder, &crash_reasons, arguments.only)?;
    if !arguments.quiet {
        print(outcome.text)?;
    }
    if signals.interrupt.is_raised() {
        note(format_args!("interrupted; `sim sweep {}` continues", shell_word(folder.path())));
    } else if let Some(first_failure) = &outcome.first_failure {
        let failed_runs = counted(outcome.failed_runs, "run", "runs");
        note(match (outcome.failed_runs, arguments.only) {
            (2.., None) => {
                format!("{failed_runs} failed; the table has the reasons, first of {first_failure}")
            }
            (2.., Some(_)) => format!("{failed_runs} failed, first {first_failure}"),
            _ => format!("{failed_runs} failed: {first_failure}"),
        });
    } else if !arguments.collect && outcome.unfinished_runs > 0 {
        note(format_args!(
            "error: the results of {} are gone: another command removed them, such as `sim sweep --force`",
            counted(outcome.unfinished_runs, "run", "runs")
        ));
    }
    Ok(if outcome.unfinished_runs + outcome.failed_runs > 0 {
        ExitCode::from(NOT_COMPLETE)
    } else {
        ExitCode::SUCCESS
    })
}

/// The runs that `--only` selects; all runs without it.
fn selected_runs(
    arguments: &SweepArguments,
    prepared: &PreparedSweep,
) -> Result<Vec<usize>, Failure> {
    let count = prepared.plan.run_count();
    match arguments.only {
        None => Ok((0..count).collect()),
        // The last task of an array may have fewer runs than the others.
        Some([first, last]) if first < count => Ok((first..=last.min(count - 1)).collect()),
        Some([first, _]) => Err(Failure::Input(format!(
            "error: --only: there is no run {first}; the sweep has the runs 0 to {}",
            count - 1
        ))),
    }
}

/// The failure for an error of the folder: of the input if its plan is invalid or a run cannot be replaced, and
/// otherwise of the work.
fn folder_failure(error: resile_sweep::FolderError) -> Failure {
    match error {
        resile_sweep::FolderError::NotAPlan { .. } | resile_sweep::FolderError::Run(_) => {
            Failure::Input(format!("error: {error}"))
        }
        other => Failure::Work(other.into()),
    }
}

/// Whether the command line names the folder of a sweep.
fn is_resumed(arguments: &SweepArguments) -> bool {
    SweepFolder::is_at(&arguments.scene.scene)
}
