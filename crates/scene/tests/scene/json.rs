//! Scenes in JSON: the same scenes, and the same mistakes in the same places.

use super::files::scenes;
use proptest::prelude::*;
use resile_scene::description::Scene;
use resile_scene::text::{Diagnostic, SceneText};
use std::path::Path;

fn read(form: &str, path: &Path, text: Result<Scene, Vec<Diagnostic>>) -> Scene {
    text.unwrap_or_else(|errors| panic!("{}, {form}: {}", path.display(), errors[0]))
}

/// All of a scene, each number to the bit.
fn same(scene: &Scene, other: &Scene) -> bool {
    // RON has the shortest text that gives a number, and tells zeros apart.
    scene == other && scene.to_ron() == other.to_ron()
}

#[test]
fn every_scene_survives_json_exactly() {
    let scenes = scenes();
    assert!(scenes.len() > 100, "{}", scenes.len());
    for (path, text) in scenes {
        let scene = read("RON", &path, Scene::from_ron(&text));
        let json = read("JSON", &path, Scene::from_json(&scene.to_json()));
        assert!(same(&scene, &json), "{}", path.display());
        let ron = read("RON", &path, Scene::from_ron(&json.to_ron()));
        assert!(same(&scene, &ron), "{}", path.display());
        let written = SceneText::new("scene.ron", text).to_json().expect("it has a tree");
        let written = read("as written", &path, Scene::from_json(&written));
        assert!(same(&scene, &written), "{}", path.display());
    }
}

