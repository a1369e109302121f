//! Nothing crosses, whichever barrier keeps bodies apart.

use super::Simulation;
use resile_world::StepFailure;

const BARRIERS: [&str; 3] = ["ClampedLog", "ClampedLogSquared", "Cubic"];

/// Two soft cubes that fall on each other and a floor, the upper one turned.
fn falling(barrier: &str, kappa: f64) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3)) }},
            bodies: [
                (
                    name: "lower",
                    shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                    material: "rubber",
                    placement: (translate: (0, 0.055, 0)),
                    velocity: (0, -1, 0),
                    friction: 0.3,
                ),
                (
                    name: "upper",
                    shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                    material: "rubber",
                    placement: (rotate: [(axis: (1, 2, 1), degrees: 35)], translate: (0.02, 0.2, 0.01)),
                    velocity: (0, -2, 0),
                    friction: 0.3,
                ),
            ],
            gravity: (0, -9.8, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.3)],
            contact: Barrier(d_hat: 2e-3, kappa: {kappa}, barrier: {barrier}, friction_rule: Min),
            integrator: ImplicitEuler,
            time: (step: "1/120", duration: 1),
            solver: (max_halvings: 2),
        )"#
    ))
}

#[test]
fn falling_bodies_stay_apart_under_every_barrier() {
    for barrier in BARRIERS {
        let mut falling = falling(barrier, 1e5);
        let mut contacts = 0;
        for _ in 0..40 {
            let record = falling.advance();
            contacts += record.observed.certificate.contacts;
            assert!(record.observed.certificate.min_distance > 0.0, "{barrier}");
            assert_eq!(falling.world.intersections(1), [], "{barrier}");
        }
        assert!(contacts > 40, "{barrier}: {contacts}");
    }
}

/// The cubic barrier carries `2 kappa` at most, and 20 Pa hold no cube up.
#[test]
fn overload_of_the_cubic_barrier_fails_without_crossing() {
    let mut falling = falling("Cubic", 10.0);
    let failure = (0..40).find_map(|_| {
        let step = falling.try_advance();
        assert_eq!(falling.world.intersections(1), []);
        step.err()
    });
    let failure = failure.expect("nothing holds the cubes up");
    assert!(matches!(failure, StepFailure::Unsolved { .. }), "{failure}");
}
