//! A-search with `momentum: Exact`: bodies that collide among themselves keep their angular momentum.

use super::Simulation;
use resile_math::Vec3;

/// Two solids, an affine body and a sheet that meet in space off their centres.
fn crowd(momentum: &str, friction: f64) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{
                "soft": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3)),
                "stiff": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)),
            }},
            bodies: [
                (name: "box", shape: Box(size: (0.1, 0.06, 0.08), cells: (3, 2, 2)), material: "soft",
                 friction: {friction}, placement: (translate: (-0.1, 0.01, 0)), velocity: (2, 0, 0),
                 angular_velocity: (3, 5, 0)),
                (name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), kind: Affine, material: "stiff",
                 friction: {friction}, placement: (translate: (0.1, 0, 0.03), rotate: [(axis: (1, 1, 0), degrees: 30)]),
                 velocity: (-1, 0, 0), angular_velocity: (0, -8, 3)),
                (name: "ball", shape: Ball(radius: 0.05, layers: 2), material: "soft", friction: {friction},
                 placement: (translate: (0, 0.15, 0.01)), velocity: (0, -2, 0)),
                (name: "sheet", shape: Sheet(size: (0.2, 0.2), cells: (4, 4)), kind: Shell(thickness: 1e-3),
                 material: "soft", friction: {friction}, placement: (translate: (0, -0.15, 0)), velocity: (0, 2, 0)),
            ],
            gravity: (0, 0, 0),
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
            integrator: ASearch(momentum: {momentum}),
            time: (step: "1/120", duration: 1),
            output: (formats: []),
        )"#
    ))
}

/// The largest change of angular momentum, over what there is, and the most that the energy is
/// above its target (J).
fn worst(mut simulation: Simulation, steps: usize) -> (f64, f64) {
    let momentum = |simulation: &Simulation| simulation.world.momenta().angular;
    let undeformed = momentum(&simulation);
    // A solid that begins to turn without the strain of turning has not the energy for both.
    simulation.advance();
    let start = momentum(&simulation);
    assert!((start - undeformed).length() < 1e-3 * start.length(), "{start} of {undeformed}");
    let (mut drift, mut excess, mut touched) = (0.0_f64, f64::NEG_INFINITY, false);
    for _ in 0..steps {
        let record = simulation.advance();
        touched |= record.observed.certificate.contacts > 0;
        drift = drift.max((momentum(&simulation) - start).length() / start.length());
        let target = record.observed.target().expect("the energy is kept");
        excess = excess.max(record.observed.total() - target);
    }
    assert!(touched, "they meet");
    (drift, excess)
}

#[test]
fn collision_conserves_angular_momentum_without_energy_gain() {
    for friction in [0.0, 0.5] {
        let (drift, excess) = worst(crowd("Exact", friction), 40);
        assert!(drift < 1e-9, "{drift} with friction {friction}");
        assert!(excess < 1e-12, "{excess} with friction {friction}");
        let (plain, _) = worst(crowd("Plain", friction), 40);
        assert!(plain > 0.02, "{plain}: there is nothing to mend");
    }
}

/// What an obstacle presses on gets its torque, and nothing is known of it: as under `Plain`, to the bit.
#[test]
fn momentum_correction_does_not_act_on_a_floor() {
    let tumbling = |momentum: &str| {
        let mut simulation = Simulation::new(&format!(
            r#"(
                version: 1,
                materials: {{"m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3))}},
                bodies: [(name: "box", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "m", friction: 0.3,
                          placement: (translate: (0, 0.0712, 0), rotate: [(axis: (0, 0, 1), degrees: 42)]))],
                obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.3)],
                gravity: (0, -9.81, 0),
                contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
                integrator: ASearch(momentum: {momentum}),
                time: (step: "1/120", duration: 1),
                output: (formats: []),
            )"#
        ));
        let touches = (0..30).all(|_| simulation.advance().observed.certificate.contacts > 0);
        (touches, simulation.world.state(0).positions.clone())
    };
    let (touches, plain): (bool, Vec<Vec3>) = tumbling("Plain");
    assert!(touches, "it rolls over its edge");
    assert_eq!(tumbling("Exact"), (true, plain));
}
