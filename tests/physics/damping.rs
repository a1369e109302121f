//! Damping within bodies does not act on their rotation.

use super::Simulation;

/// A free cube that rotates at 10.3 rad/s for half a second.
fn rotating_cube(young: &str, kind: &str, damping: &str, integrator: &str) -> Simulation {
    Simulation::begun(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: {young}, poisson: 0.3)) }},
            bodies: [(name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), kind: {kind}, material: "m",
                angular_velocity: (1, 5, 9), damping: [{damping}])],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: {integrator},
            time: (step: "1/120", duration: 1),
        )"#
    ))
}

/// The fraction of its angular momentum that a body keeps in half a second, and its heat (J).
fn rotate(mut body: Simulation) -> (f64, f64) {
    let start = body.world.momenta()[1].length();
    let heat: f64 = (0..60).map(|_| body.advance().dissipated[0]).sum();
    (body.world.momenta()[1].length() / start, heat)
}

#[test]
fn damping_does_not_brake_free_rotation() {
    let start_energy = 0.089;
    for integrator in ["ASearch()", "ImplicitEuler", "TrBdf2", "Bdf2", "Bathe", "Sdirk2"] {
        for (young, kind, damping) in [
            ("1e6", "Solid", "Stiffness(time: 2e-3)"),
            ("1e8", "Affine", "Stiffness(time: 1e-3)"),
            ("1e8", "Affine", "RigidPreserving(rate: 20)"),
            ("1e6", "Solid", "RigidPreserving(rate: 20)"),
        ] {
            let (undamped, _) = rotate(rotating_cube(young, kind, "", integrator));
            let (damped, heat) = rotate(rotating_cube(young, kind, damping, integrator));
            let what = format!("{integrator}, {kind}, {damping}");
            // Integrators that lose spin by unresolved vibration lose less of it with damping.
            assert!(damped > undamped - 0.02, "{what}: {damped} and {undamped}");
            // The Hessian of RigidPreserving is approximate for solids, so that spin is conserved within the tolerance.
            assert!(damped < 1.01, "{what}: {damped}");
            assert!(heat.abs() < 0.1 * start_energy, "{what}: {heat} J");
        }
    }
}
