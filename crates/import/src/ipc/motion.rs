//! Keyframes of motions that the source evaluates step by step.

use crate::draft::{Key, Motion};
use crate::pose::Turn;
use resile_math::Vec3;

/// A motion whose velocity is constant within each step, with keyframes where it changes.
///
/// `velocity` is called once per step with the displacement so far.
pub(super) fn stepped(step: f64, steps: u64, mut velocity: impl FnMut(Vec3) -> Vec3) -> Motion {
    let mut keys = vec![Key { time: 0.0, translate: [0.0; 3], turn: None }];
    let (mut at, mut before) = (Vec3::ZERO, None);
    for n in 0..steps {
        let now = velocity(at);
        if before.is_some_and(|before| before != now) {
            keys.push(Key { time: step * n as f64, translate: at.to_array(), turn: None });
        }
        at += now * step;
        before = Some(now);
    }
    match (keys.len(), before) {
        (1, Some(velocity)) => Motion::moving(velocity.to_array()),
        _ => {
            keys.push(Key { time: step * steps as f64, translate: at.to_array(), turn: None });
            Motion::Keys { keys, pivot: None }
        }
    }
}

/// This motion with a rotation about an axis at a constant rate (degrees per second).
pub(super) fn turning(motion: Motion, axis: usize, rate: f64, pivot: Vec3) -> Motion {
    let mut angular_velocity = [0.0; 3];
    angular_velocity[axis] = rate.to_radians();
    let pivot = pivot.to_array();
    match motion {
        Motion::Keys { keys, .. } => {
            let turned = keys.into_iter().map(|key| {
                let turn = (key.time > 0.0).then(|| Turn::rotated_about(axis, rate * key.time));
                Key { turn, ..key }
            });
            Motion::Keys { keys: turned.collect(), pivot: Some(pivot) }
        }
        Motion::Move { velocity, end, .. } => {
            Motion::Move { velocity, angular_velocity, pivot, end }
        }
        // Scripts have no expressions.
        displaced @ Motion::Displacement(_) => displaced,
        Motion::Fixed => Motion::Move { velocity: [0.0; 3], angular_velocity, pivot, end: None },
    }
}

/// A velocity along an axis that reverses whenever a coordinate has left an interval.
pub(super) fn bouncing(step: f64, steps: u64, axis: usize, speed: f64, bounds: [f64; 2]) -> Motion {
    let mut speed = speed;
    stepped(step, steps, |moved| {
        if moved[axis] <= bounds[0] || moved[axis] >= bounds[1] {
            speed = -speed;
        }
        let mut velocity = Vec3::ZERO;
        velocity[axis] = speed;
        velocity
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_script_velocity_becomes_a_linear_move() {
        let motion = stepped(0.1, 10, |_| Vec3::X);
        assert_eq!(motion, Motion::moving([1.0, 0.0, 0.0]));
        assert_eq!(stepped(0.1, 10, |_| Vec3::ZERO), Motion::Fixed);
    }

    #[test]
    fn bounce_reverses_one_step_after_it_leaves_its_range() {
        let motion = bouncing(0.25, 12, 0, 1.0, [-9.0, 1.0]);
        let Motion::Keys { keys, .. } = motion else { panic!("{motion:?}") };
        // It reverses at 1.0, and would again a step later only if it were still outside, which it is not.
        let times: Vec<(f64, f64)> = keys.iter().map(|key| (key.time, key.translate[0])).collect();
        assert_eq!(times, [(0.0, 0.0), (1.0, 1.0), (3.0, -1.0)]);
    }

    #[test]
    fn keys_rotate_with_time() {
        let motion = turning(bouncing(0.5, 4, 1, 2.0, [-9.0, 2.0]), 0, 10.0, Vec3::Z);
        let Motion::Keys { keys, pivot } = motion else { panic!("{motion:?}") };
        assert_eq!(pivot, Some([0.0, 0.0, 1.0]));
        assert_eq!(
            keys.iter().map(|key| key.turn.map(|t| t.degrees)).collect::<Vec<_>>(),
            [None, Some(10.0), Some(20.0)]
        );
    }
}
