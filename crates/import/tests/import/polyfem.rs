//! Problems of `PolyFEM`.

use crate::files::Files;
use resile_import::Recorded;

const MATERIAL: &str = r#""materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000}"#;

/// A problem with a cube and other fields.
fn problem(geometry: &str, rest: &str) -> String {
    format!(r#"{{"geometry": [{{"mesh": "meshes/cube.msh"{geometry}}}], {MATERIAL}{rest}}}"#)
}

#[test]
fn problem_with_every_feature_converts_to_a_readable_scene() {
    let files = Files::new();
    files.write(
        "shared/common.json",
        r#"{"contact": {"enabled": true, "dhat": 2e-3, "epsv": 1e-2}}"#,
    );
    insta::assert_snapshot!(files.scene("all.json", r#"{
        "common": "shared/common.json",
        "geometry": [
            {"mesh": "meshes/cube.msh", "volume_selection": 1,
             "surface_selection": [{"id": 5, "axis": "-y", "position": 0.001}, {"id": 6, "axis": "y", "position": 0.999}],
             "transformation": {"scale": 2, "rotation": [0, 90, 0], "translation": [0, 0, 0]}},
            {"type": "mesh_array", "mesh": "meshes/cube.msh", "volume_selection": 2,
             "transformation": {"dimensions": [0.5, 0.5, 0.5], "translation": [0, 3, 0]},
             "array": {"offset": 1.2, "relative": true, "size": [2, 1, 3]}},
            {"mesh": "meshes/square.obj", "is_obstacle": true, "surface_selection": 9},
            {"type": "plane", "point": [0, -9, 0], "normal": [0, 1, 0], "is_obstacle": true},
            {"type": "ground", "height": -8, "is_obstacle": true},
            {"mesh": "meshes/none.msh", "enabled": false}
        ],
        "contact": {"friction_coefficient": 0.3},
        "materials": [
            {"id": 1, "type": "FixedCorotational", "E": 1e6, "nu": 0.3, "rho": 500},
            {"id": 2, "type": "SaintVenant", "lambda": 4e4, "mu": 2e4, "rho": 800}
        ],
        "boundary_conditions": {
            "rhs": [0, 9.81, 0],
            "dirichlet_boundary": [
                {"id": 5, "value": [0, 0, 0]},
                {"id": 6, "value": ["x*cos(t)-z*sin(t)-x", 0, "x*sin(t)+z*cos(t)-z"]}
            ],
            "obstacle_displacements": [{"id": 9, "value": [0, "-0.5*t", 0]}]
        },
        "initial_conditions": {"velocity": [{"id": 2, "value": [0, -1, 0]}]},
        "time": {"tend": 1, "time_steps": 20, "integrator": {"type": "BDF", "steps": 2}},
        "solver": {"contact": {"friction_iterations": 3}, "advanced": {"lump_mass_matrix": true}}
    }"#));
}

#[test]
fn static_problem_is_one_long_step_with_a_refined_mesh() {
    let surfaces = r#", "n_refs": 1, "surface_selection":
        [{"id": 1, "box": [[0, 0, 0], [0.01, 1, 1]], "relative": true}, {"id": 2, "axis": 1, "position": 0.99}]"#;
    let conditions = r#", "boundary_conditions": {"dirichlet_boundary":
        [{"id": 1, "value": [0, 0, 0]}, {"id": [2], "value": [0.1, 0, 0]}]}, "tests":
        {"err_l2": 1, "err_h1_semi": 2, "err_lp": 3, "err_linf": 4, "margin": 1e-4, "time_steps": "static"}"#;
    let imported = Files::new().import("a.json", &problem(surfaces, conditions)).unwrap();
    assert_eq!(imported.files.len(), 1);
    assert_eq!(imported.files[0].name, "cube-refined1.msh");
    let recorded = Recorded { steps: 1, margin: 1e-4, l2: 1.0, h1_semi: 2.0, l8: 3.0, linf: 4.0 };
    assert_eq!(imported.recorded, Some(recorded));
    insta::assert_snapshot!(imported.scene);
}

#[test]
fn selections_hold_nodes_of_faces_whose_centroid_is_inside() {
    let held = |selection: &str| {
        let surfaces = format!(r#", "surface_selection": [{selection}]"#);
        let conditions =
            r#", "boundary_conditions": {"dirichlet_boundary": [{"id": 3, "value": [0, 0, 0]}]}"#;
        let scene = Files::new().scene("a.json", &problem(&surfaces, conditions));
        let begin = scene.find("region: ").map_or(scene.len(), |at| at + 8);
        scene[begin..].lines().next().unwrap_or_default().trim_end_matches(',').to_owned()
    };
    let left = "Plane(point: (0.01, 0, 0), normal: (-1, 0, 0))";
    for (selection, region) in [
        (r#"{"id": 3, "box": [[-0.1, -0.1, -0.1], [0.1, 1.1, 1.1]]}"#, left),
        (r#"{"id": 3, "axis": -1, "position": 0.1, "relative": true}"#, left),
        (r#"{"id": 3, "normal": [-1, 0, 0], "point": [0.1, 0, 0]}"#, left),
        (r#"{"id": 3, "normal": [-1, 0, 0], "offset": -0.1}"#, left),
        (r#"{"id": 3, "p1": [-0.1, 0.5, 0.5], "p2": [0.1, 0.5, 0.5], "radius": 1}"#, left),
        (r#"{"id": 3, "center": [0, 0.5, 0.5], "radius": 0.3}"#, left),
        (r#"{"threshold": 0.01, "id_offset": 2}"#, left),
        (r#"{"id": 3, "center": [0.5, 0.5, 0.5], "radius": 2}"#, "All"),
    ] {
        let found = held(selection);
        assert!(found.contains(region), "{selection}: {found}");
    }
}

#[test]
fn point_selection_selects_nodes() {
    let points =
        r#", "point_selection": [{"id": 3, "box": [[-0.1, -0.1, -0.1], [0.1, 0.1, 0.1]]}]"#;
    let conditions = r#", "boundary_conditions": {"dirichlet_boundary": [{"id": 3, "value": ["t", 0, 0]}]},
        "time": {"dt": 0.1, "tend": 1}"#;
    let scene = Files::new().scene("a.json", &problem(points, conditions));
    assert!(scene.contains("region: Box("), "{scene}");
    assert!(scene.contains("motion: Move(velocity: (1, 0, 0))"), "{scene}");
}

#[test]
fn bodies_with_different_gravity_get_forces() {
    let scene = Files::new().scene("a.json", r#"{"geometry": [
        {"mesh": "meshes/cube.msh", "volume_selection": 1},
        {"mesh": "meshes/cube.msh", "volume_selection": 2, "transformation": {"translation": [2, 0, 0]}}],
        "materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 10},
        "boundary_conditions": {"rhs": [{"id": 2, "value": [0, 3, 0]}]}, "time": {"dt": 0.1, "tend": 1}}"#);
    assert!(scene.contains("gravity: (0, 0, 0)"), "{scene}");
    assert_eq!(scene.matches("Force(").count(), 1);
    assert!(scene.contains("force: (0, -30, 0)"), "{scene}");
}

#[test]
fn unsupported_features_are_rejected_together_with_their_lines() {
    let refused = Files::new().refused(
        "a.json",
        r#"{
"geometry": [{"mesh": "meshes/cube.msh", "colour": 3,
  "surface_selection": [{"id": 1, "axis": 1, "position": 0.9}]}],
"materials": {"E": 1e5, "nu": 0.4,
  "type": "AMIPS"},
"units": {"length": "parsec"},
"boundary_conditions": {
  "dirichlet_boundary": [{"id": 1, "value": ["q*t", 0, 0]}],
  "neumann_boundary": [{"id": 1, "value": [0, "x+", 0]}],
  "rhs": [0, "sin(y", 0]},
"time": {"dt": 0.1, "tend": 1,
  "integrator": "Leapfrog"},
"swim": 1
}"#,
    );
    let lines: Vec<usize> = refused.iter().filter_map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 5, 6, 8, 9, 10, 12, 13], "{refused:?}");
    let all: String = refused.iter().map(|(_, what)| what.as_str()).collect();
    for word in [
        "geometry.0.colour",
        "AMIPS",
        "units.length",
        "`q` is neither a variable nor a function",
        "neumann_boundary",
        "rhs.1",
        "Leapfrog",
        "swim",
    ] {
        assert!(all.contains(word), "{word}: {refused:?}");
    }
}

#[test]
fn json_scenes_are_not_treated_as_problems() {
    let files = Files::new();
    let path = files.write("scene.json", r#"{"version": 1, "geometry": []}"#);
    assert_eq!(resile_import::ForeignFormat::of(&path), None);
    let path = files.write("list.txt", "1\n2\n3\n");
    assert_eq!(resile_import::ForeignFormat::of(&path), None);
}

/// A density per cubic millimetre makes the only step of a static problem long, and a tolerance by it too small.
#[test]
fn tolerances_are_within_the_range_of_scenes() {
    let text = r#"{"geometry": [{"mesh": "meshes/cube.msh", "surface_selection": [{"id": 1, "axis": -1, "position": 0.1}]}],
        "boundary_conditions": {"dirichlet_boundary": [{"id": 1, "value": [0, 0, 0]}]},
        "materials": {"type": "LinearElasticity", "E": 1e6, "nu": 0.3, "rho": 1000}, "units": {"length": "mm"}}"#;
    let scene = Files::new().scene("mm.json", text);
    assert!(scene.contains("tolerance: 1e-15"), "{scene}");
}
