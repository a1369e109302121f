//! `sim live`, without a browser; the page is tried in `crates/view/tests/browser`.

use crate::support::{Place, SCENE};

#[test]
fn live_scene_runs_for_its_duration_and_leaves_no_files() {
    let place = Place::new(SCENE);
    let stdout = place.sim(&["live", "scene.ron", "--no-open", "--seconds", "0.3"]).exit(0).stdout;
    for word in ["http://127.0.0.1:", "pictures", "computing", "real time"] {
        assert!(stdout.contains(word), "{word}: {stdout}");
    }
    assert!(!place.path("out").exists(), "nothing is kept");
    let quiet = place.sim(&["live", "scene.ron", "--no-open", "--seconds", "0.1", "-q"]).exit(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
}

#[test]
fn live_reports_why_a_scene_cannot_be_shown() {
    let place = Place::new(SCENE);
    let refused = |arguments: &[&str], word: &str| {
        let all = [&["live", "--no-open", "--seconds", "0.1"], arguments].concat();
        let stderr = place.sim(&all).exit(2).stderr;
        assert!(stderr.contains(word), "{stderr}");
    };
    refused(&["nowhere.ron"], "nowhere.ron");
    refused(&["scene.ron", "--set", "bodies.die.friction=-1"], "friction");
    refused(&["scene.ron", "--fps", "0"], "--fps");
    refused(&["scene.ron", "--seconds=-1"], "--seconds");
}

#[test]
fn failed_step_ends_live_with_time_and_reason() {
    let place = Place::new(SCENE);
    // Explicit steps of a tenth of a second are unstable by far.
    let unstable = ["--set", "integrator=Verlet", "--set", "time.step=0.1"];
    let all = [&["live", "scene.ron", "--no-open", "--seconds", "100"][..], &unstable].concat();
    let output = place.sim(&all).exit(1);
    assert!(output.stderr.contains("error: at t = "), "{}", output.stderr);
    assert!(output.stdout.contains("pictures"), "{}", output.stdout);
}
