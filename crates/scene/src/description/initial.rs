//! Initial states of runs.

use serde::{Deserialize, Serialize};

/// The state at the start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Initial {
    /// As the bodies are described, at time zero.
    #[default]
    Described,
    /// The end of another run. Bodies of both, by name, continue; others start
    /// as described.
    Run {
        /// Its folder, relative to that of the scene file.
        folder: String,
        /// The expected time of its end (s); default: any.
        time: Option<f64>,
    },
}
