//! Torques on bodies.

use super::Simulation;
use resile_math::Vec3;

fn bar(kind: &str, terms: &str, [integrator, time]: [&str; 2]) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e7, poisson: 0.3)) }},
            bodies: [(
                name: "bar",
                shape: Box(size: (0.1, 0.1, 0.4), cells: (2, 2, 4)),
                material: "m",
                {kind}
                terms: [{terms}],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: {integrator},
            {time}
        )"#
    ))
}

/// The support of a twisted bar bears the torque and no force.
#[test]
fn support_of_a_bar_bears_the_torque_and_no_force() {
    let hold =
        "hold: [(region: Plane(point: (0, 0, -0.1999), normal: (0, 0, -1)), motion: Fixed)],";
    let time = "analysis: Static, time: (step: 1, duration: 1), solver: (tolerance: 1e-10),";
    for load in ["spread: Area", "spread: Area, follows: false", "spread: Mass"] {
        let face = "region: Plane(point: (0, 0, 0.1999), normal: (0, 0, 1))";
        let term = format!("Torque(torque: (0, 3, 20), {face}, {load})");
        let mut bar = bar(hold, &term, ["ImplicitEuler", time]);
        let start = bar.world.state(0).positions.clone();
        bar.world.load_step(1.0, 1.0).expect("an equilibrium");
        let now = bar.world.state(0).positions.clone();
        let turned = (0..now.len()).map(|i| (now[i] - start[i]).length()).fold(0.0, f64::max);
        assert!(turned > 1e-5, "{turned} m");
        let forces = bar.world.net_forces().remove(0);
        let on_support = |&i: &usize| start[i].z < -0.1999;
        let sum = |of: &dyn Fn(usize) -> Vec3| -> Vec3 {
            (0..now.len()).filter(on_support).map(of).sum()
        };
        let (force, torque) = (sum(&|i| forces[i]), sum(&|i| now[i].cross(forces[i])));
        // Forces that keep their direction lose some of the torque as their levers turn.
        let tolerance = if load.ends_with("false") { 1e-2 } else { 1e-6 };
        assert!(force.length() < 1e-4, "{load}: {force} N");
        let error = (torque - Vec3::new(0.0, 3.0, 20.0)).length();
        assert!(error < tolerance * 20.0, "{load}: {torque} N m");
    }
}

/// A free body under a constant torque about an axis of inertia turns by `M t^2 / (2 I)`, and the work is `M` times that angle.
/// The error falls with the step, as the load is that of the start of each step.
#[test]
fn free_body_spins_up_by_its_inertia() {
    let (torque, inertia) = (0.01, 1000.0 * 0.004 * 0.02 / 12.0);
    let term = format!("Torque(torque: (0, 0, {torque}))");
    let errors = [200, 400].map(|steps| {
        let time = format!("time: (step: \"1/{steps}\", duration: 1), solver: (tolerance: 1e-6),");
        let mut bar = bar("", &term, ["ImplicitMidpoint", &time]);
        let start = bar.observe().total();
        (0..steps).for_each(|_| drop(bar.advance()));
        let gained = bar.observe().total() - start;
        let work = 0.5 * torque * torque / inertia;
        assert!(bar.com().length() < 1e-9, "{}", bar.com());
        (gained - work).abs() / work
    });
    assert!(errors[0] < 1e-3 && errors[1] < 0.6 * errors[0], "{errors:?}");
}

/// A free cube under the torque `T sin(w t)` has the angular momentum `T / w (1 - cos(w t))`; the error of first order is below
/// the change of its phase in a step. Where the cube is slow, an error of its energy target permits a large change of its
/// momentum.
#[test]
fn varying_torque_leaves_no_spin() {
    let (torque, frequency) = (0.01, 4.0 * std::f64::consts::PI);
    let mut cube = Simulation::begun(
        r#"(
            version: 1,
            materials: { "m": (density: 1000, model: NeoHookean(young: 1e7, poisson: 0.3)) },
            bodies: [(name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "m",
                terms: [Torque(torque: (0, 0, 0.01), factor: Sine(frequency: 2))])],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ASearch(),
            time: (step: "1/120", duration: 6),
        )"#,
    );
    for step in 1..=720 {
        drop(cube.advance());
        let time = f64::from(step) / 120.0;
        let spin = cube.world.momenta().angular.z * frequency / torque;
        let error = spin - (1.0 - (frequency * time).cos());
        assert!(error.abs() < frequency / 120.0, "{error} at {time} s");
    }
}
