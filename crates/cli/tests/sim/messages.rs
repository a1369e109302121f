//! Messages of the program for errors in scenes.

use crate::support::{Place, SCENE};

/// Gmsh 2.2: two tetrahedra, of which the second is folded into the first: listing its corners in the
/// opposite order does not mend it.
const INVERTED: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat
$Nodes\n5\n1 0 0 0\n2 0.1 0 0\n3 0 0.1 0\n4 0 0 0.1\n5 0.01 0.01 0.01\n$EndNodes
$Elements\n2\n1 4 2 0 1 1 2 3 4\n2 4 2 0 1 2 3 4 5\n$EndElements\n";

/// The scene with each `(right, wrong)` replaced; each right one must occur.
fn changed(replacements: &[(&str, &str)]) -> String {
    replacements.iter().fold(SCENE.to_owned(), |scene, (right, wrong)| {
        assert!(scene.contains(right), "{right}");
        scene.replace(right, wrong)
    })
}

/// What `sim run` says of a scene that it must refuse, leaving all as it is.
fn refused(place: &Place, arguments: &[&str]) -> String {
    place.write("precious.txt", "mine");
    let said = place.sim(&[&["run", "scene.ron"], arguments].concat()).exit(2);
    assert_eq!(said.stdout, "");
    assert!(!place.path("out").exists(), "nothing is written for a scene that is refused");
    let checked = place.sim(&[&["check", "scene.ron"], arguments].concat()).exit(2);
    assert!(checked.stderr.ends_with(&said.stderr), "`sim check` finds the same, and more");
    said.stderr
}

fn said(replacements: &[(&str, &str)]) -> String {
    refused(&Place::new(&changed(replacements)), &[])
}

#[test]
fn a_missing_field() {
    insta::assert_snapshot!(said(&[(", duration: 0.2", "")]));
}

#[test]
fn a_typing_error() {
    insta::assert_snapshot!(said(&[("friction_rule: Mean", "friction_rul: Mean")]));
}

#[test]
fn a_material_that_is_not_there() {
    insta::assert_snapshot!(said(&[("material: \"rubber\"", "material: \"ruber\"")]));
}

#[test]
fn a_negative_density() {
    insta::assert_snapshot!(said(&[("density: 1000", "density: -1000")]));
}

#[test]
fn not_a_number() {
    insta::assert_snapshot!(said(&[("velocity: (0.5, 0, 0)", "velocity: (NaN, 0, 0)")]));
}

#[test]
fn everything_that_is_wrong_at_once() {
    insta::assert_snapshot!(said(&[
        ("density: 1000", "density: 0"),
        ("poisson: 0.3", "poisson: 0.5"),
        ("duration: 0.2", "duration: -1"),
        ("normal: (0, 1, 0)", "normal: (0, 0, 0)"),
        ("material: \"rubber\"", "material: \"wood\""),
    ]));
}

#[test]
fn bodies_that_overlap() {
    let row =
        "friction: 0.4,\n            repeat: Row(count: 3, step: (0.09, 0.02, 0.03)),\n        ),";
    insta::assert_snapshot!(said(&[("friction: 0.4,\n        ),", row)]));
}

#[test]
fn a_body_in_the_floor() {
    insta::assert_snapshot!(said(&[("translate: (0, 0.06, 0)", "translate: (0, 0.04, 0)")]));
}

const BOX: &str = "Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2))";

#[test]
fn a_mesh_file_that_is_not_there() {
    insta::assert_snapshot!(said(&[(BOX, "File(\"bunny.msh\")")]));
}

#[test]
fn a_mesh_file_that_is_none() {
    let place = Place::new(&changed(&[(BOX, "File(\"mesh.msh\")")]));
    place.write("mesh.msh", "solid bunny\n");
    insta::assert_snapshot!(refused(&place, &[]));
}

#[test]
fn an_inverted_tetrahedron_in_a_mesh_file() {
    let place = Place::new(&changed(&[(BOX, "File(\"mesh.msh\")")]));
    place.write("mesh.msh", INVERTED);
    insta::assert_snapshot!(refused(&place, &[]));
}

#[test]
fn defective_mesh_does_not_hide_other_errors() {
    let broken = "        ),
        (name: \"broken\", shape: File(\"mesh.msh\"), material: \"rubber\", friction: 0.4),
    ],\n    gravity";
    let place = Place::new(&changed(&[
        ("        ),\n    ],\n    gravity", broken),
        ("translate: (0, 0.06, 0)", "translate: (0, 0.04, 0)"),
    ]));
    place.write("mesh.msh", INVERTED);
    insta::assert_snapshot!(refused(&place, &[]));
}

#[test]
fn a_start_that_is_turned_inside_out() {
    let deform =
        "friction: 0.4,\n            deform: [Bend(axis: X, about: Z, degrees: 300)],\n        ),";
    insta::assert_snapshot!(said(&[("friction: 0.4,\n        ),", deform)]));
}

