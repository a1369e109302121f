//! Natural modes against theory.

use super::Simulation;
use resile_integrators::Mode;
use std::f64::consts::TAU;

fn modes(body: &str, count: usize) -> (Simulation, Vec<Mode>) {
    let simulation = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: StVK(young: 1e7, poisson: 0.3)) }},
            bodies: [{body}],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#
    ));
    let found = simulation.world.modes(0, count).expect("a definite stiffness");
    (simulation, found)
}

/// `1.8751^2 / 2 pi sqrt(E I / rho A L^4)` in both directions, `4.6941^2` for the second pair; a beam of 20 : 1 is slightly
/// softer by shear.
#[test]
fn cantilever_has_the_frequencies_of_beam_theory() {
    let (_, found) = modes(
        r#"(
            name: "beam", shape: Box(size: (1, 0.05, 0.05), cells: (20, 1, 1)), elements: Quadratic, material: "m",
            hold: [(region: Plane(point: (-0.499999, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],
        )"#,
        4,
    );
    let unit = (1e7 * 0.05_f64.powi(2) / 12.0 / 1000.0).sqrt() / TAU;
    for (mode, factor) in found.iter().zip([1.87510, 1.87510, 4.69409, 4.69409]) {
        let theory = factor * factor * unit;
        let ratio = mode.frequency / theory;
        assert!((0.975..1.01).contains(&ratio), "{} Hz, not {theory} Hz", mode.frequency);
    }
}

/// Six rigid motions without stiffness, and then shapes; all orthonormal in the inner product of the masses.
#[test]
fn free_body_has_six_rigid_modes_and_orthonormal_shapes() {
    let (simulation, found) = modes(
        r#"(name: "b", shape: Box(size: (0.3, 0.2, 0.1), cells: (3, 2, 2)), material: "m")"#,
        12,
    );
    let lowest = found[6].square;
    for (k, mode) in found.iter().enumerate() {
        let is_rigid = mode.square.abs() < 1e-6 * lowest;
        assert_eq!(is_rigid, k < 6, "mode {k}: {} of {lowest}", mode.square);
    }
    let masses = simulation.world.masses(0);
    for (i, a) in found.iter().enumerate() {
        for (j, b) in found.iter().enumerate() {
            let pairs = a.pair.vector.iter().zip(&b.pair.vector);
            let product: f64 = pairs.zip(masses).map(|((a, b), m)| m * a.dot(*b)).sum();
            assert!(
                (product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-10,
                "{i}, {j}: {product}"
            );
        }
    }
}

/// A free square plate: `13.468 / (2 pi a^2) sqrt(D / rho t)` for nu = 0.3 (Leissa, *Vibration of Plates*, 1969).
#[test]
fn free_plate_has_the_frequency_of_plate_theory() {
    let (_, found) = modes(
        r#"(name: "plate", shape: Sheet(size: (1, 1), cells: (16, 16)), kind: Shell(thickness: 1e-2), material: "m")"#,
        7,
    );
    let rigidity = 1e7 * 1e-6 / (12.0 * (1.0 - 0.09));
    let theory = 13.468 / TAU * f64::sqrt(rigidity / (1000.0 * 1e-2));
    let ratio = found[6].frequency / theory;
    assert!((ratio - 1.0).abs() < 0.015, "{} Hz, not {theory} Hz", found[6].frequency);
    assert!(found[5].frequency.abs() < 1e-2 * theory, "{} Hz", found[5].frequency);
}

/// A mass between two stretched springs: `2 k / m` along them, and by their tension T alone `2 T / (l m)` across.
#[test]
fn prestress_adds_geometric_stiffness() {
    let (stiffness, rest, length, mass) = (50.0, 0.8, 1.0, 0.3);
    let (_, found) = modes(
        &format!(
            r#"(
                name: "string",
                shape: Line(from: (-{length}, 0, 0), to: ({length}, 0, 0), nodes: 3, mass: {}),
                terms: [Springs(stiffness: {stiffness}, rest: {rest}, law: Hooke)],
                hold: [(region: Nodes([0, 2]), motion: Fixed)],
            )"#,
            3.0 * mass
        ),
        3,
    );
    let masses = found[0].pair.vector[1].length_squared().recip();
    let across = 2.0 * stiffness * (length - rest) / (length * masses);
    let along = 2.0 * stiffness / masses;
    for (mode, theory) in found.iter().zip([across, across, along]) {
        assert!((mode.square / theory - 1.0).abs() < 1e-9, "{}, not {theory}", mode.square);
    }
}
