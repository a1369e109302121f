//! Sheets in the air.

use super::Simulation;
use resile_math::Vec3;

/// A square of cloth of side 0.4 m that lies flat, in air at the velocity.
fn sheet(velocity: [f64; 3], gravity: f64, integrator: &str) -> Simulation {
    let [x, y, z] = velocity;
    Simulation::new(&format!(
        r#"(
            version: 1,
            bodies: [(
                name: "sheet",
                shape: Sheet(size: (0.4, 0.4), cells: (3, 3)),
                kind: Shell(thickness: 1e-3),
                material: "cotton",
            )],
            gravity: (0, -{gravity}, 0),
            wind: (velocity: ({x}, {y}, {z}), density: 1.2, drag: 1.25),
            integrator: {integrator},
            time: (step: "1/100", duration: 10),
            solver: (tolerance: 1e-9),
        )"#
    ))
}

/// `m g = c rho A v^2 / 2`: of cloth of 0.24 kg/m^2 in still air, and as much faster in a wind from above.
#[test]
fn flat_sheet_falls_at_its_terminal_velocity() {
    let speed = (2.0 * 0.24 * 9.81 / (1.25 * 1.2_f64)).sqrt();
    for integrator in ["ImplicitEuler", "Bdf2", "ASearch()"] {
        for wind in [0.0, -1.5] {
            let mut sheet = sheet([0.0, wind, 0.0], 9.81, integrator);
            (0..300).for_each(|_| drop(sheet.advance()));
            let state = sheet.world.state(0);
            for velocity in &state.velocities {
                let apart = *velocity - Vec3::Y * (wind - speed);
                assert!(apart.length() < 1e-4 * speed, "{integrator}: {velocity} for {speed}");
            }
        }
    }
}

/// The energy that the sheet has is what the air has given it: from the outside, and less in each step than its work at the speed
/// of the end of the step, for implicit Euler loses half the square of the change of velocity.
#[test]
fn upward_wind_lifts_a_sheet_and_books_its_work() {
    let mut sheet = sheet([0.0, 4.0, 0.0], 0.0, "ImplicitEuler");
    let (mut energy, mut velocity) = (sheet.observe().total(), 0.0);
    let mass = sheet.world.mass();
    for _ in 0..100 {
        let record = sheet.advance();
        let now = record.observed.total();
        let gained = -record.dissipated[0];
        let next = sheet.world.momenta().linear.y / mass;
        let lost = 0.5 * mass * (next - velocity) * (next - velocity);
        assert!(gained > 0.0, "the wind drives it");
        assert!((now - energy - gained + lost).abs() < 1e-9, "{now} {energy} {gained} {lost}");
        (energy, velocity) = (now, next);
    }
    assert!(velocity > 3.0 && velocity < 4.0, "it goes towards the wind's velocity: {velocity}");
}

#[test]
fn sheet_moving_with_the_wind_has_no_drag() {
    let mut sheet = sheet([1.0, 2.0, 3.0], 0.0, "ImplicitEuler");
    let mut state = sheet.world.state(0).clone();
    state.velocities.fill(Vec3::new(1.0, 2.0, 3.0));
    sheet.world.set_state(0, state);
    let momentum = sheet.world.momenta().linear;
    (0..20).for_each(|_| drop(sheet.advance()));
    assert!((sheet.world.momenta().linear - momentum).length() < 1e-9 * momentum.length());
}
