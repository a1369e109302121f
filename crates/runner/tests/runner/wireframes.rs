//! Obstacles of segments and points.

use super::support::Trial;
use resile_assembly::build;
use resile_record::Existing;
use resile_scene::text::SceneText;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A box whose lower side is 2 mm above the plane y = 0, above obstacles.
fn scene(gravity: f64, obstacles: &str) -> String {
    format!(
        r#"(
    version: 1,
    materials: {{"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))}},
    bodies: [(
        name: "box",
        shape: Box(size: (0.1, 0.1, 0.1), cells: (3, 3, 3)),
        material: "rubber",
        placement: (translate: (0, 0.052, 0)),
        friction: 0.5,
    )],
    gravity: (0, {gravity}, 0),
    obstacles: [{obstacles}],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: 0.4),
    output: (formats: []),
)"#
    )
}

fn last(trial: &Trial<'_>, column: &str) -> f64 {
    *trial.column(column).last().expect("steps were taken")
}

/// Weight times time without support: 9.81 N for 0.4 s.
fn assert_rests(text: &str) {
    let trial = Trial::new(text);
    trial.complete(&[], Existing::Refuse);
    let (height, momentum) = (last(&trial, "com_y"), last(&trial, "momentum_y"));
    assert!((0.045..0.052).contains(&height), "{height} m");
    assert!(momentum.abs() < 1e-3 * 9.81 * 0.4, "{momentum} kg m/s");
    assert!(trial.column("min_distance").iter().all(|&distance| distance > 0.0));
}

#[test]
fn fixed_segments_and_points_support_a_box() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the folder can be written");
        path.display().to_string()
    };
    let curve = |name: &str, z: f64| {
        format!(
            "Shape(name: \"{name}\", shape: Curve(points: [(-0.2, 0, {z}), (0.013, 0, {z}), (0.2, 0, {z})]), friction: 0.5)"
        )
    };
    assert_rests(&scene(-9.81, &format!("{}, {}", curve("left", -0.03), curve("right", 0.03))));
    let cross = file(
        "cross.seg",
        "v -0.2 0 0\nv 0.2 0 0\nv 0 0 -0.2\nv 0 0 0.2\nv 0 0 0\ns 1 5\ns 5 2\ns 3 5\ns 5 4\n",
    );
    let mesh = |file: &str| format!("Mesh(name: \"frame\", file: \"{file}\", friction: 0.5)");
    assert_rests(&scene(-9.81, &mesh(&cross)));
    let nails =
        file("nails.pt", "v 0.02 0 0.03\nv -0.03 0 0.02\nv 0.03 0 -0.02\nv -0.02 0 -0.03\n");
    assert_rests(&scene(-9.81, &mesh(&nails)));
    let lines = file(
        "lines.obj",
        "v -0.2 0 -0.03\nv 0.2 0 -0.03\nv -0.2 0 0.03\nv 0.2 0 0.03\nl 1 2\nl 3 4\n",
    );
    let fixed = format!("Mesh(name: \"frame\", file: \"{lines}\", friction: 0.5, motion: Fixed)");
    assert_rests(&scene(-9.81, &fixed));
    let loaded = SceneText::new("scene.ron", scene(-9.81, &mesh(&lines))).load();
    let refused = build(&loaded.expect("it is a scene").scene, Path::new(""));
    let problems = refused.expect_err("lines of an OBJ file need a motion");
    assert!(problems[0].help.contains("motion: Fixed"), "{problems:?}");
}

/// The frames of a segment that moves along x at 1 m/s from x = -0.1 m.
fn frames(folder: &TempDir) -> String {
    for (number, time) in [0.0, 0.1, 0.2, 0.3, 0.4].into_iter().enumerate() {
        let x = time - 0.1;
        let text = format!("v {x} 0.052 -0.2\nv {x} 0.052 0.2\ns 1 2\n");
        fs::write(folder.path().join(format!("{number}.seg")), text).expect("it can be written");
    }
    folder.path().display().to_string()
}

#[test]
fn moving_and_animated_segments_push_a_box_alike() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = frames(&folder);
    let moving = format!(
        "Mesh(name: \"blade\", file: \"{path}/0.seg\", friction: 0.5, motion: Move(velocity: (1, 0, 0)))"
    );
    let animated = format!(
        "Animated(name: \"blade\", file: \"{path}/0.seg\", frames: \"{path}/#.seg\", frame_rate: 10, \
         interpolation: Linear, friction: 0.5)"
    );
    let ends = [moving, animated].map(|obstacle| {
        let text = scene(0.0, &obstacle);
        let trial = Trial::new(&text);
        trial.complete(&[], Existing::Refuse);
        assert!(trial.column("min_distance").iter().all(|&distance| distance > 0.0));
        // The blade ends at 0.3 m, and half of the box is ahead of it, but for what it is pressed in.
        let place = last(&trial, "com_x");
        assert!((0.33..0.45).contains(&place), "{place} m");
        let work: f64 = trial.column("external_work").iter().sum();
        assert!(work > last(&trial, "total"), "{work} J, of which implicit Euler keeps a part");
        place
    });
    assert!((ends[0] - ends[1]).abs() < 1e-9, "{ends:?}");
}

#[test]
fn frames_with_other_segments_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = frames(&folder);
    fs::write(folder.path().join("3.seg"), "v 0 0 0\nv 0 0 1\ns 2 1\n").expect("it can be written");
    let animated = format!(
        "Animated(name: \"blade\", file: \"{path}/0.seg\", frames: \"{path}/#.seg\", frame_rate: 10, \
         interpolation: Linear, friction: 0.5)"
    );
    let loaded = SceneText::new("scene.ron", scene(0.0, &animated)).load();
    let problems =
        build(&loaded.expect("it is a scene").scene, Path::new("")).expect_err("it is refused");
    assert!(problems[0].message.contains("other segments"), "{problems:?}");
}
