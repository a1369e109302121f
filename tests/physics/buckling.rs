//! Load factors of linear buckling against theory.

use super::Simulation;
use resile_integrators::{BucklingError, BucklingMode};
use std::f64::consts::PI;

const YOUNG: f64 = 1e7;

/// The factors of the load that a scene of one body has at the end of its only load step.
fn buckling(body: &str, count: usize) -> Result<Vec<BucklingMode>, BucklingError> {
    let mut simulation = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{
                "m": (density: 1000, model: StVK(young: {YOUNG}, poisson: 0.3)),
                "no lateral strain": (density: 1000, model: StVK(young: {YOUNG}, poisson: 0)),
                "small strains": (density: 1000, model: Linear(young: {YOUNG}, poisson: 0.3)),
            }},
            bodies: [{body}],
            gravity: (0, 0, 0),
            contact: Off,
            analysis: Static,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#
    ));
    let unloaded = simulation.world.stiffness(0);
    simulation.world.load_step(1.0, 1.0).expect("an equilibrium");
    simulation.world.buckling(0, &unloaded, count)
}

/// A column of 20 : 1 and a load at its end, as a part of Euler's `pi^2 E I / 4 L^2`.
fn column(model: &str, part: f64) -> (String, f64) {
    let [length, width]: [f64; 2] = [1.0, 0.05];
    let euler = PI * PI * YOUNG * width.powi(4) / 12.0 / (4.0 * length * length);
    let body = format!(
        r#"(
            name: "column", shape: Box(size: (1, {width}, {width}), cells: (20, 1, 1)),
            elements: Quadratic, material: "{model}",
            hold: [(region: Plane(point: (-0.499999, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],
            terms: [Force(
                force: ({}, 0, 0), spread: Area,
                region: Plane(point: (0.499999, 0, 0), normal: (1, 0, 0)),
            )],
        )"#,
        -part * euler
    );
    (body, euler)
}

/// Once in both directions, and at nine times the load: the second mode is slightly below it by shear.
#[test]
fn solid_column_buckles_at_the_euler_load() {
    for part in [0.02, 0.2] {
        let (body, _) = column("m", part);
        let modes = buckling(&body, 4).expect("a definite stiffness");
        for (mode, theory) in modes.iter().zip([1.0, 1.0, 9.0, 9.0]) {
            let ratio = mode.factor * part / theory;
            assert!((0.95..1.02).contains(&ratio), "{ratio} of theory, with a load of {part}");
            assert!(mode.residual < 1e-6, "{}", mode.residual);
        }
        let ratio = modes[0].factor * part;
        assert!((ratio - 1.0).abs() < 0.02, "{ratio} of the load of Euler, with a load of {part}");
    }
}

/// A pulled column has factors of the opposite load alone, of which none is told.
#[test]
fn tension_has_no_load_factor_and_linear_elasticity_is_rejected() {
    let (pulled, _) = column("m", -0.1);
    let modes = buckling(&pulled, 1).expect("a definite stiffness");
    // Solids under tension buckle at strains of the order of one at least, where small parts fold.
    assert!(modes.iter().all(|mode| mode.factor * 0.1 > 100.0), "{modes:?}");
    let (linear, _) = column("small strains", 0.1);
    assert_eq!(buckling(&linear, 1).expect_err("K does not change"), BucklingError::Unchanged);
}

/// Clamped at one end, midway between two nodes that are held.
#[test]
fn rod_column_buckles_at_the_euler_load() {
    let radius = 5e-3;
    let euler = PI * PI * YOUNG * (PI / 4.0 * f64::powi(radius, 4)) / 4.0;
    let errors = [10, 20, 40].map(|pieces: usize| {
        let step = 1.0 / (pieces as f64 + 0.5);
        let point = |i: usize| format!("({}, 0, 0)", (i as f64 - 0.5) * step);
        let points: Vec<String> = (0..=pieces + 1).map(point).collect();
        let part = 0.1;
        let body = format!(
            r#"(
                name: "rod", shape: Curve(points: [{}]), kind: Rod(radius: {radius}), material: "m",
                hold: [(region: Nodes([0, 1]), motion: Fixed)],
                terms: [Force(force: ({}, 0, 0), region: Nodes([{}]))],
            )"#,
            points.join(", "),
            -part * euler,
            pieces + 1
        );
        let modes = buckling(&body, 2).expect("a definite stiffness");
        assert!((modes[0].factor / modes[1].factor - 1.0).abs() < 1e-6, "{modes:?}");
        modes[0].factor * part - 1.0
    });
    assert!(errors.iter().all(|error| error.abs() < 0.02), "{errors:?}");
    assert!(errors[2].abs() < 2e-3, "{errors:?}");
}

/// Between two hinges: `pi^2 E t^3 b / 12 L^2` without Poisson's ratio, and half waves of integer number.
#[test]
fn hinged_shell_strip_buckles_at_the_euler_load() {
    let [width, thickness] = [0.1, 5e-3];
    let euler = PI * PI * YOUNG * f64::powi(thickness, 3) * width / 12.0;
    let part = 0.1;
    let edge =
        |side: f64| format!("Plane(point: ({}, 0, 0), normal: ({side}, 0, 0))", 0.4999 * side);
    let body = format!(
        r#"(
            name: "strip", shape: Sheet(size: (1, {width}), cells: (32, 3)),
            kind: Shell(thickness: {thickness}), material: "no lateral strain",
            hold: [
                (region: {}, motion: Fixed),
                (region: {}, motion: Fixed, axes: "yz"),
            ],
            terms: [Force(force: ({}, 0, 0), region: {})],
        )"#,
        edge(-1.0),
        edge(1.0),
        -part * euler,
        edge(1.0)
    );
    let modes = buckling(&body, 2).expect("a definite stiffness");
    for (k, mode) in modes.iter().enumerate() {
        let theory = ((k + 1) * (k + 1)) as f64;
        let ratio = mode.factor * part / theory;
        assert!((ratio - 1.0).abs() < 0.02 * (k + 1) as f64, "mode {k}: {ratio} of theory");
    }
}
