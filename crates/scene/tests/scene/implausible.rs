//! Numbers in a wrong unit, liquids below themselves, and damping without effect are warned about.

use resile_scene::text::SceneText;

/// Path and message of each warning about a scene with these replacements.
fn warnings(replacements: &[(&str, &str)]) -> Vec<String> {
    let scene = r#"(
        version: 2,
        // units
        materials: {
            "m": (density: 7850, model: StVK(young: 2.1e11, poisson: 0.3), damping: [DAMPING]),
        },
        bodies: [(
            name: "tank",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)),
            material: "m",
            terms: [TERM],
        )],
        time: (step: 0.01, duration: 2),
        // scene
    )"#;
    let scene = replacements.iter().fold(scene.to_owned(), |scene, (old, new)| {
        assert!(scene.contains(old), "{old}");
        scene.replacen(old, new, 1)
    });
    let scene = scene.replace("DAMPING", "").replace("TERM", "");
    let loaded = SceneText::new("scene.ron", scene).load().expect("it has no errors");
    let first_line = |text: String| text.lines().next().unwrap_or_default().to_owned();
    let message = |text: String| text.split(" warning: ").nth(1).unwrap_or(&text).to_owned();
    loaded.warnings.iter().map(|told| message(first_line(told.to_string()))).collect()
}

/// Asserts that there is one warning, with this beginning.
fn assert_warned(replacements: &[(&str, &str)], beginning: &str) {
    let warnings = warnings(replacements);
    assert!(warnings.len() == 1 && warnings[0].starts_with(beginning), "{warnings:?}");
}

fn assert_silent(replacements: &[(&str, &str)]) {
    assert_eq!(warnings(replacements), Vec::<String>::new(), "{replacements:?}");
}

#[test]
fn densities_in_grams_per_cubic_centimetre_are_warned_about() {
    let density = |density: &'static str| ("density: 7850", density);
    let young = |young: &'static str| ("young: 2.1e11", young);
    assert_silent(&[]);
    assert_warned(
        &[density("density: 7.85")],
        "materials.m.density: density is 7.85 kg/m^3 at a Young's modulus of 210000000000 Pa: that is steel with its \
         density in g/cm^3",
    );
    assert_warned(
        &[density("density: 7.85"), young("young: 2.1e5")],
        "materials.m.density: density is 7.85 kg/m^3 at a Young's modulus of 210000 Pa: that is steel with its \
         density in g/cm^3 and its modulus in MPa",
    );
    // No material by name, but faster sound than in diamond.
    assert_warned(&[density("density: 20"), young("young: 3e10")], "materials.m.density: ");
    let grams = ("// units", "units: Centimetres,");
    let in_centimetres = ("size: (0.1, 0.1, 0.1)", "size: (10, 10, 10)");
    assert_warned(
        &[grams, in_centimetres, density("density: 0.00785"), young("young: 2.1e12")],
        "materials.m.density: ",
    );
    // A light foam, rubber, and steel in each system of units.
    assert_silent(&[density("density: 7.85"), young("young: 5e4")]);
    assert_silent(&[density("density: 1000"), young("young: 1e6")]);
    assert_silent(&[grams, in_centimetres, density("density: 7.85"), young("young: 2.1e12")]);
    let tonnes = ("// units", "units: Millimetres,");
    let in_millimetres = ("size: (0.1, 0.1, 0.1)", "size: (100, 100, 100)");
    assert_silent(&[tonnes, in_millimetres, density("density: 7.85e-9"), young("young: 2.1e5")]);
}

