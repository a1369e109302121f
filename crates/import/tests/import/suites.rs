//! Fields and features of the problems in the suites of `PolyFEM`.

use crate::files::Files;
use resile_import::Imported;

const LAW: &str = r#"{"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000}"#;

/// A unit cube with a law and further fields.
fn import_with(law: &str, fields: &str) -> Imported {
    let files = Files::new();
    let text =
        format!(r#"{{"geometry": {{"mesh": "meshes/cube.msh"}}, "materials": {law}, {fields}}}"#);
    files.import("a.json", &text).unwrap_or_else(|error| panic!("{error}"))
}

/// A unit cube with further fields.
fn import(fields: &str) -> Imported {
    import_with(LAW, fields)
}

/// Whether a note contains a text.
fn has_note(imported: &Imported, text: &str) -> bool {
    imported.notes.iter().any(|note| note.contains(text))
}

#[test]
fn settings_of_the_nonlinear_solver_have_no_effect() {
    let plain = import(r#""time": {"dt": 0.1, "tend": 1}"#);
    let with = import(
        r#""time": {"dt": 0.1, "tend": 1},
        "solver": {"advanced": {"characteristic_force_density": 1, "characteristic_length": 1},
                   "nonlinear": {"f_delta": 1e-10, "grad_norm": 1e-8, "x_delta": 1e-9},
                   "augmented_lagrangian": {"strategy": "adaptive_inexact"}}"#,
    );
    assert_eq!(with.scene, plain.scene);
    let optimised = import(r#""time": {"dt": 0.1, "tend": 1}, "optimization": {"enabled": true}"#);
    assert!(has_note(&optimised, "`optimization`"), "{:?}", optimised.notes);
}

#[test]
fn quasistatic_steps_end_in_equilibrium() {
    let scene = |flag: &str| {
        import(&format!(r#""time": {{"dt": 0.25, "tend": 1, "quasistatic": {flag}}}"#)).scene
    };
    assert!(scene("true").contains("analysis: Static"), "{}", scene("true"));
    assert!(!scene("false").contains("analysis"), "{}", scene("false"));
}

#[test]
fn high_orders_are_quadratic_with_a_note() {
    let space = |space: &str| import(&format!(r#""space": {space}"#));
    for (orders, note) in [
        (r#"{"discr_order": 3}"#, "order 3"),
        (r#"{"discr_order": 1, "discr_orderq": 2}"#, "one order"),
        (r#"{"discr_order": 4, "discr_orderq": 1}"#, "order 4"),
    ] {
        let imported = space(orders);
        assert!(imported.scene.contains("elements: Quadratic"), "{orders}");
        assert!(has_note(&imported, note), "{orders}: {:?}", imported.notes);
    }
    let linear = space(r#"{"discr_order": 1, "discr_orderq": 1}"#);
    assert!(!linear.scene.contains("Quadratic") && linear.notes.is_empty(), "{:?}", linear.notes);
}

#[test]
fn high_orders_of_bdf_are_the_second_with_a_note() {
    for order in 3..=6 {
        let time = format!(r#""time": {{"dt": 0.1, "tend": 1, "integrator": "BDF{order}"}}"#);
        let imported = import(&time);
        assert!(imported.scene.contains("integrator: Bdf2"), "{order}");
        assert!(has_note(&imported, &format!("BDF of order {order}")), "{:?}", imported.notes);
    }
}

#[test]
fn other_contact_than_that_of_the_surface_is_noted() {
    for (fields, name) in [
        (r#""collision_mesh": {"mesh": "fine.ply", "linear_map": "map.hdf5"}"#, "collision_mesh"),
        (r#""use_gcp_formulation": true, "alpha_t": 0.5, "alpha_n": 0.1"#, "use_gcp_formulation"),
    ] {
        let contact = format!(
            r#""contact": {{"enabled": true, "dhat": 1e-3, {fields}}}, "time": {{"dt": 0.1, "tend": 1}}"#
        );
        assert!(has_note(&import(&contact), name), "{fields}");
    }
}

#[test]
fn manufactured_solution_is_prescribed_with_its_body_force() {
    let linear = r#"{"type": "LinearElasticity", "E": 2.6, "nu": 0.3, "rho": 1}"#;
    let fields = r#""preset_problem": {"type": "ElasticExact"}"#;
    let imported = import_with(linear, fields);
    let scene = imported.scene;
    // mu is 1 and lambda 1.5: minus (2 + 6 y) + 2.5 (2 + 3 y) over 80 along x.
    let force = scene.split("BodyForce(").nth(1).unwrap_or_default();
    let first = force.split('"').nth(1).unwrap_or_default();
    assert!(first.contains("1*(2 + 6*y)") && first.contains("2.5*(2 + 2*y + y)"), "{first}");
    assert!(scene.contains("region: All") && scene.contains("Displacement("), "{scene}");
    // A time makes the solution grow.
    let timed = import_with(linear, &format!(r#"{fields}, "time": {{"dt": 1, "tend": 1}}"#)).scene;
    assert!(
        timed.split("Displacement(").nth(1).is_some_and(|rest| rest.contains("t/80")),
        "{timed}"
    );
    let rubber = r#"{"type": "MooneyRivlin", "c1": 1e5, "c2": 1e4, "k": 1e6, "rho": 1}"#;
    let text = |law: &str, kind: &str| {
        format!(
            r#"{{"geometry": {{"mesh": "meshes/cube.msh"}}, "materials": {law}, "preset_problem": {{"type": "{kind}"}}}}"#
        )
    };
    for (law, kind) in [(rubber, "ElasticExact"), (linear, "TorsionElastic")] {
        let refused = Files::new().refused("a.json", &text(law, kind));
        assert!(refused.iter().any(|(_, what)| what.contains("`preset_problem`")), "{refused:?}");
    }
}

#[test]
fn obstacles_of_edges_and_points_are_generated_files() {
    let files = Files::new();
    files.write("meshes/needle.obj", "v 0 0\nv 1 0\nl 1 2\n");
    let generated = |obstacle: &str| {
        let text = format!(
            r#"{{"geometry": [{{"mesh": "meshes/cube.msh"}}, {{"is_obstacle": true, {obstacle}}}], "materials": {LAW},
            "contact": {{"enabled": true, "dhat": 1e-3}}, "time": {{"dt": 0.1, "tend": 1}}}}"#
        );
        let imported = files.import("a.json", &text).unwrap_or_else(|error| panic!("{error}"));
        let file = imported.files.first().expect("a generated file").clone();
        assert!(imported.scene.contains(&format!("\"{}\"", file.name)), "{}", imported.scene);
        (file.name, String::from_utf8(file.contents).unwrap())
    };
    let needle = generated(r#""mesh": "meshes/needle.obj""#);
    assert_eq!(needle, ("needle.seg".to_owned(), "v 0 0 0\nv 1 0 0\ns 1 2\n".to_owned()));
    let (name, edges) = generated(r#""mesh": "meshes/square.obj", "extract": "edges""#);
    assert_eq!((name.as_str(), edges.matches("\ns ").count()), ("square.seg", 5), "{edges}");
    let (name, points) = generated(r#""mesh": "meshes/square.obj", "extract": "points""#);
    assert_eq!((name.as_str(), points.lines().count()), ("square.pt", 4), "{points}");
}

/// Corners that no plane or box selects alone form a group of a generated mesh.
#[test]
fn held_nodes_of_quadratic_elements_form_a_group() {
    let files = Files::new();
    let corners =
        |position: f64, id: i64| format!(r#"{{"id": {id}, "axis": "x", "position": {position}}}"#);
    let text = format!(
        r#"{{"geometry": {{"mesh": "meshes/cube.msh", "surface_selection":
        [{{"id": 1, "axis": "-x", "position": 0.01}}, {}]}}, "materials": {LAW}, "space": {{"discr_order": 2}},
        "time": {{"dt": 0.1, "tend": 1}},
        "boundary_conditions": {{"dirichlet_boundary": [{{"id": [1, 2], "value": [0, 0, 0]}}]}}}}"#,
        corners(0.99, 2)
    );
    let imported = files.import("a.json", &text).unwrap_or_else(|error| panic!("{error}"));
    assert!(imported.scene.contains(r#"Group("held-1")"#), "{}", imported.scene);
    let file = &imported.files[0];
    assert!(imported.scene.contains(&format!("File(\"{}\")", file.name)), "{}", imported.scene);
    // All eight corners are held, and so are the midpoints of the edges between both sides.
    assert!(has_note(&imported, "midpoints of edges between held nodes"), "{:?}", imported.notes);
}

#[test]
fn old_schema_is_refused_by_its_name() {
    let text = "{\n\"meshes\": [{\"mesh\": \"meshes/cube.msh\"}],\n\"body_params\": []\n}";
    let refused = Files::new().refused("a.json", text);
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(refused[0].0, Some(2));
    assert!(refused[0].1.contains("`meshes` belongs to the old schema"), "{refused:?}");
}

#[test]
fn points_with_two_coordinates_are_in_the_plane_of_x_and_y() {
    let text = format!(
        r#"{{"geometry": {{"mesh": "meshes/cube.msh", "surface_selection": {{"id": 1, "center": [0, 0], "radius": 0.8}}}},
        "materials": {LAW}, "time": {{"dt": 0.1, "tend": 1}},
        "boundary_conditions": {{"dirichlet_boundary": [{{"id": 1, "value": [0, 0, 0]}}]}}}}"#
    );
    let imported = Files::new().import("a.json", &text).unwrap_or_else(|error| panic!("{error}"));
    assert!(has_note(&imported, "third coordinate is missing"), "{:?}", imported.notes);
}

/// The two elements of a mesh, of which the file numbers the groups 3 and 5.
const TWO_VOLUMES: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n\
$EndNodes\n$Elements\n2\n1 4 2 3 1 1 2 3 4\n2 4 2 5 1 2 3 4 5\n$EndElements\n";

#[test]
fn volumes_of_a_mesh_have_their_own_materials() {
    let files = Files::new();
    files.write("meshes/two.msh", TWO_VOLUMES);
    let text = |selection: &str, ids: [i64; 2], fields: &str| {
        format!(
            r#"{{"geometry": {{"mesh": "meshes/two.msh"{selection}}}, "time": {{"dt": 0.1, "tend": 1}},
            "materials": [{{"id": {}, "type": "NeoHookean", "E": 1e5, "nu": 0.4}},
                          {{"id": {}, "type": "NeoHookean", "E": 1e7, "nu": 0.4}}]{fields}}}"#,
            ids[0], ids[1]
        )
    };
    let plane = r#", "volume_selection": {"id": 8, "axis": "x", "position": 0.3}"#;
    for (selection, ids, group) in [
        ("", [3, 5], "volume-5"),
        (r#", "volume_selection": {"id_offset": 10}"#, [13, 15], "volume-15"),
        (plane, [3, 8], "volume-8"),
    ] {
        let imported =
            files.import("a.json", &text(selection, ids, "")).unwrap_or_else(|e| panic!("{e}"));
        let scene = imported.scene;
        assert!(
            scene.contains(&format!("group_materials: {{\"{group}\": \"solid-2\"}}")),
            "{scene}"
        );
        assert!(scene.contains(&format!("File(\"{}\")", imported.files[0].name)), "{scene}");
    }
    let names = "$PhysicalNames\n3\n2 3 \"skin\"\n3 3 \"core\"\n3 5 \"shell of it\"\n$EndPhysicalNames\n$Nodes";
    files.write("meshes/two.msh", &TWO_VOLUMES.replacen("$Nodes", names, 1));
    let named = files.scene("a.json", &text("", [3, 5], ""));
    assert!(named.contains(r#"group_materials: {"volume-5": "solid-2"}"#), "{named}");
    let one = r#", "volume_selection": 7"#;
    let imported = files.import("a.json", &text(one, [7, 1], "")).unwrap_or_else(|e| panic!("{e}"));
    assert!(!imported.scene.contains("group_materials") && imported.files.is_empty());
    let velocities = r#", "initial_conditions": {"velocity": [{"id": 5, "value": [1, 0, 0]}]}"#;
    let refused = files.refused("a.json", &text("", [3, 5], velocities));
    assert!(refused[0].1.contains("volumes of one mesh"), "{refused:?}");
}

#[test]
fn directions_have_no_effect_on_isotropic_laws() {
    let law = |fields: &str| {
        let law = format!(r#"{{"type": "SaintVenant", "E": 1e5, "nu": 0.3{fields}}}"#);
        import_with(&law, r#""time": {"dt": 0.1, "tend": 1}"#).scene
    };
    assert_eq!(law(r#", "fiber_direction": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]"#), law(""));
}

#[test]
fn recorded_errors_of_known_solutions_are_no_norms() {
    let norms = r#""tests": {"err_l2": 1, "err_h1_semi": 1, "err_lp": 1, "err_linf": 1}"#;
    let exact = r#""preset_problem": {"type": "ElasticExact"}"#;
    for (fields, is_norm) in [
        (r#""time": {"dt": 1, "tend": 1}"#.to_owned(), true),
        (r#""output": {"reference": {"solution": ["x", "0", "0"]}}"#.to_owned(), false),
        (exact.to_owned(), true),
        (format!(r#"{exact}, "time": {{"dt": 1, "tend": 1}}"#), false),
    ] {
        let imported = import(&format!("{norms}, {fields}"));
        assert_eq!(imported.recorded.is_some(), is_norm, "{fields}");
    }
}

#[test]
fn laws_without_counterpart_are_named() {
    let refused = |law: &str| {
        let text = format!(r#"{{"geometry": {{"mesh": "meshes/cube.msh"}}, "materials": {law}}}"#);
        let refused = Files::new().refused("a.json", &text);
        refused.into_iter().map(|(_, what)| what).collect::<Vec<_>>().join("; ")
    };
    let fibres = r#"{"type": "MaterialSum", "models": [{"type": "NeoHookean", "E": 1, "nu": 0.3},
        {"type": "ActiveFiber", "Tmax": 1}]}"#;
    let found = refused(fibres);
    assert!(found.contains("ActiveFiber") && !found.contains("NeoHookean"), "{found}");
    let by_element = refused(r#"{"type": "NeoHookean", "E": "young.txt", "nu": 0.3}"#);
    assert!(by_element.contains("from the file young.txt"), "{by_element}");
}

/// Two opposite sides have all nodes of the cube, so no single region selects them without the other sides.
#[test]
fn faces_that_no_region_selects_alone_are_divided() {
    let files = Files::new();
    files.write("ids.txt", &"1 0 ".repeat(6));
    let load = |selection: &str, order: u32| {
        let text = format!(
            r#"{{"geometry": {{"mesh": "meshes/cube.msh", "surface_selection": {selection}}},
            "materials": {LAW}, "space": {{"discr_order": {order}}}, "time": {{"dt": 0.1, "tend": 1}},
            "boundary_conditions": {{"neumann_boundary": [{{"id": 1, "value": [0, 7, 0]}}]}}}}"#
        );
        files.import("a.json", &text).unwrap_or_else(|error| panic!("{error}"))
    };
    let sides =
        r#"[{"id": 1, "axis": "-x", "position": 0.01}, {"id": 1, "axis": "x", "position": 0.99}]"#;
    let scene = load(sides, 1).scene;
    assert_eq!(scene.matches("traction: (0, 7, 0)").count(), 2, "{scene}");
    for side in [
        "Plane(point: (0.99, 0, 0), normal: (1, 0, 0))",
        "Plane(point: (0.01, 0, 0), normal: (-1, 0, 0))",
    ] {
        assert!(scene.contains(side), "{scene}");
    }
    // In quadratic bodies, lists of nodes are groups.
    let quadratic = load(r#""ids.txt""#, 2);
    assert!(quadratic.scene.contains(r#"Group("loaded-1")"#), "{}", quadratic.scene);
    assert_eq!(quadratic.files.len(), 1);
}

#[test]
fn lumped_masses_are_noted_where_the_source_has_others() {
    for (fields, is_noted) in [
        (r#""time": {"dt": 0.1, "tend": 1}"#, true),
        (
            r#""time": {"dt": 0.1, "tend": 1}, "solver": {"advanced": {"lump_mass_matrix": true}}"#,
            false,
        ),
        (r#""time": {"dt": 0.1, "tend": 1, "quasistatic": true}"#, false),
        (r#""space": {"discr_order": 1}"#, false),
    ] {
        let imported = import(fields);
        assert_eq!(has_note(&imported, "`lump_mass_matrix`"), is_noted, "{fields}");
    }
}

/// `UnconstrainedOgden` converts its divisor as a stress: 0.02 mPa is 2e-5.
#[test]
fn divisors_of_ogden_have_the_unit_of_a_stress() {
    let bulk = |divisor: &str| {
        let law = format!(
            r#"{{"type": "UnconstrainedOgden", "mus": 3e4, "alphas": 6, "Ds": {divisor}}}"#
        );
        let scene = import_with(&law, r#""space": {"discr_order": 1}"#).scene;
        let value = scene.split("bulk: ").nth(1).and_then(|rest| rest.split([')', ',']).next());
        value.and_then(|value| value.parse::<f64>().ok()).unwrap_or(f64::NAN)
    };
    assert!((bulk("2e-5") / 1e5 - 1.0).abs() < 1e-12, "{}", bulk("2e-5"));
    assert_eq!(bulk(r#"{"value": 0.02, "unit": "mPa"}"#), bulk("2e-5"));
}
