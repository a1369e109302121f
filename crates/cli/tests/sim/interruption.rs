//! A run that is killed or interrupted goes on as if nothing had happened.

use crate::support::{Place, SCENE, Said};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Far more steps than are taken before the signal comes.
const LONG: [&str; 4] = ["--set", "time.duration=1000", "--set", "output.formats=[]"];

/// Starts a long run and waits until its history has so many rows.
fn begin(place: &Place, more: &[&str], rows: usize) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sim"))
        .current_dir(place.path(""))
        .args(["run", "scene.ron", "-o", "cut"])
        .args(LONG)
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sim can be started");
    let begun = Instant::now();
    let history = place.path("cut/history.csv");
    loop {
        let text = std::fs::read_to_string(&history).unwrap_or_default();
        if text.matches('\n').count() > rows {
            return child;
        }
        let ended = child.try_wait().expect("the child is ours");
        assert!(ended.is_none(), "the run ended by itself: {ended:?}");
        assert!(begun.elapsed() < Duration::from_secs(120), "no progress: {text}");
        std::thread::sleep(Duration::from_millis(1));
    }
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
    assert_eq!(whole.len(), rows + 21, "a header and the steps");
    assert_eq!(cut, whole);
}

#[test]
fn a_killed_run_is_resumed_to_the_bit() {
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
fn ctrl_c_leaves_a_run_that_can_be_resumed() {
    let place = Place::new(SCENE);
    let every = ["--set", "output.checkpoint_steps=5"];
    let child = begin(&place, &every, 6);
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.expect("there is a command `kill`").success());
    let said = Said::of(&child.wait_with_output().expect("the child is ours")).exit(1);
    assert!(said.stderr.contains("interrupted after step"), "{}", said.stderr);
    assert!(said.stderr.contains("--resume"), "{}", said.stderr);
    let summary = place.read("cut/summary.json");
    assert!(summary.contains("\"status\": \"interrupted\""), "{summary}");
    let rows = place.history("cut/history.csv").len() - 1;
    assert!(summary.contains(&format!("\"steps_done\": {rows},")), "{rows}: {summary}");
    goes_on_as_if_uninterrupted(&place, &every);
}
