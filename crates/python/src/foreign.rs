//! Files of other programs as scenes: scripts of IPC, problems of PolyFEM, decks of Abaqus and CalculiX.

use crate::errors::Failure;
use resile_import::{ForeignFormat, GeneratedMesh, ImportError, Imported, import};
use std::path::Path;

/// A scene that was converted from a file of another program.
pub(crate) struct ForeignScene {
    /// Text of the scene in RON.
    pub(crate) text: String,
    /// What was replaced by a substitute, and what has to be known of the scene.
    pub(crate) notes: Vec<String>,
    /// Names and contents of the meshes that the conversion generated. The other paths in the text are relative to the
    /// folder of the file or, with generated meshes, to any folder in that of temporary files.
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// Converts a file of another program to a scene; `None` if its format is not that of one.
pub(crate) fn read(path: &Path) -> Result<Option<ForeignScene>, Failure> {
    let Some(format) = ForeignFormat::of(path) else {
        return match is_deck(path) && path.is_file() {
            true => Err(unknown_deck(path)),
            false => Ok(None),
        };
    };
    let convert = |base: &Path| import(path, format, base).map_err(|e| refusal(path, &e));
    let folder = path.parent().unwrap_or(Path::new(""));
    let Imported { mut scene, notes, files, .. } = convert(folder)?;
    if !files.is_empty() {
        // Attached files are written to a temporary folder, of which only the depth matters for relative paths.
        scene = convert(&std::env::temp_dir().join("generated"))?.scene;
    }
    let files = files.into_iter().map(|GeneratedMesh { name, contents }| (name, contents));
    Ok(Some(ForeignScene { text: scene, notes, files: files.collect() }))
}

/// Whether a file is a deck by its name. A deck has no units, so the magnitudes of its numbers are not judged.
pub(crate) fn is_deck(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("inp"))
}

/// The failure for a file that is called like a deck and is none.
fn unknown_deck(path: &Path) -> Failure {
    Failure::file(path.display(), format!("{}: the content is not that of a deck", path.display()))
        .with_remedy("a deck of Abaqus or CalculiX begins with a keyword such as *HEADING or *NODE")
}

/// The failure for a file with features that a scene cannot express, all of which are named with their lines.
fn refusal(path: &Path, error: &ImportError) -> Failure {
    let failure = Failure::file(path.display(), error);
    match error {
        ImportError::Refused(_) => failure.with_remedy(
            "these features have no counterpart in a scene: docs/import.md; remove or replace them",
        ),
        _ => failure,
    }
}
