//! Fields without effect are warned about, and rules that contradict each other are refused.

use resile_scene::text::{Diagnostic, SceneText};

const SCENE: &str = r#"(
    version: 2,
    materials: {
        "rubber": (density: 1000, model: NeoHookean(young: 3e5, poisson: 0.3)),
        "muscle": (density: 1000, model: Fibre(
            young: 3e5, poisson: 0.3, stiffness: 1e5, exponent: 1, direction: (1, 0, 0),
        )),
    },
    bodies: [
        (
            name: "a",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)),
            material: "rubber",
            placement: (translate: (0, 0.2, 0)),
            repeat: Row(count: 2, step: (0.2, 0, 0)),
            // a
        ),
        (
            name: "b",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)),
            kind: Affine,
            material: "rubber",
            placement: (translate: (0, 0.4, 0)),
        ),
        // bodies
    ],
    obstacles: [
        Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0)),
        Plane(name: "wall", point: (-1, 0, 0), normal: (1, 0, 0)),
    ],
    contact: Barrier(d_hat: 1e-3),
    time: (step: "1/100", duration: 2),
    // scene
)"#;

/// What is said about the scene with replacements, without the places in the text.
fn said(replacements: &[(&str, &str)]) -> Vec<String> {
    let scene = replacements.iter().fold(SCENE.to_owned(), |scene, (old, new)| {
        assert!(scene.contains(old), "{old}");
        scene.replacen(old, new, 1)
    });
    let said: Vec<Diagnostic> = match SceneText::new("scene.ron", scene).load() {
        Ok(loaded) => loaded.warnings,
        Err(errors) => errors,
    };
    said.iter().map(|told| told.to_string().lines().next().unwrap_or_default().to_owned()).collect()
}

/// Asserts that one message is given, of this severity and with this path.
fn assert_said(replacements: &[(&str, &str)], severity: &str, path: &str) {
    let said = said(replacements);
    let expected = format!(" {severity}: {path}: ");
    assert!(said.len() == 1 && said[0].contains(&expected), "{replacements:?}: {said:?}");
}

fn assert_silent(replacements: &[(&str, &str)]) {
    assert_eq!(said(replacements), Vec::<String>::new(), "{replacements:?}");
}

const CONTACT: &str = "contact: Barrier(d_hat: 1e-3)";
const BODY: &str = "// a\n";
const BODIES: &str = "// bodies";
const MORE: &str = "// scene";

