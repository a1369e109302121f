//! The part of a scene that determines the motion.

use super::Scene;

/// Pieces of the text with names that have changed, and the same in version 1, so that runs of that version can be resumed.
const NAMES_OF_VERSION_1: [(&str, &str); 6] = [
    (",exclude:[", ",off:["),
    (",rest_length:", ",rest:"),
    (",threshold:", ",least:"),
    ("Drag(coefficient:", "EtherDrag(coefficient:"),
    (",contact:Original)", ",touch:Original)"),
    (",contact:Boundary)", ",touch:Boundary)"),
];

impl Scene {
    /// Everything that determines the motion, in RON, except the accuracy of the solution; runs store its fingerprint. A
    /// resumed run may have another duration, name, output and other solver settings, such as those that let a failed run
    /// continue. The result is bitwise equal to that of an uninterrupted run only with the same solver settings.
    /// Layout, comments, units and the version of the file have no influence: the names are those of version 1.
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
        NAMES_OF_VERSION_1.iter().fold(text, |text, (now, then)| text.replace(now, then))
    }
}
