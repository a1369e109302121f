//! Prescribed nodes: they follow exactly, they pull, and they do not cross.

use super::support::{Trial, built, finish};
use resile_math::Vec3;
use resile_record::{Existing, PrescribedLag, Status};
use resile_runner::Stop;

/// A column, the bottom of which is held and the top of which moves.
const COLUMN: &str = r#"(
    version: 1,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))},
    bodies: [(
        name: "column",
        shape: Box(size: (0.1, 0.2, 0.1), cells: (2, 4, 2)),
        material: "rubber",
        hold: [
            (region: Plane(point: (0, -0.1, 0), normal: (0, -1, 0)), motion: Fixed),
            (
                region: Plane(point: (0, 0.1, 0), normal: (0, 1, 0)),
                motion: Move(
                    velocity: (0.3, 0.1, 0),
                    angular_velocity: (0, 2, 0),
                    pivot: (0, 0.1, 0),
                    start: 0.05,
                    end: 0.15,
                ),
            ),
        ],
    )],
    gravity: (0, -9.81, 0),
    contact: Off,
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: 0.2),
    output: (formats: []),
)"#;

#[test]
fn prescribed_nodes_follow_their_motion_at_every_step() {
    for integrator in ["integrator=ImplicitEuler", "integrator=Bdf2", "integrator=ASearch()"] {
        let (scene, built) = built(COLUMN, &[integrator]);
        let mut world = built.world;
        let start = world.state(0).positions.clone();
        let (mut held, mut prescribed) = (0, 0);
        for step in 1..=scene.time.steps() {
            let end = scene.time.step.time_after(step);
            world.step(0.01, end).unwrap_or_else(|failure| panic!("{failure}"));
            let s = end.clamp(0.05, 0.15) - 0.05;
            let turn = rotated_about_y(2.0 * s);
            for (x, x0) in world.state(0).positions.iter().zip(&start) {
                if x0.y == -0.1 {
                    held += 1;
                    assert_eq!(x, x0, "{integrator}");
                } else if x0.y == 0.1 {
                    prescribed += 1;
                    let expected = turn(*x0) + s * Vec3::new(0.3, 0.1, 0.0);
                    assert!((*x - expected).length() < 1e-14, "{integrator}, {x} at {end} s");
                }
            }
        }
        assert_eq!((held, prescribed), (20 * 9, 20 * 9), "three by three nodes at either end");
    }
}

/// Right-handed rotation about the y axis.
fn rotated_about_y(angle: f64) -> impl Fn(Vec3) -> Vec3 {
    let (sin, cos) = angle.sin_cos();
    move |p| Vec3::new(cos * p.x + sin * p.z, p.y, cos * p.z - sin * p.x)
}

/// Particles whose motion is prescribed, and no others.
const LED: &str = r#"(
    version: 1,
    bodies: [(
        name: "pair",
        shape: Particles(positions: [(0, 0, 0), (1, 0, 0)], masses: [1, 1]),
        hold: [(region: All, motion: Move(velocity: (1, 0, 0)))],
    )],
    gravity: (0, 0, 0),
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: 0.05),
    output: (formats: []),
)"#;

#[test]
fn fully_prescribed_scene_takes_whole_steps() {
    let trial = Trial::new(LED);
    trial.complete(&[], Existing::Refuse);
    assert_eq!(trial.column("h"), [0.01; 5]);
}

/// A box in free space, all nodes of which are pulled by a target that moves away.
const PULLED: &str = r#"(
    version: 1,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))},
    bodies: [(
        name: "box",
        shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
        material: "rubber",
        attach: [(region: Plane(point: (0.05, 0, 0), normal: (1, 0, 0)), stiffness: 20,
            motion: Move(velocity: (1, 0, 0)))],
    )],
    gravity: (0, 0, 0),
    contact: Off,
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: 0.3),
    solver: (tolerance: 1e-9),
    output: (formats: []),
)"#;

