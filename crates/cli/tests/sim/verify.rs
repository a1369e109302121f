//! `sim verify`: exit codes, what is said, and JSON.

use crate::support::{Place, SCENE};

/// The scene in a folder of its own, run.
fn run() -> Place {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "--quiet"]).exit(0);
    place
}

const FRAME: &str = "out/scene/frames/frame_000003.vtu";

#[test]
fn verify_exits_with_zero_without_crossings() {
    let place = run();
    let output = place.sim(&["verify", "scene.ron"]).exit(0);
    for word in ["scene", "no intersections", "48 triangles; 1 closed", "touching"] {
        assert!(output.stdout.contains(word), "{word}: {}", output.stdout);
    }
    assert_eq!(output.stderr, "", "there is no bar where there is no terminal");
    let quiet = place.sim(&["verify", "scene.ron", "--quiet"]).exit(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    let same = place.sim(&["verify", "scene.ron", "-o", "out/scene", "--threads", "1"]).exit(0);
    assert_eq!(same.stdout, output.stdout);
}

#[test]
fn verify_reports_a_crossing_and_exits_with_one() {
    let place = run();
    // A floor that is higher than it was in the run.
    let raised = ["verify", "scene.ron", "--set", "obstacles[0].point=(0, 0.02, 0)"];
    let output = place.sim(&raised).exit(1);
    for word in
        ["CROSSED", "frame ", "vertex ", "\"die\" is behind plane \"floor\"", " m deep, at ("]
    {
        assert!(output.stdout.contains(word), "{word}: {}", output.stdout);
    }
    let json = place.sim(&[&raised[..], &["--json"]].concat()).exit(1).stdout;
    for word in ["\"verdict\": \"crossed\"", "\"crossings\": [", "\"floor\"", "\"depth\": "] {
        assert!(json.contains(word), "{word}: {json}");
    }
}

#[test]
fn verify_exits_with_two_for_unusable_runs() {
    let place = Place::new(SCENE);
    let nothing = place.sim(&["verify", "scene.ron"]).exit(2);
    assert!(nothing.stderr.contains("no frames") && nothing.stdout.is_empty(), "{nothing:?}");
    let place = run();
    let off = place.sim(&["verify", "scene.ron", "--set", "contact=Off"]).exit(2);
    assert!(off.stderr.contains("contact is off"), "{}", off.stderr);
    place.sim(&["verify", "elsewhere.ron"]).exit(2);
    std::fs::write(place.path(FRAME), "half a fra").expect("the folder can be written");
    let damaged = place.sim(&["verify", "scene.ron"]).exit(2);
    assert!(damaged.stdout.contains("frame_000003.vtu: "), "{}", damaged.stdout);
    let repeat = "bodies.die.repeat=Row(count: 2, step: (1, 0, 0))";
    let other = place.sim(&["verify", "scene.ron", "--set", repeat]).exit(2);
    assert!(other.stderr.contains("1 bodies and the scene 2"), "{}", other.stderr);
}
