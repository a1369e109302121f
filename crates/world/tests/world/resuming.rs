//! A world that takes over states goes on as one that never stopped.

use crate::support::{EDGE, Setup, all_bits, pusher, step, tetrahedron};
use resile_integrators::{ASearch, Bdf2, Blend, ImplicitEuler, Integrator};
use resile_system::Vec3;
use resile_world::World;

const FALL: Vec3 = Vec3::new(0.0, -10.0, 0.0);

/// Two bodies that fall on a floor and each other, and one that pushes.
fn pile(integrator: Box<dyn Integrator>) -> World {
    let setup =
        Setup { integrator, expected: FALL, floor: true, friction: 0.3, ..Setup::default() };
    setup.world(vec![
        tetrahedron("lower", Vec3::Y * 0.01, Vec3::ZERO, FALL),
        tetrahedron("upper", Vec3::new(0.01, 1.2 * EDGE, 0.01), Vec3::ZERO, FALL),
        pusher("pusher", Vec3::new(-1.3 * EDGE, 0.01, 0.0), Vec3::X * 0.4),
    ])
}

#[test]
fn every_method_resumes_bitwise_after_any_step() {
    let methods: [fn() -> Box<dyn Integrator>; 4] = [
        || Box::new(ImplicitEuler),
        || Box::new(Bdf2),
        || Box::new(Blend::default()),
        || Box::new(ASearch::default()),
    ];
    for method in methods {
        let mut uninterrupted = pile(method());
        for stop in [1, 7, 12] {
            let mut uninterrupted = pile(method());
            (1..=stop).for_each(|number| _ = step(&mut uninterrupted, number));
            let mut resumed = pile(method());
            (0..uninterrupted.body_count())
                .for_each(|b| resumed.set_state(b, uninterrupted.state(b).clone()));
            for number in stop + 1..=stop + 8 {
                step(&mut uninterrupted, number);
                step(&mut resumed, number);
            }
            let name = uninterrupted.integrator().name();
            assert_eq!(all_bits(&resumed), all_bits(&uninterrupted), "{name} after step {stop}");
        }
        let touched = (1..=12)
            .any(|number| step(&mut uninterrupted, number).observed.certificate.contacts > 0);
        assert!(touched, "{}: nothing touches", uninterrupted.integrator().name());
    }
}
