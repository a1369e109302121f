//! Provenance of a run.

use crate::Failure;
use crate::example::built_in;
use crate::load::BuiltScene;
use crate::processor::model_name;
use crate::several_runs::hint_for_runs;
use anyhow::Context;
use resile_record::{Leg, Origin, RunFolder};
use resile_runner::{Run, earlier_legs};
use std::path::{Path, PathBuf};

/// Writes `run.json` and `scene.ron`. A resumed run adds a leg, that is, the record of one invocation, to those of the
/// earlier invocations.
pub(crate) fn write(run: &Run, file: &Path, text: &str, threads: usize) -> Result<(), Failure> {
    let (mut legs, text) = earlier_legs(run, text);
    legs.push(Leg {
        after_step: run.steps_done(),
        command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        version: env!("RESILE_VERSION").to_owned(),
        machine: machine(),
        threads,
        text: Leg::checksum(&text),
    });
    let origin = Origin { scene: absolute(file), legs };
    Ok(origin.write(run.folder(), &text).context("the run's files could not be written")?)
}

/// The commit that the program was built from, where that is known.
pub(crate) fn commit() -> Option<String> {
    let commit = env!("RESILE_COMMIT");
    (!commit.is_empty()).then(|| commit.to_owned())
}

/// The absolute path of a file, or the name of a built-in scene.
pub(crate) fn absolute(scene: &Path) -> PathBuf {
    match built_in(scene) {
        None if scene.exists() => {
            std::path::absolute(scene).unwrap_or_else(|_| scene.to_path_buf())
        }
        _ => scene.to_path_buf(),
    }
}

/// The operating system and, if available, the processor.
fn machine() -> String {
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    match model_name() {
        Some(model) => format!("{system}, {model}"),
        None => system,
    }
}

/// The folder of a run, or `None` if the path is not a folder.
///
/// # Errors
/// If it is a folder without a run.
pub(crate) fn folder(path: &Path) -> Result<Option<RunFolder>, Failure> {
    let folder = RunFolder::at(path);
    match (path.is_dir(), folder.origin().is_file()) {
        (false, _) => Ok(None),
        (true, true) => Ok(Some(folder)),
        (true, false) => Err(Failure::Input(format!(
            "error: {0} is a folder and holds no run: {0}/run.json is not there{1}",
            path.display(),
            help_line(hint_for_runs(path))
        ))),
    }
}

/// A line of help; empty without a hint.
fn help_line(hint: Option<String>) -> String {
    hint.map_or_else(String::new, |hint| format!("\n   = help: {hint}"))
}

/// Refuses overrides: the stored scene of a run already contains the overrides of that run.
pub(crate) fn refuse_overrides(set: &[String]) -> Result<(), Failure> {
    match set {
        [] => Ok(()),
        _ => Err(Failure::Input(
            "error: --set is for scenes; the scene of a run has its overrides".to_owned(),
        )),
    }
}

/// Provenance and scene text of the run in a folder.
pub(crate) fn read(folder: &RunFolder) -> Result<(Origin, String), Failure> {
    Origin::read(folder).map_err(|error| {
        let hint = hint_for_runs(folder.path())
            .unwrap_or_else(|| "name the folder of a run, as `sim run` writes it".to_owned());
        let folder = folder.path().display();
        Failure::Input(format!(
            "error: {folder} does not describe a run: {error}\n   = help: {hint}"
        ))
    })
}

/// Builds the stored scene of a run again; its mesh paths are relative to the original scene file.
pub(crate) fn load(
    origin: &Origin,
    folder: &RunFolder,
    text: String,
) -> Result<BuiltScene, Failure> {
    let file_name = folder.scene().display().to_string();
    crate::load::load_text(&origin.scene, &resile_scene::text::SceneText::new(file_name, text))
}
