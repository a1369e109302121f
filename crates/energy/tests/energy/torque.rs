//! Torques: their resultants, and nodes that cannot bear them.

use crate::common::*;
use resile_energy::{FollowerLaw, FollowerLoad, Schedule, SpreadTorque, TorqueError};
use resile_math::{Mat3, Vec3};
use resile_system::Dissipation;

const TORQUE: Vec3 = Vec3::new(3.0, -2.0, 0.7);

/// The nodes of a box, moved, far from the origin, with uneven weights.
fn nodes() -> (Vec<Vec3>, Vec<(usize, f64)>) {
    let (x, _) = grid(3, 1, 2);
    let x = deformed(&x, Mat3::from_diagonal(Vec3::new(0.7, 1.2, 1.0)), 0.1);
    let x: Vec<Vec3> = x.into_iter().map(|x| x + Vec3::new(30.0, -10.0, 20.0)).collect();
    let weights = (0..x.len()).map(|i| (i, 1.5 + noise(i))).collect();
    (x, weights)
}

/// Resultant force and torque about the origin, and the sum of magnitudes.
fn resultants(forces: &[(usize, Vec3)], x: &[Vec3]) -> (Vec3, Vec3, f64) {
    let force = forces.iter().map(|(_, f)| *f).sum();
    let torque = forces.iter().map(|&(i, f)| x[i].cross(f)).sum();
    (force, torque, forces.iter().map(|(_, f)| f.length()).sum())
}

#[test]
fn the_resultant_force_is_zero_and_the_torque_exact() {
    let (x, weights) = nodes();
    // On all nodes, and on those of a plane.
    let plane: Vec<(usize, f64)> = weights[..8].to_vec();
    // Areas of the corners of curved quadratic faces are negative.
    let signed: Vec<(usize, f64)> =
        weights.iter().map(|&(i, w)| (i, if i % 3 == 0 { -0.1 * w } else { w })).collect();
    let flat: Vec<Vec3> = x.iter().map(|x| Vec3::new(x.x, x.y, 20.0)).collect();
    for (weights, x) in [(weights, &x), (plane, &flat), (signed, &x)] {
        let forces = SpreadTorque::new(TORQUE, weights).unwrap().forces(x).expect("a torque");
        let (force, torque, size) = resultants(&forces, x);
        assert!(force.length() < 1e-13 * size, "{force} N");
        assert!((torque - TORQUE).length() < 1e-11 * TORQUE.length(), "{torque} N m");
    }
}

/// With masses for weights the accelerations are those of a rigid body.
#[test]
fn accelerations_are_of_a_rigid_body() {
    let (x, weights) = nodes();
    let forces = SpreadTorque::new(TORQUE, weights.clone()).unwrap().forces(&x).expect("a torque");
    let at = |k: usize| forces[k].1 / weights[k].1;
    for (i, j) in [(0, 5), (3, 11), (7, 20)] {
        let apart = x[i] - x[j];
        let rate = (at(i) - at(j)).dot(apart);
        assert!(rate.abs() < 1e-12 * at(i).length() * apart.length(), "{rate}");
    }
}

#[test]
fn a_load_that_follows_keeps_the_torque_and_its_power() {
    let (x, weights) = nodes();
    let torque = SpreadTorque::new(TORQUE, weights).unwrap();
    let law = FollowerLoad::new(FollowerLaw::Torque(torque), Schedule::constant(2.0));
    let turned: Vec<Vec3> = x.iter().map(|x| Mat3::from_rotation_y(1.1) * *x * 1.3).collect();
    for x in [&x, &turned] {
        let load = law.lagged(x);
        let spin = Vec3::new(0.3, 0.8, -1.1);
        let v: Vec<Vec3> = x.iter().map(|x| spin.cross(*x) + Vec3::X).collect();
        let power = 2.0 * TORQUE.dot(spin);
        assert!(
            (load.value(0.0, &v) + power).abs() < 1e-10,
            "{} W, not {power} W",
            -load.value(0.0, &v)
        );
    }
}

#[test]
fn nodes_on_a_line_and_weights_that_are_not_finite_or_sum_to_less_than_zero_are_refused() {
    let x: Vec<Vec3> = (0..5).map(|i| Vec3::new(f64::from(i), 2.0 * f64::from(i), 1.0)).collect();
    let all = || (0..5).map(|i| (i, 1.0));
    let of = |weights: Vec<(usize, f64)>| SpreadTorque::new(TORQUE, weights);
    assert_eq!(of(all().collect()).unwrap().forces(&x), Err(TorqueError::OnLine));
    assert_eq!(of(all().take(1).collect()).unwrap().forces(&x), Err(TorqueError::OnLine));
    assert_eq!(of(Vec::new()).unwrap().forces(&x), Err(TorqueError::OnLine));
    let negative = all().map(|(i, w)| (i, w - 2.0)).collect();
    assert_eq!(of(negative).unwrap().forces(&x), Err(TorqueError::OnLine));
    let infinite = of(vec![(2, f64::INFINITY)]);
    assert_eq!(infinite, Err(TorqueError::Weight { node: 2, weight: f64::INFINITY }));
}
