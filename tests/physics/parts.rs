//! Parts of a mesh that its author named: materials of their own, and regions by name.

use super::Simulation;
use resile_assembly::build;
use resile_math::Vec3;
use resile_mesh::TetMesh;
use resile_mesh::generate::BoxGrid;
use resile_scene::description::Problem;
use resile_scene::text::SceneText;
use std::fmt::Write as _;
use std::path::Path;

/// A bar of a metre along x and 0.1 m across.
fn bar() -> TetMesh {
    BoxGrid { cells: [10, 2, 2], size: Vec3::new(1.0, 0.1, 0.1) }.build().expect("good numbers")
}

fn is_right(mesh: &TetMesh, tet: &[u32; 4]) -> bool {
    let x: f64 = tet.iter().map(|&node| mesh.positions[node as usize].x).sum();
    x > 0.0
}

/// As Gmsh writes it: volumes `soft` and `stiff`, and the face at the left end as `left`.
fn gmsh() -> String {
    let mesh = bar();
    let mut text =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"left\"\n3 2 \"soft\"\n\
                    3 3 \"stiff\"\n$EndPhysicalNames\n$Nodes\n"
            .to_owned();
    let _ = writeln!(text, "{}", mesh.positions.len());
    for (number, p) in (1..).zip(&mesh.positions) {
        let _ = writeln!(text, "{number} {} {} {}", p.x, p.y, p.z);
    }
    let faces = mesh.surface().triangles;
    let left = |face: &&[u32; 3]| face.iter().all(|&v| mesh.positions[v as usize].x < -0.499);
    let left: Vec<_> = faces.iter().filter(left).collect();
    let _ = writeln!(text, "$EndNodes\n$Elements\n{}", left.len() + mesh.tets.len());
    for (number, face) in (1..).zip(&left) {
        let [a, b, c] = face.map(|v| v + 1);
        let _ = writeln!(text, "{number} 2 2 1 1 {a} {b} {c}");
    }
    for (number, tet) in (1 + left.len()..).zip(&mesh.tets) {
        let group = if is_right(&mesh, tet) { 3 } else { 2 };
        let [a, b, c, d] = tet.map(|v| v + 1);
        let _ = writeln!(text, "{number} 4 2 {group} 1 {a} {b} {c} {d}");
    }
    text + "$EndElements\n"
}

/// As `meshio` writes it: a Young's modulus for each cell.
fn vtk() -> String {
    let mesh = bar();
    let mut text = format!(
        "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n",
        mesh.positions.len()
    );
    for p in &mesh.positions {
        let _ = writeln!(text, "{} {} {}", p.x, p.y, p.z);
    }
    let count = mesh.tets.len();
    let _ = writeln!(text, "CELLS {count} {}", 5 * count);
    for [a, b, c, d] in &mesh.tets {
        let _ = writeln!(text, "4 {a} {b} {c} {d}");
    }
    let _ = writeln!(text, "CELL_TYPES {count}\n{}", "10\n".repeat(count));
    let _ = writeln!(text, "CELL_DATA {count}\nSCALARS young double 1\nLOOKUP_TABLE default");
    let young = |tet| if is_right(&mesh, tet) { "4e6\n" } else { "1e6\n" };
    text + &mesh.tets.iter().map(young).collect::<String>()
}

/// The bar in a folder of its own, pulled at its right end by a newton.
fn pulled(file: &str, content: &str, body: &str) -> Result<Simulation, Vec<Problem>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join(file), content).expect("the folder can be written");
    let text = format!(
        r#"(
            version: 1,
            materials: {{
                "soft": (density: 1000, model: StVK(young: 1e6, poisson: 0)),
                "stiff": (density: 3000, model: NeoHookean(young: 4e6, poisson: 0)),
                "hard": (density: 1000, model: StVK(young: 4e6, poisson: 0)),
                "lead": (
                    density: 3000,
                    model: Hencky(young: 4e6, poisson: 0),
                    plasticity: VonMises(yield_stress: 50, hardening: 4e6),
                ),
            }},
            bodies: [(
                name: "bar",
                shape: File("{file}"),
                {body}
                terms: [Force(force: (1, 0, 0), region: Plane(point: (0.5, 0, 0), normal: (1, 0, 0)))],
            )],
            gravity: (0, 0, 0),
            integrator: ImplicitEuler,
            time: (step: 10, duration: 100),
            solver: (tolerance: 1e-10),
        )"#
    );
    let scene =
        SceneText::new("test.ron", text).load().unwrap_or_else(|e| panic!("{}", e[0])).scene;
    let built = build(&scene, Path::new(folder.path()))?;
    Ok(Simulation { world: built.world, step: scene.time.step, steps: 0 })
}

/// Compliances of a series add: `F l / A (1/E_1 + 1/E_2)`, l half the length.
fn expect_elongation(simulation: &mut Simulation) {
    expect_elongations(simulation, [1e6, 4e6].map(|young| 0.5 / 0.01 / young));
}

/// How much longer both halves become (m). Means of sections before the right end,
/// since a force spread by masses does not pull evenly there.
fn expect_elongations(simulation: &mut Simulation, [left, right]: [f64; 2]) {
    let rest = simulation.world.state(0).positions.clone();
    (0..10).for_each(|_| drop(simulation.advance()));
    let now = &simulation.world.state(0).positions;
    let of = |at: f64| {
        let own = (0..rest.len()).filter(|&n| (rest[n].x - at).abs() < 1e-9);
        let moved: Vec<f64> = own.map(|n| now[n].x - rest[n].x).collect();
        moved.iter().sum::<f64>() / moved.len() as f64
    };
    assert!((of(0.0) / left - 1.0).abs() < 2e-3, "{} for {left}", of(0.0));
    let (all, expected) = (of(0.4), left + 0.8 * right);
    assert!((all / expected - 1.0).abs() < 2e-3, "{all} for {expected}");
}

