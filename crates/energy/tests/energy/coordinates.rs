//! Terms on single coordinates, the central field and the bar.

use crate::common::*;
use resile_energy::{CentralField, CoordinateLaw, CoordinateTerm, Intervals};
use resile_math::{Mat3, Vec3};
use resile_system::Path;
use resile_system::check::{Vacuous, energy_derivatives};
use resile_system::{Energy, Psd};

fn differences(energy: &impl Energy, x: &[Vec3], eps: f64, tolerance: f64) {
    let errors = energy_derivatives(energy, x, eps).expect("the term is active");
    assert!(
        errors.gradient < tolerance && errors.hessian < tolerance,
        "{} {errors:?}",
        energy.name()
    );
}

/// The projected Hessian is the exact one with its eigenvalues clamped; returns the
/// least of the exact ones.
fn projection(energy: &impl Energy, x: &[Vec3]) -> f64 {
    let exact = hessian(energy, x, Psd::Exact);
    let actual = hessian(energy, x, Psd::Clamp);
    assert!((actual - clamped(&exact)).norm() < 1e-13 * exact.norm(), "{}", energy.name());
    exact.symmetric_eigenvalues().min()
}

fn polynomial() -> CoordinateLaw {
    CoordinateLaw::Polynomial { coefficients: vec![1.0, -2.0, 0.5, 0.25, 3.0] }
}

fn barrier_wall() -> CoordinateLaw {
    CoordinateLaw::BarrierWall { at: -0.5, kappa: 100.0, d_hat: 0.01 }
}

#[test]
fn coordinates_have_the_derivatives_of_their_value_on_every_axis() {
    for axis in 0..3 {
        let x = |q: f64| {
            let mut x = vec![Vec3::splat(7.0); 3];
            (x[0][axis], x[2][axis]) = (q, 0.9 * q);
            x
        };
        let term = |law| CoordinateTerm::new(vec![2, 0], axis, law);
        differences(&term(polynomial()), &x(-0.7), 1e-3, 1e-10);
        differences(&term(CoordinateLaw::Cosine { amplitude: 9.81 }), &x(2.5), 1e-3, 1e-9);
        let penalty = CoordinateLaw::PenaltyWall { at: 0.3, stiffness: 50.0 };
        differences(&term(penalty.clone()), &x(0.1), 1e-3, 1e-10);
        assert_eq!(energy_derivatives(&term(penalty), &x(0.5), 1e-3), Err(Vacuous::Inactive));
        // Distances of 3 and 3.1 mm of 10.
        let near = |d: f64| {
            let mut near = x(0.0);
            (near[0][axis], near[2][axis]) = (-0.5 + d, -0.5 + d + 1e-4);
            near
        };
        differences(&term(barrier_wall()), &near(3e-3), 1e-6, 1e-7);
        assert_eq!(
            energy_derivatives(&term(barrier_wall()), &near(0.011), 1e-6),
            Err(Vacuous::Inactive)
        );
    }
}

#[test]
fn values_are_those_of_the_formulas() {
    let value = |law, q| CoordinateTerm::new(vec![0], 1, law).value(0.0, &[Vec3::new(8.0, q, 9.0)]);
    assert_eq!(value(polynomial(), 2.0), 1.0 - 4.0 + 2.0 + 2.0 + 48.0);
    assert_eq!(value(CoordinateLaw::Cosine { amplitude: 3.0 }, 0.0), -3.0);
    assert_eq!(value(CoordinateLaw::PenaltyWall { at: 1.0, stiffness: 4.0 }, 0.5), 0.5);
    let halfway = value(barrier_wall(), -0.495);
    assert!((halfway - 25.0 * 2f64.ln()).abs() < 1e-10, "{halfway}");
    assert_eq!(value(barrier_wall(), -0.5), f64::INFINITY);
    assert_eq!(value(barrier_wall(), -0.6), f64::INFINITY);
    assert_eq!(value(CoordinateLaw::Polynomial { coefficients: vec![] }, 2.0), 0.0);
}

#[test]
fn coordinates_are_projected_by_their_sign() {
    let pendulum = CoordinateTerm::new(vec![0, 1], 0, CoordinateLaw::Cosine { amplitude: 2.0 });
    assert!(projection(&pendulum, &[Vec3::X * 2.5, Vec3::X * 0.5]) < -1.0);
    let double_well = CoordinateLaw::Polynomial { coefficients: vec![0.0, 0.0, -1.0, 0.0, 1.0] };
    let double_well = CoordinateTerm::new(vec![0], 2, double_well);
    assert!(projection(&double_well, &[Vec3::Z * 0.1]) < -1.0);
}

