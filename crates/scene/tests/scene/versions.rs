//! Scenes of version 1 are the same scenes in the current version.

use super::files::scenes;
use resile_scene::description::{Contact, Scene};
use resile_scene::text::SceneText;
use std::path::PathBuf;

/// All scenes of the repository in the current version of the format, by their files.
pub(crate) fn current_scenes() -> Vec<(PathBuf, String)> {
    let current = |text: &str| SceneText::new("scene.ron", text).current().text().to_owned();
    scenes().into_iter().map(|(path, text)| (path, current(&text))).collect()
}

/// A scene with every name that has changed, and without what is new.
const OLD: &str = include_str!("version_1.ron");

/// The same in version 2.
const NEW: &str = include_str!("version_2.ron");

#[test]
fn scene_of_version_1_is_rewritten_with_comments_and_layout() {
    let old = SceneText::new("old.ron", OLD);
    assert_eq!(old.current().text(), NEW);
    assert_eq!(old.read().expect("it is a scene"), Scene::from_ron(NEW).expect("it is a scene"));
    let changes = old.changes().expect("it is of version 1");
    assert_eq!(changes.len(), 6, "{changes:?}");
    assert_eq!(old.current().changes(), None);
    // Contact was off by default.
    let line =
        |text: &str| text.lines().find(|line| line.contains("contact: Barrier")).map(str::to_owned);
    let without = OLD.replacen(&(line(OLD).expect("it is there") + "\n"), "", 1);
    let stated = NEW.replacen(&(line(NEW).expect("it is there") + "\n"), "", 1);
    let stated = stated.replacen("    integrator:", "    contact: Off,\n    integrator:", 1);
    assert_eq!(SceneText::new("old.ron", without).current().text(), stated);
    // In JSON, too.
    let json = old.to_json().expect("it has a tree");
    let json = SceneText::new("old.json", json);
    assert_eq!(json.read().expect("it is a scene"), old.read().expect("it is a scene"));
    let written = SceneText::new("new.ron", NEW).to_json().expect("it has a tree");
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
    assert_eq!(value(json.current().text()), value(&written));
}

/// A text of version 1 has the same values, and the motion text of both is the same, which identifies recorded runs.
#[test]
fn every_scene_of_the_repository_is_equal_in_both_versions() {
    let mut converted = 0;
    for (path, text) in scenes() {
        let text = SceneText::new("scene.ron", text);
        let scene = text.read().unwrap_or_else(|errors| panic!("{}", errors[0]));
        let current = text.current();
        converted += usize::from(text.changes().is_some());
        let again = current.read().unwrap_or_else(|errors| panic!("{}", errors[0]));
        // Version 2 has a default where version 1 has none and needs none.
        let again = Scene { contact: scene.contact.clone(), ..again };
        assert_eq!(scene.motion_text(), again.motion_text(), "{}", path.display());
    }
    assert!(converted > 0);
}

#[test]
fn errors_in_version_1_are_located_in_its_text() {
    let faults = [
        ("least: \"a\"", "least: 0.25"),
        ("gravity: (0, -9.81)", "gravity: (0, -9.81, 0)"),
        ("stiffness: -2", "stiffness: 2"),
    ];
    for (wrong, right) in faults {
        let text = OLD.replacen(right, wrong, 1);
        assert!(text.contains(wrong), "{wrong}");
        let line = 1 + text[..text.find(wrong).expect("it is there")].matches('\n').count();
        let errors = SceneText::new("old.ron", text).load().expect_err(wrong);
        let error = &errors[0];
        assert_eq!(error.line, line, "{error}");
        assert!(OLD.lines().count() > error.line && error.source.contains(wrong), "{error}");
    }
}

#[test]
fn version_1_requires_what_it_required() {
    for field in
        ["gravity: (0, -9.81, 0),", "integrator: ASearch(),", "time: (step: 0.01, duration: 1),"]
    {
        let text = OLD.replacen(field, "", 1);
        assert_ne!(text, OLD, "{field}");
        let errors = SceneText::new("old.ron", text).read().expect_err(field);
        assert!(errors[0].help.contains("which version 1 requires"), "{}", errors[0]);
    }
    for field in ["d_hat: 1e-3, ", "kappa: 1e5, ", "friction_rule: Min, "] {
        let text = OLD.replacen(field, "", 1);
        assert_ne!(text, OLD, "{field}");
        let errors = SceneText::new("old.ron", text).read().expect_err(field);
        assert!(errors[0].message.contains("`Barrier`"), "{}", errors[0]);
    }
    let errors = SceneText::new("old.ron", OLD.replacen("friction: 0.3,", "", 1)).load();
    assert!(errors.expect_err("no friction")[0].message.contains("no coefficient of friction"));
}

#[test]
fn old_names_are_unknown_in_version_2_and_the_new_ones_are_suggested() {
    for (new, old) in [
        ("exclude: [(", "off: [("),
        ("threshold: 0.25", "least: 0.25"),
        ("Drag(", "EtherDrag("),
        ("flight: Exact", "flight: Followed"),
        ("contact: Original", "touch: Original"),
        ("rest_length: 0.1", "rest: 0.1"),
    ] {
        let text = NEW.replacen(new, old, 1);
        assert_ne!(text, NEW, "{old}");
        let errors = SceneText::new("new.ron", text).read().expect_err(old);
        let name = new.split([':', '(']).find(|part| !part.is_empty()).expect("a name");
        let name = if name == "flight" { "Exact" } else { name };
        assert!(errors[0].help.starts_with(&format!("did you mean `{name}`?")), "{}", errors[0]);
    }
}

