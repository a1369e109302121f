//! `sim buckle`.

use crate::support::{Place, SCENE};

const SHORT: [&str; 4] = ["buckle", "supports/column", "-n", "2"];

/// Euler's load is ten times that of the scene, in both directions.
#[test]
fn load_factors_are_printed_and_written_and_each_has_a_frame() {
    let place = Place::new(SCENE);
    let output = place.sim(&[&SHORT[..], &["-o", "out"]].concat()).exit(0);
    assert!(output.stdout.contains("load factor"), "{}", output.stdout);
    let table = place.read("out/buckling.csv");
    let of = |row: &str| row.split(',').nth(2).and_then(|x| x.parse().ok());
    let factors: Vec<f64> = table.lines().skip(1).filter_map(of).collect();
    assert_eq!(factors.len(), 2, "{table}");
    assert!(factors.iter().all(|factor| (factor / 10.0 - 1.0).abs() < 0.02), "{table}");
    // The start, the load step, and both modes.
    let index = place.read("out/frames/frames.pvd");
    assert_eq!(index.matches("timestep=").count(), 4, "{index}");
}

#[test]
fn body_without_buckling_is_named_with_a_remedy() {
    let place = Place::new(SCENE);
    let linear = "materials.m.model=Linear(young: 1e7, poisson: 0.3)";
    let output = place.sim(&[&SHORT[..], &["-q", "-o", "out", "--set", linear]].concat()).exit(1);
    assert!(output.stderr.contains("\"column\""), "{}", output.stderr);
    assert!(output.stderr.contains("StVK"), "{}", output.stderr);
}

#[test]
fn zero_modes_are_rejected() {
    let place = Place::new(SCENE);
    for command in ["buckle", "modes"] {
        let stderr =
            place.sim(&[command, "supports/column", "-n", "0", "-o", "out"]).exit(2).stderr;
        assert!(stderr.contains("0") && stderr.contains("1.."), "{stderr}");
        assert!(!place.path("out").exists());
    }
}

/// Without a static analysis, the load of the column is not balanced; with it, nothing is said. Above its critical load
/// the square column bends in one of two directions, and is in an equilibrium that is unstable in the other.
#[test]
fn modes_of_unbalanced_and_unstable_states_are_warned_about() {
    let place = Place::new(SCENE);
    let modes = |arguments: &[&str]| {
        let command = ["modes", "supports/column", "-n", "2", "-o", "out", "--force"];
        let output = place.sim(&[&command[..], arguments].concat()).exit(0);
        let summary: serde_json::Value =
            serde_json::from_str(&place.read("out/summary.json")).expect("it is JSON");
        (output, summary["modes"][0].clone())
    };
    let (balanced, state) = modes(&[]);
    assert!(!balanced.stderr.contains("warning"), "{}", balanced.stderr);
    let of = |state: &serde_json::Value, key: &str| state[key].as_f64().expect("a number");
    assert!(of(&state, "residual_force") <= 1e-6 * of(&state, "largest_force"), "{state}");
    assert_eq!(state["unstable_modes"], 0);
    let (unbalanced, state) = modes(&["--set", "analysis=Dynamic"]);
    for part in ["\"column\"", "not in equilibrium", "settle=true"] {
        assert!(unbalanced.stderr.contains(part), "{}", unbalanced.stderr);
    }
    assert!(of(&state, "residual_force") > 0.5 * of(&state, "largest_force"), "{state}");
    let (unstable, state) = modes(&["--set", "bodies.column.terms[0].force=(-20, 0, 0)"]);
    assert!(unstable.stderr.contains("is unstable"), "{}", unstable.stderr);
    assert_eq!(unstable.stdout.matches("unstable").count(), 1, "{}", unstable.stdout);
    assert_eq!(state["unstable_modes"], 1);
}

/// The steps of a dynamic scene concern neither its natural modes nor an equilibrium.
#[test]
fn modes_and_statics_do_not_warn_of_steps() {
    let place = Place::new(SCENE);
    let settings = [
        "time=(step: 0.5, duration: 0.2)",
        "output.frame_rate=1000",
        "integrator=ASearch(alpha_max: 3)",
        "bodies.die.terms=[Force(force: (1, 0, 0), start: 8, end: 9)]",
    ];
    let warnings = |command: &[&str], settings: &[&str]| -> Vec<String> {
        let settings = settings.iter().flat_map(|setting| ["--set", setting]);
        let arguments = [command, &settings.collect::<Vec<_>>()].concat();
        let stderr = place.sim(&arguments).exit(0).stderr;
        let lines = stderr.lines().filter(|line| line.contains("warning: "));
        lines.map(str::to_owned).collect()
    };
    let has = |warnings: &[String], path: &str| warnings.iter().any(|line| line.contains(path));
    let run = warnings(&["check", "scene.ron"], &settings);
    for path in ["time.step", "time.duration", "output.frame_rate", "integrator", "terms[0].start"]
    {
        assert!(has(&run, path), "{path}: {run:?}");
    }
    let modes = warnings(&["modes", "scene.ron", "-n", "1", "--force"], &settings);
    for path in ["time.", "frame_rate", "integrator", "terms[0].start"] {
        assert!(!has(&modes, path), "{path}: {modes:?}");
    }
    // What else is wrong with the scene is said.
    let heavy = [&settings[..], &["gravity=(0, 9.81, 0)"]].concat();
    assert!(has(
        &warnings(&["modes", "scene.ron", "-n", "1", "--force"], &heavy),
        "gravity points up"
    ));
    let check = ["check", "supports/column"];
    let uneven = ["output.frame_rate=7", "time=(step: 0.1, duration: 1)"];
    assert_eq!(warnings(&check, &uneven), Vec::<String>::new());
    assert!(has(&warnings(&check, &[&uneven[..], &["analysis=Dynamic"]].concat()), "frame_rate"));
}
