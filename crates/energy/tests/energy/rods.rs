//! Rods: derivatives, invariance, limits.

use crate::common::{clamped, gradient, gradient_at, hessian, noise, rotation};
use proptest::prelude::*;
use resile_energy::{
    Motor, OpenEnds, RodBending, RodError, RodSection, RodTwist, rod_springs, writhe,
};
use resile_math::{Mat3, Vec3, outer};
use resile_mesh::generate::{Circle, Helix};
use resile_mesh::{Polylines, StrandEnds};
use resile_sparse::BlockSink;
use resile_system::check::energy_derivatives;
use resile_system::{Energy, Path, Psd};
use std::f64::consts::{PI, TAU};

fn shaken(x: &[Vec3], size: f64) -> Vec<Vec3> {
    let at = |k: usize| Vec3::new(noise(3 * k), noise(3 * k + 1), noise(3 * k + 2));
    x.iter().enumerate().map(|(k, x)| *x + at(k) * size).collect()
}

fn straight(nodes: usize, length: f64) -> Polylines {
    let step = length / (nodes - 1) as f64;
    Polylines::from_points(
        (0..nodes).map(|i| Vec3::X * (step * i as f64)).collect(),
        StrandEnds::Free,
    )
}

fn helix() -> Polylines {
    Helix { radius: 0.5, pitch: 0.7, turns: 2.2, segments: 17 }.build().unwrap()
}

fn circle(segments: usize) -> Polylines {
    Circle { radius: 1.0, segments }.build().unwrap()
}

/// A right-handed trefoil.
fn trefoil(segments: usize) -> Polylines {
    let at = |i: usize| {
        let t = TAU * i as f64 / segments as f64;
        let r = 2.0 + (3.0 * t).cos();
        Vec3::new(r * (2.0 * t).cos(), r * (2.0 * t).sin(), -(3.0 * t).sin())
    };
    Polylines::from_points((0..segments).map(at).collect(), StrandEnds::Joined)
}

fn check(term: &dyn Energy, name: &str, x: &[Vec3], tol: f64) {
    let errors = energy_derivatives(term, x, 1e-4).expect("the state is strained and admissible");
    assert!(errors.gradient < tol && errors.hessian < tol, "{}, {name}: {errors:?}", term.name());
}

#[test]
fn derivatives_of_bending_agree_with_differences() {
    for (name, rods, size) in [
        ("helix", helix(), 0.0),
        ("random helix", helix(), 0.1),
        ("nearly straight", straight(7, 3.0), 1e-3),
        ("crumpled", straight(9, 3.0), 0.5),
        ("ring", circle(8), 0.2),
    ] {
        let bending = RodBending::new(&rods, 0.37).unwrap();
        check(&bending, name, &shaken(&rods.positions, size), 1e-7);
    }
    // A sharp turn, a thousandth of a radian from the fold.
    let rods = straight(3, 2.0);
    let bending = RodBending::new(&rods, 0.37).unwrap();
    let sharp = [Vec3::ZERO, Vec3::X, Vec3::new(0.2, 8e-2, 1e-3)];
    let errors = energy_derivatives(&bending, &sharp, 1e-5).expect("it is bent");
    assert!(errors.gradient < 1e-6 && errors.hessian < 1e-6, "{errors:?}");
}

#[test]
fn a_fold_costs_more_than_any_energy_and_is_finite_up_to_it() {
    let bending = RodBending::new(&straight(3, 2.0), 1.0).unwrap();
    let mut last = 0.0;
    for exponent in 0..8 {
        let angle = 10f64.powi(-exponent);
        let x = [Vec3::ZERO, Vec3::X, Vec3::X - Vec3::new(angle.cos(), angle.sin(), 0.0)];
        let value = bending.value(0.0, &x);
        assert!(value.is_finite() && value > last, "{angle}: {value}");
        let expected = 2.0 / (0.5 * angle).tan().powi(2);
        assert!((value / expected - 1.0).abs() < 1e-6, "{value} {expected}");
        let g = gradient(&bending, &x);
        assert!(g.iter().all(|g| g.is_finite()), "{angle}");
        last = value;
    }
    assert_eq!(bending.value(0.0, &[Vec3::ZERO, Vec3::X, Vec3::ZERO]), f64::INFINITY);
    assert_eq!(bending.value(0.0, &[Vec3::ZERO, Vec3::X, Vec3::X]), f64::INFINITY);
}