#[test]
fn overrides_of_version_1_accept_new_names_of_fields_that_it_gives() {
    let read = |text: &str| {
        let mut text = SceneText::new("a.ron", text);
        for argument in [
            "contact.exclude=[]",
            "bodies.soft.hold[0].region.threshold=0.5",
            "bodies.string.terms[0].rest_length=0.2",
            "bodies.soft.shape.surface.contact=Boundary",
        ] {
            text.set(argument).unwrap_or_else(|error| panic!("{error}"));
        }
        text.read().unwrap_or_else(|errors| panic!("{}", errors[0]))
    };
    let scene = read(OLD);
    assert_eq!(scene, read(NEW));
    assert!(matches!(&scene.contact, Contact::Barrier { exclude, .. } if exclude.is_empty()));
}

#[test]
fn overrides_apply_to_version_1_and_2() {
    for text in [OLD, NEW] {
        let mut text = SceneText::new("a.ron", text);
        for argument in ["gravity=(0, -1.6, 0)", "contact.kappa=2e5", "bodies.soft.friction=0.1"] {
            text.set(argument).unwrap_or_else(|error| panic!("{error}"));
        }
        let scene = text.read().unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!((scene.gravity[1], scene.bodies[0].friction), (-1.6, Some(0.1)));
        assert!(matches!(scene.contact, Contact::Barrier { kappa: Some(2e5), .. }));
        text.set("time.duration=-1").unwrap_or_else(|error| panic!("{error}"));
        let errors = text.load().expect_err("the duration is negative");
        assert_eq!(
            (errors[0].file.as_str(), errors[0].source.as_str()),
            ("--set", "time.duration=-1")
        );
    }
}

#[test]
fn unknown_versions_name_the_known_ones() {
    for version in ["0", "3", "-1", "1.5", "\"2\"", "Two"] {
        let text = NEW.replacen("version: 2", &format!("version: {version}"), 1);
        let errors = SceneText::new("a.ron", text).read().expect_err(version);
        assert_eq!(errors.len(), 1, "{}", errors[0]);
        let help = &errors[0].help;
        assert!(help.contains("(version: 2,") && help.contains("version 1"), "{}", errors[0]);
        assert_eq!((errors[0].line, errors[0].column), (3, 14), "{}", errors[0]);
    }
}

const SHORT: &str = r#"(
    version: 2,
    bodies: [(
        name: "cube",
        shape: Box(size: (0.1, 0.1, 0.1), cells: (4, 4, 4)),
        material: "silicone",
        placement: (translate: (0, 0.2, 0)),
    )],
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0))],
    time: (duration: 1),
)"#;

#[test]
fn defaults_are_those_of_the_reference_in_all_units() {
    let defaults = |text: &str| {
        let loaded = SceneText::new("a.ron", text).load();
        let loaded = loaded.unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert!(loaded.warnings.is_empty(), "{}", loaded.warnings[0]);
        loaded.scene
    };
    let scene = defaults(SHORT);
    let millimetres = SHORT
        .replace("version: 2,", "version: 2, units: Millimetres,")
        .replace("(0.1, 0.1, 0.1)", "(100, 100, 100)")
        .replace("(0, 0.2, 0)", "(0, 200, 0)");
    assert_eq!(defaults(&millimetres).motion_text(), scene.motion_text());
    let stated = SHORT.replace(
        "time: (duration: 1)",
        "gravity: (0, -9.81, 0), integrator: ASearch(), time: (step: \"1/120\", duration: 1)",
    );
    let material = scene.materials_in_use()["silicone"].clone();
    let pressure = 10.0 * (material.density * material.model.young()).sqrt();
    let kappa = scene.default_kappa();
    assert!((kappa / pressure - 1.0).abs() < 0.05, "{kappa}, not {pressure}");
    let stated = stated.replace(
        "obstacles:",
        &format!("contact: Barrier(d_hat: 1e-3, kappa: {kappa}, friction_rule: GeometricMean), obstacles:"),
    );
    let stated = stated.replace("(0, 1, 0))]", "(0, 1, 0), friction: 0.5)]");
    let stated = stated.replace("0.2, 0)),", "0.2, 0)), friction: 0.5,");
    assert_eq!(defaults(&stated), scene);
    // Stated in the text of a run, and in the whole of a scene.
    for (text, d_hat) in [(SHORT, "0.001"), (&millimetres, "1,")] {
        let text = SceneText::new("a.ron", text);
        let whole = text.with_defaults(&text.read().expect("it is a scene"));
        let again = SceneText::new("a.ron", whole.as_str());
        let read = again.read().unwrap_or_else(|errors| panic!("{}\n{whole}", errors[0]));
        assert_eq!(read, text.read().expect("it is a scene"));
        assert_eq!(text.defaults(&read).len(), 5, "{:?}", text.defaults(&read));
        assert_eq!(again.defaults(&read), Vec::<String>::new());
        assert!(whole.contains(d_hat) && whole.contains("friction: 0.5"), "{whole}");
        // Again with contact that omits all of its fields.
        let text = text.text().replace("time:", "contact: Barrier(), time:");
        let text = SceneText::new("a.ron", text);
        let whole = text.with_defaults(&text.read().expect("it is a scene"));
        let read =
            Scene::from_ron(&whole).unwrap_or_else(|errors| panic!("{}\n{whole}", errors[0]));
        assert_eq!(read, text.read().expect("it is a scene"));
        assert!(whole.contains("Barrier(d_hat: "), "{whole}");
    }
    assert_eq!(Scene::from_ron(&scene.to_ron()).expect("it is a scene"), scene);
}
