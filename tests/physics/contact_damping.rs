//! Contact damping: decay of vibrations on a stiff contact, impacts, and what happens when surfaces part.

use super::Simulation;
use std::f64::consts::PI;

const SIDE: f64 = 0.1;
const MASS: f64 = 1.0;
const D_HAT: f64 = 1e-3;
const KAPPA: f64 = 1e4;
const GRAVITY: f64 = 9.81;

/// A stiff cube of 1 kg at this height over a plane, with this velocity (m/s) and contact damping (s), and its own data.
fn cube(height: f64, velocity: f64, damping: f64, data: &str, step: f64) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e9, poisson: 0.3)) }},
            bodies: [(name: "cube", shape: Box(size: ({SIDE}, {SIDE}, {SIDE}), cells: (2, 2, 2)), kind: Affine, material: "m",
                friction: 0, placement: (translate: (0, {height:?}, 0)), velocity: (0, {velocity:?}, 0))],
            gravity: (0, -{GRAVITY}, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0, contact_damping: {damping:?})],
            contact: Barrier(d_hat: {D_HAT}, kappa: {KAPPA}, friction_rule: Min, start: AsPlaced),
            solver: (tolerance: 1e-9),
            time: (step: {step:?}, duration: 1),
            {data}
        )"#
    ))
}

/// The barrier of IPC over the gap divided by `d_hat`: its first and second derivative.
fn barrier(s: f64) -> (f64, f64) {
    if s >= 1.0 {
        return (0.0, 0.0);
    }
    let (u, log) = (s - 1.0, s.ln());
    (-2.0 * u * log - u * u / s, -2.0 * log - 4.0 * u / s + u * u / (s * s))
}

/// The force and the stiffness of the contact at a gap, by its area. The triangles of the sides at the rim of the face press,
/// too.
fn contact(area: f64, gap: f64) -> (f64, f64) {
    let (first, second) = barrier(gap / D_HAT);
    (-KAPPA * area * first, KAPPA * area * second / D_HAT)
}

/// What the area is, by the force at a gap of half of `d_hat`.
fn area() -> f64 {
    let step = 1e-6;
    let mut cube = cube(0.5 * SIDE + 0.5 * D_HAT, 0.0, 0.0, "integrator: ImplicitEuler", step);
    let before = cube.velocity().y;
    drop(cube.advance());
    let force = MASS * ((cube.velocity().y - before) / step + GRAVITY);
    force / contact(1.0, 0.5 * D_HAT).0
}

