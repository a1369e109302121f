//! Readers in other languages, where they are installed: `target/readers` is a Python environment
//! with `numpy`, `scipy`, `meshio`, `trimesh` and `usd-core`, `target/gltf` has the npm package
//! `gltf-validator`. Where one is missing, the test says so and checks nothing.

use crate::looks;
use crate::support::{Run, export, usual};
use resile_export::{ExportOptions, Format, Grouping, Up};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a reader; nothing if it is not installed.
fn read(program: &Path, script: &str, folder: &Path) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers").join(script);
    if !program.exists() && program.components().count() > 1 {
        let _ = writeln!(
            std::io::stderr(),
            "NOT CHECKED: {} is not there for {}; .ci/run installs it",
            program.display(),
            script.display()
        );
        return None;
    }
    let output = Command::new(program).arg(&script).arg(folder).current_dir(root()).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {printed}\n{errors}", script.display());
    Some(printed)
}

/// A folder with the run in all formats.
fn written(run: &Run) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    for format in Format::ALL {
        let folder = place.path().join(format.word());
        std::fs::create_dir(&folder).expect("the folder can be written");
        for (name, bytes) in &usual(run, format).0 {
            std::fs::write(folder.join(name), bytes).expect("the folder can be written");
        }
    }
    let options = ExportOptions {
        up: Some(Up::Z),
        scale: 100.0,
        grouping: Grouping::AllBodies,
        ..ExportOptions::default()
    };
    let (files, _) = export(run, Format::Usda, &options).expect("it can be written");
    std::fs::write(place.path().join("usda/turned.usda"), files.of("scene.usda")).expect("written");
    place
}

#[test]
fn python_readers_agree_on_all_formats() {
    let place = written(&Run::usual());
    let python = root().join("target/readers/bin/python");
    for script in ["surfaces.py", "caches.py", "tables.py", "gltf.py", "usd.py"] {
        if let Some(said) = read(&python, script, place.path()) {
            assert!(said.contains("the same"), "{script}: {said}");
        }
    }
}

#[test]
fn python_sees_polygons_textures_normals_materials_and_velocities() {
    let place = written(&looks::run());
    let python = root().join("target/readers/bin/python");
    for script in ["looks.py", "gltf.py", "usd.py"] {
        if let Some(said) = read(&python, script, place.path()) {
            assert!(said.contains("the same"), "{script}: {said}");
        }
    }
}

#[test]
fn khronos_validator_reports_no_issues() {
    if !root().join("target/gltf/node_modules/gltf-validator").exists() {
        let _ = writeln!(std::io::stderr(), "NOT CHECKED: no gltf-validator in target/gltf");
        return;
    }
    for run in [Run::usual(), looks::run()] {
        let place = written(&run);
        let said = read(Path::new("node"), "validate.js", place.path()).expect("node is there");
        assert!(said.contains("0 errors, 0 warnings"), "{said}");
    }
}
