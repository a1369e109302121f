//! `sweep.json`: the plan of a sweep as a file.

use crate::design::Design;
use crate::plan::Plan;
use resile_scene::text::Diagnostic;
use serde::{Deserialize, Serialize};

/// All that determines a sweep, except the text of its scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredPlan {
    /// Version of this format.
    pub format: u32,
    /// Name of the scene.
    pub name: String,
    /// The scene file, or the name of a scene inside the program. Paths in the scene are relative to its
    /// folder.
    pub scene: String,
    /// What is set in all runs, as for `--set`.
    pub set: Vec<String>,
    /// What varies, as for `--vary`.
    pub vary: Vec<String>,
    /// The design.
    pub design: Design,
    /// Steps of each run, if they are limited.
    pub steps: Option<u64>,
    /// The results in the table, as for `--result`. They can change without a new run.
    pub results: Vec<String>,
}

impl StoredPlan {
    /// The version that this program writes and reads.
    pub const FORMAT: u32 = 1;

    /// The runs.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn plan(&self) -> Result<Plan, Vec<Diagnostic>> {
        Plan::new(&self.vary, self.design)
    }

    /// What differs from another plan so that their runs differ, in words.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let pairs = [
            (self.set == other.set, "what is set"),
            (self.vary == other.vary, "what varies"),
            (self.design == other.design, "the design or its seed"),
            (self.steps == other.steps, "the number of steps"),
        ];
        pairs.into_iter().filter_map(|(same, what)| (!same).then_some(what)).collect()
    }
}
