//! Advice in messages: it fits the command and the scene.

use crate::support::{Place, SCENE, TRUSS};

#[test]
fn refusal_of_an_existing_run_offers_only_options_of_the_command() {
    let place = Place::new(SCENE);
    let refused = |arguments: &[&str]| {
        let stderr = place.sim(arguments).exit(2).stderr;
        assert!(stderr.contains("--force") && stderr.contains("-o"), "{stderr}");
        stderr.contains("--resume")
    };
    place.sim(&["modes", "scene.ron", "-n", "7", "-q"]).exit(0);
    for command in ["modes", "buckle", "static", "run"] {
        assert!(!refused(&[command, "scene.ron", "-q"]), "{command} after modes");
    }
    assert!(!refused(&["run", "scene.ron", "-q", "--resume"]), "modes cannot be resumed");
    place.sim(&["run", "scene.ron", "-q", "--steps", "2", "--force"]).exit(0);
    assert!(refused(&["run", "scene.ron", "-q"]));
    assert!(!refused(&["static", "scene.ron", "-q"]), "a dynamic run is not a static one");
    place.sim(&["rerun", "out/scene", "-q"]).exit(0);
    assert!(!refused(&["rerun", "out/scene", "-q"]), "rerun has no --resume");
}

#[test]
fn scene_without_its_extension_is_suggested_with_it() {
    let place = Place::new(SCENE);
    let stderr = place.sim(&["run", "scene"]).exit(2).stderr;
    assert!(stderr.contains("did you mean `scene.ron`?"), "{stderr}");
    let stderr = place.sim(&["run", "other"]).exit(2).stderr;
    assert!(stderr.contains("sim scenes"), "{stderr}");
}

#[test]
fn rolling_friction_without_effect_is_warned_about() {
    let floor = "friction: 0.4, rolling_friction: 1e-3),";
    let stderr = |kind: &str| {
        let scene = SCENE.replace("friction: 0.4),", floor);
        let scene = scene
            .replace("velocity: (0.5, 0, 0),", &format!("velocity: (0.5, 0, 0), kind: {kind},"));
        assert!(scene.contains(floor) && scene.contains(kind));
        Place::new(&scene).sim(&["check", "scene.ron"]).exit(0).stderr
    };
    let (solid, affine) = (stderr("Solid"), stderr("Affine"));
    assert!(
        solid.contains("obstacles[0].rolling_friction") && solid.contains("deform: \"die\""),
        "{solid}"
    );
    assert!(!affine.contains("rolling_friction"), "{affine}");
}

/// The flat box consists of slivers.
#[test]
fn slivers_of_quadratic_bodies_are_counted_once() {
    let flat = SCENE.replace("size: (0.1, 0.1, 0.1)", "size: (0.1, 0.1, 0.001)");
    let place = Place::new(&flat);
    place.write(
        "quadratic.ron",
        &flat.replace("material: \"rubber\",", "material: \"rubber\", elements: Quadratic,"),
    );
    let count = |scene: &str| {
        let stderr = place.sim(&["check", scene]).exit(0).stderr;
        let line = stderr.lines().find(|line| line.contains("dihedral angles below"));
        let line = line.unwrap_or_else(|| panic!("{stderr}"));
        let words = line.split(" elements have").next().expect("a first part");
        words.rsplit(' ').next().and_then(|count| count.parse::<usize>().ok()).expect("a count")
    };
    assert_eq!(count("quadratic.ron"), count("scene.ron"));
}

#[test]
fn help_for_implausible_gravity_keeps_the_axis_of_the_scene() {
    for (gravity, help) in [
        ("(0, 0, -9810)", "(0, 0, -9.81)"),
        ("(9810, 0, 0)", "(9.81, 0, 0)"),
        ("(0, -9810, 0)", "(0, -9.81, 0)"),
    ] {
        let place =
            Place::new(&SCENE.replace("gravity: (0, -9.81, 0)", &format!("gravity: {gravity}")));
        let stderr = place.sim(&["check", "scene.ron"]).exit(0).stderr;
        assert!(stderr.contains(&format!("on Earth {help}")), "{gravity}: {stderr}");
    }
}

