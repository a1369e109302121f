//! Prescribed motion of nodes.

use crate::{Keyframes, Samples, Vec3};
use resile_expression::Field;
use resile_math::Mat3;
use resile_math::elementary;
use std::sync::Arc;

/// A prescribed motion as a function of time, rigid except for the last two variants.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Motion {
    /// No motion.
    #[default]
    Fixed,
    /// Constant velocity between two times, rest outside them.
    ///
    /// A node that starts at `x0` is at `pivot + R(omega s)(x0 - pivot) + velocity s`
    /// where `s` is the time since `start`, clamped to the duration.
    Steady {
        /// Start of the motion (s).
        start: f64,
        /// End of the motion (s); one before `start` means no motion.
        end: f64,
        /// Linear velocity (m/s).
        velocity: Vec3,
        /// Angular velocity (rad/s), about `pivot`.
        angular_velocity: Vec3,
        /// Centre of the rotation at `start` (m).
        pivot: Vec3,
    },
    /// Through poses at given times; shared by the nodes of a body, each of which has its own
    /// `Motion`.
    Keyframes(Arc<Keyframes>),
    /// One point of a list of sampled points; independent of the reference position. Shared by all
    /// points.
    Sampled {
        /// The number of the point.
        point: usize,
        /// The samples of all points.
        samples: Arc<Samples>,
    },
    /// A displacement (m) from the reference position as a function of that position and time; shared by all nodes.
    Displaced(Arc<Field<3>>),
}

/// A rigid map `x0 -> rotation x0 + translation`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// The rotation, about the origin.
    pub rotation: Mat3,
    /// The translation (m), after the rotation.
    pub translation: Vec3,
}

/// A rotation about a pivot, then a translation: more accurate than a [`Pose`] for pivots far from the
/// origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PivotedPose {
    pub(crate) pivot: Vec3,
    pub(crate) rotation: Mat3,
    pub(crate) translation: Vec3,
}

/// Rotation of a rigid motion about one axis in a time interval. Every pose in the interval is the reference pose,
/// rotated about that axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// Axis times angle (rad).
    pub(crate) rotation_vector: Vec3,
    /// Centre of the rotation (m).
    pub(crate) pivot: Vec3,
    /// Rotation of the reference pose.
    pub(crate) reference_rotation: Mat3,
}

impl PivotedPose {
    /// Position of a point with the reference position `x0` (m).
    pub(crate) fn apply(&self, x0: Vec3) -> Vec3 {
        self.pivot + self.rotation * (x0 - self.pivot) + self.translation
    }

    /// The same rigid map about the origin.
    fn pose(&self) -> Pose {
        let Self { pivot, rotation, translation } = *self;
        Pose { rotation, translation: pivot - rotation * pivot + translation }
    }
}

/// The rotation by the angle `|turn|` (rad) about the axis `turn`.
pub(crate) fn rotation_by(turn: Vec3) -> Mat3 {
    let angle = turn.length();
    if angle == 0.0 { Mat3::IDENTITY } else { elementary::rotation(turn / angle, angle) }
}

impl Motion {
    /// Position (m) at `time` (s) of a node with the reference position `x0`.
    pub fn position(&self, x0: Vec3, time: f64) -> Vec3 {
        match self {
            Self::Fixed => x0,
            Self::Steady { start, end, velocity, angular_velocity, pivot } => {
                let s = elapsed(*start, *end, time);
                if s == 0.0 || *angular_velocity == Vec3::ZERO {
                    return x0 + *velocity * s;
                }
                let rotation = rotation_at_rate(*angular_velocity, s);
                PivotedPose { pivot: *pivot, rotation, translation: *velocity * s }.apply(x0)
            }
            Self::Keyframes(keyframes) => keyframes.pivoted_pose(time).apply(x0),
            Self::Sampled { point, samples } => samples.position(*point, time),
            Self::Displaced(field) => x0 + Vec3::from_array(field.at(x0.to_array(), time)),
        }
    }

