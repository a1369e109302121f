//! Arguments that several commands share.

use crate::Failure;
use anyhow::Context as _;
use clap::Args;
use std::path::PathBuf;

/// Stack of each thread of the pool (bytes): as large as the main thread of a program usually has.
const STACK_BYTES: usize = 8 << 20;

#[derive(Debug, Clone, Args)]
pub(crate) struct SceneArguments {
    /// A scene file (RON or JSON), or the name of a built-in scene (`sim scenes`).
    pub(crate) scene: PathBuf,
    /// Override a field of the scene; can be repeated.
    ///
    /// For example --set time.duration=2 or --set bodies.die.friction=0.4. Put an argument with brackets, spaces or *
    /// in single quotes: --set 'gravity=(0, 0, 0)'. Texts and expressions in it need no quotes of their own.
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Whether load steps replace dynamics. A scene that follows an equilibrium path keeps its analysis.
    #[arg(skip)]
    pub(crate) replaces_dynamics: bool,
}

impl SceneArguments {
    /// A scene with overrides.
    pub(crate) fn new(scene: PathBuf, set: Vec<String>) -> Self {
        Self { scene, set, replaces_dynamics: false }
    }

    /// The arguments with an override of the simulated time (s), if one is given.
    pub(crate) fn with_duration(&self, duration: Option<f64>) -> Self {
        let mut changed_arguments = self.clone();
        changed_arguments.set.extend(duration.map(|seconds| format!("time.duration={seconds:?}")));
        changed_arguments
    }
}

/// Threads, memory and display; none of them changes a result.
#[derive(Debug, Args)]
pub(crate) struct WorkArguments {
    /// Number of threads [default: all]. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Print only errors.
    #[arg(short, long, conflicts_with = "plain")]
    pub(crate) quiet: bool,
    /// Print plain progress lines instead of a progress bar, for log files.
    #[arg(long)]
    pub(crate) plain: bool,
}

/// Starts the thread pool, by default with one thread for each processor; returns the number of threads.
pub(crate) fn set_threads(requested: Option<u16>) -> Result<usize, Failure> {
    let threads = requested.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES);
    pool.build_global().context("the threads could not be started")?;
    Ok(rayon::current_num_threads())
}

/// Parses the name of an axis to its unit vector.
pub(crate) fn up_axis(text: &str) -> Result<[f64; 3], String> {
    match text {
        "x" | "X" => Ok([1.0, 0.0, 0.0]),
        "y" | "Y" => Ok([0.0, 1.0, 0.0]),
        "z" | "Z" => Ok([0.0, 0.0, 1.0]),
        _ => Err("must be x, y or z".to_owned()),
    }
}

/// Refuses a part of a run whose start `from` is after its end `to` (s).
pub(crate) fn refuse_reversed_times(from: Option<f64>, to: Option<f64>) -> Result<(), Failure> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => {
            Err(Failure::Input(format!("error: --from {from} is after --to {to}; exchange them")))
        }
        _ => Ok(()),
    }
}