/// The energy of a rod that forms an arc is that of its curvature, up to the square of the angles.
#[test]
fn an_arc_has_the_energy_of_its_curvature_with_the_second_order() {
    let errors = [16, 32, 64].map(|segments| {
        let rods = circle(segments);
        let bending = RodBending::new(&rods, 0.7).unwrap();
        bending.value(0.0, &rods.positions) / (0.5 * 0.7 * TAU) - 1.0
    });
    for pair in errors.windows(2) {
        assert!((pair[0] / pair[1] - 4.0).abs() < 0.1, "{errors:?}");
    }
    assert!(errors[2].abs() < 3e-3, "{errors:?}");
}

proptest! {
    #[test]
    fn projections_are_the_clamp_by_edges_and_leave_what_is_positive(
        e in prop::array::uniform3(-1.0f64..1.0), f in prop::array::uniform3(-1.0f64..1.0),
    ) {
        let (e, f) = (Vec3::from_array(e), Vec3::from_array(f));
        prop_assume!(e.length() > 0.1 && f.length() > 0.1 && e.normalize().dot(f.normalize()) > -0.99);
        let x = [Vec3::ONE, Vec3::ONE + e, Vec3::ONE + e + f];
        let bending = RodBending::new(&straight(3, 2.0), 1.3).unwrap();
        let of = |psd| hessian(&bending, &x, psd);
        let (exact, projected) = (of(Psd::Exact), of(Psd::Clamp));
        let size = exact.norm();
        prop_assert!((&exact - exact.transpose()).norm() <= 1e-13 * size);
        prop_assert!(projected.symmetric_eigenvalues().min() > -1e-12 * size);
        // By e and f: the first and the last node, the middle one held.
        let ends = |m: &nalgebra::DMatrix<f64>| {
            let at = |k: usize| if k < 3 { (k, -1.0) } else { (k + 3, 1.0) };
            nalgebra::DMatrix::from_fn(6, 6, |i, j| {
                let ((r, a), (c, b)) = (at(i), at(j));
                a * b * m[(r, c)]
            })
        };
        let wanted = clamped(&ends(&exact));
        prop_assert!((ends(&projected) - wanted).norm() < 1e-11 * size);
    }

    #[test]
    fn rods_do_not_know_where_they_are(turn in rotation(), far in prop::array::uniform3(-9.0f64..9.0)) {
        let rods = trefoil(40);
        let x = shaken(&rods.positions, 0.05);
        let moved: Vec<Vec3> = x.iter().map(|x| turn * *x + Vec3::from_array(far)).collect();
        let bending = RodBending::new(&rods, 1.0).unwrap();
        let twist = RodTwist::new(&rods, 1.0, 0.3, OpenEnds::Free).unwrap();
        for term in [&bending as &dyn Energy, &twist] {
            let (value, again) = (term.value(0.0, &x), term.value(0.0, &moved));
            prop_assert!((value - again).abs() < 1e-10 * (1.0 + value), "{value} {again}");
            let g = gradient(term, &x);
            let force: Vec3 = g.iter().copied().sum();
            let moment: Vec3 = g.iter().zip(&x).map(|(g, x)| x.cross(*g)).sum();
            let size: f64 = g.iter().map(|g| g.length()).sum();
            prop_assert!(force.length() < 1e-11 * size && moment.length() < 1e-10 * size);
            for (g, h) in g.iter().zip(gradient(term, &moved)) {
                prop_assert!((turn * *g - h).length() < 1e-9 * size);
            }
        }
    }
}

#[test]
fn the_writhe_is_that_of_the_crossings_and_of_the_hand() {
    // Cantarella, Kusner & Sullivan: that of an ideal trefoil is 3.4; this one is flatter.
    let right = writhe(&trefoil(300).positions);
    assert!((3.0..3.6).contains(&right), "{right}");
    let mirrored: Vec<Vec3> =
        trefoil(300).positions.iter().map(|p| Vec3::new(p.x, p.y, -p.z)).collect();
    assert!((writhe(&mirrored) + right).abs() < 1e-12);
    // Nearly flat, it is the number of crossings.
    let flat: Vec<Vec3> =
        trefoil(300).positions.iter().map(|p| Vec3::new(p.x, p.y, 1e-3 * p.z)).collect();
    assert!((writhe(&flat) - 3.0).abs() < 1e-2, "{}", writhe(&flat));
    assert_eq!(writhe(&circle(30).positions), 0.0);
}

