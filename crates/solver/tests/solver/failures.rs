//! A solve that fails says why and leaves everything as it was.

use crate::support::{OneNode, Springs, shaken};
use resile_math::{Mat3, Vec3};
use resile_solver::{Linearisation, Newton, NewtonSettings, Objective, Psd, Quantity, SolveError};

fn fail(newton: &mut Newton, objective: &mut dyn Objective, start: &[Vec3]) -> SolveError {
    let mut u = start.to_vec();
    let error = newton.minimise(objective, &mut u, 1e-9).unwrap_err();
    let bits =
        |u: &[Vec3]| -> Vec<_> { u.iter().map(|u| u.to_array().map(f64::to_bits)).collect() };
    assert_eq!(bits(&u), bits(start), "{error}");
    error
}

#[test]
fn too_few_iterations() {
    let mut springs = Springs::block(3, 50.0, 0.1);
    let start = shaken(&springs.pull, 0.3);
    let settings = NewtonSettings { max_iterations: 2, ..NewtonSettings::default() };
    let mut newton = Newton::new(settings);
    let error = fail(&mut newton, &mut springs, &start);
    let SolveError::NotConverged { iterations: 2, last_step, tolerance, node } = error else {
        panic!("{error}")
    };
    assert!(tolerance == 1e-9 && last_step > tolerance);
    assert!(node < start.len() && error.node() == Some(node));
    assert_eq!((newton.report().iterations, newton.report().last_step), (2, last_step));
    assert!(error.to_string().contains("2 iterations"));
}

#[test]
fn a_start_that_is_not_admissible() {
    let mut springs = Springs::chain(3, 1.0, 1.0);
    let mut start = springs.pull.clone();
    start[1].y = f64::NAN;
    let error = fail(&mut Newton::default(), &mut springs, &start);
    assert_eq!(error, SolveError::NotFinite { quantity: Quantity::Value, iteration: 0 });
}

#[test]
fn a_gradient_that_is_not_a_number() {
    let mut objective = OneNode {
        wall: f64::NEG_INFINITY,
        value: |u: Vec3| u.length_squared(),
        gradient: |u: Vec3| if u.x < 1.0 { Vec3::NAN } else { 2.0 * u },
        hessian: |_, _| Mat3::IDENTITY * 2.0,
    };
    let error = fail(&mut Newton::default(), &mut objective, &[Vec3::new(3.0, 0.0, 0.0)]);
    let quantity = Quantity::Gradient { node: 0 };
    assert_eq!(error, SolveError::NotFinite { quantity, iteration: 2 });
}

#[test]
fn a_gradient_that_contradicts_the_value() {
    let mut objective = OneNode {
        wall: f64::NEG_INFINITY,
        value: |u: Vec3| 2.0 * u.length_squared(),
        gradient: |u: Vec3| -4.0 * u,
        hessian: |_, _| Mat3::IDENTITY * 4.0,
    };
    let mut newton = Newton::default();
    let error = fail(&mut newton, &mut objective, &[Vec3::new(3.0, 0.0, 0.0)]);
    let SolveError::LineSearch { iteration: 1, value, slope, step, fraction, node: 0 } = error
    else {
        panic!("{error}")
    };
    assert_eq!((value, slope, step), (18.0, -36.0, 3.0));
    assert_eq!(fraction, 0.5f64.powi(35), "after five halvings rounding is measured");
    assert_eq!(newton.report().backtracks, 80, "the exact and the projected direction");
}

#[test]
fn a_hessian_that_is_not_definite_even_projected() {
    let mut objective = OneNode {
        wall: f64::NEG_INFINITY,
        value: |u: Vec3| -u.length_squared(),
        gradient: |u: Vec3| -2.0 * u,
        hessian: |_, _: Psd| Mat3::IDENTITY * -2.0,
    };
    let error = fail(&mut Newton::default(), &mut objective, &[Vec3::ONE]);
    assert!(matches!(error, SolveError::Linear { iteration: 1, .. }), "{error}");
    assert!(error.to_string().contains("not positive definite"), "{error}");
}

#[test]
fn a_bound_that_allows_no_step() {
    struct Stuck(Springs);
    impl Objective for Stuck {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn free(&self) -> &[bool] {
            self.0.free()
        }
        fn prescribed(&self) -> &[(usize, Vec3)] {
            self.0.prescribed()
        }
        fn value(&self, u: &[Vec3]) -> f64 {
            self.0.value(u)
        }
        fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
            self.0.gradient(u, out);
        }
        fn hessian(
            &self,
            u: &[Vec3],
            linearisation: &Linearisation,
            c: Psd,
            out: &mut resile_sparse::Assembly,
        ) {
            self.0.hessian(u, linearisation, c, out);
        }
        fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64 {
            if from == to { 1.0 } else { f64::NAN }
        }
    }
    let springs = Springs::chain(4, 1.0, 1.0);
    let start = shaken(&springs.pull, 0.1);
    let error = fail(&mut Newton::default(), &mut Stuck(springs.clone()), &start);
    assert!(matches!(error, SolveError::LineSearch { fraction: 0.0, .. }), "{error}");

    // However short the path: that it is shut says nothing of what lies behind.
    let near = shaken(&springs.pull, 1e-11);
    let error = fail(&mut Newton::default(), &mut Stuck(springs.clone()), &near);
    assert!(matches!(error, SolveError::LineSearch { fraction: 0.0, .. }), "{error}");

    let mut pulled = springs;
    pulled.free[3] = false;
    pulled.prescribed = vec![(3, Vec3::ONE * 9.0)];
    let error = fail(&mut Newton::default(), &mut Stuck(pulled), &start);
    assert!(matches!(error, SolveError::PrescribedBlocked { fraction: 0.0, .. }), "{error}");
}
