//! Messages for bodies whose fields do not fit their kind, motion or copies.

use super::twin::assert_told_the_same;
use resile_assembly::build;
use resile_scene::text::{Diagnostic, SceneText};
use std::path::Path;

const SHEET: &str = r#"shape: Sheet(size: (0.2, 0.2), cells: (2, 2))"#;
const STONE: &str = r#"shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), kind: Affine"#;
const CUBE: &str = r#"shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1))"#;

/// What is said when a scene of one body is read and, if that goes well, built.
fn verdict(body: &str, more: &str) -> String {
    let material = if body.contains("kind: Springs") || body.contains("Particles") {
        ""
    } else {
        "material: \"rubber\","
    };
    let scene = format!(
        "(
    version: 1,
    materials: {{\"rubber\": (density: 1000, model: NeoHookean(young: 3e5, poisson: 0.3))}},
    bodies: [(
        name: \"one\", {material}
        {body},
    )],
    gravity: (0, -9.8, 0),
    time: (step: 0.01, duration: 1),
    {more}
)"
    );
    let text = SceneText::new("one.ron", scene);
    let said: Vec<Diagnostic> = match text.load() {
        Err(diagnostics) => {
            assert_told_the_same(text.text(), &diagnostics);
            diagnostics
        }
        Ok(loaded) => match build(&loaded.scene, Path::new("/")) {
            Err(problems) => problems.iter().map(|p| text.diagnose(p)).collect(),
            Ok(_) => loaded.warnings,
        },
    };
    said.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

const EULER: &str = "integrator: ImplicitEuler";

fn all(cases: &[(&str, &str, &str)]) -> String {
    let each = cases.iter().map(|(what, shape, field)| {
        let said = verdict(&format!("{shape},\n        {field}"), EULER);
        assert!(!said.is_empty(), "{what}");
        format!("# {what}\n{said}")
    });
    each.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn local_terms_on_affine_bodies_are_rejected() {
    let cases = [
        ("a force on a part", STONE, "terms: [Force(force: (1, 0, 0), region: Boundary)]"),
        ("pressure", STONE, "terms: [Pressure(pressure: 100)]"),
        (
            "a wall",
            STONE,
            "terms: [Repulsion(from: Plane(point: (0, -1, 0), normal: (0, 1, 0)), stiffness: 9)]",
        ),
        (
            "a field of velocities",
            STONE,
            "velocity_field: Ramp(point: (0, 0, 0), normal: (1, 0, 0), velocity: (0, 1, 0))",
        ),
    ];
    insta::assert_snapshot!(all(&cases));
    let whole = format!("{STONE}, terms: [Force(force: (1, 0, 0), region: All)]");
    assert_eq!(verdict(&whole, EULER), "");
}

#[test]
fn variation_without_effect_is_rejected() {
    let springs = format!(
        "{SHEET}, kind: Springs(area_density: 1, structural: 9, shear: 9, bending: 0, law: Hooke)"
    );
    let weighed = format!("{SHEET}, kind: Shell(thickness: 1e-3, area_density: 1)");
    let young = "repeat: Row(count: 2, step: (0, 1, 0), vary: [Young(List([1e5, 2e5]))])";
    let density = "repeat: Row(count: 2, step: (0, 1, 0), vary: [Density(List([100, 200]))])";
    let cases = [
        ("Young's modulus of springs", springs.as_str(), young),
        ("density of springs", &springs, density),
        ("density of a shell that is weighed", &weighed, density),
    ];
    insta::assert_snapshot!(all(&cases));
    let shell = format!("{SHEET}, kind: Shell(thickness: 1e-3)");
    for vary in [young, density] {
        assert_eq!(verdict(&format!("{shell}, {vary}"), EULER), "");
    }
}

#[test]
fn contact_thickness_of_particles_is_rejected() {
    let particles = "shape: Particles(positions: [(0, 0, 0)], masses: [1])";
    insta::assert_snapshot!(all(&[("thickness", particles, "contact_thickness: 0.01")]));
}

/// The help for missing keys of `hold` is accepted as input.
#[test]
fn prescribed_motions_that_jump_are_rejected_with_a_remedy() {
    let keys = |keys: &str| {
        format!(
            "{CUBE}, hold: [(region: All, motion: Keys(keys: [{keys}], interpolation: Smooth))]"
        )
    };
    let none = verdict(&keys(""), EULER);
    let advice = none.split('`').nth(1).expect("an example in quotes");
    assert_eq!(verdict(&keys(advice), EULER), "", "{advice}");
    let begun = "hold: [(region: All, motion: Move(velocity: (1, 0, 0), start: -1))]";
    let jump = "hold: [(region: All, motion: Keys(keys: [(time: 1, translate: (0, 0.1, 0))], \
                interpolation: Smooth))]";
    let cases = [("a motion that has begun", CUBE, begun), ("a jump", CUBE, jump)];
    insta::assert_snapshot!(format!("# no keys\n{none}\n\n{}", all(&cases)));
}

#[test]
fn node_numbers_out_of_range_are_rejected() {
    let held = |body: &str, nodes: &str| {
        verdict(&format!("{body}, hold: [(region: Nodes([{nodes}]), motion: Fixed)]"), EULER)
    };
    assert_eq!(held(CUBE, "0, 7"), "");
    let said = held(CUBE, "0, 8");
    assert!(
        said.contains("there is no node 8") && said.contains("the body has 8, from 0"),
        "{said}"
    );
    assert!(held(CUBE, "").contains("the list of nodes is empty"));
    // Of an affine body vertices of its surface are tied.
    let tied = |nodes: &str| {
        let attach = format!("attach: [(region: Nodes([{nodes}]), stiffness: 9, motion: Fixed)]");
        verdict(&format!("{STONE}, {attach}"), EULER)
    };
    assert_eq!(tied("7"), "");
    assert!(tied("8").contains("there is no node 8"));
}

#[test]
fn omitted_elements_of_surface_files_are_warned_about() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 9 9 9\nf 4 3 2 1\n";
    std::fs::write(folder.path().join("tile.obj"), text).expect("the folder can be written");
    let scene = format!(
        "(version: 1, bodies: [(name: \"one\", shape: File(\"tile.obj\"), kind: Springs(\
         area_density: 1, structural: 9, shear: 9, bending: 0, law: Hooke))], gravity: (0, 0, 0), \
         obstacles: [Mesh(name: \"tile\", file: \"tile.obj\", placement: (translate: (0, 5, 0)))], \
         {EULER}, time: (step: 0.01, duration: 1))"
    );
    let scene = SceneText::new("one.ron", scene).load().expect("it is good").scene;
    let warnings = build(&scene, folder.path()).expect("it is good").warnings;
    let output: Vec<_> = warnings.iter().map(|p| (p.path.as_str(), &p.message)).collect();
    for path in ["bodies[0].shape", "obstacles[0].file"] {
        let note = "dropped 1 vertices that no face uses";
        let of = |(at, message): &&(&str, &String)| *at == path && message.ends_with(note);
        assert_eq!(output.iter().filter(of).count(), 1, "{path}: {output:?}");
        // Polygons are split, which is no reason for a warning.
        assert_eq!(output.iter().filter(|(at, _)| *at == path).count(), 1, "{path}: {output:?}");
    }
}

#[test]
fn rest_height_with_changing_gravity_is_warned_about() {
    let said = |ground: &str, changes: &str| {
        let target = format!("target: (decay: [(start: 0, tau: 1)], ground: {ground})");
        verdict(CUBE, &format!("integrator: ASearch({target}),\n    {changes}"))
    };
    let changes = "gravity_changes: [(start: 0.5, gravity: (0, 0, 0))]";
    insta::assert_snapshot!(said("RestHeight(0.05)", changes));
    assert_eq!(said("RestHeight(0.05)", ""), "");
    assert_eq!(said("Joules(1)", changes), "");
}

/// Friction may come from an obstacle alone, by the rule, or from a pair.
#[test]
fn forest_ruth_is_rejected_with_friction() {
    let contact = |rule: &str, obstacle: f64, pairs: &str| {
        let more = format!(
            "integrator: ForestRuth, contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: {rule}, pairs: [{pairs}]), \
             obstacles: [Plane(name: \"floor\", point: (0, -1, 0), normal: (0, 1, 0), friction: {obstacle})]"
        );
        verdict(&format!("{CUBE}, friction: 0"), &more).contains("Forest-Ruth")
    };
    assert!(contact("Max", 0.3, ""));
    assert!(contact("Mean", 0.3, ""));
    assert!(contact("Min", 0.0, r#"(a: "one", b: "floor", friction: 0.2)"#));
    assert!(!contact("Min", 0.3, ""));
}

/// Linear elements and quadratic ones, of materials that resist inversion and that do not.
#[test]
fn displacement_that_inverts_elements_is_rejected() {
    for elements in ["Linear", "Quadratic"] {
        for (factor, word) in [("-3", "inverted at the start"), ("-0.5", "")] {
            let field = format!("elements: {elements}, displacement: (\"{factor}*x\", 0, 0)");
            let said = verdict(&format!("{CUBE},\n        {field}"), EULER);
            assert!(said.contains(word), "{said}");
            assert_eq!(said.contains("bodies[0].displacement"), !word.is_empty(), "{said}");
        }
    }
}

/// A file of segments is read as an obstacle, whatever else is wrong.
#[test]
fn wrong_numbers_beside_a_wireframe_are_the_only_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("w.seg"), "v 0 -1 0\nv 0 -1 1\ns 1 2\n").unwrap();
    std::fs::write(folder.path().join("l.obj"), "v 0 -1 0\nv 0 -1 1\nl 1 2\n").unwrap();
    let text = format!(
        "(version: 1, materials: {{\"m\": (density: 1000, model: NeoHookean(young: 3e5, poisson: 0.3))}}, \
         bodies: [(name: \"one\", material: \"m\", {CUBE}, friction: 0.3)], gravity: (0, 0, 0), \
         obstacles: [Mesh(name: \"w\", file: \"w.seg\", friction: 0.3), \
         Mesh(name: \"l\", file: \"l.obj\", friction: 0.3, motion: Fixed)], \
         contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean), integrator: ImplicitEuler, \
         time: (step: 0.01, duration: -1))"
    );
    let scene = SceneText::new("one.ron", text).read().unwrap();
    let problems = build(&scene, folder.path()).unwrap_err();
    let paths: Vec<&str> = problems.iter().map(|problem| &*problem.path).collect();
    assert_eq!(paths, ["time.duration"], "{problems:?}");
}