    /// The pose at `time` (s); `None` for sampled motions and for displacements that depend on place, which are not
    /// rigid.
    pub fn pose(&self, time: f64) -> Option<Pose> {
        Some(match self {
            Self::Fixed => Pose { rotation: Mat3::IDENTITY, translation: Vec3::ZERO },
            Self::Steady { start, end, velocity, angular_velocity, pivot } => {
                let s = elapsed(*start, *end, time);
                let rotation = rotation_at_rate(*angular_velocity, s);
                PivotedPose { pivot: *pivot, rotation, translation: *velocity * s }.pose()
            }
            Self::Keyframes(keyframes) => keyframes.pivoted_pose(time).pose(),
            Self::Sampled { .. } => return None,
            Self::Displaced(field) if field.has_place() => return None,
            Self::Displaced(field) => {
                let translation = Vec3::from_array(field.at([0.0; 3], time));
                Pose { rotation: Mat3::IDENTITY, translation }
            }
        })
    }

    /// Velocity (m/s) at `time` (s) of a node with the reference position `x0`; at a jump, the velocity
    /// after it.
    pub fn velocity(&self, x0: Vec3, time: f64) -> Vec3 {
        match self {
            Self::Fixed => Vec3::ZERO,
            Self::Steady { start, end, velocity, angular_velocity, pivot } => {
                if time < *start || time >= *end {
                    return Vec3::ZERO;
                }
                let arm = rotation_at_rate(*angular_velocity, time - start) * (x0 - *pivot);
                *velocity + angular_velocity.cross(arm)
            }
            Self::Keyframes(keyframes) => keyframes.velocity(x0, time),
            Self::Sampled { point, samples } => samples.velocity(*point, time),
            Self::Displaced(field) => Vec3::from_array(field.rate(x0.to_array(), time)),
        }
    }

    /// Velocity (m/s) at time zero of a node with the reference position `x0`.
    pub fn initial_velocity(&self, x0: Vec3) -> Vec3 {
        self.velocity(x0, 0.0)
    }

    /// The first time (s) after `time` at which the velocity may jump; infinite if there is none.
    pub fn next_change(&self, time: f64) -> f64 {
        let later = |change: f64| if change > time { change } else { f64::INFINITY };
        match self {
            // Jumps within an expression are not known.
            Self::Fixed | Self::Displaced(_) => f64::INFINITY,
            _ if self.is_fixed() => f64::INFINITY,
            Self::Steady { start, end, .. } => later(*start).min(later(*end)),
            Self::Keyframes(keyframes) => {
                let times = keyframes.keys().iter().map(|key| later(key.time));
                times.fold(f64::INFINITY, f64::min)
            }
            Self::Sampled { samples, .. } => samples.next_change(time),
        }
    }

    /// The times (s) between `from` and `to` at which the velocity of a rigid motion may jump, ascending.
    pub(crate) fn jumps(&self, [from, to]: [f64; 2]) -> Vec<f64> {
        let inside = |time: &f64| from < *time && *time < to;
        match self {
            Self::Fixed | Self::Sampled { .. } | Self::Displaced(_) => Vec::new(),
            Self::Steady { start, end, .. } => [*start, *end].into_iter().filter(inside).collect(),
            Self::Keyframes(keyframes) => {
                keyframes.keys().iter().map(|key| key.time).filter(inside).collect()
            }
        }
    }

    /// The rotation of a rigid motion between two times (s) without a jump between them.
    pub(crate) fn turn(&self, [from, to]: [f64; 2]) -> Turn {
        let reference_rotation = Mat3::IDENTITY;
        match self {
            Self::Fixed | Self::Sampled { .. } | Self::Displaced(_) => {
                Turn { rotation_vector: Vec3::ZERO, pivot: Vec3::ZERO, reference_rotation }
            }
            Self::Steady { start, end, angular_velocity, pivot, .. } => {
                let duration = elapsed(*start, *end, to) - elapsed(*start, *end, from);
                let rotation_vector = *angular_velocity * duration;
                Turn { rotation_vector, pivot: *pivot, reference_rotation }
            }
            Self::Keyframes(keyframes) => keyframes.turn_between([from, to]),
        }
    }

