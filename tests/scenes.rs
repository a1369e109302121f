//! Every scene of the project can be read, and says what it is meant to say.

use resile_scene::description::{Contact, ExpandedBody, FrictionRule, Scene};
use resile_scene::text::SceneText;

fn load(name: &str) -> Scene {
    let path = format!("{}/../scenes/{name}.ron", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let loaded = SceneText::new(name, text).load().unwrap_or_else(|problems| {
        panic!("{}", problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    });
    assert_eq!(loaded.warnings, [], "{name}: the scenes are examples");
    loaded.scene
}

#[test]
fn scenes_load_without_warnings() {
    let folder = format!("{}/../scenes", env!("CARGO_MANIFEST_DIR"));
    let mut read = 0;
    for entry in std::fs::read_dir(folder).expect("the scenes are there") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().is_some_and(|extension| extension == "ron") {
            load(path.file_stem().and_then(|stem| stem.to_str()).expect("a plain name"));
            read += 1;
        }
    }
    assert!(read >= 8, "{read} scenes");
}

#[test]
fn each_die_has_its_own_friction_with_the_floor_increasing_quadratically() {
    let scene = load("dice");
    let Contact::Barrier { friction_rule: FrictionRule::Min, .. } = scene.contact else {
        panic!("the smaller coefficient counts")
    };
    let floor = scene.obstacles[0].friction().expect("contact is on");
    let dice = scene.expand();
    let coefficients: Vec<_> =
        dice.iter().map(|die| die.body.friction.expect("contact is on").min(floor)).collect();
    let expected: Vec<_> = (0..8).map(|i| (f64::from(i) / 7.0).powi(2)).collect();
    for (found, expected) in coefficients.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-15, "{coefficients:?}");
    }
    let names: Vec<_> = dice.iter().map(|ExpandedBody { body, .. }| body.name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[7]), (8, "die[0]", "die[7]"));
    let last = &dice[7].body.placement;
    assert!((last.translate[2] - 1.4).abs() < 1e-12, "{last:?}");
    assert_eq!(last.rotate.last().map(|rotation| rotation.degrees), Some(40.0));
    assert_eq!(scene.time.steps(), 720);
}

#[test]
fn motion_text_ignores_settings_that_do_not_change_the_motion() {
    let path = format!("{}/../scenes/dice.ron", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the scene is there");
    let motion = |argument: &str| {
        let mut text = SceneText::new("dice.ron", text.clone());
        if !argument.is_empty() {
            text.set(argument).unwrap_or_else(|error| panic!("{error}"));
        }
        text.load().unwrap_or_else(|errors| panic!("{}", errors[0])).scene.motion_text()
    };
    let original = motion("");
    let same = ["time.duration=60", "output.frame_rate=10", "name=\"other\"", "time.step=1/120"];
    for same in same.into_iter().chain(["solver.tolerance=1e-3", "solver.max_halvings=9"]) {
        assert_eq!(motion(same), original, "{same}");
    }
    for other in ["time.step=1/121", "gravity[1]=-9.80001", "bodies.die.velocity=(0, 0, 0)"] {
        assert_ne!(motion(other), original, "{other}");
    }
}

#[test]
fn scenes_survive_writing_and_reading() {
    let scene = load("dice");
    let written = ron::to_string(&scene).expect("plain data can be written");
    let read: Scene = ron::from_str(&written).expect("what is written can be read");
    assert_eq!(read, scene);
}
