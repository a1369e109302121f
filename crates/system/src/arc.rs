//! Deviation of a prescribed motion from the chord between two of its poses.
//!
//! In a step prescribed nodes move along the chord, which collision detection uses. Between two
//! jumps of its velocity every rigid [`Motion`] is a rotation about one axis with a proportional
//! translation, so for a point at the distance `r` from the axis the arc deviates from the chord by
//! at most the sagitta
//!
//! ```text
//!   r (1 - cos(angle / 2))
//! ```
//!
//! at the midpoint. No sampling is needed. Motions given by samples have a separate bound
//! ([`Samples::bend`](crate::Samples::bend)). For displacements given by expressions the deviation is estimated: it is
//! the largest one at several times in between.

use crate::motion::Turn;
use crate::{Motion, Vec3};
use resile_math::elementary;
use std::f64::consts::TAU;

/// Number of times at which a displacement by expressions is compared with its chord.
const SUBDIVISIONS: u32 = 7;

/// Deviation of a motion from its chord.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bend {
    /// Upper bound of the distance of a point from the chord (m). It is exact for rigid motions without jumps, and an
    /// estimate for displacements by expressions.
    pub bound: f64,
    /// The jump of the velocity farthest from the chord.
    pub jump: Option<VelocityJump>,
}

/// A jump of the velocity of a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VelocityJump {
    /// Its time (s).
    pub time: f64,
    /// The deviation (m) of the motion from its chord at that time.
    pub deviation: f64,
}

impl VelocityJump {
    /// The jump with the larger deviation, `self` if they are equal.
    fn larger(self, other: Self) -> Self {
        if other.deviation > self.deviation { other } else { self }
    }
}

impl Bend {
    /// The deviation of two motions together: the larger bound, with the jump farther from the chord.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let deviation = |bend: &Self| bend.jump.map_or(0.0, |jump| jump.deviation);
        let jump = if deviation(&other) > deviation(&self) { other.jump } else { self.jump };
        Self { bound: self.bound.max(other.bound), jump }
    }
}

impl Motion {
    /// Deviation of a rigid motion of `points` (initial positions, m) from the straight path
    /// between both `times` (s): the distance from the nearest configuration on the path, the same
    /// configuration for all points. Straight motions have none, for any speed.
    ///
    /// O(points) for each jump of the velocity.
    pub fn bend(&self, points: &[Vec3], times: [f64; 2]) -> Bend {
        if self.is_fixed() || times[1] <= times[0] {
            return Bend::default();
        }
        if let Self::Sampled { samples, point } = self {
            return samples.bend(*point..*point + 1, times);
        }
        let positions = |time| points.iter().map(|x0| self.position(*x0, time)).collect::<Vec<_>>();
        if let Self::Displaced(_) = self {
            let chord = times.map(positions);
            let fraction = |k: u32| f64::from(k) / f64::from(SUBDIVISIONS + 1);
            let time = |k| times[0] + (times[1] - times[0]) * fraction(k);
            let deviations =
                (1..=SUBDIVISIONS).map(|k| chord_deviation(&chord, &positions(time(k))));
            return Bend { bound: deviations.fold(0.0, f64::max), jump: None };
        }
        bend(times, &self.jumps(times), |segment| self.sagitta(points, segment), positions)
    }

    /// The total absolute rotation angle (rad) between two `times` (s).
    pub fn angle(&self, times: [f64; 2]) -> f64 {
        let mut from = times[0];
        let ends = self.jumps(times).into_iter().chain([times[1]]);
        let angle = |to| {
            let turn = self.turn([std::mem::replace(&mut from, to), to]);
            turn.rotation_vector.length()
        };
        ends.map(angle).sum()
    }

    /// The largest distance (m) of `points` (initial positions, m) between arc and chord between two `times` (s) without
    /// a jump of the velocity.
    fn sagitta(&self, points: &[Vec3], times: [f64; 2]) -> f64 {
        let Turn { rotation_vector, pivot, reference_rotation } = self.turn(times);
        let angle = rotation_vector.length();
        if angle == 0.0 {
            return 0.0;
        }
        if !angle.is_finite() {
            return f64::INFINITY;
        }
        let axis = rotation_vector / angle;
        let arm = |x0: &Vec3| reference_rotation * (*x0 - pivot);
        let radius = points.iter().map(|x0| axis.cross(arm(x0)).length()).fold(0.0, f64::max);
        let sine = elementary::sin(angle.min(TAU) / 4.0);
        2.0 * radius * sine * sine
    }
}

