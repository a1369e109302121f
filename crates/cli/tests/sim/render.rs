//! `sim render`: what it makes, and what it says where there is nothing to make.

use crate::support::{Place, SCENE};

/// A place with a short run of a small scene in `out/scene`.
fn place() -> Place {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "-q"]).exit(0);
    place
}

fn bytes(place: &Place, name: &str) -> Vec<u8> {
    std::fs::read(place.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn render_writes_films_and_pictures() {
    let place = place();
    let output = place.sim(&["render", "out/scene", "--size", "96x64"]).exit(0);
    assert!(
        output.stdout.contains("film.mp4") && output.stdout.contains("96x64"),
        "{}",
        output.stdout
    );
    assert_eq!(bytes(&place, "out/scene/film.mp4")[4..12], *b"ftypisom");
    assert!(!place.path("out/scene/film.mp4.tmp").exists());
    place.sim(&["render", "out/scene", "-o", "a.gif", "--size", "64x64", "--energies"]).exit(0);
    assert!(bytes(&place, "a.gif").starts_with(b"GIF89a"));
    let at = ["render", "out/scene", "-o", "new/p.png", "--at", "0.1", "--size", "64x64", "-q"];
    assert_eq!(place.sim(&at).exit(0).stdout, "");
    assert!(bytes(&place, "new/p.png").starts_with(b"\x89PNG"));
    let all = ["render", "out/scene", "-o", "all", "--size", "64x48", "--fps", "20", "--text"];
    place.sim(&all).exit(0);
    for again in [&["render", "out/scene", "--size", "96x64"][..], &at, &all] {
        let refused = place.sim(again).exit(2).stderr;
        assert!(refused.contains("already exists; --force replaces it"), "{refused}");
        place.sim(&[again, &["--force"]].concat()).exit(0);
    }
    let count = std::fs::read_dir(place.path("all")).expect("it was made").count();
    assert_eq!(count, 5, "from 0 to 0.2 s");
}

#[test]
fn section_that_misses_everything_is_noted() {
    let place = place();
    let said = |section: &str, name: &str| {
        let section = ["--section", section, "-o", name];
        let picture = ["render", "out/scene", "--at", "0", "--size", "64x64"];
        place.sim(&[&picture[..], &section].concat()).exit(0).stderr
    };
    assert_eq!(said("1,0,0,0", "a.png"), "");
    assert!(said("1,0,0,5", "b.png").contains("cuts nothing"));
    assert!(said("1,0,0,-5", "c.png").contains("cuts everything away"));
}

#[test]
fn invalid_render_options_are_rejected_and_leave_no_files() {
    let place = place();
    let refused = |arguments: &[&str], words: &[&str]| {
        let all = [&["render"], arguments].concat();
        let stderr = place.sim(&all).exit(2).stderr;
        assert!(words.iter().all(|word| stderr.contains(word)), "{stderr}");
    };
    refused(&["out/none"], &["there is no folder out/none", "sim run"]);
    refused(&["."], &["holds no frames", "`Vtu`"]);
    refused(&["out/scene", "--follow", "me"], &["no body \"me\"", "there are"]);
    refused(&["out/scene", "--color", "stress"], &["\"stress\"", "speed"]);
    refused(&["out/scene", "--size", "0x0"], &["from 16 to 8192"]);
    refused(&["out/scene", "--size", "big"], &["width x height"]);
    refused(&["out/scene", "--view", "up"], &["three numbers"]);
    refused(&["out/scene", "--from", "5"], &["there is nothing"]);
    refused(&["out/scene", "-o", "film.avi"], &["film.avi", ".gif"]);
    refused(&["out/scene", "-o", "film.gif", "--fps", "60"], &["at most 50"]);
    refused(&["out/scene", "--size", "65x64"], &["even sides"]);
    refused(&["out/scene", "-o", "film.gif", "--at", "0"], &["one picture is a .png"]);
    let left = std::fs::read_dir(place.path(".")).expect("it is there");
    let names: Vec<_> = left.map(|entry| entry.expect("an entry").file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("film")), "{names:?}");
}
