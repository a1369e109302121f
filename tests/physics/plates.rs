//! Shells that bend as plates.

use super::Simulation;
use std::f64::consts::PI;

const YOUNG: f64 = 1e8;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 1000.0;

fn scene(shape: &str, thickness: f64, body: &str, more: &str) -> String {
    format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: {DENSITY}, model: StVK(young: {YOUNG}, poisson: {POISSON})) }},
            bodies: [(name: "plate", shape: {shape}, kind: Shell(thickness: {thickness}), material: "m", {body})],
            gravity: (0, 0, 0),
            {more}
        )"#
    )
}

/// A strip, 0.3 m by 0.03 m by 1 mm, whose ends are turned against each other by ten degrees: Saint-Venant's
/// `G b t^3 phi^2 / (6 L)`.
#[test]
fn twisted_strip_has_the_energy_of_a_plate() {
    let (length, width, thickness, angle) = (0.3_f64, 0.03_f64, 1e-3_f64, PI / 18.0);
    let shear = YOUNG / (2.0 * (1.0 + POISSON));
    let expected = shear * width * thickness.powi(3) / 6.0 * angle * angle / length;
    for cells in ["(30, 3)", "(60, 6)"] {
        let shape = format!("Sheet(size: ({length}, {width}), cells: {cells})");
        let hold = "hold: [(region: Plane(point: (-0.1499, 0, 0), normal: (-1, 0, 0)), motion: Fixed), \
            (region: Plane(point: (0.1499, 0, 0), normal: (1, 0, 0)), motion: Keys(keys: [(time: 0), \
            (time: 1, rotate: (axis: (1, 0, 0), degrees: 10))], pivot: (0, 0, 0), interpolation: Smooth))]";
        let more = "integrator: ImplicitEuler, time: (step: \"1/20\", duration: 3), solver: (tolerance: 1e-7),";
        let mut run = Simulation::new(&scene(&shape, thickness, hold, more));
        for _ in 0..60 {
            run.advance();
        }
        let energy = run.observe().potential();
        assert!((energy / expected - 1.0).abs() < 0.02, "{cells}: {energy} J for {expected} J");
    }
}

/// A square held along its rim swings at `pi / a^2 sqrt(D / (rho t))`.
#[test]
fn supported_square_vibrates_at_the_plate_frequency() {
    let (side, thickness) = (0.2_f64, 2e-3_f64);
    let rigidity = YOUNG * thickness.powi(3) / (12.0 * (1.0 - POISSON * POISSON));
    let expected = PI / (side * side) * (rigidity / (DENSITY * thickness)).sqrt();
    let shape = format!("Sheet(size: ({side}, {side}), cells: (16, 16))");
    let body = "hold: [(region: Boundary, motion: Fixed)], velocity: (0, 0.0005, 0)";
    let more = "integrator: ImplicitMidpoint, time: (step: \"1/1500\", duration: 0.4), solver: (tolerance: 1e-8),";
    let mut run = Simulation::new(&scene(&shape, thickness, body, more));
    let middle = 8 * 17 + 8;
    let mut heights = Vec::new();
    for _ in 0..600 {
        run.advance();
        heights.push(run.world.state(0).positions[middle].y);
    }
    let changes: Vec<f64> = (0..)
        .zip(heights.windows(2))
        .filter(|(_, pair)| pair[0] * pair[1] < 0.0)
        .map(|(step, pair)| f64::from(step) + pair[0] / (pair[0] - pair[1]))
        .collect();
    let span = (changes[changes.len() - 1] - changes[0]) / 1500.0;
    let frequency = (changes.len() - 1) as f64 / (2.0 * span);
    assert!((frequency / expected - 1.0).abs() < 0.02, "{frequency} Hz for {expected} Hz");
}
