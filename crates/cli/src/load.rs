//! From the command line to a scene that can run.

use crate::Failure;
use crate::arguments::SceneArguments;
use crate::report::listed;
use resile_record::Fingerprint;
use resile_scene::assemble::{Built, build};
use resile_scene::description::{Problem, Scene};
use resile_scene::text::{Diagnostic, SceneText};
use std::path::{Path, PathBuf};

/// A scene, built.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The file's stem.
    pub(crate) name: String,
    pub(crate) scene: Scene,
    pub(crate) built: Built,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) fingerprint: Fingerprint,
}

impl Loaded {
    /// The name that the scene gives itself, or that of its file.
    pub(crate) fn title(&self) -> &str {
        self.scene.name.as_ref().unwrap_or(&self.name)
    }
}

/// Reads, overrides, checks and builds. Everything wrong comes in one failure.
pub(crate) fn load(arguments: &SceneArguments) -> Result<Loaded, Failure> {
    let refuse = |diagnostics: Vec<_>| Failure::Input(listed(&diagnostics));
    let text = read(arguments)?.map_err(refuse)?;
    assemble(&arguments.scene, &text, |problem| text.diagnose(problem)).map_err(refuse)
}

/// The scene's text with its overrides, or what is wrong with those.
pub(crate) fn read(
    arguments: &SceneArguments,
) -> Result<Result<SceneText, Vec<Diagnostic>>, Failure> {
    let path = &arguments.scene;
    let text = std::fs::read_to_string(path).map_err(|e| {
        Failure::Input(format!("error: the scene {} cannot be read: {e}", path.display()))
    })?;
    let mut text = SceneText::new(path.display().to_string(), text);
    for assignment in &arguments.set {
        if let Err(diagnostic) = text.set(assignment) {
            return Ok(Err(vec![*diagnostic]));
        }
    }
    Ok(Ok(text))
}

/// Builds what a text describes; `diagnose` finds the places of its problems.
pub(crate) fn assemble(
    path: &Path,
    text: &SceneText,
    diagnose: impl Fn(&Problem) -> Diagnostic,
) -> Result<Loaded, Vec<Diagnostic>> {
    let scene = text.read().map_err(|diagnostic| vec![*diagnostic])?;
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let built = build(&scene, &folder).map_err(|problems| diagnosed(&problems, &diagnose))?;
    let warnings = diagnosed(&built.warnings, &diagnose);
    let name = path.file_stem().map_or_else(|| "scene".into(), |s| s.to_string_lossy());
    let fingerprint = built.fingerprint(&scene);
    Ok(Loaded { name: name.into_owned(), scene, built, warnings, fingerprint })
}

/// The places of problems.
pub(crate) fn diagnosed(
    problems: &[Problem],
    diagnose: impl Fn(&Problem) -> Diagnostic,
) -> Vec<Diagnostic> {
    problems.iter().map(diagnose).collect()
}
