//! What relaxes: its response when it is loaded slowly and at once, and heat that all accounts know of.

use super::Simulation;
use resile_system::NodalStress;

/// A cube of 1 m between three planes of symmetry, of which 0.6 of the shear modulus relaxes, 0.4 in 0.05 s.
fn cube(elements: &str, more: &str, integrator: &str, step: f64) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (
                density: 1000,
                model: NeoHookean(young: 1e5, poisson: 0.3),
                viscosity: Prony([(modulus: 0.4, time: 0.05), (modulus: 0.2, time: 2)]),
            ) }},
            bodies: [(
                name: "cube",
                shape: Box(size: (1, 1, 1), cells: (1, 1, 1)),
                elements: {elements},
                material: "m",
                hold: [
                    (region: Plane(point: (-0.4999, 0, 0), normal: (-1, 0, 0)), motion: Fixed, axes: "x"),
                    (region: Plane(point: (0, -0.4999, 0), normal: (0, -1, 0)), motion: Fixed, axes: "y"),
                    (region: Plane(point: (0, 0, -0.4999), normal: (0, 0, -1)), motion: Fixed, axes: "z"),
                ],
                {more}
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: {integrator},
            time: (step: {step}, duration: 100),
            solver: (tolerance: 1e-9),
        )"#
    ))
}

const LOAD: &str = "terms: [Traction(traction: (100, 0, 0), region: Plane(point: (0.4999, 0, 0), normal: (1, 0, 0)))],";

/// The strain along the cube.
fn strain(cube: &Simulation) -> f64 {
    let ends = cube.world.state(0).positions.iter().map(|x| x.x);
    ends.fold(f64::NEG_INFINITY, f64::max) - 0.5
}

/// Traction over Young's modulus, with this part of the shear modulus and the whole bulk modulus.
fn elastic(part: f64) -> f64 {
    let (shear, bulk) = (part * 1e5 / 2.6, 1e5 / 1.2);
    100.0 / (9.0 * bulk * shear / (3.0 * bulk + shear))
}

#[test]
fn statics_take_the_relaxed_response() {
    for elements in ["Linear", "Quadratic"] {
        let mut cube = cube(elements, LOAD, "ImplicitEuler", 1.0);
        for end in [1.0, 2.0] {
            cube.world.load_step(1.0, end).expect("there is an equilibrium");
            let (found, expected) = (strain(&cube), elastic(0.4));
            assert!((found / expected - 1.0).abs() < 5e-3, "{elements}: {found} for {expected}");
        }
    }
}

/// The branches of the series and the spring beside them are one material.
#[test]
fn creeping_cube_has_one_stress() {
    for elements in ["Linear", "Quadratic"] {
        let mut cube = cube(elements, LOAD, "ImplicitEuler", 0.5);
        for _ in 0..6 {
            cube.advance();
            let materials = cube.world.stresses(0);
            assert_eq!(materials.len(), 1);
            let along =
                |stress: &NodalStress| stress.cauchy(0).expect("elements are around it").x_axis.x;
            let (found, whole) = (along(&materials[0]), along(&cube.world.stress(0)));
            assert!((found / whole - 1.0).abs() < 1e-9, "{elements}: {found} for {whole}");
        }
    }
}

#[test]
fn creep_ends_at_the_relaxed_response() {
    // Steps of a hundred of the longer relaxation times.
    let damped = format!("{LOAD} damping: [Mass(rate: 2e3)],");
    let mut slow = cube("Linear", &damped, "ImplicitEuler", 200.0);
    (0..30).for_each(|_| drop(slow.advance()));
    let (found, expected) = (strain(&slow), elastic(0.4));
    assert!((found / expected - 1.0).abs() < 5e-3, "{found} for {expected}");
}

/// The change of energy and the heat add up, to first order in the step: potentials relax up to the end of it.
#[test]
fn every_method_books_viscous_heat() {
    let stretched = "deform: [Stretch(axis: X, factor: 1.1)],";
    for integrator in [
        "ImplicitMidpoint",
        "Avf()",
        "GeneralizedAlpha(rho_inf: 0.8)",
        "Newmark(beta: 0.25, gamma: 0.5)",
        "TrBdf2",
        "Bdf2",
    ] {
        let lost = |step: f64| {
            let mut cube = cube("Linear", stretched, integrator, step);
            let start = cube.observe().total();
            let (mut heat, mut external) = (0.0, 0.0);
            for _ in 0..(0.4 / step).round() as usize {
                let record = cube.advance();
                assert!(record.dissipated[0] >= 0.0, "{integrator}: {} J", record.dissipated[0]);
                assert_eq!(record.plastic[0], 0.0);
                heat += record.dissipated[0];
                external += record.work[0];
            }
            assert!(external.abs() < 1e-12 * start, "{integrator}: {external} J from outside");
            assert!(heat > 0.3 * start, "{integrator}: {heat} J of {start}");
            (start - heat - cube.observe().total()).abs() / start
        };
        let (coarse, fine) = (lost(4e-3), lost(2e-3));
        assert!(coarse > 1.8 * fine, "{integrator}: {coarse}, then {fine}");
    }
}

/// Start less heat is what energy control keeps to.
#[test]
fn energy_target_decreases_by_viscous_heat() {
    for integrator in ["ASearch()", "Blend(tolerance: 0.01)"] {
        let more = "deform: [Stretch(axis: X, factor: 1.2)],";
        let mut cube = cube("Quadratic", more, integrator, 4e-3);
        let start = cube.observe().total();
        let mut heat = 0.0;
        for _ in 0..40 {
            let record = cube.advance();
            heat += record.dissipated[0] + record.rest_loss[0];
            let target = record.observed.target().expect("it has one");
            assert!((target + heat - start).abs() < 1e-9 * start, "{integrator}: {target} J");
            let over = (record.observed.total() - target) / start;
            assert!(over < 0.02, "{integrator}: {over} of the start above the target");
        }
        assert!(heat > 0.3 * start, "{integrator}: {heat} of {start} J");
    }
}