#[test]
fn a_barrier_lets_a_node_keep_a_tenth_of_its_distance() {
    let wall = CoordinateTerm::new(vec![1], 0, barrier_wall());
    let at = |d: f64| vec![Vec3::X * -9.0, Vec3::X * (d - 0.5)];
    for (from, to) in [(0.02, -0.3), (0.005, 0.0), (1e-9, -1.0)] {
        let bound = wall.step_bound(&[Path { from: &at(from), to: &at(to) }]);
        let left = from + bound * (to - from);
        assert!((left / from - 0.1).abs() < 1e-6, "{left} of {from}");
    }
    assert_eq!(wall.step_bound(&[Path { from: &at(0.02), to: &at(0.002_01) }]), 1.0);
    assert_eq!(wall.step_bound(&[Path { from: &at(0.02), to: &at(3.0) }]), 1.0);
    let penalty = CoordinateLaw::PenaltyWall { at: -0.5, stiffness: 1.0 };
    let penalty = CoordinateTerm::new(vec![1], 0, penalty);
    assert_eq!(penalty.step_bound(&[Path { from: &at(0.02), to: &at(-3.0) }]), 1.0);
}

#[test]
fn the_central_field_has_the_derivatives_of_its_value_and_two_signs() {
    let x = [Vec3::new(1.0, 2.0, -0.5), Vec3::new(-0.7, 0.3, 0.2)];
    for strength in [2.5, -2.5] {
        let field = CentralField::new(vec![2.0, 0.5], Vec3::new(0.1, 0.2, 0.3), strength);
        differences(&field, &x, 1e-3, 1e-8);
        assert!(projection(&field, &x) < -0.1, "both signs have negative curvature somewhere");
    }
    let field = CentralField::new(vec![2.0], Vec3::X, 3.0);
    assert_eq!(field.value(0.0, &[Vec3::X * 5.0]), -1.5);
    assert_eq!(field.value(0.0, &[Vec3::X]), f64::INFINITY);
}

#[test]
fn central_field_exerts_no_torque() {
    let center = Vec3::new(0.1, 0.2, 0.3);
    let x = [Vec3::new(1.0, 2.0, -0.5)];
    let force = gradient(&CentralField::new(vec![2.0], center, 2.5), &x)[0];
    assert!((x[0] - center).cross(force).length() < 1e-15 * force.length());
    let keplers = 2.0 * 2.5 / (x[0] - center).length_squared();
    assert!((force.length() - keplers).abs() < 1e-14, "m s / r^2");
}

fn bar() -> (Intervals, Vec<Vec3>) {
    let bar = Intervals::new(vec![3, 0, 2, 1], 1, vec![0.5, 0.25, 1.0], 40.0);
    let q = [0.8, 2.5, 0.95, 0.1];
    (bar, q.map(|q| Vec3::new(5.0, q, -3.0)).to_vec())
}

#[test]
fn the_bar_has_the_derivatives_of_its_value_and_is_convex() {
    let (bar, x) = bar();
    differences(&bar, &x, 1e-3, 1e-7);
    assert!(projection(&bar, &x) > -1e-12);
    assert_eq!(hessian(&bar, &x, Psd::Exact), hessian(&bar, &x, Psd::Clamp));
    let g = gradient(&bar, &x);
    assert!(g.iter().sum::<Vec3>().length() < 1e-13, "inner forces do not push the bar");
    // Intervals of 0.7, 0.15 and 1.55 m.
    let psi = |dx: f64, f: f64| dx * 40.0 * (0.5 * (f * f - 1.0) - f.ln());
    let expected = psi(0.5, 1.4) + psi(0.25, 0.6) + psi(1.0, 1.55);
    assert!((bar.value(0.0, &x) - expected).abs() < 1e-12 * expected);
    assert!((bar.certificate(&x).min_det_f - 0.6).abs() < 1e-14);
}

#[test]
fn bar_has_a_stress_free_rest_state_and_never_inverts() {
    let (bar, x) = bar();
    let rest = [0.5, 1.75, 0.75, 0.0].map(|q| Vec3::Y * q);
    assert_eq!(bar.value(0.0, &rest), 0.0);
    assert_eq!(gradient(&bar, &rest), [Vec3::ZERO; 4]);
    let mirrored: Vec<Vec3> = x.iter().map(|x| Mat3::from_diagonal(-Vec3::ONE) * *x).collect();
    assert_eq!(bar.value(0.0, &mirrored), f64::INFINITY);
    let bound = bar.step_bound(&[Path { from: &x, to: &mirrored }]);
    let met: Vec<Vec3> = x.iter().zip(&mirrored).map(|(a, b)| *a + (*b - *a) * bound).collect();
    assert!((bar.certificate(&met).min_det_f / 0.6 - 0.1).abs() < 1e-12);
}
