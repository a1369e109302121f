//! A run that is killed or interrupted goes on as if nothing had happened.

use crate::support::{Place, SCENE, begun, interrupt, signalled};
use std::process::Child;

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
    let said = interrupt(child).exit(1);
    assert!(said.stderr.contains("interrupted after step"), "{}", said.stderr);
    assert!(said.stderr.contains("--resume"), "{}", said.stderr);
    let summary = place.read("cut/summary.json");
    assert!(summary.contains("\"status\": \"interrupted\""), "{summary}");
    let rows = place.history("cut/history.csv").len() - 1;
    assert!(summary.contains(&format!("\"steps_done\": {rows},")), "{rows}: {summary}");
    goes_on_as_if_uninterrupted(&place, &every);
}

/// A step of a million substeps: it would take minutes.
const ENDLESS: [&str; 6] = [
    "--set",
    "integrator=ImplicitEuler",
    "--set",
    "time.adaptive=Doubling(error: 1e-12, shortest: 1e-8)",
    "--set",
    "output.formats=[]",
];

#[test]
fn a_signal_in_the_middle_of_a_step_ends_it_with_the_state_before_it() {
    for signal in ["-INT", "-TERM"] {
        let place = Place::new(SCENE);
        let endless = [&["run", "scene.ron", "-o", "cut"], &ENDLESS[..]].concat();
        let said = signalled(begun(&place, &endless, "cut/checkpoint", 0), signal).exit(1);
        assert!(said.stderr.contains("interrupted after step 0"), "{}", said.stderr);
        let summary = place.read("cut/summary.json");
        assert!(summary.contains("\"status\": \"interrupted\""), "{summary}");
        assert!(summary.contains("\"steps_done\": 0,"), "{summary}");
    }
}
