//! Untrusted run folders, and files of the user beside the outputs of commands.

use crate::support::{Place, SCENE, SimOutput};
use rustix::fs::{CWD, Mode, mkfifoat};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

const MINE: &str = "a file of the user";

/// A place with a short run of a small scene in `out/scene`.
fn place() -> Place {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "-q", "--profile", "--set", TABLES]).exit(0);
    place
}

const TABLES: &str = "output.tables=[Bodies, Contacts]";

/// Copies the run to a folder of this name.
fn copied(place: &Place, to: &str) {
    let mut copy = Command::new("cp");
    copy.arg("-r").arg(place.path("out/scene")).arg(place.path(to));
    assert!(copy.status().expect("there is a command `cp`").success());
}

/// Names of all that is in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("an entry").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// What reads and writes a run in `copy`, and the names that it writes there.
const WRITERS: [(&[&str], &[&str]); 13] = [
    (&["export", "copy", "-f", "csv", "--force"], &["export.csv"]),
    (&["export", "copy", "-f", "glb", "--force"], &["export.glb"]),
    (&["export", "copy", "-f", "obj", "--force"], &["export-obj"]),
    (&["render", "copy", "--size", "64x64", "--force"], &["film.mp4"]),
    (&["render", "copy", "--size", "64x64", "--at", "0", "--force"], &["picture.png"]),
    (&["render", "copy", "--size", "64x64", "-o", "copy/all", "--force"], &["all"]),
    (&["view", "copy", "--no-open"], &["view.html"]),
    (
        &["run", "scene.ron", "-o", "copy", "-q", "--resume", "--set", TABLES],
        &[
            "summary.json",
            "energy.svg",
            "profile.svg",
            "run.json",
            "scene.ron",
            "frames/frames.pvd",
        ],
    ),
    (
        &["run", "scene.ron", "-o", "copy", "-q", "--resume", "--set", TABLES],
        &["history.csv", "bodies.csv", "profile.csv", "checkpoint", "lock", "frames/planes.vtu"],
    ),
    (&["run", "scene.ron", "-o", "copy", "-q", "--force", "--set", TABLES], &["history.csv"]),
    (&["mesh", "tetrahedron.obj", "-o", "copy/m.ply", "--force"], &["m.ply"]),
    (
        &[
            "compare",
            "scene.ron",
            "-o",
            "copy/c",
            "--integrators",
            "BDF2",
            "--steps",
            "2",
            "--force",
        ],
        &["c/comparison.csv", "c/energy.svg", "c/momentum.svg"],
    ),
    (&["rerun", "copy", "-q", "-o", "copy-2"], &[]),
];

const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// Plants a link of this name in `copy`.
fn plant(place: &Place, name: &str, target: &Path) {
    let path = place.path("copy").join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
    let _ = fs::remove_file(&path);
    if !path.exists() {
        symlink(target, &path).expect("links can be made");
    }
}

#[test]
fn links_in_run_folders_are_not_followed() {
    let place = place();
    place.write("tetrahedron.obj", TETRAHEDRON);
    for (arguments, written) in WRITERS {
        for ending in ["", ".tmp", ".old"] {
            for leads_somewhere in [true, false] {
                let _ = [
                    fs::remove_dir_all(place.path("copy")),
                    fs::remove_dir_all(place.path("copy-2")),
                ];
                copied(&place, "copy");
                let outside = tempfile::tempdir().expect("a temporary folder");
                let theirs = outside.path().join("theirs");
                if leads_somewhere {
                    fs::write(&theirs, MINE).expect("it can be written");
                }
                written.iter().for_each(|name| plant(&place, &format!("{name}{ending}"), &theirs));
                let SimOutput { code, stderr, .. } = place.sim(arguments);
                assert!(matches!(code, Some(0..=2)), "{arguments:?}: {code:?} {stderr}");
                let message = format!("{arguments:?} {ending}: {stderr}");
                assert!(ending.is_empty() || code == Some(0), "{message}");
                let left = fs::read_to_string(&theirs).ok();
                assert_eq!(left.as_deref(), leads_somewhere.then_some(MINE), "{message}");
                assert_eq!(names(outside.path()).len(), usize::from(leads_somewhere), "{message}");
                for name in written.iter().filter(|_| !ending.is_empty()) {
                    let link = place.path("copy").join(format!("{name}{ending}"));
                    assert!(link.is_symlink(), "{message}: the user's {name}{ending} is gone");
                }
            }
        }
    }
}

