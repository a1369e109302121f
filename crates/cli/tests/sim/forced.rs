//! `--force` in folders of several runs: it leads through no link, and a refused command has removed nothing.

use crate::import::{CUBE, FALL};
use crate::support::{Place, SCENE, begun, interrupt};
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;

/// Options of short runs without output on the terminal.
const SHORT: [&str; 3] = ["--steps", "2", "--quiet"];

/// A place with a run in `mine`, and all of its files.
fn with_own_run() -> (Place, BTreeMap<String, Vec<u8>>) {
    let place = Place::new(SCENE);
    place.sim(&[&["run", "scene.ron", "-o", "mine"][..], &SHORT].concat()).exit(0);
    let files = files(&place, "mine");
    (place, files)
}

/// The files of a folder by name.
fn files(place: &Place, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(place.path(folder)).expect("it is there").flatten();
    let contents = |path: &std::path::Path| std::fs::read(path).unwrap_or_default();
    entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), contents(&entry.path())))
        .collect()
}

/// Replaces a folder of a run by a link.
fn link(place: &Place, run: &str, target: &str) {
    std::fs::remove_dir_all(place.path(run)).expect("it is there");
    symlink(target, place.path(run)).expect("links can be made");
}

#[test]
fn forced_sweep_removes_no_run_through_a_link() {
    let (place, own) = with_own_run();
    let vary = ["sweep", "scene.ron", "--vary", "bodies.die.friction=0,0.5", "-o", "s"];
    place.sim(&[&vary[..], &SHORT].concat()).exit(0);
    link(&place, "s/runs/000001", "../../mine");
    let said = place.sim(&[&vary[..], &SHORT, &["--force"]].concat()).exit(2).stderr;
    assert!(said.contains("s/runs/000001: it is a link"), "{said}");
    assert_eq!(files(&place, "mine"), own);
    assert!(place.path("s/runs/000000/history.csv").exists(), "nothing is removed");
}

#[test]
fn forced_comparison_replaces_no_run_through_a_link() {
    let (place, own) = with_own_run();
    let compare = ["compare", "scene.ron", "-i", "Bdf2,TrBdf2", "-o", "c"];
    place.sim(&[&compare[..], &SHORT].concat()).exit(0);
    link(&place, "c/tr-bdf2-h1_120", "../mine");
    let before = files(&place, "c/bdf2-h1_120");
    let said = place.sim(&[&compare[..], &SHORT, &["--force"]].concat()).exit(2).stderr;
    assert!(said.contains("c/tr-bdf2-h1_120: it is a link"), "{said}");
    assert_eq!(files(&place, "mine"), own);
    assert_eq!(files(&place, "c/bdf2-h1_120"), before, "nothing is run");
}

#[test]
fn forced_suite_replaces_no_run_through_a_link() {
    let (place, own) = with_own_run();
    std::fs::create_dir(place.path("in")).expect("there is room");
    place.write("in/cube.msh", CUBE);
    place.write("in/fall.json", FALL);
    let suite = ["suite", "in", "-o", "s", "--steps", "1", "--quiet"];
    place.sim(&suite).exit(0);
    link(&place, "s/fall.json", "../mine");
    let said = place.sim(&[&suite[..], &["--force"]].concat()).exit(2).stderr;
    assert!(said.contains("s/fall.json: it is a link"), "{said}");
    assert_eq!(files(&place, "mine"), own);
}

#[test]
fn forced_rerun_replaces_no_run_through_a_link_beside_the_run() {
    let (place, own) = with_own_run();
    place.sim(&[&["run", "scene.ron", "-o", "a"][..], &SHORT].concat()).exit(0);
    symlink("mine", place.path("a-again")).expect("links can be made");
    let said = place.sim(&["rerun", "a", "--force", "--quiet"]).exit(2).stderr;
    assert!(said.contains("a-again is a link") && said.contains("with -o"), "{said}");
    assert_eq!(files(&place, "mine"), own);
}

#[test]
fn forced_sweep_that_is_refused_has_removed_nothing() {
    let place = Place::new(SCENE);
    let vary = ["sweep", "scene.ron", "--quiet", "-o", "s", "-j", "1", "--vary"];
    let long = ["bodies.die.friction=0:1:6", "--set", "time.duration=4"];
    let run_zero = "s/runs/000000/summary.json";
    let first = begun(&place, &[&vary[..], &long].concat(), "s/runs/000001/history.csv", 1);
    assert!(place.path(run_zero).exists(), "run 0 is complete");
    let said = place.sim(&[&vary[..], &["bodies.die.friction=0,1", "--force"]].concat()).exit(2);
    assert!(said.stderr.contains("is being written by another run"), "{}", said.stderr);
    assert!(place.path(run_zero).exists() && place.path("s/sweep.json").exists());
    interrupt(first).exit(1);
}
