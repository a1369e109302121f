//! The work of springs whose targets accelerate: attachments and hinges to moving points.

use super::Simulation;

/// The kinetic energies (J) after each step, and the work (J) of the targets, of a scene in steps of 1/`rate` s.
fn energies(
    body: &str,
    joints: &str,
    gravity: f64,
    integrator: &str,
    [rate, steps]: [u32; 2],
) -> (Vec<f64>, f64) {
    let mut simulation = Simulation::new(&format!(
        r#"(
            version: 2,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
            bodies: [({body})],
            joints: [{joints}],
            gravity: (0, {gravity:?}, 0),
            contact: Off,
            integrator: {integrator},
            time: (step: "1/{rate}", duration: 10),
        )"#
    ));
    let mut kinetic = vec![simulation.observe().kinetic()];
    let mut work = 0.0;
    for _ in 0..steps {
        let record = simulation.advance();
        work += record.work.iter().sum::<f64>();
        kinetic.push(record.observed.kinetic());
    }
    (kinetic, work)
}

/// A mass of 1 kg that a stiff spring carries round a circle of 1 m at 6 rad/s keeps its energy of 18 J, and its target
/// does no work. A-search had 0.2 to 90 J at 1/60 s before its targets contained the lag of velocities.
#[test]
fn a_circling_target_does_no_work() {
    let body = r#"name: "mass", shape: Particles(positions: [(0, 0, 0)], masses: [1]), velocity: (0, 6, 0),
        attach: [(region: All, stiffness: 1e5, motion: Move(angular_velocity: (0, 0, 6), pivot: (-1, 0, 0)))]"#;
    for integrator in ["ASearch()", "ImplicitEuler", "TrBdf2", "Bdf2"] {
        for rate in [60, 120] {
            let (kinetic, work) = energies(body, "", 0.0, integrator, [rate, 3 * rate]);
            let errors = kinetic.iter().map(|kinetic| (kinetic - 18.0).abs());
            let largest_error = errors.fold(0.0, f64::max);
            assert!(largest_error < 0.05 * 18.0, "{integrator}, 1/{rate} s: {largest_error} J");
            assert!(work.abs() < 0.05 * 18.0, "{integrator}, 1/{rate} s: work of {work} J");
        }
    }
}

/// A hanging bar of 0.16 kg whose hinge accelerates at 3 m/s^2 for 1.5 s is in equilibrium at atan(3/g). All work becomes
/// kinetic energy, 1.62 J. The work was 48.5 J at 1/60 s.
#[test]
fn an_accelerated_hinge_does_the_work_of_the_motion() {
    let body = r#"name: "bar", shape: Box(size: (0.02, 0.4, 0.02), cells: (1, 1, 1)), kind: Affine, material: "m",
        placement: (rotate: [(axis: (0, 0, 1), degrees: -17.004176876155448)],
            translate: (-0.058488283758660456, -0.1912566878908197, 0))"#;
    let hinge = r#"Hinge(a: "bar", at: (0, 0, 0), axis: (0, 0, 0.02), stiffness: 1e5,
        motion: Displacement(("1.5*t^2", 0, 0)))"#;
    for (integrator, tolerance) in
        [("ASearch()", 0.05), ("ImplicitEuler", 0.05), ("TrBdf2", 1e-3), ("Bdf2", 1e-2)]
    {
        for rate in [60, 240] {
            let steps = 3 * rate / 2;
            let (kinetic, work) = energies(body, hinge, -9.81, integrator, [rate, steps]);
            let expected = 0.5 * 0.16 * 4.5 * 4.5;
            let kinetic = kinetic[kinetic.len() - 1];
            for (what, energy) in [("work", work), ("kinetic energy", kinetic)] {
                let error = (energy / expected - 1.0).abs();
                assert!(error < tolerance, "{integrator}, 1/{rate} s: {what} of {energy} J");
            }
        }
    }
}
