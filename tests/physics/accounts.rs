//! Work of prescribed motions, heat, and energy of bodies: three columns that agree.

use super::Simulation;
use super::settle::settle;

/// What hands did, what became heat (J), and what the bodies gained, step by step.
fn columns(simulation: &mut Simulation, steps: usize) -> Vec<[f64; 3]> {
    let mut before = simulation.observe().total();
    let one = |_| {
        let record = simulation.advance();
        let gained = record.observed.total() - before;
        before += gained;
        let dissipated = record.dissipated.iter().chain(&record.rest_loss).sum();
        [record.work.iter().sum(), dissipated, gained]
    };
    (0..steps).map(one).collect()
}

fn sums(rows: &[[f64; 3]]) -> [f64; 3] {
    [0, 1, 2].map(|k| rows.iter().map(|row| row[k]).sum())
}

/// A box of 1 kg on a belt of 1 m/s.
fn belt(kind: &str, integrator: &str) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
            bodies: [(
                name: "b",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)),
                kind: {kind},
                material: "m",
                friction: 0.3,
                placement: (translate: (0, 0.05102, 0)),
            )],
            gravity: (0, -9.81, 0),
            obstacles: [Shape(
                name: "belt",
                shape: Box(size: (10, 0.1, 1), cells: (1, 1, 1)),
                placement: (translate: (0, -0.05, 0)),
                friction: 0.3,
                motion: Move(velocity: (1, 0, 0)),
            )],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: {integrator},
            time: (step: "1/240", duration: 0.5),
            solver: (tolerance: 1e-4),
        )"#
    ))
}

/// `m v^2` by the belt, half of it heat and half of it motion, whatever the coefficient.
#[test]
fn belt_does_twice_the_work_that_the_box_gains() {
    for (kind, method) in [
        ("Affine", "ImplicitEuler"),
        ("Solid", "ImplicitEuler"),
        ("Affine", "Bdf2"),
        ("Affine", "TrBdf2"),
    ] {
        let mut belt = belt(kind, method);
        let rows = columns(&mut belt, 120);
        assert!((belt.velocity().x - 1.0).abs() < 0.01, "{kind}, {method}: it is carried along");
        for [_, heat, _] in &rows {
            assert!(*heat >= -1e-12, "{kind}, {method}: rubbing does not cool: {heat} J");
        }
        let [work, heat, _] = sums(&rows);
        assert!((work - 1.0).abs() < 0.03, "{kind}, {method}: {work} J of work");
        assert!((heat - 0.5).abs() < 0.03, "{kind}, {method}: {heat} J of heat");
    }
}

/// A bar that is drawn at 1 m/s through what slows it: all of the work is heat.
#[test]
fn work_against_drag_becomes_heat() {
    let mut bar = Simulation::new(
        r#"(
            version: 1,
            materials: { "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) },
            bodies: [(
                name: "bar",
                shape: Box(size: (0.2, 0.1, 0.1), cells: (2, 1, 1)),
                material: "m",
                velocity: (1, 0, 0),
                damping: [Mass(rate: 5)],
                hold: [(region: Plane(point: (0.1, 0, 0), normal: (1, 0, 0)),
                    motion: Move(velocity: (1, 0, 0)))],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: "1/120", duration: 2),
            solver: (tolerance: 1e-6),
        )"#,
    );
    columns(&mut bar, 120);
    let [work, heat, _] = sums(&columns(&mut bar, 60));
    // eta m v^2 for half a second.
    let expected = 5.0 * bar.world.mass() * 0.5;
    assert!((heat / expected - 1.0).abs() < 1e-3, "{heat} J of {expected}");
    assert!((work / expected - 1.0).abs() < 1e-3, "{work} J of {expected}");
}

/// A press that goes down slowly and up again: what it gives it gets back.
#[test]
fn press_recovers_its_elastic_work() {
    let mut press = Simulation::new(
        r#"(
            version: 1,
            materials: { "s": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.4)) },
            bodies: [(
                name: "b",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                material: "s",
                friction: 0,
                placement: (translate: (0, 0.0515, 0)),
            )],
            gravity: (0, -9.81, 0),
            obstacles: [
                Plane(name: "f", point: (0, 0, 0), normal: (0, 1, 0), friction: 0),
                Shape(
                    name: "ram",
                    shape: Box(size: (0.6, 0.02, 0.6), cells: (1, 1, 1)),
                    placement: (translate: (0, 0.115, 0)),
                    friction: 0,
                    motion: Keys(
                        keys: [(time: 0), (time: 0.5, translate: (0, -0.05, 0)), (time: 1)],
                        interpolation: Smooth,
                    ),
                ),
            ],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: ImplicitEuler,
            time: (step: "1/120", duration: 1),
            solver: (tolerance: 1e-4),
        )"#,
    );
    let [given, _, gained] = sums(&columns(&mut press, 60));
    let [taken, _, _] = sums(&columns(&mut press, 60));
    assert!(given > 10.0, "{given} J");
    // Implicit Euler loses what the impact at the start has and no more.
    assert!((given - gained).abs() < 5e-3 * given, "{given} J of work, {gained} J gained");
    assert!((given + taken).abs() < 5e-3 * given, "{given} J and back {taken} J");
}

