//! `sim check`.

use crate::generated::{drop_magnitude_warnings, generated_folder};
use crate::info::{defaults_text, with_help};
use crate::info_text::with_unit;
use crate::load::{cannot_fit, diagnosed, read};
use crate::mesh_progress::MeshProgress;
use crate::options::SceneArguments;
use crate::output_path::refuse_files_of_runs;
use crate::progress::Style;
use crate::report::{DiagnosticReport, counted, short_time};
use crate::signals::Signals;
use crate::stream::{diagnose, print, print_json};
use crate::{BAD_INPUT, Failure};
use clap::Args;
use indicatif::HumanDuration;
use resile_assembly::estimate::{estimated_memory, estimated_seconds};
use resile_assembly::info::{CheckInfo, SceneInfo, to_json, write_crossings};
use resile_assembly::mesh_file::{self, MeshFileError};
use resile_runner::memory;
use resile_scene::text::SceneText;
use resile_watch::Tally;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

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

/// Checks everything that can be checked without taking a step.
pub(crate) fn check(arguments: &CheckArguments) -> Result<ExitCode, Failure> {
    if let Some(output) = &arguments.output {
        refuse_output(output, arguments.force)?;
    }
    // Until `defer_termination`, a signal ends the program at once: filling a surface with tetrahedra can take minutes.
    let signals = Signals::listen(Duration::ZERO)?;
    let too_large = |text: &SceneText| {
        let problem = cannot_fit(&text.read().ok()?, memory::default_limit())?;
        Some(vec![text.diagnose(&problem)])
    };
    let (info, summary_text) = match read(&arguments.scene)? {
        Ok(text) => match too_large(&text) {
            Some(problems) => (failed_check(problems), String::new()),
            None => check_scene(arguments, &text),
        },
        Err(problems) => (failed_check(problems), String::new()),
    };
    signals.defer_termination();
    if let Some(output) = arguments.output.as_ref().filter(|_| !info.crossings.is_empty()) {
        write_crossings(&info.crossings, output).map_err(|e| Failure::Work(e.into()))?;
    }
    if arguments.json {
        print_json(&to_json(&info))?;
    } else if info.good {
        info.problems.iter().for_each(diagnose);
        print(summary_text)?;
    } else {
        let report = match &arguments.output {
            Some(output) if !info.crossings.is_empty() => {
                let consequence =
                    format!("the triangles that intersect are in {}", output.display());
                DiagnosticReport::with_consequence(&info.problems, &consequence)
            }
            _ => DiagnosticReport::refusal(&info.problems),
        };
        return Err(Failure::Scene(report));
    }
    Ok(ExitCode::from(if info.good { 0 } else { BAD_INPUT }))
}

/// Refuses outputs with unknown extensions and existing files before the check.
fn refuse_output(output: &Path, force: bool) -> Result<(), Failure> {
    refuse_files_of_runs(output)?;
    if !force && output.is_file() {
        return Err(Failure::Input(format!(
            "error: {} already exists; --force replaces it, -o chooses another name",
            output.display()
        )));
    }
    let is_vtu = output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("vtu"));
    let is_surface = matches!(mesh_file::written_as(output), Ok(mesh_file::Holds::Surface));
    if is_vtu || is_surface {
        return Ok(());
    }
    let error = MeshFileError::Ending { path: output.to_owned() };
    Err(Failure::Input(with_help(&error, "triangles are written as .vtu, .ply or .obj")))
}

/// The result for a scene that cannot be built.
fn failed_check(problems: Vec<resile_scene::text::Diagnostic>) -> CheckInfo {
    CheckInfo {
        good: false,
        problems,
        crossings: Vec::new(),
        scene: None,
        usual_memory_bytes: None,
        usual_seconds: None,
    }
}

/// The findings, and the summary line of a valid scene (empty otherwise).
fn check_scene(arguments: &CheckArguments, text: &SceneText) -> (CheckInfo, String) {
    let path = &arguments.scene.scene;
    let scene = match text.read() {
        Ok(scene) => scene,
        Err(diagnostics) => return (failed_check(diagnostics), String::new()),
    };
    let parent = || path.parent().map_or_else(Default::default, Path::to_path_buf);
    let mesh_folder = generated_folder(path).unwrap_or_else(parent);
    let tally = Tally::new();
    let progress = MeshProgress::show(Style::of_terminal(arguments.json), tally.clone());
    let resile_assembly::Checked { built: result, mut warnings, crossings } =
        resile_assembly::check(&scene, &mesh_folder, &tally);
    drop(progress);
    let (mut build_problems, built) = match result {
        Ok(built) => (built.warnings.clone(), Some(built)),
        Err(problems) => (problems, None),
    };
    // Errors are printed last, next to the prompt of the shell.
    warnings.append(&mut build_problems);
    drop_magnitude_warnings(path, &mut warnings);
    let problems = diagnosed(&warnings, |problem| text.diagnose(problem));
    let summary_text = built.as_ref().map_or_else(String::new, |built| {
        let world = &built.world;
        // Moving obstacles are bodies of the world, too.
        let bodies = || (0..world.body_count()).filter(|&body| !world.is_kinematic(body));
        let nodes: usize = bodies().map(|body| world.state(body).positions.len()).sum();
        let tets: usize = built.meshes.iter().map(|mesh| mesh.tets.len()).sum();
        format!(
            "{}: good; {} of {nodes} nodes and {tets} tetrahedra, {}; {} of {} s, {}; about {} plus contact",
            path.display(),
            counted(bodies().count(), "body", "bodies"),
            with_unit(scene.units, built.world.mass(), "kg"),
            counted(scene.time.steps() as usize, "step", "steps"),
            short_time(scene.time.step.seconds(), 6),
            built.world.integrator().name(),
            cost_text(estimated_memory(built), estimated_seconds(&scene, built)),
        ) + &defaults_text(&text.defaults(&scene))
    });
    let stem = path.file_stem().map_or_else(|| "scene".into(), |s| s.to_string_lossy());
    let title = scene.name.as_deref().unwrap_or(&stem);
    let info = CheckInfo {
        good: built.is_some(),
        problems,
        crossings,
        scene: built.as_ref().map(|built| SceneInfo::new(title, &scene, built)),
        usual_memory_bytes: built.as_ref().map(estimated_memory),
        usual_seconds: built.as_ref().and_then(|built| estimated_seconds(&scene, built)),
    };
    (info, summary_text)
}

/// The text of the estimated memory (bytes) and time (s), which are accurate to an order of magnitude.
fn cost_text(memory: u64, seconds: Option<f64>) -> String {
    let memory = format!("{} of memory", memory::format_bytes(memory));
    match seconds {
        None => memory,
        Some(seconds) if seconds < 1.0 => format!("{memory}, less than a second"),
        Some(seconds) => {
            format!("{memory}, {}", HumanDuration(Duration::from_secs_f64(seconds.min(1e12))))
        }
    }
}
