//! Initial states of runs.

use serde::{Deserialize, Serialize};

/// The state at the start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Initial {
    /// The state that the bodies describe, at time zero.
    #[default]
    Described,
    /// The end of another run. Bodies with the name of a body of that run continue; other bodies start as described.
    Run {
        /// The folder of that run, relative to that of the scene file.
        folder: String,
        /// The expected end time of that run (s); default: any.
        time: Option<f64>,
    },
}
