//! Prescribed motions and directions of holds.

use resile_math::{Mat3, Vec3};
use resile_scene::description::{
    Formula, Hold, Interpolation, Key, MotionDescription, Rotation, Units,
};
use resile_system::{self as system, Held, Keyframes, Motion};
use std::sync::Arc;

/// Converts a valid description, whose expressions are in `units`. `Follow` becomes rest, because its motion depends on
/// an obstacle.
pub fn motion_of(described: &MotionDescription, units: Units) -> Motion {
    match *described {
        MotionDescription::Fixed | MotionDescription::Follow(_) => Motion::Fixed,
        MotionDescription::Keys { ref keys, pivot, interpolation } => {
            let pivot = Vec3::from_array(pivot.unwrap_or_default());
            let keys = keys.iter().map(key_of).collect();
            let keyframes = Keyframes::new(pivot, interpolation_of(interpolation), keys);
            Motion::Keyframes(Arc::new(keyframes.expect("the keys were checked")))
        }
        MotionDescription::Displacement(ref displacement) => {
            Motion::Displaced(Arc::new(Formula::field(displacement, units, "m")))
        }
        MotionDescription::Move { velocity, angular_velocity, pivot, start, end } => {
            Motion::Steady {
                start,
                end: end.unwrap_or(f64::INFINITY),
                velocity: Vec3::from_array(velocity),
                angular_velocity: Vec3::from_array(angular_velocity),
                pivot: Vec3::from_array(pivot.unwrap_or_default()),
            }
        }
    }
}

/// A key with its rotation as a rotation vector.
fn key_of(described: &Key) -> system::Key {
    let rotation_vector =
        |r: Rotation| Vec3::from_array(r.axis).normalize_or_zero() * r.degrees.to_radians();
    system::Key {
        time: described.time,
        translation: Vec3::from_array(described.translate),
        rotation: described.rotate.map_or(Vec3::ZERO, rotation_vector),
    }
}

/// The interpolation between keys.
fn interpolation_of(described: Interpolation) -> system::Interpolation {
    match described {
        Interpolation::Linear => system::Interpolation::Linear,
        Interpolation::Smooth => system::Interpolation::Smooth,
    }
}

/// The directions in which a hold holds nodes.
pub(super) fn directions_of(hold: &Hold) -> Held {
    let Some(axes) = &hold.axes else { return Held::All };
    let frame = hold.frame.map_or(Mat3::IDENTITY, |frame| frame.matrix());
    Held::axes(frame, ["x", "y", "z"].map(|axis| axes.contains(axis)))
}
