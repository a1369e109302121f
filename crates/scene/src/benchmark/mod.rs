//! Speed of whole scenes: which are run, and what is said about their runs.
//!
//! Clocks vary from run to run, and on a machine with other work to do they vary much, so a
//! figure is a median of several runs. Counts do not vary: runs of one scene that differ in
//! one are a defect of the program, and no figure is made of them. The runs themselves are
//! made by the caller, each in a process of its own: the peak of memory is that of a
//! process.

mod figures;
mod machine;
mod standard;

pub use figures::{Figures, Shares, Uneven};
pub use machine::Machine;
pub use standard::{STANDARD, StandardScene};

use serde::Serialize;

/// A scene that has no figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Its name.
    pub scene: String,
    /// Why.
    pub reason: String,
}

/// All that was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Benchmark {
    /// On what.
    pub machine: Machine,
    /// Version of the program.
    pub version: String,
    /// Threads of each run.
    pub threads: usize,
    /// Runs of each scene.
    pub runs: u32,
    /// Medians, scene by scene.
    pub scenes: Vec<Figures>,
    /// Scenes that were asked for and have no figures.
    pub missing: Vec<Missing>,
}

impl Benchmark {
    /// Nothing yet.
    pub fn new(threads: usize, runs: u32) -> Self {
        Self {
            machine: Machine::here(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            threads,
            runs,
            scenes: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// All of it as JSON, names as here.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data is always JSON")
    }
}
