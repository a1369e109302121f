//! Springs: derivatives, projection, momentum, and the lengths where they end.

use crate::common::*;
use proptest::prelude::*;
use resile_energy::{SpringElement, SpringLaw, Springs, SpringsError};
use resile_math::Vec3;
use resile_system::check::energy_derivatives;
use resile_system::{Energy, Psd};

const LAWS: [SpringLaw; 2] = [SpringLaw::Hooke, SpringLaw::StVenantKirchhoff];

/// Five nodes with springs that are long, short and of rest length zero.
fn net(law: SpringLaw) -> (Springs, Vec<Vec3>) {
    let x = (0..5)
        .map(|i| Vec3::new(noise(3 * i), noise(3 * i + 1), noise(3 * i + 2)))
        .collect::<Vec<_>>();
    let pairs = [[0, 1], [1, 2], [3, 0], [4, 2], [1, 4]];
    let spring = |(n, nodes): (usize, &[usize; 2])| {
        let now = SpringElement::at_rest(*nodes, &x, 1.0).rest;
        let rest = now * [0.5, 1.7, 1.0, 0.0, 3.0][n];
        SpringElement { nodes: *nodes, rest, stiffness: 2.0 + n as f64 }
    };
    let springs = pairs.iter().enumerate().map(spring).collect();
    (Springs::new(5, springs, law).expect("the springs are in order"), x)
}

/// One spring of rest length one along a slanted direction.
fn single(law: SpringLaw, length: f64) -> (Springs, Vec<Vec3>) {
    let spring = SpringElement { nodes: [0, 1], rest: 1.0, stiffness: 3.0 };
    let direction = Vec3::new(2.0, -1.0, 2.0) / 3.0;
    let x = vec![Vec3::ONE, Vec3::ONE + direction * length];
    (Springs::new(2, vec![spring], law).expect("the spring is in order"), x)
}

#[test]
fn derivatives_equal_those_of_the_value() {
    for law in LAWS {
        let (springs, x) = net(law);
        let errors = energy_derivatives(&springs, &x, 1e-3).expect("springs are strained");
        assert!(errors.gradient < 1e-9 && errors.hessian < 1e-9, "{law:?} {errors:?}");
    }
}

#[test]
fn the_value_is_the_formula_of_the_law() {
    let [(hooke, x), (stvk, y)] = LAWS.map(|law| single(law, 1.5));
    assert!((hooke.value(0.0, &x) - 1.5 * 0.25).abs() < 1e-14, "k/2 (1.5 - 1)^2");
    assert!((stvk.value(0.0, &y) - 1.5 * 1.25 * 1.25).abs() < 1e-14, "k/2 (1.5^2 - 1)^2");
    // AVF, section 4: V(1.1) = 1500 (1.21 - 1)^2.
    let spring = SpringElement { nodes: [0, 1], rest: 1.0, stiffness: 3000.0 };
    let avf = Springs::new(2, vec![spring], SpringLaw::StVenantKirchhoff).expect("in order");
    let v = avf.value(0.0, &[Vec3::ZERO, Vec3::X * 1.1]);
    assert!((v - 1500.0 * 0.21f64.powi(2)).abs() < 1e-10, "{v}");
}

#[test]
fn the_projection_is_the_clamp_of_the_eigenvalues() {
    for law in LAWS {
        let mut indefinite = 0;
        for length in [1e-6, 0.2, 0.55, 0.59, 0.9, 1.0, 1.1, 4.0] {
            let (spring, x) = single(law, length);
            let exact = hessian(&spring, &x, Psd::Exact);
            let projected = hessian(&spring, &x, Psd::Clamp);
            let size = exact.norm();
            assert!((&projected - clamped(&exact)).norm() < 1e-13 * size, "{law:?} {length}");
            indefinite += usize::from(exact.symmetric_eigenvalues().min() < -1e-6 * size);
        }
        assert!(indefinite >= 5, "{law:?}: compression has negative curvature");
    }
}

#[test]
fn spring_of_zero_length_has_finite_energy_and_no_force() {
    for law in LAWS {
        let (spring, x) = single(law, 0.0);
        assert_eq!(gradient(&spring, &x), [Vec3::ZERO; 2], "{law:?}");
        assert!((spring.value(0.0, &x) - 1.5).abs() < 1e-15, "{law:?}");
        let clamp = hessian(&spring, &x, Psd::Clamp);
        assert!(clamp.iter().all(|h| h.is_finite()), "{law:?}");
        assert!(clamp.symmetric_eigenvalues().min() > -1e-14, "{law:?}");
        // Just beside it the derivatives are finite too, however short the spring.
        let (spring, x) = single(law, 1e-150);
        assert!(hessian(&spring, &x, Psd::Clamp).iter().all(|h| h.is_finite()), "{law:?}");
    }
    // Without a rest length the Hookean spring is a parabola everywhere.
    let spring = SpringElement { nodes: [0, 1], rest: 0.0, stiffness: 3.0 };
    let spring = Springs::new(2, vec![spring], SpringLaw::Hooke).expect("in order");
    let (here, apart) = ([Vec3::X; 2], [Vec3::X, Vec3::ONE]);
    assert_eq!(hessian(&spring, &here, Psd::Exact), hessian(&spring, &apart, Psd::Exact));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn springs_conserve_momentum_and_are_frame_indifferent(
        r in rotation(), t in prop::array::uniform3(-5.0f64..5.0),
    ) {
        for law in LAWS {
            let (springs, x) = net(law);
            let y: Vec<Vec3> = x.iter().map(|x| r * *x + Vec3::from_array(t)).collect();
            let value = springs.value(0.0, &x);
            prop_assert!((springs.value(0.0, &y) - value).abs() < 1e-12 * value, "{law:?}");
            let g = gradient(&springs, &y);
            let push: Vec3 = g.iter().sum();
            let turn: Vec3 = g.iter().zip(&y).map(|(g, y)| y.cross(*g)).sum();
            let size: f64 = g.iter().map(|g| g.length()).sum();
            prop_assert!(push.length() < 1e-13 * size, "{law:?} {push}");
            prop_assert!(turn.length() < 1e-12 * size, "{law:?} {turn}");
        }
    }
}

#[test]
fn impossible_springs_are_rejected_with_their_number() {
    let valid = SpringElement { nodes: [0, 1], rest: 1.0, stiffness: 1.0 };
    let refused = |bad| Springs::new(2, vec![valid, bad], SpringLaw::Hooke).expect_err("it is bad");
    let lost = SpringElement { nodes: [1, 2], ..valid };
    assert_eq!(refused(lost), SpringsError::NoSuchNode { spring: 1, node: 2, nodes: 2 });
    let loops = SpringElement { nodes: [1, 1], ..valid };
    assert_eq!(refused(loops), SpringsError::OneNode { spring: 1, node: 1 });
    let rest = -0.5;
    let short = SpringElement { rest, ..valid };
    assert_eq!(refused(short), SpringsError::Rest { spring: 1, rest });
    for stiffness in [0.0, -1.0, f64::INFINITY] {
        let limp = SpringElement { stiffness, ..valid };
        assert_eq!(refused(limp), SpringsError::Stiffness { spring: 1, stiffness });
    }
    assert!(matches!(
        refused(SpringElement { rest: f64::NAN, ..valid }),
        SpringsError::Rest { spring: 1, .. }
    ));
}
