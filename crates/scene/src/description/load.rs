//! How loads are spread, and how they change with time.

use serde::{Deserialize, Serialize};

/// How a force is spread over nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ForceSpread {
    /// In proportion to masses: all nodes are accelerated alike.
    #[default]
    Mass,
    /// The same part to each node, as nodal loads of finite-element programs.
    Equal,
    /// Over the faces of the surface, evenly by their areas at rest.
    Area,
}

/// A factor that depends on time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum TimeFunction {
    /// From 0 to 1, linearly.
    Ramp {
        /// When it begins to rise (s).
        #[serde(default)]
        start: f64,
        /// When it has risen (s).
        end: f64,
    },
    /// Linear between points, constant before the first and after the last.
    Table {
        /// Time (s) and factor of each point.
        points: Vec<[f64; 2]>,
    },
    /// `offset + amplitude sin(2 pi frequency t + phase)`.
    Sine {
        /// Frequency (Hz).
        frequency: f64,
        /// Amplitude.
        #[serde(default = "one")]
        amplitude: f64,
        /// Phase at t = 0 (degrees).
        #[serde(default)]
        phase: f64,
        /// Mean.
        #[serde(default)]
        offset: f64,
    },
}

fn one() -> f64 {
    1.0
}