/// By brute force: the mean of signed crossings over many directions.
#[test]
fn the_writhe_is_the_mean_of_signed_crossings() {
    let x = shaken(&trefoil(24).positions, 0.4);
    let count = x.len();
    let edge = |i: usize| [x[i], x[(i + 1) % count]];
    let directions = 4000;
    let golden = PI * (3.0 - 5f64.sqrt());
    let mut sum = 0.0;
    for k in 0..directions {
        let z = 1.0 - (2 * k + 1) as f64 / directions as f64;
        let (sin, cos) = (golden * k as f64).sin_cos();
        let d = Vec3::new((1.0 - z * z).sqrt() * cos, (1.0 - z * z).sqrt() * sin, z);
        for i in 0..count {
            for j in i + 2..count {
                let ([a, b], [c, e]) = (edge(i), edge(j));
                let side = |p: Vec3, q: Vec3, r: Vec3| d.dot((q - p).cross(r - p)).signum();
                let apart = side(a, b, c) == side(a, b, e) || side(c, e, a) == side(c, e, b);
                if !apart && (j + 1) % count != i {
                    // The sign of the crossing is that of the volume between the pieces.
                    sum -= (c - a).dot((b - a).cross(e - c)).signum();
                }
            }
        }
    }
    let mean = sum / directions as f64;
    assert!((mean - writhe(&x)).abs() < 2e-2, "{mean} {}", writhe(&x));
}

#[test]
fn derivatives_of_twist_agree_with_differences() {
    for (name, rods, size, turns) in [
        ("twisted ring", circle(12), 0.1, 0.8),
        ("trefoil", trefoil(30), 0.05, -0.4),
        ("crumpled", circle(9), 0.4, 2.5),
    ] {
        let twist = RodTwist::new(&rods, 0.6, turns, OpenEnds::Free).unwrap();
        let x = shaken(&rods.positions, size);
        let whole = WithRank { twist, stiffness: 0.6 / rods.strands[0].length(&rods.positions) };
        check(&whole, name, &x, 1e-6);
    }
}

#[test]
fn derivatives_of_a_clamped_rods_twist_agree_with_differences() {
    let lengthy =
        |turns: f64| Helix { radius: 0.4, pitch: 0.5, turns, segments: 16 }.build().unwrap();
    for (name, rods, turns) in [
        ("helix", lengthy(1.7), 0.6),
        ("straight", straight(12, 2.0), 1.5),
        ("half", lengthy(0.5), -2.0),
    ] {
        let twist = RodTwist::new(&rods, 0.6, turns, OpenEnds::Clamped).unwrap();
        let at = |k: usize, x: &Vec3| match (2..rods.positions.len() - 2).contains(&k) {
            true => *x + 0.05 * Vec3::new(noise(3 * k), noise(3 * k + 1), noise(3 * k + 2)),
            false => *x,
        };
        let x: Vec<Vec3> = rods.positions.iter().enumerate().map(|(k, x)| at(k, x)).collect();
        let length = rods.strands[0].length(&rods.positions);
        let ends = rods.positions[0].distance(rods.positions[1]);
        let whole = WithRank { twist, stiffness: 0.6 / (length - ends) };
        let inner = Inner { whole, x: x.clone() };
        check(&inner, name, &x[2..x.len() - 2], 1e-6);
        // The ends may be moved, if they keep their directions.
        let moved = |t: f64| {
            let mut moved = x.clone();
            let last = x.len() - 2;
            moved[last..].iter_mut().for_each(|x| *x += t * Vec3::new(0.3, -0.5, 0.2));
            inner.whole.value(0.0, &moved)
        };
        let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        let g = gradient(&inner.whole, &x);
        let expected = (g[x.len() - 2] + g[x.len() - 1]).dot(Vec3::new(0.3, -0.5, 0.2));
        assert!(
            (slope - expected).abs() < 1e-6 * (1.0 + expected.abs()),
            "{name}: {slope} {expected}"
        );
    }
}