    /// Whether nodes with this motion never move.
    pub fn is_fixed(&self) -> bool {
        match self {
            Self::Fixed => true,
            Self::Steady { start, end, velocity, angular_velocity, .. } => {
                end <= start || (*velocity == Vec3::ZERO && *angular_velocity == Vec3::ZERO)
            }
            Self::Keyframes(keyframes) => keyframes.is_fixed(),
            Self::Sampled { samples, .. } => samples.is_fixed(),
            Self::Displaced(field) => !field.has_time(),
        }
    }
}

/// The rotation at the angular velocity `omega` (rad/s) for `s` seconds.
fn rotation_at_rate(omega: Vec3, s: f64) -> Mat3 {
    let angle = omega.length() * s;
    if angle == 0.0 { Mat3::IDENTITY } else { elementary::rotation(omega.normalize(), angle) }
}

/// Time (s) since the start of a steady motion, clamped to its duration.
fn elapsed(start: f64, end: f64, time: f64) -> f64 {
    time.clamp(start, end.max(start)) - start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_turn_and_then_rest() {
        let motion = Motion::Steady {
            start: 1.0,
            end: 2.0,
            velocity: Vec3::Y,
            angular_velocity: Vec3::Z * std::f64::consts::PI,
            pivot: Vec3::X,
        };
        let x0 = Vec3::new(3.0, 0.0, 5.0);
        assert_eq!(motion.position(x0, 0.5), x0);
        for time in [2.0, 7.0] {
            let end = Vec3::new(-1.0, 1.0, 5.0);
            assert!((motion.position(x0, time) - end).length() < 1e-14);
            let Pose { rotation, translation } = motion.pose(time).expect("it is rigid");
            assert!((rotation * x0 + translation - end).length() < 1e-14);
        }
        // After a quarter turn the arm of 2 m points to +y.
        let there = motion.velocity(x0, 1.5);
        assert!((there - Vec3::new(-std::f64::consts::TAU, 1.0, 0.0)).length() < 1e-14, "{there}");
        assert_eq!(motion.velocity(x0, 2.0), Vec3::ZERO);
        assert_eq!(motion.initial_velocity(x0), Vec3::ZERO);
        assert_eq!([0.0, 1.0, 2.0].map(|t| motion.next_change(t)), [1.0, 2.0, f64::INFINITY]);
    }

    #[test]
    fn a_displacement_by_expressions_has_the_rate_of_its_positions() {
        use resile_expression::{Expression, Grammar};
        let of = |text| Expression::parse(text, Grammar::Scene).expect("it is an expression");
        let (x0, t, h) = (Vec3::new(0.1, -0.2, 0.3), 0.7, 1e-6);
        // In millimetres.
        let field = Field::new([of("x*sin(2*t)"), of("t^3"), of("y")], 1e3, 1e-3);
        let motion = Motion::Displaced(Arc::new(field));
        let expected = Vec3::new(0.1 * 1.4f64.sin(), 0.343e-3, -0.2);
        assert!((motion.position(x0, t) - x0 - expected).length() < 1e-15);
        let difference = (motion.position(x0, t + h) - motion.position(x0, t - h)) / (2.0 * h);
        assert!((motion.velocity(x0, t) - difference).length() < 1e-9);
        assert!(!motion.is_fixed() && motion.pose(t).is_none());
        let constant = Field::new([of("x"), of("0"), of("z")], 1.0, 1.0);
        assert!(Motion::Displaced(Arc::new(constant)).is_fixed());
    }
}
