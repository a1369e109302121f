//! `sim info`.

use crate::example::built_in;
use crate::info_text::{mesh_text, scene_text};
use crate::load::{hint_for_missing_file, load};
use crate::options::SceneArguments;
use crate::report::run_report;
use crate::scene_file::is_deck_name;
use crate::stream::{diagnose, note, print, print_json};
use crate::{Failure, origin};
use clap::Args;
use resile_assembly::info::{MeshInfo, SceneInfo, to_json};
use resile_assembly::mesh_file::{self, MeshFileError, OtherSolidPolicy};
use resile_import::ForeignFormat;
use resile_record::{RunFolder, Summary, Units};
use std::path::PathBuf;
use std::process::ExitCode;

const FORMATS: &str = "\
The extension of the name selects the format:
  .ron .json                         a scene
  .obj .stl .ply .off .vtp           a surface of triangles
  .msh .vtu .vtk .mesh .node .ele    a solid of tetrahedra, or a surface if there are none
A name without an extension denotes a built-in scene (`sim scenes`). For the folder of a run, the
scene and the outcome of the run are described.

Lengths in mesh files are shown as metres. In a scene they have its `units`.

Exit codes: 0 the file was described, whatever the quality of the mesh; 2 it could not be read.";

#[derive(Debug, Args)]
#[command(after_long_help = FORMATS)]
pub(crate) struct InfoArguments {
    /// A mesh, a scene, the name of a built-in scene, or the folder of a run.
    pub(crate) file: PathBuf,
    /// Override a field of a scene; can be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Describes a file.
pub(crate) fn info(arguments: &InfoArguments) -> Result<ExitCode, Failure> {
    let file = &arguments.file;
    let has_extension =
        |ending: &&str| file.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    let ends_as_scene = ["ron", "json"].iter().any(has_extension);
    let is_foreign = ForeignFormat::of(file).is_some() && file.is_file();
    // A deck that cannot be read is refused as such.
    let is_deck = is_deck_name(file) && file.is_file();
    if ends_as_scene || is_foreign || is_deck || built_in(file).is_some() {
        return describe_scene(arguments);
    }
    if let Some(folder) = origin::folder(file)? {
        origin::refuse_overrides(&arguments.set)?;
        return describe_run(&folder, arguments.json);
    }
    if !file.exists() && file.extension().is_none() {
        let hint = hint_for_missing_file(file);
        let message = format!("error: there is no file or folder {}{hint}", file.display());
        return Err(Failure::Input(message));
    }
    if !arguments.set.is_empty() {
        let message = "error: --set applies only to scenes (.ron, .json)";
        return Err(Failure::Input(message.to_owned()));
    }
    let mesh_file =
        mesh_file::read(&arguments.file, OtherSolidPolicy::Divide).map_err(|e| mesh_failure(&e))?;
    mesh_file.notes.iter().for_each(|remark| note(format_args!("note: {remark}")));
    let mut info = MeshInfo::of(&mesh_file.mesh)
        .map_err(|e| Failure::Input(format!("error: {}: {e}", arguments.file.display())))?;
    info.add_from_file(&mesh_file);
    match arguments.json {
        true => print_json(&to_json(&info))?,
        false => print(mesh_text(&arguments.file.display().to_string(), &info))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Describes a scene and the fields that it omits.
fn describe_scene(arguments: &InfoArguments) -> Result<ExitCode, Failure> {
    let scene_arguments = SceneArguments::new(arguments.file.clone(), arguments.set.clone());
    let loaded = load(&scene_arguments)?;
    loaded.warnings.iter().for_each(diagnose);
    let info = SceneInfo::new(loaded.title(), &loaded.scene, &loaded.built);
    match arguments.json {
        true => print_json(&to_json(&info))?,
        false => print(scene_text(&info) + &defaults_text(&loaded.defaults))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A separate line with the fields that a scene omits and their defaults; empty if it omits none.
pub(crate) fn defaults_text(defaults: &[String]) -> String {
    match defaults {
        [] => String::new(),
        defaults => format!("\n  defaults  {}", defaults.join("; ")),
    }
}

/// Describes a run: its scene and its outcome.
fn describe_run(folder: &RunFolder, json: bool) -> Result<ExitCode, Failure> {
    let (origin, text) = origin::read(folder)?;
    let loaded = origin::load(&origin, folder, text)?;
    let mut info = SceneInfo::new(loaded.title(), &loaded.scene, &loaded.built);
    info.run = Summary::read(&folder.summary()).ok();
    if json {
        // The numbers of a description in JSON are in SI.
        info.run = info.run.map(|run| Summary { units: Units::Metres, ..run });
        print_json(&to_json(&info))?;
        return Ok(ExitCode::SUCCESS);
    }
    print(scene_text(&info))?;
    match &info.run {
        Some(summary) => print(run_report(summary, None, folder.path()))?,
        None => note("note: the run is not finished: summary.json is missing"),
    }
    Ok(ExitCode::SUCCESS)
}

/// The failure for an invalid mesh file.
fn mesh_failure(error: &MeshFileError) -> Failure {
    let help = match error {
        MeshFileError::Ending { .. } if error.help().starts_with("known are") => {
            format!("{}, and .ron and .json for a scene", error.help())
        }
        _ => error.help(),
    };
    Failure::Input(with_help(error, &help))
}

/// An error with its remedy.
pub(crate) fn with_help(error: &dyn std::fmt::Display, help: &str) -> String {
    if help.is_empty() {
        return format!("error: {error}");
    }
    format!("error: {error}\n  = help: {help}")
}
