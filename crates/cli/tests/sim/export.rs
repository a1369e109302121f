//! `sim export`: what it writes, and what it leaves alone.

use crate::support::{Place, SCENE};

const FORMATS: [&str; 8] = ["obj", "ply", "pc2", "mdd", "glb", "usda", "csv", "npz"];

/// A place with a short run of a small scene in `out/scene`.
fn place() -> Place {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "-q"]).exit(0);
    place
}

/// Names of all that is in a folder.
fn names(place: &Place, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(folder)).expect("the folder is there");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("an entry").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn export_writes_every_format_and_replaces_only_with_force() {
    let place = place();
    for format in FORMATS {
        let output = place.sim(&["export", "out/scene", "--format", format]).exit(0);
        let usual = match format {
            "obj" | "ply" | "pc2" | "mdd" => format!("out/scene/export-{format}"),
            _ => format!("out/scene/export.{format}"),
        };
        assert!(output.stdout.contains(&usual), "{}", output.stdout);
        assert!(output.stdout.contains("2 bodies, "), "{}", output.stdout);
        assert!(place.path(&usual).exists() && !place.path(&format!("{usual}.tmp")).exists());
        let again = ["export", "out/scene", "--format", format];
        let refused = place.sim(&again).exit(2).stderr;
        assert!(refused.contains("--force"), "{refused}");
        place.sim(&[&again[..], &["--force", "-q"]].concat()).exit(0);
        assert!(!place.path(&format!("{usual}.old")).exists());
    }
    let caches = names(&place, "out/scene/export-pc2");
    assert_eq!(caches, ["die.obj", "die.pc2", "floor.obj", "materials.mtl"]);
    place.sim(&["run", "scene.ron", "-q", "--resume"]).exit(0);
}

#[test]
fn extension_of_the_output_selects_the_format() {
    let place = place();
    place.sim(&["export", "out/scene", "-o", "a.glb"]).exit(0);
    place.sim(&["export", "out/scene", "-f", "glb", "-o", "b.glb"]).exit(0);
    let read = |name: &str| std::fs::read(place.path(name)).expect("it is there");
    assert_eq!(read("a.glb"), read("b.glb"));
    for without in [&[][..], &["-o", "a.foo"], &["-o", "folder"]] {
        let refused = place.sim(&[&["export", "out/scene"], without].concat()).exit(2).stderr;
        assert!(refused.contains("--format") && refused.contains("usda"), "{refused}");
    }
}

#[test]
fn format_aliases_name_the_written_format() {
    let place = place();
    for (alias, word) in [("gltf", "glb"), ("usd", "usda")] {
        place.sim(&["export", "out/scene", "-f", alias]).exit(0);
        let path = |name: &str| place.path(&format!("out/scene/export.{name}"));
        assert!(path(word).exists() && !path(alias).exists(), "{alias} is written as {word}");
        let by_alias = std::fs::read(path(word)).expect("it is there");
        place.sim(&["export", "out/scene", "-f", word, "--force"]).exit(0);
        assert_eq!(by_alias, std::fs::read(path(word)).expect("it is there"));
    }
}

#[test]
fn export_keeps_foreign_folders() {
    let place = place();
    std::fs::create_dir(place.path("mine")).expect("it can be made");
    place.write("mine/thesis.tex", "years");
    for arguments in [&["--force"][..], &[]] {
        let all = [&["export", "out/scene", "--format", "obj", "-o", "mine"], arguments].concat();
        let refused = place.sim(&all).exit(2).stderr;
        assert!(refused.contains("files other than an export"), "{refused}");
    }
    assert_eq!(names(&place, "mine"), ["thesis.tex"]);
    let file = ["export", "out/scene", "--format", "glb", "-o", "mine", "--force"];
    assert!(place.sim(&file).exit(2).stderr.contains("is not a file"));
    assert_eq!(place.read("mine/thesis.tex"), "years");
}

#[test]
fn invalid_export_is_rejected_and_leaves_no_files() {
    let place = place();
    let before = names(&place, "out/scene");
    let refused = |arguments: &[&str], words: &[&str]| {
        let all = [&["export"], arguments].concat();
        let stderr = place.sim(&all).exit(2).stderr;
        assert!(words.iter().all(|word| stderr.contains(word)), "{stderr}");
    };
    refused(&["out/none", "-f", "obj"], &["there is no folder out/none", "sim run"]);
    refused(&["out/scene", "-f", "abc"], &["obj", "usda"]);
    refused(&["out/scene", "-f", "obj", "--bodies", "die,me"], &["\"me\"", "\"die\"", "\"floor\""]);
    refused(&["out/scene", "-f", "glb", "--up", "z"], &["y up", "--up"]);
    refused(&["out/scene", "-f", "glb", "--scale", "100"], &["metres"]);
    refused(&["out/scene", "-f", "usda", "--scale", "-1"], &["above 0"]);
    refused(&["out/scene", "-f", "obj", "--up", "x"], &["y or z"]);
    refused(&["out/scene", "-f", "ply", "--from", "9"], &["there is no frame"]);
    refused(&["out/scene", "-f", "csv", "--separate"], &["--separate"]);
    assert_eq!(names(&place, "out/scene"), before);
}

#[test]
fn export_options_select_bodies_times_rate_axes_and_units() {
    let place = place();
    let chosen = [
        "export",
        "out/scene",
        "-f",
        "pc2",
        "--bodies",
        "die",
        "--from",
        "0.05",
        "--to",
        "0.15",
        "--fps",
        "100",
        "--up",
        "z",
        "--scale",
        "100",
        "-o",
        "new/die",
    ];
    let stdout = place.sim(&chosen).exit(0).stdout;
    assert!(stdout.contains("1 body, 11 frames, 100 a second"), "{stdout}");
    assert_eq!(names(&place, "new/die"), ["die.obj", "die.pc2", "materials.mtl"]);
    let mesh = place.read("new/die/die.obj");
    let heights = mesh.lines().filter_map(|line| line.strip_prefix("v "));
    let heights = heights.map(|line| line.rsplit(' ').next().and_then(|z| z.parse::<f64>().ok()));
    let smallest = heights.map(|z| z.expect("a number")).fold(f64::INFINITY, f64::min);
    assert!(smallest > 0.0 && smallest < 1.0, "the die is 0 to 1 cm above the floor: {smallest}");
}