#[test]
fn linked_frame_folder_is_not_entered() {
    let place = place();
    copied(&place, "copy");
    fs::rename(place.path("copy/frames"), place.path("elsewhere")).expect("it is there");
    symlink(place.path("elsewhere"), place.path("copy/frames")).expect("links can be made");
    let before = names(&place.path("elsewhere"));
    for arguments in [
        &["export", "copy", "-f", "csv"][..],
        &["verify", "scene.ron", "-o", "copy"],
        &["run", "scene.ron", "-o", "copy", "--resume", "--set", TABLES],
        &["run", "scene.ron", "-o", "copy", "--force"],
    ] {
        let message = place.sim(arguments).exit(2).stderr;
        assert!(message.contains("frames") && message.contains("link"), "{arguments:?}: {message}");
    }
    assert_eq!(names(&place.path("elsewhere")), before);
    // The run folder itself is named by the user and may be a link.
    symlink(place.path("out/scene"), place.path("named")).expect("links can be made");
    place.sim(&["export", "named", "-f", "csv"]).exit(0);
}

#[test]
fn pipes_and_devices_in_run_folders_do_not_block() {
    let place = place();
    let readers: [&[&str]; 6] = [
        &["export", "copy", "-f", "csv", "-o", "e.csv", "--force"],
        &["render", "copy", "--size", "64x64", "--energies", "-o", "p.gif", "--force"],
        &["view", "copy", "--no-open", "-o", "v.html"],
        &["verify", "scene.ron", "-o", "copy"],
        &["rerun", "copy", "-o", "again", "--force", "-q"],
        &["run", "scene.ron", "-o", "copy", "-q", "--resume", "--set", TABLES],
    ];
    let files = [
        "history.csv",
        "checkpoint",
        "summary.json",
        "run.json",
        "lock",
        "profile.csv",
        "frames/frames.pvd",
        "frames/frame_000001.vtu",
        "frames/originals.json",
    ];
    for file in files {
        for make in [
            |path: &Path| mkfifoat(CWD, path, Mode::RWXU),
            |path: &Path| {
                symlink("/dev/zero", path).expect("links can be made");
                Ok(())
            },
        ] {
            let _ = fs::remove_dir_all(place.path("copy"));
            copied(&place, "copy");
            let path = place.path("copy").join(file);
            let _ = fs::remove_file(&path);
            make(&path).expect("the folder can be written");
            for arguments in readers {
                let SimOutput { code, stderr, .. } = place.sim(arguments);
                assert!(matches!(code, Some(0..=2)), "{file}, {arguments:?}: {code:?} {stderr}");
                assert!(!stderr.contains("panicked"), "{file}, {arguments:?}: {stderr}");
            }
        }
    }
}

#[test]
fn pipes_and_devices_as_meshes_are_rejected() {
    let shape = "shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2))";
    let place = Place::new(&SCENE.replace(shape, "shape: File(\"m.msh\")"));
    for target in [None, Some("/dev/zero")] {
        let _ = fs::remove_file(place.path("m.msh"));
        match target {
            None => mkfifoat(CWD, place.path("m.msh"), Mode::RWXU).expect("pipes can be made"),
            Some(target) => symlink(target, place.path("m.msh")).expect("links can be made"),
        }
        for arguments in [&["check", "scene.ron"][..], &["info", "m.msh"]] {
            let message = place.sim(arguments).exit(2).stderr;
            assert!(message.contains("m.msh") && message.contains("no regular file"), "{message}");
        }
    }
}

#[test]
fn output_never_replaces_files_of_a_run() {
    let place = place();
    place.write("tetrahedron.obj", TETRAHEDRON);
    let before = ["checkpoint", "scene.ron", "frames/frame_000000.vtu"]
        .map(|name| (name, fs::read(place.path("out/scene").join(name)).expect("it is there")));
    for arguments in [
        &["export", "out/scene", "-f", "csv", "-o", "out/scene/checkpoint", "--force"][..],
        &["export", "out/scene", "-f", "csv", "-o", "out/scene/scene.ron", "--force"],
        &["export", "out/scene", "-f", "ply", "-o", "out/scene/frames", "--force"],
        &["render", "out/scene", "-o", "out/scene/frames", "--force"],
        &["render", "out/scene", "-o", "out/scene/checkpoint", "--force"],
        &["view", "out/scene", "--no-open", "-o", "out/scene/history.csv"],
        &["mesh", "tetrahedron.obj", "-o", "out/scene/frames/frame_000000.vtu", "--force"],
        &["check", "scene.ron", "-o", "out/scene/frames/frame_000000.vtu", "--force"],
        &["compare", "scene.ron", "-o", "out/scene", "--integrators", "BDF2", "--force"],
    ] {
        let message = place.sim(arguments).exit(2).stderr;
        assert!(message.contains("a run"), "{arguments:?}: {message}");
    }
    for (name, bytes) in before {
        assert_eq!(fs::read(place.path("out/scene").join(name)).expect("it is there"), bytes);
    }
}

