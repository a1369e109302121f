//! Bodies that are prescribed all over.

use crate::support::{EDGE, H, MASS, Setup, pusher, step, tetrahedron};
use resile_system::Vec3;
use resile_world::{Momenta, World};

/// How fast the pusher moves (m/s).
const SPEED: f64 = 0.5;

/// A pusher, and in front of it a body that rests, and another one a metre beside it.
fn pushed() -> World {
    Setup::default().world(vec![
        pusher("pusher", Vec3::X * (-1.5 * EDGE), Vec3::X * SPEED),
        tetrahedron("pushed", Vec3::ZERO, Vec3::ZERO, Vec3::ZERO),
        tetrahedron("beside", Vec3::Z, Vec3::ZERO, Vec3::ZERO),
    ])
}

#[test]
fn kinematic_body_follows_its_motion_outside_islands() {
    let mut world = pushed();
    assert!(world.is_kinematic(0) && !world.is_kinematic(1));
    let start = world.state(0).positions.clone();
    for number in 1..=30 {
        let record = step(&mut world, number);
        assert_eq!(record.islands, [vec![1], vec![2]], "it joins nothing");
        let way = Vec3::X * (SPEED * f64::from(number) * H);
        for (x, start) in world.state(0).positions.iter().zip(&start) {
            assert!(x.distance(*start + way) < 1e-14, "{x}");
        }
    }
}

#[test]
fn work_of_a_kinematic_body_is_booked_to_the_pushed_body() {
    let mut world = pushed();
    let (mut work, mut before) = (0.0, world.observe().total());
    for number in 1..=60 {
        let record = step(&mut world, number);
        let after = record.observed.total();
        assert_eq!([record.work[0], record.work[2]], [0.0; 2]);
        // Implicit Euler loses energy and never gains any.
        assert!(after - before <= record.work[1] + 1e-9, "step {number}: {after} after {before}");
        (work, before) = (work + record.work[1], after);
    }
    // The faces that touch are oblique, so that it is deflected.
    let speed = world.momenta_of(1).linear.x / MASS;
    assert!(speed > 0.9 * SPEED, "{speed} m/s");
    assert!(work > 0.5 * MASS * speed * speed, "{work} J");
    assert_eq!(world.momenta_of(2), Momenta { linear: Vec3::ZERO, angular: Vec3::ZERO });
    assert!(world.intersections(1).is_empty());
}