/// The gap at rest.
fn resting(area: f64) -> f64 {
    let (mut low, mut high) = (1e-3 * D_HAT, D_HAT);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let pressed = contact(area, middle).0 > MASS * GRAVITY;
        if pressed { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

fn gap(cube: &Simulation) -> f64 {
    cube.com().y - 0.5 * SIDE
}

/// Small vibrations about rest decrease by `exp(-pi z / sqrt(1 - z^2))` per period, `z = tau omega / 2`: half of it is damped.
#[test]
fn contact_damping_equals_kelvin_voigt_decay() {
    let area = area();
    let rest = resting(area);
    let omega = (contact(area, rest).1 / MASS).sqrt();
    let ratio = 0.1;
    let damping = 2.0 * ratio / omega;
    let period = 2.0 * PI / omega;
    for integrator in ["TrBdf2", "ASearch()"] {
        let step = period / 200.0;
        // Large beside the rocking of uneven vertex weights (4e-4 d_hat), small beside the depth at rest (0.12 d_hat).
        let velocity = 0.02 * D_HAT * omega;
        let height = 0.5 * SIDE + rest;
        let data = format!("integrator: {integrator}");
        let mut block = cube(height, velocity, damping, &data, step);
        // By differences of extremes, which do not depend on the gap at rest.
        let (mut last, mut extremes) = ([rest; 2], Vec::new());
        for _ in 0..800 {
            drop(block.advance());
            let now = gap(&block);
            if (last[1] - last[0]) * (now - last[1]) < 0.0 {
                extremes.push(last[1]);
            }
            last = [last[1], now];
        }
        assert!(extremes.len() >= 6, "{integrator}: {extremes:?}");
        let swings: Vec<f64> = extremes.windows(2).map(|pair| (pair[0] - pair[1]).abs()).collect();
        let decrement = (swings[0] / swings[4]).ln() / 2.0;
        let expected = PI * ratio / (1.0 - ratio * ratio).sqrt();
        assert!((decrement / expected - 1.0).abs() < 0.05, "{integrator}: {decrement} {expected}");
    }
}

/// The speed of rebound and the heat of `m y'' = lambda - c min(y', 0) - m g`, by small steps.
fn rebound(area: f64, speed: f64, damping: f64) -> (f64, f64) {
    let (mut y, mut v, h) = (D_HAT, -speed, 1e-8);
    let mut heat = 0.0;
    while y <= D_HAT {
        let (pressed, stiffness) = contact(area, y);
        let damped = damping * stiffness * v.min(0.0);
        heat += damped * v * h;
        v += h * ((pressed - damped) / MASS - GRAVITY);
        y += h * v;
    }
    (v, heat)
}

/// The heat is the energy lost, and the rebound that of the law, whatever the stiffness of impact.
#[test]
fn impact_loss_is_booked_as_heat() {
    let area = area();
    let speed = 0.2;
    for damping in [0.0, 1e-4, 5e-4] {
        let (expected, heat) = rebound(area, speed, damping);
        let data = "integrator: TrBdf2";
        let mut block = cube(0.5 * SIDE + 1.02 * D_HAT, -speed, damping, data, 2e-5);
        let start = block.observe().total();
        let (mut dissipated, mut left) = (0.0, false);
        for _ in 0..4000 {
            let record = block.advance();
            assert!(record.dissipated[0] >= 0.0, "{} J", record.dissipated[0]);
            dissipated += record.dissipated[0];
            let rise = record.observed.total() + dissipated - start;
            let kinetic = 0.5 * MASS * speed * speed;
            assert!(rise < 1e-2 * kinetic, "{rise} J of {kinetic} J");
            left = block.velocity().y > 0.0 && gap(&block) > D_HAT;
            if left {
                break;
            }
        }
        assert!(left, "it rebounds");
        let velocity = block.velocity().y;
        assert!((velocity / expected - 1.0).abs() < 0.02, "{damping}: {velocity} {expected}");
        if damping > 0.0 {
            assert!(
                (dissipated / heat - 1.0).abs() < 0.03,
                "{damping}: {dissipated} J, not {heat}"
            );
            let lost = start - block.observe().total();
            assert!((dissipated / lost - 1.0).abs() < 0.03, "{dissipated} J of {lost} J");
        } else {
            assert_eq!(dissipated, 0.0);
        }
    }
}

/// A block of 1 kg with this velocity (m/s) above a plate that rises at 0.1 m/s.
fn on_a_plate(velocity: [f64; 2], friction: f64, damping: f64, integrator: &str) -> Simulation {
    let [x, y] = velocity;
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
            bodies: [(name: "block", shape: Box(size: ({SIDE}, {SIDE}, {SIDE}), cells: (2, 2, 2)), kind: Affine, material: "m",
                friction: {friction:?}, placement: (translate: (0, {:?}, 0)), velocity: ({x:?}, {y:?}, 0))],
            gravity: (0, -{GRAVITY}, 0),
            obstacles: [Shape(name: "plate", shape: Box(size: (2, 0.1, 2), cells: (1, 1, 1)), friction: {friction:?},
                contact_damping: {damping:?}, placement: (translate: (0, -0.05, 0)), motion: Move(velocity: (0, 0.1, 0)))],
            contact: Barrier(d_hat: {D_HAT}, kappa: {KAPPA}, friction_rule: Min, start: AsPlaced),
            integrator: {integrator},
            solver: (tolerance: 1e-6),
            time: (step: 5e-4, duration: 1),
        )"#,
        0.5 * SIDE + 1.1 * D_HAT,
    ))
}

/// All heat and that of contact damping (J) in some steps.
fn heats(simulation: &mut Simulation, steps: usize) -> Vec<[f64; 2]> {
    let one = |_| {
        let record = simulation.advance();
        [record.dissipated[0], record.contact_damping[0]]
    };
    (0..steps).map(one).collect()
}

fn sum(rows: &[[f64; 2]], k: usize) -> f64 {
    rows.iter().map(|row| row[k]).sum()
}

const METHODS: [&str; 7] =
    ["ImplicitEuler", "Bdf2", "TrBdf2", "Trapezoidal", "Blend()", "ASearch()", "A1"];

/// Without friction all heat is that of contact damping, to the last bit, also that of work by a moving obstacle.
#[test]
fn heat_without_friction_is_that_of_contact_damping() {
    for method in METHODS {
        let mut block = on_a_plate([0.0, -0.2], 0.0, 3e-4, method);
        let rows = heats(&mut block, 60);
        assert!(sum(&rows, 0) > 1e-3, "{method}: {} J", sum(&rows, 0));
        for [all, damping] in rows {
            assert_eq!(all.to_bits(), damping.to_bits(), "{method}: {all} J, {damping} J");
        }
    }
}

/// Without contact damping its heat is zero, and friction has all.
#[test]
fn heat_of_rubbing_is_not_that_of_contact_damping() {
    for method in METHODS {
        let mut block = on_a_plate([0.5, 0.1], 0.3, 0.0, method);
        let rows = heats(&mut block, 60);
        assert!(sum(&rows, 0) > 1e-3, "{method}: {} J", sum(&rows, 0));
        assert!(rows.iter().all(|row| row[1] == 0.0), "{method}");
    }
}