#[test]
fn a_region_without_nodes() {
    let hold = "friction: 0.4,\n            hold: [(region: Sphere(center: (1, 0, 0), radius: 0.1), motion: Fixed)],\n        ),";
    insta::assert_snapshot!(said(&[("friction: 0.4,\n        ),", hold)]));
}

#[test]
fn a_hand_that_would_jump_at_the_start() {
    let hold = "friction: 0.4,
            hold: [(
                region: All,
                motion: Keys(keys: [(time: 1, translate: (0, 0.1, 0))], interpolation: Linear),
            )],\n        ),";
    insta::assert_snapshot!(said(&[("friction: 0.4,\n        ),", hold)]));
}

#[test]
fn a_sheet_that_is_too_thick_for_its_triangles() {
    let sheet = "shape: Sheet(size: (0.1, 0.1), cells: (10, 10)),
            kind: Shell(thickness: 0.0065, bending: Off),";
    let shapes = SCENE.lines().find(|line| line.contains("shape: Box")).expect("a box").trim();
    let place = Place::new(&changed(&[(shapes, sheet)]));
    insta::assert_snapshot!(place.sim(&["check", "scene.ron"]).exit(0).stderr);
}

#[test]
fn overrides_of_fields_that_are_not_there() {
    let place = Place::new(SCENE);
    let cases = [
        "solver.tolerence=1e-3",
        "bodies.dice.friction=1",
        "materials.rubber.density=-3",
        "time.step",
    ];
    let said = cases.map(|case| format!("# --set {case}\n{}", refused(&place, &["--set", case])));
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_scene_that_is_not_there() {
    let place = Place::new(SCENE);
    insta::assert_snapshot!(place.sim(&["run", "scnee.ron"]).exit(2).stderr);
}

#[test]
fn rejected_scene_leaves_an_existing_run_untouched() {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "--steps", "2"]).exit(0);
    let before = ["history.csv", "summary.json", "energy.svg", "frames/frames.pvd"]
        .map(|name| place.read(&format!("out/scene/{name}")));
    place.write("scene.ron", &changed(&[("density: 1000", "density: -1000")]));
    for how in ["--force", "--resume", "--quiet"] {
        place.sim(&["run", "scene.ron", how]).exit(2);
    }
    let after = ["history.csv", "summary.json", "energy.svg", "frames/frames.pvd"]
        .map(|name| place.read(&format!("out/scene/{name}")));
    assert_eq!(before, after);
}

#[test]
fn implausible_numbers_are_warned_about_and_run() {
    let place = Place::new(&changed(&[
        ("density: 1000", "density: 1"),
        ("young: 2e5", "young: 2"),
        ("gravity: (0, -9.81, 0)", "gravity: (0, 9.81, 0)"),
        ("d_hat: 1e-3", "d_hat: 4e-2"),
    ]));
    let checked = place.sim(&["check", "scene.ron"]).exit(0);
    assert!(!place.path("out").exists(), "check writes nothing");
    insta::assert_snapshot!(format!("{}\n# stdout\n{}", checked.stderr, checked.stdout));
    let run = place.sim(&["run", "scene.ron", "--steps", "0"]).exit(0);
    let warnings = |stderr: &str| stderr.matches("warning: ").count();
    assert_eq!(warnings(&run.stderr), 4, "`sim run` warns too: {}", run.stderr);
    assert_eq!(warnings(&checked.stderr), 5, "and that the die is near the floor");
    let quiet = place.sim(&["run", "scene.ron", "--steps", "0", "--quiet", "--force"]).exit(0);
    assert_eq!(quiet.stderr, "");
}

/// What `sim check` says of the scene with another body, for which there are files.
fn said_of_body(body: &str, files: &[(&str, &str)]) -> String {
    let place = Place::new(&changed(&[(&format!("shape: {BOX}"), body)]));
    files.iter().for_each(|(name, text)| place.write(name, text));
    refused(&place, &[])
}

/// A surface of two triangles.
const OPEN: &str = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\n";

/// Gmsh 2.2: one cell of this kind on the corners of a cube.
fn gmsh_cell(kind: &str, corners: &str) -> String {
    let points = ["0 0 0", "1 0 0", "1 1 0", "0 1 0", "0 0 1", "1 0 1", "1 1 1", "0 1 1"];
    let nodes: Vec<_> = (1..).zip(points).map(|(k, p): (u32, _)| format!("{k} {p}\n")).collect();
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n{}$EndNodes\n\
         $Elements\n1\n1 {kind} 2 0 1 {corners}\n$EndElements\n",
        nodes.concat()
    )
}

#[test]
fn an_open_surface_as_an_affine_body() {
    insta::assert_snapshot!(said_of_body(
        "shape: File(\"open.obj\"), kind: Affine",
        &[("open.obj", OPEN)]
    ));
}

#[test]
fn an_open_surface_that_is_filled() {
    let fill = "Fill(file: \"open.obj\", resolution: Tets(1000))";
    let place = Place::new(&changed(&[(BOX, fill)]));
    place.write("open.obj", OPEN);
    insta::assert_snapshot!(place.sim(&["check", "scene.ron"]).exit(0).stderr);
}

