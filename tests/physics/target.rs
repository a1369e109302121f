//! The energy is the target wherever alpha was free to make it so.

use super::Simulation;
use resile_integrators::AlphaOutcome;

/// Steps until the end and compares; returns how many groups met their target
/// and the largest deviation over the first energy.
fn follow(mut simulation: Simulation, steps: usize) -> (usize, f64) {
    let first = simulation.observe().total();
    let (mut met, mut worst) = (0, 0.0f64);
    let mut ledger = first;
    for step in 0..steps {
        let record = simulation.advance();
        // From the state alone, not from what the step says of itself.
        let fresh = simulation.observe();
        for group in record.alphas.iter().filter(|g| g.outcome == AlphaOutcome::Met) {
            let energy: f64 = group
                .bodies
                .iter()
                .map(|&b| fresh.bodies[b].kinetic + fresh.bodies[b].potential)
                .sum();
            met += 1;
            worst = worst.max((energy - group.target).abs() / first);
        }
        ledger += record.work.iter().sum::<f64>()
            - record.dissipated.iter().chain(&record.rest_loss).sum::<f64>();
        let target = fresh.target().expect("A-search has a target");
        assert!((target - ledger).abs() < 1e-12 * first, "step {step}: {target} {ledger}");
    }
    (met, worst)
}

#[test]
fn tumbling_cube_with_friction_has_its_target_energy() {
    let (met, worst) = follow(Simulation::of_file("first", &[]), 120);
    assert!(met > 60, "the target was met in {met} steps");
    assert!(worst < 1e-9, "{worst:e}");
}

#[test]
fn rotating_cube_has_its_target_energy() {
    let coarse = "bodies.cube.shape.cells=(4, 4, 4)";
    for scene in ["rotating-cube-soft", "rotating-cube-stiff"] {
        let (met, worst) = follow(Simulation::of_file(scene, &[coarse]), 150);
        assert!(met > 40, "{scene}: the target was met in {met} steps");
        assert!(worst < 1e-9, "{scene}: {worst:e}");
    }
}

/// A target below what a block has that rests, a debt, would brake all that it does later.
#[test]
fn unreachable_target_becomes_the_energy_at_rest() {
    let settings =
        ["integrator=ASearch(target: (scale: 0.5, ground: Joules(0)))", "bodies.block.kind=Affine"];
    let mut block = Simulation::of_file("rest/slope", &settings);
    let scaled = 0.5 * block.observe().total();
    (0..60).for_each(|_| drop(block.advance()));
    let end = block.observe();
    let target = end.target().expect("A-search has a target");
    assert!(scaled < 0.6 * end.total(), "{scaled} J is out of reach");
    assert!((end.total() - target).abs() < 1e-6 * end.total(), "{target} J, not {}", end.total());
}

/// A bar that is released in a twisted shape has modes of many radians a step, which would begin with a multiple of its
/// energy.
#[test]
fn filtered_control_limits_the_energy_of_a_deformed_body() {
    let control = "integrator=ASearch(control: Filtered())";
    for step in ["time.step=1/60", "time.step=1/120"] {
        let overrides = [control, step, "bodies.bar.shape.cells=(10, 10, 5)"];
        let mut bar = Simulation::of_file("twisted-bar", &overrides);
        let target = bar.observe().total();
        for _ in 0..15 {
            drop(bar.advance());
            let energy = bar.observe().total() / target;
            assert!((0.4..1.6).contains(&energy), "{step}: {energy} of the target");
        }
    }
}