/// Deviation from the straight path between two times (s) of points with the `positions` (m) at a time. `jumps` are
/// the times at which the velocity jumps, and `sagitta` (m) is the deviation from the chord between two of them.
pub(crate) fn bend(
    times: [f64; 2],
    jumps: &[f64],
    sagitta: impl Fn([f64; 2]) -> f64,
    positions: impl Fn(f64) -> Vec<Vec3>,
) -> Bend {
    let mut from = times[0];
    let ends = jumps.iter().copied().chain([times[1]]);
    let sagittas = ends.map(|to| sagitta([std::mem::replace(&mut from, to), to]));
    let sagitta = sagittas.fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a });
    let jump = match jumps {
        [] => None,
        _ => {
            let chord = times.map(&positions);
            let jump = |&time: &f64| {
                let deviation = chord_deviation(&chord, &positions(time));
                VelocityJump { time, deviation }
            };
            jumps.iter().map(jump).reduce(VelocityJump::larger)
        }
    };
    let bound = sagitta + jump.map_or(0.0, |jump| jump.deviation);
    // The sine of an infinite angle is NaN.
    Bend { bound: if bound.is_nan() { f64::INFINITY } else { bound }, jump }
}

/// The distance (m) of points from the nearest configuration on the chord, the same for all
/// points.
fn chord_deviation([from, to]: &[Vec<Vec3>; 2], current: &[Vec3]) -> f64 {
    let paths = || {
        from.iter()
            .zip(to)
            .zip(current)
            .map(|((from, to), current)| (*current - *from, *to - *from))
    };
    let projection: f64 = paths().map(|(displacement, path)| displacement.dot(path)).sum();
    let squares: f64 = paths().map(|(_, path)| path.length_squared()).sum();
    let fraction = if squares > 0.0 { (projection / squares).clamp(0.0, 1.0) } else { 0.0 };
    paths()
        .map(|(displacement, path)| (displacement - path * fraction).length())
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interpolation, Key, Keyframes};
    use proptest::prelude::*;
    use std::sync::Arc;

    const POINTS: [Vec3; 3] =
        [Vec3::new(0.5, 0.0, 0.1), Vec3::new(-0.2, 0.3, 0.0), Vec3::new(0.1, -0.4, 0.6)];

    fn spinning(omega: f64) -> Motion {
        Motion::Steady {
            start: 0.0,
            end: f64::INFINITY,
            velocity: Vec3::new(1.0, -2.0, 0.5),
            angular_velocity: Vec3::new(0.0, omega, 0.0),
            pivot: Vec3::ZERO,
        }
    }

    fn keyed(interpolation: Interpolation) -> Motion {
        let key = |time, translation, rotation| Key { time, translation, rotation };
        let keys = vec![
            key(0.2, Vec3::ZERO, Vec3::ZERO),
            key(0.3, Vec3::new(0.0, 0.3, 0.0), Vec3::Y * 2.5),
            key(0.5, Vec3::new(0.2, 0.1, 0.0), Vec3::new(0.3, 1.0, -0.5)),
        ];
        let keyframes = Keyframes::new(Vec3::new(0.1, 0.0, 0.2), interpolation, keys);
        Motion::Keyframes(Arc::new(keyframes.expect("keys are in order")))
    }

    /// The largest distance from the chord by its definition, at many times: the smallest over the configurations of the
    /// chord of the largest distance of a point, a convex function of the fraction of the chord.
    fn sampled(motion: &Motion, times: [f64; 2]) -> f64 {
        let at = |time| POINTS.map(|x0| motion.position(x0, time));
        let when = |k: i32| times[0] + (times[1] - times[0]) * f64::from(k) / 500.0;
        let [from, to] = times.map(at);
        let deviation = |current: &[Vec3; 3], s: f64| {
            let distance = |i: usize| (current[i] - from[i].lerp(to[i], s)).length();
            (0..3).map(distance).fold(0.0, f64::max)
        };
        let smallest = |current: [Vec3; 3]| {
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..100 {
                let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if deviation(&current, a) < deviation(&current, b) { high = b } else { low = a }
            }
            deviation(&current, low)
        };
        (0..=500).map(|k| smallest(at(when(k)))).fold(0.0, f64::max)
    }

    #[test]
    fn a_steady_turn_has_the_sagitta_of_its_arc() {
        for (omega, duration) in [(150.0, 1.0 / 120.0), (3.0, 1.0 / 60.0), (200.0, 0.02)] {
            let times = [0.4, 0.4 + duration];
            let bend = spinning(omega).bend(&POINTS, times);
            assert_eq!(bend.jump, None);
            let seen = sampled(&spinning(omega), times);
            assert!(seen <= bend.bound * (1.0 + 1e-9), "{seen} beyond {}", bend.bound);
            assert!(bend.bound <= 2.0 * 0.65, "no more than across the circle");
        }
        // A point 0.61 m from the axis turns by 1.25 rad.
        let bend = spinning(150.0).bend(&[Vec3::new(0.61, 3.0, 0.0)], [0.0, 1.0 / 120.0]);
        assert!((bend.bound - 0.61 * (1.0 - 0.625f64.cos())).abs() < 1e-12, "{bend:?}");
        let whole_turns = spinning(TAU * 8.0).bend(&[Vec3::X], [0.0, 1.0]);
        assert!((whole_turns.bound - 2.0).abs() < 1e-12, "turns that end where they began");
    }

    #[test]
    fn a_straight_motion_has_no_bend_at_any_pace_nor_where_it_begins() {
        let straight = |start: f64| Motion::Steady {
            start,
            end: 0.5,
            velocity: Vec3::new(100.0, 0.0, 0.0),
            angular_velocity: Vec3::ZERO,
            pivot: Vec3::ZERO,
        };
        assert_eq!(straight(0.0).bend(&POINTS, [0.1, 0.2]), Bend::default());
        assert!(straight(0.15).bend(&POINTS, [0.1, 0.6]).bound < 1e-13);
        let key = |time, y| Key { time, translation: Vec3::Y * y, rotation: Vec3::ZERO };
        let keys = vec![key(0.0, 0.0), key(0.1, -5.0), key(0.2, -6.0)];
        let keyframes = Keyframes::new(Vec3::ZERO, Interpolation::Smooth, keys).expect("in order");
        let motion = Motion::Keyframes(Arc::new(keyframes));
        assert!(motion.bend(&POINTS, [0.01, 0.19]).bound < 1e-13);
    }

    #[test]
    fn to_and_fro_within_the_times_is_seen_with_the_time_of_the_turning_point() {
        let key = |time, y| Key { time, translation: Vec3::Y * y, rotation: Vec3::ZERO };
        let keys = vec![key(0.1, 0.0), key(0.104, -0.2), key(0.11, 0.0)];
        let keyframes = Keyframes::new(Vec3::ZERO, Interpolation::Linear, keys).expect("in order");
        let bend = Motion::Keyframes(Arc::new(keyframes)).bend(&POINTS, [0.05, 0.15]);
        let VelocityJump { time, deviation } = bend.jump.expect("it turns back");
        assert_eq!(time, 0.104);
        assert!((deviation - 0.2).abs() < 1e-12 && (bend.bound - 0.2).abs() < 1e-12, "{bend:?}");
    }

    proptest! {
        #[test]
        fn no_place_on_the_way_is_farther_off_than_the_bound(
            from in 0.0f64..0.6, duration in 1e-4f64..0.3, smooth: bool,
        ) {
            let interpolation = [Interpolation::Linear, Interpolation::Smooth][usize::from(smooth)];
            let motion = keyed(interpolation);
            let times = [from, from + duration];
            let (seen, bound) = (sampled(&motion, times), motion.bend(&POINTS, times).bound);
            prop_assert!(seen <= bound * (1.0 + 1e-9) + 1e-15, "{} beyond {}", seen, bound);
        }
    }
}
