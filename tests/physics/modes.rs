//! Natural modes against theory.

use super::Simulation;
use resile_integrators::Mode;
use resile_math::Vec3;
use resile_system::State;
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

/// Modes of a body, and the changes of its forces along each of them by central differences of the forces that the world
/// reports: `u_i . dF/dx u_j`, which has to be `-square` for equal modes and to be antisymmetric otherwise.
fn check_against_forces(body: &str) -> (Vec<Mode>, f64) {
    let mut simulation = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3)) }},
            bodies: [{body}],
            gravity: (0, 0, 0),
            contact: Off,
            analysis: Static,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#
    ));
    simulation.world.load_step(1.0, 1.0).expect("an equilibrium");
    let world = &mut simulation.world;
    let modes = world.modes(0, 10).expect("a definite stiffness");
    let state = world.state(0).clone();
    let mut forces_at = |shape: &[Vec3], scale: f64| {
        let positions = state.positions.iter().zip(shape).map(|(x, u)| *x + *u * scale).collect();
        world.set_state(0, State { positions, ..state.clone() });
        world.net_forces().swap_remove(0)
    };
    let changes: Vec<Vec<Vec3>> = modes
        .iter()
        .map(|mode| {
            let shape = &mode.pair.vector;
            let largest = shape.iter().map(|u| u.length()).fold(0.0, f64::max);
            let step = 1e-5 / largest;
            let pairs = forces_at(shape, step).into_iter().zip(forces_at(shape, -step));
            pairs.map(|(high, low)| (high - low) / (2.0 * step)).collect()
        })
        .collect();
    let work = |i: usize, j: usize| -> f64 {
        modes[i].pair.vector.iter().zip(&changes[j]).map(|(u, f)| u.dot(*f)).sum()
    };
    let scale = modes[9].square;
    let mut largest_antisymmetric: f64 = 0.0;
    for i in 0..modes.len() {
        for j in 0..=i {
            let expected = if i == j { -modes[i].square } else { 0.0 };
            let symmetric = 0.5 * (work(i, j) + work(j, i));
            let error = (symmetric - expected).abs();
            assert!(error < 1e-5 * scale, "{i}, {j}: {symmetric}, not {expected}");
            largest_antisymmetric = largest_antisymmetric.max((work(i, j) - work(j, i)).abs());
        }
    }
    (modes, largest_antisymmetric / scale)
}

/// Loads that have a potential: a balloon with gas, and a tube between planes of symmetry under pressure.
#[test]
fn modes_have_the_whole_stiffness_of_follower_loads_with_a_potential() {
    let balloon = r#"(
        name: "balloon", shape: Sphere(radius: 0.1, subdivisions: 1), kind: Shell(thickness: 5e-3), material: "m",
        terms: [Gas(pressure: 1e5, outside: 1e5, exponent: 1.4, factor: Table(points: [(0, 1), (1, 1.01)]))],
    )"#;
    let slice = r#"(
        name: "slice", shape: Box(size: (0.4, 0.05, 0.1), cells: (4, 1, 1)), material: "m",
        hold: [
            (region: Plane(point: (-0.1999, 0, 0), normal: (-1, 0, 0)), motion: Fixed),
            (region: Plane(point: (0.1999, 0, 0), normal: (1, 0, 0)), motion: Fixed),
            (region: Plane(point: (0, 0, 0.0499), normal: (0, 0, 1)), motion: Fixed, axes: "z"),
            (region: Plane(point: (0, 0, -0.0499), normal: (0, 0, -1)), motion: Fixed, axes: "z"),
        ],
        terms: [SurfacePressure(pressure: 2000, region: Plane(point: (0, 0.0249, 0), normal: (0, 1, 0)))],
    )"#;
    for body in [balloon, slice] {
        let (modes, antisymmetric) = check_against_forces(body);
        assert!(antisymmetric < 1e-5, "{antisymmetric}");
        assert!(modes.iter().all(|mode| mode.asymmetry == 0.0), "{modes:?}");
    }
}
