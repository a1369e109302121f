//! `sweep.json`: the plan of a sweep as a file.

use crate::design::Design;
use crate::plan::Plan;
use resile_scene::text::Diagnostic;
use serde::{Deserialize, Serialize};

/// Everything that determines a sweep, except the text of its scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredPlan {
    /// Version of the format.
    pub format: u32,
    /// Name of the scene.
    pub name: String,
    /// Scene file, or name of a built-in scene. Paths in the scene are relative to its folder.
    pub scene: String,
    /// Assignments of all runs, as for `--set`.
    pub set: Vec<String>,
    /// Varied parameters, as for `--vary`.
    pub vary: Vec<String>,
    /// Design of the sweep.
    pub design: Design,
    /// Number of steps of each run, if it is limited.
    pub steps: Option<u64>,
    /// Results in the table, as for `--result`. They can change without new runs.
    pub results: Vec<String>,
}

impl StoredPlan {
    /// Version that this program writes and reads.
    pub const FORMAT: u32 = 1;

    /// The runs of the plan.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn plan(&self) -> Result<Plan, Vec<Diagnostic>> {
        Plan::new(&self.vary, self.design)
    }

    /// Names of the parts in which this plan differs from another one, among the parts that determine the runs.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let pairs = [
            (self.set == other.set, "what is set"),
            (self.vary == other.vary, "what varies"),
            (self.design == other.design, "the design or its seed"),
            (self.steps == other.steps, "the number of steps"),
        ];
        pairs.into_iter().filter_map(|(same, part)| (!same).then_some(part)).collect()
    }
}
