use super::*;
use crate::Motion;
use proptest::prelude::*;
use std::sync::Arc;

const BOTH: [SampleInterpolation; 2] = [SampleInterpolation::Linear, SampleInterpolation::Cubic];

/// Positions of three points with independent motions at unequal intervals; the last sample equals the first.
fn positions() -> Vec<Vec<Vec3>> {
    let x = Vec3::new;
    vec![
        vec![x(0.0, 0.0, 0.0), x(1.0, 0.0, 0.0), x(0.0, 1.0, 0.0)],
        vec![x(0.1, 0.0, 0.0), x(1.0, 0.4, 0.0), x(0.0, 1.0, -0.2)],
        vec![x(0.1, 0.3, 0.0), x(0.8, 0.4, 0.2), x(0.1, 0.9, -0.3)],
        vec![x(0.2, -0.1, 0.5), x(0.9, 0.1, 0.2), x(0.0, 1.2, 0.0)],
        vec![x(0.0, 0.0, 0.0), x(1.0, 0.0, 0.0), x(0.0, 1.0, 0.0)],
    ]
}

const TIMES: [f64; 5] = [0.2, 0.3, 0.45, 0.5, 0.7];

fn samples(interpolation: SampleInterpolation, after: AfterLast) -> Samples {
    Samples::new(TIMES.to_vec(), positions(), interpolation, after).expect("they make a motion")
}

#[test]
fn sampled_motion_interpolates_its_samples_and_rests_outside() {
    for samples in BOTH.map(|interpolation| samples(interpolation, AfterLast::Rest)) {
        for (time, places) in TIMES.iter().zip(positions()) {
            for (point, place) in places.iter().enumerate() {
                for later in [-1e-12, 0.0, 1e-12] {
                    let off = samples.position(point, time + later).distance(*place);
                    assert!(off < 1e-10, "{off} at {time}");
                }
            }
        }
        for (point, time) in [(0, -9.0), (1, 0.1), (2, 0.7), (0, 9.0)] {
            let sample = usize::from(time > 0.2) * 4;
            assert_eq!(samples.position(point, time), positions()[sample][point]);
            assert_eq!(samples.velocity(point, time), Vec3::ZERO);
        }
        assert_eq!(
            [0.0, 0.2, 0.48, 0.7].map(|t| samples.next_change(t)),
            [0.2, 0.3, 0.5, f64::INFINITY]
        );
    }
}

#[test]
fn repeated_samples_are_periodic() {
    for samples in BOTH.map(|interpolation| samples(interpolation, AfterLast::Repeat)) {
        for k in 0..200 {
            let time = 0.2 + 0.0025 * f64::from(k);
            for point in 0..3 {
                let [now, later] = [time, time + 1.5].map(|t| samples.position(point, t));
                assert!(now.distance(later) < 1e-12, "{now} {later} at {time}");
                let [now, later] = [time, time + 1.5].map(|t| samples.velocity(point, t + 1e-9));
                assert!(now.distance(later) < 1e-6, "{now} {later} at {time}");
            }
        }
        let changes = [0.0, 0.71, 1.31].map(|time| samples.next_change(time));
        for (change, expected) in changes.into_iter().zip([0.2, 0.8, 1.45]) {
            assert!((change - expected).abs() < 1e-12, "{change} is not {expected}");
        }
    }
}

#[test]
fn cubic_samples_are_smooth_and_reproduce_a_parabola() {
    let jump = |samples: &Samples, time: f64| {
        let side = |later| samples.velocity(1, time + later);
        side(1e-9).distance(side(-1e-9))
    };
    let [linear, cubic] = BOTH.map(|interpolation| samples(interpolation, AfterLast::Repeat));
    for time in [0.3, 0.45, 0.5, 0.7, 0.8] {
        assert!(jump(&cubic, time) < 1e-5 && jump(&linear, time) > 0.1, "at {time}");
    }
    let fall = |t: f64| Vec3::new(1.0, 2.0 - 3.0 * t * t, t);
    let times: Vec<f64> = (0..6).map(|k| 0.1 * f64::from(k)).collect();
    let places = times.iter().map(|&t| vec![fall(t)]).collect();
    let cubic =
        Samples::new(times, places, SampleInterpolation::Cubic, AfterLast::Rest).expect("in order");
    for k in 10..=40 {
        let time = 0.01 * f64::from(k);
        assert!(cubic.position(0, time).distance(fall(time)) < 1e-14, "at {time}");
    }
}

#[test]
fn forward_motion_along_a_line_has_no_deviation() {
    for interpolation in BOTH {
        let at = |t: f64| (0..4).map(|k| Vec3::new(f64::from(k) * 0.3 + t, 2.0 * t, 0.1)).collect();
        let even = [0.0, 0.1, 0.2, 0.3];
        for along in [even, [0.0, 0.1, 0.25, 0.3]] {
            let places = along.map(at).to_vec();
            let samples = Samples::new(even.to_vec(), places, interpolation, AfterLast::Rest);
            let samples = samples.expect("in order");
            for times in [[0.1, 0.2], [0.11, 0.19], [0.02, 0.28]] {
                let bound = samples.bend(0..4, times).bound;
                assert!(bound < 1e-15, "{bound} in {times:?}");
            }
        }
    }
}

