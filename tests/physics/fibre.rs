//! Fibres stiffen a body along themselves, and turn with it.

use super::Simulation;
use super::settle::settle;

/// How far the lower end of a bar of 1 m sinks under its weight (m). The bar is a shape
/// along z, hung up along y.
fn sag(direction: &str, elements: &str) -> f64 {
    let mut bar = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "muscle": (
                density: 1000,
                model: Fibre(young: 1e6, poisson: 0, stiffness: 5e5, direction: {direction}),
            ) }},
            bodies: [(
                name: "bar",
                shape: Box(size: (0.1, 0.1, 1), cells: (1, 1, 8)),
                elements: {elements},
                material: "muscle",
                placement: (rotate: [(axis: (1, 0, 0), degrees: 90)]),
                friction: 0,
                hold: [(region: Plane(point: (0, 0.5, 0), normal: (0, 1, 0)), motion: Fixed)],
            )],
            gravity: (0, -0.981, 0),
            integrator: ImplicitEuler,
            solver: (tolerance: 1e-8),
            time: (step: "1/120", duration: 1),
        )"#
    ));
    settle(&mut bar).unwrap_or_else(|failure| panic!("{failure}"));
    let lowest = bar.world.state(0).positions.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    -0.5 - lowest
}

/// Young's modulus along fibres in tension is `E + 4 k1`, three times that of the matrix here.
/// Across them a bar that does not narrow leaves them slack.
#[test]
fn hanging_bar_is_stiff_along_fibres_and_soft_across() {
    let analytic = 1000.0 * 0.981 / (2.0 * 1e6);
    for elements in ["Linear", "Quadratic"] {
        let (along, across) = (sag("(0, 0, 2)", elements), sag("(1, 0, 0)", elements));
        // To the size of the strain and of what is left when it is settled.
        assert!((across / analytic - 1.0).abs() < 0.01, "{elements}: {across} {analytic}");
        assert!((across / along - 3.0).abs() < 0.01, "{elements}: {across} {along}");
    }
}
