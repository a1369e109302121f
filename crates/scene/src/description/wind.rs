//! The air around sheets.

use super::Scene;
use super::problem::Checker;
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

impl Scene {
    pub(super) fn check_wind(&self, c: &mut Checker) {
        let Some(Wind { velocity, density, drag, friction }) = self.wind else { return };
        c.finite_vector("wind.velocity", "velocity (m/s)", velocity);
        c.positive("wind.density", "density (kg/m^3)", density);
        c.not_negative("wind.drag", "coefficient of drag", drag);
        c.not_negative("wind.friction", "coefficient of friction", friction);
    }
}
