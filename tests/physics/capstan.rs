//! A rope that is drawn over a drum: the equation of Euler and Eytelwein.

use super::Simulation;
use std::f64::consts::PI;

/// Radius (m) of the axis of the rope.
const RADIUS: f64 = 0.0518;
/// Coefficient of friction between the rope and the drum.
const FRICTION: f64 = 0.2;
/// Segments of the rope over the half circle.
const SEGMENTS: u32 = 40;

/// Points down one side of the drum, over it and down the other side, 1 N at the last one.
fn rope_over_drum(integrator: &str) -> String {
    let straight = |side: f64, k: u32| (side * RADIUS, -0.005 * f64::from(k));
    let left = (1..=20).rev().map(|k| straight(-1.0, k));
    let arc = (0..=SEGMENTS).map(|k| {
        let (sin, cos) = (PI * (1.0 - f64::from(k) / f64::from(SEGMENTS))).sin_cos();
        (RADIUS * cos, RADIUS * sin)
    });
    let right = (1..=20).map(|k| straight(1.0, k));
    let points: Vec<String> =
        left.chain(arc).chain(right).map(|(x, y)| format!("({x:?}, {y:?}, 0)")).collect();
    format!(
        r#"(
            version: 2,
            materials: {{"rope": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3), damping: [Mass(rate: 20)])}},
            bodies: [(
                name: "rope", shape: Curve(points: [{}]), kind: Rod(radius: 0.001, rest_shape: Straight),
                material: "rope", friction: {FRICTION},
                hold: [(region: Nodes([0]), motion: Move(velocity: (0, -0.02, 0)))],
                terms: [Force(force: (0, -1, 0), region: Nodes([{}]))],
            )],
            gravity: (0, 0, 0),
            obstacles: [Shape(
                name: "drum", shape: Cylinder(radius: 0.05, height: 0.05, rings: 24, layers: 1),
                placement: (rotate: [(axis: (1, 0, 0), degrees: 90)]), friction: {FRICTION},
            )],
            contact: Barrier(d_hat: 5e-4, kappa: 1e6, friction_rule: Min),
            integrator: {integrator},
            time: (step: 0.005, duration: 0.3),
        )"#,
        points.join(", "),
        points.len() - 1,
    )
}

/// The tension grows by `exp(mu angle)` around the drum. The rope and the drum are polygons, and the rope resists bending.
#[test]
fn rope_over_a_drum_holds_exp_mu_angle_times_its_load() {
    let expected = (FRICTION * PI).exp();
    for integrator in ["ImplicitEuler", "Bdf2", "ASearch()"] {
        let mut rope = Simulation::begun(&rope_over_drum(integrator));
        (0..40).for_each(|_| drop(rope.advance()));
        let steps = 10;
        let mut upward = 0.0;
        for _ in 0..steps {
            drop(rope.advance());
            let pairs = rope.world.contact_forces(0.005).expect("there is contact").pairs;
            upward += pairs.iter().map(|pair| pair.normal.y + pair.friction.y).sum::<f64>();
        }
        let tension = upward / f64::from(steps) - 1.0;
        assert!(
            (tension / expected - 1.0).abs() < 0.01,
            "{integrator}: {tension} N, not {expected} N"
        );
    }
}
