//! From the command line to a scene that can run.

use crate::Failure;
use crate::arguments::SceneArguments;
use resile_scene::build::{Built, build};
use resile_scene::description::{Fingerprint, Scene, Severity};
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

/// Reads, overrides, checks and builds. Everything wrong comes in one failure.
pub(crate) fn load(arguments: &SceneArguments) -> Result<Loaded, Failure> {
    let path = &arguments.scene;
    let text = std::fs::read_to_string(path).map_err(|e| {
        Failure::Input(format!("error: the scene {} cannot be read: {e}", path.display()))
    })?;
    let mut text = SceneText::new(path.display().to_string(), text);
    for assignment in &arguments.set {
        text.set(assignment).map_err(|d| Failure::Input(listed(&[*d])))?;
    }
    let scene = text.read().map_err(|d| Failure::Input(listed(&[*d])))?;
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let diagnose = |problems: &[_]| -> Vec<Diagnostic> {
        problems.iter().map(|problem| text.diagnose(problem)).collect()
    };
    let built = build(&scene, &folder).map_err(|p| Failure::Input(listed(&diagnose(&p))))?;
    let warnings = diagnose(&built.warnings);
    let name = path.file_stem().map_or_else(|| "scene".into(), |s| s.to_string_lossy());
    let fingerprint = built.fingerprint(&scene);
    Ok(Loaded { name: name.into_owned(), scene, built, warnings, fingerprint })
}

/// All diagnostics and how many errors there are.
fn listed(diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&format!("{diagnostic}\n"));
    }
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    let noun = if errors == 1 { "error" } else { "errors" };
    out.push_str(&format!("{errors} {noun}; nothing was run and nothing was written"));
    out
}
