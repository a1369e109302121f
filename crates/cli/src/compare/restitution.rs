//! Coefficient of restitution of the first bounce.

use resile_math::Vec3;

/// The motion of the centre of mass at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CentreOfMassMotion {
    /// Time (s).
    pub(super) time: f64,
    /// Pairs in contact.
    pub(super) contacts: u64,
    /// Velocity of the centre of mass (m/s).
    pub(super) velocity: Vec3,
}

/// Speed (m/s) below which a centre of mass is at rest: a collision of two bodies without total momentum has no
/// bounce.
const REST_SPEED: f64 = 1e-6;

/// The coefficient of restitution of the first contact phase: the separation speed of the centre of mass after the
/// phase divided by its approach speed before the phase.
///
/// * Speeds are components along gravity or, without gravity, along the velocity before the phase.
/// * The phase begins with the first state in contact. It ends when an interval without contact is as long as the
///   preceding part of the phase, because soft bodies can lose and regain contact within one bounce.
/// * *Before* is the last state before the phase, *after* the first one of the interval that ends it. The times of
///   contact are up to a step away, so both speeds are extrapolated by free fall over half the time between the
///   states with and without contact. The remaining error of each speed is at most `g h / 2`, with either
///   sign.
///
/// `None` without contact, if the phase has not ended, or without approach and separation.
pub(super) fn restitution(motions: &[CentreOfMassMotion], gravity: Vec3) -> Option<f64> {
    let begin = motions.iter().position(|state| state.contacts > 0)?;
    let end = phase_end(&motions[begin..])? + begin;
    let (before, after) = (motions[begin.checked_sub(1)?], motions[end]);
    let direction = if gravity == Vec3::ZERO { before.velocity } else { gravity };
    let away = -direction.try_normalize()?;
    let half_gravity = 0.5 * gravity.length();
    let (approach_speed, separation_speed) = (-before.velocity.dot(away), after.velocity.dot(away));
    if approach_speed <= REST_SPEED || separation_speed <= 0.0 {
        return None;
    }
    let at_impact = approach_speed + half_gravity * (motions[begin].time - before.time);
    let at_release = separation_speed + half_gravity * (after.time - motions[end - 1].time);
    Some(at_release / at_impact)
}

/// The index of the first state of the interval without contact that ends the phase. `motions` begins with the first
/// state in contact.
fn phase_end(motions: &[CentreOfMassMotion]) -> Option<usize> {
    let mut last_contact = 0;
    for (index, state) in motions.iter().enumerate() {
        if state.contacts > 0 {
            last_contact = index;
        } else if index - last_contact > last_contact {
            return Some(last_contact + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

    const SPEED: f64 = 4.0;

    /// A point that hits the ground at `impact`, is in contact for `contact` seconds and rises with the coefficient
    /// of restitution `e`, sampled every `h` seconds for one second.
    fn ball(h: f64, impact: f64, contact: f64, e: f64) -> Vec<CentreOfMassMotion> {
        let at = |time: f64| {
            let rise = time - impact - contact;
            let (contacts, v) = if time < impact {
                (0, -SPEED + 9.81 * (impact - time))
            } else if rise < 0.0 {
                (3, 0.0)
            } else {
                (0, e * SPEED - 9.81 * rise)
            };
            CentreOfMassMotion { time, contacts, velocity: Vec3::new(1.0, v, 0.0) }
        };
        (0..=(1.0 / h) as u32).map(|step| at(f64::from(step) * h)).collect()
    }

    #[test]
    fn restitution_of_a_ball_is_exact_within_half_a_step_of_gravity() {
        for e in [0.3, 0.8, 1.0] {
            for h in [1.0 / 30.0, 1.0 / 120.0, 1.0 / 1000.0] {
                let bound = 0.5 * 9.81 * h * (1.0 + e) / SPEED;
                let mut mean = 0.0;
                for phase in 0..50 {
                    let motions = ball(h, 0.4 + f64::from(phase) / 50.0 * h, 0.0713, e);
                    let found = restitution(&motions, GRAVITY).expect("it bounces");
                    assert!((found - e).abs() <= bound, "{found} for {e} at {h}");
                    mean += (found - e) / 50.0;
                }
                assert!(mean.abs() < 0.1 * bound, "{mean} of {bound} for {e} at {h}");
            }
        }
    }

    #[test]
    fn motion_without_momentum_has_no_restitution() {
        let flight =
            |contacts, v: f64| CentreOfMassMotion { time: v, contacts, velocity: Vec3::X * v };
        let motions = [flight(0, -1e-16), flight(1, 1e-12), flight(0, 1e-9)];
        assert_eq!(restitution(&motions, Vec3::ZERO), None);
    }

    #[test]
    fn restitution_without_gravity_uses_the_direction_of_motion() {
        let flight = |contacts, v: f64| {
            let velocity = Vec3::new(0.3 * v, 0.4 * v, 0.0);
            CentreOfMassMotion { time: v, contacts, velocity }
        };
        let motions = [flight(0, -2.0), flight(1, -1.0), flight(0, 1.5)];
        let found = restitution(&motions, Vec3::ZERO).expect("it bounces");
        assert!((found - 0.75).abs() < 1e-15, "{found}");
    }

    #[test]
    fn interrupted_contact_is_one_bounce() {
        let mut motions = ball(0.001, 0.4, 0.05, 0.8);
        let expected = restitution(&motions, GRAVITY);
        for flight in &mut motions[420..435] {
            *flight =
                CentreOfMassMotion { contacts: 0, velocity: Vec3::new(0.0, 7.0, 0.0), ..*flight };
        }
        assert!(expected.is_some());
        assert_eq!(restitution(&motions, GRAVITY), expected);
    }

    #[test]
    fn motion_without_contact_has_no_restitution() {
        let whole = ball(0.01, 0.395, 0.05, 0.5);
        assert!(whole[39].contacts == 0 && whole[40].contacts > 0 && whole[45].contacts == 0);
        for (part, why) in [
            (&whole[..40], "no contact"),
            (&whole[..43], "still in contact"),
            (&whole[..47], "out of contact, but not for as long as it was in it"),
            (&whole[40..], "in contact from the start: the speed before is not known"),
            (&whole[..0], "nothing at all"),
        ] {
            assert_eq!(restitution(part, GRAVITY), None, "{why}");
        }
        assert!(restitution(&whole[..51], GRAVITY).is_some());
        let mut sliding = whole.clone();
        sliding.iter_mut().for_each(|flight| flight.velocity.y = 0.0);
        assert_eq!(restitution(&sliding, GRAVITY), None, "it neither falls nor rises");
        let mut through = whole;
        through.iter_mut().for_each(|flight| flight.velocity.y = -1.0);
        assert_eq!(
            restitution(&through, GRAVITY),
            None,
            "it falls on, as two bodies that meet in the air"
        );
    }
}
