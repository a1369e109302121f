//! Scenes in millimetres and in centimetres are the scenes in metres.

use super::files::scenes;
use resile_assembly::estimate::Estimate;
use resile_assembly::{Built, build};
use resile_math::Vec3;
use resile_scene::description::{Contact, Scene, Units};
use resile_scene::text::{Diagnostic, SceneText};
use resile_world::World;
use std::path::Path;

/// Something of everything whose unit is not plain: springs of both laws, a polynomial, Ogden's pairs, what varies.
const METRES: &str = r#"(
    version: 1,
    materials: {
        "steel": (density: 7850, model: StVK(young: 2.1e11, poisson: 0.3), damping: [EtherDrag(coefficient: 0.2)]),
        "rubber": (density: 1100, model: Ogden(first: (6.3e5, 1.3), second: (1.2e3, 5), bulk: 1e8)),
    },
    bodies: [
        (
            name: "rows", shape: Box(size: (0.1, 0.02, 0.03), cells: (2, 1, 1)), material: "steel", friction: 0.3,
            placement: (translate: (0, 0.5, 0)), velocity: (0, -0.25, 0), angular_velocity: (0, 0, 2),
            hold: [(region: Plane(point: (0, 0, -0.01), normal: (0, 0, -1)), motion: Move(velocity: (0, 0, 0.01)))],
            terms: [
                Polynomial(axis: Y, coefficients: [1, 0.5, 30]),
                Force(force: (0, 0, 12)),
                SurfacePressure(pressure: 2e4, factor: Table(points: [(0, 0), (0.5, 1)])),
            ],
            repeat: Row(count: 3, step: (0.2, 0, 0), vary: [
                Young(Linear(from: 2e11, to: 1e11)),
                Translate(along: (0, 1, 0), distance: List([0, 0.05, 0.125])),
                Velocity(along: (1, 0, 0), speed: Power(from: 0.1, to: 0.4, exponent: 2)),
            ]),
        ),
        (
            name: "rubber", shape: Ball(radius: 0.03, layers: 2), material: "rubber", friction: 0.3,
            placement: (translate: (0, 1, 0)),
            velocity_field: Ramp(point: (0, 1, 0), normal: (0, 1, 0), velocity: (0.5, 0, 0)),
        ),
        (
            name: "cloth", shape: Sheet(size: (0.2, 0.2), cells: (2, 2)), friction: 0.3,
            kind: Springs(area_density: 0.2, structural: 500, shear: 20, bending: 3, law: Hooke),
            placement: (translate: (0, 1.5, 0)),
        ),
        (
            name: "beads", shape: Line(from: (0, 2, 0), to: (0.3, 2, 0), nodes: 4, mass: 0.04),
            terms: [Springs(stiffness: 4e4, rest: 0.09, law: StVK)],
        ),
    ],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, -0.1, 0), normal: (0, 1, 0), friction: 0.4)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e6, friction_rule: Mean),
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: 0.5),
    solver: (tolerance: 0.002),
)"#;

