//! Forces of contact against what statics and momentum ask for.

use super::Simulation;
use resile_contact::PairForces;
use resile_math::Vec3;

const G: f64 = 9.81;

/// A box of 1 kg and edges of 0.1 m, and one of half its edges on top, on a floor that falls to
/// the right by some degrees.
fn boxes(kind: &str, slope: f64, friction: f64, top: &str) -> Simulation {
    let (sin, cos) = (slope.to_radians().sin(), slope.to_radians().cos());
    let up = |height: f64| format!("({}, {}, 0)", sin * height, cos * height);
    let turned = format!("rotate: [(axis: (0, 0, 1), degrees: {})]", -slope);
    let body = |name: &str, size: f64, height: f64| {
        format!(
            r#"(name: "{name}", shape: Box(size: ({size}, {size}, {size}), cells: (2, 2, 2)),
                kind: {kind}, material: "m", friction: {friction},
                placement: ({turned}, translate: {})),"#,
            up(height)
        )
    };
    let upper = if top.is_empty() { String::new() } else { body(top, 0.05, 0.127) };
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
            bodies: [{}{upper}],
            gravity: (0, -{G}, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: {}, friction: {friction})],
            contact: Barrier(d_hat: 1e-3, kappa: 1e6, friction_rule: Min, slip_speed: 1e-4),
            integrator: ImplicitEuler,
            time: (step: 0.01, duration: 1),
            solver: (tolerance: 1e-7),
        )"#,
        body("lower", 0.1, 0.051),
        up(1.0),
    ))
}

fn forces(simulation: &mut Simulation, first: usize, second: usize) -> PairForces {
    let all = simulation.world.contact_forces(0.01).expect("there is contact").pairs;
    let found = all.into_iter().find(|pair| pair.colliders == [first, second]);
    found.expect("they touch")
}

fn assert_near(a: Vec3, b: Vec3, by: f64) {
    assert!((a - b).length() <= by, "{a} for {b}");
}

#[test]
fn contact_force_equals_the_weight_and_friction_mu_times_it() {
    for kind in ["Solid", "Affine"] {
        let mut simulation = boxes(kind, 20.0, 0.6, "");
        (0..60).for_each(|_| drop(simulation.advance()));
        let on_it = forces(&mut simulation, 0, 1);
        let slope = 20f64.to_radians();
        let (normal, down) = (Vec3::new(slope.sin(), slope.cos(), 0.0), Vec3::new(0.0, -G, 0.0));
        assert_near(on_it.normal, -normal * normal.dot(down), 1e-3 * G);
        assert_near(on_it.normal + on_it.friction, -down, 1e-3 * G);
        assert!(on_it.smallest_gap > 0.0 && on_it.smallest_gap < 1e-3);
    }
}

#[test]
fn each_block_of_a_stack_carries_the_weight_above() {
    let mut simulation = boxes("Solid", 0.0, 0.4, "upper");
    (0..60).for_each(|_| drop(simulation.advance()));
    let [between, below] = [forces(&mut simulation, 0, 1), forces(&mut simulation, 0, 2)];
    assert_near(between.normal + between.friction, Vec3::NEG_Y * G * 0.125, 1e-3 * G);
    assert_near(below.normal + below.friction, Vec3::Y * G * 1.125, 1e-3 * G);

    // The same point by point, and pressures that are force over area.
    let all = simulation.world.contact_forces(0.01).expect("there is contact");
    let sum = |body: usize| {
        let forces = &all.bodies[body];
        forces.normal.iter().chain(&forces.friction).sum::<Vec3>()
    };
    assert_near(sum(0), Vec3::Y * G, 1e-3 * G);
    assert_near(sum(1), Vec3::Y * G * 0.125, 1e-3 * G);
}

