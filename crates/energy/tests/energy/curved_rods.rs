//! Rods with rest curvature: derivatives, invariance, theory.

use crate::common::{gradient, hessian, noise, rotation};
use proptest::prelude::*;
use resile_energy::{CurvedRods, RodBending, RodError, RodRest};
use resile_math::Vec3;
use resile_mesh::generate::{Circle, Helix};
use resile_mesh::{Polylines, StrandEnds};
use resile_system::{Energy, Psd};
use std::f64::consts::{PI, TAU};

fn straight(segments: usize, length: f64) -> Polylines {
    let step = length / segments as f64;
    Polylines::from_points(
        (0..=segments).map(|i| Vec3::X * (step * i as f64)).collect(),
        StrandEnds::Free,
    )
}

fn helix(turns: f64, segments: usize) -> Polylines {
    Helix { radius: 0.5, pitch: 0.7, turns, segments }.build().unwrap()
}

fn shaken(x: &[Vec3], size: f64) -> Vec<Vec3> {
    let at = |k: usize| Vec3::new(noise(3 * k), noise(3 * k + 1), noise(3 * k + 2));
    x.iter().enumerate().map(|(k, x)| *x + at(k) * size).collect()
}

/// Rods with ends that rotate, and positions away from rest.
fn cases() -> Vec<(&'static str, CurvedRods, Vec<Vec3>)> {
    let (line, coil) = (straight(12, 3.0), helix(1.6, 18));
    let bent = RodRest::curved(&line, 1.1, 0.4, Vec3::Z).unwrap();
    let coiled = RodRest::as_given(&coil).unwrap();
    let opposite = RodRest::curved(&coil, 1.7, -0.8, Vec3::Y).unwrap();
    let of = |rods: &Polylines, rest: &RodRest| CurvedRods::new(rods, rest, 0.37, 0.29).unwrap();
    vec![
        ("bent line", of(&line, &bent), shaken(&line.positions, 0.05)),
        ("shaken helix", of(&coil, &coiled), shaken(&coil.positions, 0.08)),
        ("helix of the other hand", of(&coil, &opposite), shaken(&coil.positions, 0.03)),
    ]
}

fn slope(term: &dyn Energy, x: &[Vec3], along: &[Vec3], by: f64) -> f64 {
    let at = |t: f64| {
        let moved: Vec<Vec3> = x.iter().zip(along).map(|(x, d)| *x + *d * t).collect();
        term.value(0.0, &moved)
    };
    (8.0 * (at(by) - at(-by)) - (at(2.0 * by) - at(-2.0 * by))) / (12.0 * by)
}

#[test]
fn gradients_agree_with_differences() {
    for (name, term, x) in cases() {
        let g = gradient(&term, &x);
        let size = g.iter().map(|g| g.length()).fold(0.0, f64::max);
        assert!(size > 1e-3, "{name} is strained");
        for node in 0..x.len() {
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let mut along = vec![Vec3::ZERO; x.len()];
                along[node] = axis;
                let expected = slope(&term, &x, &along, 1e-4);
                let off = (g[node].dot(axis) - expected).abs();
                assert!(off < 1e-7 * size, "{name}, node {node}: {} {expected}", g[node].dot(axis));
            }
        }
    }
}

/// The gradient of a rod whose ends cannot rotate, by its inner nodes.
#[test]
fn gradients_agree_with_differences_if_the_ends_are_held() {
    let coil = helix(1.6, 18);
    let rest = RodRest::curved(&coil, 1.5, 0.9, Vec3::Y).unwrap();
    let term = CurvedRods::new(&coil, &rest, 0.37, 0.29).unwrap();
    let free = term.value(0.0, &coil.positions);
    let term = term.holding(&[[true, true]]);
    let mut x = shaken(&coil.positions, 0.05);
    let last = x.len() - 2;
    x[..2].copy_from_slice(&coil.positions[..2]);
    x[last..].copy_from_slice(&coil.positions[last..]);
    assert!(term.value(0.0, &coil.positions) > free + 1e-3, "the holds twist it");
    let g = gradient(&term, &x);
    for node in 2..last {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let mut along = vec![Vec3::ZERO; x.len()];
            along[node] = axis;
            let expected = slope(&term, &x, &along, 1e-4);
            assert!((g[node].dot(axis) - expected).abs() < 1e-7, "{node}: {} {expected}", g[node]);
        }
    }
}