#[test]
fn liquids_whose_gravity_points_up_are_warned_about() {
    let liquid = |gravity: &str| {
        format!("Hydrostatic(surface: (0, 1, 0), density: 1000, gravity: {gravity})")
    };
    for (gravity, beginning) in [
        ("(0, 9.81, 0)", "gravity of the liquid points against that of the scene"),
        ("(0, -9.81e-6, 0)", "gravity of the liquid is "),
    ] {
        let path = "bodies[0].terms[0].gravity: ";
        assert_warned(&[("TERM", &liquid(gravity))], &format!("{path}{beginning}"));
    }
    let still = ("// scene", "gravity: (0, 0, 0),");
    let up = "bodies[0].terms[0].gravity: gravity of the liquid points up";
    assert_warned(&[("TERM", &liquid("(0, 9.81, 0)")), still], up);
    for gravity in ["(0, -9.81, 0)", "(3, -9.81, 0)"] {
        assert_silent(&[("TERM", &liquid(gravity))]);
    }
    // Along z the direction of up is not known without gravity in the scene.
    assert_silent(&[("TERM", &liquid("(0, 0, -9.81)")), still]);
    let down = ("// scene", "gravity: (0, 0, -9.81),");
    assert_silent(&[("TERM", &liquid("(0, 0, -9.81)")), down]);
    assert_warned(&[("TERM", &liquid("(0, 0, 9.81)")), down], "bodies[0].terms[0].gravity: ");
}

/// Steps of 0.01 s resolve 50 Hz, whose amplitude stiffness damping of `t` takes `exp(-9.9e4 t)` of in 2 s.
#[test]
fn stiffness_damping_that_is_too_long_or_without_effect_is_warned_about() {
    let path = "materials.m.damping[0].time: stiffness damping of ";
    for time in ["2.1", "1e3"] {
        let beginning = format!("{path}{time} s slows").replace("1e3", "1000");
        assert_warned(&[("DAMPING", &format!("Stiffness(time: {time})"))], &beginning);
    }
    let damping = "Stiffness(time: 9e-8)";
    assert_warned(&[("DAMPING", damping)], &format!("{path}9e-8 s has no effect"));
    for time in ["2", "1e-3", "1.1e-7", "0"] {
        assert_silent(&[("DAMPING", &format!("Stiffness(time: {time})"))]);
    }
}

/// A step is 0.01 s. What begins and ends within one acts in no step, or in a whole one.
#[test]
fn loads_that_act_for_less_than_a_step_are_warned_about() {
    let ends = "start: 0.501, end: 0.503";
    let loads = [
        "Force(force: (300, 0, 0), ENDS)",
        "BodyForce(force: (0, 1, 0), ENDS)",
        "Traction(traction: (0, 1, 0), ENDS)",
        "SurfacePressure(pressure: 10, ENDS)",
        "Hydrostatic(surface: (0, 1, 0), density: 1000, gravity: (0, -9.81, 0), ENDS)",
        "Torque(torque: (0, 1, 0), ENDS)",
        "Pressure(pressure: 10, ENDS)",
    ];
    for load in loads {
        let beginning =
            "bodies[0].terms[0].end: the load acts for 0.002 s within a step of 0.010000 s";
        assert_warned(&[("TERM", &load.replace("ENDS", ends))], beginning);
        assert_silent(&[("TERM", &load.replace("ENDS", "start: 0.501, end: 0.511"))]);
        // Before the start of the run there are no steps.
        assert_silent(&[("TERM", &load.replace("ENDS", "start: -0.002, end: 0"))]);
    }
    let force = |times: &str| format!("Force(force: (3, 0, 0), {times})");
    assert_warned(&[("TERM", &force("end: 0.004"))], "bodies[0].terms[0].end: the load acts for ");
    // Adaptive steps end at the edges, unless they are closer than the shortest step.
    let adaptive = |shortest: &str| {
        format!(
            "time: (step: 0.01, duration: 2, adaptive: Doubling(error: 1e-3, shortest: {shortest}))"
        )
    };
    let fixed = "time: (step: 0.01, duration: 2)";
    assert_silent(&[("TERM", &force(ends)), (fixed, &adaptive("1e-4"))]);
    let beginning = "bodies[0].terms[0].end: the load acts for 0.002 s within a step of 0.003000 s";
    assert_warned(&[("TERM", &force(ends)), (fixed, &adaptive("3e-3"))], beginning);
}

