//! Adhesion in scenes.

use resile_scene::text::SceneText;

/// The errors of a scene with this adhesion and this analysis.
fn errors(adhesion: &str, analysis: &str) -> Vec<String> {
    let scene = format!(
        r#"(
            version: 2,
            materials: {{"m": (density: 1000, model: StVK(young: 1e6, poisson: 0.3))}},
            bodies: [(
                name: "block",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)),
                material: "m",
                hold: [(region: All, motion: Fixed)],
            )],
            analysis: {analysis},
            contact: Barrier(adhesion: ({adhesion})),
            time: (step: 0.01, duration: 1),
        )"#
    );
    match SceneText::new("scene.ron", scene).load() {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics.iter().map(ToString::to_string).collect(),
    }
}

const NORMAL: &str = "strength: 1e4, peak: 1e-3, range: 2e-3";

#[test]
fn tangential_adhesion_needs_motion_and_a_coefficient_that_is_not_negative() {
    let with = |bonds: &str| format!("{NORMAL}, tangential: ({bonds})");
    let bonds = with("coefficient: 0.5, slip_speed: 1e-4");
    assert_eq!(errors(&bonds, "Dynamic"), Vec::<String>::new());
    assert_eq!(errors(NORMAL, "Static"), Vec::<String>::new());
    for (adhesion, analysis, path) in [
        (bonds, "Static", "contact.adhesion.tangential: bonds depend on velocities"),
        (with("coefficient: -1"), "Dynamic", "contact.adhesion.tangential.coefficient"),
        (
            with("coefficient: 1, slip_speed: 0"),
            "Dynamic",
            "contact.adhesion.tangential.slip_speed",
        ),
        (with("slip_speed: 1"), "Dynamic", "coefficient"),
    ] {
        let errors = errors(&adhesion, analysis);
        assert!(errors.len() == 1 && errors[0].contains(path), "{errors:?}");
    }
}
