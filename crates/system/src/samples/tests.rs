use super::*;
use crate::Motion;
use proptest::prelude::*;
use std::sync::Arc;

const INTERPOLATIONS: [SampleInterpolation; 2] =
    [SampleInterpolation::Linear, SampleInterpolation::Cubic];

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
    for samples in INTERPOLATIONS.map(|interpolation| samples(interpolation, AfterLast::Rest)) {
        for (time, sample_positions) in TIMES.iter().zip(positions()) {
            for (point, position) in sample_positions.iter().enumerate() {
                for delay in [-1e-12, 0.0, 1e-12] {
                    let error = samples.position(point, time + delay).distance(*position);
                    assert!(error < 1e-10, "{error} at {time}");
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
    for samples in INTERPOLATIONS.map(|interpolation| samples(interpolation, AfterLast::Repeat)) {
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
    let velocity_jump = |samples: &Samples, time: f64| {
        let velocity = |delay| samples.velocity(1, time + delay);
        velocity(1e-9).distance(velocity(-1e-9))
    };
    let [linear, cubic] =
        INTERPOLATIONS.map(|interpolation| samples(interpolation, AfterLast::Repeat));
    for time in [0.3, 0.45, 0.5, 0.7, 0.8] {
        let jumps = [&cubic, &linear].map(|samples| velocity_jump(samples, time));
        assert!(jumps[0] < 1e-5 && jumps[1] > 0.1, "at {time}");
    }
    let parabola = |t: f64| Vec3::new(1.0, 2.0 - 3.0 * t * t, t);
    let times: Vec<f64> = (0..6).map(|k| 0.1 * f64::from(k)).collect();
    let positions = times.iter().map(|&t| vec![parabola(t)]).collect();
    let cubic = Samples::new(times, positions, SampleInterpolation::Cubic, AfterLast::Rest)
        .expect("times are ascending");
    for k in 10..=40 {
        let time = 0.01 * f64::from(k);
        assert!(cubic.position(0, time).distance(parabola(time)) < 1e-14, "at {time}");
    }
}

#[test]
fn forward_motion_along_a_line_has_no_deviation() {
    for interpolation in INTERPOLATIONS {
        let shifted_points =
            |s: f64| (0..4).map(|k| Vec3::new(f64::from(k) * 0.3 + s, 2.0 * s, 0.1)).collect();
        let times = [0.0, 0.1, 0.2, 0.3];
        // At constant speed, and at a varying speed.
        for shifts in [times, [0.0, 0.1, 0.25, 0.3]] {
            let positions = shifts.map(shifted_points).to_vec();
            let samples = Samples::new(times.to_vec(), positions, interpolation, AfterLast::Rest)
                .expect("times are ascending");
            for interval in [[0.1, 0.2], [0.11, 0.19], [0.02, 0.28]] {
                let bound = samples.bend(0..4, interval).bound;
                assert!(bound < 1e-15, "{bound} in {interval:?}");
            }
        }
    }
}

#[test]
fn turning_point_of_samples_is_found_with_its_time() {
    let positions = [0.0, -0.2, 0.0].map(|y| vec![Vec3::Y * y, Vec3::X]).to_vec();
    let times = vec![0.1, 0.104, 0.11];
    let samples = Samples::new(times, positions, SampleInterpolation::Linear, AfterLast::Rest);
    let bend = samples.expect("times are ascending").bend(0..2, [0.05, 0.15]);
    let jump = bend.jump.expect("it turns back");
    assert_eq!(jump.time, 0.104);
    assert!((jump.deviation - 0.2).abs() < 1e-15 && (bend.bound - 0.2).abs() < 1e-15, "{bend:?}");
}

#[test]
fn overshoot_on_a_straight_path_is_a_deviation() {
    // The cubic motion along the x axis passes its second to last sample before it turns back.
    let (interval, farthest_sample) = ([0.1, 0.2], 1.05);
    let positions = [0.0, 1.0, farthest_sample, 0.0].map(|x| vec![Vec3::X * x]).to_vec();
    let times = vec![0.0, 0.1, 0.2, 0.3];
    let samples = Samples::new(times, positions, SampleInterpolation::Cubic, AfterLast::Rest)
        .expect("times are ascending");
    let times_in_interval = (0..=100).map(|k| interval[0] + 0.001 * f64::from(k));
    let farthest = times_in_interval.map(|time| samples.position(0, time).x).fold(0.0, f64::max);
    let overshoot = farthest - farthest_sample;
    let bound = samples.bend(0..1, interval).bound;
    assert!(overshoot > 0.05 && bound >= overshoot, "{bound} {overshoot}");
}

#[test]
fn too_many_repetitions_have_no_bound() {
    let samples = samples(SampleInterpolation::Linear, AfterLast::Repeat);
    assert_eq!(samples.bend(0..3, [0.0, 1e6]).bound, f64::INFINITY);
}

#[test]
fn invalid_samples_are_rejected_with_their_numbers() {
    let new_samples = |times: &[f64], positions, after| {
        Samples::new(times.to_vec(), positions, SampleInterpolation::Linear, after)
    };
    assert_eq!(new_samples(&[], vec![], AfterLast::Rest), Err(SamplesError::Empty));
    let short = new_samples(&TIMES[..4], positions(), AfterLast::Rest);
    assert_eq!(short, Err(SamplesError::Times { times: 4, samples: 5 }));
    let mut ragged = positions();
    ragged[3].pop();
    let refused = SamplesError::Points { sample: 3, points: 2, expected: 3 };
    assert_eq!(new_samples(&TIMES, ragged, AfterLast::Rest), Err(refused));
    let mut lost = positions();
    lost[2][1].z = f64::NAN;
    let refused = SamplesError::NotFinite { sample: 2, point: 1 };
    assert_eq!(new_samples(&TIMES, lost, AfterLast::Rest), Err(refused));
    let twice = new_samples(&[0.0, 0.1, 0.1, 0.2, 0.3], positions(), AfterLast::Rest);
    let refused = SamplesError::NotAscending { sample: 2, time: 0.1, before: 0.1 };
    assert_eq!(twice, Err(refused));
    let mut open = positions();
    open[4][2].y += 0.1;
    let Err(SamplesError::NotClosed { point: 2, off }) =
        new_samples(&TIMES, open, AfterLast::Repeat)
    else {
        panic!("it does not end where it began")
    };
    assert!((off - 0.1).abs() < 1e-15);
}

/// Largest distance (m) of the three points from the straight path between two times (s), by its definition: at 101
/// times the distance from the nearest of 1001 configurations on the path.
fn sampled_deviation(samples: &Samples, [start, end]: [f64; 2]) -> f64 {
    let positions_at =
        |time| (0..3).map(|point| samples.position(point, time)).collect::<Vec<Vec3>>();
    let [from, to] = [start, end].map(positions_at);
    let distance_from_path = |time: f64| {
        let positions = positions_at(time);
        let distance_at_fraction = |s: f64| {
            let point_distance = |k: usize| from[k].lerp(to[k], s).distance(positions[k]);
            (0..3).map(point_distance).fold(0.0, f64::max)
        };
        let fractions = (0..=1000).map(|k| f64::from(k) / 1000.0);
        fractions.map(distance_at_fraction).fold(f64::INFINITY, f64::min)
    };
    let times = (0..=100).map(|k| start + (end - start) * f64::from(k) / 100.0);
    times.map(distance_from_path).fold(0.0, f64::max)
}

proptest! {
    #[test]
    fn deviation_from_the_chord_is_within_the_bound(
        from in 0.0f64..1.4, duration in 1e-3f64..0.3, cubic: bool, repeat: bool,
    ) {
        let after = [AfterLast::Rest, AfterLast::Repeat][usize::from(repeat)];
        let samples = samples(INTERPOLATIONS[usize::from(cubic)], after);
        let times = [from, from + duration];
        let deviation = sampled_deviation(&samples, times);
        let bound = samples.bend(0..3, times).bound;
        // The nearest of the sampled configurations is up to half a sample interval from the nearest one.
        prop_assert!(deviation <= bound * (1.0 + 1e-9) + 1e-3, "{} beyond {}", deviation, bound);
    }

    #[test]
    fn sampled_velocity_is_the_derivative(time in 0.0f64..1.6, cubic: bool, point in 0usize..3) {
        let samples = Arc::new(samples(INTERPOLATIONS[usize::from(cubic)], AfterLast::Repeat));
        let eps = 1e-5;
        prop_assume!((samples.next_change(time - 2.0 * eps) - time).abs() > 2.0 * eps);
        let motion = Motion::Sampled { point, samples };
        let position = |s: f64| motion.position(Vec3::ZERO, time + s * eps);
        let central_difference = |s: f64| position(s) - position(-s);
        let rate = (central_difference(1.0) * 8.0 - central_difference(2.0)) / (12.0 * eps);
        let v = motion.velocity(Vec3::ZERO, time);
        prop_assert!((rate - v).length() < 1e-8 * (1.0 + v.length()), "{} {}", rate, v);
    }
}
