//! The frames of real runs, checked by code that had no part in them.

use super::support::{DICE, Trial, built};
use resile_record::Existing;
use resile_verify::{Report, Verdict, Verifier};
use std::fs;

/// With frames, and until two dice have met twice the floor and each other.
const SET: [&str; 3] = ["output.formats=[Vtu]", "output.frame_rate=120", "time.duration=0.25"];

fn checked(trial: &Trial<'_>) -> Report {
    let (scene, _) = built(DICE, &SET);
    let verifier = Verifier::open(&scene.rules(), &trial.folder());
    verifier.unwrap_or_else(|error| panic!("{error}")).run(&mut |_| {})
}

#[test]
fn verification_passes_a_run_and_detects_a_tampered_frame() {
    let trial = Trial::new(DICE);
    trial.complete(&SET, Existing::Refuse);
    let contacts = trial.column("contacts").into_iter().fold(0.0, f64::max);
    assert!(contacts > 10.0, "the dice meet: {contacts}");
    let report = checked(&trial);
    assert_eq!((report.verdict, report.touching), (Verdict::Apart, 0), "{report:?}");
    // Each of three dice has 6 sides of 2 x 2 squares, and 26 vertices on them.
    assert_eq!((report.frames, report.triangles, report.closed_pieces), (31, 144, 3));
    assert_eq!(report.plane_tests, 31 * 78);
    assert!(report.pairs > 31 * 144, "neighbours at least are tested: {}", report.pairs);

    // The first corner of a die is put where the last one of another is.
    let frame = trial.folder().join("frames/frame_000007.vtu");
    let mut file = fs::read(&frame).expect("the run wrote it");
    let points = points(&file);
    let [first, last] = [points, points + 12 * 53];
    file.copy_within(last..last + 12, first);
    fs::write(&frame, file).expect("the folder can be written");
    let report = checked(&trial);
    assert_eq!(report.verdict, Verdict::Crossed);
    assert!(report.crossings.iter().all(|crossing| crossing.frame == 7), "{report:?}");
    assert!(report.crossings.iter().any(|crossing| crossing.names == ["left", "right"]));
}

#[test]
fn fixed_iteration_count_reports_no_convergence_and_crosses_nothing() {
    for method in
        ["solver.method=LocalGlobal(iterations: 1)", "solver.method=LocalGlobal(iterations: 5)"]
    {
        let set = [SET[0], SET[1], SET[2], method, "integrator=ImplicitEuler"];
        let trial = Trial::new(DICE);
        let summary = trial.complete(&set, Existing::Refuse);
        let contacts = trial.column("contacts").into_iter().fold(0.0, f64::max);
        assert!(contacts > 5.0, "{method}: the dice meet: {contacts}");
        assert!(summary.counts.unconverged_solves > 0, "{method}: {:?}", summary.counts);
        let report = checked(&trial);
        assert_eq!((report.verdict, report.touching), (Verdict::Apart, 0), "{method}: {report:?}");
    }
}

/// Where the coordinates of the first point are in a frame.
fn points(file: &[u8]) -> usize {
    let text = String::from_utf8_lossy(file);
    let element = text.lines().find(|line| line.contains("Name=\"points\"")).expect("points");
    let offset = element.split("offset=\"").nth(1).and_then(|rest| rest.split('"').next());
    let marker = b"encoding=\"raw\">\n_";
    let data = file.windows(marker.len()).position(|window| window == marker).expect("data");
    data + marker.len() + offset.expect("an offset").parse::<usize>().expect("a number") + 8
}
