//! Shells of several thicknesses and of layers.

use super::Simulation;
use super::settle::settle;
use resile_assembly::build;
use resile_mesh::TriMesh;
use resile_mesh::generate::Sheet;
use resile_scene::text::SceneText;
use std::fmt::Write as _;
use std::path::Path;
use tempfile::TempDir;

/// An OBJ file of a strip of 1 m along x, whose vertices are red where x is, with groups "left" and "right".
fn strip() -> (TempDir, String) {
    let mesh: TriMesh = Sheet { size: [1.0, 0.1], cells: [40, 4] }.build().expect("a sheet");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut text = String::new();
    for p in &mesh.positions {
        writeln!(text, "v {} {} {} {} 0 0", p.x, p.y, p.z, p.x + 0.5).expect("text");
    }
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        writeln!(text, "g {name}").expect("text");
        for t in &mesh.triangles {
            let middle: f64 = t.iter().map(|&node| mesh.positions[node as usize].x).sum();
            if middle * side > 0.0 {
                writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).expect("text");
            }
        }
    }
    let path = folder.path().join("strip.obj");
    std::fs::write(&path, text).expect("it is written");
    (folder, path.display().to_string())
}

fn scene(file: &str, kind: &str, body: &str) -> String {
    format!(
        r#"(
            version: 1,
            materials: {{
                "m": (density: 1000, model: StVK(young: 1e9, poisson: 0)),
                "foam": (density: 100, model: StVK(young: 1e6, poisson: 0)),
            }},
            bodies: [(
                name: "strip",
                shape: File("{file}"),
                kind: Shell({kind}),
                material: "m",
                {body}
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: "1/60", duration: 1),
            solver: (tolerance: 1e-9),
        )"#
    )
}

const CLAMP: &str =
    "hold: [(region: Plane(point: (-0.4749, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],";

/// How far the free end of a strip that is clamped at the other one goes under a force along y or x (m).
fn moved(kind: &str, body: &str, force: [f64; 2]) -> f64 {
    let (_folder, file) = strip();
    let [x, y] = force;
    let end = "region: Plane(point: (0.4999, 0, 0), normal: (1, 0, 0))";
    let load = format!("{CLAMP} terms: [Force(force: ({x}, {y}, 0), {end})], {body}");
    let mut strip = Simulation::new(&scene(&file, kind, &load));
    let start = strip.world.state(0).positions.clone();
    settle(&mut strip).unwrap_or_else(|failure| panic!("{failure}"));
    let now = &strip.world.state(0).positions;
    let end: Vec<usize> = (0..now.len()).filter(|&i| start[i].x > 0.4999).collect();
    let along = |i: usize| if x == 0.0 { now[i].y - start[i].y } else { now[i].x - start[i].x };
    end.iter().map(|&i| along(i)).sum::<f64>() / end.len() as f64
}

/// Twice as thick, a strip stretches by a half and bends by an eighth, whether by its kind, a map or groups, and is twice as heavy.
#[test]
fn a_strip_of_twice_the_thickness_is_twice_as_stiff_and_eight_times_in_bending() {
    let thick = [
        ("thickness: 2e-3", ""),
        ("thickness: 1e-3", "thickness_map: (data: \"red\", at_zero: 2, at_one: 2),"),
        (
            "thickness: 1e-3",
            "group_thickness: [(group: \"left\", thickness: 2e-3), (group: \"right\", thickness: 2e-3)],",
        ),
        ("thickness: 2e-3, bending_model: Hinges", ""),
        (
            "thickness: 1e-3, bending_model: Hinges",
            "thickness_map: (data: \"red\", at_zero: 2, at_one: 2),",
        ),
    ];
    let (_folder, file) = strip();
    let mass = |kind: &str, body: &str| Simulation::new(&scene(&file, kind, body)).world.mass();
    for (kind, body) in thick {
        let hinges = if kind.contains("Hinges") { ", bending_model: Hinges" } else { "" };
        let thin = format!("thickness: 1e-3{hinges}");
        for (force, ratio) in [([10.0, 0.0], 2.0), ([0.0, 1e-5], 8.0)] {
            let [a, b] =
                [(&thin[..], ""), (kind, body)].map(|(kind, body)| moved(kind, body, force));
            assert!((a / b / ratio - 1.0).abs() < 1e-3, "{kind}, {body}: {a} m, {b} m");
        }
        assert!((mass(kind, body) / mass(&thin, "") - 2.0).abs() < 1e-12, "{kind}, {body}");
    }
}

