//! What begins within reach of the barrier, and what comes to it within a step: friction holds what it should.

use super::Simulation;
use resile_math::Vec3;
use resile_world::StepRecord;

/// Methods that solve at the end of a step or of stages.
const METHODS: [&str; 6] =
    ["ImplicitEuler", "Bdf2", "TrBdf2", "Sdirk2", "ASearch()", "ASearch(control: Filtered())"];

/// A box of these cells, its lowest points `gap` above a plane, gravity tilted so that the plane falls by `slope` (degrees) along x.
fn block(
    kind: &str,
    (slope, friction): (f64, f64),
    (gap, velocity): (f64, f64),
    integrator: &str,
    steps_a_second: u32,
) -> Simulation {
    let (sin, cos) = slope.to_radians().sin_cos();
    Simulation::begun(&format!(
        r#"(
            version: 1,
            materials: {{ "wood": (density: 1000, model: NeoHookean(young: 1e7, poisson: 0.3)) }},
            bodies: [(name: "block", shape: Box(size: (0.1, 0.03, 0.1), cells: (2, 1, 2)), kind: {kind}, material: "wood",
                placement: (translate: (0, {:?}, 0)), velocity: ({velocity:?}, 0, 0), friction: {friction:?})],
            gravity: ({:?}, {:?}, 0),
            obstacles: [Plane(name: "plane", point: (0, 0, 0), normal: (0, 1, 0), friction: {friction:?})],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: {integrator},
            time: (step: "1/{steps_a_second}", duration: 1),
        )"#,
        0.015 + gap,
        9.81 * sin,
        -9.81 * cos,
    ))
}

/// The step of 1/2000 s is where what was thrown at the start hopped for ever.
#[test]
fn what_coulomb_holds_moves_less_than_the_slip_speed_times_the_time_at_any_step() {
    for (kind, steps_a_second, steps) in
        [("Solid", 120, 60), ("Affine", 120, 120), ("Solid", 2000, 100), ("Affine", 2000, 400)]
    {
        for integrator in METHODS {
            let mut block = block(kind, (20.0, 0.6), (0.9e-3, 0.0), integrator, steps_a_second);
            let start = block.com();
            (0..steps).for_each(|_| drop(block.advance()));
            let (moved, time) =
                ((block.com() - start).length(), f64::from(steps) / f64::from(steps_a_second));
            assert!(moved < 1e-3 * time, "{kind}, {integrator} at 1/{steps_a_second}: {moved} m");
        }
    }
}

/// Placed so, the barrier threw them up by 68 and 277 mm.
#[test]
fn boxes_that_begin_next_to_a_floor_do_not_hop() {
    for gap in [1e-4, 1e-6] {
        for integrator in METHODS {
            let mut block = block("Affine", (0.0, 0.5), (gap, 0.0), integrator, 500);
            let start = block.com().y;
            assert!(start - 0.015 > 0.9e-3 && start - 0.015 < 1e-3, "in balance: {start}");
            for _ in 0..100 {
                drop(block.advance());
                let hop = (block.com().y - start).abs();
                assert!(hop < 1e-6, "{integrator}, from {gap} m: {hop} m");
            }
        }
    }
}

#[test]
fn a_box_that_begins_to_slide_next_to_a_floor_slides_as_far_as_coulomb_says_and_becomes_heat() {
    let (velocity, friction) = (0.5, 0.4);
    let whole = velocity * velocity / (2.0 * friction * 9.81);
    for integrator in METHODS {
        let mut block = block("Affine", (0.0, friction), (0.94e-3, velocity), integrator, 240);
        let (start, mut heat) = (block.com().x, 0.0);
        for _ in 0..60 {
            let record: StepRecord = block.advance();
            assert!(record.dissipated[0] >= -1e-12, "{integrator}: {} J", record.dissipated[0]);
            heat += record.dissipated[0];
        }
        let (distance, kinetic) =
            (block.com().x - start, 0.5 * block.world.mass() * velocity * velocity);
        // Methods of first order err by half a step's way.
        let by = if block.world.integrator().order() == 1 { 0.5 * velocity / 240.0 } else { 0.0 };
        assert!(
            (distance - whole).abs() < by + 0.01 * whole,
            "{integrator}: {distance} m, not {whole} m"
        );
        assert!((heat / kinetic - 1.0).abs() < 0.02, "{integrator}: {heat} J of {kinetic} J");
    }
}