#[test]
fn upward_axis_of_pictures_and_pages_is_an_option() {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "-q", "--steps", "1"]).exit(0);
    let page = |options: &[&str]| {
        let all = [&["view", "out/scene", "--no-open", "-q", "-o", "page.html"], options].concat();
        place.sim(&all).exit(0);
        let page = place.read("page.html");
        let up = page.split("\"up\":").nth(1).and_then(|rest| rest.split(']').next());
        up.map(str::to_owned).expect("an upward direction")
    };
    // Negative zero of the direction against gravity.
    assert!(["[0.0,1.0,0.0", "[-0.0,1.0,-0.0"].contains(&page(&[]).as_str()));
    assert_eq!(page(&["--up", "z"]), "[0.0,0.0,1.0");
    let picture = |options: &[&str]| {
        let usual =
            ["render", "out/scene", "--at", "0", "--size", "64x64", "-q", "--force", "-o", "p.png"];
        place.sim(&[&usual, options].concat()).exit(0);
        std::fs::read(place.path("p.png")).expect("a picture")
    };
    assert!(picture(&[]) != picture(&["--up", "z"]));
    for command in ["view", "render"] {
        let stderr = place.sim(&[command, "out/scene", "--up", "w"]).exit(2).stderr;
        assert!(stderr.contains("x, y or z"), "{stderr}");
    }
}

/// A bar that is held along x at one end.
const UNSUPPORTED: &str = r#"(
    version: 2,
    materials: { "m": (density: 1000, model: StVK(young: 1e6, poisson: 0.3)) },
    bodies: [(
        name: "bar", shape: Box(size: (1, 0.2, 0.2), cells: (5, 1, 1)), material: "m",
        hold: [(region: Plane(point: (-0.49, 0, 0), normal: (-1, 0, 0)), motion: Fixed, axes: "x")],
    )],
    gravity: (0, -9.81, 0), contact: Off, integrator: ImplicitEuler, time: (step: 1, duration: 1),
)"#;

#[test]
fn failed_static_analysis_names_the_missing_supports() {
    let place = Place::new(UNSUPPORTED);
    let stderr = place.sim(&["static", "scene.ron", "-q"]).exit(1).stderr;
    let free = "\"bar\" from translation along y, translation along z, rotation about x\n";
    assert!(stderr.contains(free), "{stderr}");
    assert!(!stderr.contains("note: nothing but contact"), "{stderr}");
    let early = place.sim(&["static", "scene.ron", "--force"]).exit(1).stderr;
    assert!(
        early.contains(&format!("note: nothing but contact and joints prevents {free}")),
        "{early}"
    );
    assert!(stderr.contains("`hold`") && !stderr.contains("max_halvings"), "{stderr}");
}

#[test]
fn failed_sweep_reports_the_mistake_and_not_the_folder_of_another_sweep() {
    let place = Place::new(SCENE);
    let vary = |path: &str| {
        ["sweep", "scene.ron", "-q", "--steps", "1", "--vary", path].map(str::to_owned)
    };
    let run = |arguments: [String; 7]| place.sim(&arguments.each_ref().map(String::as_str));
    run(vary("bodies.die.friction=0.1,0.2")).exit(0);
    let other = run(vary("bodies.die.friction=0.3,0.4")).exit(2).stderr;
    assert!(other.contains("holds another sweep"), "{other}");
    for wrong in ["bodies.die.frction=0.1,0.2", "bodies.dice.friction=0.1,0.2"] {
        let stderr = run(vary(wrong)).exit(2).stderr;
        assert!(stderr.contains("--vary:1:") && !stderr.contains("another sweep"), "{stderr}");
    }
}

#[test]
fn path_that_ends_is_to_be_begun_anew() {
    let place = Place::new("");
    let stderr =
        place.sim(&["static", "supports/arch", "--arc-length", "0.05", "-q"]).exit(1).stderr;
    assert!(
        stderr.contains("begin it anew with --force") && !stderr.contains("--resume"),
        "{stderr}"
    );
}