/// Written by hand, as are those in centimetres: no unit of the program is in them.
const MILLIMETRES: [(&str, &str); 30] = [
    ("version: 1,", "version: 1, units: Millimetres,"),
    ("density: 7850", "density: 7.85e-9"),
    ("young: 2.1e11", "young: 210000"),
    ("coefficient: 0.2", "coefficient: 2e-4"),
    ("density: 1100", "density: 1.1e-9"),
    (
        "first: (6.3e5, 1.3), second: (1.2e3, 5), bulk: 1e8",
        "first: (0.63, 1.3), second: (0.0012, 5), bulk: 100",
    ),
    ("size: (0.1, 0.02, 0.03)", "size: (100, 20, 30)"),
    ("translate: (0, 0.5, 0)", "translate: (0, 500, 0)"),
    ("velocity: (0, -0.25, 0)", "velocity: (0, -250, 0)"),
    ("point: (0, 0, -0.01)", "point: (0, 0, -10)"),
    ("velocity: (0, 0, 0.01)", "velocity: (0, 0, 10)"),
    ("coefficients: [1, 0.5, 30]", "coefficients: [1000, 0.5, 0.03]"),
    ("pressure: 2e4", "pressure: 0.02"),
    ("step: (0.2, 0, 0)", "step: (200, 0, 0)"),
    ("from: 2e11, to: 1e11", "from: 2e5, to: 1e5"),
    ("List([0, 0.05, 0.125])", "List([0, 50, 125])"),
    ("from: 0.1, to: 0.4", "from: 100, to: 400"),
    ("radius: 0.03", "radius: 30"),
    ("(0, 1, 0)),\n            velocity_field", "(0, 1000, 0)),\n            velocity_field"),
    ("Ramp(point: (0, 1, 0)", "Ramp(point: (0, 1000, 0)"),
    ("size: (0.2, 0.2)", "size: (200, 200)"),
    (
        "area_density: 0.2, structural: 500, shear: 20, bending: 3",
        "area_density: 2e-10, structural: 0.5, shear: 0.02, bending: 0.003",
    ),
    ("(0, 1.5, 0)", "(0, 1500, 0)"),
    ("from: (0, 2, 0), to: (0.3, 2, 0)", "from: (0, 2000, 0), to: (300, 2000, 0)"),
    ("mass: 0.04", "mass: 4e-5"),
    ("stiffness: 4e4, rest: 0.09", "stiffness: 4e-5, rest: 90"),
    ("gravity: (0, -9.81, 0)", "gravity: (0, -9810, 0)"),
    ("point: (0, -0.1, 0)", "point: (0, -100, 0)"),
    ("d_hat: 1e-3, kappa: 1e6", "d_hat: 1, kappa: 1"),
    ("tolerance: 0.002", "tolerance: 2"),
];

const CENTIMETRES: [(&str, &str); 31] = [
    ("version: 1,", "version: 1, units: Centimetres,"),
    ("density: 7850", "density: 7.85"),
    ("young: 2.1e11", "young: 2.1e12"),
    ("coefficient: 0.2", "coefficient: 200"),
    ("density: 1100", "density: 1.1"),
    (
        "first: (6.3e5, 1.3), second: (1.2e3, 5), bulk: 1e8",
        "first: (6.3e6, 1.3), second: (1.2e4, 5), bulk: 1e9",
    ),
    ("size: (0.1, 0.02, 0.03)", "size: (10, 2, 3)"),
    ("translate: (0, 0.5, 0)", "translate: (0, 50, 0)"),
    ("velocity: (0, -0.25, 0)", "velocity: (0, -25, 0)"),
    ("point: (0, 0, -0.01)", "point: (0, 0, -1)"),
    ("velocity: (0, 0, 0.01)", "velocity: (0, 0, 1)"),
    ("coefficients: [1, 0.5, 30]", "coefficients: [1e7, 5e4, 3e4]"),
    ("force: (0, 0, 12)", "force: (0, 0, 1.2e6)"),
    ("pressure: 2e4", "pressure: 2e5"),
    ("step: (0.2, 0, 0)", "step: (20, 0, 0)"),
    ("from: 2e11, to: 1e11", "from: 2e12, to: 1e12"),
    ("List([0, 0.05, 0.125])", "List([0, 5, 12.5])"),
    ("from: 0.1, to: 0.4", "from: 10, to: 40"),
    ("radius: 0.03", "radius: 3"),
    ("(0, 1, 0)),\n            velocity_field", "(0, 100, 0)),\n            velocity_field"),
    ("Ramp(point: (0, 1, 0)", "Ramp(point: (0, 100, 0)"),
    ("size: (0.2, 0.2)", "size: (20, 20)"),
    (
        "area_density: 0.2, structural: 500, shear: 20, bending: 3",
        "area_density: 0.02, structural: 5e5, shear: 2e4, bending: 3000",
    ),
    ("(0, 1.5, 0)", "(0, 150, 0)"),
    ("from: (0, 2, 0), to: (0.3, 2, 0)", "from: (0, 200, 0), to: (30, 200, 0)"),
    ("mass: 0.04", "mass: 40"),
    ("stiffness: 4e4, rest: 0.09", "stiffness: 4e3, rest: 9"),
    ("gravity: (0, -9.81, 0)", "gravity: (0, -981, 0)"),
    ("point: (0, -0.1, 0)", "point: (0, -10, 0)"),
    ("d_hat: 1e-3, kappa: 1e6", "d_hat: 0.1, kappa: 1e7"),
    ("tolerance: 0.002", "tolerance: 0.2"),
];

fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(METRES.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text.replace(from, to)
    })
}

fn loaded(text: &str) -> Scene {
    let loaded = SceneText::new("scene.ron", text).load();
    loaded.unwrap_or_else(|errors| panic!("{}", errors[0])).scene
}

fn built(scene: &Scene, folder: &Path) -> Built {
    build(scene, folder).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

#[test]
fn scene_in_other_units_is_bitwise_equal() {
    let here = Path::new("");
    let metres = loaded(METRES);
    let fingerprint = built(&metres, here).fingerprint(&metres);
    let texts =
        [(Units::Millimetres, changed(&MILLIMETRES)), (Units::Centimetres, changed(&CENTIMETRES))];
    for (units, text) in texts {
        let scene = loaded(&text);
        assert_eq!(scene.units, units);
        // Without the units, which are the file's, every number is the same.
        assert_eq!(Scene { units: Units::Metres, ..scene.clone() }, metres);
        assert_eq!(built(&scene, here).fingerprint(&scene), fingerprint, "{units:?}");
        let json = SceneText::new("scene.ron", text.as_str()).to_json().expect("it has a tree");
        assert_eq!(Scene::from_json(&json), Ok(scene));
    }
}

#[test]
fn omitted_fields_have_their_si_defaults_in_every_unit() {
    let left_out = METRES.replace("solver: (tolerance: 0.002),", "");
    let metres = loaded(&left_out);
    for units in [Units::Millimetres, Units::Centimetres] {
        let text = left_out.replace("version: 1,", &format!("version: 1, units: {units:?},"));
        let scene = Scene::from_ron(&text).expect("it is a scene");
        assert_eq!(scene.solver, metres.solver);
        assert_eq!(scene.output, metres.output);
    }
}

#[test]
fn overrides_use_the_units_of_the_scene() {
    let mut text = SceneText::new("scene.ron", changed(&MILLIMETRES));
    for set in ["bodies.rubber.shape.radius=25", "contact.d_hat=0.5", "solver.tolerance=4"] {
        text.set(set).expect("it can be set");
    }
    let mut metres = SceneText::new("scene.ron", METRES);
    for set in ["bodies.rubber.shape.radius=0.025", "contact.d_hat=5e-4", "solver.tolerance=4e-3"] {
        metres.set(set).expect("it can be set");
    }
    let [scene, metres] = [text, metres].map(|text| text.load().expect("it is good").scene);
    assert_eq!(Scene { units: Units::Metres, ..scene }, metres);
}

/// Equations hold in every consistent system. A scene in centimetres, its numbers taken for SI, is the same world a
/// hundred times as large, with energies that many times as large as units say.
#[test]
fn world_scales_with_the_units_of_the_scene() {
    let (mut compared, mut unlike) = (0, Vec::new());
    for (path, text) in scenes() {
        let scene = Scene::from_ron(&text).expect("it is a scene");
        // Files have the lengths that they have, rounding decides how implicit shapes are meshed, and the coordinate of
        // `Cosine` is an angle.
        let apart = ["Implicit(", "File(", "Fill(", "Mesh(", "Animated(", "Cosine(", "Run("];
        let is_apart = apart.iter().any(|word| text.contains(word));
        if is_apart || Estimate::at_least(&scene).elements > 500.0 {
            continue;
        }
        let written = Scene { units: Units::Centimetres, ..scene.clone() }.to_ron();
        let named = "units: Centimetres,";
        let large = Scene::from_ron(&written.replace(named, "")).expect("it is a scene");
        let folder = path.parent().expect("it is in one");
        // Some numbers are beyond what can be meant in SI.
        let worlds = (build(&scene, folder), build(&large, folder));
        if let (Ok(small), Ok(large), true) = (worlds.0, worlds.1, written.contains(named)) {
            compared += 1;
            // Rounding decides which points of parallel edges touch.
            let potential = scene.contact == Contact::Off;
            let found = differences(small.world, large.world, potential);
            unlike.extend(found.into_iter().map(|what| format!("{}: {what}", path.display())));
        }
    }
    assert!(unlike.is_empty(), "{}", unlike.join("\n"));
    assert!(compared > 10, "{compared} scenes were compared");
}

/// What of a world is not as many times as large as a hundredfold length and a thousandfold mass make it.
fn differences(small: World, large: World, with_potential: bool) -> Vec<String> {
    let [a, b] = [&small, &large].map(World::observe);
    let mut pairs = vec![
        ("mass", small.mass(), large.mass() / 1e3),
        ("kinetic energy", a.kinetic(), b.kinetic() / 1e7),
    ];
    if with_potential {
        pairs.push(("potential energy", a.potential(), b.potential() / 1e7));
    }
    // Potentials may cancel: 1e-6 J are nothing in a scene of metres.
    let is_unlike = |(_, a, b): &(&str, f64, f64)| (a - b).abs() > 1e-7 * (a.abs() + 1e-6);
    let unlike = pairs.into_iter().filter(is_unlike);
    unlike.map(|(what, a, b)| format!("{what}: {a:e} and {b:e}")).collect()
}

/// The largest difference of vectors, over the largest of them.
fn off(small: &[Vec3], large: &[Vec3], factor: f64) -> f64 {
    let scale = small.iter().map(|v| v.length()).fold(1e-6, f64::max);
    small.iter().zip(large).map(|(a, b)| (*b / factor - *a).length() / scale).fold(0.0, f64::max)
}

#[test]
fn files_use_the_units_of_the_scene() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let obj = |scale: f64| {
        let corners = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.07, 0.0], [0.0, 0.0, 0.05]];
        let vertex = |[x, y, z]: [f64; 3]| format!("v {} {} {}\n", x * scale, y * scale, z * scale);
        corners.map(vertex).concat() + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    };
    let scene = |units: &str, density: &str, young: &str, gravity: &str| {
        format!(
            "(version: 1, units: {units},
              materials: {{\"steel\": (density: {density}, model: NeoHookean(young: {young}, poisson: 0.3))}},
              bodies: [(name: \"a\", kind: Affine, shape: File(\"a.obj\"), material: \"steel\")],
              gravity: (0, {gravity}, 0), integrator: ImplicitEuler, time: (step: 0.01, duration: 1))"
        )
    };
    let read = |scale: f64, text: String| {
        std::fs::write(folder.path().join("a.obj"), obj(scale)).expect("it is written");
        built(&loaded(&text), folder.path())
    };
    let metres = read(1.0, scene("Metres", "7850", "2e11", "-9.81"));
    let millimetres = read(1e3, scene("Millimetres", "7.85e-9", "2e5", "-9810"));
    let centimetres = read(1e2, scene("Centimetres", "7.85", "2e12", "-981"));
    for other in [millimetres, centimetres] {
        let places = off(&metres.world.state(0).positions, &other.world.state(0).positions, 1.0);
        assert!(places < 1e-12, "{places}");
        assert!((other.world.mass() / metres.world.mass() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn segments_and_points_use_the_units_of_the_scene() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let read = |scale: f64, units: &str, density: &str, young: &str, kappa: &str| {
        let at = |x: f64| format!("{} {} {}", scale * x, scale * 0.2, scale * 0.3);
        let write = |name: &str, text: String| {
            std::fs::write(folder.path().join(name), text).expect("it is written");
        };
        write("w.seg", format!("v {}\nv {}\ns 1 2\n", at(0.1), at(0.4)));
        write("w.pt", format!("v {}\nv {}\n", at(0.7), at(0.9)));
        for frame in 0..3 {
            let x = 2.0 + 0.25 * f64::from(frame);
            write(&format!("{frame}.seg"), format!("v {}\nv {}\ns 1 2\n", at(x), at(x + 0.1)));
        }
        let [size, d_hat, up] = [0.1, 1e-3, 1.0].map(|length| scale * length);
        let mesh = |name: &str| {
            format!(
                "Mesh(name: \"{name}\", file: \"{name}\", friction: 0.3, motion: Move(velocity: ({up}, 0, 0)), \
                 placement: (translate: (0, {up}, 0)))"
            )
        };
        let text = format!(
            "(version: 1, units: {units},
              materials: {{\"steel\": (density: {density}, model: NeoHookean(young: {young}, poisson: 0.3))}},
              bodies: [(name: \"a\", shape: Box(size: ({size}, {size}, {size}), cells: (1, 1, 1)), material: \"steel\",
                        friction: 0.3, placement: (translate: (0, -{up}, 0)))],
              obstacles: [{}, {}, Animated(name: \"blade\", file: \"0.seg\", frames: \"#.seg\", frame_rate: 10, interpolation: Linear,
                          friction: 0.3, after: Hold)],
              contact: Barrier(d_hat: {d_hat}, kappa: {kappa}, friction_rule: Mean),
              gravity: (0, 0, 0), integrator: ImplicitEuler, time: (step: 0.01, duration: 1))",
            mesh("w.seg"),
            mesh("w.pt")
        );
        built(&loaded(&text), folder.path())
    };
    let metres = read(1.0, "Metres", "7850", "2e11", "1e6");
    let millimetres = read(1e3, "Millimetres", "7.85e-9", "2e5", "1");
    for body in 0..4 {
        let [a, b] = [&metres, &millimetres].map(|built| built.world.state(body));
        assert!(off(&a.positions, &b.positions, 1.0) < 1e-12, "positions of body {body}");
        assert!(off(&a.velocities, &b.velocities, 1.0) < 1e-12, "velocities of body {body}");
    }
}

fn said(text: String) -> String {
    let diagnostics = match SceneText::new("scene.ron", text).load() {
        Ok(loaded) => loaded.warnings,
        Err(errors) => errors,
    };
    let one = |d: &Diagnostic| format!("{}: {} ({})", d.path, d.message, d.help);
    diagnostics.iter().map(one).collect::<Vec<_>>().join("\n")
}

#[test]
fn messages_use_the_units_of_the_scene() {
    let wrong = changed(&MILLIMETRES)
        .replace("radius: 30", "radius: -30")
        .replace("d_hat: 1,", "d_hat: 1e-20,")
        .replace("young: 210000", "young: 1e20")
        .replace("first: (0.63, 1.3)", "first: (-0.75, 1.5)")
        .replace("gravity: (0, -9810, 0)", "gravity: (0, -1e13, 0)");
    let strange = changed(&MILLIMETRES)
        .replace("density: 1.1e-9", "density: 1.1e-6")
        .replace("gravity: (0, -9810, 0)", "gravity: (0, -9.81, 0)")
        .replace("young: 210000", "young: 210")
        .replace("radius: 30", "radius: 0.03")
        .replace("tolerance: 2", "tolerance: 2000");
    insta::assert_snapshot!(format!("{}\n\n{}", said(wrong), said(strange)));
    let built = |text: String| {
        let scene = loaded(&text);
        let problems = build(&scene, Path::new("")).expect_err("two bodies intersect");
        problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("\n")
    };
    let message = built(changed(&MILLIMETRES).replace("(0, 1500, 0)", "(0, 1000, 0)"));
    assert!(message.contains(") mm"), "{message}");
}
