//! The part of a scene that determines the motion.

use super::Scene;

impl Scene {
    /// Everything that determines the motion, in RON, except the accuracy of the solution; runs store its fingerprint. A
    /// resumed run may have another duration, name, output and other solver settings, such as those that let a failed run
    /// continue. The result is bitwise equal to that of an uninterrupted run only with the same solver settings.
    /// Layout, comments and units of the file have no influence.
    pub fn motion_text(&self) -> String {
        let mut scene = self.clone();
        scene.name = None;
        scene.units = super::Units::default();
        scene.materials = self.materials_in_use();
        scene.time.duration = 0.0;
        scene.output = super::Output::default();
        scene.solver = super::Solver::default();
        ron::to_string(&scene).expect("plain data can always be written as RON")
    }
}
