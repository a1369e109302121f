//! A real run of a fast blade, as it is and forged.

use super::support::vectors;
use resile_assembly::build;
use resile_record::{Existing, Status};
use resile_runner::{Profile, Run, RunOptions, Stop};
use resile_scene::text::SceneText;
use resile_verify::{Reason, Report, Verdict, Verifier};
use std::fs;
use std::path::Path;

/// A blade turns at 150 rad/s, 1.25 rad a step, and hits a ball that lies 60 degrees ahead.
const BLADE: &str = r#"(
    version: 1,
    materials: {"s": (density: 1000, model: NeoHookean(young: 1e7, poisson: 0.3))},
    bodies: [(name: "ball", shape: Sphere(radius: 0.03, subdivisions: 2), kind: Affine,
        material: "s", friction: 0, placement: (translate: (0.225, 0, -0.389711)))],
    gravity: (0, 0, 0),
    obstacles: [Shape(name: "blade", shape: Box(size: (0.5, 0.1, 0.01), cells: (1, 1, 1)),
        placement: (translate: (0.25, 0, 0)), friction: 0,
        motion: Move(angular_velocity: (0, 150, 0), pivot: (0, 0, 0)))],
    contact: Barrier(d_hat: 1e-3, kappa: 1e6, friction_rule: Min),
    integrator: ImplicitEuler,
    time: (step: "1/120", duration: 0.025),
    output: (frame_rate: 120),
)"#;

fn run(folder: &Path) {
    let scene = SceneText::new("blade.ron", BLADE.to_owned()).load().expect("it is a scene").scene;
    let built = build(&scene, Path::new("")).unwrap_or_else(|problems| panic!("{problems:?}"));
    let options = RunOptions {
        folder: folder.to_owned(),
        existing: Existing::Refuse,
        name: "blade".to_owned(),
        steps: None,
        profile: Profile::InTotal,
        threads: 1,
        fingerprint: built.fingerprint(&scene),
        commit: None,
        set: Vec::new(),
    };
    let mut run = Run::start(scene, built, options).unwrap_or_else(|error| panic!("{error}"));
    while !run.is_complete() {
        run.advance().unwrap_or_else(|error| panic!("{error}"));
    }
    let summary = run.finish(Stop::Done).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(summary.status, Status::Complete, "{}", summary.reason);
}

fn check(folder: &Path) -> Report {
    let scene = SceneText::new("blade.ron", BLADE.to_owned()).load().expect("it is a scene").scene;
    Verifier::open(&scene.rules(), folder)
        .unwrap_or_else(|error| panic!("{error}"))
        .run(&mut |_| {})
}

#[test]
fn verification_accepts_the_run_and_rejects_a_blade_through_a_ball() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path().join("run");
    run(&folder);
    let report = check(&folder);
    assert_eq!((report.verdict, report.sweep_count), (Verdict::Apart, 0), "{report:?}");
    assert_eq!((report.frames, report.intervals), (4, 3));
    assert!(report.poses > 1500, "{}", report.poses);
    let unchecked: Vec<_> = report.unchecked.iter().map(|u| (u.name.as_str(), u.reason)).collect();
    assert_eq!(unchecked, [("ball", Reason::Bent)], "it is hit");

    // As if nothing had touched the ball, whose points are before the blade's eight.
    let [first, ..] = [0, 1, 2, 3].map(|n| folder.join(format!("frames/frame_{n:06}.vtu")));
    let start = fs::read(first).expect("the run wrote it");
    for number in 1..4 {
        let frame = folder.join(format!("frames/frame_{number:06}.vtu"));
        let mut file = fs::read(&frame).expect("the run wrote it");
        for array in ["points", "velocity"] {
            let (range, was) = (vectors(&file, array), vectors(&start, array));
            let length = range.len() - 8 * 12;
            file[range.start..][..length].copy_from_slice(&start[was.start..][..length]);
        }
        fs::write(&frame, file).expect("the folder can be written");
    }
    let report = check(&folder);
    assert_eq!((report.verdict, report.crossing_count), (Verdict::Crossed, 0), "{report:?}");
    assert!(report.passages.is_empty() && report.unchecked.is_empty(), "{report:?}");
    assert_eq!((report.sweep_count, report.sweeps[0].frame), (1, 1), "once, in the first step");
    let time = report.sweeps[0].time * 150.0;
    assert!((0.95..1.15).contains(&time), "at 60 degrees, which are 1.047: {time}");
}
