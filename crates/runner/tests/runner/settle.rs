//! Runs that settle first.

use super::support::{Trial, finish};
use resile_record::{Existing, Status};
use resile_runner::Stop;

const PAIR: &str = r#"(
    version: 1,
    materials: {"wood": (density: 500, model: NeoHookean(young: 1e7, poisson: 0.3))},
    bodies: [(
        name: "box",
        shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)),
        kind: Affine,
        material: "wood",
        placement: (translate: (0, 0.051, 0)),
        friction: 0.5,
        repeat: Row(count: 2, step: (0.02, 0.101, 0)),
    )],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5)],
    contact: Barrier(d_hat: 2e-3, kappa: 1e5, friction_rule: Min),
    settle: true,
    integrator: ASearch(),
    time: (step: "1/120", duration: 0.1),
)"#;

#[test]
fn run_settles_once_and_records_it() {
    let through = Trial::new(PAIR);
    let summary = through.complete(&[], Existing::Refuse);
    let settled = summary.settled.expect("it settled");
    assert!(settled.steps > 5 && settled.newton_iterations > 5, "{settled:?}");
    assert!(settled.residual_speed < 1e-3 && settled.residual_change < 1e-6, "{settled:?}");
    assert!(settled.smallest_distance.is_some_and(|distance| distance > 0.0), "{settled:?}");
    assert!(settled.moved > 1e-5 && settled.moved < 1e-2, "{settled:?}");
    let text = std::fs::read_to_string(through.folder().join("summary.json")).expect("written");
    assert!(text.contains("\"residual_speed\""), "{text}");
    assert!(through.column("kinetic").iter().all(|energy| *energy < 1e-9));

    let cut = Trial::new(PAIR);
    let mut run = cut.start(&[], Existing::Refuse).expect("the folder is free");
    assert!(run.is_settling() && !run.is_complete());
    for _ in 0..5 {
        run.advance().expect("it settles and steps");
    }
    assert!(!run.is_settling());
    finish(run, Stop::Interrupted);
    let again = cut.start(&[], Existing::Resume).expect("there is a checkpoint");
    assert!(!again.is_settling());
    drop(again);
    assert_eq!(cut.complete(&[], Existing::Resume).settled, Some(settled));
    assert_eq!(cut.history(), through.history());
}

#[test]
fn interrupted_settling_restarts_and_ends_bitwise_equal() {
    let through = Trial::new(PAIR);
    through.complete(&[], Existing::Refuse);
    let cut = Trial::new(PAIR);
    let mut run = cut.start(&[], Existing::Refuse).expect("the folder is free");
    for _ in 0..3 {
        run.settle().expect("it settles");
    }
    let summary = finish(run, Stop::Interrupted);
    assert_eq!((summary.status, summary.settled), (Status::Interrupted, None));
    cut.complete(&[], Existing::Resume);
    assert_eq!(cut.history(), through.history());
}

#[test]
fn unsettled_run_fails_before_its_first_step() {
    let falling = Trial::new(PAIR);
    let summary = falling.run(&["obstacles=[]"], Existing::Refuse);
    assert_eq!((summary.status, summary.steps_done), (Status::Failed, 0));
    assert_eq!(summary.settled, None);
    assert!(summary.reason.contains("did not settle in 1000 steps: \"box["), "{}", summary.reason);
    assert!(falling.folder().join("frames/frames.pvd").exists(), "it shows where it was left");
}
