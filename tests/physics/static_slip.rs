//! Coulomb friction in static analysis: it depends on the path of a motion, not on its rate or on the number of steps.

use super::Simulation;
use resile_math::Vec3;
use resile_world::SettleFailure;

const MU: f64 = 0.3;
/// The slip length: a tenth of `d_hat` (m).
const SLIP_LENGTH: f64 = 0.1 * 3e-5;

/// A block of 2 x 1 x 2 cm on a plane, in load steps of `step` (s).
fn block_text(kind: &str, young: &str, more: &str, step: f64) -> String {
    format!(
        r#"(
            version: 1,
            materials: {{ "rubber": (density: 1000, model: NeoHookean(young: {young}, poisson: 0.3)) }},
            bodies: [(
                name: "block",
                shape: Box(size: (0.02, 0.01, 0.02), cells: (2, 2, 2)),
                material: "rubber",
                kind: {kind},
                friction: {MU},
                placement: (translate: (0, 0.00502, 0)),
                {more}
            )],
            gravity: (0, 0, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: {MU})],
            contact: Barrier(d_hat: 3e-5, kappa: 1e6, friction_rule: Mean),
            integrator: ImplicitEuler,
            analysis: Static,
            time: (step: {step:?}, duration: 1),
        )"#
    )
}

const TOP: &str = "region: Plane(point: (0, 0.01001, 0), normal: (0, 1, 0))";

/// A block under 40 N, pressed on until half a second, whose top is at these places (m) along x after each second.
fn dragged(places: &[f64], step: f64) -> Simulation {
    let key = |(k, x): (usize, &f64)| format!("(time: {}, translate: ({x:?}, 0, 0))", k + 1);
    let keys: Vec<String> = places.iter().enumerate().map(key).collect();
    let keys = keys.join(", ");
    let more = format!(
        r#"hold: [({TOP}, motion: Keys(keys: [(time: 0.5), {keys}], interpolation: Linear), axes: "x")],
        terms: [Traction(traction: (0, -1e5, 0), {TOP}, factor: Ramp(end: 0.5))],"#
    );
    Simulation::new(&block_text("Solid", "2e7", &more, step))
}

/// Takes load steps up to a time (s).
fn load(simulation: &mut Simulation, until: f64) {
    let h = simulation.step.seconds();
    while h * (simulation.steps as f64 + 0.5) < until {
        simulation.steps += 1;
        let end = h * simulation.steps as f64;
        simulation.world.load_step(h, end).unwrap_or_else(|failure| panic!("{failure}"));
    }
}

/// The force along x (N) on the nodes of the top: what its support bears.
fn drag(simulation: &mut Simulation) -> f64 {
    let forces = simulation.world.net_forces();
    let positions = &simulation.world.state(0).positions;
    let top = positions.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
    let on_top = forces[0].iter().zip(positions).filter(|(_, x)| x.y > top - 0.003);
    on_top.map(|(force, _)| force.x).sum()
}

#[test]
fn a_dragged_block_meets_the_friction_of_its_load_in_any_number_of_load_steps() {
    for step in [1.0, 0.25, 0.0625] {
        let mut block = dragged(&[1e-3], step);
        load(&mut block, 1.0);
        let share = drag(&mut block) / (-MU * 40.0);
        assert!((share - 1.0).abs() < 0.02, "{share} of mu N in load steps of {step} s");
        let told = block.world.contact_forces(1.0).expect("there is contact").pairs[0].friction;
        let share = told.x / (-MU * 40.0);
        assert!((share - 1.0).abs() < 0.02, "the table has {share} of mu N");
    }
}

#[test]
fn the_other_direction_meets_the_opposite_force() {
    let mut block = dragged(&[1e-3, 0.0], 0.25);
    load(&mut block, 1.0);
    let there = drag(&mut block);
    load(&mut block, 2.0);
    let back = drag(&mut block);
    assert!((there / (-MU * 40.0) - 1.0).abs() < 0.02, "{there} N");
    assert!((back / there + 1.0).abs() < 0.02, "{back} N after {there} N");
}

/// A nearly rigid block of 4 g that is pressed on by 40 N and pushed by this part of the largest friction.
fn pushed(part: f64) -> Simulation {
    let text = block_text("Affine", "2e11", "", 0.25);
    let gravity = format!("gravity: ({:?}, -1e4, 0)", part * MU * 1e4);
    Simulation::new(&text.replace("gravity: (0, 0, 0)", &gravity))
}

