//! Maps that a mesh file paints on its vertices: mass, stiffness, weights of pins.

use super::Simulation;
use super::settle::settle;
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_mesh::generate::Sheet;
use resile_scene::assemble::build;
use resile_scene::text::SceneText;
use std::fmt::Write as _;
use std::path::Path;
use tempfile::TempDir;

/// An OBJ file of a mesh whose vertices are red as `red` says.
fn coloured(mesh: &TriMesh, red: impl Fn(Vec3) -> f64) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut text = String::new();
    for p in &mesh.positions {
        writeln!(text, "v {} {} {} {} 0 0", p.x, p.y, p.z, red(*p)).expect("text");
    }
    for t in &mesh.triangles {
        writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).expect("text");
    }
    let path = folder.path().join("painted.obj");
    std::fs::write(&path, text).expect("it is written");
    (folder, path.display().to_string())
}

/// A strip of 1 m along x.
fn strip() -> TriMesh {
    Sheet { size: [1.0, 0.1], cells: [40, 4] }.build().expect("a sheet")
}

fn scene(file: &str, body: &str, gravity: f64) -> String {
    format!(
        r#"(
            version: 1,
            materials: {{ "cloth": (density: 1000, model: StVK(young: 1e5, poisson: 0)) }},
            bodies: [(
                name: "strip",
                shape: File("{file}"),
                kind: Shell(thickness: 1e-3, bending: Off),
                material: "cloth",
                {body}
            )],
            gravity: (0, -{gravity}, 0),
            integrator: ImplicitEuler,
            time: (step: "1/60", duration: 1),
            solver: (tolerance: 1e-10),
        )"#
    )
}

/// A strip whose stiffness grows from 1 to 4 times along it, drawn by the force F: it becomes longer by
/// `F / (E t w) int dx / (1 + 3 x) = F / (E t w) ln 4 / 3`.
#[test]
fn a_strip_with_painted_stiffness_stretches_as_springs_in_a_row() {
    let (_folder, file) = coloured(&strip(), |p| p.x + 0.5);
    let body = "stiffness_map: (data: \"red\", at_zero: 1, at_one: 4), \
        hold: [(region: Painted(data: \"red\", least: 1), motion: Fixed)], \
        terms: [Force(force: (-0.01, 0, 0), region: Plane(point: (-0.5, 0, 0), normal: (-1, 0, 0)))]";
    let mut strip = Simulation::new(&scene(&file, body, 0.0));
    settle(&mut strip).unwrap_or_else(|failure| panic!("{failure}"));
    let x = &strip.world.state(0).positions;
    let masses = strip.world.masses(0);
    let end: Vec<usize> = (0..x.len()).filter(|&i| x[i].x < -0.49).collect();
    let [sum, moment] = [|_: f64| 1.0, |x: f64| x]
        .map(|of: fn(f64) -> f64| end.iter().map(|&i| masses[i] * of(x[i].x)).sum::<f64>());
    // Where the force, which is spread by mass, has moved what it draws at.
    let longer = -0.5 - moment / sum;
    let expected = 0.01 / (1e5 * 1e-3 * 0.1) * 4.0_f64.ln() / 3.0;
    assert!((longer / expected - 1.0).abs() < 3e-3, "{longer}, not {expected} m");
    let held = x.iter().filter(|x| x.x == 0.5).count();
    assert!(held >= 5, "what is painted is held: {held}");
}

/// Masses from 1 to 3 times: twice as heavy in all, and its centre where the sum over nodes has it, `1/12 + h^2 / 6` for cells of
/// the length h.
#[test]
fn painted_mass_is_where_it_is_painted() {
    let (_folder, file) = coloured(&strip(), |p| p.x + 0.5);
    let plain = Simulation::new(&scene(&file, "", 0.0));
    let painted =
        Simulation::new(&scene(&file, "mass_map: (data: \"red\", at_zero: 1, at_one: 3)", 0.0));
    assert!((painted.world.mass() / plain.world.mass() - 2.0).abs() < 1e-12);
    let expected = 1.0 / 12.0 + 1.0 / (6.0 * 40.0 * 40.0);
    assert!((painted.com().x - expected).abs() < 1e-12, "{}", painted.com());
}

