//! Motion of bodies without contact.

use serde::{Deserialize, Serialize};

/// Motion of bodies without contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum FlightRule {
    /// The exact path: they fall on a parabola, and affine bodies rotate as rigid bodies.
    #[default]
    Exact,
    /// As integrated by the method, with gravity and elastic forces like all others.
    Plain,
}
