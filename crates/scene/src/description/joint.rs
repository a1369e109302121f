//! Joints between affine bodies.

use super::MotionDescription;
use serde::{Deserialize, Serialize};

/// A joint between two affine bodies, or of one with a place in the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Joint {
    /// The bodies share a point.
    Ball {
        /// A body.
        a: String,
        /// Another one; absent: the world.
        b: Option<String>,
        /// The point, at the start (m).
        at: [f64; 3],
        /// Force over distance (N/m).
        stiffness: f64,
        /// How the place moves, if it is the world's.
        motion: Option<MotionDescription>,
    },
    /// The bodies share an axis.
    Hinge {
        /// A body.
        a: String,
        /// Another one; absent: the world.
        b: Option<String>,
        /// The middle of the hinge at the start (m).
        at: [f64; 3],
        /// Along the hinge; its length is the distance of the two points that are shared (m).
        axis: [f64; 3],
        /// Force over distance, for each of the points (N/m).
        stiffness: f64,
        /// How the place moves, if it is the world's.
        motion: Option<MotionDescription>,
    },
}
