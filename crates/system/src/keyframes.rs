//! Rigid motion through given poses.
//!
//! *Keys are absolute.* Each key is a pose relative to the reference positions, not to the previous
//! key, so keys can be moved or removed independently. Its rotation is an axis times an angle, since
//! matrices and quaternions do not represent several turns. Between two keys with the same axis (or one
//! without rotation) the *angle* is interpolated, over several turns if necessary. Between different
//! axes the shorter arc is used (Shoemake 1985, slerp).
//!
//! *Smooth motion stops at each key.* [`Interpolation::Smooth`] follows the path of
//! [`Interpolation::Linear`] with the parameter `3 s^2 - 2 s^3` of each segment. A cubic spline through
//! the keys would pass them at speed but overshoot (jaws that close and hold would close further), and a
//! key would affect neighbouring segments. To pass a key at speed, use one segment or a linear motion.

use crate::Vec3;
use crate::motion::{PivotedPose, Turn, rotation_by};
use resile_math::Mat3;
use resile_math::elementary;

/// Axes are equal up to rounding if the sine of their angle is below this.
const AXIS_TOLERANCE: f64 = 1e-9;

/// A pose at a given time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Its time (s).
    pub time: f64,
    /// Displacement (m) of the pivot.
    pub translation: Vec3,
    /// Rotation about the pivot: the unit axis times the angle (rad), which may exceed a turn.
    pub rotation: Vec3,
}

/// The time parametrisation between keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// Constant velocity, with jumps at keys.
    Linear,
    /// From rest to rest, with a continuous velocity of at most 1.5 times the mean.
    Smooth,
}

/// The keys are invalid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum KeyframesError {
    /// There is no key.
    #[error("a motion through keyframes needs at least one key")]
    Empty,
    /// A number of a key, or of the pivot, is not finite.
    #[error("key {key} has a time, a translation or a rotation that is not finite")]
    KeyNotFinite {
        /// The key, counted from zero.
        key: usize,
    },
    /// The pivot is not finite.
    #[error("the pivot of a motion must be finite, but is {pivot}")]
    PivotNotFinite {
        /// The given value (m).
        pivot: Vec3,
    },
    /// A key is not later than the one before it.
    #[error("key {key} is at {time} s, which is not after the key before it, at {before} s")]
    NotAscending {
        /// The later of the two keys, counted from zero.
        key: usize,
        /// Its time (s).
        time: f64,
        /// The time (s) of the key before it.
        before: f64,
    },
}

/// A rigid motion through keys, at rest before the first and after the last.
///
/// A node with the reference position `x0` is at `pivot + R(t)(x0 - pivot) + translation(t)`. Finding
/// the segment is O(log keys).
#[derive(Debug, Clone, PartialEq)]
pub struct Keyframes {
    pivot: Vec3,
    interpolation: Interpolation,
    keys: Vec<Key>,
    /// The rotation from each key to the next about a fixed axis: axis times angle (rad).
    turns: Vec<Vec3>,
}

/// Position on the path from `key` to the next.
struct PathPosition {
    key: usize,
    /// Fraction of the path covered.
    fraction: f64,
    /// Time derivative of the fraction (1/s).
    rate: f64,
}

impl Keyframes {
    /// The motion through `keys`; their rotations are about `pivot` (m), which moves with the
    /// translation.
    ///
    /// # Errors
    /// Without keys, with numbers that are not finite, or with times that do not ascend.
    pub fn new(
        pivot: Vec3,
        interpolation: Interpolation,
        keys: Vec<Key>,
    ) -> Result<Self, KeyframesError> {
        if !pivot.is_finite() {
            return Err(KeyframesError::PivotNotFinite { pivot });
        }
        if keys.is_empty() {
            return Err(KeyframesError::Empty);
        }
        let finite =
            |k: &Key| k.time.is_finite() && k.translation.is_finite() && k.rotation.is_finite();
        if let Some(key) = keys.iter().position(|key| !finite(key)) {
            return Err(KeyframesError::KeyNotFinite { key });
        }
        if let Some(before) = keys.windows(2).position(|pair| pair[1].time <= pair[0].time) {
            let (key, time) = (before + 1, keys[before + 1].time);
            return Err(KeyframesError::NotAscending { key, time, before: keys[before].time });
        }
        let turns = keys.windows(2).map(|pair| turn(pair[0].rotation, pair[1].rotation)).collect();
        Ok(Self { pivot, interpolation, keys, turns })
    }