#[test]
fn momentum_change_of_a_bounce_equals_the_impulse() {
    let mut simulation = boxes("Solid", 0.0, 0.0, "");
    let mut state = simulation.world.state(0).clone();
    state.positions.iter_mut().for_each(|x| x.y += 0.01);
    state.velocities.iter_mut().for_each(|v| *v = Vec3::new(0.1, -1.0, 0.0));
    simulation.world.set_state(0, state);
    let (mut impulse, mut pressed) = (Vec3::ZERO, 0.0);
    let before = simulation.world.momenta().linear;
    let mut steps = 0;
    while steps < 8 {
        drop(simulation.advance());
        steps += 1;
        let pairs = simulation.world.contact_forces(0.01).expect("there is contact").pairs;
        let force: Vec3 = pairs.iter().map(|pair| pair.normal + pair.friction).sum();
        pressed += force.y;
        impulse += 0.01 * (force + Vec3::NEG_Y * G);
    }
    let change = simulation.world.momenta().linear - before;
    assert!(pressed > 10.0 * G, "{pressed}");
    assert_near(impulse, change, 1e-5 * change.length());
}

/// A flat block of 0.3 kg with friction 0.4 on a belt that accelerates from rest by a multiple of gravity.
fn on_a_belt(shape: &str, acceleration: f64, integrator: &str, steps_a_second: u32) -> Simulation {
    Simulation::begun(&format!(
        r#"(
            version: 2, units: Metres,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
            bodies: [(name: "block", {shape}, material: "m", friction: 0.4, placement: (translate: (0, 0.01599, 0)))],
            obstacles: [Shape(name: "belt", shape: Box(size: (40, 0.2, 1), cells: (1, 1, 1)), friction: 1,
                placement: (translate: (0, -0.1, 0)), motion: Displacement(("{:?}*t^2", 0, 0)))],
            gravity: (0, -{G}, 0),
            contact: Barrier(friction_rule: Min),
            integrator: {integrator},
            time: (step: "1/{steps_a_second}", duration: 1),
        )"#,
        0.5 * acceleration * G,
    ))
}

/// Bodies of few nodes, whose elastic impulses in a step are hundreds of times the friction.
const FEW_NODES: [&str; 2] = [
    "shape: Box(size: (0.1, 0.03, 0.1), cells: (1, 1, 1)), kind: Affine",
    "shape: Box(size: (0.1, 0.03, 0.1), cells: (1, 1, 1))",
];

#[test]
fn belt_accelerates_a_slipping_block_by_its_friction_alone() {
    for shape in FEW_NODES {
        for (integrator, steps_a_second) in
            [("ASearch()", 60), ("ASearch()", 240), ("A1", 120), ("ImplicitEuler", 120)]
        {
            let mut block = on_a_belt(shape, 0.42, integrator, steps_a_second);
            let mut before = 0.0;
            for step in 0..steps_a_second / 2 {
                drop(block.advance());
                let speed = block.world.momenta_of(0).linear.x / 0.3;
                let acceleration = (speed - before) * f64::from(steps_a_second);
                // In the first steps the slip grows to the slip speed.
                if step > 5 {
                    let ratio = acceleration / (0.4 * G);
                    assert!((ratio - 1.0).abs() < 0.02, "{shape}, {integrator}, {step}: {ratio}");
                }
                before = speed;
            }
        }
    }
}

/// The friction that is reported for a block that sticks to a belt is its mass times the acceleration of the belt, on the mean
/// of two steps, whether velocities belong to the middle or to the end of a step.
#[test]
fn friction_on_an_accelerating_belt_is_mass_times_acceleration() {
    let solid = "shape: Box(size: (0.1, 0.03, 0.1), cells: (2, 1, 2))";
    for (integrator, tolerance) in [
        ("ImplicitEuler", 0.01),
        ("Bdf2", 0.01),
        ("Sdirk2", 0.01),
        ("Trapezoidal", 0.01),
        ("ASearch()", 0.05),
    ] {
        for shape in [solid, FEW_NODES[0]] {
            let mut block = on_a_belt(shape, 0.3, integrator, 120);
            (0..30).for_each(|_| drop(block.advance()));
            let friction: f64 = (0..20)
                .map(|_| {
                    drop(block.advance());
                    let pairs = block.world.contact_forces(1.0 / 120.0).expect("contact").pairs;
                    pairs.iter().map(|pair| pair.friction.x.abs()).sum::<f64>() / 20.0
                })
                .sum();
            let ratio = friction / (0.3 * 0.3 * G);
            assert!((ratio - 1.0).abs() < tolerance, "{integrator}, {shape}: {ratio}");
        }
    }
}
