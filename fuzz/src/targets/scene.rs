//! Scenes and overrides.

use resile_assembly::estimate::Estimate;
use resile_scene::text::{Diagnostic, SceneText};

/// What overrides are tried on.
pub const OVERRIDDEN: &str = include_str!("overridden.ron");

/// The text of a scene file: read, checked, its size estimated; every finding has a place.
pub fn scene(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data) {
        load(&SceneText::new("fuzz.ron", text));
    }
}

/// Arguments of `--set`, one a line, of a scene that is good.
pub fn set(data: &[u8]) {
    let Ok(arguments) = str::from_utf8(data) else { return };
    let mut text = SceneText::new("fuzz.ron", OVERRIDDEN);
    for argument in arguments.lines().take(4) {
        if let Err(diagnostic) = text.set(argument) {
            return shown(&diagnostic);
        }
    }
    load(&text);
}

fn load(text: &SceneText) {
    match text.load() {
        Ok(loaded) => {
            loaded.warnings.iter().for_each(shown);
            let estimate = Estimate::at_least(&loaded.scene);
            assert!(!estimate.memory.is_nan(), "{estimate:?}");
            // What is read is what would be written beside the results, and reads the same.
            let again = SceneText::new("again.ron", text.text()).load();
            assert!(again.is_ok_and(|again| again.scene == loaded.scene));
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            diagnostics.iter().for_each(shown);
        }
    }
}

fn shown(diagnostic: &Diagnostic) {
    assert!(diagnostic.line > 0 && diagnostic.column > diagnostic.skipped && diagnostic.width > 0);
    assert!(!diagnostic.message.is_empty() && diagnostic.lines().len() >= 3);
}