/// Each corner of a triangle hangs by a spring of its own weight: `m g / (k w)`. Where the weight is zero there is none.
#[test]
fn pins_are_as_stiff_as_their_painted_weight() {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.0, 0.0, 1.0)];
    let triangle = TriMesh { positions, triangles: vec![[0, 2, 1]] };
    let (_folder, file) = coloured(&triangle, |p| 1.0 - 0.5 * p.x - 0.75 * p.z);
    let limp =
        "attach: [(region: All, stiffness: 1000, weight_map: (data: \"red\"), motion: Fixed)]";
    let text = scene(&file, limp, 9.81).replace("young: 1e5", "young: 1e-6");
    let mut cloth = Simulation::new(&text);
    settle(&mut cloth).unwrap_or_else(|failure| panic!("{failure}"));
    let mass = cloth.world.mass() / 3.0;
    for (node, weight) in [1.0, 0.5, 0.25].into_iter().enumerate() {
        let sunk = -cloth.world.state(0).positions[node].y;
        let expected = mass * 9.81 / (1000.0 * weight);
        assert!((sunk / expected - 1.0).abs() < 1e-4, "{node}: {sunk}, not {expected} m");
    }
    let (_folder, file) = coloured(&triangle, |p| p.x);
    let mut half = Simulation::new(&scene(&file, limp, 9.81));
    (0..6).for_each(|_| drop(half.advance()));
    let x = &half.world.state(0).positions;
    assert!(x[0].y < -0.03 && x[1].y > -0.01, "only one corner is pinned: {x:?}");
}

/// What is said of a map that cannot be.
#[test]
fn maps_that_cannot_be_are_told() {
    let (_folder, file) = coloured(&strip(), |p| p.x + 0.5);
    let said = |body: &str| {
        let text = SceneText::new("test.ron", scene(&file, body, 0.0));
        let scene = text.load().unwrap_or_else(|errors| panic!("{}", errors[0])).scene;
        let problems = build(&scene, Path::new(".")).expect_err("it is refused");
        format!("{}: {} ({})", problems[0].path, problems[0].message, problems[0].help)
    };
    for (body, path, what, help) in [
        (
            "mass_map: (data: \"rde\")",
            "bodies[0].mass_map.data",
            "has no data \"rde\"",
            "did you mean \"red\"?",
        ),
        (
            "stiffness_map: (data: \"weight\")",
            "bodies[0].stiffness_map.data",
            "\"weight\"",
            "there are \"blue\", \"green\", \"red\"",
        ),
        (
            "mass_map: (data: \"red\")",
            "bodies[0].mass_map",
            "the factor of node 0 would be 0, where \"red\" is 0",
            "raise `at_zero`",
        ),
        (
            "attach: [(region: All, stiffness: 1, motion: Fixed, weight_map: (data: \"red\", at_zero: -1))]",
            "bodies[0].attach[0].weight_map",
            "the weight of node 0 would be -1",
            "zero or positive",
        ),
        (
            "hold: [(region: Painted(data: \"red\", least: 2), motion: Fixed)]",
            "bodies[0].hold[0].region",
            "the region holds no node of the body",
            "",
        ),
    ] {
        let said = said(body);
        assert!(said.starts_with(path) && said.contains(what) && said.contains(help), "{said}");
    }
    let text = scene(&file, "mass_map: (data: \"red\")", 0.0);
    let text = text.replace(&format!("File(\"{file}\")"), "Sheet(size: (1, 1), cells: (2, 2))");
    let errors = SceneText::new("test.ron", text).load().expect_err("no file");
    assert!(
        errors[0].to_string().contains("no vertices that a file says something of"),
        "{}",
        errors[0]
    );
}
