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
