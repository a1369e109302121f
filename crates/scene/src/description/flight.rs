//! Motion of bodies without contact.

use serde::{Deserialize, Serialize};

/// Motion of bodies without contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum FlightRule {
    /// The exact motion: bodies fall on a parabola, and affine bodies rotate as rigid bodies.
    #[default]
    Exact,
    /// The motion that the integrator computes from gravity and elastic forces, as for bodies in contact.
    Plain,
}
