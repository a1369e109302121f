//! Prescribed motions.

use super::{Formula, Rotation};
use resile_math::Vec3;
use serde::{Deserialize, Serialize};

/// Distance of a point from an axis, relative to its coordinates, that is due to rounding.
const ON_AXIS: f64 = 1e-9;

/// A prescribed motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Motion")]
pub enum MotionDescription {
    /// No motion.
    Fixed,
    /// Rigid motion at constant velocity between two times, at rest otherwise.
    Move {
        /// Linear velocity (m/s).
        #[serde(default)]
        velocity: [f64; 3],
        /// Angular velocity (rad/s).
        #[serde(default)]
        angular_velocity: [f64; 3],
        /// Centre of rotation at the start (m); required with a rotation.
        pivot: Option<[f64; 3]>,
        /// Start time (s).
        #[serde(default)]
        start: f64,
        /// End time (s); default: none.
        end: Option<f64>,
    },
    /// Interpolates between poses at given times; at rest before the first and after the last. For nodes of `hold` the
    /// pose at t = 0 must be the initial one.
    Keys {
        /// The poses, in the order of their times.
        keys: Vec<Key>,
        /// Centre of all rotations (m), moved by the translations; required with a rotation.
        pivot: Option<[f64; 3]>,
        /// Interpolation between keys.
        interpolation: Interpolation,
    },
    /// A displacement from the placed shape (m), as a function of the position at rest and of time. Nodes of
    /// `hold` must start at their displaced positions.
    Displacement([Formula; 3]),
    /// Follows the surface of an obstacle; for `hold` only.
    Follow(String),
}

impl MotionDescription {
    /// Whether the motion rotates, and all its rotations are about axes through all points (m), so that they move none.
    pub fn rotates_about(&self, points: &[Vec3]) -> bool {
        let (axes, pivot): (Vec<[f64; 3]>, _) = match self {
            Self::Move { angular_velocity, pivot, .. } => (vec![*angular_velocity], pivot),
            Self::Keys { keys, pivot, .. } => {
                let rotations = keys.iter().filter_map(|key| key.rotate);
                (rotations.filter(|r| r.degrees != 0.0).map(|r| r.axis).collect(), pivot)
            }
            Self::Fixed | Self::Displacement(_) | Self::Follow(_) => return false,
        };
        let pivot = Vec3::from_array(pivot.unwrap_or_default());
        let is_on = |point: &Vec3, axis: Vec3| {
            let scale = axis.length() * point.length().max(pivot.length());
            axis.cross(*point - pivot).length() <= ON_AXIS * scale
        };
        let rotations = axes.into_iter().map(Vec3::from_array).filter(|&axis| axis != Vec3::ZERO);
        let mut rotations = rotations.peekable();
        rotations.peek().is_some()
            && rotations.all(|axis| points.iter().all(|point| is_on(point, axis)))
    }
}

/// A pose at a time, relative to the initial pose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Time (s).
    pub time: f64,
    /// Translation (m).
    #[serde(default)]
    pub translate: [f64; 3],
    /// Rotation, of any number of turns.
    pub rotate: Option<Rotation>,
}

/// Interpolation between keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interpolation {
    /// Constant velocity, discontinuous at the keys.
    Linear,
    /// Continuous velocity, at rest at each key.
    Smooth,
}
