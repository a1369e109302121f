//! Free fall and momentum.

use super::Simulation;
use resile_math::Vec3;

const H: f64 = 1.0 / 120.0;

/// A soft cube that falls without obstacles, with this velocity and spin.
pub(super) fn falling(integrator: &str, time: &str) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3)) }},
            bodies: [(
                name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                material: "rubber", velocity: (1, 2, 0), angular_velocity: (0, 3, 5),
            )],
            gravity: (0, -9.8, 0),
            contact: Off,
            flight: Plain,
            integrator: {integrator},
            time: ({time}, duration: 1),
            solver: (tolerance: 1e-8),
        )"#
    ))
}

/// Height lost (m) after `n` steps of free fall from rest: each method's own.
fn drop_after(method: &str, n: f64) -> f64 {
    let g = 9.8 * H * H;
    match method {
        // The position moves by the velocity at the end of each step.
        "ImplicitEuler" | "A1" => g * n * (n + 1.0) / 2.0,
        _ => g * n * n / 2.0,
    }
}

#[test]
fn centre_of_mass_falls_by_the_law_of_the_integrator() {
    for method in ["ImplicitEuler", "A1", "Trapezoidal", "ImplicitMidpoint"] {
        let mut cube = falling(method, r#"step: "1/120""#);
        let start = cube.com();
        for n in 1..=40 {
            cube.advance();
            let t = f64::from(n) * H;
            let expected = start + Vec3::new(t, 2.0 * t - drop_after(method, f64::from(n)), 0.0);
            let error = (cube.com() - expected).length();
            assert!(error < 1e-8, "{method}, step {n}: off by {error:e} m");
        }
    }
}

/// Two cubes that meet off their centres, without gravity.
///
/// Only linear momentum is asked for: it is kept because forces come in pairs.
/// Angular momentum is not kept by methods of first order, nor by A-search, whose
/// positions are those of implicit Euler.
pub(super) fn collision(integrator: &str, time: &str) -> Simulation {
    collision_at(2.0, integrator, time)
}

/// With this speed (m/s) of the left cube.
pub(super) fn collision_at(speed: f64, integrator: &str, time: &str) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3)) }},
            bodies: [
                (
                    name: "left", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                    material: "rubber", velocity: ({speed}, 0.1, 0), friction: 0.5,
                    placement: (rotate: [(axis: (1, 2, 3), degrees: 30)], translate: (-0.09, 0, 0)),
                ),
                (
                    name: "right", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                    material: "rubber", velocity: (-1, 0, 0), friction: 0.5,
                    placement: (translate: (0.09, 0.03, 0.02)),
                ),
            ],
            gravity: (0, 0, 0),
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: {integrator},
            time: ({time}, duration: 1),
            solver: (tolerance: 1e-9),
        )"#
    ))
}

#[test]
fn collision_with_friction_conserves_linear_momentum() {
    for method in ["ImplicitEuler", "Bdf2", "A1", "ASearch()", "ImplicitMidpoint"] {
        let mut cubes = collision(method, r#"step: "1/120""#);
        let start = cubes.world.momenta().linear;
        // Of the relative motion, which the collision turns around.
        let scale = 2.0 * cubes.world.mass();
        let (mut touched, mut heat, mut worst) = (0, 0.0, 0.0f64);
        for _ in 0..40 {
            let record = cubes.advance();
            touched += usize::from(record.observed.certificate.contacts > 0);
            heat += record.dissipated.iter().chain(&record.rest_loss).sum::<f64>();
            worst = worst.max((cubes.world.momenta().linear - start).length() / scale);
        }
        assert!(touched > 1 && heat > 0.0, "{method}: in contact for {touched} steps, {heat} J");
        assert!(worst < 1e-9, "{method}: momentum is off by {worst:e}");
    }
}
