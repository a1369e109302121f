//! A fingerprint of the parts of a scene that determine the motion.

use super::Scene;
use resile_record::Fingerprint;

impl Scene {
    /// The fingerprint of everything that determines the motion, except the accuracy of the solution. A resumed run
    /// may have another duration, name, output and other solver settings, such as those that let a failed run
    /// continue. The result is bitwise equal to that of an uninterrupted run only with the same solver settings.
    /// Layout, comments and units of the file have no influence.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut scene = self.clone();
        scene.name = None;
        scene.units = super::Units::default();
        scene.materials = self.materials_in_use();
        scene.time.duration = 0.0;
        scene.output = super::Output::default();
        scene.solver = super::Solver::default();
        let text = ron::to_string(&scene).expect("plain data can always be written as RON");
        Fingerprint::EMPTY.with(text.as_bytes())
    }
}