/// What the matrix leaves out is negative semi-definite, and zero for motions in the plane of a plane rod.
#[test]
fn the_matrix_is_an_upper_bound_and_exact_in_the_plane() {
    for (name, term, x) in cases() {
        let n = 3 * x.len();
        let exact = nalgebra::DMatrix::from_fn(n, n, |i, j| {
            let at = |t: f64| {
                let mut moved = x.clone();
                moved[j / 3][j % 3] += t;
                gradient(&term, &moved)[i / 3][i % 3]
            };
            (at(1e-5) - at(-1e-5)) / 2e-5
        });
        let actual = hessian(&term, &x, Psd::Exact);
        let rest = &actual - 0.5 * (&exact + exact.transpose());
        let smallest = rest.symmetric_eigenvalues().min();
        assert!(smallest > -1e-6 * exact.norm(), "{name}: {smallest} of {}", exact.norm());
        let clamped = hessian(&term, &x, Psd::Clamp).symmetric_eigenvalues().min();
        assert!(clamped > -1e-11 * exact.norm(), "{name}: {clamped}");
    }
    let line = straight(9, 3.0);
    let rest = RodRest::curved(&line, 0.8, 0.0, Vec3::Z).unwrap();
    let term = CurvedRods::new(&line, &rest, 0.37, 0.29).unwrap();
    let flat = |x: Vec<Vec3>| x.into_iter().map(|x| Vec3::new(x.x, x.y, 0.0)).collect::<Vec<_>>();
    let x = flat(shaken(&line.positions, 0.1));
    let actual = hessian(&term, &x, Psd::Exact);
    let along = flat(shaken(&vec![Vec3::ZERO; x.len()], 1.0));
    let at = |t: f64| {
        let moved: Vec<Vec3> = x.iter().zip(&along).map(|(x, d)| *x + *d * t).collect();
        gradient(&term, &moved).iter().zip(&along).map(|(g, d)| g.dot(*d)).sum::<f64>()
    };
    let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
    let v = nalgebra::DVector::from_fn(3 * x.len(), |i, _| along[i / 3][i % 3]);
    let value = v.dot(&(&actual * &v));
    assert!((value / expected - 1.0).abs() < 1e-6, "{value} {expected}");
}

/// Nodes of a rod of `segments` whose curvature varies smoothly along it: a sum of cosines with the given coefficients,
/// about two directions (1/m).
fn bent_smoothly(segments: usize, length: f64, coefficients: &[f64; 8]) -> Vec<Vec3> {
    let step = length / segments as f64;
    let (mut x, mut along, mut normal) = (vec![Vec3::ZERO], Vec3::X, Vec3::Z);
    for i in 0..segments {
        x.push(x[i] + along * step);
        let phase = PI * i as f64 / segments as f64;
        let curvature = |side: usize| -> f64 {
            (0..4)
                .map(|k| coefficients[4 * side + k] * (k as f64 * phase + side as f64).cos())
                .sum()
        };
        let side = along.cross(normal);
        along = (along + (normal * curvature(0) + side * curvature(1)) * step).normalize();
        normal = (normal - along * normal.dot(along)).normalize();
    }
    x
}

