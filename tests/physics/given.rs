//! What is given from outside: forces, pressure, gravity that changes, obstacles that move.

use super::Simulation;
use resile_math::Vec3;
use resile_world::StepFailure;

/// Energy gained is work done, where gravity changes and a force comes and goes.
#[test]
fn switched_loads_book_their_energy_as_work() {
    // Linear potentials, which the midpoint rule takes exactly; switches between two steps.
    let mut body = Simulation::new(
        r#"(
            version: 1,
            bodies: [(
                name: "stone",
                shape: Particles(positions: [(0, 1, 0), (0.2, 1, 0)], masses: [0.5, 1.5]),
                velocity: (1, 2, 0),
                terms: [Force(force: (3, 0, 1), start: 0.2025, end: 0.5025)],
            )],
            gravity: (0, -9.8, 0),
            gravity_changes: [(start: 0.3025, gravity: (0, 0, 2)), (start: 0.7025, gravity: (0, -9.8, 0))],
            integrator: ImplicitMidpoint,
            time: (step: 0.005, duration: 1),
        )"#,
    );
    let start = body.observe().total();
    let mut work = 0.0;
    for _ in 0..200 {
        work += body.advance().work.iter().sum::<f64>();
    }
    let gain = body.observe().total() - start;
    // A step in which something is switched feels one value all the way: an error of
    // h/2 in the time of the switch, each of some tens of watts.
    assert!(gain.abs() > 5.0, "there is something to pay for: {gain} J");
    assert!((gain - work).abs() < 0.02 * gain.abs(), "{gain} J by {work} J of work");
}

/// Where a switch is at the end of a step, sums and multiples of the step differ in their
/// last bits: it is paid for once all the same, in the step from which on it is felt.
#[test]
fn switch_at_a_step_end_is_booked_in_the_next_step() {
    let pairs = [("0.01", 0.1), ("\"1/30\"", 0.2), ("\"1/120\"", 0.05), ("\"1/120\"", 0.1)];
    for (step, switch) in pairs.into_iter().chain([("\"1/120\"", 0.55)]) {
        for stepping in ["", "adaptive: Doubling(error: 1e-4)"] {
            let case = format!("{step} s, {switch} s {stepping}");
            let mut stone = Simulation::new(&format!(
                r#"(
                    version: 1,
                    bodies: [(
                        name: "stone",
                        shape: Particles(positions: [(0, 5, 0)], masses: [2]),
                        terms: [Force(force: (0, 20, 0), start: {switch})],
                    )],
                    gravity: (0, -10, 0),
                    gravity_changes: [(start: {switch}, gravity: (0, -30, 0))],
                    integrator: ImplicitEuler,
                    time: (step: {step}, duration: 1, {stepping}),
                )"#
            ));
            let start = stone.observe().total();
            let (mut work, mut paid, mut felt) = (0.0, Vec::new(), Vec::new());
            let h = stone.step.seconds();
            for k in 1..=(0.6 / h) as usize {
                let before = stone.velocity().y;
                let own = stone.advance().work[0];
                work += own;
                paid.extend((own != 0.0).then_some(k));
                let acceleration = (stone.velocity().y - before) / h;
                felt.extend((acceleration < -10.0 - 1e-6).then_some(k));
            }
            // (m g - F) y by the switch, of which each part alone is several times as much.
            assert!((work - 20.0 * 5.0).abs() < 40.0, "{case}: {work} J");
            assert_eq!(paid.len(), 1, "{case}: paid in steps {paid:?}");
            assert_eq!(paid[0], felt[0], "{case}: felt in steps {felt:?}");
            // Implicit Euler loses m g^2 h^2 / 2 a step; a step takes the switch too early.
            let gain = stone.observe().total() - start;
            assert!((gain - work).abs() < 400.0 * h, "{case}: {gain} J by {work} J of work");
        }
    }
}

/// `u = p R^2 (1 - nu) / 2 E t` (Timoshenko and Woinowsky-Krieger, section 114).
#[test]
fn pressurised_sphere_grows_by_membrane_theory() {
    let (radius, thickness, young, poisson, pressure) = (0.1, 1e-3, 1e6, 0.3, 100.0);
    let mut balloon = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "skin": (density: 1000, model: StVK(young: {young}, poisson: {poisson})) }},
            bodies: [(
                name: "balloon",
                shape: Sphere(radius: {radius}, subdivisions: 3),
                kind: Shell(thickness: {thickness}),
                material: "skin",
                terms: [Pressure(pressure: {pressure})],
                damping: [Mass(rate: 20)],
            )],
            gravity: (0, 0, 0),
            integrator: ImplicitEuler,
            time: (step: "1/30", duration: 2),
            solver: (tolerance: 1e-6),
        )"#
    ));
    let size = |body: &Simulation| -> f64 {
        let x = &body.world.state(0).positions;
        x.iter().map(|x| x.length()).sum::<f64>() / x.len() as f64
    };
    let before = size(&balloon);
    (0..40).for_each(|_| drop(balloon.advance()));
    let grown = size(&balloon) - before;
    let expected = pressure * radius * radius * (1.0 - poisson) / (2.0 * young * thickness);
    assert!((grown / expected - 1.0).abs() < 0.02, "{grown} m, not {expected} m");
}

/// A ram that would crush a cube against the floor stops the run, and crosses nothing.
#[test]
fn obstacle_driven_through_a_body_fails_the_step() {
    let mut press = Simulation::new(
        r#"(
            version: 1,
            materials: { "rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3)) },
            bodies: [(
                name: "cube",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                material: "rubber",
                placement: (translate: (0, 0.052, 0)),
                friction: 0.5,
            )],
            gravity: (0, -9.8, 0),
            obstacles: [
                Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5),
                Shape(
                    name: "ram",
                    shape: Box(size: (0.3, 0.02, 0.3), cells: (1, 1, 1)),
                    placement: (translate: (0, 0.13, 0)),
                    friction: 0.5,
                    motion: Move(velocity: (0, -1, 0)),
                ),
            ],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: ImplicitEuler,
            time: (step: "1/60", duration: 1),
            solver: (max_halvings: 2, max_iterations: 60),
        )"#,
    );
    let mut failure = None;
    for _ in 0..12 {
        match press.try_advance() {
            Ok(_) => assert_eq!(press.world.intersections(1), []),
            Err(stop) => {
                failure = Some(stop);
                break;
            }
        }
    }
    let failure = failure.expect("there is no room for the cube");
    let StepFailure::Unsolved { bodies, substeps, .. } = failure else { panic!("{failure}") };
    assert_eq!((bodies.as_slice(), substeps), (&["cube".to_owned()][..], 4));
    assert_eq!(press.world.intersections(1), []);
    // The ram was carried on its way until then.
    let lowest = |b: usize| {
        let x = &press.world.state(b).positions;
        x.iter().map(|x: &Vec3| x.y).fold(f64::INFINITY, f64::min)
    };
    assert!(lowest(0) > 0.0, "the cube is above the floor");
}
