//! Selections of `PolyFEM` and the conditions that refer to them.

use crate::files::Files;
use resile_import::Imported;

const REST: &str = r#""materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000},
    "time": {"dt": 0.1, "tend": 1}, "solver": {"advanced": {"lump_mass_matrix": true}}"#;

/// A unit cube with a selection and conditions.
fn import(selection: &str, conditions: &str) -> Imported {
    let text = format!(
        r#"{{"geometry": [{{"mesh": "meshes/cube.msh", "surface_selection": {selection}}}], {REST},
        "boundary_conditions": {{{conditions}}}}}"#
    );
    Files::new().import("a.json", &text).unwrap_or_else(|error| panic!("{error}"))
}

/// The region that is held if the faces with the id 1 are.
fn held(selection: &str) -> String {
    let scene = import(selection, r#""dirichlet_boundary": [{"id": 1, "value": [0, 0, 0]}]"#).scene;
    let begin = scene.find("region: ").map_or(scene.len(), |at| at + 8);
    scene[begin..].lines().next().unwrap_or_default().to_owned()
}

/// `Selection.cpp`: a negative threshold stands for 1e-7, and back (z = min) comes before front.
#[test]
fn sides_have_a_default_threshold_and_the_order_of_the_source() {
    let left = held(r#"[{"threshold": -1}]"#);
    assert!(left.contains("Plane(point: (0.01, 0, 0), normal: (-1, 0, 0))"), "{left}");
    for (offset, normal) in [
        (-1, "(0, -1, 0)"),
        (-2, "(1, 0, 0)"),
        (-3, "(0, 1, 0)"),
        (-4, "(0, 0, -1)"),
        (-5, "(0, 0, 1)"),
    ] {
        let side = held(&format!(r#"[{{"threshold": -1, "id_offset": {offset}}}]"#));
        assert!(side.contains(&format!("normal: {normal}")), "{offset}: {side}");
    }
}

#[test]
fn offset_of_a_plane_is_a_distance_for_normals_of_any_length() {
    let top = "Plane(point: (0, 0.99, 0), normal: (0, 1, 0))";
    for (normal, offset) in [("[0, 2, 0]", 0.9), ("[0, 0.25, 0]", 0.9), ("[0, 1, 0]", 0.9)] {
        let found = held(&format!(r#"[{{"id": 1, "normal": {normal}, "offset": {offset}}}]"#));
        assert!(found.contains(top), "{normal}: {found}");
    }
}

#[test]
fn selection_by_an_id_alone_contains_everything() {
    assert!(held(r#"[{"id": 1}]"#).contains("All"), "{}", held(r#"[{"id": 1}]"#));
}

#[test]
fn conditions_without_effect_are_noted_with_their_place() {
    let one = r#"{"id": 1, "axis": -1, "position": 0.01}"#;
    let far = r#"{"id": 2, "axis": -1, "position": -5}"#;
    for (conditions, expected) in [
        (r#""dirichlet_boundary": [{"id": 7, "value": [0, 0, 0]}]"#, "the id 7: no selection has"),
        (
            r#""neumann_boundary": [{"id": [1, 2], "value": [1, 0, 0]}]"#,
            "the id 2: the selection with this id contains none",
        ),
        (
            r#""pressure_boundary": [{"id": 7, "value": 3}]"#,
            "`boundary_conditions.pressure_boundary.0`",
        ),
        (
            r#""obstacle_displacements": [{"id": 1, "value": [0, 0, 0]}]"#,
            "for obstacles of the id 1: no selection has",
        ),
        (r#""rhs": [{"id": 5, "value": [0, 1, 0]}]"#, "for volumes of the id 5"),
        (
            r#""dirichlet_boundary": [{"id": 1, "value": [0, 0, 0], "dimension": [false, true, true]},
               {"id": 1, "value": ["t", 0, 0], "dimension": [true, false, false]}]"#,
            "`boundary_conditions.dirichlet_boundary.1`: without effect for the id 1, which has the earlier condition \
             `boundary_conditions.dirichlet_boundary.0`",
        ),
    ] {
        let imported = import(&format!("[{one}, {far}]"), conditions);
        let found = imported.notes.iter().filter(|note| note.contains("without effect"));
        let found: Vec<&String> = found.collect();
        assert_eq!(found.len(), 1, "{conditions}: {:?}", imported.notes);
        assert!(found[0].contains(expected) && found[0].starts_with("a.json:"), "{found:?}");
    }
    let fine =
        import(&format!("[{one}]"), r#""dirichlet_boundary": [{"id": 1, "value": [0, 0, 0]}]"#);
    assert_eq!(fine.notes, Vec::<String>::new());
}

#[test]
fn obstacles_move_by_the_conditions_of_their_surface() {
    let obstacle = |selection: &str, conditions: &str| {
        let text = format!(
            r#"{{"geometry": [{{"mesh": "meshes/cube.msh"}},
            {{"mesh": "meshes/square.obj", "is_obstacle": true, "surface_selection": {selection},
              "transformation": {{"translation": [0, -3, 0]}}}}], {REST},
            "contact": {{"enabled": true}}, "boundary_conditions": {{{conditions}}}}}"#
        );
        Files::new().import("a.json", &text)
    };
    let up = r#"[{"id": 3, "value": [0, "t", 0]}]"#;
    let down = r#"[{"id": 3, "value": [0, "-t", 0]}]"#;
    let move_of = |conditions: String| obstacle("3", &conditions).expect("it is imported").scene;
    for (conditions, velocity) in [
        (format!(r#""obstacle_displacements": {up}"#), "(0, 1, 0)"),
        (format!(r#""dirichlet_boundary": {up}"#), "(0, 1, 0)"),
        (format!(r#""dirichlet_boundary": {up}, "obstacle_displacements": {down}"#), "(0, -1, 0)"),
    ] {
        let scene = move_of(conditions.clone());
        assert!(scene.contains(&format!("Move(velocity: {velocity})")), "{conditions}: {scene}");
    }
    let part = r#"[{"id": 3, "box": [[-9, -9, -9], [9, 9, 9]]}]"#;
    let refused = obstacle(part, &format!(r#""obstacle_displacements": {up}"#)).unwrap_err();
    assert!(refused.to_string().contains("`geometry.1.surface_selection`"), "{refused}");
}