#[test]
fn turning_point_of_samples_is_found_with_its_time() {
    let places = [0.0, -0.2, 0.0].map(|y| vec![Vec3::Y * y, Vec3::X]).to_vec();
    let times = vec![0.1, 0.104, 0.11];
    let samples = Samples::new(times, places, SampleInterpolation::Linear, AfterLast::Rest);
    let bend = samples.expect("in order").bend(0..2, [0.05, 0.15]);
    let (time, off) = bend.jump.expect("it turns back");
    assert_eq!(time, 0.104);
    assert!((off - 0.2).abs() < 1e-15 && (bend.bound - 0.2).abs() < 1e-15, "{bend:?}");
}

#[test]
fn overshoot_on_a_straight_path_is_a_deviation() {
    let places = [0.0, 1.0, 1.05, 0.0].map(|x| vec![Vec3::X * x]).to_vec();
    let times = vec![0.0, 0.1, 0.2, 0.3];
    let samples = Samples::new(times, places, SampleInterpolation::Cubic, AfterLast::Rest);
    let samples = samples.expect("in order");
    let beyond = (0..=100).map(|k| samples.position(0, 0.1 + 0.001 * f64::from(k)).x);
    let beyond = beyond.fold(0.0, f64::max) - 1.05;
    let bound = samples.bend(0..1, [0.1, 0.2]).bound;
    assert!(beyond > 0.05 && bound >= beyond, "{bound} {beyond}");
}

#[test]
fn too_many_repetitions_have_no_bound() {
    let samples = samples(SampleInterpolation::Linear, AfterLast::Repeat);
    assert_eq!(samples.bend(0..3, [0.0, 1e6]).bound, f64::INFINITY);
}

#[test]
fn invalid_samples_are_rejected_with_their_numbers() {
    let make = |times: &[f64], positions, after| {
        Samples::new(times.to_vec(), positions, SampleInterpolation::Linear, after)
    };
    assert_eq!(make(&[], vec![], AfterLast::Rest), Err(SamplesError::Empty));
    let short = make(&TIMES[..4], positions(), AfterLast::Rest);
    assert_eq!(short, Err(SamplesError::Times { times: 4, samples: 5 }));
    let mut ragged = positions();
    ragged[3].pop();
    let refused = SamplesError::Points { sample: 3, points: 2, expected: 3 };
    assert_eq!(make(&TIMES, ragged, AfterLast::Rest), Err(refused));
    let mut lost = positions();
    lost[2][1].z = f64::NAN;
    let refused = SamplesError::NotFinite { sample: 2, point: 1 };
    assert_eq!(make(&TIMES, lost, AfterLast::Rest), Err(refused));
    let twice = make(&[0.0, 0.1, 0.1, 0.2, 0.3], positions(), AfterLast::Rest);
    let refused = SamplesError::NotAscending { sample: 2, time: 0.1, before: 0.1 };
    assert_eq!(twice, Err(refused));
    let mut open = positions();
    open[4][2].y += 0.1;
    let Err(SamplesError::NotClosed { point: 2, off }) = make(&TIMES, open, AfterLast::Repeat)
    else {
        panic!("it does not end where it began")
    };
    assert!((off - 0.1).abs() < 1e-15);
}

/// Largest distance of the points to the straight path at many times in between, by definition.
fn off(samples: &Samples, times: [f64; 2]) -> f64 {
    let at = |time| (0..3).map(|point| samples.position(point, time)).collect::<Vec<Vec3>>();
    let [from, to] = times.map(at);
    let distance = |time: f64| {
        let now = at(time);
        let apart = |s: f64| {
            let place = |k: usize| from[k].lerp(to[k], s).distance(now[k]);
            (0..3).map(place).fold(0.0, f64::max)
        };
        (0..=1000).map(|k| apart(f64::from(k) / 1000.0)).fold(f64::INFINITY, f64::min)
    };
    let when = |k: i32| times[0] + (times[1] - times[0]) * f64::from(k) / 100.0;
    (0..=100).map(|k| distance(when(k))).fold(0.0, f64::max)
}

proptest! {
    #[test]
    fn deviation_from_the_chord_is_within_the_bound(
        from in 0.0f64..1.4, duration in 1e-3f64..0.3, cubic: bool, repeat: bool,
    ) {
        let after = [AfterLast::Rest, AfterLast::Repeat][usize::from(repeat)];
        let samples = samples(BOTH[usize::from(cubic)], after);
        let times = [from, from + duration];
        let (seen, bound) = (off(&samples, times), samples.bend(0..3, times).bound);
        // The nearest of a thousand samples is half a step from the nearest point.
        prop_assert!(seen <= bound * (1.0 + 1e-9) + 1e-3, "{} beyond {}", seen, bound);
    }

    #[test]
    fn sampled_velocity_is_the_derivative(time in 0.0f64..1.6, cubic: bool, point in 0usize..3) {
        let samples = Arc::new(samples(BOTH[usize::from(cubic)], AfterLast::Repeat));
        let eps = 1e-5;
        prop_assume!((samples.next_change(time - 2.0 * eps) - time).abs() > 2.0 * eps);
        let motion = Motion::Sampled { point, samples };
        let at = |s: f64| motion.position(Vec3::ZERO, time + s * eps);
        let rate = ((at(1.0) - at(-1.0)) * 8.0 - (at(2.0) - at(-2.0))) / (12.0 * eps);
        let ours = motion.velocity(Vec3::ZERO, time);
        prop_assert!((rate - ours).length() < 1e-8 * (1.0 + ours.length()), "{} {}", rate, ours);
    }
}
