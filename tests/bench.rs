//! The published scenes of `scenes/bench`: all can be read, ask for no less than those whose times stand beside
//! ours, and have a row with a command.

use resile_scene::description::{Contact, Scene, Scheme};
use resile_scene::text::SceneText;
use std::path::{Path, PathBuf};

/// Scenes that came from ppf-contact-solver, where a step is not solved to a tolerance.
const WITHOUT_TOLERANCE: [&str; 3] = ["cards", "domino", "slope-figure"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn scenes() -> Vec<(String, Scene)> {
    let folder = std::fs::read_dir(root().join("scenes/bench")).expect("the scenes are there");
    let paths = folder.map(|entry| entry.expect("the folder can be read").path());
    let mut scenes: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "ron"))
        .map(|path| {
            let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a plain name");
            let text = std::fs::read_to_string(&path).expect("it is there");
            let loaded = SceneText::new(name, text).load();
            let loaded = loaded.unwrap_or_else(|errors| panic!("{name}: {}", errors[0]));
            assert_eq!(loaded.warnings, [], "{name}");
            (name.to_owned(), loaded.scene)
        })
        .collect();
    scenes.sort_by(|(a, _), (b, _)| a.cmp(b));
    scenes
}

/// IPC's `d_hat` is 1e-3 of the scene's diagonal and its tolerance 1e-2 of it a second, under implicit Euler: so a
/// distance of a tenth of the tolerance times a second.
#[test]
fn ipc_scenes_use_the_settings_of_ipc() {
    let mut compared = 0;
    for (name, scene) in scenes() {
        assert_eq!(scene.integrator, Scheme::ImplicitEuler, "{name}");
        if WITHOUT_TOLERANCE.contains(&name.as_str()) {
            continue;
        }
        let Contact::Barrier { d_hat, .. } = scene.contact else { panic!("{name}: contact is on") };
        let tenth = scene.solver.tolerance / 10.0;
        assert!(d_hat <= tenth * (1.0 + 1e-9), "{name}: {d_hat} m and {tenth} m");
        compared += 1;
    }
    assert!(compared >= 10, "{compared} scenes");
}

#[test]
fn published_scenes_have_a_row_with_their_command() {
    let page = std::fs::read_to_string(root().join("docs/bench.md")).expect("the page is there");
    for (name, _) in scenes() {
        let command = format!("sim bench scenes/bench/{name}.ron --runs 1");
        assert!(page.contains(&command), "docs/bench.md lacks `{command}`");
    }
}