/// The state of what yields or relaxes is no function of its deformation.
#[test]
fn path_of_a_material_with_a_history_is_refused() {
    let yields = "model: Hencky(young: 2e5, poisson: 0.3), plasticity: VonMises(yield_stress: 1e3, hardening: 1e4)";
    let relaxes = "model: NeoHookean(young: 2e5, poisson: 0.3), viscosity: Prony([(modulus: 0.5, time: 0.1)])";
    for (law, word) in [(yields, "yields"), (relaxes, "viscous")] {
        let place = Place::new(&format!(
            r#"(version: 2, materials: {{"m": (density: 1000, {law})}},
            bodies: [(name: "b", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), material: "m",
            hold: [(region: Plane(point: (-0.04, 0, 0), normal: (-1, 0, 0)), motion: Fixed)])],
            gravity: (0, -9.81, 0), contact: Off, integrator: ImplicitEuler, time: (step: 0.1, duration: 1))"#
        ));
        place.sim(&["check", "scene.ron"]).exit(0);
        let said = place.sim(&["static", "scene.ron", "--arc-length", "0.01", "-q"]).exit(2).stderr;
        assert!(said.contains("bodies[0].material") && said.contains(word), "{said}");
    }
}

/// A scene of one body without gravity and contact.
fn static_scene(body: &str) -> String {
    format!(
        r#"(
            version: 2,
            materials: {{
                "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)),
                "yields": (
                    density: 1000, model: Hencky(young: 1e7, poisson: 0.3), plasticity: VonMises(yield_stress: 1e4),
                ),
            }},
            bodies: [{body}],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            analysis: Static,
            time: (step: 0.5, duration: 1),
        )"#
    )
}

/// Each message names the load step, the body with a node, and what to do about this cause.
#[test]
fn failed_load_steps_name_step_place_and_remedy() {
    let held = "hold: [(region: Plane(point: (0, -0.0499, 0), normal: (0, -1, 0)), motion: Fixed)";
    let upper = "region: Plane(point: (0, 0.0499, 0), normal: (0, 1, 0))";
    let cube = r#"shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2))"#;
    let cases = [
        (
            format!(
                r#"(name: "folded", {cube}, material: "m", {held}, ({upper}, motion: Move(velocity: (0, -0.15, 0)))])"#
            ),
            [
                "load step 2 (to t = 1 s)",
                "of \"folded\"",
                "prescribed nodes are blocked",
                "end the motion",
            ],
        ),
        (
            format!(
                r#"(name: "yielding", {cube}, material: "yields", {held}],
                terms: [Traction(traction: (0, 1.5e4, 0), {upper}, factor: Ramp(end: 1))])"#
            ),
            ["load step 2 (to t = 1 s)", "of \"yielding\"", "did not settle", "plastic collapse"],
        ),
    ];
    for (body, parts) in cases {
        let place = Place::new(&static_scene(&body));
        let stderr = place.sim(&["static", "scene.ron", "-q"]).exit(1).stderr;
        for part in parts {
            assert!(stderr.contains(part), "{part}: {stderr}");
        }
    }
}

/// Nothing holds a balloon, but its pressure does not move it: it bursts at its limit pressure.
#[test]
fn supports_that_no_load_needs_are_not_advised() {
    let place = Place::new(&static_scene(
        r#"(name: "balloon", shape: Sphere(radius: 0.1, subdivisions: 1), kind: Shell(thickness: 1e-3), material: "m",
            terms: [Pressure(pressure: 2e4, factor: Ramp(end: 1))])"#,
    ));
    let stderr = place.sim(&["static", "scene.ron", "-q"]).exit(1).stderr;
    assert!(stderr.contains("load step 1") && stderr.contains("\"balloon\""), "{stderr}");
    assert!(!stderr.contains("prevents"), "{stderr}");
}

