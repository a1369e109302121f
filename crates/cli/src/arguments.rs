//! The command line.

use crate::bench::BenchArguments;
use crate::export::ExportArguments;
use crate::import::ImportArguments;
use crate::info::InfoArguments;
use crate::live::LiveArguments;
use crate::manual::{CompletionsArguments, ManArguments};
use crate::mesh::MeshArguments;
use crate::modes::ModesArguments;
use crate::pdf::PdfArguments;
use crate::render::RenderArguments;
use crate::rerun::RerunArguments;
use crate::scenes::{NewArguments, ScenesArguments};
use crate::schema::SchemaArguments;
use crate::study::StudyArguments;
use crate::suite::SuiteArguments;
use crate::sweep::SweepArguments;
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
    /// Solve for static equilibrium in load steps.
    ///
    /// The same as `sim run` with --set analysis=Static. Each step of the scene's time ends in the
    /// equilibrium under the loads and prescribed motions of its end, including contact and friction.
    ///
    /// With --arc-length, steps follow the path of equilibria where the load passes its largest value.
    Static(StaticArguments),
    /// Find the natural frequencies and shapes of a scene's bodies.
    #[command(after_long_help = crate::modes::WRITTEN)]
    Modes(ModesArguments),
    /// Find the load factors and shapes at which a scene's bodies buckle.
    #[command(after_long_help = crate::buckle::WRITTEN)]
    Buckle(ModesArguments),
    /// Repeat a run and check that its results are bitwise equal.
    Rerun(RerunArguments),
    /// List the built-in scenes, all or those of one folder.
    Scenes(ScenesArguments),
    /// Copy a built-in scene to a file as the start of a new one.
    New(NewArguments),
    /// Print the JSON Schema of scenes, for editors and other programs.
    Schema(SchemaArguments),
    /// Run a scene with several integrators and time steps and tabulate the results.
    Compare(CompareArguments),
    /// Run a scene with many values of its parameters and collect the results in one table.
    Sweep(SweepArguments),
    /// Convert a scene of IPC or PolyFEM, or an input deck (`.inp`), to a scene file.
    Import(ImportArguments),
    /// Run scenes several times and report how long they take.
    Bench(BenchArguments),
    /// Report all errors and warnings of a scene without running it.
    Check(CheckArguments),
    /// Describe a mesh, a scene or a run: sizes, quality, defects.
    Info(InfoArguments),
    /// Fill a closed surface with tetrahedra, repair a surface, or convert a mesh.
    Mesh(MeshArguments),
    /// Measure the integrators: orders, stability, conservation, the papers' tables.
    Study(StudyArguments),
    /// Run a folder of scenes of other programs and compare with the norms that they record.
    Suite(SuiteArguments),
    /// Check that no surfaces intersect or pass through each other in the frames of a run.
    Verify(VerifyArguments),
    /// Render a film or a picture of a run.
    Render(RenderArguments),
    /// Write a run as one HTML file and open it in a browser.
    View(ViewArguments),
    /// Simulate a scene in real time in the browser, where bodies can be dragged.
    Live(LiveArguments),
    /// Convert a run for other programs: Blender, Houdini, pandas and more.
    Export(ExportArguments),
    /// Convert a plot of a run to PDF.
    Pdf(PdfArguments),
    /// Print a shell completion script.
    Completions(CompletionsArguments),
    /// Print the man page of the program or of a command.
    Man(ManArguments),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct SceneArguments {
    /// A scene file (RON or JSON), or the name of a built-in scene (`sim scenes`).
    pub(crate) scene: PathBuf,
    /// Override a field of the scene; can be repeated.
    ///
    /// For example --set time.duration=2 or --set bodies.die.friction=0.4. Put an argument with brackets, spaces or * in
    /// single quotes: --set 'gravity=(0, 0, 0)'. Texts and expressions in it need no quotes of their own.
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
}

impl SceneArguments {
    /// The same with another simulated time (s), if given.
    pub(crate) fn with_duration(&self, duration: Option<f64>) -> Self {
        let mut changed = self.clone();
        changed.set.extend(duration.map(|seconds| format!("time.duration={seconds:?}")));
        changed
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

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) scene: SceneArguments,
    /// Folder for the results [default: out/NAME, with the name of the scene].
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing run in the folder.
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,
    /// Continue from the checkpoint in the folder, or start a run if there is none.
    /// The result is bitwise equal to that of an uninterrupted run.
    ///
    /// Only `time.duration`, `output` and `solver` may differ from the interrupted
    /// scene: a run can be extended, and a failed run continued with other solver
    /// settings.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Whether the command has no `--resume`, so that no message may offer it.
    #[arg(skip)]
    pub(crate) never_resumes: bool,
    /// Stop after this many steps, counted from the start of the scene.
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,
    /// Simulated time in seconds; short for --set time.duration=S.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) duration: Option<f64>,
    /// Memory limit of the program, such as 4GiB [default, on Linux: 90 % of the free memory].
    ///
    /// A scene whose lower estimate exceeds the limit is refused. A run that reaches the limit
    /// fails and keeps its last checkpoint.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
    /// Record the time of each phase of a step in profile.csv and profile.svg.
    #[arg(long)]
    pub(crate) profile: bool,
    /// Write a row for each iteration of the solver to a .csv file, and a chart to a .svg file of the same name.
    ///
    /// The rows tell what a step is cut by (impact and which bodies, inversion of an element, insufficient
    /// decrease), and how the linear system was solved. The motion is bitwise the same. With
    /// --resume an existing trace is continued, with --force it is replaced.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Show the run in the browser while it is computed.
    ///
    /// The page is served on 127.0.0.1 until the run ends; `sim view` writes a permanent page.
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) view: bool,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

