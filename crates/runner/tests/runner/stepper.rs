//! Scenes that a program steps, and changes between steps.

use super::support::built;
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
