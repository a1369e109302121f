//! The energy that A-search keeps is in the motion.

use super::Simulation;

/// A stiff affine ball that falls a quarter of a metre, over and over, without friction and damping.
fn ball(correction: &str, flight: &str) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{"m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3))}},
            bodies: [(
                name: "ball",
                shape: Sphere(radius: 0.05, subdivisions: 3),
                kind: Affine,
                material: "m",
                friction: 0,
                placement: (translate: (0, 0.3, 0)),
            )],
            gravity: (0, -9.81, 0),
            obstacles: [Plane(name: "f", point: (0, 0, 0), normal: (0, 1, 0), friction: 0)],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            flight: {flight},
            integrator: ASearch(correction: {correction}),
            time: (step: "1/120", duration: 20),
        )"#
    ))
}

/// How high (m) the ball rises in the last second of twelve, and the kinetic energy of velocities that no step within three
/// moved with, over all.
fn bounce(correction: &str, flight: &str) -> (f64, f64) {
    let mut ball = ball(correction, flight);
    let (mut energies, mut rise) = (Vec::new(), 0.0_f64);
    for step in 0..12 * 120 {
        let record = ball.advance();
        assert_eq!(record.dissipated[0], 0.0, "heat where nothing rubs, damps or yields");
        energies.push([record.observed.bodies[0].kinetic, record.motion[0]]);
        if step >= 11 * 120 {
            rise = rise.max(ball.com().y - 0.05);
        }
    }
    let idle = |(step, [kinetic, _]): (usize, &[f64; 2])| {
        let near = &energies[step.saturating_sub(3)..energies.len().min(step + 4)];
        (kinetic - near.iter().map(|[_, motion]| *motion).fold(0.0, f64::max)).max(0.0)
    };
    let all: f64 = energies.iter().map(|[kinetic, _]| kinetic).sum();
    (rise, energies.iter().enumerate().map(idle).sum::<f64>() / all)
}

/// Under the paper's rule the energy goes from the bounce into strain velocities that move nothing, where flights are not followed: what
/// they lose is paid into what moves least.
#[test]
fn energy_conserving_ball_keeps_bouncing() {
    let (rise, idle) = bounce("Resolved()", "Plain");
    assert!(rise > 0.22, "{rise} m of 0.25 m");
    assert!(idle < 0.08, "{idle} of the kinetic energy is in no motion");
    let (_, of_paper) = bounce("Plain", "Plain");
    for correction in ["Resolved()", "Plain"] {
        let (rise, idle) = bounce(correction, "Exact");
        assert!(rise > 0.235, "{rise} m of 0.25 m under {correction}");
        assert!(idle < 0.02, "{idle} of the kinetic energy is in no motion under {correction}");
    }
    assert!(of_paper > 2.0 * idle, "{of_paper} under the paper's rule, {idle} under the other");
}
