//! Paths of outputs, and folders that are not those of runs.

use crate::support::{Place, SCENE, TRUSS};

/// A cube as OBJ.
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// A place with a run of some steps.
fn with_run(folder: &str) -> Place {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "-o", folder, "--steps", "6", "--quiet"]).exit(0);
    place
}

/// An error of the command line, which nothing is written after.
#[test]
fn file_in_place_of_an_output_folder_is_an_error_of_the_command_line() {
    let place = with_run("out");
    place.write("notes", "mine");
    place.write("cube.obj", CUBE);
    let vary = ["--vary", "bodies.die.friction=0,1"];
    let commands: [&[&str]; 7] = [
        &["run", "scene.ron"],
        &["static", "scene.ron"],
        &["modes", "scene.ron"],
        &["buckle", "scene.ron"],
        &["rerun", "out"],
        &["compare", "scene.ron", "-i", "bdf2", "--steps", "2"],
        &["sweep", "scene.ron", vary[0], vary[1]],
    ];
    for command in commands {
        for output in ["notes", "notes/below"] {
            let message = place.sim(&[command, &["-o", output]].concat()).exit(2).stderr;
            let words = [output, "a file is", "-o"];
            assert!(words.iter().all(|word| message.contains(word)), "{command:?}: {message}");
        }
    }
    let below: [&[&str]; 6] = [
        &["render", "out", "--at", "0", "-o", "notes/below.png"],
        &["render", "out", "-o", "notes/below"],
        &["export", "out", "-o", "notes/below.glb"],
        &["view", "out", "--no-open", "-o", "notes/below.html"],
        &["pdf", "out", "-o", "notes/below.pdf"],
        &["mesh", "cube.obj", "-o", "notes/below.ply"],
    ];
    for command in below {
        let message = place.sim(command).exit(2).stderr;
        assert!(message.contains("notes/below") && message.contains("a file is"), "{message}");
    }
    assert_eq!(place.read("notes"), "mine");
}

#[test]
fn folder_of_several_runs_is_named_as_such() {
    let place = Place::new(SCENE);
    let vary = ["--vary", "bodies.die.friction=0,1", "--steps", "2", "--quiet"];
    place.sim(&[&["sweep", "scene.ron", "-o", "s"][..], &vary].concat()).exit(0);
    let compare = ["compare", "scene.ron", "-i", "bdf2,a-search", "--steps", "2", "--quiet"];
    place.sim(&[&compare[..], &["-o", "c"]].concat()).exit(0);
    let commands: [&[&str]; 8] = [
        &["info"],
        &["verify"],
        &["rerun"],
        &["run"],
        &["check"],
        &["view", "--no-open"],
        &["render"],
        &["export", "--format", "glb"],
    ];
    for command in commands {
        let message = place.sim(&[command, &["s"]].concat()).exit(2).stderr;
        assert!(message.contains("such as s/runs/000000"), "{command:?}: {message}");
        let message = place.sim(&[command, &["c"]].concat()).exit(2).stderr;
        assert!(message.contains("such as c/"), "{command:?}: {message}");
    }
    let message = place.sim(&["info", "s"]).exit(2).stderr;
    assert!(message.contains("the folder of a sweep, and holds 2 runs"), "{message}");
    assert!(message.contains("`sim sweep s` continues"), "{message}");
}

#[test]
fn damaged_index_of_frames_is_named_by_every_reader() {
    let place = with_run("out");
    for contents in ["", "<VTKFile type=\"Collection\">\n<Collection>\n"] {
        place.write("out/frames/frames.pvd", contents);
        for command in [&["verify"][..], &["render"], &["view", "--no-open"]] {
            let message = place.sim(&[command, &["out"]].concat()).exit(2).stderr;
            let words = ["out/frames/frames.pvd is not an index that a run wrote", "--force"];
            assert!(words.iter().all(|word| message.contains(word)), "{command:?}: {message}");
        }
    }
}

#[test]
fn export_refuses_a_name_with_the_extension_of_another_format() {
    let place = with_run("out");
    for (output, format) in [
        ("x.glb", "obj"),
        ("x.obj", "glb"),
        ("x.usd", "csv"),
        ("x.csv", "npz"),
        ("x.pc2", "mdd"),
        ("x.ply", "usda"),
    ] {
        let message =
            place.sim(&["export", "out", "-o", output, "--format", format]).exit(2).stderr;
        let words = [output, format, "--format"];
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
        assert!(!place.path(output).exists(), "{output}");
    }
    let message = place.sim(&["export", "out", "-o", "x.gltf"]).exit(2).stderr;
    assert!(message.contains("-o x.glb"), "{message}");
    place.sim(&["export", "out", "-o", "y.GLB", "--quiet"]).exit(0);
    // Extensions of no format say nothing about it.
    place.sim(&["export", "out", "-o", "x.txt", "--format", "csv", "--quiet"]).exit(0);
    place.sim(&["export", "out", "-o", "frames.v2", "--format", "ply", "--quiet"]).exit(0);
    place.sim(&["export", "out", "-o", "x.usd", "--format", "usd", "--quiet"]).exit(0);
}