#[test]
fn what_is_pushed_by_less_sticks_and_does_not_creep() {
    let mut block = pushed(0.6);
    let start = block.com().x;
    load(&mut block, 1.0);
    let held = block.com().x - start;
    // `s (2 - s) = 0.6`, and the block tilts a little.
    let expected = SLIP_LENGTH * (1.0 - 0.4f64.sqrt());
    assert!(held > 0.9 * expected && held < SLIP_LENGTH, "{held} m, not {expected} m");
    load(&mut block, 5.0);
    let crept = block.com().x - start - held;
    assert!(crept.abs() < 1e-6 * held, "{crept} m in sixteen more load steps");
    let told = block.world.contact_forces(1.0).expect("there is contact").pairs[0].friction.x;
    assert!((told / (-0.6 * MU * 40.0) - 1.0).abs() < 1e-6, "{told} N");
}

#[test]
fn what_is_pushed_by_more_has_no_equilibrium() {
    let mut block = pushed(1.1);
    let failure = block.world.load_step(0.25, 0.25).expect_err("it slides");
    assert!(matches!(failure, SettleFailure::Moves { .. }), "{failure}");
}

/// An elastic block on a slope of 20 degrees.
fn on_a_slope(friction: f64) -> Simulation {
    let friction = [
        format!("bodies.block.friction={friction}"),
        "analysis=Static".to_owned(),
        "time.step=0.1".to_owned(),
    ];
    Simulation::of_file("rest/slope", &friction.each_ref().map(String::as_str))
}

#[test]
fn what_sticks_on_a_slope_stays_there_over_load_steps() {
    let mut block = on_a_slope(0.6);
    load(&mut block, 0.1);
    let start = block.com();
    load(&mut block, 2.0);
    let crept = block.com().distance(start);
    assert!(crept < 1e-7, "{crept} m in nineteen load steps");
    let Vec3 { x, y, .. } = block.world.contact_forces(1.0).expect("contact").pairs[0].friction;
    assert!(x.hypot(y) > 0.0);
}

#[test]
fn a_load_step_begins_with_the_friction_of_the_last_one_after_a_restart() {
    let mut block = dragged(&[1e-3, 0.5e-3], 0.25);
    load(&mut block, 1.0);
    let mut resumed = dragged(&[1e-3, 0.5e-3], 0.25);
    resumed.steps = block.steps;
    for b in 0..block.world.body_count() {
        resumed.world.set_state(b, block.world.state(b).clone());
    }
    load(&mut block, 1.25);
    load(&mut resumed, 1.25);
    assert_eq!(block.world.state(0).positions, resumed.world.state(0).positions);
}

/// Three blocks above each other, with these gaps (m) and friction.
fn loose_stack(kind: &str, gap: f64) -> Simulation {
    let side = 0.1;
    let block = |k: usize| {
        let y = (k as f64 + 0.5) * side + (k as f64 + 1.0) * gap;
        format!(
            r#"(name: "{k}", shape: Box(size: ({side}, {side}, {side}), cells: (2, 2, 2)), material: "m", kind: {kind},
                friction: 0.5, placement: (translate: (0, {y:?}, 0))),"#
        )
    };
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
            bodies: [{}],
            gravity: (0, -9.81, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5)],
            contact: Barrier(d_hat: 1e-3, kappa: 1e4, friction_rule: Min),
            integrator: ImplicitEuler,
            analysis: Static,
            time: (step: 1, duration: 1),
        )"#,
        (0..3).map(block).collect::<String>()
    ))
}

/// Blocks that start above each other with gaps fall onto each other in one load step, and every contact bears the weight of
/// what is above it.
#[test]
fn loose_stack_settles_in_one_load_step() {
    for kind in ["Solid", "Affine"] {
        for gap in [5e-4, 5e-3, 0.05] {
            let mut stack = loose_stack(kind, gap);
            load(&mut stack, 1.0);
            let forces = stack.world.contact_forces(1.0).expect("there is contact");
            let weight = 9.81;
            // Contacts between edges are tilted, so that friction bears some of the weight. (Affine bodies store it only
            // approximately, to 3e-4.)
            let forces = forces.pairs.iter().map(|pair| (pair.normal.y + pair.friction.y).abs());
            let mut borne: Vec<f64> = forces.collect();
            borne.sort_by(f64::total_cmp);
            assert_eq!(borne.len(), 3, "{kind}, {gap} m: {borne:?}");
            for (k, force) in borne.iter().enumerate() {
                let share = force / (weight * (k + 1) as f64);
                assert!((share - 1.0).abs() < 1e-3, "{kind}, {gap} m: {borne:?}");
            }
        }
    }
}
