//! `sim view`: the page it writes, and what it says where there is none.

use crate::support::{Place, SCENE};

fn place() -> Place {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "-q"]).exit(0);
    place
}

#[test]
fn a_run_becomes_a_page_with_its_name_and_all_its_frames() {
    let place = place();
    let said = place.sim(&["view", "out/scene", "--no-open"]).exit(0);
    assert!(said.stdout.contains("view.html") && said.stdout.contains("frames"), "{}", said.stdout);
    let page = place.read("out/scene/view.html");
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("\"title\":\"scene\"") && page.contains("\"name\":\"die\""));
    assert_eq!(
        place.sim(&["view", "out/scene", "--no-open", "-q", "-o", "b.html"]).exit(0).stdout,
        ""
    );
    assert!(place.read("b.html") == page, "it is the same wherever it is written");
}

#[test]
fn a_page_is_replaced_and_anything_else_is_not() {
    let place = place();
    place.sim(&["view", "out/scene", "--no-open"]).exit(0);
    let page = place.read("out/scene/view.html");
    place.write("out/scene/view.html", "<!doctype html>an older page");
    place.sim(&["view", "out/scene", "--no-open"]).exit(0);
    assert!(place.read("out/scene/view.html") == page);
    for other in ["notes.txt", "scene.ron"] {
        place.write(other, "mine");
        let said = place.sim(&["view", "out/scene", "--no-open", "-o", other]).exit(2).stderr;
        assert!(said.contains(other) && said.contains("no page") && said.contains("-o"), "{said}");
        assert_eq!(place.read(other), "mine");
    }
}

#[test]
fn where_there_is_no_run_it_says_what_to_name() {
    let place = place();
    let refused = |folder: &str, words: &[&str]| {
        let said = place.sim(&["view", folder, "--no-open"]).exit(2).stderr;
        assert!(words.iter().all(|word| said.contains(word)), "{folder}: {said}");
    };
    refused("out/none", &["there is no folder out/none", "sim run"]);
    refused(".", &["holds no frames", "`Vtu`"]);
    refused("scene.ron", &["It is a file", "such as out/dice"]);
    let missing = ["view", "out/scene", "--no-open", "-o", "no/such/folder/a.html"];
    let said = place.sim(&missing).exit(1).stderr;
    assert!(said.contains("no/such/folder/a.html cannot be written"), "{said}");
}

#[test]
fn what_is_made_of_a_run_goes_with_it_when_it_is_replaced() {
    let place = place();
    place.sim(&["view", "out/scene", "--no-open"]).exit(0);
    place.sim(&["render", "out/scene", "--size", "64x64", "-q"]).exit(0);
    for format in ["glb", "csv"] {
        place.sim(&["export", "out/scene", "--format", format, "-q"]).exit(0);
    }
    let made = ["view.html", "film.mp4", "export.glb", "export.csv"];
    place.write("out/scene/notes.txt", "mine");
    let there = |name: &str| place.path(&format!("out/scene/{name}")).exists();
    assert!(made.into_iter().all(there), "made by their usual names");
    place.sim(&["run", "scene.ron", "-q", "--steps", "2", "--force"]).exit(0);
    assert!(!made.into_iter().any(there), "they show a run that is no more");
    assert_eq!(place.read("out/scene/notes.txt"), "mine");
}
