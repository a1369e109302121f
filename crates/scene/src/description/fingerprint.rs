//! A number that tells scenes apart, so that a checkpoint is not resumed with
//! another scene.

use super::Scene;

/// FNV-1a over 64 bits: against mistakes, not against malice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Of no bytes.
    pub const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// With more bytes, such as those of a mesh file.
    #[must_use]
    pub fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }

    /// The number itself.
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl Scene {
    /// The fingerprint of the problem: of all that decides the motion but for how
    /// exactly it is solved. A run may be resumed with another duration, to go on
    /// for longer, with another name or output, and with other settings of the
    /// solver, which is what a run that failed needs. (Only with the same settings
    /// of the solver is it the same to the bit as without the interruption.)
    /// Layout and comments of the file do not count either.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut scene = self.clone();
        scene.name = None;
        scene.time.duration = 0.0;
        scene.output = super::Output::default();
        scene.solver = super::Solver::default();
        let text = ron::to_string(&scene).expect("plain data can always be written as RON");
        Fingerprint::EMPTY.with(text.as_bytes())
    }
}
