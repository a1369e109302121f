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
