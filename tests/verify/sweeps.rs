//! What the scene leads through something between two frames.

use super::support::{Body, Made, Point};
use resile_verify::{Reason, Report, Verdict};

/// From one frame to the next (rad): so far does a blade at 150 rad/s turn in 1/120 s.
const ANGLE: f64 = 1.25;
/// Frames are half a second apart.
const RATE: f64 = ANGLE / 0.5;

/// A blade of half a metre along x that turns about y.
fn blade() -> Body {
    let corner = |k: u8| [0, 1, 2].map(|axis| f32::from(k >> axis & 1));
    let points: Vec<Point> =
        (0..8).map(corner).map(|[x, y, z]| [0.5 * x, 0.1 * y - 0.05, 0.01 * z - 0.005]).collect();
    let triangles = [
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    Body::sheet("blade", &points, &triangles).then_by(|p| turned(p, ANGLE))
}

/// A point turned about y.
fn turned([x, y, z]: Point, angle: f64) -> Point {
    let (sin, cos) = angle.sin_cos();
    let (x, z) = (f64::from(x), f64::from(z));
    [(cos * x + sin * z) as f32, y, (cos * z - sin * x) as f32]
}

/// A cube of 6 cm on the circle of radius 0.45 m, so many radians ahead of the blade.
fn ball(ahead: f64) -> Body {
    Body::cube("ball", 0.03).at(turned([0.45, 0.0, 0.0], ahead))
}

fn motion(rate: f64) -> String {
    format!("Move(angular_velocity: (0, {rate}, 0), pivot: (0, 0, 0))")
}

/// Frames of a body and the blade, and a scene that turns the blade at this rate (rad/s).
fn made(ball: Body, rate: f64) -> Made {
    let mut made = Made::new(&[ball.clone(), blade()]);
    made.describe(&[ball]).set("time.step=0.5").set(&format!(
        "obstacles=[Mesh(name: \"blade\", file: \"b.obj\", friction: 0, motion: {})]",
        motion(rate)
    ));
    made
}

fn reasons(report: &Report) -> Vec<(&str, Reason, u64)> {
    report.unchecked.iter().map(|u| (u.name.as_str(), u.reason, u.intervals)).collect()
}

#[test]
fn rotating_blade_through_a_body_between_frames_is_found() {
    let report = made(ball(1.047), RATE).check();
    assert_eq!((report.verdict, report.crossing_count), (Verdict::Crossed, 0), "{report:?}");
    assert_eq!((report.touching, report.passages.len()), (0, 0), "no frame shows it");
    assert_eq!((report.sweep_count, report.sweeps.len(), report.intervals), (1, 1, 1));
    let sweep = &report.sweeps[0];
    assert_eq!((sweep.frame, sweep.names.each_ref().map(String::as_str)), (1, ["blade", "ball"]));
    let place = turned(sweep.place.map(|x| x as f32), -1.047);
    assert!((0.41..0.49).contains(&place[0]) && place[2].abs() < 0.04, "{place:?}");
    assert!((sweep.time - 1.047 / RATE).abs() < 0.05, "{}", sweep.time);
    assert!(sweep.depth > 0.001 && sweep.allowed < 0.001, "{sweep:?}");
    assert_eq!(reasons(&report), []);
}

#[test]
fn bodies_off_the_arc_are_not_reported() {
    // Ahead of the last pose, behind the first one, and farther out than the tip.
    for beside in [ball(1.35), ball(-0.1), ball(0.6).at([0.08, 0.0, -0.06])] {
        let report = made(beside, RATE).check();
        assert_eq!((report.verdict, report.sweep_count), (Verdict::Apart, 0), "{report:?}");
        assert_eq!(reasons(&report), []);
        assert!(report.poses > 500, "{}", report.poses);
    }
    let mut off = made(ball(1.047), RATE);
    assert_eq!(off.set("contact.off=[(\"ball\", \"blade\")]").check().verdict, Verdict::Apart);
}

/// The same frames belong to a blade that turns the other way around.
#[test]
fn sweep_check_uses_the_motion_and_not_the_frames() {
    let around = RATE - 2.0 * std::f64::consts::TAU;
    for (ahead, rate, sweeps) in
        [(0.6, RATE, 1), (0.6, around, 0), (3.0, RATE, 0), (3.0, around, 1)]
    {
        let report = made(ball(ahead), rate).check();
        assert_eq!(report.sweep_count, sweeps, "{ahead} {rate}: {report:?}");
        assert_eq!(reasons(&report), []);
    }
}

#[test]
fn straight_flight_meets_the_blade_at_equal_times() {
    // Upwards through the height of the blade, half way in time.
    let flight = |ahead| ball(ahead).at([0.0, -0.5, 0.0]).flying([0.0, 2.0, 0.0]);
    for (ahead, sweeps) in [(0.5 * ANGLE, 1), (0.2, 0), (1.05, 0)] {
        let report = made(flight(ahead), RATE).check();
        assert_eq!((report.sweep_count, reasons(&report)), (sweeps, vec![]), "{ahead}");
    }
}

#[test]
fn deformable_bodies_are_not_reported_and_the_reason_is_given() {
    let pushed = ball(1.047).then([0.0, 0.0, -0.02]);
    let report = made(pushed, RATE).check();
    assert_eq!((report.verdict, report.sweep_count), (Verdict::Apart, 0));
    assert_eq!(reasons(&report), [("ball", Reason::Bent, 1)]);
    let mut tied = made(ball(1.047), RATE);
    tied.set("bodies.ball.attach=[(region: Boundary, stiffness: 1, motion: Fixed)]");
    assert_eq!(reasons(&tied.check()), [("ball", Reason::Tied, 1)]);
    let mut rare = made(ball(1.047), RATE);
    rare.set("time.step=0.25");
    let report = rare.check();
    assert_eq!((report.verdict, report.intervals, report.poses), (Verdict::Apart, 1, 0));
    assert_eq!(reasons(&report), [("blade", Reason::Rare, 1)]);
}

#[test]
fn blade_off_its_motion_or_too_fast_is_reported() {
    let report = made(ball(1.047), RATE + 0.1).check();
    assert_eq!((report.sweep_count, reasons(&report)), (0, vec![("blade", Reason::Astray, 1)]));
    let fast = RATE + 2.0 * std::f64::consts::TAU * 10.0;
    assert_eq!(reasons(&made(ball(1.047), fast).check()), [("blade", Reason::Fast, 1)]);
}

#[test]
fn fully_held_body_counts_as_prescribed() {
    let mut held = Made::new(&[ball(1.047), blade()]);
    let hold = format!("bodies.blade.hold=[(region: All, motion: {})]", motion(RATE));
    held.set("time.step=0.5").set(&hold);
    let report = held.check();
    assert_eq!((report.sweep_count, report.crossing_count), (1, 0), "{report:?}");
    // Held still, the other one is kinematic, too, and told once; so is an obstacle that stands.
    held.set("bodies.ball.hold=[(region: All, motion: Fixed)]");
    assert_eq!((held.check().sweep_count, held.check().unchecked), (1, vec![]));
    // Moved against each other, each by more than d_hat, they are one pair.
    let mut sinks = Made::new(&[ball(1.047).then([0.0, -0.02, 0.0]), blade()]);
    let sink = "bodies.ball.hold=[(region: All, motion: Move(velocity: (0, -0.04, 0)))]";
    let report = sinks.set("time.step=0.5").set(&hold).set(sink).check();
    assert_eq!((report.sweep_count, reasons(&report)), (1, vec![]));
    let mut wall = Made::new(&[blade()]);
    wall.set("time.step=0.5").set(&hold);
    let [x, _, z] = turned([0.4, 0.0, 0.0], 0.6);
    let standing = [[x, -0.2, z], [x, 0.2, z], [x + 0.02, 0.0, z + 0.02]];
    wall.set("obstacles=[Mesh(name: \"wall\", file: \"w.obj\", friction: 0)]");
    wall.write_obstacles(&standing, &[[0, 1, 2]], &[1]);
    let report = wall.check();
    assert_eq!((report.sweep_count, report.crossing_count), (1, 0), "{report:?}");
    assert_eq!(report.sweeps[0].names, ["blade", "wall"]);
}
