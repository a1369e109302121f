//! Area weights at rims of faces on planes.

use super::Simulation;

/// Torque of friction about the axis of a disc that spins on a floor, relative to that of an even pressure,
/// `2/3 mu m g R`.
fn relative_torque(rings: usize, rim_weights: bool) -> f64 {
    let (radius, friction) = (0.05, 0.3);
    let mut disc = Simulation::begun(&format!(
        r#"(
            version: 1,
            materials: {{ "s": (density: 2000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
            bodies: [(
                name: "disc", shape: Cylinder(radius: {radius}, height: 0.01, rings: {rings}, layers: 1), kind: Affine,
                material: "s", friction: {friction}, placement: (translate: (0, 0.00598, 0)),
                angular_velocity: (0, 40, 0),
            )],
            gravity: (0, -9.81, 0),
            obstacles: [Plane(name: "f", point: (0, 0, 0), normal: (0, 1, 0), friction: {friction})],
            contact: Barrier(d_hat: 1e-3, kappa: 1e6, friction_rule: Min, rim_weights: {rim_weights}),
            integrator: ASearch(),
            time: (step: "1/480", duration: 1),
        )"#
    ));
    let spin = |disc: &Simulation| disc.world.momenta_of(0).angular.y;
    (0..20).for_each(|_| drop(disc.advance()));
    let before = spin(&disc);
    (0..80).for_each(|_| drop(disc.advance()));
    let torque = (before - spin(&disc)) * 480.0 / 80.0;
    torque / (2.0 / 3.0 * friction * disc.world.mass() * 9.81 * radius)
}

/// The figures are those of `docs/contact.md`.
#[test]
#[allow(clippy::print_stdout, reason = "the figures, where they are asked for")]
fn spinning_disc_has_the_torque_of_its_face_with_rim_weights() {
    for rings in [6, 12] {
        let [with, without] = [true, false].map(|weights| relative_torque(rings, weights));
        println!("{rings} rings: torque {with:.4} with weights, {without:.4} without");
        assert!((with - 1.0).abs() < 0.02 && without > 1.06, "{rings} rings: {with}, {without}");
    }
}
