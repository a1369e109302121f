//! Frames of every kind of body, read by other programs: meshio, VTK's reader, which `ParaView` has, and pyvista, where
//! they are installed in the Python environment `target/readers`. Where they are missing, the test says so and checks
//! nothing.

use crate::support::Place;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// Linear and quadratic solids, one drawn as a surface inside of which it is; an affine body, a shell, cloth, a rod,
/// springs, particles; obstacles that stand and move, a plane.
const KINDS: &str = include_str!("kinds.ron");
const TETRAHEDRON: &str =
    "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn frames_of_every_kind_are_read_by_meshio_vtk_and_pyvista() {
    let place = Place::new(KINDS);
    place.write("tetrahedron.obj", TETRAHEDRON);
    place.sim(&["run", "scene.ron", "-q"]).exit(0);
    place.sim(&["export", "out/scene", "-f", "npz", "-o", "arrays.npz"]).exit(0);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join("target/readers/bin/python");
    let mut imports = Command::new(&python);
    let imports = imports.args(["-c", "import meshio, pyvista, vtkmodules"]).output();
    if !imports.is_ok_and(|output| output.status.success()) {
        let _ = writeln!(
            std::io::stderr(),
            "NOT CHECKED: {} with meshio, pyvista and vtk is not there for frames.py; .ci/run installs it",
            python.display()
        );
        return;
    }
    let script = root.join("crates/cli/tests/readers/frames.py");
    let mut command = Command::new(python);
    command.arg(script).arg(place.path("out/scene")).arg(place.path("arrays.npz"));
    let output = command.output().expect("it can be started");
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && printed.contains("the same"), "{printed}\n{errors}");
}
