//! What others rely on: the report's keys, and that the check stands alone.

use super::support::{Body, Made};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn report_keys_are_documented() {
    let run = Made::new(&[Body::cube("a", 1.0), Body::cube("b", 1.0).at([0.5; 3])]);
    let report: Value = serde_json::from_str(&run.check().to_json()).expect("it is JSON");
    assert_eq!(report["verdict"], "crossed");
    assert_eq!(report["crossings"][0]["names"][1], "b");
    let page = fs::read_to_string(here("../docs/verify.md")).expect("it is there");
    let crossing = report["crossings"][0].as_object().expect("a crossing");
    for key in report.as_object().expect("an object").keys().chain(crossing.keys()) {
        assert!(page.contains(&format!("`{key}`")), "{key}");
    }
}

/// A check that shared code with what it checks would share its mistakes. Cargo keeps it: the
/// architecture test holds the manifest to the table, which lists nothing of ours.
#[test]
fn verify_depends_only_on_the_crate_files() {
    let manifest = fs::read_to_string(here("../crates/verify/Cargo.toml")).expect("it is there");
    let (_, dependencies) = manifest.split_once("[dependencies]").expect("it has some");
    let ours: Vec<&str> = dependencies.lines().filter(|line| line.contains("resile")).collect();
    assert_eq!(ours, ["resile-files.workspace = true"]);
}
