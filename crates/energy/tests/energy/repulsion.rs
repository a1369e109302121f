//! Penalty contact: derivatives, projection, and which side is which.

use crate::common::*;
use resile_energy::{Repulsion, RepulsionError, Solid, StiffnessDamping};
use resile_math::Vec3;
use resile_system::check::{Vacuous, energy_derivatives};
use resile_system::{Dissipation, Energy, Psd};

const CENTER: Vec3 = Vec3::new(0.2, -1.0, 0.5);

fn solids() -> [Solid; 3] {
    [
        Solid::HalfSpace { point: CENTER, normal: Vec3::new(1.0, 2.0, -2.0) },
        Solid::Ball { center: CENTER, radius: 0.8 },
        Solid::Cavity { center: CENTER, radius: 0.8 },
    ]
}

fn repulsion(solid: Solid) -> Repulsion {
    let springs = (0..6).map(|i| (5 - i, 3.0 + i as f64)).collect();
    Repulsion::new(6, solid, springs).expect("in order")
}

/// Six nodes around the centre, at distances from 0.3 m to 1.3 m: for each solid some are
/// inside it and some are not.
fn around() -> Vec<Vec3> {
    let direction = |i: usize| Vec3::new(noise(3 * i), noise(3 * i + 1), noise(3 * i + 2));
    (0..6).map(|i| CENTER + direction(i).normalize() * (0.3 + 0.2 * i as f64)).collect()
}

#[test]
fn derivatives_equal_those_of_the_value() {
    for solid in solids() {
        let errors = energy_derivatives(&repulsion(solid), &around(), 1e-4).expect("some inside");
        assert!(errors.gradient < 1e-9 && errors.hessian < 1e-9, "{solid:?} {errors:?}");
        let pushed = gradient(&repulsion(solid), &around());
        let touched = pushed.iter().filter(|g| **g != Vec3::ZERO).count();
        assert!((1..6).contains(&touched), "{solid:?} {touched}");
    }
}

#[test]
fn the_projection_is_the_clamp_of_the_eigenvalues() {
    for solid in solids() {
        let exact = hessian(&repulsion(solid), &around(), Psd::Exact);
        let projected = hessian(&repulsion(solid), &around(), Psd::Clamp);
        assert!((&projected - clamped(&exact)).norm() < 1e-13 * exact.norm(), "{solid:?}");
        let indefinite = exact.symmetric_eigenvalues().min() < -0.1;
        assert_eq!(indefinite, matches!(solid, Solid::Ball { .. }), "{solid:?}");
    }
}

#[test]
fn nodes_are_pushed_out_of_solids_with_k_times_their_depth() {
    let far = Vec3::splat(100.0);
    let one = |solid, x: Vec3| {
        let term = Repulsion::new(1, solid, vec![(0, 50.0)]).expect("in order");
        (term.value(0.0, &[x]), -gradient(&term, &[x])[0])
    };
    let near = |(value, force): (f64, Vec3), expected: Vec3| {
        let off = (force - expected).length().max((value - 0.390625).abs());
        assert!(off < 1e-13, "{value} {force}");
    };
    // An eighth of a metre deep each: 50/128 J and 6.25 N.
    let floor = Solid::HalfSpace { point: Vec3::Y, normal: Vec3::Y * 7.0 };
    near(one(floor, Vec3::new(9.0, 0.875, 3.0)), Vec3::Y * 6.25);
    let ball = Solid::Ball { center: far, radius: 2.0 };
    near(one(ball, far + Vec3::X * 1.875), Vec3::X * 6.25);
    let cavity = Solid::Cavity { center: far, radius: 2.0 };
    near(one(cavity, far + Vec3::X * 2.125), Vec3::X * -6.25);
    let free = [(floor, Vec3::new(9.0, 1.1, 3.0)), (ball, Vec3::ZERO), (cavity, far)];
    for (solid, x) in free {
        assert_eq!(one(solid, x), (0.0, Vec3::ZERO), "{solid:?}");
        let term = Repulsion::new(1, solid, vec![(0, 50.0)]).expect("in order");
        assert_eq!(energy_derivatives(&term, &[x], 1e-4), Err(Vacuous::Inactive));
    }
}

#[test]
fn a_node_at_the_centre_of_a_ball_is_finite_and_may_leave() {
    let ball = Solid::Ball { center: CENTER, radius: 0.5 };
    let term = Repulsion::new(1, ball, vec![(0, 8.0)]).expect("in order");
    assert_eq!(term.value(0.0, &[CENTER]), 1.0);
    assert_eq!(gradient(&term, &[CENTER])[0], Vec3::ZERO);
    for psd in [Psd::Exact, Psd::Clamp] {
        let curvature = hessian(&term, &[CENTER], psd);
        assert!((0..3).all(|i| curvature[(i, i)] == 8.0), "{curvature}");
    }
    let beside = [CENTER + Vec3::X * 1e-14];
    assert!(hessian(&term, &beside, Psd::Clamp).iter().all(|h| h.is_finite()));
}

#[test]
fn damping_along_a_repulsion_acts_inside_only() {
    for solid in solids() {
        let law = StiffnessDamping::new(Box::new(repulsion(solid)), 6, 0.25);
        // What is inside changes from step to step.
        drop(law.lagged(&[CENTER; 6]));
        let damping = law.lagged(&around());
        let k = hessian(&repulsion(solid), &around(), Psd::Clamp);
        let v: Vec<Vec3> = (0..6).map(|i| Vec3::new(1.0, -0.5 * i as f64, 2.0)).collect();
        let product: f64 = (0..18)
            .flat_map(|i| (0..18).map(move |j| (i, j)))
            .map(|(i, j)| v[i / 3][i % 3] * k[(i, j)] * v[j / 3][j % 3])
            .sum();
        let actual = damping.value(0.0, &v);
        assert!((actual - 0.125 * product).abs() < 1e-13 * product, "{solid:?} {actual} {product}");
    }
}

#[test]
fn invalid_repulsions_are_rejected() {
    let flat = Solid::HalfSpace { point: Vec3::ZERO, normal: Vec3::ZERO };
    let small = Solid::Ball { center: Vec3::ZERO, radius: 0.0 };
    let vast = Solid::Cavity { center: Vec3::ZERO, radius: f64::INFINITY };
    let lost = Solid::HalfSpace { point: Vec3::splat(f64::INFINITY), normal: Vec3::X };
    for solid in [flat, small, vast, lost] {
        assert_eq!(Repulsion::new(1, solid, vec![]), Err(RepulsionError::Shape { solid }));
    }
    let on = |springs| Repulsion::new(2, solids()[1], springs);
    let missing = RepulsionError::NoSuchNode { spring: 1, node: 2, nodes: 2 };
    assert_eq!(on(vec![(0, 1.0), (2, 1.0)]), Err(missing));
    for stiffness in [0.0, -1.0, f64::INFINITY] {
        let limp = on(vec![(1, stiffness)]);
        assert_eq!(limp, Err(RepulsionError::Stiffness { spring: 0, stiffness }));
    }
}
