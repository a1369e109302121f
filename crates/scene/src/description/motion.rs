//! Prescribed motions.

use super::Rotation;
use serde::{Deserialize, Serialize};

/// A prescribed motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Motion")]
pub enum MotionDescription {
    /// None.
    Fixed,
    /// Rigid motion at constant velocity between two times, rest outside them.
    Move {
        /// Linear velocity (m/s).
        #[serde(default)]
        velocity: [f64; 3],
        /// Angular velocity (rad/s).
        #[serde(default)]
        angular_velocity: [f64; 3],
        /// Centre of the rotation at the start (m); needed with a rotation.
        #[serde(default)]
        pivot: Option<[f64; 3]>,
        /// When it begins (s).
        #[serde(default)]
        start: f64,
        /// When it ends (s); absent: never.
        #[serde(default)]
        end: Option<f64>,
    },
    /// Through poses at given times; at rest before the first and after the last. What `hold`
    /// holds has to be in the pose of the start at t = 0.
    Keys {
        /// The poses, in the order of their times.
        keys: Vec<Key>,
        /// Centre of all rotations (m), taken along by the translations; needed with a rotation.
        #[serde(default)]
        pivot: Option<[f64; 3]>,
        /// What happens between two keys.
        interpolation: Interpolation,
    },
    /// As the surface of an obstacle goes there; of what is held alone.
    Follow(String),
}

/// A pose at a time, against the pose at the start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// When (s).
    pub time: f64,
    /// Translation (m).
    #[serde(default)]
    pub translate: [f64; 3],
    /// Rotation; more than a turn is possible.
    #[serde(default)]
    pub rotate: Option<Rotation>,
}

/// The path between two keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interpolation {
    /// At constant velocity, which jumps at the keys.
    Linear,
    /// With continuous velocity, from rest at each key to rest at the next.
    Smooth,
}
