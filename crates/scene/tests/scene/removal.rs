//! Fields removed from a text.

use resile_scene::text::SceneText;

const TEXT: &str = r#"( // a comment
    version: 2,
    materials: {"soft": (density: 1000, model: StVK(young: 1e5, poisson: 0.3))},
    bodies: [(name: "a", shape: File("a.msh"), material: "soft" /* not hard */)],
    gravity: (0, -9.8, 0), contact: Off, integrator: ASearch(),
    time: (step: 0.01, duration: 1), // the end
)"#;

#[test]
fn removed_field_leaves_all_other_text() {
    for (path, removed) in [
        ("bodies.a.material", " material: \"soft\""),
        ("gravity", "gravity: (0, -9.8, 0),"),
        ("contact", "contact: Off,"),
        ("materials.soft.model.StVK.young", "young: 1e5,"),
        ("materials.soft", "\"soft\": (density: 1000, model: StVK(young: 1e5, poisson: 0.3))"),
        ("bodies[0]", "(name: \"a\", shape: File(\"a.msh\"), material: \"soft\" /* not hard */)"),
        ("time.duration", ", duration: 1"),
    ] {
        let mut text = SceneText::new("a.ron", TEXT);
        assert!(text.remove(path), "{path}");
        let expected = TEXT.replacen(removed, "", 1);
        let visible = |text: &str| text.replace([',', ' '], "");
        assert_eq!(visible(text.text()), visible(&expected), "{path}");
        assert!(text.get(path).is_none(), "{path}");
        // What remains has matching brackets and commas.
        assert!(text.to_json().is_some_and(|json| json.starts_with('{')), "{path}");
    }
    let mut text = SceneText::new("a.ron", TEXT);
    assert!(!text.remove("bodies.b") && !text.remove("a..b") && !text.remove("solver"));
    assert_eq!(text.text(), TEXT);
}

#[test]
fn removal_moves_the_overrides_after_it() {
    let mut text = SceneText::new("a.ron", TEXT);
    for argument in ["name=é", "solver.tolerance=1e-4", "gravity=(0, 0, 0)", "time.duration=-1"] {
        text.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    for path in ["name", "gravity", "materials"] {
        assert!(text.remove(path), "{path}");
    }
    text.set("bodies.a.kind=Affine").unwrap_or_else(|error| panic!("{error}"));
    let errors = text.load().expect_err("the duration is negative");
    let sources: Vec<_> = errors.iter().map(|error| error.source.trim()).collect();
    assert!(sources.contains(&"time.duration=-1"), "{sources:?}");
    assert!(!sources.iter().any(|source| source.contains("name=")), "{sources:?}");
}
