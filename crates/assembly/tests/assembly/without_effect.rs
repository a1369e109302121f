//! Rotations that move no node are warned about.

use resile_assembly::{Checked, check};
use resile_scene::text::SceneText;
use resile_watch::Tally;
use std::path::Path;

/// The paths of the warnings about a rod along x, two of whose nodes are held with this motion.
fn warned(motion: &str, turns: &str) -> Vec<String> {
    let text = format!(
        r#"(
            version: 2,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e7, poisson: 0.3)) }},
            bodies: [(
                name: "rod",
                shape: Curve(points: [(0, 1, 0), (0.1, 1, 0), (0.2, 1, 0), (0.3, 1, 0), (0.4, 1, 0)]),
                kind: Rod(radius: 0.01{turns}),
                material: "m",
                hold: [
                    (region: Nodes([0, 1]), motion: Fixed),
                    (region: Nodes([3, 4]), motion: {motion}),
                ],
            )],
            time: (duration: 1),
        )"#
    );
    let scene = SceneText::new("rod.ron", text).read().expect("it is a scene");
    let Checked { built, warnings, .. } = check(&scene, Path::new("."), &Tally::default());
    built.expect("it can be built");
    warnings.into_iter().map(|warning| warning.path).collect()
}

#[test]
fn rotation_of_held_nodes_about_their_own_axis_is_warned_about() {
    let about_x = "Move(angular_velocity: (3, 0, 0), pivot: (0, 1, 0))";
    assert_eq!(warned(about_x, ""), ["bodies[0].hold[1].motion"]);
    let silent = [
        ("Move(angular_velocity: (3, 0, 0), pivot: (0, 0.9, 0))", ""),
        ("Move(angular_velocity: (0, 0, 3), pivot: (0.4, 1, 0))", ""),
        ("Move(velocity: (0.1, 0, 0))", ""),
        ("Fixed", ", turns: 2"),
    ];
    for (motion, turns) in silent {
        assert_eq!(warned(motion, turns), Vec::<String>::new(), "{motion} {turns}");
    }
}
