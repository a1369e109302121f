//! Bodies that the user pulls at.

use super::Simulation;
use resile_energy::Anchor;
use resile_math::Vec3;
use resile_world::{Hand, HandError};

/// A box in no gravity, and an obstacle that moves.
fn simulation(integrator: &str) -> Simulation {
    with_steps(integrator, 60)
}

/// The same, with so many steps a second.
fn with_steps(integrator: &str, rate: usize) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))}},
            bodies: [
                (name: "box", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "rubber", friction: 0.3),
                (name: "other", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), material: "rubber", friction: 0.3,
                 placement: (translate: (0.25, 0, 0))),
            ],
            gravity: (0, 0, 0),
            obstacles: [Shape(name: "paddle", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)),
                friction: 0.3, placement: (translate: (0, 9, 0)),
                motion: Move(velocity: (0.1, 0, 0)))],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
            integrator: {integrator},
            time: (step: "1/{rate}", duration: 10),
            output: (formats: []),
        )"#
    ))
}

const H: f64 = 1.0 / 60.0;
/// A corner of the box, and where it is taken.
const CORNER: usize = 0;
const AWAY: Vec3 = Vec3::new(-0.3, 0.2, 0.1);

fn hand(path: [Vec3; 2]) -> Option<Hand> {
    Some(Hand { body: 0, point: Anchor::from(CORNER), path })
}

/// Takes the corner away in half a second and holds it there; returns the last place of the hand.
fn drag(simulation: &mut Simulation, steps: usize, mut each: impl FnMut(&mut Simulation)) -> Vec3 {
    let start = simulation.world.state(0).positions[CORNER];
    let h = simulation.step.seconds();
    let at = |step: usize| start + AWAY * (step as f64 * h / 0.5).min(1.0);
    for step in 0..steps {
        let path = [at(step), at(step + 1)];
        simulation.world.pull(hand(path), h).expect("it is a point of the box");
        each(simulation);
    }
    at(steps)
}

#[test]
fn dragged_body_reaches_the_target_and_stays() {
    for integrator in ["ImplicitEuler", "ASearch()", "Bdf2"] {
        let mut simulation = simulation(integrator);
        let mut farthest = 0.0_f64;
        let place = drag(&mut simulation, 180, |simulation| {
            simulation.advance();
            farthest = farthest.max(-simulation.world.state(0).positions[CORNER].x);
        });
        let corner = simulation.world.state(0).positions[CORNER];
        // What swings in it swings on where energy is kept.
        assert!((corner - place).length() < 1e-2, "{integrator}: {corner} for {place}");
        assert!(farthest < -place.x * 1.1, "{integrator}: it does not swing far beyond");
    }
}

/// The most that the energy is above its target, over the most there is, while a hand pulls.
fn excess(simulation: &mut Simulation, steps: usize) -> f64 {
    let (mut above, mut most) = (f64::NEG_INFINITY, 0.0_f64);
    drag(simulation, steps, |simulation| {
        let record = simulation.advance();
        let (total, target) = (record.observed.total(), record.observed.target().expect("kept"));
        (above, most) = (above.max(total - target), most.max(total));
    });
    assert!(most > 1e-3, "the hand has done work");
    above / most
}

/// Energies are measured in the frame of the hand, in which it does no work.
#[test]
fn energy_is_the_work_of_dragging() {
    for rate in [60, 480] {
        let excess = excess(&mut with_steps("ASearch()", rate), rate / 3);
        assert!(excess < 1e-12, "{excess} at 1/{rate} s");
    }
}

/// The spring goes with the hand, and its energy with it.
#[test]
fn released_body_keeps_its_energy() {
    let mut simulation = simulation("ASearch()");
    drag(&mut simulation, 20, |simulation| {
        simulation.advance();
    });
    simulation.world.pull(None, H).expect("to let go is always possible");
    let let_go = simulation.world.observe().total();
    let mut last = let_go;
    for _ in 0..120 {
        last = simulation.advance().observed.total();
        assert!(last <= let_go * (1.0 + 1e-9), "{last} J of {let_go} J");
    }
    assert!(last > 0.9 * let_go, "{last} J of {let_go} J");
}

#[test]
fn resting_drag_changes_nothing() {
    let mut simulation = simulation("ASearch()");
    let before = simulation.world.state(0).positions.clone();
    simulation.world.pull(hand([before[CORNER]; 2]), H).expect("it is a point of the box");
    simulation.advance();
    let apart = before.iter().zip(&simulation.world.state(0).positions);
    assert!(apart.map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max) < 1e-15);
}

#[test]
fn kinematic_bodies_and_missing_points_cannot_be_dragged() {
    let mut simulation = simulation("ImplicitEuler");
    let mut refused = |body, point| {
        let hand = Hand { body, point, path: [Vec3::ZERO; 2] };
        simulation.world.pull(Some(hand), H).expect_err("it cannot be pulled")
    };
    assert_eq!(refused(2, Anchor::from(0)), HandError::Body { body: 2 });
    assert_eq!(refused(7, Anchor::from(0)), HandError::Body { body: 7 });
    assert!(matches!(refused(0, Anchor::from(999)), HandError::Drag(_)));
    assert!(matches!(refused(0, Anchor::new(vec![(0, 0.4)])), HandError::Drag(_)));
}
