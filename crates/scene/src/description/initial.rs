//! Where a run begins.

use serde::{Deserialize, Serialize};

/// The state at the start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Initial {
    /// As the bodies are described, at time zero.
    #[default]
    Described,
    /// Where another run stopped. Bodies that both have, by name, go on as they were; others begin
    /// as they are described.
    Run {
        /// Its folder, from that of the scene file.
        folder: String,
        /// The time at which it stopped (s); whatever it is, where absent.
        #[serde(default)]
        time: Option<f64>,
    },
}

impl Initial {
    /// Whether bodies begin as they are described.
    pub fn is_described(&self) -> bool {
        *self == Self::Described
    }
}
