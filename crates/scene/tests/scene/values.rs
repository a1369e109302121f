//! Values that are read at a path and set at the same path, and quotes that the types imply.

use super::versions::current_scenes;
use resile_scene::text::{FieldValue, SceneText};
use serde_json::Value;

fn parsed(text: &SceneText) -> Value {
    serde_json::from_str(&text.to_json().expect("it has a tree")).expect("it is JSON")
}

/// A value of JSON, which has no tuples and no words.
fn plain(value: &Value) -> FieldValue {
    match value {
        Value::Null => FieldValue::Nothing,
        Value::Bool(truth) => FieldValue::Truth(*truth),
        Value::Number(number) => FieldValue::Number(number.to_string()),
        Value::String(text) => FieldValue::Text(text.clone()),
        Value::Array(items) => {
            FieldValue::Items { values: items.iter().map(plain).collect(), is_tuple: false }
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| (name.clone(), plain(value));
            FieldValue::Fields(fields.iter().map(field).collect())
        }
    }
}

/// Every path with its value, the names of alternatives included.
fn paths<'v>(value: &'v Value, path: &str, found: &mut Vec<(String, &'v Value)>) {
    if !path.is_empty() {
        found.push((path.to_owned(), value));
    }
    match value {
        // Of vectors, which are many, only the whole.
        Value::Array(items) if !items.iter().all(Value::is_number) => {
            for (index, item) in items.iter().enumerate() {
                paths(item, &format!("{path}[{index}]"), found);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = if name.contains(['.', '[', '=']) {
                    format!("\"{name}\"")
                } else {
                    name.clone()
                };
                let dot = if path.is_empty() { "" } else { "." };
                paths(value, &format!("{path}{dot}{name}"), found);
            }
        }
        _ => {}
    }
}

/// Limit of the paths of a scene that are tested.
const MAX_PATHS: usize = 200;

#[test]
fn setting_the_value_of_any_path_changes_no_scene() {
    let mut count = 0;
    for (file, text) in current_scenes() {
        let scene = SceneText::new("scene.ron", text);
        let before = parsed(&scene);
        let mut found = Vec::new();
        paths(&before, "", &mut found);
        // Of long scenes, every so many paths.
        let paths: Vec<_> = found.iter().step_by(1 + found.len() / MAX_PATHS).collect();
        count += paths.len();
        for (path, value) in paths {
            let written = scene.format_value(path, &plain(value));
            let mut changed = scene.clone();
            let set = changed.set(&format!("{path}={written}"));
            set.unwrap_or_else(|error| panic!("{}, {path}: {error}", file.display()));
            assert_eq!(parsed(&changed), before, "{}: {path}={written}", file.display());
            // Reading every change of every scene takes minutes.
            if value.is_object() {
                let read = changed.read().map_err(|errors| errors[0].to_string());
                read.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            }
        }
    }
    assert!(count > 5_000, "{count}");
}

const SCENE: &str = r#"(
    version: 1,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))},
    bodies: [(name: "a", shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), material: "rubber")],
    gravity: (0, -9.8, 0), contact: Off, integrator: ImplicitEuler, time: (step: 0.01, duration: 1),
)"#;

#[test]
fn quotes_may_be_absent_where_only_text_can_be_meant() {
    for (argument, quoted) in [
        ("time.step=1/120", "\"1/120\""),
        ("bodies.a.material=hard rubber", "\"hard rubber\""),
        ("bodies.a.shape=File(meshes/a-1.msh)", "File(\"meshes/a-1.msh\")"),
        ("bodies.a.shape=File(\"a.msh\")", "File(\"a.msh\")"),
        ("bodies.a.terms=[BodyForce(force: (0, 5*sin(2*t), 1))]", "(0, \"5*sin(2*t)\", 1)"),
        ("name=swing", "\"swing\""),
        ("name=None", "name: None"),
        ("bodies.a.placement.scale=(1, 2, 1)", "scale: (1, 2, 1)"),
        ("contact=Off", "contact: Off"),
    ] {
        let mut text = SceneText::new("a.ron", SCENE);
        text.set(argument).unwrap_or_else(|error| panic!("{argument}: {error}"));
        assert!(text.text().contains(quoted), "{argument}: {}", text.text());
        text.read().unwrap_or_else(|errors| panic!("{argument}: {}", errors[0]));
    }
}
