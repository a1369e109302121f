//! `sim import`: converts files of other programs to scenes.

use crate::Failure;
use crate::output_path::OutputPath;
use crate::report::{DiagnosticReport, shell_word};
use crate::scene_file::{refuse_deck_name, text_in_format};
use crate::stream::{note, print};
use clap::Args;
use resile_files::Durability;
use resile_import::{ForeignFormat, ImportError, Imported, import as import_file};
use resile_scene::text::SceneText;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Largest length (bytes) of a JSON file whose syntax is reported.
const MAX_JSON_BYTES: u64 = 64 << 20;

const FORMATS: &str = "\
The extension of the name selects the format:
  .txt    a script of IPC
  .json   a problem of PolyFEM
  .inp    an input deck of Abaqus or CalculiX

`sim run`, `sim static`, `sim modes`, `sim check` and `sim info` accept the same files. A feature that is
replaced by a similar one is reported, here and at the top of the scene. Features without a
counterpart are errors, reported all at once with their lines: docs/import.md.

Exit codes: 0 the scene was written, 2 the file cannot be read or converted.";

#[derive(Debug, Args)]
#[command(after_long_help = FORMATS)]
pub(crate) struct ImportArguments {
    /// The file of another program.
    pub(crate) file: PathBuf,
    /// The scene to write, in JSON if it ends in .json, else in RON, with its meshes beside it.
    ///
    /// Without it the scene is printed, and meshes are not written.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace that file and the meshes beside it if they are there.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Converts a file and writes the scene.
pub(crate) fn import(arguments: &ImportArguments) -> Result<ExitCode, Failure> {
    let ImportArguments { file, output, force } = arguments;
    let Some(format) = ForeignFormat::of(file) else { return Err(unknown_format(file)) };
    let Some(output) = output else {
        let imported = convert(file, format, Path::new(""))?;
        note_unwritten_meshes(&imported);
        print(imported.scene.trim_end())?;
        return Ok(ExitCode::SUCCESS);
    };
    refuse_deck_name(output)?;
    let folder = output.parent().unwrap_or(Path::new(""));
    let Imported { scene, files: mesh_files, has_modal_analysis, .. } =
        convert(file, format, folder)?;
    let scene = text_in_format(output, &scene);
    // A mesh that another scene in the folder has in common is there already.
    let is_missing = |(path, contents): &(PathBuf, &[u8])| {
        resile_files::read(path, contents.len() as u64).ok().as_deref() != Some(*contents)
    };
    let meshes = mesh_files.iter().map(|mesh| (folder.join(&mesh.name), &mesh.contents[..]));
    let meshes = meshes.filter(is_missing);
    let outputs: Vec<_> = [(output.clone(), scene.as_bytes())].into_iter().chain(meshes).collect();
    let paths =
        outputs.iter().map(|(path, _)| OutputPath::new(path)).collect::<Result<Vec<_>, _>>()?;
    // All outputs are opened before the first is written, so a refusal leaves every file unchanged.
    let files = paths.iter().map(|path| path.file(*force)).collect::<Result<Vec<_>, _>>()?;
    for ((path, temporary), (_, contents)) in paths.iter().zip(files).zip(&outputs) {
        let write_result = temporary.file().write_all(contents);
        write_result.and_then(|()| temporary.keep(Durability::Written)).map_err(|error| {
            Failure::Work(anyhow::Error::new(error).context(path.write_context()))
        })?;
    }
    let command = if has_modal_analysis { "sim modes" } else { "sim run" };
    note(format_args!("wrote {}; next: {command} {}", output.display(), shell_word(output)));
    Ok(ExitCode::SUCCESS)
}

/// Prints a note that a printed scene needs meshes that only `-o` writes.
fn note_unwritten_meshes(imported: &Imported) {
    let names: Vec<&str> = imported.files.iter().map(|mesh| mesh.name.as_str()).collect();
    if !names.is_empty() {
        note(format_args!(
            "note: the scene reads {}, which is not written: -o FILE writes it beside the scene",
            names.join(", ")
        ));
    }
}

/// The failure for a file that cannot be read, or whose extension or content is that of no format.
pub(crate) fn unknown_format(file: &Path) -> Failure {
    if let Some(failure) = broken_json(file) {
        return failure;
    }
    let ending = file.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let requirement = match ending.as_deref() {
        Some("inp") => {
            "a deck of Abaqus or CalculiX begins with a keyword such as *HEADING or *NODE"
        }
        Some("txt") => "a script of IPC has a line `shapes input N`",
        Some("json") => "a problem of PolyFEM has a `geometry`",
        _ => {
            return Failure::Input(format!(
                "error: {}: the file extension is not that of a supported format\n  = help: known are .txt for \
                 scripts of IPC, .json for problems of PolyFEM and .inp for decks of Abaqus and CalculiX",
                file.display()
            ));
        }
    };
    let problem = match std::fs::metadata(file) {
        Err(error) => error.to_string(),
        Ok(metadata) if metadata.len() == 0 => "the file is empty".to_owned(),
        Ok(_) => "the content is not that of the format".to_owned(),
    };
    Failure::Input(format!("error: {}: {problem}\n  = help: {requirement}", file.display()))
}

/// The failure for a JSON file with invalid syntax, with its line and column.
fn broken_json(file: &Path) -> Option<Failure> {
    let is_json = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let text = resile_files::read_text(file, MAX_JSON_BYTES).ok();
    let text = text.filter(|text| is_json && !text.is_empty())?;
    serde_json::from_str::<serde_json::Value>(&text).err()?;
    let diagnostics = SceneText::new(file.display().to_string(), text).read().err()?;
    Some(Failure::Scene(DiagnosticReport::refusal(&diagnostics)))
}

/// Converts a file to a scene in a folder, and reports substituted features.
pub(crate) fn convert(
    file: &Path,
    format: ForeignFormat,
    folder: &Path,
) -> Result<Imported, Failure> {
    let imported =
        import_file(file, format, folder).map_err(|error| Failure::Input(error_text(&error)))?;
    imported.notes.iter().for_each(|remark| note(format_args!("note: {remark}")));
    Ok(imported)
}

/// The text of an import error; refused features are listed one per line.
fn error_text(error: &ImportError) -> String {
    match error {
        ImportError::Refused(refusals) => {
            let lines = refusals.iter().map(|refusal| format!("error: {refusal}\n"));
            lines.collect::<String>()
                + "nothing was written, because some features cannot be imported"
        }
        error => format!("error: {error}"),
    }
}
