//! Observations of a state.

use crate::support::{H, MASS, Setup, all_bits, step, tetrahedron};
use resile_system::Vec3;
use resile_world::World;

const FALL: Vec3 = Vec3::new(0.0, -10.0, 0.0);

/// One body in free flight, another that comes down on the floor.
fn falling() -> World {
    Setup { expected: FALL, floor: true, friction: 0.3, ..Setup::default() }.world(vec![
        tetrahedron("high", Vec3::Y * 5.0, Vec3::X * 2.0, FALL),
        tetrahedron("low", Vec3::new(3.0, 0.02, 0.0), Vec3::ZERO, FALL),
    ])
}

#[test]
fn flight_has_the_energies_and_forces_of_a_point() {
    let world = falling();
    let observed = world.observe();
    assert!((observed.bodies[0].kinetic - 0.5 * MASS * 4.0).abs() < 1e-12);
    let height = world.center_of_mass(0).y;
    assert!((observed.bodies[0].potential - MASS * 10.0 * height).abs() < 1e-9);
    for a in &world.accelerations()[0] {
        assert!(a.distance(FALL) < 1e-9, "{a}");
    }
    let force: Vec3 = world.net_forces()[0].iter().sum();
    assert!(force.distance(MASS * FALL) < 1e-9, "{force}");
    assert!(observed.certificate.min_det_f > 1.0 - 1e-9 && observed.target().is_none());
}

#[test]
fn observation_is_pure_and_equals_the_step_record() {
    let (mut watched, mut plain) = (falling(), falling());
    let mut contacts = 0;
    for number in 1..=20 {
        let record = step(&mut watched, number);
        step(&mut plain, number);
        let observed = watched.observe();
        assert_eq!(observed.bodies, record.observed.bodies, "step {number}");
        let smallest = |o: &resile_world::Observed| o.certificate.min_distance;
        assert_eq!(smallest(&observed), smallest(&record.observed), "step {number}");
        contacts += observed.certificate.contacts;
        let touches = observed.certificate.contacts > 0;
        let forces = watched.contact_forces(H).expect("there is contact");
        assert_eq!(!forces.pairs.iter().all(|pair| pair.contacts == 0), touches);
        _ = watched.net_forces();
    }
    assert_eq!(all_bits(&watched), all_bits(&plain));
    assert!(contacts > 0, "the lower one reaches the floor");
}
