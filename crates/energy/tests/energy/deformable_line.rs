//! The deformable line and the terms that it is made of.

use crate::common::*;
use proptest::prelude::*;
use resile_energy::{
    DeformableLine, LineError, LineMaterial, Torsion, TorsionElement, TorsionError, VolumeError,
    VolumeSprings,
};
use resile_math::{Mat3, Vec3};
use resile_system::check::energy_derivatives;
use resile_system::{Energy, Psd};

const MATERIAL: LineMaterial = LineMaterial {
    density: 1000.0,
    spring_modulus: 2e4,
    volume_modulus: 1e4,
    torsional_rigidity: 3e-3,
};
const THICKNESS: f64 = 0.1;
const SPACING: f64 = 0.2;

fn straight(points: usize) -> DeformableLine {
    let curve: Vec<Vec3> = (0..points).map(|i| Vec3::X * (SPACING * i as f64)).collect();
    DeformableLine::along(&curve, THICKNESS, MATERIAL).expect("a straight line")
}

/// Two windings of a helix.
fn helix() -> DeformableLine {
    let point = |i: usize| {
        let t = 0.3 * i as f64;
        Vec3::new(0.6 * t.cos(), 0.6 * t.sin(), 0.1 * t)
    };
    let curve: Vec<Vec3> = (0..42).map(point).collect();
    DeformableLine::along(&curve, THICKNESS, MATERIAL).expect("a helix")
}

