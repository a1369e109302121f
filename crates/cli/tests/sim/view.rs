//! `sim view`: the page it writes, and what it says where there is none.

use crate::support::{Place, SCENE};

fn place() -> Place {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "-q"]).exit(0);
    place
}

#[test]
fn page_has_the_name_and_all_frames_of_the_run() {
    let place = place();
    let output = place.sim(&["view", "out/scene", "--no-open"]).exit(0);
    assert!(
        output.stdout.contains("view.html") && output.stdout.contains("frames"),
        "{}",
        output.stdout
    );
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
fn view_replaces_only_pages() {
    let place = place();
    place.sim(&["view", "out/scene", "--no-open"]).exit(0);
    let page = place.read("out/scene/view.html");
    place.write("out/scene/view.html", &format!("{}an older page", resile_view::PAGE_START));
    place.sim(&["view", "out/scene", "--no-open"]).exit(0);
    assert!(place.read("out/scene/view.html") == page);
    for (other, mine) in [
        ("notes.txt", "mine"),
        ("scene.ron", "mine"),
        (
            "site.html",
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>mine</title>",
        ),
    ] {
        place.write(other, mine);
        let stderr = place.sim(&["view", "out/scene", "--no-open", "-o", other]).exit(2).stderr;
        assert!(
            stderr.contains(other) && stderr.contains("is not a page") && stderr.contains("-o"),
            "{stderr}"
        );
        assert_eq!(place.read(other), mine);
    }
}

#[test]
fn view_of_a_missing_run_suggests_a_folder() {
    let place = place();
    let refused = |folder: &str, words: &[&str]| {
        let stderr = place.sim(&["view", folder, "--no-open"]).exit(2).stderr;
        assert!(words.iter().all(|word| stderr.contains(word)), "{folder}: {stderr}");
    };
    refused("out/none", &["there is no folder out/none", "sim run"]);
    refused(".", &["holds no frames", "`Vtu`"]);
    refused("scene.ron", &["It is a file", "such as out/dice"]);
    let missing = ["view", "out/scene", "--no-open", "-o", "no/such/folder/a.html"];
    let stderr = place.sim(&missing).exit(1).stderr;
    assert!(stderr.contains("no/such/folder/a.html cannot be written"), "{stderr}");
}

/// What is answered to a browser that asks for the page.
#[cfg(target_os = "linux")]
fn asked(address: &str) -> String {
    use std::io::{Read as _, Write as _};
    let Ok(mut stream) = std::net::TcpStream::connect(address) else { return String::new() };
    let question = format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.write_all(question.as_bytes()).expect("the server listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the server answers in text");
    answer
}

/// On other systems a browser would open.
#[cfg(target_os = "linux")]
#[test]
fn page_is_served_during_a_run() {
    let place = Place::new(SCENE);
    let (child, address) = crate::support::served(
        &place,
        &["run", "scene.ron", "--view", "--plain", "--set", "time.duration=1000"],
    );
    // Requests before the first frame get no answer.
    let page = std::iter::repeat_with(|| asked(&address)).find(|answer| answer.contains("200 OK"));
    assert!(page.expect("it repeats").contains("\"name\":\"die\""));
    let said = crate::support::interrupt(child).exit(1);
    assert!(said.stderr.contains("interrupted after step"), "{}", said.stderr);
}

#[test]
fn replaced_run_removes_its_derived_files() {
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
