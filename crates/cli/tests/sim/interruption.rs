//! A run that is killed or interrupted goes on as if nothing had happened.

use crate::support::{Place, SCENE, begun, interrupt, signalled};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// Far more steps than are taken before the signal comes.
const LONG: [&str; 4] = ["--set", "time.duration=1000", "--set", "output.formats=[]"];

/// Starts a long run and waits until its history has so many rows.
fn begin(place: &Place, more: &[&str], rows: usize) -> Child {
    let arguments = [&["run", "scene.ron", "-o", "cut"], &LONG[..], more].concat();
    begun(place, &arguments, "cut/history.csv", rows)
}

/// Resumes the run that was cut, some steps beyond where it was, and compares it
/// with one that was not cut.
fn goes_on_as_if_uninterrupted(place: &Place, more: &[&str]) {
    let rows = place.read("cut/history.csv").matches('\n').count();
    let steps = (rows + 20).to_string();
    let common = [&LONG[..], more, &["--steps", &steps, "--quiet"]].concat();
    place.sim(&[&["run", "scene.ron", "-o", "cut", "--resume"], &common[..]].concat()).exit(0);
    place.sim(&[&["run", "scene.ron", "-o", "whole"], &common[..]].concat()).exit(0);
    let (cut, whole) = (place.history("cut/history.csv"), place.history("whole/history.csv"));
    assert_eq!(whole.len(), rows + 22, "a header, the start and the steps");
    assert_eq!(cut, whole);
}

#[test]
fn killed_run_resumes_bitwise() {
    for every in ["output.checkpoint_steps=1", "output.checkpoint_steps=7"] {
        let place = Place::new(SCENE);
        let mut child = begin(&place, &["--set", every], 13);
        // On Unix this is SIGKILL: no handler runs, nothing is flushed.
        child.kill().expect("the child is ours");
        let status = child.wait().expect("the child is ours");
        assert_eq!(status.code(), None, "it did not end by itself");
        assert!(!place.path("cut/summary.json").exists());
        goes_on_as_if_uninterrupted(&place, &["--set", every]);
    }
}

#[test]
fn interrupted_run_can_be_resumed() {
    let place = Place::new(SCENE);
    let every = ["--set", "output.checkpoint_steps=5"];
    let child = begin(&place, &every, 6);
    let output = interrupt(child).exit(1);
    assert!(output.stderr.contains("interrupted after step"), "{}", output.stderr);
    assert!(output.stderr.contains("--resume"), "{}", output.stderr);
    let summary = place.read("cut/summary.json");
    assert!(summary.contains("\"status\": \"interrupted\""), "{summary}");
    let rows = place.history("cut/history.csv").len() - 2;
    assert!(summary.contains(&format!("\"steps_done\": {rows},")), "{rows}: {summary}");
    goes_on_as_if_uninterrupted(&place, &every);
}

/// A step of a million substeps, in which the die is dashed to the floor: it would take minutes. In free fall
/// it is foretold so well that a step is over in a twinkling.
const ENDLESS: [&str; 8] = [
    "--set",
    "integrator=ImplicitEuler",
    "--set",
    "gravity=(0,-1000,0)",
    "--set",
    "time.adaptive=Doubling(error: 1e-12, shortest: 1e-8)",
    "--set",
    "output.formats=[]",
];

#[test]
fn signal_during_a_step_restores_the_state_before_it() {
    for signal in ["-INT", "-TERM"] {
        let place = Place::new(SCENE);
        let endless = [&["run", "scene.ron", "-o", "cut"], &ENDLESS[..]].concat();
        let output = signalled(begun(&place, &endless, "cut/checkpoint", 0), signal).exit(1);
        assert!(output.stderr.contains("interrupted after step 0"), "{}", output.stderr);
        let summary = place.read("cut/summary.json");
        assert!(summary.contains("\"status\": \"interrupted\""), "{summary}");
        assert!(summary.contains("\"steps_done\": 0,"), "{summary}");
    }
}

/// A wheel of needles from its rim to both ends of its axis, so many that each question of a
/// point's side takes a look at all of them: filling it takes most of a minute.
fn wheel() -> String {
    let needles = 8000;
    let mut text = String::from("v 0 0 1\nv 0 0 -1\n");
    for k in 0..needles {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(needles)).sin_cos();
        text += &format!("v {cos} {sin} 0\n");
    }
    for k in 0..needles {
        let [a, b] = [3 + k, 3 + (k + 1) % needles];
        text += &format!("f 1 {a} {b}\nf 2 {b} {a}\n");
    }
    text
}

#[test]
fn meshing_shows_progress_and_a_signal_ends_it_without_output() {
    for signal in ["-INT", "-TERM"] {
        let place = Place::new(SCENE);
        place.write("wheel.obj", &wheel());
        let mut mesher = Command::new(env!("CARGO_BIN_EXE_sim"));
        let mesher = mesher.current_dir(place.path("")).stderr(Stdio::piped());
        let mut child = mesher
            .args(["mesh", "wheel.obj", "-o", "wheel.msh"])
            .spawn()
            .expect("sim can be started");
        let mut line = String::new();
        let said = child.stderr.as_mut().expect("it is piped");
        BufReader::new(said).read_line(&mut line).expect("it is text");
        let counted = line.trim_end().split_once(": ").and_then(|(_, count)| {
            let (done, all) = count.split_once(" of ")?;
            Some((done.parse::<u64>().ok()?, all.parse::<u64>().ok()?))
        });
        assert!(counted.is_some_and(|(done, all)| 0 < done && done <= all), "{line}");
        let said = signalled(child, signal).exit(1);
        assert!(said.stderr.contains("interrupted; nothing was written"), "{}", said.stderr);
        let files = std::fs::read_dir(place.path("")).expect("it is there").count();
        assert_eq!(files, 2, "the scene and the surface");
    }
}

/// Waits until the program listens to Ctrl-C, by its mask of signals that are caught.
#[cfg(target_os = "linux")]
fn listening(child: &Child) {
    let interrupts = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?.trim();
        Some(u64::from_str_radix(caught, 16).ok()? & 2 != 0)
    };
    let begun = std::time::Instant::now();
    while interrupts() != Some(true) {
        assert!(begun.elapsed().as_secs() < 60, "the server does not listen");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// A scene whose surface is filled is read for as long as filling takes, and nothing is there to be
/// kept.
#[cfg(target_os = "linux")]
#[test]
fn signal_during_filling_ends_check_and_run_without_output() {
    let die = "Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2))";
    assert!(SCENE.contains(die));
    let scene = SCENE.replace(die, r#"Fill(file: "wheel.obj", resolution: Tets(20000))"#);
    for (command, signal) in [("check", "-INT"), ("run", "-INT"), ("run", "-TERM")] {
        let place = Place::new(&scene);
        place.write("wheel.obj", &wheel());
        let mut program = Command::new(env!("CARGO_BIN_EXE_sim"));
        let program = program.current_dir(place.path("")).args([command, "scene.ron"]);
        let child = program.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let child = child.expect("sim can be started");
        listening(&child);
        let output = signalled(child, signal).exit(1);
        assert!(output.stderr.contains("interrupted; nothing was written"), "{}", output.stderr);
        let files = std::fs::read_dir(place.path("")).expect("it is there").count();
        assert_eq!(files, 2, "the scene and the surface");
    }
}
