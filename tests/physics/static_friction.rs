//! Friction that is larger where surfaces stick: slopes, and what drags a block.

use super::Simulation;

const METHODS: [&str; 5] = ["ImplicitEuler", "Bdf2", "TrBdf2", "Sdirk2", "ASearch()"];

/// A block on a slope of 25 degrees, the tangent of which is 0.466, that begins at a velocity (m/s) along it.
fn block(coefficients: &str, velocity: f64, integrator: &str) -> Simulation {
    let (sin, cos) = 25f64.to_radians().sin_cos();
    Simulation::begun(&format!(
        r#"(
            version: 1,
            materials: {{ "wood": (density: 1000, model: NeoHookean(young: 1e7, poisson: 0.3)) }},
            bodies: [(name: "block", shape: Box(size: (0.1, 0.03, 0.1), cells: (2, 1, 2)), kind: Affine, material: "wood",
                placement: (translate: (0, 0.01594, 0)), velocity: ({velocity:?}, 0, 0), {coefficients})],
            gravity: ({:?}, {:?}, 0),
            obstacles: [Plane(name: "plane", point: (0, 0, 0), normal: (0, 1, 0), {coefficients})],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: {integrator},
            time: (step: "1/120", duration: 1),
        )"#,
        9.81 * sin,
        -9.81 * cos,
    ))
}

/// What static friction holds from rest slides on under kinetic friction once it moves, as Coulomb says.
#[test]
fn slope_between_both_friction_angles_holds_a_resting_block_only() {
    let (sin, cos) = 25f64.to_radians().sin_cos();
    let both = "friction: 0.4, static_friction: 0.6";
    for integrator in METHODS {
        let mut resting = block(both, 0.0, integrator);
        let start = resting.com().x;
        (0..60).for_each(|_| drop(resting.advance()));
        let crept = resting.com().x - start;
        assert!(crept.abs() < 1e-3 * 0.5, "{integrator}: {crept} m");

        let mut sliding = block(both, 0.1, integrator);
        (0..60).for_each(|_| drop(sliding.advance()));
        let faster = (sliding.velocity().x - 0.1) / (0.5 * 9.81 * (sin - 0.4 * cos));
        assert!((faster - 1.0).abs() < 0.05, "{integrator}: {faster} of the acceleration");
    }
}

/// With static friction alone the same as kinetic, nothing changes.
#[test]
fn equal_static_and_kinetic_coefficients_change_nothing() {
    let states = ["friction: 0.4", "friction: 0.4, static_friction: 0.4"].map(|coefficients| {
        let mut block = block(coefficients, 0.1, "ASearch()");
        (0..20).for_each(|_| drop(block.advance()));
        block.world.state(0).positions.clone()
    });
    assert_eq!(states[0], states[1]);
}

/// Of the blocks of `scenes/contact/static-friction.ron` one stays, and the pushed one slides on under kinetic friction.
#[test]
fn blocks_of_the_scene_stick_and_slide() {
    let mut blocks = Simulation::begun_text(&super::file("contact/static-friction", &[]));
    let x = |blocks: &Simulation, body: usize| {
        let positions = &blocks.world.state(body).positions;
        positions.iter().map(|x| x.x).sum::<f64>() / positions.len() as f64
    };
    let start = [0, 1].map(|body| x(&blocks, body));
    (0..120).for_each(|_| drop(blocks.advance()));
    let [resting, pushed] = [0, 1].map(|body| x(&blocks, body) - start[body]);
    assert!(resting.abs() < 1e-3, "{resting} m");
    let truth = 0.1 + 0.5 * (4.1459 - 0.4 * 8.8909);
    assert!((pushed / truth - 1.0).abs() < 0.05, "{pushed} m instead of {truth}");
}
