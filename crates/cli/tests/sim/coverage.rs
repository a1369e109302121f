//! Output of which a run has a part only, because it was resumed with other formats or tables.

use crate::support::{Place, SCENE};

/// Runs the first steps of the scene, and then the others with another output.
fn resumed(place: &Place, first: &str, then: &str) -> String {
    let run = ["run", "scene.ron", "-o", "a"];
    place.sim(&[&run[..], &["--steps", "10", "-q", "--set", first]].concat()).exit(0);
    let resumed = place.sim(&[&run[..], &["-q", "--resume", "--set", then]].concat()).exit(0);
    resumed.stderr
}

#[test]
fn frames_that_end_before_their_run_are_reported() {
    let place = Place::new(SCENE);
    let said = resumed(&place, "output.formats=[Vtu]", "output.formats=[Ply]");
    for word in ["frames in PLY: there are none of the steps up to 10", "none after step 10"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let part = "the frames cover 0.0000 to 0.0833 s of the run, which goes from 0.0000 to 0.2000 s";
    let verified = place.sim(&["verify", "a", "--quiet"]).exit(2).stderr;
    assert!(verified.contains("not the whole run was checked") && verified.contains(part));
    for command in [
        &["export", "a", "-f", "csv"][..],
        &["view", "a", "--no-open"],
        &["render", "a", "-o", "p.png", "--at", "0", "--size", "32x32"],
    ] {
        let said = place.sim(command).exit(0).stderr;
        assert!(said.contains(&format!("note: {part}")), "{command:?}: {said}");
    }
}

#[test]
fn frames_that_begin_after_their_run_are_reported() {
    let place = Place::new(SCENE);
    let said = resumed(&place, "output.formats=[Ply]", "output.formats=[Vtu]");
    assert!(said.contains("frames in VTU (frames.pvd): there are none of the steps"), "{said}");
    let said = place.sim(&["verify", "a"]).exit(2).stderr;
    assert!(said.contains("the frames cover 0.1000 to 0.2000 s"), "{said}");
}

/// Frames in PLY, which only `sim verify` reads.
#[test]
fn frames_in_ply_that_end_before_their_run_are_reported() {
    let place = Place::new(SCENE);
    resumed(&place, "output.formats=[Ply]", "output.formats=[]");
    let said = place.sim(&["verify", "a"]).exit(2).stderr;
    assert!(said.contains("the frames cover 0.0000 to 0.0833 s"), "{said}");
}

#[test]
fn table_that_begins_at_a_resumption_is_reported() {
    let place = Place::new(SCENE);
    let said = resumed(&place, "output.tables=[]", "output.tables=[Bodies]");
    assert!(said.contains("note: bodies.csv: there are none of the steps up to 10"), "{said}");
    assert!(place.sim(&["verify", "a"]).exit(0).stderr.is_empty());
}

#[test]
fn interrupted_and_resumed_runs_are_covered_by_their_frames() {
    let place = Place::new(SCENE);
    for (rate, steps) in [("60", "9"), ("7", "23"), ("500", "3")] {
        let rate = format!("output.frame_rate={rate}");
        let run = ["run", "scene.ron", "-o", "a", "-q", "--set", &rate, "--steps", steps];
        place.sim(&[&run[..], &["--force"]].concat()).exit(0);
        assert_eq!(place.sim(&["verify", "a"]).exit(0).stderr, "", "{rate} {steps}");
        let all = ["run", "scene.ron", "-o", "a", "-q", "--set", &rate, "--resume"];
        assert_eq!(place.sim(&all).exit(0).stderr, "", "{rate} {steps}");
        assert_eq!(place.sim(&["verify", "a"]).exit(0).stderr, "", "{rate} {steps}");
    }
    let said = place.sim(&["run", "scene.ron", "-o", "a", "-q", "--resume", "--steps", "2"]);
    assert!(said.stderr.contains("the run has 24 steps, and 2 are requested"), "{}", said.stderr);
}

/// Of two runs everything is equal but what docs/output.md names.
#[test]
fn runs_of_a_built_in_scene_with_files_are_equal() {
    let place = Place::new(SCENE);
    for folder in ["a", "b"] {
        place.sim(&["run", "rods/motor", "--steps", "1", "-q", "-o", folder]).exit(0);
    }
    let [a, b] = ["a", "b"].map(|folder| place.read(&format!("{folder}/frames/originals.json")));
    assert_eq!(a, b);
    assert!(a.contains(r#""source": "cord.obj""#), "{a}");
}

/// A duration above zero takes at least one step.
#[test]
fn tiny_duration_takes_one_step() {
    let place = Place::new(SCENE);
    let short = ["run", "scene.ron", "--duration", "1e-12", "-q", "-o", "a"];
    place.sim(&short).exit(0);
    assert_eq!(place.history("a/history.csv").len(), 3, "labels, start, one step");
}
