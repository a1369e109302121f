//! Joints between affine bodies.

use super::MotionDescription;
use serde::{Deserialize, Serialize};

/// A joint between two affine bodies, or between one and the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Joint {
    /// The bodies share a point.
    Ball {
        /// The first body.
        a: String,
        /// The second body; default: the world.
        b: Option<String>,
        /// The point at the start (m).
        at: [f64; 3],
        /// Stiffness of the penalty spring between the two positions of the point (N/m).
        stiffness: f64,
        /// Motion of the joint, for a joint with the world.
        motion: Option<MotionDescription>,
    },
    /// The bodies share an axis.
    Hinge {
        /// The first body.
        a: String,
        /// The second body; default: the world.
        b: Option<String>,
        /// The middle of the hinge at the start (m).
        at: [f64; 3],
        /// Direction of the hinge. Its length is the distance of the two points that the bodies share (m).
        axis: [f64; 3],
        /// Stiffness of the penalty spring of each of the two points (N/m).
        stiffness: f64,
        /// Motion of the joint, for a joint with the world.
        motion: Option<MotionDescription>,
    },
}

impl Joint {
    /// Motion of the joint, if any.
    pub(super) fn motion(&self) -> Option<&MotionDescription> {
        let (Self::Ball { motion, .. } | Self::Hinge { motion, .. }) = self;
        motion.as_ref()
    }
}
