//! Input decks with mistakes, and loads on sets of elements.

use crate::files::Files;
use resile_import::Imported;
use resile_mesh::read::{OtherSolidPolicy, read_gmsh};

/// A tetrahedron; `elements` and `nodes` are added to it.
fn deck(nodes: &str, elements: &str, step: &str) -> String {
    format!(
        "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n{nodes}*ELEMENT, TYPE=C3D4, ELSET=E\n\
         1, 1, 2, 3, 4\n{elements}*MATERIAL, NAME=M\n*ELASTIC\n1000., .3\n*SOLID SECTION, ELSET=E, MATERIAL=M\n\
         *BOUNDARY\n1, 1, 3\n2, 1, 3\n3, 1, 3\n*STEP\n*STATIC\n{step}*END STEP\n"
    )
}

fn import(text: &str) -> Imported {
    Files::new().import("a.inp", text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn numbers_that_occur_twice_are_rejected_on_their_line() {
    let refused = |text: &str| Files::new().refused("a.inp", text);
    let element = refused(&deck("", "1, 1, 2, 3, 4\n", ""));
    assert_eq!(element, [(Some(8), "element 1 is defined in line 7".to_owned())]);
    let other_type = deck("5, 1, 1, 1\n", "*ELEMENT, TYPE=C3D5, ELSET=E\n1, 1, 2, 3, 4, 5\n", "");
    assert_eq!(refused(&other_type), [(Some(10), "element 1 is defined in line 8".to_owned())]);
    let node = refused(&deck("2, 2, 0, 0\n", "", ""));
    let said = "node 2 is defined above, at another position";
    assert_eq!(node, [(Some(6), said.to_owned())]);
    // Preprocessors repeat nodes.
    assert_eq!(import(&deck("2, 1, 0, 0\n", "", "")).notes, Vec::<String>::new());
}

#[test]
fn forces_on_nodes_of_no_element_are_noted() {
    let notes = import(&deck("6, 5, 5, 5\n", "", "*CLOAD\n4, 3, 1.\n6, 1, 1.\n")).notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with("a.inp:21: forces on 1 of 1 nodes have no effect"), "{notes:?}");
    assert!(notes[0].ends_with("the first is node 6"), "{notes:?}");
}

#[test]
fn inverted_elements_are_counted_in_a_note() {
    let nodes = "5, 5, 0, 0\n6, 6, 0, 0\n7, 5, 1, 0\n8, 5, 0, 1\n";
    let notes = import(&deck(nodes, "2, 5, 6, 8, 7\n", "")).notes;
    let said = "a.inp:12: 1 of 2 elements have their nodes in the opposite order";
    assert!(notes.iter().any(|note| note.starts_with(said)), "{notes:?}");
    let notes = import(&deck(nodes, "2, 5, 6, 7, 8\n", "")).notes;
    assert!(!notes.iter().any(|note| note.contains("opposite")), "{notes:?}");
}

/// A unit cube of six tetrahedra around a diagonal, with the sets of the four ways in which the elements touch the top.
const CUBE: &str = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n5, 0, 0, 1\n6, 1, 0, 1\n7, 1, 1, 1\n8, 0, 1, 1\n\
*ELEMENT, TYPE=C3D4, ELSET=E\n1, 1, 2, 3, 7\n2, 1, 3, 4, 7\n3, 1, 4, 8, 7\n4, 1, 8, 5, 7\n5, 1, 5, 6, 7\n6, 1, 6, 2, 7\n\
*ELSET, ELSET=TOP_S3\n4, 5\n*ELSET, ELSET=SIDE_S1\n5\n*MATERIAL, NAME=M\n*ELASTIC\n1000., .3\n\
*SOLID SECTION, ELSET=E, MATERIAL=M\n*BOUNDARY\n1, 1, 3\n2, 1, 3\n3, 1, 3\n*STEP\n*STATIC\n";

/// Total of pressure times area over the faces of each group of the mesh, by the terms of the scene.
fn loaded_area(imported: &Imported, pressure: f64) -> (usize, f64) {
    let solid = read_gmsh(&imported.files[0].contents[..], OtherSolidPolicy::Refuse).unwrap();
    let at = |node: u32| solid.mesh.positions[node as usize];
    let area = |[a, b, c]: &[u32; 3]| 0.5 * (at(*b) - at(*a)).cross(at(*c) - at(*a)).length();
    let term = format!("SurfacePressure(pressure: {pressure}, region: Group(\"");
    let words = imported.scene.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.replace("( ", "(");
    let names: Vec<&str> =
        words.split(&term).skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    (names.len(), names.iter().flat_map(|name| &solid.groups[*name].faces).map(area).sum())
}

/// The faces of one set have all corners of the faces of another: only together they are selected.
#[test]
fn equal_pressures_on_sets_of_elements_are_one_surface() {
    let separate = "*DLOAD\n4, P3, 0.5\n5, P3, 0.5\n*END STEP\n";
    let (count, area) = loaded_area(&import(&format!("{CUBE}{separate}")), 0.5);
    assert_eq!(count, 1);
    assert!((area - 1.0).abs() < 1e-14, "{area}");
    // Loads on the same face add up, as in CalculiX 2.20.
    let twice = "*DLOAD\n4, P3, 0.5\n4, P3, 0.5\n*END STEP\n";
    let (count, area) = loaded_area(&import(&format!("{CUBE}{twice}")), 0.5);
    assert_eq!(count, 2);
    assert!((area - 1.0).abs() < 1e-14, "{area}");
    let sets = "*ELSET, ELSET=A\n1, 3, 5\n*ELSET, ELSET=B\n2, 4, 6\n*DLOAD\nA, P3, 0.5\nB, P3, 0.5\n*END STEP\n";
    let (count, area) = loaded_area(&import(&format!("{CUBE}{sets}")), 0.5);
    assert_eq!(count, 1, "every side has a face of each set");
    assert!((area - 3.0).abs() < 1e-14, "{area}");
}

#[test]
fn different_pressures_on_neighbouring_faces_are_divided() {
    let sets = "*ELSET, ELSET=A\n1, 3, 5\n*ELSET, ELSET=B\n2, 4, 6\n*DLOAD\nA, P3, 0.5\nB, P3, 0.25\n*END STEP\n";
    let imported = import(&format!("{CUBE}{sets}"));
    for pressure in [0.5, 0.25] {
        let (count, area) = loaded_area(&imported, pressure);
        assert!((area - 1.5).abs() < 1e-14, "{pressure}: {area}");
        assert!(count <= 3, "{pressure}: {count}");
    }
}

#[test]
fn pressures_inside_a_body_are_rejected() {
    let refused = Files::new().refused("a.inp", &format!("{CUBE}*DLOAD\n1, P2, 0.5\n*END STEP\n"));
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(
        refused[0].1.contains("face 2 of element 1 in `1-P2` is inside the body"),
        "{refused:?}"
    );
}

#[test]
fn messages_name_the_cause_alone_with_its_line() {
    let good = deck("", "", "*CLOAD\n4, 3, 1.\n");
    for (from, to, line, said) in [
        (
            "*ELASTIC\n1000., .3",
            "*ELASTIC, TYPE=ORTHO\n1., 1., 1., 1., 1., 1., 1., 1.\n1.",
            9,
            "only isotropic",
        ),
        (
            "*STEP\n*STATIC\n*CLOAD",
            "*AMPLITUDE, NAME=A\n1., 0., 0., 1.\n*STEP\n*STATIC\n*CLOAD, AMPLITUDE=A",
            16,
            "ascending times",
        ),
        (
            "*STEP\n*STATIC\n*CLOAD",
            "*AMPLITUDE, NAME=A, DEFINITION=PERIODIC\n1, 2., 0., 0.\n*STEP\n*STATIC\n*CLOAD, AMPLITUDE=A",
            16,
            "`DEFINITION=PERIODIC`",
        ),
        ("*CLOAD", "*CLOAD, AMPLITUDE=B", 18, "no amplitude `B`"),
        ("*STATIC", "*BUCKLE\n1", 17, "sim buckle"),
        (
            "*ELASTIC\n1000., .3",
            "*HYPERELASTIC, YEOH\n1., 1., 1., 1., 1., 1.",
            9,
            "D1, D2, D3, of which the last two must be zero",
        ),
    ] {
        let refused = Files::new().refused("a.inp", &good.replace(from, to));
        assert_eq!(refused.len(), 1, "{to}: {refused:?}");
        assert!(refused[0].1.contains(said), "{to}: {refused:?}");
        assert_eq!(refused[0].0, Some(line), "{to}: {refused:?}");
    }
    let (mesh, _) = good.split_once("*MATERIAL").expect("a mesh");
    let refused = Files::new().refused("a.inp", mesh);
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(refused[0].1.contains("this is a mesh alone"), "{refused:?}");
    import(&good.replace("*STATIC\n", "*STATIC\n*CONTROLS, PARAMETERS=TIME INCREMENTATION\n4\n"));
}
