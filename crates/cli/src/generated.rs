//! Scenes of other programs, whose generated meshes are in temporary folders.

use crate::Failure;
use crate::example::built_in;
use resile_import::ForeignFormat;
use resile_scene::description::{Problem, Severity, is_magnitude_warning};
use resile_scene::text::{Diagnostic, SceneText};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// Imports a file of another program. If the import generates meshes, they are in a temporary
/// [folder](generated_folder), to which the paths in the scene are relative.
pub(crate) fn import_foreign(path: &Path, format: ForeignFormat) -> Result<SceneText, Failure> {
    let name = format!("{} as a scene", path.display());
    let imported = crate::import::convert(path, format, path.parent().unwrap_or(Path::new("")))?;
    if imported.files.is_empty() {
        return Ok(SceneText::new(name, imported.scene));
    }
    let scene = generate(path, format).map_err(|error| {
        Failure::Input(format!("error: the meshes of {name} could not be written: {error}"))
    })?;
    Ok(SceneText::new(name, scene))
}

/// Temporary folders with the generated meshes of imported files, by the path of the file; `None` if a file has no
/// meshes.
static GENERATED_FOLDERS: Mutex<BTreeMap<PathBuf, Option<TempDir>>> = Mutex::new(BTreeMap::new());

/// Locks [`GENERATED_FOLDERS`].
fn lock_generated() -> MutexGuard<'static, BTreeMap<PathBuf, Option<TempDir>>> {
    GENERATED_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes the generated meshes of a file of another program to a temporary folder, and returns the scene. Paths in the
/// scene are relative to this folder: they begin with one `..` for each of its levels and do not contain its name, so
/// the text of the scene is the same for every folder.
fn generate(path: &Path, format: ForeignFormat) -> Result<String, String> {
    let temporary_folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let imported = resile_import::import(path, format, temporary_folder.path())
        .map_err(|error| error.to_string())?;
    let write = || -> std::io::Result<()> {
        let opened_folder = resile_files::Folder::open(temporary_folder.path())?;
        imported
            .files
            .iter()
            .try_for_each(|mesh| opened_folder.write_new(&mesh.name, &mesh.contents))
    };
    write().map_err(|error| error.to_string())?;
    let temporary_folder = (!imported.files.is_empty()).then_some(temporary_folder);
    lock_generated().insert(path.to_path_buf(), temporary_folder);
    Ok(imported.scene)
}

/// Imports the file `path` of another program again if this process has not imported it, as for a resumed run, whose
/// meshes were temporary. Equal files give equal meshes. `text` is the scene, in which a diagnostic is located.
pub(crate) fn generate_again(path: &Path, text: &SceneText) -> Result<(), Vec<Diagnostic>> {
    if built_in(path).is_some() || lock_generated().contains_key(path) {
        return Ok(());
    }
    let Some(format) = ForeignFormat::of(path) else { return Ok(()) };
    generate(path, format).map(drop).map_err(|error| {
        vec![text.diagnose(&Problem {
            severity: Severity::Error,
            path: String::new(),
            message: format!("{} cannot be imported again: {error}", path.display()),
            help: "the scene may have meshes that are made of that file; put it back".to_owned(),
            concerns_steps: false,
        })]
    })
}

/// The folder of the generated meshes of an imported file, if it has any.
pub(crate) fn generated_folder(path: &Path) -> Option<PathBuf> {
    Some(lock_generated().get(path)?.as_ref()?.path().to_path_buf())
}

/// If the scene was imported from an Abaqus deck, removes warnings that do not apply to it: those about magnitudes,
/// because a deck has no units, and those about meshes that the import generated.
pub(crate) fn drop_magnitude_warnings(path: &Path, problems: &mut Vec<Problem>) {
    if built_in(path).is_some() || ForeignFormat::of(path) != Some(ForeignFormat::Abaqus) {
        return;
    }
    let generated = lock_generated();
    let is_generated = |problem: &Problem| {
        let names_file_in =
            |folder: &TempDir| problem.message.starts_with(&folder.path().display().to_string());
        problem.severity == Severity::Warning && generated.values().flatten().any(names_file_in)
    };
    problems.retain(|problem| !is_magnitude_warning(problem) && !is_generated(problem));
}

/// Removes the temporary folders of imports.
pub(crate) fn remove_generated_folders() {
    lock_generated().clear();
}
