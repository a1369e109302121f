//! What others rely on: the report's keys, and that the check stands alone.

use crate::support::{Body, Made};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn every_key_of_the_report_is_documented() {
    let made = Made::new(&[Body::cube("a", 1.0), Body::cube("b", 1.0).at([0.5; 3])]);
    let report: Value = serde_json::from_str(&made.check().to_json()).expect("it is JSON");
    assert_eq!(report["verdict"], "crossed");
    assert_eq!(report["crossings"][0]["names"][1], "b");
    let page = fs::read_to_string(here("../../docs/verify.md")).expect("it is there");
    let crossing = report["crossings"][0].as_object().expect("a crossing");
    for key in report.as_object().expect("an object").keys().chain(crossing.keys()) {
        assert!(page.contains(&format!("`{key}`")), "{key}");
    }
}

/// A check that shared code with what it checks would share its mistakes.
#[test]
fn the_check_uses_nothing_that_ran_the_simulation() {
    let own = [
        "resile_contact",
        "resile_energy",
        "resile_mesh",
        "resile_solver",
        "resile_system",
        "crate::build",
        "crate::world",
        "crate::run",
        "crate::output",
    ];
    let folder = fs::read_dir(here("src/verify")).expect("it is there");
    let mut files = 0;
    for entry in folder {
        let path = entry.expect("it can be read").path();
        let text = fs::read_to_string(&path).expect("it can be read");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = code.collect::<Vec<_>>().join("\n");
        for name in own {
            assert!(!code.contains(name), "{name} in {}", path.display());
        }
        files += 1;
    }
    assert!(files > 10, "{files}");
}