#[test]
fn colours_show_components_of_tensors_and_unknown_fields_are_explained() {
    let place = Place::new(SCENE);
    let fields = "output.fields=[CauchyStress, VonMises]";
    place.sim(&["run", "scene.ron", "-o", "out", "--steps", "3", "-q", "--set", fields]).exit(0);
    let color = |name| ["render", "out", "--at", "0", "-o", "p.png", "--force", "--color", name];
    let message = place.sim(&color("cauchy_stress")).exit(2).stderr;
    for word in ["\"cauchy_stress\" is a tensor", "cauchy_stress_xx, _yy", "cauchy_stress_1 ("] {
        assert!(message.contains(word), "{word}: {message}");
    }
    let message = place.sim(&color("pressure")).exit(2).stderr;
    for word in ["no \"pressure\"", "body, speed, cauchy_stress_xx, von_mises", "output.fields"] {
        assert!(message.contains(word), "{word}: {message}");
    }
    for name in ["von_mises", "cauchy_stress_xy", "cauchy_stress_1", "velocity_y"] {
        place.sim(&color(name)).exit(0);
    }
}

/// A plot is titled by what was computed.
#[test]
fn plots_of_equilibria_name_the_analysis_and_the_load() {
    let lines = |place: &Place, file: &str| -> Vec<String> {
        place.read(file).lines().map(|line| line.trim().to_owned()).collect()
    };
    let place = Place::new(TRUSS);
    place.sim(&["static", "scene.ron", "-o", "path", "--quiet"]).exit(0);
    let path = lines(&place, "path/energy.svg");
    let has = |lines: &[String], word: &str| lines.iter().any(|line| line == word);
    assert!(has(&path, "truss, equilibrium path") || has(&path, "scene, equilibrium path"));
    assert!(has(&path, "load time (s)") && has(&path, "potential"));
    assert!(!has(&path, "kinetic") && !has(&path, "time (s)") && !has(&path, "target"));
    let loads = ["static", "scene.ron", "-o", "loads", "--quiet", "--set", "analysis=Static"];
    place.sim(&loads).exit(0);
    let loads = lines(&place, "loads/energy.svg");
    assert!(has(&loads, "scene, static equilibrium") && has(&loads, "time (s)"));
    assert!(!has(&loads, "kinetic") && !has(&loads, "alpha"));
}

/// A bar held at one end under its weight, whose modes and load factors are found.
const BAR: &str = r#"(version: 2,
    materials: {"steel": (density: 7800, model: StVK(young: 2e9, poisson: 0.3))},
    bodies: [(name: "bar", shape: Box(size: (0.05, 0.4, 0.04), cells: (2, 8, 2)), material: "steel",
        hold: [(region: Plane(point: (0, -0.199, 0), normal: (0, -1, 0)), motion: Fixed)])],
    gravity: (0, -9.81, 0), contact: Off, time: (duration: 0.1))"#;

/// Pages and pictures of mode shapes have the frequency or load factor of each frame.
#[test]
fn frames_of_mode_shapes_have_their_values_as_captions() {
    let place = Place::new(BAR);
    let commands =
        [("modes", "modes.csv", "frequency", " Hz"), ("buckle", "buckling.csv", "factor", "")];
    for (command, table, column, unit) in commands {
        place.sim(&[command, "scene.ron", "-o", command, "-n", "2", "--quiet"]).exit(0);
        place.sim(&["view", command, "--no-open", "--quiet"]).exit(0);
        place.sim(&["render", command, "--at", "1", "--text", "--quiet"]).exit(0);
        let page = place.read_lossy(&format!("{command}/view.html"));
        assert!(page.contains("\"shapes\":true"), "{command}");
        let table = place.read(&format!("{command}/{table}"));
        let mut lines = table.lines();
        let index = lines.next().unwrap().split(',').position(|name| name == column).unwrap();
        for (mode, line) in (1..).zip(lines) {
            let value: f64 = line.split(',').nth(index).unwrap().parse().unwrap();
            let value = format!("{value:.10}");
            let caption = match unit {
                "" => format!("\"mode {mode}: load factor {}", &value[..4]),
                _ => format!("\"mode {mode}: {}", &value[..4]),
            };
            assert!(page.contains(&caption), "{caption}");
        }
    }
    place.sim(&["run", "scene.ron", "-o", "run", "--steps", "2", "--quiet"]).exit(0);
    place.sim(&["view", "run", "--no-open", "--quiet"]).exit(0);
    let page = place.read_lossy("run/view.html");
    assert!(page.contains("\"shapes\":false") && !page.contains("\"captions\""));
}

#[test]
fn contradictory_options_and_missing_files_are_named() {
    let place = with_run("out");
    let times = ["--from", "0.04", "--to", "0.01"];
    for command in [&["render", "out", "-o", "film"][..], &["export", "out", "-o", "x.csv"]] {
        let message = place.sim(&[command, &times].concat()).exit(2).stderr;
        assert!(message.contains("--from 0.04 is after --to 0.01"), "{message}");
    }
    for (command, name) in [("pdf", "x.txt"), ("view", "x.png")] {
        let message = place.sim(&[command, "out", "-o", name]).exit(2).stderr;
        let advised = if command == "pdf" { "-o x.pdf" } else { "-o x.html" };
        assert!(message.contains(name) && message.contains(advised), "{message}");
        assert!(!place.path(name).exists());
    }
    let message = place.sim(&["render", "out", "-o", "film", "--orbit", "nan"]).exit(2).stderr;
    assert!(message.contains("the orbit has to be an angle"), "{message}");
    let picture = ["render", "out", "-o", "p.png", "--at", "0", "--orbit", "90"];
    assert!(place.sim(&picture).exit(2).stderr.contains("cannot be used with"));
    let message = place.sim(&["info", "scene"]).exit(2).stderr;
    assert!(message.contains("no file or folder scene"), "{message}");
    assert!(message.contains("did you mean `scene.ron`"), "{message}");
}
