//! What `sim check` says beyond what a run would refuse. The snapshots are meant to be read.

use crate::support::{Place, SCENE};

const BOX: &str = "shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2))";

fn changed(right: &str, wrong: &str) -> String {
    assert!(SCENE.contains(right), "{right}");
    SCENE.replace(right, wrong)
}

/// Three dice in a row, each in the next.
fn row() -> Place {
    Place::new(&changed(
        "friction: 0.4,\n        ),",
        "friction: 0.4,\n            repeat: Row(count: 3, step: (0.09, 0.02, 0.03)),\n        ),",
    ))
}

fn warned(scene: &str) -> String {
    let place = Place::new(scene);
    let output = place.sim(&["check", "scene.ron"]).exit(0);
    let run = place.sim(&["run", "scene.ron", "--steps", "0"]).exit(0);
    assert!(!run.stderr.contains("warning"), "a run is not told each time: {}", run.stderr);
    output.stderr
}

#[test]
fn a_body_nearer_than_d_hat() {
    insta::assert_snapshot!(warned(&changed("translate: (0, 0.06", "translate: (0, 0.0504")));
}

#[test]
fn a_body_inside_of_another() {
    let small = "friction: 0.4,\n        ),\n        (\n            name: \"seed\",\n            \
                 shape: Box(size: (0.02, 0.02, 0.02), cells: (2, 2, 2)),\n            \
                 material: \"rubber\",\n            placement: (translate: (0.01, 0.07, 0)),\n            friction: 0.4,\n        ),";
    let inside = changed("friction: 0.4,\n        ),", small);
    insta::assert_snapshot!(warned(&inside));
    // Beside it nothing is said.
    let beside = inside.replace("(0.01, 0.07, 0)", "(0.3, 0.07, 0)");
    assert_eq!(warned(&beside), "");
}

#[test]
fn an_obstacle_that_moves_and_begins_inside_of_a_body() {
    let ram = "obstacles: [\n        Shape(name: \"ram\", shape: Box(size: (0.02, 0.02, 0.02), cells: (1, 1, 1)), \
               placement: (translate: (0.01, 0.07, 0)), friction: 0.4, motion: Move(velocity: (1, 0, 0))),";
    let said = warned(&changed("obstacles: [", ram));
    assert!(said.contains("obstacles: \"ram\" begins inside the solid of \"die\""), "{said}");
}

/// The die has 27 nodes; the moving ram is a body of the world as well, but not one of the scene.
#[test]
fn moving_obstacles_do_not_count_as_bodies() {
    let ram = "obstacles: [\n        Shape(name: \"ram\", shape: Box(size: (0.02, 0.02, 0.02), cells: (1, 1, 1)), \
               placement: (translate: (1, 1, 0)), friction: 0.4, motion: Move(velocity: (1, 0, 0))),";
    let place = Place::new(&changed("obstacles: [", ram));
    let said = place.sim(&["check", "scene.ron"]).exit(0).stdout;
    assert!(said.contains("good; 1 body of 27 nodes and 48 tetrahedra"), "{said}");
}

#[test]
fn a_fixed_obstacle_inside_of_a_body() {
    let stone = "obstacles: [\n        Shape(name: \"stone\", shape: Box(size: (0.02, 0.02, 0.02), cells: (1, 1, 1)), \
                 placement: (translate: (0.01, 0.07, 0)), friction: 0.4),";
    let said = warned(&changed("obstacles: [", stone));
    assert!(said.contains("obstacles: \"stone\" begins inside the solid of \"die\""), "{said}");
}

#[test]
fn a_body_inside_of_an_obstacle_with_and_without_motion() {
    for motion in ["", ", motion: Fixed"] {
        let hall = |shape: &str| {
            let hall = format!(
                "obstacles: [\n        Shape(name: \"hall\", shape: {shape}, friction: 0.4{motion}),"
            );
            warned(&changed("obstacles: [", &hall))
        };
        let said = hall("Box(size: (1, 1, 1), cells: (1, 1, 1))");
        assert!(said.contains("\"die\" begins inside the solid of \"hall\""), "{said}");
        assert!(said.contains("container"), "{said}");
        // An open surface has no inside.
        let said = hall("Sheet(size: (1, 1), cells: (1, 1))");
        assert!(!said.contains("begins inside"), "{said}");
    }
}