#[test]
fn pairs_that_contradict_each_other_are_refused() {
    let contact = |rules: &str| format!("contact: Barrier(d_hat: 1e-3, {rules})");
    let pair = |a: &str, b: &str, rest: &str| format!("(a: \"{a}\", b: \"{b}\", {rest})");
    let refused = [
        (
            [pair("a", "floor", "friction: 0.1"), pair("floor", "a", "friction: 0.2")].join(", "),
            "",
            "contact.pairs[1].friction",
        ),
        (pair("b", "floor", "friction: 0.1"), r#"("floor", "b")"#, "contact.pairs[0]"),
        (pair("a[1]", "b", "friction: 0.1"), r#"("b", "a")"#, "contact.pairs[0]"),
        (pair("a[0]", "a[1]", "friction: 0.1"), r#"("a", "a")"#, "contact.pairs[0]"),
        (pair("wall", "floor", "friction: 0.1"), "", "contact.pairs[0]"),
        (String::new(), r#"("wall", "floor")"#, "contact.exclude[0]"),
        (String::new(), r#"("a", "b"), ("wall", "wall")"#, "contact.exclude[1]"),
    ];
    for (pairs, exclude, path) in refused {
        let contact = contact(&format!("pairs: [{pairs}], exclude: [{exclude}]"));
        assert_said(&[(CONTACT, &contact)], "error", path);
    }
    let accepted = [
        // A copy may differ from the others.
        (
            [pair("a", "floor", "friction: 0.1"), pair("a[1]", "floor", "friction: 0.2")]
                .join(", "),
            r#"("a[0]", "b")"#,
        ),
        ([pair("a", "b", "friction: 0.1"), pair("b", "a", "restitution: 0.2")].join(", "), ""),
        (pair("a", "a", "friction: 0.1"), r#"("b", "b")"#),
        (pair("a", "b", "friction: 0.1"), r#"("a[0]", "b")"#),
    ];
    for (pairs, exclude) in accepted {
        let contact = contact(&format!("pairs: [{pairs}], exclude: [{exclude}]"));
        assert_silent(&[(CONTACT, &contact)]);
    }
}

#[test]
fn rotations_about_the_axis_of_a_joint_are_warned_about() {
    let joint = |joint: &str| format!("joints: [{joint}],");
    let hinge = |motion: &str| {
        joint(&format!(
            "Hinge(a: \"b\", at: (0.1, 0.4, 0.3), axis: (0, 0, 0.1), stiffness: 1e4, motion: {motion})"
        ))
    };
    let ball = |motion: &str| {
        joint(&format!("Ball(a: \"b\", at: (0.1, 0.4, 0.3), stiffness: 1e4, motion: {motion})"))
    };
    let on_axis = "Move(angular_velocity: (0, 0, 3), pivot: (0.1, 0.4, 0))";
    let keys = "Keys(keys: [(time: 0), (time: 1, rotate: (axis: (0, 0, 1), degrees: 90))], \
                pivot: (0.1, 0.4, 7), interpolation: Smooth)";
    for joint in [hinge(on_axis), ball(on_axis), hinge(keys)] {
        assert_said(&[(MORE, &joint)], "warning", "joints[0].motion");
    }
    let off_axis = "Move(angular_velocity: (0, 0, 3), pivot: (0.1, 0.5, 0))";
    let across = "Move(angular_velocity: (0, 3, 0), pivot: (0.1, 0.4, 0.3))";
    let straight = "Move(velocity: (0, 0, 3))";
    for joint in [hinge(off_axis), ball(off_axis), hinge(across), hinge(straight), hinge("Fixed")] {
        assert_silent(&[(MORE, &joint)]);
    }
}

#[test]
fn what_acts_on_held_nodes_alone_is_warned_about() {
    let held = "hold: [(region: All, motion: Fixed)],";
    let side = "Plane(point: (0, 0.25, 0), normal: (0, 1, 0))";
    let held_side = format!("hold: [(region: {side}, motion: Fixed)],");
    let force = |region: &str| format!("terms: [Force(force: (1, 0, 0), region: {region})],");
    let attach = |to: &str| format!("attach: [(region: {side}, stiffness: 100, {to})],");
    let probe = r#"output: (probes: [(name: "p", at: Body("a[0]"))]),"#;
    let warned = [
        (format!("{held} velocity: (1, 0, 0),"), "velocity"),
        (format!("{held} angular_velocity: (1, 0, 0),"), "angular_velocity"),
        (format!("{held} {}", force("All")), "terms[0]"),
        (format!("{held} {}", force(side)), "terms[0]"),
        (format!("{held_side} {}", force(side)), "terms[0]"),
        (format!("{held_side} {}", attach("motion: Fixed")), "attach[0]"),
        (
            format!("hold: [(region: {side}, axes: \"y\", motion: Move(velocity: (1, 0, 0)))],"),
            "hold[0].motion",
        ),
    ];
    for (fields, path) in &warned {
        assert_said(&[(BODY, fields)], "warning", &format!("bodies[0].{path}"));
    }
    assert_silent(&[(BODY, &warned[2].0), (MORE, probe)]);
    let silent = [
        format!("{held_side} velocity: (1, 0, 0), {}", force("All")),
        format!("{held_side} {}", attach("to: \"b\"")),
        "hold: [(region: All, motion: Fixed, until: 1)], velocity: (1, 0, 0),".to_owned(),
        "hold: [(region: All, motion: Fixed, axes: \"yz\")], velocity: (1, 0, 0),".to_owned(),
        format!("hold: [(region: {side}, axes: \"xy\", motion: Move(velocity: (1, 0, 0)))],"),
    ];
    for fields in &silent {
        assert_silent(&[(BODY, fields)]);
    }
}

#[test]
fn what_starts_after_the_end_is_warned_about() {
    let sets = [
        (BODY, "terms: [Force(force: (1, 0, 0), start: START)],", "bodies[0].terms[0].start"),
        (
            BODY,
            "hold: [(region: Boundary, motion: Move(velocity: (1, 0, 0), start: START))],",
            "bodies[0].hold[0].motion.start",
        ),
        (
            MORE,
            "gravity_changes: [(start: START, gravity: (0, 9.81, 0))],",
            "gravity_changes[0].start",
        ),
        (
            MORE,
            "integrator: ASearch(target: (ground: Joules(0), decay: [(start: START, tau: 1)])),",
            "integrator.target.decay[0].start",
        ),
    ];
    for (place, fields, path) in sets {
        assert_said(&[(place, &fields.replace("START", "2.1"))], "warning", path);
        assert_silent(&[(place, &fields.replace("START", "2"))]);
    }
}

#[test]
fn fields_that_other_fields_switch_off_are_warned_about() {
    let shell = |kind: &str| {
        format!(
            "(name: \"sheet\", shape: Sheet(size: (0.1, 0.1), cells: (1, 1)), material: \"rubber\", \
             placement: (translate: (0, 0.6, 0)), kind: Shell(thickness: 1e-3{kind})),"
        )
    };
    let rod = |material: &str| {
        format!(
            "(name: \"rod\", shape: Curve(points: [(0, 0.6, 0), (0.1, 0.6, 0), (0.2, 0.6, 0)]), \
             material: \"{material}\", kind: Rod(radius: 0.01)),"
        )
    };
    let wind = "wind: (velocity: (1, 0, 0), density: 1.2, drag: 1),";
    let off = (CONTACT, "contact: Off");
    let cases: Vec<(Vec<(&str, String)>, &str)> = vec![
        (vec![(MORE, wind.to_owned())], "wind"),
        (vec![(BODIES, shell(", bending: Off, rest_angles: Flat"))], "bodies[2].kind.rest_angles"),
        (vec![(BODIES, rod("muscle"))], "bodies[2].material"),
        (
            vec![(CONTACT, "contact: Barrier(restitution_rule: Max)".to_owned())],
            "contact.restitution_rule",
        ),
        (vec![(MORE, "output: (formats: [Ply], fields: [VonMises]),".to_owned())], "output.fields"),
        (vec![(MORE, "output: (frame_rate: 200),".to_owned())], "output.frame_rate"),
        (
            vec![
                (MORE, "analysis: Static,".to_owned()),
                (BODY, "velocity: (1, 0, 0), restitution: 0.5,".to_owned()),
            ],
            "analysis",
        ),
        (
            vec![
                ("kind: Affine", "kind: Solid".to_owned()),
                (MORE, "output: (tables: [Bodies, Poses]),".to_owned()),
            ],
            "output.tables[1]",
        ),
    ];
    for (replacements, path) in &cases {
        let replacements: Vec<(&str, &str)> =
            replacements.iter().map(|(old, new)| (*old, new.as_str())).collect();
        assert_said(&replacements, "warning", path);
    }
    for (place, fields) in [
        (BODIES, shell("")),
        (BODIES, format!("{} {}", shell(""), rod("rubber"))),
        (
            MORE,
            "output: (fields: [VonMises], tables: [Poses, Contacts], frame_rate: 50),".to_owned(),
        ),
        (MORE, "analysis: Static,".to_owned()),
    ] {
        assert_silent(&[(place, &fields)]);
    }
    assert_silent(&[(BODIES, &rod("rubber")), (MORE, wind)]);
    // Without contact there is also a warning about the obstacles.
    let told = said(&[
        off,
        (BODY, "friction: 0.3, restitution: 0.5,"),
        (MORE, "output: (tables: [Contacts]),"),
    ]);
    let expected = ["obstacles", "contact", "output.tables[0]"];
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for (told, path) in told.iter().zip(expected) {
        assert!(told.contains(&format!("warning: {path}: ")), "{told}");
    }
}
