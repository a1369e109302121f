//! Error control of the time step.

use super::Time;
use resile_integrators as methods;
use serde::{Deserialize, Serialize};

/// Error control of the time step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Adaptive {
    /// Step doubling: compares each step with two half steps and bounds the error estimated from their difference.
    Doubling {
        /// Permitted error of a step, divided by `time.step` (m/s).
        error: f64,
        /// The shortest step (s); absent: a 1024th of `time.step`.
        shortest: Option<f64>,
    },
    /// Bounds the error estimate of an embedded method, which needs no additional steps.
    Embedded {
        /// Permitted error of a step, divided by `time.step` (m/s).
        error: f64,
        /// The shortest step (s); absent: a 1024th of `time.step`.
        shortest: Option<f64>,
    },
}

impl Time {
    /// Parameters of adaptive stepping, if requested.
    pub fn adaptive_stepping(&self) -> Option<methods::Adaptive> {
        let (measure, error, shortest) = match self.adaptive? {
            Adaptive::Doubling { error, shortest } => (methods::Measure::Doubling, error, shortest),
            Adaptive::Embedded { error, shortest } => (methods::Measure::Embedded, error, shortest),
        };
        let step = self.step.seconds();
        let shortest = shortest.unwrap_or(step / 1024.0);
        Some(methods::Adaptive { measure, error: error * step, shortest })
    }
}
