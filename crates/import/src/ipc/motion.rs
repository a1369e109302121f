//! Keyframes of motions that the source evaluates step by step.

use crate::draft::{Key, Motion};
use crate::pose::Turn;
use resile_math::Vec3;

/// A motion whose velocity is constant within each of `step_count` time steps of length `step` (s). `velocity` returns
/// it (m/s) at the start of each step, from the displacement so far (m). Keyframes are at the steps where it changes.
pub(super) fn motion_by_steps(
    step: f64,
    step_count: u64,
    mut velocity: impl FnMut(Vec3) -> Vec3,
) -> Motion {
    let mut keys = vec![Key { time: 0.0, translate: [0.0; 3], turn: None }];
    let (mut displacement, mut previous) = (Vec3::ZERO, None);
    for step_index in 0..step_count {
        let current = velocity(displacement);
        if previous.is_some_and(|previous| previous != current) {
            keys.push(Key {
                time: step * step_index as f64,
                translate: displacement.to_array(),
                turn: None,
            });
        }
        displacement += current * step;
        previous = Some(current);
    }
    match (keys.len(), previous) {
        (1, Some(velocity)) => Motion::moving(velocity.to_array()),
        _ => {
            keys.push(Key {
                time: step * step_count as f64,
                translate: displacement.to_array(),
                turn: None,
            });
            Motion::Keys { keys, pivot: None }
        }
    }
}

/// Adds a rotation about a coordinate axis through `pivot` (m) at a constant rate (degrees per second).
pub(super) fn with_rotation(motion: Motion, axis: usize, rate: f64, pivot: Vec3) -> Motion {
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
        expressions @ Motion::Displacement(_) => expressions,
        Motion::Fixed => Motion::Move { velocity: [0.0; 3], angular_velocity, pivot, end: None },
    }
}

/// A motion of `step_count` time steps of length `step` (s) along an axis, with an initial velocity `speed` (m/s). Its
/// sign changes at the start of each step at which the displacement is not inside the interval from `lower` to `upper`
/// (m).
pub(super) fn reciprocating_motion(
    step: f64,
    step_count: u64,
    axis: usize,
    mut speed: f64,
    [lower, upper]: [f64; 2],
) -> Motion {
    motion_by_steps(step, step_count, |displacement| {
        if displacement[axis] <= lower || displacement[axis] >= upper {
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
        let motion = motion_by_steps(0.1, 10, |_| Vec3::X);
        assert_eq!(motion, Motion::moving([1.0, 0.0, 0.0]));
        assert_eq!(motion_by_steps(0.1, 10, |_| Vec3::ZERO), Motion::Fixed);
    }

    #[test]
    fn bounce_reverses_one_step_after_it_leaves_its_range() {
        let motion = reciprocating_motion(0.25, 12, 0, 1.0, [-9.0, 1.0]);
        let Motion::Keys { keys, .. } = motion else { panic!("{motion:?}") };
        // It reverses at 1.0, and would again a step later only if it were still outside, which it is not.
        let times: Vec<(f64, f64)> = keys.iter().map(|key| (key.time, key.translate[0])).collect();
        assert_eq!(times, [(0.0, 0.0), (1.0, 1.0), (3.0, -1.0)]);
    }

    #[test]
    fn keys_rotate_with_time() {
        let motion =
            with_rotation(reciprocating_motion(0.5, 4, 1, 2.0, [-9.0, 2.0]), 0, 10.0, Vec3::Z);
        let Motion::Keys { keys, pivot } = motion else { panic!("{motion:?}") };
        assert_eq!(pivot, Some([0.0, 0.0, 1.0]));
        assert_eq!(
            keys.iter().map(|key| key.turn.map(|t| t.degrees)).collect::<Vec<_>>(),
            [None, Some(10.0), Some(20.0)]
        );
    }
}
