//! Results of `sim bench`.
//!
//! Wall times vary between runs, so each figure is a median of several runs. Counts do not vary: runs of one scene that
//! differ in a count are a defect of the program and give no figures. Each run is a separate process, because the peak
//! memory is that of a process.

use super::{Figures, Machine};
use serde::Serialize;

/// A scene that has no figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Missing {
    /// Name of the scene.
    pub(crate) scene: String,
    /// Why it has no figures.
    pub(crate) reason: String,
}

/// The figures of all scenes, and the machine on which they were measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Benchmark {
    /// The machine.
    pub(crate) machine: Machine,
    /// Version of the program.
    pub(crate) version: String,
    /// Threads of each run.
    pub(crate) threads: usize,
    /// Runs of each scene.
    pub(crate) runs: u32,
    /// Medians, scene by scene.
    pub(crate) scenes: Vec<Figures>,
    /// Requested scenes without figures.
    pub(crate) missing: Vec<Missing>,
}

impl Benchmark {
    /// A benchmark without scenes.
    pub(crate) fn new(threads: usize, runs: u32) -> Self {
        Self {
            machine: Machine::here(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            threads,
            runs,
            scenes: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// The benchmark as JSON; keys are the names of the fields.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data is always JSON")
    }
}