    /// The keys, in order.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Whether all keys are the same pose, so that nodes never move.
    pub fn is_fixed(&self) -> bool {
        let stays = |pair: &[Key]| pair[0].translation == pair[1].translation;
        self.keys.windows(2).all(stays) && self.turns.iter().all(|turn| *turn == Vec3::ZERO)
    }

    /// The pose at `time` (s).
    pub(crate) fn pivoted_pose(&self, time: f64) -> PivotedPose {
        let PathPosition { key, fraction, .. } = self.path_position(time);
        let pose = self.keys[key];
        let (mut rotation, mut translation) = (rotation_by(pose.rotation), pose.translation);
        if fraction > 0.0 {
            rotation = self.rotation_at(key, fraction, rotation);
            translation = translation.lerp(self.keys[key + 1].translation, fraction);
        }
        PivotedPose { pivot: self.pivot, rotation, translation }
    }

    /// Velocity (m/s) at `time` (s) of a node with the reference position `x0`.
    pub(crate) fn velocity(&self, x0: Vec3, time: f64) -> Vec3 {
        let PathPosition { key, fraction, rate } = self.path_position(time);
        if rate == 0.0 {
            return Vec3::ZERO;
        }
        let displacement = self.keys[key + 1].translation - self.keys[key].translation;
        let rotation = self.rotation_at(key, fraction, rotation_by(self.keys[key].rotation));
        (displacement + self.turns[key].cross(rotation * (x0 - self.pivot))) * rate
    }

    /// Rotation between two times (s) without a key between them.
    pub(crate) fn turn_between(&self, [from, to]: [f64; 2]) -> Turn {
        let PathPosition { key, fraction, rate } = self.path_position(0.5 * (from + to));
        let (pivot, reference_rotation) = (self.pivot, rotation_by(self.keys[key].rotation));
        if fraction == 0.0 || rate == 0.0 {
            return Turn { rotation_vector: Vec3::ZERO, pivot, reference_rotation };
        }
        let fraction_at = |time: f64| match time >= self.keys[key + 1].time {
            true => 1.0,
            false => self.path_position(time.max(self.keys[key].time)).fraction,
        };
        let rotation_vector = self.turns[key] * (fraction_at(to) - fraction_at(from));
        Turn { rotation_vector, pivot, reference_rotation }
    }

    /// The rotation at a fraction of the path from `key` to the next; `start` is the rotation at `key`.
    fn rotation_at(&self, key: usize, fraction: f64, start: Mat3) -> Mat3 {
        rotation_by(self.turns[key] * fraction) * start
    }

    /// The position on the path at `time` (s).
    fn path_position(&self, time: f64) -> PathPosition {
        let next = self.keys.partition_point(|key| key.time <= time);
        if next == 0 || next == self.keys.len() {
            return PathPosition { key: next.saturating_sub(1), fraction: 0.0, rate: 0.0 };
        }
        let (start, end) = (self.keys[next - 1].time, self.keys[next].time);
        let (s, inverse_duration) = ((time - start) / (end - start), (end - start).recip());
        let (fraction, rate) = match self.interpolation {
            Interpolation::Linear => (s, inverse_duration),
            Interpolation::Smooth => {
                (s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s) * inverse_duration)
            }
        };
        PathPosition { key: next - 1, fraction, rate }
    }
}