/// Between random shapes, some with inflections, the frames turn over where another winding becomes the lowest. At the
/// largest change on each path, bisection finds no jump.
#[test]
fn energy_is_continuous_along_paths_between_random_shapes() {
    let (segments, length) = (40, 0.4);
    let line = straight(segments, length);
    let rest = RodRest::curved(&line, 60.0, 12.0, Vec3::Z).unwrap();
    let rod = || CurvedRods::new(&line, &rest, 6.4e-5, 4.6e-5).unwrap();
    let mut turnovers = 0;
    for (path, term) in [rod(), rod().holding(&[[true, false]])].iter().cycle().take(16).enumerate()
    {
        let coefficients = |end: usize| -> [f64; 8] {
            std::array::from_fn(|k| 40.0 * noise(16 * path + 8 * end + k))
        };
        let ends = [coefficients(0), coefficients(1)];
        let shape = |s: f64| {
            let between = |k: usize| (1.0 - s) * ends[0][k] + s * ends[1][k];
            bent_smoothly(segments, length, &std::array::from_fn(between))
        };
        let value = |s: f64| term.value(0.0, &shape(s));
        let points = 100;
        let values: Vec<f64> =
            (0..=points).map(|i| value(f64::from(i) / f64::from(points))).collect();
        let steepest = values.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        let (steepest, change) =
            steepest.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are pairs");
        let typical = (values[points as usize] - values[0]).abs() / f64::from(points);
        turnovers += usize::from(change > 2.0 * typical);
        let [mut low, mut high] = [steepest, steepest + 1].map(|i| i as f64 / f64::from(points));
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            let [a, b, c] = [low, middle, high].map(value);
            if (b - a).abs() > (c - b).abs() { high = middle } else { low = middle }
        }
        let jump = (value(high) - value(low)).abs();
        assert!(jump < 1e-6 * value(low), "path {path} jumps at {low}: {jump} of {}", value(low));
    }
    assert!(turnovers > 0, "some paths are steep");
}

/// A polygon whose angles are curvature times length closes to a circle, and has no energy there.
#[test]
fn a_straight_rod_that_closes_to_its_circle_has_no_energy() {
    let line = straight(40, 1.0);
    for torsion in [0.0, 3.0] {
        let rest = RodRest::curved(&line, TAU, torsion, Vec3::Z).unwrap();
        let term = CurvedRods::new(&line, &rest, 0.7, 0.5).unwrap();
        let open = 0.5 * 0.7 * TAU * TAU;
        assert!((term.value(0.0, &line.positions) / open - 39.0 / 40.0).abs() < 2e-2);
        // Along the discrete curve of its angles.
        let (mut x, mut along, mut normal) = (vec![Vec3::ZERO], Vec3::X, Vec3::Z);
        let turned = |v: Vec3, axis: Vec3, angle: f64| {
            v * angle.cos()
                + axis.cross(v) * angle.sin()
                + axis * (axis.dot(v) * (1.0 - angle.cos()))
        };
        normal = turned(normal, along, 0.5 * torsion / 40.0);
        for _ in 0..40 {
            x.push(*x.last().unwrap() + along / 40.0);
            along = turned(along, normal, TAU / 40.0);
            normal = turned(normal, along, torsion / 40.0);
        }
        assert!(torsion != 0.0 || x[40].length() < 1e-12, "it is closed");
        assert!(term.value(0.0, &x) < 1e-24 * open, "{}", term.value(0.0, &x));
        assert!(gradient(&term, &x).iter().all(|g| g.length() < 1e-10));
    }
    let coil = helix(1.6, 18);
    let rest = RodRest::as_given(&coil).unwrap();
    let term = CurvedRods::new(&coil, &rest, 0.7, 0.5).unwrap();
    assert!(term.value(0.0, &coil.positions) < 1e-28);
}

