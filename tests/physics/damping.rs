//! Damping within bodies does not act on their rotation.

use super::Simulation;

/// The kinetic energy (J) of the rotating cube.
const START_ENERGY: f64 = 0.089;

/// A free cube that rotates at 10.3 rad/s.
fn rotating_cube(
    (young, kind): (&str, &str),
    damping: &str,
    integrator: &str,
    steps_a_second: u32,
) -> Simulation {
    Simulation::begun(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: {young}, poisson: 0.3)) }},
            bodies: [(name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), kind: {kind}, material: "m",
                angular_velocity: (1, 5, 9), damping: [{damping}])],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: {integrator},
            solver: (tolerance: 1e-6),
            time: (step: "1/{steps_a_second}", duration: 1),
        )"#
    ))
}

/// The fraction of its angular momentum that a body keeps in `steps`, and its heat (J).
fn rotate(mut body: Simulation, steps: u32) -> (f64, f64) {
    let start = body.world.momenta().angular.length();
    let heat: f64 = (0..steps).map(|_| body.advance().dissipated[0]).sum();
    (body.world.momenta().angular.length() / start, heat)
}

/// A damped body keeps at least the spin of an undamped one: integrators that lose spin by unresolved vibration lose less of it
/// with damping.
#[test]
fn damping_does_not_brake_free_rotation() {
    for integrator in ["ASearch()", "ImplicitEuler", "TrBdf2", "Bdf2", "Bathe", "Sdirk2"] {
        for (body, damping) in [
            (("1e6", "Solid"), "Stiffness(time: 2e-3)"),
            (("1e8", "Affine"), "Stiffness(time: 1e-3)"),
            (("1e8", "Affine"), "RigidPreserving(rate: 20)"),
            (("1e6", "Solid"), "RigidPreserving(rate: 20)"),
        ] {
            let (undamped, _) = rotate(rotating_cube(body, "", integrator, 120), 60);
            let (damped, heat) = rotate(rotating_cube(body, damping, integrator, 120), 60);
            let what = format!("{integrator}, {body:?}, {damping}");
            assert!(damped > undamped - 0.002, "{what}: {damped} and {undamped}");
            assert!(damped < 1.0005, "{what}: {damped}");
            if !(["Bdf2", "Sdirk2"].contains(&integrator) && damping.starts_with("Stiffness")) {
                assert!(heat.abs() < 0.005 * START_ENERGY, "{what}: {heat} J");
            }
        }
    }
}

/// The velocities of BDF2 and SDIRK2 differ from those of a rotation by terms of second order in its angle, and their heat is
/// quadratic in this difference.
#[test]
fn heat_of_rotation_falls_with_the_step() {
    for integrator in ["Bdf2", "Sdirk2"] {
        let [coarse, fine] = [120, 240].map(|steps| {
            let cube = rotating_cube(("1e6", "Solid"), "Stiffness(time: 2e-3)", integrator, steps);
            rotate(cube, steps / 2).1
        });
        assert!(
            coarse < 0.1 * START_ENERGY && fine < coarse / 5.0,
            "{integrator}: {coarse}, {fine} J"
        );
    }
}

/// One second of fast bodies, which centrifugal forces stretch, with strong damping. A rotation in which the frame of
/// damping is off by a fraction of the angle of a step drives or brakes them.
#[test]
fn damping_neither_drives_nor_brakes_fast_rotation() {
    let solid = "shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2))";
    let shell = "shape: Sheet(size: (0.1, 0.1), cells: (3, 3)), kind: Shell(thickness: 1e-2)";
    for (body, time, spin, steps_a_second) in
        [(solid, "1e-3", 50, 480), (solid, "1e-2", 20, 120), (shell, "1e-2", 50, 480)]
    {
        let rotating = |damping: &str, integrator: &str| {
            let scene = format!(
                r#"(
                    version: 2,
                    materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
                    bodies: [(name: "b", {body}, material: "m", angular_velocity: (0, {spin}, 0), damping: [{damping}])],
                    gravity: (0, 0, 0),
                    contact: Off,
                    integrator: {integrator},
                    time: (step: "1/{steps_a_second}", duration: 2),
                )"#
            );
            rotate(Simulation::begun(&scene), steps_a_second)
        };
        for integrator in ["ASearch()", "TrBdf2", "Trapezoidal", "ImplicitMidpoint", "Avf()"] {
            let stiffness = format!("Stiffness(time: {time})");
            let (kept, heat) = rotating(&stiffness, integrator);
            let what = format!("{integrator}, {body}, {time}: {kept}, heat {heat} J");
            assert!((0.965..1.002).contains(&kept) && heat > 0.0, "{what}");
        }
    }
}
