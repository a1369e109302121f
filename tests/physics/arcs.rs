//! Obstacles that turn far in a step hit what lies on their arc.

use super::Simulation;
use resile_math::Vec3;
use std::f64::consts::FRAC_PI_3;

/// A blade of half a metre and a ball that all but rests on its arc, a radian ahead.
fn blade(motion: &str, step: &str) -> String {
    format!(
        r#"(
    version: 1,
    materials: {{"s": (density: 1000, model: NeoHookean(young: 1e7, poisson: 0.3))}},
    bodies: [(name: "ball", shape: Sphere(radius: 0.03, subdivisions: 1), kind: Affine, material: "s", friction: 0,
        placement: (translate: (0.225, 0, -0.389711)), velocity: (0, 0.05, 0), angular_velocity: (1, 2, 3))],
    gravity: (0, 0, 0),
    obstacles: [Shape(name: "blade", shape: Box(size: (0.5, 0.1, 0.01), cells: (1, 1, 1)),
        placement: (translate: (0.25, 0, 0)), friction: 0, motion: {motion})],
    contact: Barrier(d_hat: 1e-3, kappa: 1e6, friction_rule: Min),
    integrator: ImplicitEuler,
    time: (step: "{step}", duration: 0.025),
    output: (formats: []),
)"#
    )
}

/// 150 rad/s, or 1432 turns a minute.
const STEADY: &str = "Move(angular_velocity: (0, 150, 0), pivot: (0, 0, 0))";

/// The same by keys.
const KEYED: &str = "Keys(pivot: (0, 0, 0), interpolation: Linear, keys: [(time: 0), \
    (time: 0.1, rotate: (axis: (0, 1, 0), degrees: 859.4366926962349))])";

/// A blow with the flat of the blade: forth by half a step, and back.
const PUNCH: &str = "Keys(interpolation: Linear, keys: [(time: 0.01), \
    (time: 0.012, translate: (0, 0, -0.38)), (time: 0.016)])";

/// The ball's centre (m) and velocity (m/s) after a 40th of a second, and the smallest step.
fn hit(motion: &str, step: &str) -> (Vec3, Vec3, f64) {
    let mut simulation = Simulation::new(&blade(motion, step));
    let mut smallest = f64::INFINITY;
    let steps = (0.025 / simulation.step.seconds()).round() as usize;
    for _ in 0..steps {
        smallest = simulation.advance().smallest_step.min(smallest);
    }
    (simulation.com(), simulation.velocity(), smallest)
}

#[test]
fn fast_blade_hits_bodies_on_its_arc() {
    let (there, fast, _) = hit(STEADY, "1/2000");
    assert!(fast.length() > 50.0, "the blade is at 67 m/s where the ball is: {fast}");
    for motion in [STEADY, KEYED] {
        let (com, velocity, smallest) = hit(motion, "1/120");
        assert!(smallest < 1.0 / 3000.0, "1.25 rad a step are cut: {smallest}");
        let off = (velocity - fast).length() / fast.length();
        assert!(off < 0.03, "{velocity}, not {fast}");
        assert!((com - there).length() < 0.03 * there.length(), "{com}, not {there}");
    }
}

#[test]
fn impact_shorter_than_a_step_acts() {
    let (com, velocity, smallest) = hit(PUNCH, "1/40");
    // The front of the blade came to z = -0.385 m.
    assert!(com.z < -0.415 && velocity.z < -1.0, "{com}, {velocity}");
    assert!((smallest - 0.012).abs() < 1e-12, "cut where the blade turns back: {smallest}");
}

#[test]
fn slow_or_straight_motion_is_not_subdivided() {
    let slow = format!("Move(angular_velocity: (0, {}, 0), pivot: (0, 0, 0))", FRAC_PI_3);
    let straight =
        "Keys(interpolation: Smooth, keys: [(time: 0), (time: 0.1, translate: (0, 0, -20))])";
    for motion in [slow.as_str(), straight] {
        let (_, _, smallest) = hit(motion, "1/120");
        assert_eq!(smallest, 1.0 / 120.0, "{motion}");
    }
}

#[test]
fn only_bodies_near_a_fast_obstacle_are_substepped() {
    let text = blade(STEADY, "1/120").replace("bodies: [", r#"bodies: [
        (name: "far", shape: Sphere(radius: 0.03, subdivisions: 1), kind: Affine, material: "s", friction: 0,
            placement: (translate: (3, 0, 0)), velocity: (0.3, 0.1, 0), angular_velocity: (3, 1, 2)),"#);
    let mut both = Simulation::new(&text);
    let mut alone = Simulation::new(&text.replace("(0, 150, 0)", "(0, 0, 0)"));
    for _ in 0..3 {
        both.advance();
        alone.advance();
    }
    assert_eq!(both.world.name(0), "far");
    assert_eq!(both.world.state(0), alone.world.state(0), "to the bit");
    assert_ne!(both.world.state(1), alone.world.state(1));
}

#[test]
fn arc_with_too_many_substeps_is_rejected_by_name() {
    let mut simulation = Simulation::new(&blade(&STEADY.replace("150", "150000"), "1/120"));
    let failure = simulation.try_advance().expect_err("200 turns a step");
    let said = failure.to_string();
    assert!(said.contains("\"blade\" moves at up to 7"), "{said}");
    assert!(said.contains("choose a smaller time.step"), "{said}");
}
