//! `sim bench`: what it runs, what it says, and what it refuses.

use crate::support::{Place, SCENE};

#[test]
fn benchmark_prints_figures_and_leaves_no_files() {
    let place = Place::new(SCENE);
    let bench = ["bench", "scene.ron", "--runs", "2", "--steps", "6", "--threads", "1"];
    let output = place.sim(&bench).exit(0);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!(lines[0].contains("medians of 2 runs on 1 thread"), "{}", output.stdout);
    let header = lines.iter().position(|line| line.starts_with("scene ")).expect("a header");
    for word in ["seconds", "ms/Newton", "CG/Newton", "assembly", "collision", "MiB"] {
        assert!(lines[header].contains(word), "{word}: {}", output.stdout);
    }
    let cells: Vec<&str> = lines[header + 1].split_whitespace().collect();
    assert_eq!((cells[0], cells[1], cells.len()), ("scene.ron", "6", 14), "{}", output.stdout);
    let shares = cells[7..13].iter().map(|cell| cell.trim_end_matches('%').parse::<f64>());
    let sum: f64 = shares.map(|share| share.expect("a share in percent")).sum();
    assert!((sum - 100.0).abs() <= 3.0, "six shares, each rounded: {sum}");
    // The same work as that of a run.
    place.sim(&["run", "scene.ron", "--steps", "6", "-o", "run", "--quiet"]).exit(0);
    let newton = format!("\"newton_iterations\": {},", cells[4]);
    assert!(place.read("run/summary.json").contains(&newton), "{newton}");
    assert!(!place.path("out").exists(), "runs go to temporary folders");
    assert!(output.stderr.contains("scene.ron, run 2 of 2: "), "{}", output.stderr);
    let quiet = place.sim(&[&bench[..], &["--quiet"]].concat()).exit(0);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn benchmark_json_has_all_figures() {
    let place = Place::new(SCENE);
    let output =
        place.sim(&["bench", "scene.ron", "--runs", "1", "--steps", "3", "--json"]).exit(0);
    for key in [
        "\"machine\": {",
        "\"cores\": ",
        "\"debug_assertions\": ",
        "\"threads\": ",
        "\"runs\": 1,",
        "\"steps\": 3,",
        "\"seconds\": ",
        "\"newton_iterations\": ",
        "\"milliseconds_per_newton\": ",
        "\"linear_per_newton\": ",
        "\"linear_solve\": ",
        "\"peak_memory_bytes\": ",
        "\"missing\": []",
    ] {
        assert!(output.stdout.contains(key), "{key}: {}", output.stdout);
    }
}

#[test]
fn benchmark_names_are_found_in_the_folder_and_the_standard_set() {
    let place = Place::new(SCENE);
    std::fs::create_dir(place.path("scenes")).expect("the folder can be written");
    place.write("scenes/mine.ron", SCENE);
    place.write("scenes/dice.ron", SCENE);
    let names = ["mine", "dice-implicit-euler"];
    let output = place.sim(&[&["bench"], &names[..], &["--runs", "1", "--steps", "2"]].concat());
    let output = output.exit(0);
    for name in names {
        assert!(output.stdout.lines().any(|line| line.starts_with(name)), "{}", output.stdout);
    }
}

#[test]
fn benchmark_rejects_invalid_scenes_before_running_any() {
    let place = Place::new(SCENE);
    place.write("wrong.ron", &SCENE.replace("density: 1000", "density: -1"));
    let unknown = place.sim(&["bench", "scene.ron", "nothing", "nowhere"]).exit(2);
    for word in ["nothing", "nowhere", "sim scenes", "twisted-bar"] {
        assert!(unknown.stderr.contains(word), "{word}: {}", unknown.stderr);
    }
    let wrong = place.sim(&["bench", "scene.ron", "wrong.ron"]).exit(2);
    assert!(wrong.stderr.contains("density"), "{}", wrong.stderr);
    for said in [unknown, wrong] {
        assert_eq!(said.stdout, "");
        assert!(!said.stderr.contains("run 1"), "{}", said.stderr);
    }
    place.sim(&["bench", "scene.ron", "--runs", "0"]).exit(2);
}

#[test]
fn benchmark_continues_after_a_failed_scene() {
    let place = Place::new(SCENE);
    let hard = SCENE
        .replace("velocity: (0.5, 0, 0)", "velocity: (0, -5, 0)")
        .replace("time: (", "solver: (max_iterations: 2, max_halvings: 0),\n    time: (");
    place.write("hard.ron", &hard);
    let output = place.sim(&["bench", "hard.ron", "scene.ron", "--runs", "1", "--steps", "8"]);
    let output = output.exit(1);
    assert!(output.stderr.contains("error: hard.ron: step "), "{}", output.stderr);
    assert!(output.stdout.lines().any(|line| line.starts_with("scene.ron ")), "{}", output.stdout);
    assert!(!output.stdout.lines().any(|line| line.starts_with("hard.ron")), "{}", output.stdout);
}
