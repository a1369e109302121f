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
