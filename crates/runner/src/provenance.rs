//! Provenance of resumed runs.

use crate::Run;
use resile_record::{Leg, Origin};
use resile_scene::text::SceneText;

/// The legs of a run before the present one, and the text of the scene to store. This is `text`, unless the last leg
/// stored another text that describes the same scene, for example in an older version of the format: then that text is
/// kept.
pub fn earlier_legs(run: &Run, text: &str) -> (Vec<Leg>, String) {
    let without_legs = || (Vec::new(), text.to_owned());
    if run.steps_done() == 0 {
        return without_legs();
    }
    let Ok((origin, stored)) = Origin::read(run.folder()) else { return without_legs() };
    let is_unchanged = origin.legs.last().is_some_and(|leg| leg.text == Leg::checksum(&stored));
    let [old, new] = [&stored[..], text].map(|text| SceneText::new("scene.ron", text));
    let text = match is_unchanged && old.describes_same_scene(&new) {
        true => stored,
        false => text.to_owned(),
    };
    (origin.legs, text)
}