/// A solid of a law with a finite energy at zero volume softens under compression until its elements invert, and the run
/// is complete.
#[test]
fn inverted_elements_are_warned_about() {
    let compressed = |law: &str, traction: f64| {
        let scene = static_scene(&format!(
            r#"(name: "soft", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "m",
                hold: [(region: Plane(point: (0, -0.0499, 0), normal: (0, -1, 0)), motion: Fixed)],
                terms: [Traction(
                    traction: (0, {traction:?}, 0), region: Plane(point: (0, 0.0499, 0), normal: (0, 1, 0)),
                    factor: Ramp(end: 1),
                )])"#
        ));
        Place::new(&scene.replace("NeoHookean(young: 1e6, poisson: 0.3)", law))
            .sim(&["static", "scene.ron", "-q"])
            .exit(0)
    };
    let below = compressed("StVK(young: 1e6, poisson: 0.3)", -1e5).stderr;
    assert!(!below.contains("inverted"), "{below}");
    for law in ["StVK(young: 1e6, poisson: 0.3)", "Orthogonal(stiffness: 1.25e5)"] {
        let inverted = compressed(law, -3e5).stderr;
        assert!(inverted.contains("warning: elements were inverted"), "{law}: {inverted}");
        let name = law.split('(').next().expect("a name");
        assert!(inverted.contains(&format!("the law `{name}` permits it")), "{law}: {inverted}");
    }
}

/// Two links on joints swing down without contact, with at most 0.08 J of kinetic energy.
#[test]
fn energy_that_a_method_creates_is_warned_about() {
    let swinging = |integrator: &str| {
        let scene = format!(
            r#"(
                version: 2,
                materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
                bodies: [
                    (name: "a", shape: Box(size: (0.1, 0.02, 0.02), cells: (1, 1, 1)), kind: Affine, material: "m"),
                    (name: "b", shape: Box(size: (0.1, 0.02, 0.02), cells: (1, 1, 1)), kind: Affine, material: "m",
                        placement: (translate: (0.1, 0, 0)), velocity: (0, 0, 0.3)),
                ],
                joints: [
                    Ball(a: "a", at: (-0.05, 0, 0), stiffness: 1e4),
                    Hinge(a: "a", b: "b", at: (0.05, 0, 0), axis: (0, 0, 0.02), stiffness: 1e4),
                ],
                contact: Off,
                output: (formats: []),
                integrator: {integrator},
                time: (step: "1/120", duration: 1),
            )"#
        );
        Place::new(&scene).sim(&["run", "scene.ron", "-q"]).exit(0).stderr
    };
    let diverged = swinging("Newmark(beta: 0.25, gamma: 0.5)");
    assert!(diverged.contains("warning: Newmark") && diverged.contains("created"), "{diverged}");
    let kept = swinging("ASearch()");
    assert!(!kept.contains("created"), "{kept}");
}

#[test]
fn static_keeps_the_equilibrium_path_of_a_scene() {
    let place = Place::new(TRUSS);
    place.sim(&["new", "scene.json", "--from", "scene.ron"]).exit(0);
    for scene in ["scene.ron", "scene.json"] {
        place.sim(&["static", scene, "-o", "path", "-q", "--force"]).exit(0);
        assert_eq!(place.read("path/path.csv").lines().count(), 4, "a header and three steps");
    }
    place.sim(&["static", "scene.ron", "--set", "analysis=Static", "-o", "steps", "-q"]).exit(0);
    assert!(!place.path("steps/path.csv").exists());
}

#[test]
fn a_run_does_not_replace_the_one_it_starts_from() {
    let place = Place::new(
        r#"(version: 2, bodies: [(name: "ball", shape: Particles(positions: [(0, 0, 0)], masses: [1]))],
            contact: Off, time: (duration: 0.1))"#,
    );
    let first = ["run", "scene.ron", "-o", "a", "-q"];
    place.sim(&first).exit(0);
    let summary = place.read("a/summary.json");
    let second =
        ["run", "scene.ron", "--set", "initial=Run(folder: \"a\")", "--duration", "0.2", "-q"];
    for folder in ["a", "./a/../a"] {
        let said = place.sim(&[&second[..], &["-o", folder, "--force"]].concat()).exit(2).stderr;
        assert!(said.contains("which it would replace: choose another folder"), "{said}");
        assert_eq!(place.read("a/summary.json"), summary);
    }
    place.sim(&[&second[..], &["-o", "b"]].concat()).exit(0);
}

