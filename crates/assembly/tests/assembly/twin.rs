//! Errors of a scene are the same in RON and in JSON.

use resile_scene::text::{Diagnostic, SceneText};

/// Asserts that the errors of a scene are the same in RON and in JSON: as many, at the same fields, except for
/// brackets and quotes that are correct there.
pub(crate) fn assert_told_the_same(ron: &str, found: &[Diagnostic]) {
    let Some(json) = SceneText::new("scene.ron", ron).to_json() else { return };
    let text = SceneText::new("scene.json", json.clone());
    let output = match text.load() {
        Ok(loaded) => loaded.warnings,
        Err(output) => output,
    };
    let is_json = |d: &Diagnostic| {
        d.message.starts_with("expected values in parentheses, found `[")
            || d.message.starts_with("expected a name without quotes")
            || d.message.starts_with("expected text in quotes")
            || d.help.starts_with("a fraction stands in quotes")
    };
    let about = |output: &[Diagnostic]| {
        let wrong = output.iter().filter(|&d| !is_json(d));
        // What stands in the parentheses of an alternative is its first item in RON alone.
        let path = |d: &Diagnostic| match d.path.strip_suffix("][0]") {
            Some(outer) => format!("{outer}]"),
            // A name where a number should be is a field in JSON, of a value that is none.
            None if d.message == "expected a number without a field name" => {
                d.path.rsplit_once('.').map_or("", |(outer, _)| outer).to_owned()
            }
            None => d.path.clone(),
        };
        let mut about: Vec<_> = wrong.map(|d| (path(d), d.severity as u8)).collect();
        about.sort();
        about
    };
    let shown = |output: &[Diagnostic]| {
        output.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(about(&output), about(found), "{}\n\n{}\n{json}", shown(&output), shown(found));
}
