//! Kinematic bodies: positions and speed bounds between frames.
//!
//! The rules give the pose of a moving obstacle, or of a body with one prescribed motion for all nodes,
//! at any time. Its positions follow from those in a frame and the poses at both times, so no geometry
//! has to be built.

use crate::motion::{AXIS_TOLERANCE, Interpolation, Key, Motion};
use crate::rules::Rules;
use glam::{DMat3 as Mat3, DVec3 as Vec3};

/// A body or an obstacle with a prescribed motion.
#[derive(Debug)]
pub(crate) struct Kinematic {
    pub(crate) collider: u32,
    motion: Motion,
}

/// A rigid map of points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Map {
    rotation: Mat3,
    shift: Vec3,
}

impl Map {
    /// The image of a point (m).
    pub(crate) fn apply(&self, point: Vec3) -> Vec3 {
        self.rotation * point + self.shift
    }
}

/// Bounds of the speed of a kinematic body.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SpeedBound {
    /// Speed of the pivot (m/s).
    speed: f64,
    /// Angular speed (rad/s).
    rate: f64,
}

impl Kinematic {
    /// A kinematic body: bodies first, then obstacles.
    pub(crate) fn from_rules(rules: &Rules) -> Vec<Self> {
        let bodies = rules.bodies.iter().map(|body| body.motion.as_ref());
        let drawn = rules.obstacles.iter().filter(|obstacle| obstacle.is_drawn());
        let moving = drawn.map(|obstacle| obstacle.motion());
        let kinematic = |(collider, motion): (u32, Option<&Motion>)| {
            motion.map(|motion| Self { collider, motion: motion.clone() })
        };
        (0..).zip(bodies.chain(moving)).filter_map(kinematic).collect()
    }

    /// Maps from positions at `start` (s) to those at `times`.
    pub(crate) fn maps(&self, start: f64, times: impl Iterator<Item = f64>) -> Vec<Map> {
        let motion = &self.motion;
        let first = motion.pose(start);
        let inverse = first.rotation.transpose();
        let map = |time| {
            let pose = motion.pose(time);
            let rotation = pose.rotation * inverse;
            Map { rotation, shift: pose.translation - rotation * first.translation }
        };
        times.map(map).collect()
    }

    /// Upper bound of the speed (m/s) of all points between two times; `positions` are theirs at the
    /// first time.
    pub(crate) fn max_speed(&self, positions: impl Iterator<Item = Vec3>, times: [f64; 2]) -> f64 {
        let SpeedBound { speed, rate } = self.speed_bound(times);
        if rate == 0.0 {
            return speed;
        }
        let pivot = Vec3::from_array(self.motion.position(self.pivot(), times[0]));
        let radius = positions.map(|position| position.distance(pivot)).fold(0.0, f64::max);
        speed + rate * radius
    }

    /// Centre of the rotation at the start (m).
    fn pivot(&self) -> [f64; 3] {
        match self.motion {
            Motion::Fixed => [0.0; 3],
            Motion::Steady { pivot, .. } | Motion::Keys { pivot, .. } => pivot,
        }
    }

    /// Speed bounds between two times (s).
    fn speed_bound(&self, [from, to]: [f64; 2]) -> SpeedBound {
        match &self.motion {
            Motion::Fixed => SpeedBound::default(),
            Motion::Steady { velocity, angular_velocity, start, end, .. } => {
                if to <= *start || *end <= from {
                    return SpeedBound::default();
                }
                let [speed, rate] =
                    [velocity, angular_velocity].map(|v| Vec3::from_array(*v).length());
                SpeedBound { speed, rate }
            }
            Motion::Keys { keys, interpolation, .. } => {
                let active = keys.windows(2).filter(|k| k[0].time < to && from < k[1].time);
                active.map(|k| speed_bound_between(&k[0], &k[1], *interpolation)).fold(
                    SpeedBound::default(),
                    |a, b| SpeedBound { speed: a.speed.max(b.speed), rate: a.rate.max(b.rate) },
                )
            }
        }
    }
}

/// Speed bounds between two successive keys.
fn speed_bound_between(a: &Key, b: &Key, interpolation: Interpolation) -> SpeedBound {
    let peak = match interpolation {
        Interpolation::Linear => 1.0,
        // Largest slope of 3 s^2 - 2 s^3.
        Interpolation::Smooth => 1.5,
    };
    let peak_rate = peak / (b.time - a.time);
    let translation = Vec3::from_array(b.translation) - Vec3::from_array(a.translation);
    let [before, after] = [a, b].map(|key| Vec3::from_array(key.rotation));
    let sine_product = before.cross(after).length();
    // A common axis permits several turns; for different axes the shorter arc applies.
    let angle = match sine_product <= AXIS_TOLERANCE * before.length() * after.length() {
        true => (after - before).length(),
        false => std::f64::consts::PI,
    };
    SpeedBound { speed: translation.length() * peak_rate, rate: angle * peak_rate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(interpolation: Interpolation, degrees: [f64; 2], axis: [f64; 3]) -> Kinematic {
        let key = |time, translation, degrees: f64, axis: [f64; 3]| {
            let rotation = Vec3::from_array(axis).normalize() * degrees.to_radians();
            Key { time, translation, rotation: rotation.to_array() }
        };
        let keys = vec![
            key(0.1, [0.0; 3], 0.0, [0.0, 1.0, 0.0]),
            key(0.4, [0.3, -0.2, 0.0], degrees[0], [0.0, 1.0, 0.0]),
            key(0.5, [0.0, 0.5, 0.1], degrees[1], axis),
        ];
        Kinematic {
            collider: 0,
            motion: Motion::Keys { keys, pivot: [0.2, 0.1, -0.3], interpolation },
        }
    }

    proptest! {
        /// Samples the motion at many times: no chord exceeds the speed bound, and the maps carry each point
        /// from its position at one time to its position at the other.
        #[test]
        fn kinematic_nodes_stay_below_their_speed_bound(
            from in 0.0..0.5, lasts in 1e-3..0.3, smooth: bool,
            first in -800.0..800.0, second in -800.0..800.0, tilted: bool,
            x0 in prop::array::uniform3(-1.0..1.0),
        ) {
            let axis = if tilted { [0.3, 1.0, -0.2] } else { [0.0, 2.0, 0.0] };
            let interpolation = [Interpolation::Linear, Interpolation::Smooth][usize::from(smooth)];
            let kinematic = keys(interpolation, [first, second], axis);
            let at = |time| Vec3::from_array(kinematic.motion.position(x0, time));
            let (start, to) = (at(from), from + lasts);
            let fastest = kinematic.max_speed([start].into_iter(), [from, to]);
            let times: Vec<f64> = (0..=400).map(|k| from + lasts * f64::from(k) / 400.0).collect();
            let maps = kinematic.maps(from, times.iter().copied());
            for (time, map) in times.iter().zip(maps) {
                prop_assert!(map.apply(start).distance(at(*time)) < 1e-12);
            }
            for pair in times.windows(2) {
                let speed = at(pair[1]).distance(at(pair[0])) / (pair[1] - pair[0]);
                prop_assert!(speed <= fastest * (1.0 + 1e-9) + 1e-9, "{speed} {fastest}");
            }
        }
    }
}