/// A body that continues another run is not placed by its `placement`.
#[test]
fn errors_of_a_continued_body_name_the_obstacle_and_the_other_run() {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "-o", "a", "--steps", "12", "-q"]).exit(0);
    let moved = SCENE.replace("point: (0, 0, 0)", "point: (0, 0.05, 0)");
    place.write("moved.ron", &moved.replace("gravity:", "initial: Run(folder: \"a\"), gravity:"));
    let said = place.sim(&["check", "moved.ron"]).exit(2).stderr;
    for word in [
        "obstacles[0]: \"die\" and \"floor\" intersect at the start",
        "\"die\" is where the run in a ended",
        "help: move \"floor\" by more than",
        "start from another run",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains("placement") && !said.contains("^^^^^^^^^"), "{said}");
    // A body that the other run does not have is placed as described.
    let second = "bodies: [(name: \"cap\", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), material: \"rubber\",
        placement: (translate: (0, 0.06, 0))),";
    let two = SCENE.replace("bodies: [", second);
    place.write("two.ron", &two.replace("gravity:", "initial: Run(folder: \"a\"), gravity:"));
    let said = place.sim(&["check", "two.ron"]).exit(2).stderr;
    for word in ["bodies[0].placement: \"die\" and \"cap\"", "help: move \"cap\" by more than"] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

/// The remedy for a checkpoint of another run is not --force.
#[test]
fn damaged_checkpoint_of_the_initial_run_has_its_own_remedy() {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "-o", "a", "--steps", "12", "-q"]).exit(0);
    let bytes = std::fs::read(place.path("a/checkpoint")).expect("it is there");
    let second = ["check", "scene.ron", "--set", "initial=Run(folder: \"a\")"];
    let mut flipped = bytes.clone();
    flipped[bytes.len() - 9] ^= 1;
    let damages: [&[u8]; 4] = [&bytes[..bytes.len() - 9], &flipped, b"no checkpoint", b""];
    for damage in damages {
        std::fs::write(place.path("a/checkpoint"), damage).expect("it is ours");
        let said = place.sim(&second).exit(2).stderr;
        let words = ["initial.folder: a/checkpoint", "`sim rerun a -o NEW`, and name the new"];
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
        assert!(!said.contains("--force"), "{said}");
        // A resumed run may begin anew.
        let said = place.sim(&["run", "scene.ron", "-o", "a", "--resume"]).exit(2).stderr;
        assert!(said.contains("put back a copy of it, or start again with --force"), "{said}");
    }
    let sweep = ["sweep", "scene.ron", "-o", "s", "--vary", "bodies.die.friction=0,1", "-q"];
    place.sim(&[&sweep[..], &["--steps", "2"]].concat()).exit(0);
    let said = place.sim(&["check", "scene.ron", "--set", "initial=Run(folder: \"s\")"]).exit(2);
    assert!(said.stderr.contains("name one of them, such as s/runs/000000"), "{}", said.stderr);
}

