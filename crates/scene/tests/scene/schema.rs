//! The JSON Schema judges structure and ranges as the reader does: by an external validator, Python's `jsonschema`, where
//! it is installed. Where it is missing, the test says so and checks nothing.

use super::versions::current_scenes;
use resile_scene::description::Scene;
use resile_scene::schema::schema;
use resile_scene::text::SceneText;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// One place of so many is changed.
const EVERY: usize = 9;

/// One change to a value, if it makes sense there.
type Mutation = fn(&mut Value) -> bool;

/// What makes most values wrong in their structure.
const MUTATIONS: [(&str, Mutation); 9] = [
    ("text for another value", |value| replace(value, !value.is_string(), json!("wrong"))),
    ("a number for another value", |value| replace(value, !value.is_number(), json!(0.25))),
    ("a list for another value", |value| replace(value, !value.is_array(), json!([]))),
    ("an object for another value", |value| {
        replace(value, !value.is_object(), json!({"wrong": 1}))
    }),
    ("no value", |value| replace(value, true, Value::Null)),
    ("a negative number", |value| replace(value, value.is_u64(), json!(-3))),
    ("a large number", |value| replace(value, value.is_number(), json!(12_345))),
    ("a field too many", |value| {
        value
            .as_object_mut()
            .is_some_and(|fields| fields.insert("wrong".to_owned(), json!(1)).is_none())
    }),
    ("a field too few", |value| {
        let first = value.as_object().and_then(|fields| fields.keys().next().cloned());
        value
            .as_object_mut()
            .zip(first)
            .is_some_and(|(fields, first)| fields.remove(&first).is_some())
    }),
];

fn replace(value: &mut Value, holds: bool, by: Value) -> bool {
    if holds {
        *value = by;
    }
    holds
}

/// Whether no number is out of the range of its field; relations between fields are not for a schema.
fn numbers_are_in_range(scene: &Scene) -> bool {
    let related = ["later than", "at least alpha_min", "from a millionth"];
    let mut messages = scene.check().into_iter().map(|problem| problem.message);
    !messages.any(|message| {
        let is_zero = message.ends_with("is the zero vector");
        is_zero || message.contains(" must be ") && !related.iter().any(|r| message.contains(r))
    })
}

/// Pointers to all values inside of one.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.replace('/', "~1"), value)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(k, item)| (k.to_string(), item)).collect()
        }
        _ => Vec::new(),
    };
    for (key, value) in inner {
        let at = format!("{at}/{key}");
        places(value, &at, all);
        all.push(at);
    }
}

/// A scene, and some of it that is wrong in one place each; a few of these may be good.
fn cases(name: &str, ron: &str, cases: &mut Vec<Value>) {
    let text = SceneText::new("scene.ron", ron).to_json().expect("it has a tree");
    let scene: Value = serde_json::from_str(&text).expect("it is JSON");
    cases.push(json!({"name": name, "scene": scene, "good": true}));
    let mut all = Vec::new();
    places(&scene, "", &mut all);
    // Version and schema are judged by others.
    let all = all.iter().filter(|at| *at != "/version").step_by(EVERY);
    for (number, at) in all.enumerate() {
        let (what, mutate) = MUTATIONS[(number + name.len()) % MUTATIONS.len()];
        let mut wrong = scene.clone();
        if wrong.pointer_mut(at).is_some_and(mutate) {
            let read = Scene::from_json(&wrong.to_string());
            let is_good = read.is_ok_and(|scene| numbers_are_in_range(&scene));
            cases.push(
                json!({"name": format!("{name}, {at}: {what}"), "scene": wrong, "good": is_good}),
            );
        }
    }
}

#[test]
fn schema_accepts_the_structures_and_ranges_of_the_reader() {
    let mut all = Vec::new();
    for (path, ron) in current_scenes() {
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        cases(&name, &ron, &mut all);
    }
    let bad = all.iter().filter(|case| case["good"] == false).count();
    assert!(bad > 300, "{bad} of {} scenes are wrong", all.len());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("cases.json");
    let reported = json!({"schema": schema(), "cases": all});
    std::fs::write(&file, reported.to_string()).expect("the folder can be written");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pythons = [root.join("target/readers/bin/python"), "python3".into()];
    let python = pythons.iter().find(|python| {
        let imports = Command::new(python).args(["-c", "import jsonschema"]).output();
        imports.is_ok_and(|output| output.status.success())
    });
    let Some(python) = python else {
        let _ = writeln!(
            std::io::stderr(),
            "NOT CHECKED: no Python with jsonschema; .ci/run installs it"
        );
        return;
    };
    let script = root.join("crates/scene/tests/readers/schema.py");
    let judged = Command::new(python).arg(script).arg(&file).output().expect("it can be started");
    let printed = String::from_utf8_lossy(&judged.stdout);
    assert!(judged.status.success(), "{printed}\n{}", String::from_utf8_lossy(&judged.stderr));
}

#[test]
fn schema_fields_have_descriptions() {
    let schema = schema();
    let all = schema["$defs"].as_object().expect("it has types");
    assert!(all.len() > 80, "{}", all.len());
    for (name, kind) in all {
        for (field, described) in kind["properties"].as_object().into_iter().flatten() {
            let words = described["description"].as_str().unwrap_or_default();
            assert!(!words.is_empty(), "{name}.{field}");
        }
        for alternative in kind["oneOf"].as_array().into_iter().flatten() {
            assert!(alternative["description"].is_string(), "{name}: {alternative}");
        }
    }
    let step = &all["Output"]["properties"]["checkpoint_steps"];
    // Fields with a default may be null.
    let kinds = [&step["anyOf"][0]["type"], &step["anyOf"][1]["type"]];
    assert_eq!(kinds, [&json!("integer"), &json!("null")]);
    assert_eq!(step["default"], json!(60));
    let density = all["Material"]["properties"]["density"]["description"].as_str();
    assert!(density.is_some_and(|words| words.ends_with("(kg/m^3)")), "{density:?}");
}
