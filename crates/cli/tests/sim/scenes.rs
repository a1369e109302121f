//! The built-in scenes.

use crate::support::{Place, SCENE};

#[test]
fn built_in_scenes_are_listed_run_and_written() {
    let place = Place::new(SCENE);
    let listed = place.sim(&["scenes"]).exit(0).stdout;
    assert!(listed.contains("\nfirst  ") || listed.starts_with("first  "), "{listed}");
    assert!(listed.contains("Eight soft dice thrown onto a floor"), "{listed}");

    place.sim(&["run", "first", "--steps", "2", "--quiet"]).exit(0);
    assert!(place.read("out/first/summary.json").contains("\"status\""));

    let message = place.sim(&["info", "first"]).exit(0).stdout;
    assert!(message.contains("Newton to 0.001 m/s") && message.contains("ClampedLog"), "{message}");

    // Of the standard set, in a folder that has no scenes.
    let figures = ["bench", "rotating-cube-soft", "--runs", "1", "--steps", "1", "--json"];
    place.sim(&figures).exit(0);

    place.sim(&["new", "my.ron", "--from", "first"]).exit(0);
    place.sim(&["check", "my.ron"]).exit(0);
    let before = place.read("my.ron");
    let message = place.sim(&["new", "my.ron", "--from", "dice"]).exit(2).stderr;
    assert!(message.contains("the file exists"), "{message}");
    assert_eq!(place.read("my.ron"), before);
}

#[test]
fn unknown_scene_name_suggests_the_list() {
    let place = Place::new(SCENE);
    let message = place.sim(&["run", "firts"]).exit(2).stderr;
    assert!(message.contains("sim scenes"), "{message}");
    let message = place.sim(&["new", "my.ron", "--from", "firts"]).exit(2).stderr;
    assert!(message.contains("there are: first, "), "{message}");
}

#[test]
fn file_takes_precedence_over_a_built_in_scene() {
    let place = Place::new(SCENE);
    std::fs::write(place.path("first"), "(nothing").expect("a file");
    place.sim(&["check", "first"]).exit(2);
}

#[test]
fn misspelt_scenes_are_answered_with_the_likely_name() {
    let place = Place::new(SCENE);
    for (command, name, meant) in [
        (&["run"][..], "frist", "first"),
        (&["check"], "rods/knto", "rods/knot"),
        (&["check"], "keplre", "study/kepler"),
        (&["new", "my.ron", "--from"], "frist", "first"),
    ] {
        let message = place.sim(&[command, &[name]].concat()).exit(2).stderr;
        assert!(message.contains(&format!("did you mean `{meant}`?")), "{message}");
    }
    let message = place.sim(&["run", "something-else"]).exit(2).stderr;
    assert!(!message.contains("did you mean"), "{message}");
}

#[test]
fn folder_does_not_hide_a_built_in_scene_of_its_name() {
    let place = Place::new(SCENE);
    std::fs::create_dir(place.path("first")).expect("a folder");
    place.sim(&["run", "first", "--steps", "1", "--quiet"]).exit(0);
    place.sim(&["rerun", "out/first"]).exit(0);
}

#[test]
fn scenes_in_folders_are_listed_run_and_written_with_files() {
    let place = Place::new(SCENE);
    let all = place.sim(&["scenes"]).exit(0).stdout;
    let rods = place.sim(&["scenes", "rods"]).exit(0).stdout;
    for listed in [&all, &rods] {
        assert!(listed.contains("\nrods/knot "), "{listed}");
    }
    assert!(all.contains("\ndice ") && all.contains("\nstudy/kepler "), "{all}");
    assert!(!rods.contains("\ndice ") && !rods.contains("study/"), "{rods}");
    assert!(place.sim(&["scenes", "ropes"]).exit(2).stderr.contains(" rods "));

    place.sim(&["run", "rods/knot", "--steps", "1", "--quiet"]).exit(0);
    place.sim(&["run", "rods/knot", "--steps", "2", "--resume", "--quiet"]).exit(0);
    place.sim(&["verify", "rods/knot", "--quiet"]).exit(0);
    place.sim(&["rerun", "out/knot", "--quiet"]).exit(0);
    place.sim(&["run", "animated/wave", "--steps", "1", "--quiet"]).exit(0);
    let before = place.read("out/wave/frames/original_000000.obj");
    assert!(before.contains("\nf "), "what the scene reads is copied beside its frames");

    place.sim(&["new", "my.ron", "--from", "rods/knot"]).exit(0);
    place.sim(&["run", "my.ron", "--steps", "1", "--quiet"]).exit(0);
    place.sim(&["new", "other.ron", "--from", "rods/knot"]).exit(0);
    std::fs::write(place.path("overhand.obj"), "v 0 0 0\n").expect("a file");
    let message = place.sim(&["new", "third.ron", "--from", "rods/knot"]).exit(2).stderr;
    assert!(message.contains("overhand.obj") && !place.path("third.ron").exists(), "{message}");
}

#[test]
fn scene_name_without_folder_and_folder_name_suggest_the_scene() {
    let place = Place::new(SCENE);
    let message = place.sim(&["run", "knot"]).exit(2).stderr;
    assert!(message.contains("`rods/knot`"), "{message}");
    let message = place.sim(&["new", "my.ron", "--from", "knot"]).exit(2).stderr;
    assert!(message.contains("rods/knot"), "{message}");
    let message = place.sim(&["run", "rods"]).exit(2).stderr;
    assert!(message.contains("sim scenes rods"), "{message}");
}

