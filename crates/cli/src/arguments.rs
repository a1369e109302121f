//! The command line.

use crate::bench::BenchArguments;
use crate::export::ExportArguments;
use crate::info::InfoArguments;
use crate::live::LiveArguments;
use crate::manual::{CompletionsArguments, ManArguments};
use crate::mesh::MeshArguments;
use crate::pdf::PdfArguments;
use crate::render::RenderArguments;
use crate::rerun::RerunArguments;
use crate::scenes::{NewArguments, ScenesArguments};
use crate::study::StudyArguments;
use crate::verify::VerifyArguments;
use crate::view::ViewArguments;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Simulates elastic bodies in contact: nothing passes through anything, and
/// energy is under your control.
#[derive(Debug, Parser)]
#[command(name = "sim", version = env!("RESILE_VERSION"), arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scene and write its results to a folder.
    Run(RunArguments),
    /// Do a run again, and say whether it is the same to the bit.
    Rerun(RerunArguments),
    /// List the scenes inside the program, all or those of a folder.
    Scenes(ScenesArguments),
    /// Write a scene of one's own, beginning with one of those inside the program.
    New(NewArguments),
    /// Run a scene under several integrators and steps, and put the results side by side.
    Compare(CompareArguments),
    /// Run scenes several times and tell how fast they were.
    Bench(BenchArguments),
    /// Say everything that is wrong with a scene, without running it.
    Check(CheckArguments),
    /// Describe a mesh or a scene: sizes, quality, defects.
    Info(InfoArguments),
    /// Fill a closed surface with tetrahedra, mend a surface, or convert a mesh.
    Mesh(MeshArguments),
    /// Measure the integrators: orders, stability, conservation, the papers' tables.
    Study(StudyArguments),
    /// Check the frames of a run: that nothing passed through anything.
    Verify(VerifyArguments),
    /// Make a film or a picture of a run.
    Render(RenderArguments),
    /// Write a run as one HTML file that plays in a browser, and open it.
    View(ViewArguments),
    /// Simulate a scene at the pace of the clock, in the browser, and let its bodies be pulled at.
    Live(LiveArguments),
    /// Write a run for other programs: Blender, Houdini, pandas and more.
    Export(ExportArguments),
    /// Write a plot of a run as PDF, for a paper.
    Pdf(PdfArguments),
    /// Print what lets a shell complete commands and options.
    Completions(CompletionsArguments),
    /// Print the manual page of the program or of a command.
    Man(ManArguments),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct SceneArguments {
    /// The scene file (RON), or the name of a scene inside the program (`sim scenes`).
    pub(crate) scene: PathBuf,
    /// Override a field of the scene; may be given several times.
    ///
    /// For example --set time.duration=2 or --set bodies.die.friction=0.4.
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
}

impl SceneArguments {
    /// The same with another simulated time (s), if one is asked for.
    pub(crate) fn lasting(&self, duration: Option<f64>) -> Self {
        let mut changed = self.clone();
        changed.set.extend(duration.map(|seconds| format!("time.duration={seconds:?}")));
        changed
    }
}

/// How the work is done and shown; nothing of it changes a result.
#[derive(Debug, Args)]
pub(crate) struct WorkArguments {
    /// Number of threads, all by default; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Say nothing but errors.
    #[arg(short, long, conflicts_with = "plain")]
    pub(crate) quiet: bool,
    /// A plain line now and then instead of a progress bar, for logs.
    #[arg(long)]
    pub(crate) plain: bool,
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
    /// as without the interruption. Where there is no run yet one begins.
    ///
    /// The scene must be the same but for `time.duration`, `output` and `solver`:
    /// a run can go on for longer, and one that failed with other settings of the
    /// solver.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Stop after this many steps in all.
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,
    /// Simulated time in seconds, instead of the scene's own; short for --set time.duration=S.
    #[arg(long, value_name = "S")]
    pub(crate) duration: Option<f64>,
    /// The most memory that the program may use, such as 4GiB; nine tenths of what is free at
    /// the start if it is not given (on Linux, which tells).
    ///
    /// A scene that surely needs more is refused. A run that comes to need more fails, and its
    /// last good state is kept.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
    /// Record where the time of each step goes, in profile.csv and profile.svg.
    #[arg(long)]
    pub(crate) profile: bool,
    /// Show the run in the browser while it goes on.
    ///
    /// The page is served on 127.0.0.1 and follows the run to its end; `sim view` writes one that stays.
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) view: bool,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

