//! The air around sheets.

use serde::{Deserialize, Serialize};

/// Air that presses on shells and cloth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wind {
    /// Its velocity (m/s).
    pub velocity: [f64; 3],
    /// Its density (kg/m^3).
    pub density: f64,
    /// Coefficient of the pressure of the stream across a sheet.
    pub drag: f64,
    /// Coefficient of the friction of the stream along it.
    #[serde(default)]
    pub friction: f64,
}
