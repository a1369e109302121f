//! What the scene leads: where it is between frames, and how fast it can be there.
//!
//! An obstacle that moves, and a body of which all nodes are held by one motion, is where
//! the scene says, at any time. It is taken there from where a frame shows it, by the
//! scene's poses at both times, so nothing of the scene has to be built.

use crate::description::{ExpandedBody, Interpolation, Key, MotionDescription, Region, Scene};
use resile_math::{Mat3, Vec3};

/// A body or an obstacle that goes where the scene says.
#[derive(Debug)]
pub(super) struct Led {
    pub(super) collider: u32,
    motion: MotionDescription,
}

/// A rigid map of points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Map {
    turn: Mat3,
    shift: Vec3,
}

impl Map {
    pub(super) fn apply(&self, point: Vec3) -> Vec3 {
        self.turn * point + self.shift
    }
}

/// The largest speed of what is led, in parts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pace {
    /// Of the pivot (m/s).
    speed: f64,
    /// Of the rotation (rad/s).
    rate: f64,
}

impl Led {
    /// What a scene leads: its bodies first.
    pub(super) fn of(scene: &Scene, bodies: &[ExpandedBody]) -> Vec<Self> {
        let held = bodies.iter().map(|ExpandedBody { body, .. }| match &body.hold[..] {
            [hold] if matches!(hold.region, Region::All) => Some(&hold.motion),
            _ => None,
        });
        let moving = scene.obstacles.iter().filter_map(|obstacle| obstacle.motion()).map(Some);
        let led = |(collider, motion): (u32, Option<&MotionDescription>)| {
            motion.map(|motion| Self { collider, motion: motion.clone() })
        };
        (0..).zip(held.chain(moving)).filter_map(led).collect()
    }

    /// The maps from places at `start` (s) to those at `times`.
    pub(super) fn maps(&self, start: f64, times: impl Iterator<Item = f64>) -> Vec<Map> {
        let motion = self.motion.motion();
        let first = motion.pose(start);
        let back = first.rotation.transpose();
        let map = |time| {
            let pose = motion.pose(time);
            let turn = pose.rotation * back;
            Map { turn, shift: pose.translation - turn * first.translation }
        };
        times.map(map).collect()
    }

    /// How fast any of the points can be, which are at these places at the first of two times
    /// (m/s): a bound for all times between them.
    pub(super) fn fastest(&self, places: impl Iterator<Item = Vec3>, times: [f64; 2]) -> f64 {
        let Pace { speed, rate } = self.pace(times);
        if rate == 0.0 {
            return speed;
        }
        let motion = self.motion.motion();
        let pivot = motion.position(self.pivot(), times[0]);
        let radius = places.map(|place| place.distance(pivot)).fold(0.0, f64::max);
        speed + rate * radius
    }

    fn pivot(&self) -> Vec3 {
        match self.motion {
            MotionDescription::Fixed => Vec3::ZERO,
            MotionDescription::Move { pivot, .. } | MotionDescription::Keys { pivot, .. } => {
                Vec3::from_array(pivot.unwrap_or_default())
            }
        }
    }

    fn pace(&self, [from, to]: [f64; 2]) -> Pace {
        match &self.motion {
            MotionDescription::Fixed => Pace::default(),
            MotionDescription::Move { velocity, angular_velocity, start, end, .. } => {
                if to <= *start || end.is_some_and(|end| end <= from) {
                    return Pace::default();
                }
                let [speed, rate] =
                    [velocity, angular_velocity].map(|v| Vec3::from_array(*v).length());
                Pace { speed, rate }
            }
            MotionDescription::Keys { keys, interpolation, .. } => {
                let active = keys.windows(2).filter(|k| k[0].time < to && from < k[1].time);
                active.map(|k| pace_between(&k[0], &k[1], *interpolation)).fold(
                    Pace::default(),
                    |a, b| Pace { speed: a.speed.max(b.speed), rate: a.rate.max(b.rate) },
                )
            }
        }
    }
}

fn pace_between(a: &Key, b: &Key, interpolation: Interpolation) -> Pace {
    let peak = match interpolation {
        Interpolation::Linear => 1.0,
        // The slope of 3 s^2 - 2 s^3 half way.
        Interpolation::Smooth => 1.5,
    };
    let often = peak / (b.time - a.time);
    let way = Vec3::from_array(b.translate) - Vec3::from_array(a.translate);
    let turned = |key: &Key| {
        key.rotate.map_or(Vec3::ZERO, |rotation| {
            Vec3::from_array(rotation.axis).normalize_or_zero() * rotation.degrees.to_radians()
        })
    };
    let [before, after] = [a, b].map(turned);
    let crossed = before.cross(after).length();
    // About one axis turns may be many; about different ones the shorter arc is taken.
    let angle = match crossed <= 1e-9 * before.length() * after.length() {
        true => (after - before).length(),
        false => std::f64::consts::PI,
    };
    Pace { speed: way.length() * often, rate: angle * often }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::Rotation;
    use proptest::prelude::*;

    fn keys(interpolation: Interpolation, degrees: [f64; 2], axis: [f64; 3]) -> Led {
        let key = |time, translate, degrees, axis| Key {
            time,
            translate,
            rotate: Some(Rotation { axis, degrees }),
        };
        let motion = MotionDescription::Keys {
            keys: vec![
                key(0.1, [0.0; 3], 0.0, [0.0, 1.0, 0.0]),
                key(0.4, [0.3, -0.2, 0.0], degrees[0], [0.0, 1.0, 0.0]),
                key(0.5, [0.0, 0.5, 0.1], degrees[1], axis),
            ],
            pivot: Some([0.2, 0.1, -0.3]),
            interpolation,
        };
        Led { collider: 0, motion }
    }

    proptest! {
        /// By the motion itself, at many times: no point is faster than the bound, and the maps
        /// lead each point from where it is at the one time to where it is at the other.
        #[test]
        fn nothing_led_is_faster_than_it_is_said_to_be(
            from in 0.0..0.5, lasts in 1e-3..0.3, smooth: bool,
            first in -800.0..800.0, second in -800.0..800.0, tilted: bool,
            point in prop::array::uniform3(-1.0..1.0),
        ) {
            let axis = if tilted { [0.3, 1.0, -0.2] } else { [0.0, 2.0, 0.0] };
            let interpolation = [Interpolation::Linear, Interpolation::Smooth][usize::from(smooth)];
            let led = keys(interpolation, [first, second], axis);
            let (motion, x0, to) = (led.motion.motion(), Vec3::from_array(point), from + lasts);
            let start = motion.position(x0, from);
            let fastest = led.fastest([start].into_iter(), [from, to]);
            let times: Vec<f64> = (0..=100).map(|k| from + lasts * f64::from(k) / 100.0).collect();
            let maps = led.maps(from, times.iter().copied());
            for (time, map) in times.iter().zip(maps) {
                prop_assert!(map.apply(start).distance(motion.position(x0, *time)) < 1e-12);
                prop_assert!(motion.velocity(x0, time.min(to - 1e-9)).length() <= fastest * (1.0 + 1e-9));
            }
        }
    }
}
