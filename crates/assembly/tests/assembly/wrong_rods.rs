//! Messages about rods that cannot be simulated. The snapshot is meant to be read.

use super::twin::assert_told_the_same;
use resile_assembly::check;
use resile_scene::text::{Diagnostic, SceneText};
use resile_watch::Tally;
use std::path::Path;

const CURVE: &str =
    "shape: Curve(points: [(0, 0, 0), (0.1, 0, 0), (0.2, 0, 0), (0.3, 0, 0), (0.4, 0, 0)])";
const RING: &str = "shape: Circle(radius: 0.1, segments: 24)";
const CONTACT: &str = "contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min)";

/// What is said of a scene of one body.
fn verdict(body: &str, more: &str, folder: &Path) -> String {
    let material = if body.contains("material") { "" } else { "material: \"rubber\", " };
    let scene = format!(
        "(
    version: 1,
    materials: {{
        \"rubber\": (density: 1000, model: NeoHookean(young: 3e5, poisson: 0.3)),
        \"lead\": (density: 11000, model: Hencky(young: 1e7, poisson: 0.4), plasticity: VonMises(yield_stress: 1e4)),
    }},
    bodies: [(
        name: \"rope\", {material}friction: 0.3,
        {body},
    )],
    gravity: (0, -9.8, 0),
    integrator: ImplicitEuler,
    time: (step: 0.01, duration: 1), output: (frame_rate: 50), solver: (tolerance: 1e-6),
    {more}
)"
    );
    let text = SceneText::new("rope.ron", scene);
    let said: Vec<Diagnostic> = match text.load() {
        Err(diagnostics) => {
            assert_told_the_same(text.text(), &diagnostics);
            diagnostics
        }
        Ok(loaded) => {
            let checked = check(&loaded.scene, folder, &Tally::default());
            let problems = checked.built.err().unwrap_or_default();
            problems.iter().chain(&checked.warnings).map(|p| text.diagnose(p)).collect()
        }
    };
    let shown = said.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    shown.replace(&folder.display().to_string(), "FOLDER")
}

#[test]
fn invalid_rods_are_rejected() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let files = [
        ("branch.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nl 1 2 3\nl 2 4\n"),
        ("short.obj", "v 0 0 0\nv 1 0 0\nl 1\n"),
        ("missing.obj", "v 0 0 0\nv 1 0 0\nl 1 2 5\n"),
        ("faces.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("twice.obj", "v 0 0 0\nv 1 0 0\nv 1 0 0\nl 1 2 3\n"),
        ("lines.obj", "v 0 0 0\nv 0.1 0 0\nv 0.2 0 0\nl 1 2\nl 2 3\n"),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file can be written");
    }
    let rod = "kind: Rod(radius: 0.002)";
    let loop_of = |z: f64| {
        format!(
            "shape: Curve(points: [(0, 0, 0), (0.1, 0, 0), (0.1, 0, 0.1), (0.05, 0, 0.1), (0.05, 0, -0.1), (0.05, {z}, -0.2)])"
        )
    };
    let cases = [
        ("one point", "shape: Curve(points: [(0, 0, 0)])".into(), rod, CONTACT),
        (
            "a point twice",
            "shape: Curve(points: [(0, 0, 0), (0, 0, 0), (1, 0, 0)])".into(),
            rod,
            CONTACT,
        ),
        ("no thickness", CURVE.into(), "kind: Rod(radius: 0)", CONTACT),
        ("a curve alone", CURVE.into(), "kind: Solid", CONTACT),
        ("a shell of a curve", RING.into(), "kind: Shell(thickness: 1e-3)", CONTACT),
        ("a rod of a box", "shape: Box(size: (1, 1, 1), cells: (1, 1, 1))".into(), rod, CONTACT),
        ("turns of free ends", CURVE.into(), "kind: Rod(radius: 0.002, turns: 2)", CONTACT),
        (
            "a clamp that turns",
            CURVE.into(),
            "kind: Rod(radius: 0.002, turns: 2), hold: [
            (region: Nodes([0, 1]), motion: Move(angular_velocity: (1, 0, 0), pivot: (0, 0, 0))),
            (region: Nodes([3, 4]), motion: Fixed)]",
            CONTACT,
        ),
        ("a closed rod without contact", RING.into(), rod, "contact: Off"),
        ("a rod through itself", loop_of(0.0), rod, CONTACT),
        (
            "a closed rod that is curved at rest",
            RING.into(),
            "kind: Rod(radius: 0.002, rest_shape: Shape)",
            CONTACT,
        ),
        (
            "rest curvature of few segments",
            CURVE.into(),
            "kind: Rod(radius: 0.002, rest_shape: Curved(curvature: 30))",
            CONTACT,
        ),
        (
            "turns of a rod that is curved at rest",
            CURVE.into(),
            "kind: Rod(radius: 0.002, turns: 1, rest_shape: Curved(curvature: 3))",
            CONTACT,
        ),
        (
            "a rod that yields",
            CURVE.into(),
            "material: \"lead\", kind: Rod(radius: 0.002)",
            CONTACT,
        ),
        ("a branch", "shape: File(\"branch.obj\")".into(), rod, CONTACT),
        ("a line of a point", "shape: File(\"short.obj\")".into(), rod, CONTACT),
        ("a vertex that is not there", "shape: File(\"missing.obj\")".into(), rod, CONTACT),
        ("faces", "shape: File(\"faces.obj\")".into(), rod, CONTACT),
        ("a piece of no length", "shape: File(\"twice.obj\")".into(), rod, CONTACT),
        (
            "lines as a shell",
            "shape: File(\"lines.obj\")".into(),
            "kind: Shell(thickness: 1e-3)",
            CONTACT,
        ),
    ];
    let message = cases.iter().map(|(what, shape, kind, contact)| {
        let said = verdict(&format!("{shape},\n        {kind}"), contact, folder.path());
        assert!(!said.is_empty(), "{what}");
        format!("# {what}\n{said}")
    });
    insta::assert_snapshot!(message.collect::<Vec<_>>().join("\n\n"));
    for good in [
        format!("{CURVE}, {rod}"),
        format!("{RING}, kind: Rod(radius: 0.002, turns: 1)"),
        format!("shape: File(\"lines.obj\"), {rod}"),
        format!("{CURVE}, kind: Rod(radius: 0.002, rest_shape: Shape)"),
        format!("{CURVE}, kind: Rod(radius: 0.002, rest_shape: Curved(curvature: 3, torsion: -2))"),
        format!(
            "{CURVE}, kind: Rod(radius: 0.002, turns: 1), hold: [(region: All, motion: Fixed)]"
        ),
    ] {
        assert_eq!(verdict(&good, CONTACT, folder.path()), "", "{good}");
    }
}
