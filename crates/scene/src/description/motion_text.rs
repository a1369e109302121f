//! The part of a scene that determines the motion, as text.

use super::Scene;

/// Parts of the text with names that have changed, each followed by the same part in version 1. Runs of that version
/// can thus be resumed.
const NAMES_OF_VERSION_1: [(&str, &str); 6] = [
    (",exclude:[", ",off:["),
    (",rest_length:", ",rest:"),
    (",threshold:", ",least:"),
    ("Drag(coefficient:", "EtherDrag(coefficient:"),
    (",contact:Original)", ",touch:Original)"),
    (",contact:Boundary)", ",touch:Boundary)"),
];

impl Scene {
    /// The scene in RON without name, duration, output and solver settings. Runs store its fingerprint, and can be
    /// resumed with a scene of the same fingerprint. The result is bitwise equal to that of an uninterrupted run only
    /// with the same solver settings. Layout, comments, units and the version of the file have no influence; names are
    /// those of version 1.
    pub fn motion_text(&self) -> String {
        let mut scene = self.clone();
        scene.name = None;
        scene.units = super::Units::default();
        scene.materials = self.materials_in_use();
        scene.time.duration = 0.0;
        scene.output = super::Output::default();
        scene.solver = super::Solver::default();
        scene.set_defaults();
        scene.version = 1;
        let text = ron::to_string(&scene).expect("plain data can always be written as RON");
        NAMES_OF_VERSION_1
            .iter()
            .fold(text, |text, (name, former_name)| text.replace(name, former_name))
    }
}