#[test]
fn spring_momentum_equals_the_impulse_of_their_lengths() {
    let (scene, built) = built(PULLED, &[]);
    let mut world = built.world;
    let start = world.state(0).positions.clone();
    let pulled: Vec<usize> = (0..start.len()).filter(|&i| start[i].x > 0.05 - 1e-9).collect();
    assert_eq!(pulled.len(), 9);
    let mut momentum = Vec3::ZERO;
    for step in 1..=scene.time.steps() {
        let end = scene.time.step.time_after(step);
        world.step(0.01, end).unwrap_or_else(|failure| panic!("{failure}"));
        let x = &world.state(0).positions;
        let force: Vec3 = pulled.iter().map(|&i| 20.0 * (start[i] + end * Vec3::X - x[i])).sum();
        let now = world.momenta().linear;
        // Implicit Euler: the force at the end of the step, all along it.
        let gained = now - momentum;
        assert!((gained - 0.01 * force).length() < 1e-9 * now.length(), "{gained} of {force}");
        momentum = now;
    }
    assert!(momentum.x > 0.5, "one kilogram is pulled along: {momentum}");
}

/// A box whose lower side is moved into the floor.
const PUSHED: &str = r#"(
    version: 1,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))},
    bodies: [(
        name: "stamp",
        shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
        material: "rubber",
        placement: (translate: (0, 0.1, 0)),
        hold: [(region: Plane(point: (0, 0.05, 0), normal: (0, -1, 0)),
            motion: Move(velocity: (0, -1, 0)))],
        friction: 0.5,
    )],
    gravity: (0, 0, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: 0.2),
    output: (formats: []),
)"#;

#[test]
fn nodes_driven_into_an_obstacle_fail_the_run_without_crossing() {
    let trial = Trial::new(PUSHED);
    let summary = trial.run(&[], Existing::Refuse);
    assert_eq!(summary.status, Status::Failed);
    assert!((4..=5).contains(&summary.steps_done), "the floor is 5 cm away: {summary:?}");
    assert!(summary.reason.contains("prescribed nodes are blocked"), "{}", summary.reason);
    assert!(summary.reason.contains("stamp"), "{}", summary.reason);
    assert!(trial.column("min_distance").iter().all(|&distance| distance > 0.0));
    assert!(summary.min_distance.is_none_or(|distance| distance > 0.0));
}

/// A block 6 cm high, drawn by the middle of its front through a gap of 1.5 cm, 30 cm in each of five steps.
const DRAWN: &str = r#"(
    version: 2,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 2e4, poisson: 0.3))},
    bodies: [(
        name: "block",
        shape: Box(size: (0.1, 0.06, 0.03), cells: (15, 5, 5)),
        material: "rubber",
        placement: (translate: (-0.052, 0, 0)),
        hold: [(
            region: Box(min: (-0.01, -0.007, -0.007), max: (0, 0.007, 0.007)),
            motion: Move(velocity: (30, 0, 0)),
        )],
        friction: 0,
    )],
    gravity: (0, 0, 0),
    obstacles: [
        Shape(
            name: "upper",
            shape: Box(size: (0.02, 0.05, 0.2), cells: (1, 1, 1)),
            placement: (translate: (0.01, 0.0325, 0)),
            friction: 0,
        ),
        Shape(
            name: "lower",
            shape: Box(size: (0.02, 0.05, 0.2), cells: (1, 1, 1)),
            placement: (translate: (0.01, -0.0325, 0)),
            friction: 0,
        ),
    ],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5),
    integrator: ImplicitEuler,
    time: (step: 0.01, duration: 0.05),
    solver: (max_halvings: 0),
    output: (formats: []),
)"#;

/// The straight path of the held nodes is free, but the linear response of the others is not.
#[test]
fn soft_body_follows_its_held_nodes_through_a_gap_in_steps_longer_than_itself() {
    let trial = Trial::new(DRAWN);
    let summary = trial.run(&[], Existing::Refuse);
    assert_eq!(summary.status, Status::Complete, "{}", summary.reason);
    assert!(trial.column("min_distance").iter().all(|&distance| distance > 0.0));
    assert!(summary.min_det_f.is_none_or(|det| det > 0.0));
}