/// `E <- exp(-h / tau) (E + work - heat)` for a block that slides, with its energy counted from
/// where it slides: what friction takes leaves the target before the decay.
#[test]
fn energy_target_of_a_slider_loses_friction_heat_and_then_decays() {
    let (tau, h) = (0.7_f64, 1.0 / 120.0);
    let mut block = Simulation::new(
        r#"(
            version: 1,
            materials: { "wood": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) },
            bodies: [(
                name: "block",
                shape: Box(size: (0.1, 0.05, 0.1), cells: (3, 2, 3)),
                material: "wood",
                placement: (translate: (0, 0.0255, 0)),
                velocity: (2, 0, 0),
                friction: 0.5,
            )],
            gravity: (0, -9.8, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5)],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
            integrator: ASearch(target: (decay: [(start: 0, tau: 0.7)], ground: Joules(0))),
            time: (step: "1/120", duration: 1),
        )"#,
    );
    let mut expected = block.world.observe().target().or(Some(block.world.observe().total()));
    let mut heat = 0.0;
    for k in 0..30 {
        let record = block.advance();
        let found = record.observed.target().expect("A-search has one");
        let before = expected.expect("the start has an energy");
        let due = (-h / tau).exp()
            * (before + record.work[0] - (record.dissipated[0] + record.rest_loss[0]));
        assert!((found - due).abs() < 1e-9 * before, "step {k}: {found} J is not {due} J");
        heat += record.dissipated[0] + record.rest_loss[0];
        expected = Some(found);
    }
    assert!(heat > 0.1, "it rubs: {heat} J");
}

/// A ball grazes a sheet that hangs at a corner. The forces on it are those of its contacts, whatever the stiffness of
/// the barrier: the chord of a step passes closer to the sheet than both of its ends.
#[test]
fn work_of_a_grazing_obstacle_is_that_of_the_sheet() {
    for (kappa, method) in
        [(1e3, "ImplicitEuler"), (1e7, "ImplicitEuler"), (1e7, "ASearch()"), (1e7, "Bdf2")]
    {
        let mut sheet = Simulation::new(&format!(
            r#"(
                version: 2,
                bodies: [(
                    name: "cloth",
                    shape: Sheet(size: (0.5, 0.5), cells: (2, 2)),
                    kind: Shell(thickness: 8e-4, bending_model: Hinges),
                    material: "cotton",
                    placement: (translate: (-0.6, 0.5, 0)),
                    hold: [(region: Sphere(center: (-0.85, 0.5, -0.25), radius: 0.01), motion: Fixed)],
                )],
                obstacles: [Shape(
                    name: "ball",
                    shape: Sphere(radius: 0.1, subdivisions: 2),
                    motion: Move(velocity: (1.5, 0, 0)),
                    placement: (translate: (-0.6, 0.3, 0)),
                )],
                contact: Barrier(kappa: {kappa}),
                integrator: {method},
                time: (duration: 0.25),
            )"#
        ));
        let [work, heat, gained] = sums(&columns(&mut sheet, 30));
        let numerical_loss = work - heat - gained;
        // The sheet moves with less than 0.1 J.
        assert!(work.abs() < 0.02, "kappa {kappa}, {method}: {work} J of work");
        assert!(
            numerical_loss.abs() < 0.02,
            "kappa {kappa}, {method}: {numerical_loss} J are lost"
        );
    }
}

/// A block sticks to a plate that is shaken sideways by 0.1 m: the work of the plate is the energy of the block.
#[test]
fn work_of_a_shaken_support_is_the_energy_of_what_sticks_to_it() {
    for method in ["ImplicitEuler", "ASearch()", "Bdf2", "TrBdf2", "Sdirk2"] {
        let mut block = Simulation::new(&format!(
            r#"(
                version: 2,
                materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
                bodies: [(
                    name: "block",
                    shape: Box(size: (0.06, 0.06, 0.06), cells: (1, 1, 1)),
                    kind: Affine,
                    material: "m",
                    placement: (translate: (0, 0.0409, 0)),
                )],
                obstacles: [Shape(
                    name: "plate",
                    shape: Box(size: (0.2, 0.02, 0.2), cells: (1, 1, 1)),
                    motion: Displacement(("0.05*(1-cos(4*t))", 0, 0)),
                )],
                integrator: {method},
                time: (step: "1/120", duration: 1),
            )"#
        ));
        settle(&mut block).expect("the block rests on the plate");
        let mut largest_error: f64 = 0.0;
        let mut balance = 0.0;
        for [work, heat, gained] in columns(&mut block, 120) {
            balance += work - heat - gained;
            largest_error = largest_error.max(balance.abs());
        }
        // The block moves with up to 4.3 mJ.
        assert!(largest_error < 1e-4, "{method}: the ledger is off by {largest_error} J");
    }
}
