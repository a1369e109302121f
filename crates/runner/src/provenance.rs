//! Provenance of resumed runs.

use crate::Run;
use resile_record::{Leg, Origin};
use resile_scene::text::SceneText;

/// The legs of a run before the present one, and the text of its scene to store. If the last leg stored a text that describes
/// the same scene as `text`, as before a conversion to another version of the format, that text is stored again.
pub fn earlier_legs(run: &Run, text: &str) -> (Vec<Leg>, String) {
    let none = || (Vec::new(), text.to_owned());
    if run.steps_done() == 0 {
        return none();
    }
    let Ok((origin, stored)) = Origin::read(run.folder()) else { return none() };
    let is_unchanged = origin.legs.last().is_some_and(|leg| leg.text == Leg::checksum(&stored));
    let [old, new] = [&stored[..], text].map(|text| SceneText::new("scene.ron", text));
    let text = match is_unchanged && old.describes_same_scene(&new) {
        true => stored,
        false => text.to_owned(),
    };
    (origin.legs, text)
}