/// A block of a stiffer volume, 6 mm off the middle of the gap, 12 cm in each step: flat elements block its held nodes in
/// the first one.
fn eccentric() -> String {
    DRAWN
        .replace("translate: (0.01, 0.0325, 0)", "translate: (0.01, 0.0385, 0)")
        .replace("translate: (0.01, -0.0325, 0)", "translate: (0.01, -0.0265, 0)")
        .replace("velocity: (30, 0, 0)", "velocity: (12, 0, 0)")
        .replace("poisson: 0.3", "poisson: 0.45")
}

/// The way of the held nodes of [`eccentric`] in a step (m).
const WAY: f64 = 0.12;

#[test]
fn blocked_held_nodes_may_lag_within_the_tolerance_and_then_reach_their_targets() {
    let eccentric = eccentric();
    let exact = Trial::new(&eccentric).run(&[], Existing::Refuse);
    assert_eq!((exact.status, exact.steps_done), (Status::Failed, 0));
    assert!(exact.reason.contains("`solver.dirichlet_tolerance`"), "{}", exact.reason);
    let trial = Trial::new(&eccentric);
    let summary = trial.complete(&["solver.dirichlet_tolerance=3e-3"], Existing::Refuse);
    let lags = trial.column("prescribed_lag");
    // The largest distance is at least the mean over the nodes, and most of them are at their targets.
    assert!(lags[0] > 0.0 && lags[0] < 3e-3 * WAY, "{lags:?}");
    assert!(lags[1..].iter().all(|lag| *lag == 0.0), "{lags:?}");
    assert_eq!(summary.prescribed_lag, Some(PrescribedLag { steps: 1, largest: lags[0] }));
    assert!(trial.column("min_distance").iter().all(|&distance| distance > 0.0));
    assert!(summary.min_det_f.is_none_or(|det| det > 0.0));
}

/// The lag of the first step, as a root mean square, is 3.3e-4 of the way.
#[test]
fn held_nodes_that_lag_by_more_than_the_tolerance_are_blocked() {
    let eccentric = eccentric();
    let set = ["solver.dirichlet_tolerance=1e-4"];
    let summary = Trial::new(&eccentric).run(&set, Existing::Refuse);
    assert_eq!((summary.status, summary.steps_done), (Status::Failed, 0));
    let remedy = "(`solver.dirichlet_tolerance`): let them by more, such as 1e-3";
    assert!(summary.reason.contains(remedy), "{}", summary.reason);
}

/// The motion ends with the step in which they are blocked.
#[test]
fn held_nodes_that_lag_need_not_catch_up_when_their_motion_ends() {
    let stopping = eccentric().replace("velocity: (12, 0, 0)", "velocity: (12, 0, 0), end: 0.01");
    let trial = Trial::new(&stopping);
    trial.complete(&["solver.dirichlet_tolerance=3e-3"], Existing::Refuse);
    let lags = trial.column("prescribed_lag");
    assert!(lags[0] > 0.0 && lags.iter().all(|lag| *lag <= lags[0]), "{lags:?}");
}

/// Each step is subdivided in two, because the motion is not straight. After the first part held nodes lag by more than
/// 0.05 % of their way in it, as a root mean square, and by less than 0.05 % of that in the whole step.
#[test]
fn tolerance_of_lagging_nodes_refers_to_the_way_of_the_whole_step() {
    let motion = r#"Displacement(("14*t", 0, "3e-4*sin(pi*t/0.02)"))"#;
    let bent = eccentric()
        .replace("Move(velocity: (12, 0, 0))", motion)
        .replace("step: 0.01, duration: 0.05", "step: 0.02, duration: 0.06");
    let exact = Trial::new(&bent).run(&["solver.dirichlet_tolerance=3e-4"], Existing::Refuse);
    assert_eq!((exact.status, exact.steps_done), (Status::Failed, 0));
    let trial = Trial::new(&bent);
    let summary = trial.complete(&["solver.dirichlet_tolerance=5e-4"], Existing::Refuse);
    assert!(trial.column("h")[0] <= 0.01, "the step is subdivided");
    assert!(trial.column("min_distance").iter().all(|&distance| distance > 0.0));
    assert!(summary.min_det_f.is_none_or(|det| det > 0.0));
}

