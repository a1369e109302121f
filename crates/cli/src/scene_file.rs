//! Names and formats of scene files that are written.

use crate::Failure;
use resile_scene::text::{Form, SceneText};
use std::path::Path;

/// Whether a file is an input deck by its name.
pub(crate) fn is_deck_name(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("inp"))
}

/// Refuses to write a scene to a file whose extension is that of decks of other programs: no command would read it.
pub(crate) fn refuse_deck_name(file: &Path) -> Result<(), Failure> {
    match is_deck_name(file) {
        true => Err(Failure::Input(format!(
            "error: {} has the extension of a deck of another program, and would be read as one\n   = help: name it {}",
            file.display(),
            file.with_extension("ron").display()
        ))),
        false => Ok(()),
    }
}

/// The text of a scene, given in RON, in the format of the extension of `file`.
pub(crate) fn text_in_format(file: &Path, ron: &str) -> String {
    let json = match Form::of(&file.to_string_lossy(), ron) {
        Form::Ron => None,
        Form::Json => SceneText::new("scene.ron", ron).to_json(),
    };
    json.unwrap_or_else(|| ron.to_owned())
}
