//! How bodies move while nothing touches them.

use serde::{Deserialize, Serialize};

/// How bodies move while nothing touches them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum FlightRule {
    /// Along the exact path: they fall on a parabola, and affine bodies turn as rigid ones.
    #[default]
    Followed,
    /// As the method takes them, which integrates gravity and what holds a turning body together as forces like others.
    Plain,
}

impl FlightRule {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