#[test]
fn factors_that_change_and_return_within_a_step_are_warned_about() {
    let table =
        |points: &str| format!("Force(force: (3, 0, 0), factor: Table(points: [{points}]))");
    for (points, k, duration) in [
        ("(0, 0), (0.5, 0), (0.5001, 1), (0.502, 1), (0.5021, 0)", 2, "0.0021"),
        ("(0, 1), (0.5, 1), (0.502, 0), (0.504, 1)", 2, "0.004"),
        ("(0, 0), (1, 5), (1.001, 4), (1.002, 5), (2, 0)", 2, "0.002"),
        // Not the nearest points, but those that differ from the peak.
        ("(0, 0), (0.5, 0), (0.501, 0.95), (0.502, 1), (0.503, 0.95), (0.504, 0)", 2, "0.004"),
    ] {
        let beginning = format!(
            "bodies[0].terms[0].factor.points[{k}]: the factor changes and returns in {duration} s"
        );
        assert_warned(&[("TERM", &table(points))], &beginning);
    }
    for points in [
        "(0, 0), (0.5, 0), (0.5001, 1), (1, 1), (1.001, 0)",
        "(0, 0), (0.5, 0), (0.501, 1), (0.502, 2)",
        "(0, 0), (0.5, 0), (0.506, 1), (0.512, 0)",
        // Ripples of a hundredth of the range.
        "(0, 0), (0.5, 1), (0.502, 0.99), (0.504, 1), (1, 0)",
        "(3, 0), (3.001, 1), (3.002, 0)",
    ] {
        assert_silent(&[("TERM", &table(points))]);
    }
    let sine = |f: &str| format!("Force(force: (3, 0, 0), factor: Sine(frequency: {f}))");
    let beginning =
        "bodies[0].terms[0].factor.frequency: a period of 1.961e-2 s is shorter than two steps";
    assert_warned(&[("TERM", &sine("51"))], beginning);
    assert_silent(&[("TERM", &sine("50"))]);
}

#[test]
fn holds_motions_and_gravity_that_last_for_less_than_a_step_are_warned_about() {
    let body = |fields: &str| format!("terms: [], {fields}");
    let hold = |fields: &str| body(&format!("hold: [(region: All, {fields})]"));
    let keys = "(time: 0), (time: 0.5), (time: 0.502, translate: (0, 0.1, 0)), (time: 0.504)";
    let slow = "(time: 0), (time: 0.5), (time: 0.52, translate: (0, 0.1, 0)), (time: 0.54)";
    let swing = "(time: 0), (time: 0.5), (time: 0.502, rotate: (axis: (0, 2, 0), degrees: 5)), (time: 0.504)";
    let motion = |keys: &str| {
        format!("motion: Keys(keys: [{keys}], pivot: (0, 0, 0), interpolation: Linear)")
    };
    let warned = [
        (hold("motion: Fixed, until: 0.004"), "hold[0].until: the hold acts for 0.004 s"),
        (hold(&motion(keys)), "hold[0].motion.keys[2].time: the translation changes and returns"),
        (hold(&motion(swing)), "hold[0].motion.keys[2].time: the rotation changes and returns"),
        (
            body(&format!("attach: [(region: All, stiffness: 1e4, {})]", motion(keys))),
            "attach[0].motion.keys[2].time: the translation changes and returns",
        ),
    ];
    for (fields, beginning) in warned {
        assert_warned(&[("terms: [TERM]", &fields)], &format!("bodies[0].{beginning}"));
    }
    for fields in [hold("motion: Fixed, until: 0.01"), hold(&motion(slow))] {
        assert_silent(&[("terms: [TERM]", &fields)]);
    }
    let changes = |times: [&str; 2]| {
        let [on, off] = times;
        format!(
            "gravity_changes: [(start: {on}, gravity: (9.81, 0, 0)), (start: {off}, gravity: (0, -9.81, 0))],"
        )
    };
    let beginning = "gravity_changes[0].start: this gravity acts for 0.003 s";
    assert_warned(&[("// scene", &changes(["1", "1.003"]))], beginning);
    assert_silent(&[("// scene", &changes(["1", "1.01"]))]);
    let obstacle = format!(
        "obstacles: [Shape(name: \"ram\", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), placement: (translate: (1, 0, 0)), {})],",
        motion(keys)
    );
    let beginning = "obstacles[0].motion.keys[2].time: the translation changes and returns";
    assert_warned(&[("// scene", &obstacle)], beginning);
}