/// The rotation from rotation `a` to rotation `b` about one axis, all as axis times angle (rad): the
/// difference of the angles for equal axes, else the shorter arc (either one for orientations half a
/// turn apart).
fn turn(a: Vec3, b: Vec3) -> Vec3 {
    if a.cross(b).length() <= AXIS_TOLERANCE * a.length() * b.length() {
        return b - a;
    }
    let rotation = elementary::quaternion(b) * elementary::quaternion(a).inverse();
    let shorter = if rotation.w < 0.0 { -rotation } else { rotation };
    elementary::rotation_vector(shorter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Motion;
    use proptest::prelude::*;
    use std::f64::consts::{FRAC_PI_2, PI, TAU};
    use std::sync::Arc;

    const PIVOT: Vec3 = Vec3::new(0.3, -2.0, 1.0);
    const X: [Vec3; 4] =
        [Vec3::ZERO, Vec3::new(1.0, 0.5, 0.0), Vec3::new(-0.2, 0.1, 3.0), Vec3::splat(0.7)];

    fn key(time: f64, translation: Vec3, rotation: Vec3) -> Key {
        Key { time, translation, rotation }
    }

    /// Several axes, several turns, and a pause.
    fn keys() -> Vec<Key> {
        vec![
            key(0.5, Vec3::ZERO, Vec3::ZERO),
            key(1.5, Vec3::new(0.1, 2.0, 0.0), Vec3::Y * (2.0 * TAU + 0.4)),
            key(2.0, Vec3::new(0.1, 2.0, 0.0), Vec3::Y * (2.0 * TAU + 0.4)),
            key(2.25, Vec3::new(-1.0, 0.5, 0.3), Vec3::new(0.5, -0.8, 1.9)),
            key(4.0, Vec3::ZERO, Vec3::X * -2.0),
        ]
    }

    fn motion(interpolation: Interpolation) -> Motion {
        let keyframes = Keyframes::new(PIVOT, interpolation, keys()).expect("keys are in order");
        Motion::Keyframes(Arc::new(keyframes))
    }

    const BOTH: [Interpolation; 2] = [Interpolation::Linear, Interpolation::Smooth];

    #[test]
    fn keyframed_motion_interpolates_its_keys() {
        for motion in BOTH.map(motion) {
            for key in keys() {
                for x in X {
                    let there = PIVOT + rotation_by(key.rotation) * (x - PIVOT) + key.translation;
                    for time in [key.time - 1e-13, key.time, key.time + 1e-13] {
                        let off = (motion.position(x, time) - there).length();
                        assert!(off < 1e-11, "{off} at {time}");
                    }
                }
            }
            let (first, last) = (keys()[0], keys()[4]);
            for x in X {
                assert_eq!(motion.position(x, -9.0), motion.position(x, first.time));
                assert_eq!(motion.position(x, 9.0), motion.position(x, last.time));
                assert_eq!(motion.velocity(x, -9.0), Vec3::ZERO);
                assert_eq!(motion.velocity(x, 9.0), Vec3::ZERO);
            }
        }
    }

    #[test]
    fn smooth_velocity_is_continuous_and_linear_velocity_jumps() {
        let jump = |motion: &Motion, time: f64| {
            let side = |dt: f64| motion.velocity(X[1], time + dt);
            (side(1e-9) - side(-1e-9)).length()
        };
        let [linear, smooth] = BOTH.map(motion);
        for key in keys() {
            assert!(jump(&smooth, key.time) < 1e-5, "{}", jump(&smooth, key.time));
            assert!(jump(&linear, key.time) > 0.1, "{}", jump(&linear, key.time));
            assert!(smooth.velocity(X[1], key.time).length() < 1e-12, "rest at each key");
        }
    }

    #[test]
    fn keys_with_equal_axes_keep_full_turns_and_others_take_the_shorter_arc() {
        let to = |a: Vec3, b: Vec3| {
            let keys = vec![key(0.0, Vec3::ZERO, a), key(1.0, Vec3::ZERO, b)];
            let motion = Keyframes::new(Vec3::ZERO, Interpolation::Linear, keys).expect("in order");
            move |t: f64| motion.pivoted_pose(t).rotation
        };
        let slanted = Vec3::new(1.0, 2.0, 3.0).normalize();
        let near = |a: Mat3, b: Mat3| (a - b).to_cols_array().iter().all(|e| e.abs() < 1e-12);
        // Two turns from the identity: a quarter of the time is half a turn.
        assert!(near(to(Vec3::ZERO, slanted * 2.0 * TAU)(0.25), rotation_by(slanted * PI)));
        // From a quarter of a turn to its opposite, through the identity.
        assert!(near(to(slanted * FRAC_PI_2, -slanted * FRAC_PI_2)(0.5), Mat3::IDENTITY));
        // Between different axes the midpoint is equidistant from both.
        let [a, b] = [Vec3::X, Vec3::Y].map(|axis| rotation_by(axis * FRAC_PI_2));
        let between = to(Vec3::X * FRAC_PI_2, Vec3::Y * FRAC_PI_2);
        let half = between(0.5);
        assert!(near(half * a.transpose(), b * half.transpose()), "equal parts");
        let angle = |r: Mat3| ((r.x_axis.x + r.y_axis.y + r.z_axis.z - 1.0) / 2.0).acos();
        assert!((angle(b * a.transpose()) - 2.0 * angle(half * a.transpose())).abs() < 1e-12);
        // Orientations 30 degrees apart, written 330 degrees apart.
        let far = to(Vec3::X * 0.1, Vec3::new(0.0, 1e-3, 0.1 + TAU * 11.0 / 12.0));
        let steps = (0..100).map(|i| f64::from(i) / 100.0);
        let length: f64 = steps.map(|t| angle(far(t + 0.01) * far(t).transpose())).sum();
        assert!(length < PI, "{length}");
    }

    #[test]
    fn invalid_keys_are_rejected_with_their_number() {
        let make = |keys| Keyframes::new(Vec3::ZERO, Interpolation::Linear, keys);
        let at = |time| key(time, Vec3::ZERO, Vec3::ZERO);
        assert_eq!(make(vec![]), Err(KeyframesError::Empty));
        let twice = make(vec![at(0.0), at(1.0), at(1.0)]);
        let refused = KeyframesError::NotAscending { key: 2, time: 1.0, before: 1.0 };
        assert_eq!(twice, Err(refused));
        let lost = make(vec![at(0.0), key(1.0, Vec3::X * f64::NAN, Vec3::ZERO)]);
        assert_eq!(lost, Err(KeyframesError::KeyNotFinite { key: 1 }));
        assert_eq!(make(vec![at(f64::INFINITY)]), Err(KeyframesError::KeyNotFinite { key: 0 }));
        let pivot = Vec3::splat(f64::INFINITY);
        let nowhere = Keyframes::new(pivot, Interpolation::Smooth, vec![at(0.0)]);
        assert_eq!(nowhere, Err(KeyframesError::PivotNotFinite { pivot }));
    }

    #[test]
    fn single_pose_is_no_motion() {
        let one = |keys| {
            let keyframes = Keyframes::new(PIVOT, Interpolation::Smooth, keys);
            Motion::Keyframes(Arc::new(keyframes.expect("in order"))).is_fixed()
        };
        assert!(one(vec![key(3.0, Vec3::X, Vec3::Y)]));
        assert!(one(vec![key(3.0, Vec3::X, Vec3::Y), key(4.0, Vec3::X, Vec3::Y)]));
        assert!(!one(vec![key(3.0, Vec3::X, Vec3::Y), key(4.0, Vec3::X, Vec3::Y * (1.0 + TAU))]));
        assert!(!one(vec![key(3.0, Vec3::X, Vec3::Y), key(4.0, Vec3::Z, Vec3::Y)]));
    }

    proptest! {
        #[test]
        fn keyframed_motion_is_rigid_with_derivative_velocity(time in 0.0f64..4.5, smooth: bool) {
            let motion = motion(BOTH[usize::from(smooth)]);
            let at = |t: f64| X.map(|x| motion.position(x, t));
            let x = at(time);
            for i in 0..X.len() {
                for j in 0..i {
                    let (d, rest) = (x[i].distance(x[j]), X[i].distance(X[j]));
                    prop_assert!((d - rest).abs() < 1e-13, "{} {}", d, rest);
                }
                let pose = motion.pose(time).expect("it is rigid");
                prop_assert!((pose.rotation * X[i] + pose.translation - x[i]).length() < 1e-13);
            }
            prop_assert!((motion.pose(time).expect("it is rigid").rotation.determinant() - 1.0).abs() < 1e-13);
            let eps = 1e-5;
            prop_assume!(keys().iter().all(|key| (key.time - time).abs() > 2.0 * eps));
            let [m2, m1, p1, p2] = [-2.0, -1.0, 1.0, 2.0].map(|s| at(time + s * eps));
            for i in 0..X.len() {
                let rate = ((p1[i] - m1[i]) * 8.0 - (p2[i] - m2[i])) / (12.0 * eps);
                let ours = motion.velocity(X[i], time);
                prop_assert!((rate - ours).length() < 1e-8 * (1.0 + ours.length()), "{} {}", rate, ours);
            }
        }
    }
}
