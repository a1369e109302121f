//! Runs that are done again.

use crate::support::{Place, SCENE};

#[test]
fn rerun_reproduces_a_run_bitwise() {
    let place = Place::new(SCENE);
    let tables = "output.tables=[Bodies, Contacts]";
    let set = ["--set", "bodies.die.velocity=(1, 0, 0.2)", "--set", tables];
    let run = [&["run", "scene.ron", "--quiet", "--threads", "1"][..], &set].concat();
    place.sim(&run).exit(0);
    assert!(place.read("out/scene/scene.ron").contains("velocity: (1, 0, 0.2)"));
    let origin = place.read("out/scene/run.json");
    assert!(origin.contains("bodies.die.velocity") && origin.contains("scene.ron"), "{origin}");

    // The file that the run came from may be another one since.
    place.write("scene.ron", "(nothing");
    let message = place.sim(&["rerun", "out/scene", "--threads", "2"]).exit(0).stdout;
    assert!(message.contains("is bitwise equal: 24 steps"), "{message}");
    assert_eq!(place.read("out/scene/contacts.csv"), place.read("out/scene-again/contacts.csv"));
    place.sim(&["rerun", "out/scene"]).exit(2);

    let history = place.read("out/scene/history.csv");
    let cell = history.lines().nth(5).and_then(|row| row.split(',').nth(4)).expect("a cell");
    place.write("out/scene/history.csv", &history.replacen(cell, "1", 1));
    let message = place.sim(&["rerun", "out/scene", "--force", "--quiet"]).exit(1).stderr;
    assert!(message.contains("row 5 of history.csv"), "{message}");
    place.write("out/scene/history.csv", &history);

    std::fs::write(place.path("out/scene/frames/frame_000002.vtu"), "").expect("it can be");
    let message = place.sim(&["rerun", "out/scene", "--force", "--quiet"]).exit(1).stderr;
    assert!(message.contains("frames/frame_000002.vtu"), "{message}");
}

#[test]
fn rerun_reproduces_an_interrupted_run_up_to_its_end() {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "--quiet", "--steps", "7"]).exit(0);
    place.sim(&["run", "scene.ron", "--quiet", "--steps", "11", "--resume"]).exit(0);
    let message = place.sim(&["rerun", "out/scene", "-o", "other"]).exit(0).stdout;
    assert!(message.contains("is bitwise equal: 11 steps"), "{message}");
    let origin = place.read("out/scene/run.json");
    assert!(origin.contains("\"after_step\": 7"), "{origin}");
}

/// A scene that was rewritten to another version or with another layout is the same scene.
#[test]
fn rerun_reproduces_a_run_that_was_resumed_with_a_rewritten_scene() {
    let place = Place::new(&SCENE.replacen("version: 2", "version: 1", 1));
    place.sim(&["run", "scene.ron", "--quiet", "--steps", "3"]).exit(0);
    place.sim(&["new", "new.ron", "--from", "scene.ron"]).exit(0);
    let rewritten = place.read("new.ron");
    assert!(rewritten.contains("version: 2"), "{rewritten}");
    place.write("scene.ron", &format!("// Rewritten.\n{rewritten}"));
    place.sim(&["run", "scene.ron", "--quiet", "--steps", "8", "--resume"]).exit(0);
    let message = place.sim(&["rerun", "out/scene"]).exit(0).stdout;
    assert!(message.contains("is bitwise equal: 8 steps"), "{message}");
}

/// The rows of tables come to the disk at other times than each other and than the frames.
#[test]
fn rerun_compares_the_recorded_steps_of_a_running_run() {
    let place = Place::new(SCENE);
    let set = ["--set", "output.tables=[Bodies, Contacts]"];
    place.sim(&[&["run", "scene.ron", "--quiet"][..], &set].concat()).exit(0);
    let history = place.read("out/scene/history.csv");
    let rows: String = history.split_inclusive('\n').take(9).collect();
    place.write("out/scene/history.csv", &(rows + "8,0.06"));
    std::fs::remove_file(place.path("out/scene/summary.json")).expect("it was written");
    let message = place.sim(&["rerun", "out/scene"]).exit(0).stdout;
    assert!(message.contains("is bitwise equal: 7 steps"), "{message}");
}

#[test]
fn impossible_rerun_is_rejected_with_the_reason() {
    let place = Place::new(SCENE);
    let message = place.sim(&["rerun", "out/scene"]).exit(2).stderr;
    assert!(message.contains("does not describe a run"), "{message}");

    let run = ["run", "scene.ron", "--quiet", "--steps", "3"];
    place.sim(&run).exit(0);
    let other = ["--resume", "--set", "solver.tolerance=1e-4"];
    place.sim(&[&run[..4], &["8"], &other].concat()).exit(0);
    let message = place.sim(&["rerun", "out/scene"]).exit(2).stderr;
    assert!(message.contains("resumed after step 3 with another scene"), "{message}");

    place.sim(&[&run[..], &["--force"]].concat()).exit(0);
    place.write("out/scene/scene.ron", SCENE.trim_end());
    let message = place.sim(&["rerun", "out/scene"]).exit(2).stderr;
    assert!(message.contains("was changed after the run"), "{message}");
}

#[test]
fn results_of_modes_and_buckling_are_not_repeated_as_runs() {
    let place = Place::new(SCENE);
    place.sim(&["modes", "supports/column", "-n", "1", "-q", "-o", "out/modes"]).exit(0);
    place.sim(&["buckle", "supports/column", "-n", "1", "-q", "-o", "out/buckle"]).exit(0);
    for command in ["modes", "buckle"] {
        let folder = format!("out/{command}");
        let said = place.sim(&["rerun", &folder]).exit(2).stderr;
        assert!(said.contains(&format!("`sim {command}`")) && said.contains("run.json"), "{said}");
        assert!(!place.path(&format!("{folder}-again")).exists());
    }
}
