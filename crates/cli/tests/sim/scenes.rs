//! The scenes inside the program.

use crate::support::{Place, SCENE};

#[test]
fn scenes_of_the_program_are_listed_run_by_name_and_written_to_be_changed() {
    let place = Place::new(SCENE);
    let listed = place.sim(&["scenes"]).exit(0).stdout;
    assert!(listed.contains("\nfirst  ") || listed.starts_with("first  "), "{listed}");
    assert!(listed.contains("Eight soft dice thrown onto a floor"), "{listed}");

    place.sim(&["run", "first", "--steps", "2", "--quiet"]).exit(0);
    assert!(place.read("out/first/summary.json").contains("\"status\""));

    let told = place.sim(&["info", "first"]).exit(0).stdout;
    assert!(told.contains("Newton to 0.001 m/s") && told.contains("ClampedLog"), "{told}");

    // Of the standard set, in a folder that has no scenes.
    let figures = ["bench", "rotating-cube-soft", "--runs", "1", "--steps", "1", "--json"];
    place.sim(&figures).exit(0);

    place.sim(&["new", "my.ron", "--from", "first"]).exit(0);
    place.sim(&["check", "my.ron"]).exit(0);
    let before = place.read("my.ron");
    let told = place.sim(&["new", "my.ron", "--from", "dice"]).exit(2).stderr;
    assert!(told.contains("there is such a file"), "{told}");
    assert_eq!(place.read("my.ron"), before);
}

#[test]
fn a_name_that_nothing_has_leads_to_the_list() {
    let place = Place::new(SCENE);
    let told = place.sim(&["run", "firts"]).exit(2).stderr;
    assert!(told.contains("sim scenes"), "{told}");
    let told = place.sim(&["new", "my.ron", "--from", "firts"]).exit(2).stderr;
    assert!(told.contains("there are: first, "), "{told}");
}

#[test]
fn a_file_goes_before_a_scene_of_its_name() {
    let place = Place::new(SCENE);
    std::fs::write(place.path("first"), "(nothing").expect("a file");
    place.sim(&["check", "first"]).exit(2);
}