#[test]
fn built_in_scene_without_its_mesh_names_the_file() {
    let place = Place::new(SCENE);
    let message = place.sim(&["run", "bunny-stairs"]).exit(2).stderr;
    assert!(message.contains("bunny.msh") && message.contains("tutorial"), "{message}");
}

#[test]
fn scene_of_version_1_runs_with_a_note_and_is_rewritten() {
    let old = SCENE
        .replace("version: 2,", "version: 1, // the first")
        .replace("friction_rule: Mean)", "friction_rule: Mean, off: [(\"die\", \"die\")])");
    let place = Place::new(&old);
    let ran = place.sim(&["run", "scene.ron", "--steps", "2", "--quiet"]).exit(0);
    assert_eq!(ran.stderr.matches("note: scene.ron has version 1").count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("`off` of `Barrier` is `exclude`"), "{}", ran.stderr);
    let checked = place.sim(&["check", "scene.ron", "--json"]).exit(0);
    assert!(!checked.stdout.contains("version 1 of"), "{}", checked.stdout);

    let said = place.sim(&["new", "new.ron", "--from", "scene.ron"]).exit(0).stderr;
    assert!(said.contains("`off` of `Barrier` is `exclude`"), "{said}");
    let written = place.read("new.ron");
    assert_eq!(written, old.replace("version: 1,", "version: 2,").replace("off: [", "exclude: ["));
    // It continues the run of the old one.
    place.write("scene.ron", &written);
    let resumed = place.sim(&["run", "scene.ron", "--steps", "3", "--resume", "--quiet"]).exit(0);
    assert!(!resumed.stderr.contains("version"), "{}", resumed.stderr);
    place.sim(&["new", "new.json", "--from", "scene.ron"]).exit(0);
    place.sim(&["new", "again.ron", "--from", "new.json"]).exit(0);
    for file in ["new.ron", "new.json", "again.ron"] {
        place.sim(&["run", file, "-o", "out/scene", "--steps", "3", "--resume", "--quiet"]).exit(0);
    }
    place.write("old.json", &place.read("new.json").replace("\"version\": 2", "\"version\": 1"));
    place.sim(&["new", "from_old.json", "--from", "old.json"]).exit(0);
    assert_eq!(place.read("from_old.json"), place.read("new.json"));
    place.write("bad.ron", "(version: 1, bodies: [)");
    let said = place.sim(&["new", "good.ron", "--from", "bad.ron"]).exit(2).stderr;
    assert!(said.contains("bad.ron:1:23") && !place.path("good.ron").exists(), "{said}");
}

const SHORT: &str = r#"(
    version: 2,
    bodies: [(
        name: "cube",
        shape: Box(size: (0.1, 0.1, 0.1), cells: (4, 4, 4)),
        material: "silicone",
        placement: (translate: (0, 0.2, 0)),
    )],
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0))],
    time: (duration: 0.5),
)"#;

#[test]
fn defaults_of_a_short_scene_are_stated() {
    let place = Place::new(SHORT);
    let stated = [
        "gravity: (0, -9.81, 0)",
        "integrator: ASearch()",
        "step: \"1/120\"",
        "contact: Barrier(d_hat: 0.001, kappa: ",
        "friction_rule: GeometricMean",
        ": 0.5",
    ];
    let run = ["run", "scene.ron", "--quiet", "--steps", "2"];
    place.sim(&run).exit(0);
    let kept = place.read("out/scene/scene.ron");
    let checked = place.sim(&["check", "scene.ron"]).exit(0);
    assert_eq!(checked.stderr, "");
    for text in [&kept, &checked.stdout, &place.sim(&["info", "scene.ron"]).exit(0).stdout] {
        for default in stated {
            assert!(text.contains(default), "{default}: {text}");
        }
    }
    assert_eq!(kept.matches("friction: 0.5").count(), 2, "{kept}");
    place.sim(&["rerun", "out/scene", "--quiet"]).exit(0);
    place.sim(&["run", "scene.ron", "--quiet", "--steps", "4", "--resume"]).exit(0);
    place.write("stated.ron", &kept);
    let resume = ["run", "stated.ron", "-o", "out/scene", "--quiet", "--steps", "6", "--resume"];
    place.sim(&resume).exit(0);
    place.sim(&["verify", "out/scene", "--quiet"]).exit(0);
}

#[test]
fn scenes_are_replaced_only_with_force() {
    let place = Place::new(SCENE);
    place.sim(&["new", "my.ron", "--from", "first"]).exit(0);
    let message = place.sim(&["new", "my.ron", "--from", "dice"]).exit(2).stderr;
    assert!(message.contains("--force replaces it"), "{message}");
    place.sim(&["new", "my.ron", "--from", "dice", "--force"]).exit(0);
    place.sim(&["new", "other.ron", "--from", "dice"]).exit(0);
    assert_eq!(place.read("my.ron"), place.read("other.ron"));
    // A scene may be rewritten in its own place.
    place.sim(&["new", "my.ron", "--from", "my.ron", "--force"]).exit(0);
    place.sim(&["check", "my.ron"]).exit(0);
    // A folder is no file that could be replaced.
    std::fs::create_dir(place.path("folder.ron")).expect("a folder");
    place.sim(&["new", "folder.ron", "--from", "dice", "--force"]).exit(2);
}