#[test]
fn a_surface_as_a_solid() {
    insta::assert_snapshot!(said_of_body("shape: File(\"open.obj\")", &[("open.obj", OPEN)]));
}

#[test]
fn a_format_that_is_not_known() {
    insta::assert_snapshot!(said_of_body("shape: File(\"bunny.blend\")", &[("bunny.blend", "")]));
}

/// VTK: a pentagonal prism, and a tetrahedron at its side.
pub(crate) fn polyhedra_mesh(tetrahedra: &str) -> String {
    let count = tetrahedra.lines().count();
    format!(
        "# vtk DataFile Version 3.0\nprism\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 11 double\n\
         0 0 0 2 0 0 3 1 0 1 2 0 0 1 0 0 0 1 2 0 1 3 1 1 1 2 1 0 1 1 4 0 0\n\
         CELLS {} {}\n10 0 1 2 3 4 5 6 7 8 9\n{tetrahedra}CELL_TYPES {0}\n15\n{}",
        count + 1,
        11 + 5 * count,
        "10\n".repeat(count)
    )
}

#[test]
fn polyhedra() {
    let mesh = polyhedra_mesh("");
    insta::assert_snapshot!(said_of_body("shape: File(\"prism.vtk\")", &[("prism.vtk", &mesh)]));
}

#[test]
fn tetrahedra_among_polyhedra() {
    let mesh = polyhedra_mesh("4 1 10 2 6\n");
    insta::assert_snapshot!(said_of_body("shape: File(\"hybrid.vtk\")", &[("hybrid.vtk", &mesh)]));
}

/// Gmsh 2.2: a hexahedron, a tetrahedron at its side and a triangle below.
pub(crate) const HYBRID: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat
$Nodes\n9\n1 0 0 0\n2 0.1 0 0\n3 0.1 0.1 0\n4 0 0.1 0\n5 0 0 0.1\n6 0.1 0 0.1\n7 0.1 0.1 0.1
8 0 0.1 0.1\n9 0.2 0 0\n$EndNodes
$Elements\n3\n1 5 2 0 1 1 2 3 4 5 6 7 8\n2 4 2 0 1 2 9 3 6\n3 2 2 0 1 1 3 2\n$EndElements\n";

#[test]
fn a_mesh_in_the_plane() {
    let mesh = gmsh_cell("2", "1 2 3");
    let said = said_of_body("shape: File(\"plane.msh\")", &[("plane.msh", &mesh)]);
    assert!(said.contains("is a surface, which has no inside to be an elastic solid"), "{said}");
}

#[test]
fn cubic_tetrahedra() {
    let mesh = gmsh_cell("29", "1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8 1 2 3 4");
    insta::assert_snapshot!(said_of_body("shape: File(\"ten.msh\")", &[("ten.msh", &mesh)]));
}

#[test]
fn a_material_that_is_missing() {
    insta::assert_snapshot!(said(&[("            material: \"rubber\",\n", "")]));
}

#[test]
fn joints_that_tie_the_wrong_bodies() {
    let joints = "    joints: [
        Ball(a: \"die\", at: (0, 0.1, 0), stiffness: 1e4),
        Ball(a: \"dice\", at: (0, 0.1, 0), stiffness: 1e4),
    ],\n    gravity";
    insta::assert_snapshot!(said(&[("    gravity", joints)]));
}

#[test]
fn keys_out_of_order() {
    let hold = "friction: 0.4,
            hold: [(region: All, motion: Keys(
                keys: [(time: 0), (time: 2, translate: (0, 0.1, 0)), (time: 1)],
                interpolation: Linear,
            ))],\n        ),";
    insta::assert_snapshot!(said(&[("friction: 0.4,\n        ),", hold)]));
}

#[test]
fn a_version_of_another_program() {
    insta::assert_snapshot!(said(&[("version: 2,", "version: 3,")]));
}

#[test]
fn a_run_of_another_scene_that_is_resumed() {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "--steps", "2", "--quiet"]).exit(0);
    let other = ["run", "scene.ron", "--resume", "--set", "materials.rubber.density=500"];
    let said = place.sim(&other).exit(2).stderr;
    insta::assert_snapshot!(without_fingerprints(&said));
}

/// Fingerprints change with every field that scenes are given; that two differ is what is said.
fn without_fingerprints(said: &str) -> String {
    let words = said.split_inclusive(|c: char| !c.is_ascii_hexdigit());
    let hidden = words.map(|word| match word.len() {
        17 => format!("[fingerprint]{}", &word[16..]),
        _ => word.to_owned(),
    });
    hidden.collect()
}

#[test]
fn lengths_in_millimetres_in_the_scene() {
    let place = Place::new(&changed(&[
        ("size: (0.1, 0.1, 0.1)", "size: (100, 100, 100)"),
        ("translate: (0, 0.06, 0)", "translate: (0, 60, 0)"),
    ]));
    insta::assert_snapshot!(place.sim(&["check", "scene.ron"]).exit(0).stderr);
}
