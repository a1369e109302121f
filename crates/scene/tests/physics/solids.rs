//! Solids of few elements turn as the solids that they stand for.

use super::Simulation;

fn spinning(shape: &str) -> Simulation {
    Simulation::new(&format!(
        "(
            version: 1,
            materials: {{\"m\": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3))}},
            bodies: [(name: \"b\", {shape}, material: \"m\", angular_velocity: (0, 10, 0))],
            gravity: (0, 0, 0),
            integrator: ImplicitMidpoint,
            time: (step: \"1/1000\", duration: 1),
            solver: (tolerance: 1e-7),
            output: (formats: []),
        )"
    ))
}

/// A cube of 1 kg and 0.1 m has the moment of inertia 1/600 kg m^2.
#[test]
fn a_spinning_cube_of_two_cells_has_the_angular_momentum_of_a_cube() {
    let cube = "shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2))";
    let mut spinning = spinning(cube);
    let momentum = |simulation: &Simulation| simulation.world.momenta()[1].y;
    assert!((momentum(&spinning) * 60.0 - 1.0).abs() < 1e-12, "{}", momentum(&spinning));
    for _ in 0..20 {
        spinning.advance();
    }
    assert!((momentum(&spinning) * 60.0 - 1.0).abs() < 1e-5, "{}", momentum(&spinning));
}
