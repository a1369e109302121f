//! Prescribed rigid motions, as plain data and as poses.

use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3};

/// A prescribed rigid motion as a function of time. Rotations are an axis times an angle (rad), about a
/// pivot that moves with the translation.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// No motion.
    Fixed,
    /// Constant velocity between two times, rest outside them.
    Steady {
        /// Linear velocity (m/s).
        velocity: [f64; 3],
        /// Angular velocity (rad/s).
        angular_velocity: [f64; 3],
        /// Centre of the rotation at the start (m).
        pivot: [f64; 3],
        /// Start time (s).
        start: f64,
        /// End time (s); may be infinite.
        end: f64,
    },
    /// Poses at given times; at rest before the first and after the last.
    Keys {
        /// Poses in the order of their times.
        keys: Vec<Key>,
        /// Centre of all rotations (m).
        pivot: [f64; 3],
        /// Interpolation between two keys.
        interpolation: Interpolation,
    },
}

/// A pose at a time, relative to the pose at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Time (s).
    pub time: f64,
    /// Translation (m).
    pub translation: [f64; 3],
    /// Axis times angle (rad); may exceed one turn.
    pub rotation: [f64; 3],
}

/// Interpolation between two keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// Constant velocity.
    Linear,
    /// A motion from rest to rest, `3 s^2 - 2 s^3`.
    Smooth,
}

/// Rotations whose axes differ by less than this (rad) are about the same axis.
pub(crate) const AXIS_TOLERANCE: f64 = 1e-9;

/// The rigid map `x -> rotation x + translation` of positions at the start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pose {
    pub(crate) rotation: Mat3,
    pub(crate) translation: Vec3,
}

impl Pose {
    /// A rotation about `pivot`, followed by a translation.
    fn about(pivot: [f64; 3], rotation: Mat3, shift: Vec3) -> Self {
        let pivot = Vec3::from_array(pivot);
        Self { rotation, translation: pivot - rotation * pivot + shift }
    }
}

impl Motion {
    /// Position (m), at `time` (s), of the point that starts at `start` (m).
    pub fn position(&self, start: [f64; 3], time: f64) -> [f64; 3] {
        let Pose { rotation, translation } = self.pose(time);
        (rotation * Vec3::from_array(start) + translation).to_array()
    }

    /// The pose at `time` (s).
    pub(crate) fn pose(&self, time: f64) -> Pose {
        match self {
            Self::Fixed => Pose { rotation: Mat3::IDENTITY, translation: Vec3::ZERO },
            Self::Steady { velocity, angular_velocity, pivot, start, end } => {
                let duration = time.clamp(*start, end.max(*start)) - start;
                let rotation_vector = Vec3::from_array(*angular_velocity) * duration;
                Pose::about(
                    *pivot,
                    rotation(rotation_vector),
                    Vec3::from_array(*velocity) * duration,
                )
            }
            Self::Keys { keys, pivot, interpolation } => {
                let (rotation, shift) = between_keys(keys, *interpolation, time);
                Pose::about(*pivot, rotation, shift)
            }
        }
    }
}

/// Rotation and translation at a time; the identity without keys.
fn between_keys(keys: &[Key], interpolation: Interpolation, time: f64) -> (Mat3, Vec3) {
    let pose_of_key =
        |key: &Key| (rotation(Vec3::from_array(key.rotation)), Vec3::from_array(key.translation));
    let next = keys.partition_point(|key| key.time <= time);
    match (next.checked_sub(1).map(|before| &keys[before]), keys.get(next)) {
        (Some(a), Some(b)) => {
            let s = (time - a.time) / (b.time - a.time);
            let s = match interpolation {
                Interpolation::Linear => s,
                Interpolation::Smooth => s * s * (3.0 - 2.0 * s),
            };
            let ((from, start), (_, end)) = (pose_of_key(a), pose_of_key(b));
            (rotation(rotation_between(a, b) * s) * from, start.lerp(end, s))
        }
        (Some(only), None) | (None, Some(only)) => pose_of_key(only),
        (None, None) => (Mat3::IDENTITY, Vec3::ZERO),
    }
}

/// Rotation vector from one key to the next: the difference of the angles for a common axis, otherwise the
/// shorter arc.
fn rotation_between(a: &Key, b: &Key) -> Vec3 {
    let [a, b] = [a, b].map(|key| Vec3::from_array(key.rotation));
    if a.cross(b).length() <= AXIS_TOLERANCE * a.length() * b.length() {
        return b - a;
    }
    let rotation = Quat::from_scaled_axis(b) * Quat::from_scaled_axis(a).inverse();
    (if rotation.w < 0.0 { -rotation } else { rotation }).to_scaled_axis()
}

/// The rotation of a rotation vector (rad).
fn rotation(rotation_vector: Vec3) -> Mat3 {
    match rotation_vector.length() {
        0.0 => Mat3::IDENTITY,
        angle => Mat3::from_axis_angle(rotation_vector / angle, angle),
    }
}
