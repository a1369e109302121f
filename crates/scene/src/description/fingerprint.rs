//! A fingerprint of the parts of a scene that determine the motion.

use super::Scene;
use resile_record::Fingerprint;

impl Scene {
    /// The fingerprint of all that determines the motion, except how
    /// exactly it is solved. A run may be resumed with another duration, to go on
    /// for longer, with another name or output, and with other settings of the
    /// solver, which is what a run that failed needs. (Only with the same settings
    /// of the solver is it the same to the bit as without the interruption.)
    /// Layout, comments and units of the file do not count either.
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
