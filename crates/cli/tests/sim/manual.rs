//! Completions, manual pages, and folders of runs in place of scenes.

use crate::support::{Place, SCENE};

#[test]
fn completions_and_manual_pages_cover_every_command() {
    let place = Place::new(SCENE);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = place.sim(&["completions", shell]).exit(0).stdout;
        for known in ["verify", "steps-per-second", "resume"] {
            assert!(text.contains(known), "{shell}: {known}");
        }
    }
    place.sim(&["completions", "tcsh"]).exit(2);
    let page = place.sim(&["man"]).exit(0).stdout;
    assert!(page.contains(".TH sim 1") && page.contains("verify"), "{page}");
    let page = place.sim(&["man", "run"]).exit(0).stdout;
    assert!(page.contains(".TH sim-run 1") && page.contains("duration"), "{page}");
    assert!(place.sim(&["man", "walk"]).exit(2).stderr.contains("verify"));
    place.sim(&["man", "-o", "man1"]).exit(0);
    for file in ["sim.1", "sim-run.1", "sim-verify.1"] {
        assert!(place.read(&format!("man1/{file}")).contains(".TH"), "{file}");
    }
}

#[test]
fn run_folder_records_its_scene_and_program() {
    let place = Place::new(SCENE);
    let set = ["--set", "bodies.die.velocity=(0, 0, 0)", "-o", "runs/a", "--quiet"];
    place.sim(&[&["run", "scene.ron", "--duration", "0.05"][..], &set].concat()).exit(0);
    std::fs::remove_file(place.path("scene.ron")).expect("it was written");

    let message = place.sim(&["verify", "runs/a"]).exit(0).stdout;
    assert!(message.contains("no intersections"), "{message}");
    let message = place.sim(&["info", "runs/a"]).exit(0).stdout;
    for word in ["complete", "6 of 6", "rubber", "runs/a"] {
        assert!(message.contains(word), "{word}: {message}");
    }
    let json = place.sim(&["info", "runs/a", "--json"]).exit(0).stdout;
    assert!(json.contains("\"duration\": 0.05") && json.contains("\"steps_done\": 6"), "{json}");

    for command in ["info", "verify"] {
        let set = [command, "runs/a", "--set", "gravity[1]=0"];
        assert!(place.sim(&set).exit(2).stderr.contains("--set"), "{command}");
        let message = place.sim(&[command, "runs"]).exit(2).stderr;
        assert!(message.contains("runs/run.json"), "{message}");
    }
}

#[test]
fn resuming_a_missing_run_starts_it() {
    let place = Place::new(SCENE);
    let run = ["run", "scene.ron", "--resume", "--quiet"];
    place.sim(&[&run[..], &["--duration", "0.05"]].concat()).exit(0);
    assert_eq!(place.history("out/scene/history.csv").len(), 8);
    place.sim(&run).exit(0);
    assert_eq!(place.history("out/scene/history.csv").len(), 26);
    place.sim(&["run", "scene.ron", "-o", "whole", "--quiet"]).exit(0);
    assert_eq!(place.history("out/scene/history.csv"), place.history("whole/history.csv"));
    for duration in [&["--duration=-1"][..], &["--duration", "-1"]] {
        let message = place.sim(&[&["run", "scene.ron"], duration].concat()).exit(2).stderr;
        assert!(message.contains("time.duration"), "{message}");
    }
}

#[test]
fn folder_in_the_place_of_a_scene_is_explained() {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "--steps", "1", "--quiet"]).exit(0);
    let message = place.sim(&["run", "out/scene"]).exit(2).stderr;
    assert!(message.contains("sim rerun out/scene"), "{message}");
    let message = place.sim(&["check", "out"]).exit(2).stderr;
    assert!(message.contains("it holds 1 run: name one, such as out/scene"), "{message}");
    std::fs::create_dir(place.path("empty")).expect("there is room");
    let message = place.sim(&["check", "empty"]).exit(2).stderr;
    assert!(message.contains("name a file in it"), "{message}");
}

#[test]
fn plots_convert_to_pdf() {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "--steps", "3", "--quiet"]).exit(0);
    place.sim(&["pdf", "out/scene", "-o", "figure.pdf"]).exit(0);
    let page = std::fs::read(place.path("figure.pdf")).expect("it was written");
    assert!(page.starts_with(b"%PDF-1.4") && page.ends_with(b"%%EOF\n"));
    assert!(String::from_utf8_lossy(&page).contains("/FontFile2"), "the font is embedded");
    let message = place.sim(&["pdf", "out/scene/energy.svg", "-o", "figure.pdf"]).exit(2).stderr;
    assert!(message.contains("--force"), "{message}");
    place.sim(&["pdf", "out/scene/energy.svg", "-o", "figure.pdf", "--force"]).exit(0);
    let message = place.sim(&["pdf", "scene.ron", "-o", "other.pdf"]).exit(2).stderr;
    assert!(
        message.contains("no plot of this program") && message.contains("energy.svg"),
        "{message}"
    );
    let message = place.sim(&["pdf", "nothing.svg", "-o", "other.pdf"]).exit(2).stderr;
    assert!(message.contains("nothing.svg cannot be read"), "{message}");
    assert!(!place.path("other.pdf").exists());
}