/// An energy of all nodes but the first two and the last two.
struct Inner {
    whole: WithRank,
    x: Vec<Vec3>,
}

impl Inner {
    fn at(&self, inner: &[Vec3]) -> Vec<Vec3> {
        let last = self.x.len() - 2;
        [&self.x[..2], inner, &self.x[last..]].concat()
    }
}

impl Energy for Inner {
    fn name(&self) -> &str {
        "twist between clamps"
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        self.whole.value(time, &self.at(x))
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let mut all = vec![Vec3::ZERO; self.x.len()];
        self.whole.add_gradient(time, &self.at(x), scale, &mut all);
        out.iter_mut().zip(&all[2..]).for_each(|(out, g)| *out += *g);
    }

    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut resile_system::Hessian<'_>) {
        struct Shifted<'a, 'b>(&'a mut resile_system::Hessian<'b>, usize);
        impl BlockSink for Shifted<'_, '_> {
            fn add(&mut self, i: usize, j: usize, block: Mat3) {
                if i.min(j) >= 2 && i.max(j) < self.1 {
                    self.0.add(i - 2, j - 2, block);
                }
            }
        }
        let mut sink = Shifted(out, self.x.len() - 2);
        let mut shifted = resile_system::Hessian::new(&mut sink, 0, 1.0);
        self.whole.add_hessian(time, &self.at(x), psd, &mut shifted);
    }
}

/// The twist with the part of its second derivatives that it leaves out.
struct WithRank {
    twist: RodTwist,
    stiffness: f64,
}

impl Energy for WithRank {
    fn name(&self) -> &str {
        "twist and its rank"
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        self.twist.value(time, x)
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.twist.add_gradient(time, x, scale, out);
    }

    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut resile_system::Hessian<'_>) {
        self.twist.add_hessian(time, x, psd, out);
        let angle = self.twist.turns(time, x)[0] * TAU;
        let g = gradient_at(time, &self.twist, x);
        let scale = 1.0 / (self.stiffness * angle * angle);
        for i in 0..x.len() {
            for j in i..x.len() {
                out.add(i, j, outer(g[i], g[j]) * scale);
            }
        }
    }
}

/// What a motor has turned is twist, and at nodes that stand still its work is all that the energy gains.
#[test]
fn a_motor_twists_and_its_work_is_the_energy() {
    let rods = helix();
    let motor = Motor { rate: -0.4, start: 0.5, end: 2.0 };
    let made = RodTwist::new(&rods, 0.3, 1.5, OpenEnds::Clamped).unwrap();
    let twist = made.clone().driven(motor).unwrap();
    let x = shaken(&rods.positions, 0.05);
    let still = made.turns(0.0, &x)[0];
    for (time, turned) in [(0.2, 0.0), (1.0, -0.2), (2.0, -0.6), (7.0, -0.6)] {
        assert!((twist.turns(time, &x)[0] - still - turned).abs() < 1e-12, "{time}");
        let by_hand = RodTwist::new(&rods, 0.3, 1.5 + turned, OpenEnds::Clamped).unwrap();
        assert!((twist.value(time, &x) - by_hand.value(0.0, &x)).abs() < 1e-12, "{time}");
        let [a, b] =
            [(time, &twist), (0.0, &by_hand)].map(|(time, twist)| gradient_at(time, twist, &x));
        assert!(a.iter().zip(&b).all(|(a, b)| a.distance(*b) < 1e-11), "{time}");
    }
    let at = |time: f64| twist.value(time, &x);
    for times in [[0.0, 0.4], [0.1, 1.3], [1.3, 1.9], [1.9, 3.0]] {
        let gain = at(times[1]) - at(times[0]);
        let work = made.clone().driven(motor).unwrap().work(&x, &x, times);
        assert!((work - gain).abs() < 1e-12, "{times:?}: {work} {gain}");
        assert_eq!(gain != 0.0, times[1] > 0.5);
    }
    let changes = [0.0, 0.5, 2.0].map(|time| twist.next_change(time));
    assert_eq!(changes, [0.5, 2.0, f64::INFINITY]);
    assert!(made.is_internal() && !twist.is_internal());
    let backwards = made.driven(Motor { rate: 1.0, start: 1.0, end: 0.0 });
    assert!(matches!(backwards, Err(RodError::Motor { .. })));
}

