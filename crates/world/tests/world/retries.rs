//! Steps that fail, and how they are taken again.

use crate::support::{H, Setup, all_bits, bits, step, tetrahedron};
use resile_integrators::{ImplicitEuler, Integrator, Step, StepEnd, StepError};
use resile_system::Vec3;
use resile_world::{Retried, Retry, StepFailure, World};

/// Implicit Euler that fails where a step of a system with this body is longer than `longest` (s).
struct Short {
    body: &'static str,
    longest: f64,
}

impl Integrator for Short {
    fn name(&self) -> &'static str {
        "short steps"
    }

    fn order(&self) -> u32 {
        1
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let is_in = step.system.bodies().iter().any(|body| body.name == self.body);
        if is_in && step.h > self.longest {
            return Err(StepError::Exploded { time: step.end_time(), step: step.h, node: 0 });
        }
        ImplicitEuler.step(step)
    }
}

/// Two bodies far from each other of which "b" takes no step longer than `longest` (s).
fn world(longest: f64, halvings: u32) -> World {
    let integrator = Box::new(Short { body: "b", longest });
    let fall = Vec3::Y * -10.0;
    Setup { integrator, halvings, expected: fall, ..Setup::default() }.world(vec![
        tetrahedron("a", Vec3::ZERO, Vec3::X, fall),
        tetrahedron("b", Vec3::X * -50.0, Vec3::Z, fall),
    ])
}

#[test]
fn failed_step_is_halved_for_its_island_only() {
    let (mut whole, mut halved) = (world(1.0, 4), world(0.3 * H, 4));
    let record = step(&mut whole, 1);
    assert_eq!((record.smallest_step, &record.retries[..]), (H, &[][..]));
    let record = step(&mut halved, 1);
    let halve = |step| Retried { retry: Retry::Halve, bodies: vec![1], step };
    assert_eq!(record.smallest_step, H / 4.0);
    assert_eq!(record.retries, [halve(H), halve(H / 2.0), halve(H / 2.0)]);
    assert_eq!(bits(&halved, 0), bits(&whole, 0), "the other island takes a whole step");
    let mut quarters = world(1.0, 0);
    for quarter in 1..=4 {
        let end = if quarter == 4 { H } else { f64::from(quarter) * (H / 4.0) };
        quarters.step(H / 4.0, end).unwrap_or_else(|failure| panic!("{failure}"));
    }
    assert_eq!(bits(&halved, 1), bits(&quarters, 1), "four steps of a quarter");
}

#[test]
fn failed_halvings_leave_the_world_unchanged() {
    let (mut failing, mut sound) = (world(1.0, 2), world(1.0, 2));
    step(&mut failing, 1);
    step(&mut sound, 1);
    let before = all_bits(&failing);
    let failed = failing.step(8.0, 8.0 + H);
    match failed.expect_err("8 s in four parts are longer than 1 s each") {
        StepFailure::Unsolved { bodies, substeps, cause, place } => {
            assert_eq!((bodies, substeps), (vec!["b".to_owned()], 4));
            let place = place.expect("the error names a node");
            assert_eq!((&place.body[..], place.node), ("b", 0));
            assert_eq!(place.position, failing.state(1).positions[0]);
            assert!(matches!(cause, StepError::Exploded { .. }), "{cause}");
        }
        other => panic!("{other}"),
    }
    assert_eq!(all_bits(&failing), before);
    for number in 2..=5 {
        step(&mut failing, number);
        step(&mut sound, number);
    }
    assert_eq!(all_bits(&failing), all_bits(&sound), "the failure is forgotten");
}

#[test]
fn solves_of_a_failed_step_are_traced_and_dropped() {
    let mut world = world(1.0, 0);
    world.trace(true);
    assert!(world.step(2.0, 2.0).is_err());
    let islands = world.take_trace();
    let of: Vec<_> = islands.iter().map(|island| (&island.bodies[..], island.kept)).collect();
    assert_eq!(of, [(&[0][..], false), (&[1][..], false)]);
    assert!(!islands[0].solves.is_empty() && islands[1].solves.is_empty());
}
