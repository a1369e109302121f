//! Scenes that a program steps, and changes between steps.

use super::support::built;
use resile_integrators::PathTangent;
use resile_math::Vec3;
use resile_runner::Stepper;
use resile_watch::Interrupt;

/// A column whose bottom is released while its top moves.
const RELEASED: &str = r#"(
    version: 1,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))},
    bodies: [(
        name: "column",
        shape: Box(size: (0.1, 0.2, 0.1), cells: (2, 4, 2)),
        material: "rubber",
        hold: [
            (region: Plane(point: (0, -0.1, 0), normal: (0, -1, 0)), motion: Fixed, until: 0.05),
            (
                region: Plane(point: (0, 0.1, 0), normal: (0, 1, 0)),
                motion: Move(velocity: (0, 0.3, 0)),
            ),
        ],
    )],
    gravity: (0, 0, 0),
    contact: Off,
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: 0.2),
    output: (formats: []),
)"#;

#[test]
fn nodes_keep_their_prescribed_motion_after_others_are_released() {
    let (scene, built) = built(RELEASED, &[]);
    let mut stepper = Stepper::new(scene, built, Interrupt::new());
    let start = stepper.world().state(0).positions.clone();
    let scripted = |node: usize, time: f64| match start[node].y > 0.0999 {
        true => start[node] + Vec3::Y * 0.3 * time,
        false => start[node],
    };
    for step in 1..=8 {
        let targets: Vec<Vec3> =
            (0..start.len()).map(|node| scripted(node, f64::from(step) / 100.0)).collect();
        stepper.set_targets(0, &targets).expect("two sides are held");
        stepper.advance().expect("it is stretched a little");
    }
    stepper.world_mut().reset_controls().expect("all is finite");
    stepper.advance().expect("it is stretched a little");
    let now = &stepper.world().state(0).positions;
    let top = (0..start.len()).filter(|&node| start[node].y > 0.0999);
    let off = top.map(|node| (now[node] - scripted(node, 0.09)).length()).fold(0.0, f64::max);
    assert!(off < 1e-12, "{off} m");
    let bottom = (0..start.len()).filter(|&node| start[node].y < -0.0999);
    let moved = bottom.map(|node| (now[node] - start[node]).length()).fold(0.0, f64::max);
    assert!(moved > 1e-4, "the bottom was released, and moved {moved} m");
}

/// Two bars with a node between, which a load that grows with time pushes down.
const TRUSS: &str = r#"(
    version: 1,
    bodies: [(
        name: "truss",
        shape: Particles(positions: [(-1, 0, 0), (0, 0.5, 0), (1, 0, 0)], masses: [1, 1, 1]),
        terms: [
            Springs(stiffness: 1000, law: Hooke),
            Force(
                force: (0, -1, 0),
                region: Nodes([1]),
                start: -1000,
                factor: Table(points: [(-1000, -1000), (1000, 1000)]),
            ),
        ],
        hold: [
            (region: Nodes([0, 2]), motion: Fixed),
            (region: Nodes([1]), motion: Fixed, axes: "z"),
        ],
    )],
    gravity: (0, 0, 0),
    contact: Off,
    integrator: ImplicitEuler,
    analysis: ArcLength(length: 0.02),
    time: (step: 1, duration: 5),
    output: (formats: []),
)"#;

#[test]
fn a_stepper_takes_load_steps_in_a_static_analysis() {
    let (scene, started) = built(RELEASED, &["analysis=Static"]);
    let mut stepper = Stepper::new(scene, started, Interrupt::new());
    let mut world = built(RELEASED, &["analysis=Static"]).1.world;
    for step in 1..=3 {
        stepper.advance().expect("it is stretched a little");
        world.load_step(0.01, f64::from(step) / 100.0).expect("it is stretched a little");
        assert_eq!(stepper.world().state(0).positions, world.state(0).positions);
        assert!(stepper.world().state(0).velocities.iter().all(|v| *v == Vec3::ZERO));
    }
}

#[test]
fn a_stepper_follows_an_equilibrium_path_and_refuses_a_saved_state_of_it() {
    let (scene, started) = built(TRUSS, &[]);
    let mut stepper = Stepper::new(scene, started, Interrupt::new());
    let mut world = built(TRUSS, &[]).1.world;
    let mut tangent: Option<PathTangent> = None;
    for _ in 0..5 {
        stepper.advance().expect("it is far from its limit point");
        tangent = Some(world.path_step(0.02, tangent.as_ref()).expect("likewise").0);
        assert_eq!(stepper.world().state(0).positions, world.state(0).positions);
    }
    let error = stepper.load(&stepper.save()).expect_err("the direction is not saved");
    assert!(error.to_string().contains("direction of the equilibrium path"), "{error}");
}