/// The right half twice as thick: `F l (1 + 1/2) / (2 E t w)`, and the mass of one and a half.
#[test]
fn a_half_of_twice_the_thickness_stretches_by_half() {
    let body = "group_thickness: [(group: \"right\", thickness: 2e-3)],";
    let [plain, half] = ["", body].map(|body| moved("thickness: 1e-3", body, [10.0, 0.0]));
    // Without the clamped first row.
    let expected = (0.475 + 0.5 / 2.0) / 0.975;
    assert!((half / plain / expected - 1.0).abs() < 5e-3, "{half} m for {expected} of {plain} m");
    let (_folder, file) = strip();
    let heavy = Simulation::new(&scene(&file, "thickness: 1e-3", body)).world.mass();
    assert!((heavy / 0.15 - 1.0).abs() < 1e-12, "{heavy} kg");
}

/// Faces of 0.2 mm on a foam core of 1.6 mm: faces alone stretch, and bend as those of a sheet of 2 mm without its core.
#[test]
fn a_sandwich_is_light_and_stiff() {
    let layers = "layers: [(material: \"m\", thickness: 2e-4), (material: \"foam\", thickness: 1.6e-3), \
                  (material: \"m\", thickness: 2e-4)],";
    let one = ["thickness: 2e-3", "thickness: 2e-3"];
    let of = |force: [f64; 2]| {
        let [solid, sandwich] = [("", one[0]), (layers, one[1])].map(|(b, k)| moved(k, b, force));
        solid / sandwich
    };
    let (young, t) = ([1e9, 1e6], [4e-4, 1.6e-3]);
    let stretching = (young[0] * t[0] + young[1] * t[1]) / (young[0] * 2e-3);
    assert!((of([10.0, 0.0]) / stretching - 1.0).abs() < 2e-3);
    let core = 0.8_f64.powi(3);
    let bending = 1.0 - core + core * young[1] / young[0];
    assert!((of([0.0, 1e-5]) / bending - 1.0).abs() < 2e-3);
    let (_folder, file) = strip();
    let mass = Simulation::new(&scene(&file, one[0], layers)).world.mass();
    assert!((mass / (0.1 * (1000.0 * 4e-4 + 100.0 * 1.6e-3)) - 1.0).abs() < 1e-12, "{mass} kg");
}

#[test]
fn invalid_sections_are_rejected_with_a_message() {
    let (_folder, file) = strip();
    let said = |body: &str| {
        let text = SceneText::new("test.ron", scene(&file, "thickness: 1e-3", body));
        match text.load() {
            Err(problems) => problems[0].to_string(),
            Ok(loaded) => match build(&loaded.scene, Path::new(".")) {
                Err(problems) => format!("{}: {}", problems[0].path, problems[0].message),
                Ok(_) => "nothing".to_owned(),
            },
        }
    };
    let half = "(material: \"m\", thickness: 5e-4)";
    for (body, what) in [
        (format!("layers: [{half}, (material: \"foam\", thickness: 5e-4)],"), "not symmetric"),
        (format!("layers: [{half}],"), "do not add up"),
        ("layers: [(material: \"tin\", thickness: 1e-3)],".to_owned(), "\"tin\""),
        ("group_thickness: [(group: \"rihgt\", thickness: 1e-3)],".to_owned(), "\"rihgt\""),
        ("thickness_map: (data: \"red\", at_zero: 0, at_one: 1),".to_owned(), "the factor of node"),
        (
            "group_thickness: [(group: \"left\", thickness: 1e-3)], thickness_map: (data: \"red\"),"
                .to_owned(),
            "by vertex and by group",
        ),
    ] {
        let said = said(&body);
        assert!(said.contains(what), "{body}: {said}");
    }
}