/// Four bodies: one on the floor, one in the air, one that falls along a wall, and a stretched one on the floor.
#[test]
fn only_contact_is_balanced() {
    let text = r#"(
        version: 1,
        materials: { "rubber": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) },
        bodies: [
            (name: "resting", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "rubber", friction: 0.5, placement: (translate: (0, 0.0502, 0))),
            (name: "flying", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "rubber", friction: 0.5, placement: (translate: (0.4, 0.5, 0))),
            (name: "falling", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), kind: Affine, material: "rubber", friction: 0, placement: (translate: (-0.5497, 0.5, 0))),
            (name: "stretched", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "rubber", friction: 0.5, deform: [Stretch(axis: Y, factor: 1.3)], placement: (translate: (0.8, 0.0505, 0))),
        ],
        gravity: (0, -9.81, 0),
        obstacles: [
            Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5),
            Plane(name: "wall", point: (-0.6, 0, 0), normal: (1, 0, 0), friction: 0),
        ],
        contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
        integrator: ASearch(),
        time: (step: "1/120", duration: 1),
    )"#;
    let placed = Simulation::new(text);
    let begun = Simulation::begun(text);
    let positions = |simulation: &Simulation, body| simulation.world.state(body).positions.clone();
    let moved = |body| {
        let [from, to] = [&placed, &begun].map(|simulation| positions(simulation, body));
        from.iter().zip(&to).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    };
    assert_eq!(positions(&placed, 1), positions(&begun, 1), "what touches nothing stays");
    for body in [0, 2, 3] {
        assert!((1e-5..1.2e-3).contains(&moved(body)), "body {body}: {} m", moved(body));
    }
    // What is relieved of a wall falls a quarter of d_hat at most.
    let [before, after] = [&placed, &begun].map(|simulation| simulation.world.center_of_mass(2));
    assert!(before.y - after.y < 0.26e-3 && after.x > before.x, "{before} {after}");
}

/// The cube begins 1.1 mm above the plane, 0.1 mm above the barrier, and comes there within the first step. The plane is
/// just not so steep that it should slide. `PolyFEM` has 0.46 mm in a like scene.
#[test]
fn a_contact_that_begins_within_a_step_has_friction_in_it() {
    for (integrator, most) in [
        ("ImplicitEuler", 2e-3),
        ("Bdf2", 2e-3),
        ("ASearch()", 2e-3),
        ("TrBdf2", 2e-2),
        ("Sdirk2", 4e-2),
    ] {
        let mut cube = Simulation::begun(&format!(
            r#"(
                version: 1,
                materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
                bodies: [(name: "cube", shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), kind: Affine, material: "m", friction: 0.5,
                    placement: (translate: (0, 0.5011, 0)))],
                gravity: (4.387, -8.775, 0),
                obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5)],
                contact: Barrier(d_hat: 1e-3, kappa: 1e6, friction_rule: Min, slip_speed: 1e-5),
                integrator: {integrator},
                time: (step: 0.025, duration: 2.5),
                solver: (tolerance: 1e-6),
            )"#
        ));
        (0..100).for_each(|_| drop(cube.advance()));
        let slid = cube.com().x;
        assert!(slid < most, "{integrator}: {slid} m");
    }
}

/// Two soft balls meet off their centres with friction, and nothing else acts: what they lose is heat. Six hundredths of
/// their energy is, under `TrBdf2` at 1/15360 s.
#[test]
fn an_impact_with_friction_makes_no_negative_heat() {
    let balls = |integrator: &str, steps_a_second: u32| {
        let mut balls = Simulation::begun(&format!(
            r#"(
                version: 1,
                materials: {{ "r": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
                bodies: [
                    (name: "l", shape: Ball(radius: 0.05, layers: 3), material: "r", placement: (translate: (-0.08, 0, 0)), velocity: (1, 0, 0), friction: 0.5),
                    (name: "r", shape: Ball(radius: 0.05, layers: 3), material: "r", placement: (translate: (0.08, 0.05, 0)), velocity: (-1, 0, 0), friction: 0.5),
                ],
                gravity: (0, 0, 0),
                contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
                integrator: {integrator},
                time: (step: "1/{steps_a_second}", duration: 0.1),
            )"#
        ));
        let energy = balls.observe().total();
        let mut heat = 0.0;
        for _ in 0..steps_a_second / 10 {
            let of_step: f64 = balls.advance().dissipated.iter().sum();
            assert!(of_step >= 0.0, "{integrator} at 1/{steps_a_second}: {of_step} J in a step");
            heat += of_step;
        }
        heat / energy
    };
    for integrator in METHODS {
        balls(integrator, 120);
    }
    let part = balls("ASearch()", 240);
    assert!((part / 0.0615 - 1.0).abs() < 0.15, "{part} of the energy, not 0.0615");
}

/// Where the slip speed is the solver's tolerance, as by default, the velocity of what friction holds is not known.
#[test]
fn friction_is_told_as_it_holds_at_the_default_tolerance() {
    let mut block = block("Solid", (20.0, 0.5), (0.9e-3, 0.0), "ImplicitEuler", 100);
    (0..30).for_each(|_| drop(block.advance()));
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let weight = 9.81 * block.world.mass();
    let pairs = block.world.contact_forces(0.01).expect("there is contact").pairs;
    let [friction, normal] = [
        pairs.iter().map(|pair| pair.friction).sum::<Vec3>(),
        pairs.iter().map(|pair| pair.normal).sum::<Vec3>(),
    ];
    assert!(
        (friction.x / (-weight * sin) - 1.0).abs() < 0.01,
        "{friction} N beside {}",
        weight * sin
    );
    assert!((normal.y / (weight * cos) - 1.0).abs() < 0.01, "{normal} N");
}