#[test]
fn copies_inside_of_an_obstacle_share_a_warning() {
    let row = changed(
        "friction: 0.4,\n        ),",
        "friction: 0.4,\n            repeat: Row(count: 3, step: (0.12, 0, 0)),\n        ),",
    );
    let hall = "obstacles: [\n        Shape(name: \"hall\", shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), friction: 0.4),";
    let said = warned(&row.replace("obstacles: [", hall));
    let message = "\"die[0]\" and 2 more copies begin inside the solid of \"hall\"";
    assert!(said.contains(message), "{said}");
    assert_eq!(said.matches("inside the solid").count(), 1, "{said}");
}

#[test]
fn elements_that_overlap_without_sharing_a_node() {
    let place = Place::new(&changed(BOX, "shape: File(\"two.mesh\")"));
    let write = |shift: f64, size: f64| {
        let corner = |[x, y, z]: [f64; 3]| format!("{x} {y} {z} 0\n");
        let first = [[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
        let second = first.map(|corner| corner.map(|x| shift + size * x));
        let nodes = [first, second].concat().into_iter().map(corner).collect::<String>();
        place.write(
            "two.mesh",
            &format!("MeshVersionFormatted 2\nDimension 3\nVertices\n8\n{nodes}Tetrahedra\n2\n1 2 3 4 1\n5 6 7 8 1\nEnd\n"),
        );
        let output = place.sim(&["check", "scene.ron", "--set", "contact=Off"]);
        output.exit(0).stderr
    };
    let inside = write(0.01, 0.2);
    let place = "two elements of \"die\" overlap without sharing a node; deepest, by 2.8284e-2 m, are tetrahedra 0 and 1";
    assert!(inside.contains(place), "{inside}");
    assert!(write(0.02, 1.0).contains("overlap"));
    let beside = write(0.2, 1.0);
    assert!(!beside.contains("overlap"), "{beside}");
}

#[test]
fn a_solid_one_element_thick() {
    let thin = changed(BOX, "shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 3, 3))");
    insta::assert_snapshot!(warned(&thin));
    let quadratic = thin.replace("cells: (1, 3, 3))", "cells: (1, 3, 3)), elements: Quadratic");
    assert_eq!(warned(&quadratic), "");
}

/// Curved elements lock with nearly incompressible materials; straight ones hardly do.
#[test]
fn curved_elements_of_a_nearly_incompressible_material_are_warned_of() {
    let round = |elements: &str, poisson: &str| {
        let shape = format!(
            "shape: Cylinder(radius: 0.05, height: 0.1, rings: 2, layers: 2), elements: {elements}"
        );
        warned(&changed(BOX, &shape).replace("poisson: 0.3", &format!("poisson: {poisson}")))
    };
    let warning = round("Quadratic", "0.49");
    assert!(
        warning.contains("elements with curved edges, and its Poisson's ratio is 0.49"),
        "{warning}"
    );
    assert!(warning.contains("take `elements: StraightQuadratic`"), "{warning}");
    for (elements, poisson) in [("Quadratic", "0.45"), ("StraightQuadratic", "0.49")] {
        assert_eq!(round(elements, poisson), "", "{elements}, {poisson}");
    }
}

#[test]
fn a_step_that_is_long_for_the_speed() {
    insta::assert_snapshot!(warned(&changed("velocity: (0.5, 0, 0)", "velocity: (0, 0, 50)")));
}

#[test]
fn a_mesh_of_slivers_with_short_edges() {
    // Gmsh 2.2: a tetrahedron as flat as a leaf, one of whose edges is short.
    let place = Place::new(&changed(BOX, "shape: File(\"leaf.msh\")"));
    place.write(
        "leaf.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 0.1 0 0\n3 0 0 0.1\n\
         4 0.001 0.001 0.001\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 3 2 4\n$EndElements\n",
    );
    insta::assert_snapshot!(place.sim(&["check", "scene.ron"]).exit(0).stderr);
}

#[test]
fn triangles_that_intersect_are_written_in_each_format() {
    let place = row();
    assert_eq!(place.sim(&["check", "scene.ron", "-o", "x.msh"]).exit(2).stdout, "");
    let output = place.sim(&["check", "scene.ron", "-o", "x.vtu"]).exit(2);
    assert!(output.stderr.contains("in x.vtu"), "{}", output.stderr);
    assert!(!output.stderr.contains("nothing was written"), "{}", output.stderr);
    place.sim(&["check", "scene.ron", "-o", "x.obj"]).exit(2);
    place.sim(&["check", "scene.ron", "-o", "x.ply"]).exit(2);
    // Vertices at one place are one where an OBJ is read, which changes what is counted around them.
    let info = |file| {
        let output = place.sim(&["info", file]).exit(0).stdout;
        let same =
            output.lines().filter(|line| line.starts_with("  size") || line.starts_with("  area"));
        same.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(info("x.obj"), info("x.ply"));
    assert_eq!(info("x.obj").len(), 2);
    let triangles = place.read("x.obj").lines().filter(|line| line.starts_with("f ")).count();
    let grid = place.read_lossy("x.vtu");
    assert!(grid.contains(&format!("NumberOfCells=\"{triangles}\"")), "{triangles}");
    // The corner of the second die is in the first, and so on: 3 sides of each.
    assert!(triangles >= 12, "{triangles}");
}

#[test]
fn nothing_is_written_of_a_scene_without_intersections() {
    let place = Place::new(SCENE);
    place.sim(&["check", "scene.ron", "-o", "x.vtu"]).exit(0);
    assert!(!place.path("x.vtu").exists());
}

#[test]
fn everything_as_json() {
    let place = row();
    let said = place.sim(&["check", "scene.ron", "--json"]).exit(2);
    assert_eq!(said.stderr, "");
    insta::assert_snapshot!(said.stdout);
    let good = Place::new(SCENE).sim(&["check", "scene.ron", "--json"]).exit(0);
    for word in ["\"good\": true", "\"problems\": []", "\"crossings\": []", "\"name\": \"die\""] {
        assert!(good.stdout.contains(word), "{word}: {}", good.stdout);
    }
    let broken = Place::new("(version: 2,");
    let said = broken.sim(&["check", "scene.ron", "--json"]).exit(2);
    assert!(said.stdout.contains("\"good\": false") && said.stderr.is_empty(), "{said:?}");
}

#[test]
fn a_barrier_that_reaches_over_many_edges_has_too_many_pairs() {
    let fine = changed(BOX, "shape: Box(size: (0.1, 0.1, 0.1), cells: (6, 6, 6))");
    let message_of = |d_hat: &str| {
        let place = Place::new(&fine);
        place.sim(&["check", "scene.ron", "--set", d_hat]).exit(0).stderr
    };
    let (wide, narrow) = (message_of("contact.d_hat=0.04"), message_of("contact.d_hat=0.002"));
    assert!(wide.contains("contact.d_hat") && wide.contains("pairs of 1298 vertices"), "{wide}");
    assert!(!narrow.contains("pairs of"), "{narrow}");
}

/// A number in JSON of ours.
#[cfg(target_os = "linux")]
fn number(json: &str, name: &str) -> f64 {
    let found = json.split_once(&format!("\"{name}\":")).expect(name).1;
    let end = found.find([',', '\n', '}']).expect("something follows");
    found[..end].trim().parse().expect("it is a number")
}

/// The memory (bytes) that is predicted for so many copies of a cube that fall beside each other, and what two steps take.
#[cfg(target_os = "linux")]
fn memory_of_copies(copies: usize, cells: usize, kind: &str) -> [f64; 2] {
    let place = Place::new(&format!(
        r#"(
            version: 2,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
            bodies: [(name: "cube", shape: Box(size: (1, 1, 1), cells: ({cells}, {cells}, {cells})), kind: {kind},
                material: "m", friction: 0.4, repeat: Row(count: {copies}, step: (2, 0, 0), vary: [
                    Rotate(axis: (1, 0, 0), degrees: Linear(from: 5, to: 18944))]))],
            contact: Barrier(d_hat: 1e-2, kappa: 1e6, friction_rule: Min),
            gravity: (0, -9.81, 0),
            integrator: ImplicitEuler,
            time: (step: 0.01, duration: 0.02),
            output: (formats: []),
        )"#
    ));
    let check = place.sim(&["check", "scene.ron", "--json"]).exit(0).stdout;
    place.sim(&["run", "scene.ron", "-q", "--threads", "1"]).exit(0);
    let summary = place.read("out/scene/summary.json");
    [number(&check, "usual_memory_bytes"), number(&summary, "peak_memory_bytes")]
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_of_many_bodies_is_predicted_within_a_fifth() {
    for (copies, cells, kind) in [(6000, 1, "Affine"), (2000, 3, "Affine"), (300, 2, "Solid")] {
        let [predicted, taken] = memory_of_copies(copies, cells, kind);
        let ratio = predicted / taken;
        assert!((0.8..1.2).contains(&ratio), "{copies} of {cells} cells: {ratio} of {taken} bytes");
    }
}

/// Copies share what does not move, and islands are solved some at a time.
#[cfg(target_os = "linux")]
#[test]
fn a_further_copy_of_an_affine_cube_takes_at_most_8_kib() {
    // The allocator adds up to 3 MB at some numbers of copies.
    let [few, many] = [1000, 8000].map(|copies| memory_of_copies(copies, 1, "Affine")[1]);
    let bytes = (many - few) / 7000.0;
    assert!(bytes < 8192.0, "{bytes} bytes");
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_that_is_foretold_is_what_a_run_takes_within_a_factor_of_two() {
    for cells in ["(2, 2, 2)", "(16, 16, 16)", "(30, 30, 30)"] {
        let shape = format!("shape: Box(size: (0.1, 0.1, 0.1), cells: {cells})");
        let place = Place::new(&changed(BOX, &shape));
        let check = place.sim(&["check", "scene.ron", "--json"]).exit(0).stdout;
        place.sim(&["run", "scene.ron", "-q", "--steps", "2"]).exit(0);
        let taken = number(&place.read("out/scene/summary.json"), "peak_memory_bytes");
        let ratio = number(&check, "usual_memory_bytes") / taken;
        assert!((0.5..2.0).contains(&ratio), "{cells}: {ratio} of {taken} bytes");
    }
}

/// A triangulated square of this size (m) as an OBJ file.
fn square(size: f64) -> String {
    format!("v 0 0 0\nv {size} 0 0\nv {size} 0 {size}\nv 0 0 {size}\nf 1 3 2\nf 1 4 3\n")
}

#[test]
fn another_unit_and_another_axis_are_warned_of_with_the_remedy() {
    let message_of = |right: &str, wrong: &str| {
        assert!(SCENE.contains(right), "{right}");
        Place::new(&SCENE.replace(right, wrong)).sim(&["check", "scene.ron"]).exit(0).stderr
    };
    let rubber = "density: 1000, model: NeoHookean(young: 2e5";
    let message = message_of(rubber, "density: 7850, model: NeoHookean(young: 2.1e5");
    assert!(message.contains("that is steel with its modulus in MPa"), "{message}");
    assert!(message.contains("2.1e11"), "{message}");
    let message = message_of(rubber, "density: 6000, model: NeoHookean(young: 2e5");
    assert!(message.contains("nothing as dense is as soft"), "{message}");
    let message = message_of("gravity: (0, -9.81, 0)", "gravity: (0, 0, -9.81)");
    assert!(message.contains("plane \"floor\" faces y"), "{message}");
    assert!(message.contains("(0, -9.81, 0)"), "{message}");
    let message = message_of("duration: 0.2)", "duration: 0.2), output: (frame_rate: 50)");
    assert!(message.contains("2 or 3 steps apart") && message.contains("1/100"), "{message}");
    let as_meant = Place::new(SCENE).sim(&["check", "scene.ron"]).exit(0).stderr;
    for slip in ["steel", "dense", "faces y", "steps apart"] {
        assert!(!as_meant.contains(slip), "{as_meant}");
    }
}

#[test]
fn a_file_in_another_unit_than_the_rest_is_warned_of_with_the_scale() {
    let cape = "bodies: [
        (name: \"cape\", shape: File(\"cape.obj\"), kind: Shell(thickness: 1e-3), material: \"rubber\",
         friction: 0.4, placement: (translate: (0, 1, 0))),";
    let message_of = |size: f64| {
        let place = Place::new(&SCENE.replace("bodies: [", cape));
        place.write("cape.obj", &square(size));
        place.sim(&["run", "scene.ron", "--steps", "0"]).exit(0).stderr
    };
    let message = message_of(7.5);
    for word in ["\"cape\" is 7.5 m across", "\"die\"", "cape.obj", "scale: 0.01"] {
        assert!(message.contains(word), "{word}: {message}");
    }
    assert!(!message_of(0.5).contains("across"));
}