/// What is looked at.
const CHECKED: &str = "\
Errors are what a run would refuse, too: mistakes in the file, meshes that cannot be used,
bodies that intersect at the start. Warnings are what can be run and is probably not meant;
some are for a check alone: bodies that begin nearer than d_hat, elements with dihedral angles
below 5 degrees, meshes with edges shorter than twice d_hat, bodies that go farther than their
own size or ten of their edges in the first step.

Colours are for terminals; NO_COLOR=1 switches them off.

Exit codes: 0 the scene can be run, 1 the system did not take the output, 2 the command line
or the scene is wrong.";

#[derive(Debug, Args)]
#[command(after_long_help = CHECKED)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) scene: SceneArguments,
    /// Write the triangles that intersect at the start: a .vtu, .ply or .obj to open beside
    /// the scene. Nothing is written if none do.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace that file if it is there.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print everything as JSON to stdout, and nothing else.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What the columns of a comparison mean.
const COLUMNS: &str = "\
Columns of the table (comparison.csv has more, in SI units):
  integrator   as in a scene
  h            time step (s)
  status       complete; or how far it came
  E end        energy after the last step, over that at the start; both above the
               ground where the scene or an integrator has one; in joules where the
               scene starts with no positive energy
  E min, max   smallest and largest energy of all states, in the same way
  E mean       mean energy in the last fifth of the run, over that at the start
  swing        standard deviation of the energy there
  noise        what alternates there from step to step
  |dp|         change of linear momentum from start to end (kg m/s)
  |dL|         change of angular momentum about the origin (kg m^2/s)
  bounce       restitution: vertical speed of the centre of mass after the first
               contact over that before; - if nothing bounced
  Newton       Newton iterations of all steps
  seconds      wall time

Exit codes: 0 every variant is complete, 1 one failed or was interrupted, 2 the command line
or the scene is wrong, and nothing was run.";

#[derive(Debug, Args)]
#[command(after_long_help = COLUMNS)]
pub(crate) struct CompareArguments {
    #[command(flatten)]
    pub(crate) scene: SceneArguments,
    /// Integrators, separated by commas.
    ///
    /// As in a scene, such as 'Newmark(beta: 0.25, gamma: 0.5)', or a name alone in any
    /// spelling, such as a-search, with the defaults of its parameters; `scene` is
    /// the scene's own integrator with its parameters.
    #[arg(short, long, value_name = "LIST", required = true, num_args = 1)]
    pub(crate) integrators: Vec<String>,
    /// Steps a second, separated by commas: 30,120 for steps of 1/30 s and of 1/120 s; the
    /// scene's own step if not given.
    #[arg(long, value_name = "LIST", num_args = 1)]
    pub(crate) steps_per_second: Vec<String>,
    /// Folder for the results; out/NAME-compare if it is not given.
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a comparison that is in the folder.
    #[arg(long)]
    pub(crate) force: bool,
    /// Stop each variant after this many steps, however long they are.
    #[arg(long, value_name = "N", conflicts_with = "duration")]
    pub(crate) steps: Option<u64>,
    /// Simulated time in seconds; the scene's own if not given.
    #[arg(long, value_name = "S")]
    pub(crate) duration: Option<f64>,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

/// A number of bytes with its unit.
fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 13] = [
        ("KiB", 1024.0),
        ("MiB", 1048576.0),
        ("GiB", 1073741824.0),
        ("TiB", 1099511627776.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("K", 1024.0),
        ("M", 1048576.0),
        ("G", 1073741824.0),
        ("T", 1099511627776.0),
        ("B", 1.0),
    ];
    let unit = UNITS.iter().find_map(|(name, bytes)| Some((text.strip_suffix(name)?, *bytes)));
    let bytes = unit.and_then(|(number, unit)| Some(number.trim().parse::<f64>().ok()? * unit));
    match bytes {
        Some(bytes) if bytes >= 1.0 && bytes.is_finite() => Ok(bytes as u64),
        _ => Err("must be a number with its unit, such as 4GiB or 500MB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_memory_have_units() {
        let read = ["4GiB", "1.5 GB", "512M", "100000B"].map(|text| bytes(text).ok());
        let sizes = [4 << 30, 1_500_000_000, 512 << 20, 100_000];
        assert_eq!(read, sizes.map(Some));
        for wrong in ["", "4", "GiB", "-1GiB", "0GiB", "4 gib", "nanGB", "infGB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