/// Two obstacles that meet leave the body between them no room.
#[test]
fn body_between_two_closing_obstacles_is_named_with_them() {
    let jaw = |name: &str, x: f64| {
        format!(
            "Shape(name: \"{name}\", shape: Box(size: (0.02, 0.2, 0.2), cells: (1, 1, 1)),
            placement: (translate: ({x}, 0.2, 0)), motion: Keys(keys: [(time: 0), (time: 0.2, translate: ({}, 0, 0))], interpolation: Linear))",
            -x
        )
    };
    let jaws = format!("obstacles: [{}, {}, ", jaw("left", -0.07), jaw("right", 0.07));
    let place = Place::new(
        &SCENE
            .replace("obstacles: [", &jaws)
            .replace("translate: (0, 0.06, 0)", "translate: (0, 0.2, 0)")
            .replace("velocity: (0.5, 0, 0),", "")
            .replace("gravity: (0, -9.81, 0)", "gravity: (0, 0, 0)"),
    );
    let said = place.sim(&["run", "scene.ron", "-q"]).exit(1).stderr;
    for word in ["\"left\" and \"right\" press on \"die\": leave it more room", "change the scene"]
    {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains("max_halvings") && !said.contains("\"floor\""), "{said}");
}

#[test]
fn energy_that_cannot_follow_its_target_is_warned_of() {
    let place = Place::new(
        r#"(version: 2, gravity: (0, 0, 0), contact: Off, bodies: [(name: "pair",
            shape: Particles(positions: [(0, 0, 0), (1.5, 0, 0)], masses: [1, 1]),
            terms: [Springs(pairs: [(0, 1)], stiffness: 1, rest_length: 1, law: Hooke)])],
            integrator: ASearch(target: (decay: [(start: 0, tau: 0.01)], ground: Joules(0))), time: (duration: 1))"#,
    );
    let said = place.sim(&["run", "scene.ron", "-q"]).exit(0).stderr;
    assert!(said.contains("above its target") && said.contains("longer `tau`"), "{said}");
    let slow = "integrator=ASearch(target: (decay: [(start: 0, tau: 100)], ground: Joules(0)))";
    let said = place.sim(&["run", "scene.ron", "-q", "--force", "--set", slow]).exit(0).stderr;
    assert_eq!(said, "");
}

#[test]
fn modes_name_the_joints_that_they_leave_out() {
    let bar = |name: &str, x: f64| {
        format!(
            r#"(name: "{name}", shape: Box(size: (0.4, 0.05, 0.05), cells: (1, 1, 1)), kind: Affine, material: "m",
                placement: (translate: ({x}, 0, 0)))"#
        )
    };
    let place = Place::new(&format!(
        r#"(version: 2, materials: {{"m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3))}},
            bodies: [{}, {}], gravity: (0, -9.81, 0), contact: Off, joints: [
                Hinge(a: "upper", at: (-0.2, 0, 0), axis: (0, 0, 0.05), stiffness: 1e5),
                Hinge(a: "upper", b: "lower", at: (0.2, 0, 0), axis: (0, 0, 0.05), stiffness: 1e5),
            ], time: (duration: 1))"#,
        bar("upper", 0.0),
        bar("lower", 0.41)
    ));
    let said = place.sim(&["modes", "scene.ron", "-n", "7", "-q"]).exit(0).stderr;
    let warnings: Vec<&str> = said.lines().filter(|line| line.contains("warning")).collect();
    let [warning] = warnings[..] else { panic!("{said}") };
    assert!(warning.contains(r#"ties between "lower" and "upper" are left out"#), "{warning}");
}

#[test]
fn overrides_that_later_ones_replace_are_named() {
    let place = Place::new(
        r#"(version: 2, bodies: [(name: "ball", shape: Particles(positions: [(0, 0, 0)], masses: [1]))],
            contact: Off, time: (step: 0.01, duration: 0.1))"#,
    );
    let set = |arguments: &[&str]| {
        let set = arguments.iter().flat_map(|argument| ["--set", argument]);
        let said = place.sim(&[&["check", "scene.ron"][..], &set.collect::<Vec<_>>()].concat());
        said.exit(0).stderr
    };
    let twice = set(&["time.duration=0.01", "gravity=(0, 0, 0)", "time=(duration: 0.02)"]);
    let note =
        "note: `--set time.duration=0.01` has no effect: `time=(duration: 0.02)` replaces it";
    assert!(twice.contains(note), "{twice}");
    let inner = set(&["time=(duration: 0.02)", "time.step=0.02"]);
    assert!(!inner.contains("no effect"), "{inner}");
}