#[test]
fn concurrent_exports_leave_one_complete_file() {
    let place = place();
    place.write("x.csv.tmp", MINE);
    let command = |rate: &str, file: &str| {
        ["export", "out/scene", "-f", "csv", "--fps", rate, "-o", file, "--force"]
            .map(str::to_owned)
    };
    let whole = ["100", "200"].map(|rate| {
        let arguments = command(rate, "whole.csv");
        place.sim(&arguments.each_ref().map(String::as_str)).exit(0);
        place.read("whole.csv")
    });
    for _ in 0..5 {
        let begun = ["100", "200"].map(|rate| {
            let mut sim = Command::new(env!("CARGO_BIN_EXE_sim"));
            sim.current_dir(place.path("")).args(command(rate, "x.csv")).stdout(Stdio::null());
            sim.spawn().expect("sim can be started")
        });
        for mut child in begun {
            assert!(child.wait().expect("the child is ours").success());
        }
        assert!(whole.contains(&place.read("x.csv")), "it is a mixture");
    }
    assert_eq!(place.read("x.csv.tmp"), MINE);
    assert_eq!(names(&place.path("")), ["out", "scene.ron", "whole.csv", "x.csv", "x.csv.tmp"]);
}

#[test]
fn file_size_limit_is_reported_and_leaves_no_files() {
    let place = place();
    let commands = [
        "export out/scene -f csv -o e.csv",
        "export out/scene -f pc2 --fps 500 -o e",
        "export out/scene -f glb --fps 500 -o e.glb",
        "render out/scene -o film.gif --size 320x240",
        "render out/scene -o all --size 320x240",
        "view out/scene --no-open -o v.html",
        "run scene.ron -o new -q --set output.checkpoint_steps=1",
    ];
    for command in commands {
        let mut shell = Command::new("sh");
        let limited = format!("ulimit -f 4; exec \"$0\" {command}");
        let sim = shell.args(["-c", &limited, env!("CARGO_BIN_EXE_sim")]);
        let said = sim.current_dir(place.path("")).output().expect("there is a shell");
        let message = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(1), "{command}: {:?} {message}", said.status);
        assert!(message.contains("too large"), "{command}: {message}");
    }
    let _ = fs::remove_dir_all(place.path("new/frames"));
    let left = [names(&place.path("")), names(&place.path("new"))].concat();
    assert!(left.iter().all(|name| !name.contains("tmp")), "{left:?}");
    assert_eq!(names(&place.path("")), ["new", "out", "scene.ron"]);
}

#[test]
fn every_valid_name_can_be_exported() {
    let name = "n".repeat(252);
    let place = Place::new(&SCENE.replace("\"die\"", &format!("{name:?}")));
    place.sim(&["check", "scene.ron"]).exit(0);
    place.sim(&["run", "scene.ron", "-q", "--steps", "2"]).exit(0);
    for format in ["obj", "ply", "pc2", "mdd", "glb", "usda", "csv", "npz"] {
        let separate: &[&str] = if matches!(format, "obj" | "ply") { &["--separate"] } else { &[] };
        place.sim(&[&["export", "out/scene", "-f", format][..], separate].concat()).exit(0);
    }
}

#[test]
fn names_are_not_spreadsheet_formulas() {
    for name in ["=1+1", "@SUM(1)", "-2+3", "+1"] {
        let place = Place::new(&SCENE.replace("\"die\"", &format!("{name:?}")));
        place.sim(&["run", "scene.ron", "-q", "--steps", "2", "--set", TABLES]).exit(0);
        place.sim(&["export", "out/scene", "-f", "csv"]).exit(0);
        for table in ["bodies.csv", "export.csv"] {
            let text = place.read(&format!("out/scene/{table}"));
            let row = text.lines().nth(1).expect("a row");
            assert!(row.contains(&format!(",'{name},")), "{table}: {row}");
        }
    }
}