const HELD: &str = "hold: [(region: Group(\"left\"), motion: Fixed)],";

#[test]
fn two_material_bar_stretches_by_its_compliances() {
    for elements in ["Linear", "Quadratic"] {
        let body = format!(
            "material: \"soft\", group_materials: {{\"stiff\": \"stiff\"}}, elements: {elements}, {HELD}"
        );
        let mut simulation = pulled("bar.msh", &gmsh(), &body).expect("it is a good scene");
        let mass = simulation.world.mass();
        assert!((mass - 20.0).abs() < 1e-12, "{mass}");
        // Of 5 kg at -1/4 and 15 kg at 1/4.
        let center = simulation.com();
        assert!((center - Vec3::new(0.125, 0.0, 0.0)).length() < 1e-12, "{center}");
        expect_elongation(&mut simulation);
    }
}

/// A uniform strain of 0.1 % is a stress of 1 kPa in one half and of 4 kPa in the other, at the nodes between both, too; also
/// where both materials have one law.
#[test]
fn stress_at_nodes_is_not_averaged_between_materials() {
    for (stiff, elements) in [("stiff", "Linear"), ("hard", "Linear"), ("hard", "Quadratic")] {
        let body = format!(
            "material: \"soft\", group_materials: {{\"stiff\": \"{stiff}\"}}, elements: {elements}, {HELD}"
        );
        let mut simulation = pulled("bar.msh", &gmsh(), &body).expect("it is a good scene");
        let mut state = simulation.world.state(0).clone();
        state.positions.iter_mut().for_each(|x| x.x *= 1.001);
        let middle = state.positions.iter().position(|x| x.x.abs() < 1e-9).expect("a node");
        simulation.world.set_state(0, state);
        let stresses = simulation.world.stresses(0);
        let mut found: Vec<f64> =
            (stresses.iter()).filter_map(|stress| Some(stress.cauchy(middle)?.x_axis.x)).collect();
        found.sort_by(f64::total_cmp);
        assert_eq!(found.len(), 2, "{stiff}, {elements}: {found:?}");
        assert!((found[0] / 1e3 - 1.0).abs() < 5e-3, "{found:?}");
        assert!((found[1] / 4e3 - 1.0).abs() < 5e-3, "{found:?}");
    }
}

/// The stress is 100 Pa in both halves, twice what the right one yields at, which hardens with its Young's modulus.
#[test]
fn yielding_part_of_a_bar_stays_elongated() {
    let body = format!("material: \"soft\", group_materials: {{\"stiff\": \"lead\"}}, {HELD}");
    let mut simulation = pulled("bar.msh", &gmsh(), &body).expect("it is a good scene");
    let (stress, yield_stress, young) = (100.0, 50.0, 4e6);
    let plastic = (stress - yield_stress) / young;
    let halves = [stress / 1e6, stress / young + plastic].map(|strain| 0.5 * strain);
    let rest = simulation.world.state(0).positions.clone();
    expect_elongations(&mut simulation, halves);
    let told = simulation.world.stress(0);
    let within = |low: f64, high: f64| {
        let place = rest.iter().enumerate().filter(move |(_, p)| low < p.x && p.x < high);
        place.map(|(node, _)| node)
    };
    for node in within(-0.45, -0.05) {
        assert_eq!(told.plastic_strain(node).unwrap_or(0.0), 0.0);
    }
    // Corners and middles of a section differ by the coarseness of the mesh.
    let strains: Vec<f64> = within(0.15, 0.35)
        .map(|node| told.plastic_strain(node).expect("its elements yield"))
        .collect();
    let mean = strains.iter().sum::<f64>() / strains.len() as f64;
    assert!((mean / plastic - 1.0).abs() < 2e-2, "{mean} for {plastic}");
}

#[test]
fn young_moduli_may_come_from_cell_data() {
    let held = "hold: [(region: Plane(point: (-0.5, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],";
    let body = format!("material: \"soft\", young_field: \"young\", {held}");
    expect_elongation(&mut pulled("bar.vtk", &vtk(), &body).expect("it is a good scene"));
}

#[test]
fn held_group_fixes_exactly_its_nodes() {
    let body = format!("material: \"soft\", {HELD}");
    let mut simulation = pulled("bar.msh", &gmsh(), &body).expect("it is a good scene");
    let rest = simulation.world.state(0).positions.clone();
    (0..3).for_each(|_| drop(simulation.advance()));
    let now = &simulation.world.state(0).positions;
    for (before, after) in rest.iter().zip(now) {
        assert_eq!(before.x < -0.499, before == after, "{before} to {after}");
    }
}

#[test]
fn unknown_group_names_are_rejected_with_the_existing_ones() {
    let cases = [
        (
            "material: \"soft\", hold: [(region: Group(\"lift\"), motion: Fixed)],",
            "no group \"lift\"",
            "\"left\", \"soft\", \"stiff\"",
        ),
        (
            "material: \"soft\", group_materials: {\"hard\": \"stiff\"},",
            "no group \"hard\"",
            "\"left\", \"soft\", \"stiff\"",
        ),
        (
            "material: \"soft\", group_materials: {\"left\": \"stiff\"},",
            "\"left\" has no tetrahedra",
            "another",
        ),
        ("material: \"soft\", young_field: \"E\",", "no data \"E\"", "data of cells"),
    ];
    for (body, message, help) in cases {
        let problems = pulled("bar.msh", &gmsh(), body).err().expect("the name is wrong");
        let told = |p: &Problem| p.message.contains(message) && p.help.contains(help);
        assert!(problems.iter().any(told), "{problems:?}");
    }
}
