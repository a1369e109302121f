//! Distribution of loads over nodes, and their dependence on time.

use serde::{Deserialize, Serialize};

/// Distribution of a force over nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ForceSpread {
    /// In proportion to mass: all nodes have the same acceleration.
    #[default]
    Mass,
    /// Equal shares, like nodal loads of finite-element programs.
    Equal,
    /// Uniform traction over the faces, by their areas at rest.
    Area,
}

/// A factor that depends on time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum TimeFunction {
    /// From 0 to 1, linearly.
    Ramp {
        /// Start of the ramp (s).
        #[serde(default)]
        start: f64,
        /// End of the ramp (s).
        end: f64,
    },
    /// Piecewise linear, constant before the first point and after the last.
    Table {
        /// Time (s) and factor of each point.
        points: Vec<[f64; 2]>,
    },
    /// `offset + amplitude sin(2 pi frequency t + phase)`.
    Sine {
        /// Frequency (Hz).
        frequency: f64,
        /// Amplitude.
        #[serde(default = "super::defaults::one")]
        amplitude: f64,
        /// Phase at t = 0 (degrees).
        #[serde(default)]
        phase: f64,
        /// Mean.
        #[serde(default)]
        offset: f64,
    },
    /// An expression of t (s), in quotes.
    Expression(String),
}
