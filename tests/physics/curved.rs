//! Solids with curved edges against the theory of the shapes that they approximate.

use super::Simulation;
use std::f64::consts::{PI, TAU};

const DENSITY: f64 = 1000.0;
const YOUNG: f64 = 1e7;
const POISSON: f64 = 0.25;
/// m.
const RADIUS: f64 = 0.5;

fn ball(layers: usize, elements: &str) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: {DENSITY}, model: StVK(young: {YOUNG}, poisson: {POISSON})) }},
            bodies: [(
                name: "ball",
                shape: Ball(radius: {RADIUS}, layers: {layers}),
                elements: {elements},
                placement: (scale: (1, 1, 1), rotate: [(axis: (1, 2, 3), degrees: 40)], translate: (0.3, 1, 0)),
                material: "m",
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#
    ))
}

/// Relative errors of the mass and of the lowest frequency, that of five torsional modes (Love 1892; Lamb 1882): with the
/// spherical Bessel functions j the first root x = 2.501 of `x j_1(x) = 4 j_2(x)`, `omega = x c / r`, `c^2 = mu / rho`.
fn errors(layers: usize, elements: &str) -> [f64; 2] {
    let simulation = ball(layers, elements);
    let mass: f64 = simulation.world.masses(0).iter().sum();
    let exact = DENSITY * 4.0 / 3.0 * PI * RADIUS.powi(3);
    let j1 = |x: f64| x.sin() / (x * x) - x.cos() / x;
    let j2 = |x: f64| (3.0 / x.powi(3) - 1.0 / x) * x.sin() - 3.0 * x.cos() / (x * x);
    let condition = |x: f64| x * j1(x) - 4.0 * j2(x);
    let [mut low, mut high] = [2.0, 3.0];
    while high - low > 1e-12 {
        let middle = 0.5 * (low + high);
        match condition(low) * condition(middle) > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    let shear = (YOUNG / (2.0 * (1.0 + POISSON)) / DENSITY).sqrt();
    let theory = low * shear / RADIUS / TAU;
    let modes = simulation.world.modes(0, 11).expect("a definite stiffness");
    let mean = modes[6..11].iter().map(|mode| mode.frequency).sum::<f64>() / 5.0;
    [mass / exact - 1.0, mean / theory - 1.0]
}

/// The figures are those of `docs/solids.md`.
#[test]
#[allow(clippy::print_stdout, reason = "the figures, where they are asked for")]
fn mass_and_frequency_of_a_curved_ball_are_nearer_to_theory_than_those_of_a_straight_one() {
    let curved = [2, 3].map(|layers| errors(layers, "Quadratic"));
    let straight = [2, 3].map(|layers| errors(layers, "StraightQuadratic"));
    println!("errors of mass and frequency: curved {curved:.5?}, straight {straight:.5?}");
    for (curved, straight) in curved.iter().zip(&straight) {
        let ratio = |k: usize| (curved[k] / straight[k]).abs();
        // Diagonal masses have an error of second order in frequencies.
        assert!(ratio(0) < 0.02 && ratio(1) < 0.6, "{curved:?} {straight:?}");
    }
}