/// A block that slides while it strikes the plate: damping takes what it takes without friction, and friction its coefficient
/// times the momentum of the normal force times the speed of sliding. (`A1` estimates the heat of both together by two
/// velocities, whose weights depend on both.)
#[test]
fn heat_of_friction_and_of_contact_damping_are_separate() {
    for method in METHODS.into_iter().filter(|method| *method != "A1") {
        let (mu, speed) = (0.02, 2.0);
        let alone = heats(&mut on_a_plate([speed, -0.2], 0.0, 3e-4, method), 60);
        let mut block = on_a_plate([speed, -0.2], mu, 3e-4, method);
        let both = heats(&mut block, 60);
        let [expected, damped] = [&alone, &both].map(|rows| sum(rows, 1));
        assert!((damped / expected - 1.0).abs() < 0.1, "{method}: {damped} J, not {expected} J");
        let slowed = speed - block.velocity().x;
        let rubbed = sum(&both, 0) - damped;
        let by_momentum = MASS * slowed * (speed - 0.5 * slowed);
        assert!(
            slowed > 0.0 && (rubbed / by_momentum - 1.0).abs() < 0.1,
            "{method}: {rubbed} J, not {by_momentum} J"
        );
    }
}

/// A block that leaves the floor is not held back, however large the damping: its speed is at least that of free flight.
#[test]
fn separating_surfaces_do_not_adhere() {
    for integrator in ["ImplicitEuler", "TrBdf2", "Bdf2", "ASearch()"] {
        for height in [0.3, 0.9] {
            let data = format!("integrator: {integrator}");
            let step = 1e-3;
            let mut block = cube(0.5 * SIDE + height * D_HAT, 0.3, 10.0, &data, step);
            for k in 1..=20 {
                drop(block.advance());
                let free = 0.3 - GRAVITY * step * f64::from(k);
                let v = block.velocity().y;
                assert!(v > free - 1e-3, "{integrator}, {height}, step {k}: {v} m/s, free {free}");
            }
        }
    }
}

/// Restitution prescribes what damping would change.
#[test]
fn damping_with_restitution_of_one_surface_is_rejected() {
    let both = super::file("contact/damping", &["bodies.damped.restitution=0.5"]);
    let errors = both.load().expect_err("it has both");
    let told = errors[0].to_string();
    assert!(told.contains("contact_damping") && told.contains("remove one of both"), "{told}");
}

/// Of the blocks of `scenes/contact/damping.ron` the one with more damping rebounds less, and each energy decreases by heat.
#[test]
fn blocks_of_the_scene_rebound_by_their_damping() {
    let mut blocks = Simulation::begun_text(&super::file("contact/damping", &[]));
    let mut highest = [0.0_f64; 3];
    let mut fallen = [false; 3];
    for _ in 0..240 {
        drop(blocks.advance());
        for body in 0..3 {
            let state = blocks.world.state(body);
            let mean =
                |v: &[resile_math::Vec3]| v.iter().map(|v| v.y).sum::<f64>() / v.len() as f64;
            fallen[body] |= mean(&state.velocities) > 0.0;
            if fallen[body] {
                highest[body] = highest[body].max(mean(&state.positions));
            }
        }
    }
    assert!(fallen.iter().all(|fallen| *fallen));
    assert!(highest.is_sorted_by(|a, b| a > b), "{highest:?}");
}

/// Two free cubes that meet off their centres without friction. Contact damping acts between them only, so their momentum
/// is conserved, and the energy that they lose is heat.
#[test]
fn collision_conserves_momentum_and_accounts_for_its_heat() {
    for integrator in ["ASearch()", "A1", "ImplicitEuler", "TrBdf2"] {
        for steps_a_second in [120, 480] {
            let mut cubes = Simulation::begun(&format!(
                r#"(
                    version: 1,
                    materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
                    bodies: [
                        (name: "a", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), kind: Affine, material: "m", friction: 0,
                            placement: (translate: (0, 0.02, 0)), velocity: (1, 0, 0), angular_velocity: (1, 2, 3),
                            contact_damping: 1e-3),
                        (name: "b", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), kind: Affine, material: "m", friction: 0,
                            placement: (translate: (0.2, 0, 0)), velocity: (-1, 0, 0)),
                    ],
                    gravity: (0, 0, 0),
                    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
                    integrator: {integrator},
                    time: (step: "1/{steps_a_second}", duration: 1),
                )"#
            ));
            let (what, start) =
                (format!("{integrator} 1/{steps_a_second} s"), cubes.observe().total());
            let mut heat = 0.0;
            for _ in 0..steps_a_second / 2 {
                let record = cubes.advance();
                heat += record.dissipated.iter().sum::<f64>();
                let momentum = cubes.world.momenta().linear.length();
                assert!(momentum < 1e-10, "{what}: {momentum} kg m/s");
            }
            let lost = start - cubes.observe().total();
            assert!(lost > 0.0 && heat > 0.0, "{what}: {lost} J lost, {heat} J of heat");
            if integrator == "ASearch()" {
                assert!(
                    (heat / lost - 1.0).abs() < 1e-3,
                    "{what}: {lost} J lost, {heat} J of heat"
                );
            }
        }
    }
}
