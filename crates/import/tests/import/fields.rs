//! Fields of `PolyFEM` problems: patches, unknown ones, and defaults.

use crate::files::Files;

const MATERIAL: &str = r#""materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000}"#;

/// A problem of a cube with more fields.
fn problem(rest: &str) -> String {
    format!(r#"{{"geometry": [{{"mesh": "meshes/cube.msh"}}], {MATERIAL}, {rest}}}"#)
}

#[test]
fn patches_change_the_merged_document() {
    let files = Files::new();
    files.write("base.json", &problem(r#""time": {"dt": 0.1, "tend": 1}"#));
    let patched = files.scene(
        "a.json",
        r#"{"common": "base.json", "materials": {"nu": 0.3}, "patch": [
        {"op": "replace", "path": "/materials/E", "value": 5e5},
        {"op": "add", "path": "/boundary_conditions", "value": {"rhs": [0, 9, 0]}},
        {"op": "copy", "from": "/time/tend", "path": "/time/dt"},
        {"op": "test", "path": "/materials/nu", "value": 0.3},
        {"op": "remove", "path": "/materials/rho"}]}"#,
    );
    assert!(patched.contains("NeoHookean(young: 5e5, poisson: 0.3)"), "{patched}");
    assert!(patched.contains("density: 1,"), "{patched}");
    assert!(patched.contains("gravity: (0, -9, 0)"), "{patched}");
    assert!(patched.contains("(step: 1, duration: 1)"), "{patched}");
    files.write(
        "middle.json",
        r#"{"common": "base.json", "patch": [{"op": "replace", "path": "/materials/E", "value": 7e5}]}"#,
    );
    let nested = files.scene("b.json", r#"{"common": "middle.json", "materials": {"nu": 0.2}}"#);
    assert!(nested.contains("NeoHookean(young: 7e5, poisson: 0.2)"), "{nested}");
}

#[test]
fn patches_that_fail_are_rejected_on_their_line() {
    let files = Files::new();
    files.write("base.json", &problem(r#""time": {"dt": 0.1, "tend": 1}"#));
    for (operation, message) in [
        (r#"{"op": "replace", "path": "/materials/F", "value": 1}"#, "/materials/F"),
        (r#"{"op": "test", "path": "/materials/E", "value": 1}"#, "/materials/E"),
        (r#"{"op": "change", "path": "/materials/E", "value": 1}"#, "patch.0"),
    ] {
        let text = format!("{{\"common\": \"base.json\",\n\"patch\": [\n{operation}]}}");
        let refused = files.refused("a.json", &text);
        assert_eq!(refused.len(), 1, "{refused:?}");
        assert_eq!(refused[0].0, Some(3), "{refused:?}");
        assert!(refused[0].1.contains(message), "{operation}: {refused:?}");
    }
    let value = "{\"common\": \"base.json\",\n\"patch\": [\n\
                 {\"op\": \"replace\", \"path\": \"/materials/E\", \"value\": \"x\"}]}";
    let refused = files.refused("a.json", value);
    assert_eq!(refused[0].0, Some(3), "{refused:?}");
    let alone =
        files.refused("c.json", &problem(r#""patch": [{"op": "remove", "path": "/time"}]"#));
    assert!(alone[0].1.contains("`patch`"), "{alone:?}");
}

#[test]
fn adhesion_is_imported() {
    let files = Files::new();
    let with = |area_weights: bool, coefficient: f64| {
        problem(&format!(
            r#""time": {{"dt": 0.1, "tend": 1}}, "contact": {{"enabled": true, "dhat": 2e-4,
            "use_convergent_formulation": {area_weights}, "adhesion": {{"adhesion_enabled": true, "dhat_p": 1e-3,
            "dhat_a": 3e-3, "adhesion_strength": 6, "tangential_adhesion_coefficient": {coefficient}}}}}"#
        ))
    };
    let scene = files.scene("a.json", &with(true, 0.0));
    assert!(scene.contains("adhesion: (strength: 6, peak: 0.001, range: 0.003)"), "{scene}");
    // The unit cube has an area of 6 m^2 and 8 vertices.
    let scene = files.scene("b.json", &with(false, 0.0));
    assert!(scene.contains("strength: 8,"), "{scene}");
    assert!(scene.contains("a force of 6 N at each pair of primitives"), "{scene}");
    // 0.1 over twice `dhat_p`.
    let scene = files.scene("c.json", &with(true, 0.1));
    assert!(scene.contains("coefficient: 50,") && scene.contains("slip_speed: 0.001"), "{scene}");
    let at_rest = with(true, 0.1).replace(r#""time": {"dt": 0.1, "tend": 1},"#, "");
    let refused = files.refused("e.json", &at_rest);
    assert!(refused[0].1.contains("tangential_adhesion_coefficient"), "{refused:?}");
    let without = r#""time": {"dt": 0.1, "tend": 1},
        "contact": {"enabled": true, "adhesion": {"adhesion_enabled": true, "dhat_p": 1e-3}}"#;
    let refused = files.refused("d.json", &problem(without));
    assert!(refused[0].1.contains("dhat_a"), "{refused:?}");
}

#[test]
fn unknown_fields_of_all_objects_are_rejected_by_name() {
    for (fields, name) in [
        (r#""contact": {"enabled": true, "dhatt": 1}"#, "contact.dhatt"),
        (r#""contact": {"adhesion": {"epsb": 1}}"#, "contact.adhesion.epsb"),
        (
            r#""time": {"dt": 1, "tend": 1, "integrator": {"type": "BDF", "step": 2}}"#,
            "time.integrator.step",
        ),
        (r#""solver": {"contact": {"barrier_stifness": 5}}"#, "solver.contact.barrier_stifness"),
        (r#""solver": {"nonlinear": {"gradnorm": 1}}"#, "solver.nonlinear.gradnorm"),
        (r#""solver": {"nonlinaer": {}}"#, "solver.nonlinaer"),
        (r#""units": {"lenght": "mm"}"#, "units.lenght"),
        (r#""space": {"discr_oder": 2}"#, "space.discr_oder"),
        (
            r#""initial_conditions": {"velocity": [{"ids": 1, "value": [1, 0, 0]}]}"#,
            "initial_conditions.velocity.0.ids",
        ),
        (
            r#""boundary_conditions": {"rhs": [0, {"value": 9, "units": "m/s^2"}, 0]}"#,
            "rhs.1.units",
        ),
        (
            r#""contact": {"enabled": true, "collision_mesh": {"msh": "a.obj"}}"#,
            "collision_mesh.msh",
        ),
        (r#""input": {"data": {"state": "u.hdf5"}}"#, "input.data.state"),
    ] {
        let refused = Files::new().refused("a.json", &problem(fields));
        assert_eq!(refused.len(), 1, "{fields}: {refused:?}");
        assert!(refused[0].1.contains(name) && refused[0].0.is_some(), "{fields}: {refused:?}");
    }
    for (fields, name) in [
        (r#""advanced": {"normalise_mesh": true}"#, "geometry.0.advanced.normalise_mesh"),
        (
            r#""surface_selection": [{"id": 1, "box": [[0, 0, 0], [1, 1, 1]], "relatve": true}]"#,
            "geometry.0.surface_selection.0.relatve",
        ),
        (
            r#""surface_selection": [{"threshold": 0.1, "offset": 3}]"#,
            "geometry.0.surface_selection.0.offset",
        ),
        (
            r#""array": {"offset": 1, "size": [1, 1, 1], "relativ": true}"#,
            "geometry.0.array.relativ",
        ),
        (r#""height": 1"#, "geometry.0.height"),
        (r#""curve_selection": 1"#, "geometry.0.curve_selection"),
        (r#""extract": "surface""#, "geometry.0.extract"),
    ] {
        let text =
            format!(r#"{{"geometry": [{{"mesh": "meshes/cube.msh", {fields}}}], {MATERIAL}}}"#);
        let refused = Files::new().refused("a.json", &text);
        assert_eq!(refused.len(), 1, "{fields}: {refused:?}");
        assert!(refused[0].1.contains(name), "{fields}: {refused:?}");
    }
}

/// `preprocess_contact_parameters`: without `dhat`, 1e-3 or a fraction of the shortest edge of all surfaces.
#[test]
fn default_activation_distance_is_below_the_shortest_edge() {
    let d_hat = |scale: f64, contact: &str, rest: &str| {
        let text = format!(
            r#"{{"geometry": [{{"mesh": "meshes/cube.msh", "transformation": {{"scale": {scale}}}}}
            {rest}], {MATERIAL}, "contact": {{"enabled": true{contact}}}}}"#
        );
        let scene = Files::new().scene("a.json", &text);
        let (_, found) = scene.split_once("d_hat: ").expect("contact");
        found.split(',').next().unwrap().parse::<f64>().unwrap()
    };
    let obstacle = r#", {"mesh": "meshes/square.obj", "is_obstacle": true,
        "transformation": {"scale": 1e-5, "translation": [0, -1, 0]}}"#;
    for (scale, contact, rest, expected) in [
        (1.0, "", "", 1e-3),
        (1e-4, "", "", 0.8e-4),
        (1e-4, r#", "dhat_percentage": 0.5"#, "", 0.5e-4),
        (1e-4, r#", "dhat": 1e-3"#, "", 1e-3),
        (1.0, "", obstacle, 0.8e-5),
    ] {
        let found = d_hat(scale, contact, rest);
        assert!((found / expected - 1.0).abs() < 1e-9, "{scale} {contact}: {found}");
    }
    let quadratic = problem(r#""contact": {"enabled": true}, "space": {"discr_order": 2}"#)
        .replace("cube.msh\"", "cube.msh\", \"transformation\": {\"scale\": 1e-4}");
    let scene = Files::new().scene("a.json", &quadratic);
    assert!(scene.contains("d_hat: 4e-5"), "{scene}");
}

/// Files of a sequence by a list, a folder or a pattern.
#[test]
fn mesh_sequences_are_lists_folders_and_patterns() {
    let files = Files::new();
    let square = std::fs::read_to_string(files.folder().join("meshes/square.obj")).unwrap();
    for name in ["o1.obj", "o2.obj", "w/f9.obj", "w/f10.obj", "v/a.obj", "v/c.obj"] {
        files.write(name, &square);
    }
    let imported = |sequence: &str| {
        let text = format!(
            r#"{{"geometry": [{{"mesh": "meshes/cube.msh"}}, {{"type": "mesh_sequence", "is_obstacle": true,
            "mesh_sequence": {sequence}, "fps": 10}}], {MATERIAL}}}"#
        );
        files.import("a.json", &text)
    };
    for (sequence, first, frames) in [
        (r#"["o1.obj", "o2.obj"]"#, "o1.obj", "o#.obj"),
        (r#""o*.obj""#, "o1.obj", "o#.obj"),
        (r#""o""#, "o1.obj", "o#.obj"),
        (r#""w""#, "w/f9.obj", "w/f#.obj"),
        (r#""w/f?*.obj""#, "w/f9.obj", "w/f#.obj"),
    ] {
        let imported = imported(sequence).unwrap_or_else(|error| panic!("{sequence}: {error}"));
        let named = format!("file: \"{first}\"");
        assert!(imported.scene.contains(&named), "{sequence}: {}", imported.scene);
        let named = format!("frames: \"{frames}\"");
        assert!(imported.scene.contains(&named), "{sequence}: {}", imported.scene);
        assert!(imported.files.is_empty());
    }
    for (sequence, count) in [(r#"["o2.obj", "o1.obj"]"#, 2), (r#"["o1.obj"]"#, 1), (r#""v""#, 2)] {
        let imported = imported(sequence).unwrap_or_else(|error| panic!("{sequence}: {error}"));
        assert_eq!(imported.files.len(), count, "{sequence}");
        assert_eq!(imported.files[0].contents, square.as_bytes());
        let first = format!("file: \"{}\"", imported.files[0].name);
        assert!(imported.scene.contains(&first), "{}", imported.scene);
        assert!(imported.notes[0].contains("are copied"), "{:?}", imported.notes);
    }
    for sequence in [r#""none*.obj""#, r#"["o1.obj", "o3.obj"]"#, "3"] {
        let refused = imported(sequence).unwrap_err().to_string();
        assert!(refused.contains("`geometry.1.mesh_sequence"), "{sequence}: {refused}");
    }
}
