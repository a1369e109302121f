//! Holds that end.

use super::Simulation;
use resile_math::Vec3;

/// A soft cube that is carried along x at 2 m/s for a tenth of a second, all of it or its top, and let go.
fn thrown(region: &str, integrator: &str, gravity: f64) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{"s": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))}},
            bodies: [(
                name: "cube",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                material: "s",
                hold: [(region: {region}, motion: Move(velocity: (2, 0, 0)), until: 0.1)],
            )],
            gravity: (0, -{gravity}, 0),
            integrator: {integrator},
            time: (step: "1/200", duration: 1),
            solver: (tolerance: 1e-9),
        )"#
    ))
}

const TOP: &str = "Plane(point: (0, 0.05, 0), normal: (0, 1, 0))";

/// What is let go flies on as a projectile: `x = x_0 + 2 t`, `y = y_0 - g (t - 0.1)^2 / 2`.
#[test]
fn released_nodes_keep_their_prescribed_velocity() {
    for integrator in ["ImplicitEuler", "Bdf2", "ImplicitMidpoint", "ASearch()", "Sdirk2"] {
        let mut cube = thrown("All", integrator, 9.81);
        let start = cube.com();
        for _ in 0..20 {
            cube.advance();
        }
        let held = cube.com() - start;
        assert!((held - Vec3::X * 0.2).length() < 1e-12, "{integrator}: {held}");
        for _ in 0..40 {
            cube.advance();
        }
        let moved = cube.com() - start;
        let fallen = 0.5 * 9.81 * 0.2 * 0.2;
        // Implicit Euler is first order: g h / 2 times the time too far.
        let allowed = 0.5 * 9.81 * 0.2 / 200.0 * 1.01;
        assert!((moved.x - 0.6).abs() < 1e-9 && moved.z.abs() < 1e-12, "{integrator}: {moved}");
        assert!((moved.y + fallen).abs() < allowed, "{integrator}: {moved}, not {fallen}");
    }
}

/// `E = E_0 + work - heat` at every step, the one of the release included, and the energy of a thrown cube is all work
/// of the hand.
#[test]
fn release_closes_the_energy_ledger() {
    for region in ["All", TOP] {
        // In free fall no alpha changes the energy, and what implicit Euler falls too far is missing.
        let mut cube = thrown(region, "ASearch()", 0.0);
        let start = cube.observe().total();
        let [mut work, mut heat] = [0.0; 2];
        for step in 1..=60 {
            let record = cube.advance();
            work += record.work.iter().sum::<f64>();
            heat += record.dissipated.iter().chain(&record.rest_loss).sum::<f64>();
            let target = record.observed.target().expect("it has one");
            let expected = start + work - heat;
            assert!((target - expected).abs() < 1e-9, "{region}, {step}: {target} {expected}");
            // What is told at the end of a step is what is there.
            let told = record.observed.total();
            let seen = cube.observe().total();
            assert!((told - seen).abs() < 1e-12, "{region}, {step}: {told} {seen}");
        }
        let free = cube.observe();
        assert!(free.bodies[0].kinetic > 1.9, "all of it flies: {free:?}");
        let missing = (free.total() - (start + work - heat)).abs();
        assert!(missing < 1e-6, "{region}: {missing} J");
        if region == "All" {
            assert!((work - 0.5 * cube.world.mass() * 4.0).abs() < 1e-9, "{work} J");
        }
    }
}

/// A hold that never ends and one that ends are the same until then; before time begins nothing is let go.
#[test]
fn hold_acts_until_its_end() {
    let mut ending = thrown(TOP, "Bdf2", 9.81);
    let mut lasting = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{"s": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))}},
            bodies: [(
                name: "cube",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                material: "s",
                hold: [(region: {TOP}, motion: Move(velocity: (2, 0, 0)))],
            )],
            gravity: (0, -9.81, 0),
            integrator: Bdf2,
            time: (step: "1/200", duration: 1),
            solver: (tolerance: 1e-9),
        )"#
    ));
    for _ in 0..20 {
        ending.advance();
        lasting.advance();
        assert_eq!(ending.world.state(0).positions, lasting.world.state(0).positions);
    }
    ending.advance();
    lasting.advance();
    assert_ne!(ending.world.state(0).positions, lasting.world.state(0).positions);
}