/// Neither conversion adds a field, so that defaults follow the fields that they depend on.
#[test]
fn conversion_from_json_has_the_fields_of_the_text_alone() {
    let converted = |file: &str, text: &str| {
        let text = SceneText::new(file, text);
        SceneText::new("scene.ron", text.to_ron().expect("it has a tree"))
    };
    for (path, text) in scenes() {
        let original = SceneText::new("scene.ron", text);
        let json = original.current().to_json().expect("it has a tree");
        let ron = converted("scene.json", &json);
        let scene = read("converted", &path, ron.read());
        assert!(same(&scene, &read("JSON", &path, Scene::from_json(&json))), "{}", path.display());
        let again = ron.to_json().expect("it has a tree");
        let [json, again] = [json, again]
            .map(|text| serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON"));
        assert_eq!(json, again, "{}", path.display());
        let lines = ron.text().lines();
        assert!(lines.count() > 3, "{}: {}", path.display(), ron.text());
    }
    let json = SceneText::new("scene.ron", include_str!("wrong_scenes.ron")).to_json();
    let json = json.expect("it has a tree");
    let unusual = json
        .replacen("\"version\": 2,", "\"$schema\": \"a\", \"name\": \"\\u00e9\\\"\\n\",", 1)
        .replacen("\"count\": 8", "\"count\": 8.0", 1)
        .replacen("\"Min\"", "{\"Min\": null}", 1);
    let unusual = unusual.trim_end().strip_suffix('}').expect("it is an object");
    let unusual = format!("{unusual}, \"version\": 2.0}}");
    let scene = Scene::from_json(&unusual).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let ron = converted("scene.json", &unusual);
    let again = ron.read().unwrap_or_else(|errors| panic!("{}\n{}", errors[0], ron.text()));
    assert!(same(&scene, &again), "{}", ron.text());
    assert_eq!(scene.name.as_deref(), Some("\u{e9}\"\n"));
}

proptest! {
    #[test]
    fn finite_numbers_survive_json(bits in any::<[u64; 3]>(), seconds in any::<f64>()) {
        let mut scene = Scene::from_ron(include_str!("wrong_scenes.ron")).expect("it is a scene");
        let numbers = bits.map(f64::from_bits);
        prop_assume!(numbers.iter().chain([&seconds]).all(|x| x.is_finite()));
        scene.gravity = numbers;
        scene.time.duration = seconds;
        let json = Scene::from_json(&scene.to_json()).expect("it is a scene");
        let ron = Scene::from_ron(&json.to_ron()).expect("it is a scene");
        for other in [json, ron] {
            prop_assert_eq!(other.gravity.map(f64::to_bits), numbers.map(f64::to_bits));
            prop_assert_eq!(other.time.duration.to_bits(), seconds.to_bits());
        }
    }
}

/// A scene with mistakes in its JSON, as `wrong` makes them out of it.
fn said(changes: &[(&str, &str)]) -> String {
    let right = SceneText::new("scene.ron", include_str!("wrong_scenes.ron")).to_json();
    let mut json = right.expect("it has a tree");
    for (right, wrong) in changes {
        assert!(json.contains(right), "{right} in {json}");
        json = json.replacen(right, wrong, 1);
    }
    let Err(output) = SceneText::new("dice.json", json).load() else { panic!("{changes:?}") };
    output.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn json_errors_have_position_and_remedy() {
    let all = said(&[
        ("\"young\"", "\"E\""),
        ("\"ASearch\"", "\"ASerch\""),
        ("\"count\": 8", "\"count\": 8.5"),
        ("[0.3, 0, 0]", "[0.3, 0]"),
        ("\"poisson\": 0.3", "\"poisson\": \"0.3\""),
        ("\"Min\"", "{\"Min\": {}}"),
        ("\"1/120\"", "\"120 Hz\""),
        ("\"duration\": 6", "\"duration\": 6, \"duration\": 7"),
    ]);
    let syntax = [
        ("a missing comma", "\"version\": 2,", "\"version\": 2"),
        ("a comma too many", "[0.3, 0, 0]", "[0.3, 0, 0,]"),
        ("a missing bracket", "[0.3, 0, 0]", "[0.3, 0, 0"),
        ("a name without quotes", "\"gravity\"", "gravity"),
        ("a comment", "\"gravity\"", "// down\n  \"gravity\""),
        ("RON", "[0.3, 0, 0]", "(0.3, 0, 0)"),
        ("no number", "[0.3, 0, 0]", "[NaN, 0, 0]"),
        ("another version", "\"version\": 2", "\"version\": 3"),
        ("no version", "\"version\": 2,", ""),
    ];
    let syntax =
        syntax.map(|(what, right, wrong)| format!("# {what}\n{}", said(&[(right, wrong)])));
    let numbers = said(&[
        ("\"d_hat\": 1e-3", "\"d_hat\": -1"),
        ("\"normal\": [0, 1, 0]", "\"normal\": [0, 0, 0]"),
    ]);
    insta::assert_snapshot!(format!("{all}\n\n{}\n\n# numbers\n{numbers}", syntax.join("\n\n")));
}

/// Paths through the name of a variant with one value are those of JSON.
#[test]
fn values_of_variants_have_one_path_in_ron_and_json() {
    let ron = include_str!("wrong_scenes.ron").replace(
        "NeoHookean(young: 3e5, poisson: 0.3)",
        "NeoHookean(young: 3e5, poisson: 0.3), viscosity: Prony([(modulus: 0.3, time: 0.1)])",
    );
    let json = SceneText::new("scene.ron", &*ron).to_json().expect("it has a tree");
    let after = |file: &str, text: &str, argument: &str| {
        let mut text = SceneText::new(file, text);
        text.set(argument).unwrap_or_else(|error| panic!("{argument}: {error}"));
        text.load().unwrap_or_else(|errors| panic!("{argument}: {}", errors[0])).scene
    };
    let path = "materials.rubber.viscosity.Prony";
    for argument in [
        format!("{path}[0].time=0.2"),
        format!("{path}[0]=(modulus: 0.2, time: 3)"),
        format!("{path}=[(modulus: 0.2, time: 1), (modulus: 0.1, time: 2)]"),
    ] {
        let scenes = [after("a.ron", &ron, &argument), after("a.json", &json, &argument)];
        assert!(same(&scenes[0], &scenes[1]), "{argument}");
    }
    let known = SceneText::new("a.ron", &*ron);
    assert_eq!(known.get(&format!("{path}[0].time")), Some("0.1"));
    assert_eq!(known.get("materials.rubber.viscosity[0][0].time"), Some("0.1"));
}

#[test]
fn json_fields_can_be_overridden_in_ron_and_json() {
    let ron = include_str!("wrong_scenes.ron");
    let json = SceneText::new("scene.ron", ron).to_json().expect("it has a tree");
    let after = |file: &str, text: &str, argument: &str| {
        let mut text = SceneText::new(file, text);
        text.set(argument).unwrap_or_else(|error| panic!("{argument}: {error}"));
        text.load()
            .unwrap_or_else(|errors| panic!("{argument}: {}\n{}", errors[0], text.text()))
            .scene
    };
    for argument in [
        "time.step=1/240",
        "gravity=(0, -1.6, 0)",
        "gravity[1]=-1.6",
        "integrator=Bdf2",
        "integrator=ASearch(alpha_max: 1.2)",
        "integrator.alpha_max=1.2",
        "integrator.ASearch.alpha_max=1.2",
        "bodies.die.friction=0.1",
        "bodies[0].shape=Box(size: (0.1, 0.1, 0.2), cells: (1, 1, 2))",
        "bodies.die.shape.cells=(2, 2, 2)",
        "bodies.die.deform=[Twist(axis: Y, degrees: 10)]",
        "obstacles.floor.friction=0.5",
        "materials.rubber.model.young=1e6",
        "materials.steel=(density: 7800, model: StVK(young: 2e11, poisson: 0.3))",
        "solver.tolerance=1e-4",
        "output.formats=[Ply]",
        "name=\"other\"",
        "contact=Off",
        "solver.max_seconds_per_step=Some(3)",
    ] {
        let scenes = [after("a.ron", ron, argument), after("a.json", &json, argument)];
        assert!(same(&scenes[0], &scenes[1]), "{argument}");
    }
    for (in_ron, in_json) in [
        ("gravity=(0, -1.6, 0)", "gravity=[0, -1.6, 0]"),
        ("integrator=ASearch(alpha_max: 1.2)", "integrator={\"ASearch\": {\"alpha_max\": 1.2}}"),
        ("name=None", "name=null"),
    ] {
        let scenes = [after("a.ron", ron, in_ron), after("a.json", &json, in_json)];
        assert!(same(&scenes[0], &scenes[1]), "{in_json}");
    }
    let mut text = SceneText::new("a.json", json);
    text.set("time.duration=-1").expect("it is a number");
    let output = text.load().expect_err("the duration is negative");
    assert_eq!((output[0].file.as_str(), output[0].source.as_str()), ("--set", "time.duration=-1"));
}

#[test]
fn error_positions_of_damaged_json_are_within_the_text() {
    let json = SceneText::new("scene.ron", include_str!("wrong_scenes.ron")).to_json();
    let json = json.expect("it has a tree");
    let mut refused = 0;
    for at in (0..json.len()).filter(|&at| json.is_char_boundary(at)) {
        let (before, after) = json.split_at(at);
        let inserted = ["{", "}", "\"", "é\t", "-", "]", "x", "//", "\\"];
        let inserted = inserted.iter().map(|piece| format!("{before}{piece}{after}"));
        for text in inserted.chain([before.to_owned(), format!("{before}{}", &after[1..])]) {
            let lines: Vec<_> = text.split('\n').map(|line| line.chars().count()).collect();
            let Err(output) = SceneText::new("dice.json", text).load() else { continue };
            refused += 1;
            for Diagnostic { line, column, message, .. } in output {
                let length = lines.get(line - 1);
                assert!(length.is_some_and(|length| column <= length + 1), "{message}");
                assert!(!message.is_empty(), "something must be said");
            }
        }
    }
    assert!(refused > json.len(), "{refused} of {} places", json.len());
}

#[test]
fn scene_may_name_its_schema_and_order_its_fields_freely() {
    let json = SceneText::new("scene.ron", include_str!("wrong_scenes.ron")).to_json();
    let json =
        json.expect("it has a tree").replacen('{', "{\"$schema\": \"./scene.schema.json\",", 1);
    let scene = Scene::from_json(&json).expect("it is a scene");
    let last = json.replacen("\"version\": 2,", "", 1);
    let last = format!("{}, \"version\": 2}}", last.trim_end().trim_end_matches('}').trim_end());
    assert!(same(&scene, &Scene::from_json(&last).expect("it is a scene")));
    assert!(Scene::from_json(&json.replacen("$schema", "$sheme", 1)).is_err());
}

/// JSON has one type of numbers, and numpy and R write 2.0.
#[test]
fn integers_may_be_written_with_a_point_in_json() {
    let json = SceneText::new("scene.ron", include_str!("wrong_scenes.ron")).to_json();
    let json = json.expect("it has a tree");
    let scene = Scene::from_json(&json).expect("it is a scene");
    for written in ["8.0", "8e0", "0.8e1"] {
        let changed = json.replacen("\"count\": 8", &format!("\"count\": {written}"), 1);
        assert_ne!(changed, json);
        assert!(same(&scene, &Scene::from_json(&changed).expect("it is a scene")), "{written}");
    }
    let version = json.replacen("\"version\": 2", "\"version\": 2.0", 1);
    assert!(same(&scene, &Scene::from_json(&version).expect("it is a scene")));
    for written in ["8.5", "-8.0", "1e300", "9007199254740994.0"] {
        let output = said(&[("\"count\": 8", &format!("\"count\": {written}"))]);
        assert!(output.contains("expected a non-negative integer"), "{output}");
    }
}

/// Every field that is not required may be `null` in JSON and `None` in RON, with the meaning of its default.
#[test]
fn null_is_an_omitted_field() {
    use resile_scene::schema::{Type, Types};
    let ron = include_str!("wrong_scenes.ron");
    let json = SceneText::new("scene.ron", ron).to_json().expect("it has a tree");
    let body = "\"name\": \"die\"";
    assert!(json.contains(body) && ron.contains("name: \"die\""));
    let types = Types::of_scenes();
    let mut counts = [0; 2];
    for (owner, place_in_json, place_in_ron) in [
        ("Scene", "\"version\": 2", "version: 2"),
        ("Body", body, "name: \"die\""),
        ("Time", "\"duration\": 6", "duration: 6"),
        ("Barrier", "\"d_hat\": 1e-3", "d_hat: 1e-3"),
        ("Material", "\"density\"", "density"),
    ] {
        let fields = types.fields.get(owner).or(types.fields.get("Contact::Barrier"));
        for (name, field) in fields.expect("it has fields") {
            let absent_json = SceneText::new("a.json", json.as_str());
            let path = match owner {
                "Scene" => (*name).to_owned(),
                "Body" => format!("bodies.die.{name}"),
                "Time" => format!("time.{name}"),
                "Barrier" => format!("contact.{name}"),
                _ => format!("materials.rubber.{name}"),
            };
            if absent_json.get(&path).is_some() || field.is_required {
                continue;
            }
            counts[usize::from(matches!(field.value_type, Type::Optional(_)))] += 1;
            let with_null =
                json.replacen(place_in_json, &format!("\"{name}\": null, {place_in_json}"), 1);
            let scene = Scene::from_json(&with_null)
                .unwrap_or_else(|errors| panic!("{path}: {}", errors[0]));
            assert!(same(&scene, &Scene::from_json(&json).expect("it is a scene")), "{path}");
            // In RON the version comes first.
            let none = match owner {
                "Scene" => ron.replacen(place_in_ron, &format!("{place_in_ron}, {name}: None"), 1),
                _ => ron.replacen(place_in_ron, &format!("{name}: None, {place_in_ron}"), 1),
            };
            let scene =
                Scene::from_ron(&none).unwrap_or_else(|errors| panic!("{path}: {}", errors[0]));
            assert!(same(&scene, &Scene::from_ron(ron).expect("it is a scene")), "{path}");
            let converted = SceneText::new("a.json", with_null).to_ron().expect("it has a tree");
            assert!(converted.contains(&format!("{name}: None")), "{converted}");
            let scene = Scene::from_ron(&converted);
            let scene = scene.unwrap_or_else(|errors| panic!("{path}: {}", errors[0]));
            assert!(same(&scene, &Scene::from_ron(ron).expect("it is a scene")), "{path}");
        }
    }
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
    // Within alternatives, lists and options; and nowhere else.
    let nested = ron.replacen(
        "duration: 6)",
        "duration: 6), solver: (tolerance: None, friction: (rounds: None /* , */ , ))",
        1,
    );
    let expected = ron.replacen("duration: 6)", "duration: 6), solver: (friction: ())", 1);
    let [nested, expected] = [nested, expected]
        .map(|text| Scene::from_ron(&text).unwrap_or_else(|errors| panic!("{}", errors[0])));
    assert!(same(&nested, &expected));
    for wrong in ["bodies", "time", "version"] {
        let output = said(&[("{", &format!("{{\"{wrong}\": null, \"x\": "))]);
        assert!(!output.is_empty(), "{wrong}");
    }
    let output = said(&[("[0.3, 0, 0]", "[null, 0, 0]")]);
    assert!(output.contains("found `null`"), "{output}");
}