#[test]
fn what_writhing_takes_up_is_lost_to_twist() {
    let rods = trefoil(60);
    let twist = RodTwist::new(&rods, 1.0, 0.25, OpenEnds::Free).unwrap();
    assert!((twist.turns(0.0, &rods.positions)[0] - 0.25).abs() < 1e-12);
    let flat: Vec<Vec3> = rods.positions.iter().map(|p| Vec3::new(p.x, p.y, 0.5 * p.z)).collect();
    let change = writhe(&flat) - writhe(&rods.positions);
    assert!(change.abs() > 0.05);
    assert!((twist.turns(0.0, &flat)[0] - (0.25 - change)).abs() < 1e-12);
    // Open rods have none.
    let open = RodTwist::new(&helix(), 1.0, 3.0, OpenEnds::Free).unwrap();
    assert_eq!((open.rods(), open.value(0.0, &helix().positions)), (0, 0.0));
}

#[test]
fn no_step_turns_a_corner_inside_out() {
    let bending = RodBending::new(&straight(3, 2.0), 1.0).unwrap();
    let at = |angle: f64| [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::new(angle.cos(), angle.sin(), 0.0)];
    let bound = |from: &[Vec3], to: &[Vec3]| bending.step_bound(&[Path { from, to }]);
    // Across the fold, in a plane.
    let (from, to) = (at(0.9 * PI), at(1.1 * PI));
    let free = bound(&from, &to);
    assert!((0.3..0.48).contains(&free), "a part of the angle is kept: {free}");
    // Through a point: the piece would have no length.
    let through = bound(&at(0.1), &[Vec3::ZERO, Vec3::X, Vec3::X * 0.2]);
    assert!(through < 1.0 && through > 0.5, "{through}");
    // Turned as a whole by a right angle: no corner changes.
    let turn = Mat3::from_rotation_z(0.5 * PI);
    assert_eq!(bound(&at(0.8 * PI), &at(0.8 * PI).map(|x| turn * x)), 1.0);
    assert_eq!(bound(&at(0.2), &at(0.4)), 1.0);
}

#[test]
fn stretching_is_that_of_a_bar() {
    let section = RodSection::new(2e9, 0.25, 3e-3).unwrap();
    let rods = straight(11, 0.8);
    let springs = rod_springs(&rods, section.stretching()).unwrap();
    let springs =
        resile_energy::Springs::new(11, springs, resile_energy::SpringLaw::Hooke).unwrap();
    let longer: Vec<Vec3> = rods.positions.iter().map(|x| *x * 1.01).collect();
    let expected = 0.5 * 2e9 * PI * 9e-6 * 0.8 * 1e-4;
    assert!((springs.value(0.0, &longer) / expected - 1.0).abs() < 1e-10);
    assert!((section.bending() / (2e9 * PI * 81e-12 / 4.0) - 1.0).abs() < 1e-12);
    assert!((section.twisting() / (0.8e9 * PI * 81e-12 / 2.0) - 1.0).abs() < 1e-12);
}

#[test]
fn what_is_no_rod_is_told() {
    let not_positive = |e: RodError| matches!(e, RodError::NotPositive { .. });
    assert!(not_positive(RodSection::new(0.0, 0.3, 1.0).unwrap_err()));
    assert!(not_positive(RodSection::new(1.0, 0.3, f64::NAN).unwrap_err()));
    assert_eq!(RodSection::new(1.0, 0.6, 1.0), Err(RodError::Poisson { poisson: 0.6 }));
    let back = Polylines::from_points(vec![Vec3::ZERO, Vec3::X, Vec3::X * 0.5], StrandEnds::Free);
    assert_eq!(RodBending::new(&back, 1.0).unwrap_err(), RodError::Folded { node: 1 });
    assert!(matches!(
        RodTwist::new(&circle(5), 1.0, f64::NAN, OpenEnds::Free),
        Err(RodError::Turns { .. })
    ));
}