/// A helix that is stretched without rotation of its ends has the curvature `cos^2 a / r` and the torsion `sin a cos a
/// / r`. Its energy is `L (B dk^2 + C dt^2 (1 - 2 w tanh(L / 2 w) / L)) / 2`, `w^2 = C / (B k k0)`. At free ends the
/// twist decays within the length w.
#[test]
fn a_stretched_helix_has_the_energy_of_kirchhoffs_rod() {
    let (bending, twisting, turns) = (0.7, 0.5, 3.0);
    let measures = |radius: f64, pitch: f64| {
        let (c, length2) = (pitch / TAU, radius * radius + (pitch / TAU).powi(2));
        (radius / length2, c / length2, length2.sqrt() * TAU * turns)
    };
    let (radius, pitch) = (0.5_f64, 0.7_f64);
    let (k0, t0, length) = measures(radius, pitch);
    let stretched_pitch = 0.72;
    let c = stretched_pitch / TAU;
    let stretched_radius = ((length / (TAU * turns)).powi(2) - c * c).sqrt();
    let (k, t, _) = measures(stretched_radius, stretched_pitch);
    let width = (twisting / (bending * k * k0)).sqrt();
    let relaxed = 1.0 - 2.0 * width / length * (0.5 * length / width).tanh();
    let expected =
        0.5 * length * (bending * (k - k0).powi(2) + twisting * (t - t0).powi(2) * relaxed);
    let errors = [60, 120, 240].map(|segments| {
        let rods = Helix { radius, pitch, turns, segments }.build().unwrap();
        let rest = RodRest::as_given(&rods).unwrap();
        let term = CurvedRods::new(&rods, &rest, bending, twisting).unwrap();
        let x = Helix { radius: stretched_radius, pitch: stretched_pitch, turns, segments };
        term.value(0.0, &x.build().unwrap().positions) / expected - 1.0
    });
    // Half a segment at both ends has no bending, which is of first order; the remainder is of second order.
    let limit = (errors[0] - 6.0 * errors[1] + 8.0 * errors[2]) / 3.0;
    assert!(limit.abs() < 5e-4 && errors[2].abs() < 2e-3, "{limit}, {errors:?}");
}

#[test]
fn a_rod_without_rest_curvature_bends_as_a_straight_one() {
    let coil = helix(1.6, 18);
    let rest = RodRest::curved(&coil, 0.0, 0.0, Vec3::Z).unwrap();
    let curved = CurvedRods::new(&coil, &rest, 0.37, 0.29).unwrap();
    let plain = RodBending::new(&coil, 0.37).unwrap();
    let x = shaken(&coil.positions, 0.1);
    assert!((curved.value(0.0, &x) / plain.value(0.0, &x) - 1.0).abs() < 1e-13);
    let [a, b] = [gradient(&curved, &x), gradient(&plain, &x)];
    assert!(a.iter().zip(&b).all(|(a, b)| a.distance(*b) < 1e-12));
}

#[test]
fn invalid_rest_shapes_are_rejected() {
    let ring = Circle { radius: 1.0, segments: 12 }.build().unwrap();
    assert_eq!(RodRest::as_given(&ring), Err(RodError::ClosedRest));
    let line = straight(4, 1.0);
    let sharp = RodRest::curved(&line, 4.0 * PI, 0.0, Vec3::Z);
    assert!(matches!(sharp, Err(RodError::RestAngle { .. })), "{sharp:?}");
    let nan = RodRest::curved(&line, f64::NAN, 0.0, Vec3::Z);
    assert!(matches!(nan, Err(RodError::RestNotFinite { .. })));
    let other = RodRest::as_given(&straight(5, 1.0)).unwrap();
    assert_eq!(CurvedRods::new(&line, &other, 1.0, 1.0).err(), Some(RodError::OtherRest));
}

proptest! {
    #[test]
    fn energy_is_invariant_under_rigid_motions(
        turn in rotation(), far in prop::array::uniform3(-9.0f64..9.0),
    ) {
        for (name, term, x) in cases() {
            let moved: Vec<Vec3> = x.iter().map(|x| turn * *x + Vec3::from_array(far)).collect();
            let (value, again) = (term.value(0.0, &x), term.value(0.0, &moved));
            prop_assert!((value - again).abs() < 1e-10 * (1.0 + value), "{name}: {value} {again}");
            let g = gradient(&term, &x);
            let force: Vec3 = g.iter().copied().sum();
            let moment: Vec3 = g.iter().zip(&x).map(|(g, x)| x.cross(*g)).sum();
            let size: f64 = g.iter().map(|g| g.length()).sum();
            prop_assert!(force.length() < 1e-11 * size && moment.length() < 1e-10 * size);
        }
    }
}