/// Implicit Euler loses energy: 14 to 33 % of the work in these steps. The trapezoidal rule over the blocked nodes gives
/// works of -25 to 2.3 J for energies of 1.8 to 5.5 J.
#[test]
fn work_on_lagging_nodes_exceeds_the_energy_by_the_loss_of_implicit_euler() {
    for velocity in [6.0, 9.0, 11.0, 11.5, 12.0, 12.5, 13.0] {
        let scene = eccentric().replace("velocity: (12,", &format!("velocity: ({velocity},"));
        let trial = Trial::new(&scene);
        trial.run(&["solver.dirichlet_tolerance=1e-2", "time.duration=0.01"], Existing::Refuse);
        let [lag, work, total] =
            ["prescribed_lag", "external_work", "total"].map(|name| trial.column(name)[0]);
        assert!(lag > 0.0, "{velocity}");
        assert!(work > total && work < 2.0 * total, "{velocity}: {work} J for {total} J");
    }
}

#[test]
fn resumption_in_a_run_with_a_lag_is_bitwise() {
    let eccentric = eccentric();
    let set = ["solver.dirichlet_tolerance=3e-3"];
    let whole = Trial::new(&eccentric);
    let expected = whole.complete(&set, Existing::Refuse);
    let halted = Trial::new(&eccentric);
    let mut run = halted.start(&set, Existing::Refuse).unwrap_or_else(|error| panic!("{error}"));
    run.advance().unwrap_or_else(|error| panic!("{error}"));
    finish(run, Stop::Interrupted);
    let resumed = halted.complete(&set, Existing::Resume);
    assert_eq!(resumed.prescribed_lag, expected.prescribed_lag);
    assert_eq!((halted.states(&set), halted.history()), (whole.states(&set), whole.history()));
}

/// A gap of 1 cm for held nodes over 1.2 cm.
#[test]
fn held_nodes_that_do_not_fit_through_a_gap_are_blocked() {
    let narrow = DRAWN.replace("0.0325", "0.03");
    let summary = Trial::new(&narrow).run(&[], Existing::Refuse);
    assert_eq!((summary.status, summary.steps_done), (Status::Failed, 0));
    assert!(summary.reason.contains("prescribed nodes are blocked"), "{}", summary.reason);
}

/// A plate, all of whose nodes are prescribed, moves in one step through a block whose far face is held.
const RAMMED: &str = r#"(
    version: 2,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))},
    bodies: [
        (
            name: "block",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
            material: "rubber",
            hold: [(region: Plane(point: (0.049, 0, 0), normal: (1, 0, 0)), motion: Fixed)],
        ),
        (
            name: "plate",
            shape: Box(size: (0.02, 0.2, 0.2), cells: (1, 1, 1)),
            material: "rubber",
            hold: [(region: All, motion: Move(velocity: (30, 0, 0)))],
            placement: (translate: (-0.065, 0, 0)),
        ),
    ],
    gravity: (0, 0, 0),
    contact: Barrier(d_hat: 1e-3, kappa: 1e5),
    integrator: ImplicitEuler,
    time: (step: 0.01, duration: 0.05),
    solver: (max_halvings: 0),
    output: (formats: []),
)"#;

#[test]
fn plate_with_a_prescribed_motion_does_not_evade_a_block() {
    let summary = Trial::new(RAMMED).run(&[], Existing::Refuse);
    assert_eq!((summary.status, summary.steps_done), (Status::Failed, 0), "{}", summary.reason);
}
