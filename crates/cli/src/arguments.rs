//! The command line.

use crate::study::StudyArguments;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Simulates elastic bodies in contact: nothing passes through anything, and
/// energy is under your control.
#[derive(Debug, Parser)]
#[command(name = "sim", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scene and write its results to a folder.
    Run(RunArguments),
    /// Say everything that is wrong with a scene, without running it.
    Check(CheckArguments),
    /// Measure the integrators: orders, stability, conservation, the papers' tables.
    Study(StudyArguments),
}

#[derive(Debug, Args)]
pub(crate) struct SceneArguments {
    /// The scene file (RON).
    pub(crate) scene: PathBuf,
    /// Override a field of the scene; may be given several times.
    ///
    /// For example --set time.duration=2 or --set bodies.die.friction=0.4.
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) scene: SceneArguments,
    /// Folder for the results; out/NAME of the scene if it is not given.
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a run that is in the folder.
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,
    /// Go on from the checkpoint in the folder; the result is the same to the bit
    /// as without the interruption.
    ///
    /// The scene must be the same but for `time.duration`, `output` and `solver`:
    /// a run can go on for longer, and one that failed with other settings of the
    /// solver.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Stop after this many steps in all.
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,
    /// Number of threads, all by default; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Say nothing but errors.
    #[arg(short, long, conflicts_with = "plain")]
    pub(crate) quiet: bool,
    /// A plain line now and then instead of a progress bar, for logs.
    #[arg(long)]
    pub(crate) plain: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) scene: SceneArguments,
}