#[derive(Debug, Args)]
pub(crate) struct StaticArguments {
    #[command(flatten)]
    run: RunArguments,
    /// Follow the path of equilibria in steps of this length; short for --set analysis=ArcLength(length:LENGTH).
    ///
    /// The length is the root mean square of the displacements of all nodes, in the scene's unit of length. The
    /// load of each step is in path.csv.
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    arc_length: Option<f64>,
}

impl StaticArguments {
    /// The run that they ask for.
    pub(crate) fn into_run(self) -> RunArguments {
        let Some(length) = self.arc_length else { return self.run.statics() };
        let mut run = self.run;
        run.scene.set.push(format!("analysis=ArcLength(length: {length:?})"));
        run
    }
}

impl RunArguments {
    /// The same with load steps instead of motion.
    pub(crate) fn statics(mut self) -> Self {
        self.scene.set.push("analysis=Static".to_owned());
        self
    }
}

/// Long help: the checks.
const CHECK_HELP: &str = "\
Errors also stop `sim run`: mistakes in the file, unusable meshes, bodies that intersect at the
start. Warnings mark input that runs but is probably unintended. Some warnings are issued by
`sim check` only: bodies that start nearer than d_hat, elements with dihedral angles below 5
degrees, meshes with edges shorter than twice d_hat, bodies that move farther than their own
size or ten edge lengths in the first step.

NO_COLOR=1 disables colours.

Exit codes: 0 the scene can be run, 1 the output could not be written, 2 the command line or the
scene is wrong.";

#[derive(Debug, Args)]
#[command(after_long_help = CHECK_HELP)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) scene: SceneArguments,
    /// Write the triangles that intersect at the start to a .vtu, .ply or .obj file.
    /// No file is written if there are none.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the report as JSON to stdout, and nothing else.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Long help: columns of a comparison.
const COLUMNS: &str = "\
Columns of the table (comparison.csv has more, in SI units):
  integrator   as in a scene
  h            time step (s)
  status       complete, or the time reached
  E end        energy after the last step divided by the initial energy, both relative
               to the ground level if the scene or an integrator defines one; in joules
               if the initial energy is not positive
  E min, max   smallest and largest energy of all states, divided in the same way
  E mean       mean energy in the last fifth of the run, divided by the initial energy
  swing        standard deviation of the energy in the last fifth
  noise        the part of it that alternates from step to step
  |dp|         change of linear momentum from start to end (kg m/s)
  |dL|         change of angular momentum about the origin (kg m^2/s)
  bounce       coefficient of restitution: vertical speed of the centre of mass after
               the first contact divided by that before; - if there is no bounce
  Newton       Newton iterations of all steps
  seconds      wall time

Exit codes: 0 all variants are complete, 1 a variant failed or was interrupted, 2 the command
line or the scene is wrong and nothing was run.";

#[derive(Debug, Args)]
#[command(after_long_help = COLUMNS)]
pub(crate) struct CompareArguments {
    #[command(flatten)]
    pub(crate) scene: SceneArguments,
    /// Integrators, separated by commas.
    ///
    /// Each is written as in a scene, such as 'Newmark(beta: 0.25, gamma: 0.5)', or as a name
    /// in any spelling, such as a-search, which takes the default parameters. `scene` stands
    /// for the scene's own integrator with its parameters.
    #[arg(short, long, value_name = "LIST", required = true, num_args = 1)]
    pub(crate) integrators: Vec<String>,
    /// Steps per second, separated by commas: 30,120 for time steps of 1/30 s and 1/120 s
    /// [default: the scene's time step].
    #[arg(long, value_name = "LIST", num_args = 1)]
    pub(crate) steps_per_second: Vec<String>,
    /// Folder for the results [default: out/NAME-compare].
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing comparison in the folder.
    #[arg(long)]
    pub(crate) force: bool,
    /// Stop each variant after this many steps, whatever its time step.
    #[arg(long, value_name = "N", conflicts_with = "duration")]
    pub(crate) steps: Option<u64>,
    /// Simulated time in seconds [default: that of the scene].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) duration: Option<f64>,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

/// The unit vector of an axis.
pub(crate) fn up_axis(text: &str) -> Result<[f64; 3], String> {
    match text {
        "x" | "X" => Ok([1.0, 0.0, 0.0]),
        "y" | "Y" => Ok([0.0, 1.0, 0.0]),
        "z" | "Z" => Ok([0.0, 0.0, 1.0]),
        _ => Err("must be x, y or z".to_owned()),
    }
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
    fn memory_sizes_need_a_unit() {
        let read = ["4GiB", "1.5 GB", "512M", "100000B"].map(|text| bytes(text).ok());
        let sizes = [4 << 30, 1_500_000_000, 512 << 20, 100_000];
        assert_eq!(read, sizes.map(Some));
        for invalid in ["", "4", "GiB", "-1GiB", "0GiB", "4 gib", "nanGB", "infGB"] {
            assert!(bytes(invalid).is_err(), "{invalid}");
        }
    }
}
