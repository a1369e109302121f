//! Scenes in JSON, wherever a scene is accepted.

use crate::support::{Place, SCENE};
use serde_json::Value;

#[test]
fn json_scenes_work_with_every_command() {
    let place = Place::new(SCENE);
    place.sim(&["new", "my.json", "--from", "first"]).exit(0);
    let json: Value = serde_json::from_str(&place.read("my.json")).expect("it is JSON");
    assert_eq!(json["version"], 2);
    place.sim(&["new", "my.ron", "--from", "first"]).exit(0);
    let message = |words: &[&str]| place.sim(words).exit(0).stdout.replace("my.ron", "my.json");
    assert_eq!(message(&["check", "my.ron"]), message(&["check", "my.json"]));
    assert_eq!(message(&["info", "my.ron"]), message(&["info", "my.json"]));

    let set = ["--set", "gravity=[0, -1.6, 0]", "--set", "integrator=Bdf2"];
    let run = ["run", "my.json", "--quiet", "--steps", "3", "-o", "out/json"];
    place.sim(&[&run[..], &set].concat()).exit(0);
    let set = ["--set", "gravity=(0, -1.6, 0)", "--set", "integrator=Bdf2"];
    let run = ["run", "my.ron", "--quiet", "--steps", "3", "-o", "out/ron"];
    place.sim(&[&run[..], &set].concat()).exit(0);
    assert_eq!(place.history("out/json/history.csv"), place.history("out/ron/history.csv"));
    place.sim(&["verify", "out/json", "--quiet"]).exit(0);
    place.sim(&["rerun", "out/json", "--quiet"]).exit(0);
}

#[test]
fn json_errors_use_json_terms() {
    let place = Place::new(SCENE);
    place.sim(&["new", "my.json", "--from", "first"]).exit(0);
    let wrong = place.read("my.json").replacen("\"duration\"", "\"duratoin\"", 1);
    place.write("my.json", &wrong);
    let message = place.sim(&["check", "my.json"]).exit(2).stderr;
    assert!(message.starts_with("my.json:"), "{message}");
    assert!(message.contains("unknown field `duratoin` in `Time`"), "{message}");
    assert!(message.contains("did you mean `duration`?"), "{message}");
}
