//! Wind.

use serde::{Deserialize, Serialize};

/// Wind on shells and cloth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wind {
    /// Velocity of the air (m/s).
    pub velocity: [f64; 3],
    /// Density of the air (kg/m^3).
    pub density: f64,
    /// Drag coefficient normal to a surface.
    pub drag: f64,
    /// Drag coefficient tangential to it.
    #[serde(default)]
    pub friction: f64,
}