fn terms(line: &DeformableLine) -> [(&'static str, &dyn Energy); 3] {
    [("springs", &line.springs), ("volumes", &line.volumes), ("torsion", &line.torsion)]
}

fn shaken(line: &DeformableLine, size: f64) -> Vec<Vec3> {
    deformed(&line.nodes, Mat3::from_rotation_y(0.8) * Mat3::from_rotation_x(2.0), size)
}

/// The line bent or twisted: each node moved as its cross-section at `x` is.
fn carried(line: &DeformableLine, place: impl Fn(Vec3) -> Vec3) -> Vec<Vec3> {
    line.nodes.iter().map(|x| place(*x)).collect()
}

fn twisted(line: &DeformableLine, tau: f64) -> Vec<Vec3> {
    carried(line, |x| Mat3::from_rotation_x(tau * x.x) * x)
}

#[test]
fn derivatives_equal_those_of_the_value() {
    let line = straight(4);
    for size in [0.01, 0.05] {
        let x = shaken(&line, size);
        for (name, term) in terms(&line) {
            let errors = energy_derivatives(term, &x, 1e-4).expect("the line is deformed");
            assert!(errors.gradient < 1e-7 && errors.hessian < 1e-7, "{name} {size} {errors:?}");
        }
    }
}

#[test]
fn torsion_has_its_derivatives_at_large_turns_and_oblique_arms() {
    for seed in 0..20 {
        let x: Vec<Vec3> = (0..4)
            .map(|i| Vec3::from_array(std::array::from_fn(|c| noise(100 * seed + 3 * i + c))))
            .collect();
        let element = TorsionElement { nodes: [0, 1, 2, 3], rest: 1.0, stiffness: 2.0 };
        let term = Torsion::new(4, vec![element]).expect("in order");
        let errors = energy_derivatives(&term, &x, 1e-4).expect("the arms are turned");
        assert!(errors.gradient < 1e-6 && errors.hessian < 1e-6, "{seed} {errors:?}");
    }
}

#[test]
fn volumes_have_their_derivatives_when_inverted_too() {
    let rest = corner_at(Mat3::IDENTITY);
    let term = VolumeSprings::new(&rest, &[[0, 1, 2, 3]], 5.0).expect("in order");
    for f in [Vec3::new(1.3, 0.9, 0.4), Vec3::new(1.2, 1.1, -0.6), Vec3::new(1.0, 1.0, 0.0)] {
        let x = corner_at(Mat3::from_rotation_z(1.0) * Mat3::from_diagonal(f));
        let errors = energy_derivatives(&term, &x, 1e-3).expect("the volume is not that at rest");
        assert!(errors.gradient < 1e-9 && errors.hessian < 1e-9, "{f} {errors:?}");
        let strain = f.x * f.y * f.z - 1.0;
        let expected = 2.5 * strain * strain / 6.0;
        assert!((term.value(0.0, &x) - expected).abs() < 1e-13, "k/2 V (v/V - 1)^2");
    }
}

#[test]
fn projections_are_the_clamp_of_the_eigenvalues() {
    let rest = corner_at(Mat3::IDENTITY);
    let volume = VolumeSprings::new(&rest, &[[0, 1, 2, 3]], 5.0).expect("in order");
    let element = TorsionElement { nodes: [1, 0, 2, 3], rest: 0.3, stiffness: 2.0 };
    let torsion = Torsion::new(4, vec![element]).expect("in order");
    let x = deformed(&rest, Mat3::from_diagonal(Vec3::new(0.8, 0.7, 0.9)), 0.1);
    for (name, term) in [("volume", &volume as &dyn Energy), ("torsion", &torsion)] {
        let exact = hessian(term, &x, Psd::Exact);
        let actual = hessian(term, &x, Psd::Clamp);
        assert!((&actual - clamped(&exact)).norm() < 1e-12 * exact.norm(), "{name}");
        assert!(exact.symmetric_eigenvalues().min() < -0.01, "{name}: there is a case to clamp");
    }
}

#[test]
fn at_rest_there_is_no_energy_and_no_force() {
    for line in [straight(5), helix()] {
        for (name, term) in terms(&line) {
            assert!(term.value(0.0, &line.nodes) < 1e-20, "{name}");
            let force = gradient(term, &line.nodes);
            let largest = force.iter().fold(0.0, |a: f64, f| a.max(f.length()));
            assert!(largest < 1e-9, "{name} {largest}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn rigid_motions_cost_nothing_and_momenta_are_kept(
        r in rotation(), t in prop::array::uniform3(-3.0f64..3.0),
    ) {
        let line = helix();
        let moved = carried(&line, |x| r * x + Vec3::from_array(t));
        let x = deformed(&moved, Mat3::IDENTITY, 0.01);
        for (name, term) in terms(&line) {
            prop_assert!(term.value(0.0, &moved) < 1e-18, "{} {}", name, term.value(0.0, &moved));
            let g = gradient(term, &x);
            let size: f64 = g.iter().map(|g| g.length()).sum();
            prop_assert!(size > 1e-3, "{}: the line is deformed", name);
            let push: Vec3 = g.iter().sum();
            let turn: Vec3 = g.iter().zip(&x).map(|(g, x)| x.cross(*g)).sum();
            prop_assert!(push.length() < 1e-12 * size, "{} {}", name, push);
            prop_assert!(turn.length() < 1e-11 * size, "{} {}", name, turn);
        }
    }
}

#[test]
fn a_uniform_twist_costs_half_the_rigidity_times_its_square_a_metre() {
    let line = straight(12);
    for tau in [-0.05, 0.05, 0.2] {
        // The windows of two segments around ten inner points, each segment twice but
        // the outermost.
        let length = SPACING * 10.0;
        let expected = 0.5 * MATERIAL.torsional_rigidity * tau * tau * length;
        let actual = line.torsion.value(0.0, &twisted(&line, tau));
        // 1 - cos is below half the square by (2 tau d)^2 / 12.
        assert!(
            (actual / expected - 1.0).abs() < (2.0 * tau * SPACING).powi(2) / 12.0 * 1.01,
            "{actual} {expected}"
        );
    }
}

#[test]
fn twisting_and_bending_and_stretching_cost_energy() {
    let line = straight(8);
    let total = |x: &[Vec3]| terms(&line).iter().map(|(_, term)| term.value(0.0, x)).sum::<f64>();
    let bent = |radius: f64| {
        carried(&line, |x| {
            let turn = Mat3::from_rotation_z(x.x / radius);
            turn * Vec3::new(0.0, x.y - radius, x.z) + Vec3::Y * radius
        })
    };
    let stretched = |s: f64| carried(&line, |x| Vec3::new(s * x.x, x.y, x.z));
    for (name, less, more) in [
        ("twist", twisted(&line, 0.5), twisted(&line, 1.0)),
        ("other twist", twisted(&line, -0.5), twisted(&line, -1.0)),
        ("bending", bent(4.0), bent(2.0)),
        ("other bending", bent(-4.0), bent(-2.0)),
        ("stretching", stretched(1.05), stretched(1.1)),
    ] {
        let ratio = total(&more) / total(&less);
        assert!(total(&less) > 1e-6, "{name}: {}", total(&less));
        // Twice the strain is about four times the energy.
        assert!((2.5..6.0).contains(&ratio), "{name}: {ratio}");
    }
    // Bending alone hardly twists.
    assert!(line.torsion.value(0.0, &bent(2.0)) < 1e-6 * total(&bent(2.0)));
}

#[test]
fn the_line_is_made_as_its_module_says() {
    let line = straight(5);
    assert_eq!((line.nodes.len(), line.tets.len()), (15, 12));
    assert_eq!(line.torsion.elements().len(), 3);
    // Three edges a cross-section, three along and three across the sides a segment.
    assert_eq!(line.springs.elements().len(), 3 * 5 + 6 * 4);
    let volume = 0.5 * THICKNESS * THICKNESS * SPACING * 4.0;
    let mass: f64 = line.masses.iter().sum();
    assert!((mass - 1000.0 * volume).abs() < 1e-12, "{mass}");
    let body = line.body("hose");
    assert_eq!((body.node_count(), body.energies.len()), (15, 3));
}

#[test]
fn invalid_lines_are_rejected() {
    let line = |curve: &[Vec3], thickness| {
        DeformableLine::along(curve, thickness, MATERIAL).expect_err("it cannot be")
    };
    assert_eq!(line(&[Vec3::X], 0.1), LineError::TooFewPoints { points: 1 });
    let still = [Vec3::ZERO, Vec3::X, Vec3::X];
    assert_eq!(line(&still, 0.1), LineError::Segment { segment: 1, length: 0.0 });
    let back = [Vec3::ZERO, Vec3::X, Vec3::ZERO];
    assert_eq!(line(&back, 0.1), LineError::Fold { point: 1 });
    let quantity = LineError::Quantity { quantity: "thickness", value: -0.1 };
    assert_eq!(line(&[Vec3::ZERO, Vec3::X], -0.1), quantity);
    let sharp: Vec<Vec3> =
        (0..8).map(|i| Mat3::from_rotation_z(0.8 * f64::from(i)) * Vec3::X * 0.05).collect();
    assert!(matches!(line(&sharp, 0.5), LineError::Volumes(VolumeError::Volume { .. })));
    let torsion = |nodes| {
        let element = TorsionElement { nodes, rest: 0.0, stiffness: 1.0 };
        Torsion::new(3, vec![element]).expect_err("it cannot be")
    };
    let missing = TorsionError::NoSuchNode { element: 0, node: 3, nodes: 3 };
    assert_eq!(torsion([0, 1, 2, 3]), missing);
    assert_eq!(torsion([0, 1, 2, 0]), TorsionError::Repeated { element: 0, node: 0 });
}
