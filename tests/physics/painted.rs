//! Maps that a mesh file paints on its vertices: mass, stiffness, weights of pins.

use super::Simulation;
use super::settle::settle;
use resile_assembly::build;
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_mesh::generate::{BoxGrid, Sheet};
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
fn painted_stiffness_acts_as_springs_in_series() {
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
fn painted_mass_moves_the_centre_of_mass() {
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
fn invalid_maps_are_rejected() {
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

/// An OBJ file of a straight rod of 1 m along x whose vertices are red as `red` says.
fn coloured_rod(red: impl Fn(f64) -> f64) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut text = String::from("v 9 9 9 0 0 0\n");
    for i in 0..=40 {
        let x = f64::from(i) / 40.0;
        writeln!(text, "v {x} 0 0 {} 0 0", red(x)).expect("text");
    }
    let numbers: Vec<String> = (2..=42).map(|i| i.to_string()).collect();
    writeln!(text, "l {}", numbers.join(" ")).expect("text");
    let path = folder.path().join("rod.obj");
    std::fs::write(&path, text).expect("it is written");
    (folder, path.display().to_string())
}

fn rod(file: &str, body: &str) -> Simulation {
    let text = scene(file, body, 0.0)
        .replace("Shell(thickness: 1e-3, bending: Off)", "Rod(radius: 0.01)")
        .replace("young: 1e5", "young: 1e7");
    Simulation::new(&text)
}

/// A rod whose stiffness grows from 1 to 4 times, drawn by F, becomes longer by `F / (E A) ln 4 / 3`. As a cantilever
/// under a load at its end it sinks by `F / (E I) int (1 - x)^2 / (1 + 3 x) dx`.
#[test]
fn rod_with_painted_stiffness_follows_beam_theory() {
    let (_folder, file) = coloured_rod(|x| x);
    let section = std::f64::consts::PI * 1e-4;
    let bent = |force: &str| {
        let body = format!(
            "stiffness_map: (data: \"red\", at_zero: 1, at_one: 4), \
             hold: [(region: Nodes([1, 2]), motion: Fixed)], \
             terms: [Force(force: {force}, region: Nodes([41]))]"
        );
        let mut rod = rod(&file, &body);
        settle(&mut rod).unwrap_or_else(|failure| panic!("{failure}"));
        rod.world.state(0).positions[40] - Vec3::X
    };
    // The first segment is held.
    let stretched = bent("(1, 0, 0)").x;
    let expected = 1.0 / (1e7 * section) * (4.0 / (1.0 + 3.0 / 40.0_f64)).ln() / 3.0;
    assert!((stretched / expected - 1.0).abs() < 3e-3, "{stretched}, not {expected} m");
    let force = 1e-3;
    let sunk = -bent(&format!("(0, -{force}, 0)")).y;
    let inertia = 0.25 * section * 1e-4;
    let clamp = 1.0 / 80.0;
    let pieces = 10_000;
    let compliance = |k: usize| {
        let x = clamp + (k as f64 + 0.5) / pieces as f64 * (1.0 - clamp);
        (1.0 - x).powi(2) / (1.0 + 3.0 * x)
    };
    let integral = (0..pieces).map(compliance).sum::<f64>() * (1.0 - clamp) / pieces as f64;
    let expected = force / (1e7 * inertia) * integral;
    assert!((sunk / expected - 1.0).abs() < 1e-2, "{sunk}, not {expected} m");
}

/// Masses from 1 to 3 times along a rod; the colour of a vertex that no line uses does not matter.
#[test]
fn painted_mass_of_a_rod_moves_its_centre() {
    let (_folder, file) = coloured_rod(|x| x);
    let plain = rod(&file, "");
    let painted = rod(&file, "mass_map: (data: \"red\", at_zero: 1, at_one: 3)");
    assert!((painted.world.mass() / plain.world.mass() - 2.0).abs() < 1e-12);
    let expected = 0.5 + 1.0 / 12.0;
    assert!((painted.com().x - expected).abs() < 1e-3, "{}", painted.com());
}

/// A box that is filled has the red of its surface, which is `x + 1/2`: twice as heavy in all, and its centre between that of the
/// closest points of the surface.
#[test]
fn filled_surface_inherits_vertex_maps() {
    let solid = BoxGrid { cells: [8, 8, 8], size: Vec3::ONE }.build().expect("a box");
    let triangles = solid.surface().triangles;
    let surface = TriMesh { positions: solid.positions, triangles };
    let (_folder, file) = coloured(&surface, |p| p.x + 0.5);
    let filled = |body: &str| {
        let text = scene(&file, body, 0.0)
            .replace("Shell(thickness: 1e-3, bending: Off)", "Solid")
            .replace(
                &format!("File(\"{file}\")"),
                &format!("Fill(file: \"{file}\", resolution: Tets(2000))"),
            );
        Simulation::new(&text)
    };
    let plain = filled("");
    let painted = filled("mass_map: (data: \"red\", at_zero: 1, at_one: 3)");
    let ratio = painted.world.mass() / plain.world.mass();
    assert!((ratio - 2.0).abs() < 0.02, "{ratio}");
    // On the axis of x the closest point is on a face at the side of the node.
    let masses = [&plain, &painted].map(|world| world.world.masses(0).to_vec());
    for (i, p) in plain.world.state(0).positions.iter().enumerate() {
        let factor = masses[1][i] / masses[0][i];
        let depth = |c: f64| 0.5 - c.abs();
        let across = depth(p.y).min(depth(p.z));
        if across < depth(p.x) - 1e-6 {
            let expected = 1.0 + 2.0 * (p.x + 0.5);
            assert!((factor - expected).abs() < 1e-9, "{p}: {factor}, not {expected}");
        }
    }
    let mut stiff = filled(
        "stiffness_map: (data: \"red\", at_zero: 1, at_one: 2), \
         attach: [(region: All, stiffness: 10, weight_map: (data: \"red\"), motion: Fixed)]",
    );
    drop(stiff.advance());
}
