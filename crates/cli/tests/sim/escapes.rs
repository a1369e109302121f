//! Text of strangers does not command the terminal, whatever command shows it.

use crate::support::{Place, SCENE, SimOutput};
use std::process::{Command, Stdio};

/// A title, a cleared screen, concealed text, a colour by one character, and letters from right to left.
const EVIL: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[8m\u{9b}31m\u{7f}\u{8}\u{202e}\r";

/// Nothing of what was said may do anything but stand there.
#[track_caller]
fn is_harmless(output: &SimOutput, what: &str) {
    assert!(
        output.code.is_some_and(|code| code <= 2),
        "{what}: {:?}, {}",
        output.code,
        output.stderr
    );
    for text in [&output.stdout, &output.stderr] {
        let strange = |c: char| {
            (c.is_control() && !"\n\t".contains(c))
                || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        };
        assert!(!text.contains(strange), "{what}: {text:?}");
        assert!(!text.lines().any(|line| line.starts_with("forged")), "{what}: {text}");
        assert!(!text.contains("panicked"), "{what}: {text}");
    }
}

/// Runs a command in a place and looks at what it says.
#[track_caller]
fn sim(place: &Place, arguments: &[&str]) -> SimOutput {
    let output = place.sim(arguments);
    is_harmless(&output, &format!("{arguments:?}"));
    output
}

/// Commands that read a scene.
const OF_SCENES: [&[&str]; 8] = [
    &["check"],
    &["check", "--json"],
    &["info"],
    &["info", "--json"],
    &["run", "--steps", "1", "--force"],
    &["compare", "--integrators", "ImplicitEuler", "--steps", "1", "--force"],
    &["bench", "--runs", "1", "--steps", "1"],
    &["live", "--no-open", "--seconds", "0.05"],
];

#[test]
fn text_of_scenes_is_escaped() {
    let place = Place::new(SCENE);
    let escaped = EVIL.escape_default().to_string();
    let changed = [
        SCENE.replacen("friction:", &format!("/* {EVIL} */ frction:"), 1),
        SCENE.replacen("0.06", &format!("0.06 /* {EVIL} */, 1"), 1),
        SCENE.replacen("\"die\"", &format!("\"{EVIL}\""), 1),
        SCENE.replacen("\"die\"", &format!("\"{escaped}\""), 1),
        SCENE.replacen("\"floor\"", &format!("\"{escaped}\""), 1),
        SCENE.replacen("\"rubber\"", &format!("\"{escaped}\""), 2),
        SCENE.replacen("version: 2,", &format!("version: 2, name: \"{escaped}\","), 1),
        SCENE.replacen("ASearch()", &format!("{EVIL}()"), 1),
        SCENE.replacen("Box(size", &format!("File(\"{escaped}.obj\"), a: (b"), 1),
        SCENE.replacen(
            "Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2))",
            &format!("File(\"{escaped}.obj\")"),
            1,
        ),
        format!("{EVIL}{SCENE}"),
    ];
    for text in changed {
        assert_ne!(text, SCENE);
        place.write("scene.ron", &text);
        for command in OF_SCENES {
            sim(&place, &[&command[..1], &["scene.ron"], &command[1..]].concat());
        }
        sim(&place, &["verify", "scene.ron"]);
    }
}

#[test]
fn arguments_are_escaped() {
    let place = Place::new(SCENE);
    for set in [
        format!("{EVIL}=1"),
        format!("name=\"{EVIL}\""),
        format!("bodies.{EVIL}.friction=1"),
        format!("time.step={EVIL}"),
        format!("bodies.die.friction=/* {EVIL} */ -1"),
        EVIL.to_owned(),
    ] {
        for command in OF_SCENES {
            let all = [&command[..1], &["scene.ron"], &command[1..], &["--set", &set]].concat();
            assert_ne!(sim(&place, &all).code, Some(0), "{set}");
        }
        sim(&place, &["verify", "scene.ron", "--set", &set]);
    }
    let evil_folder = format!("{EVIL}/none");
    for command in [
        "run", "rerun", "new", "compare", "bench", "check", "info", "mesh", "study", "verify",
        "render", "view", "live", "export",
    ] {
        for arguments in [
            &[EVIL][..],
            &[&format!("--{EVIL}")],
            &["x", "--threads", EVIL],
            &["scene.ron", "-o", &evil_folder],
            &[EVIL, "-o", EVIL],
            &["--format", EVIL],
        ] {
            sim(&place, &[&[command], arguments].concat());
        }
    }
    sim(&place, &[EVIL]);
}

/// A tetrahedron whose one group has a name of a stranger.
fn gmsh(name: &str) -> String {
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"{name}\"\n$EndPhysicalNames\n\
         $Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
         $Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n"
    )
}

#[test]
fn names_in_meshes_are_escaped() {
    let place = Place::new(SCENE);
    let evil = EVIL.replace('\r', "");
    let triangle = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\ng {evil}\nusemtl {evil}\nf 1 2 3\n");
    place.write("a.msh", &gmsh(&evil));
    place.write("a.obj", &triangle);
    place.write("wrong.obj", &format!("v 0 0 0\n{evil} {evil}\nf 1 2 {evil}\n"));
    place.write("wrong.msh", &gmsh(&evil).replace("2.2 0 8", &evil));
    place.write(&format!("{EVIL}.obj"), "v 0 0 0\nf 1 2 3\n");
    for file in ["a.msh", "a.obj", "wrong.obj", "wrong.msh", &format!("{EVIL}.obj")] {
        sim(&place, &["info", file]);
        sim(&place, &["info", file, "--json"]);
        sim(&place, &["mesh", file, "-o", "made.msh", "--force"]);
        sim(&place, &["mesh", file, "-o", "made.obj", "--force", "--repair"]);
    }
    let message = sim(&place, &["info", "a.msh"]).exit(0).stdout;
    assert!(message.contains("\\u{1b}[2J"), "the group is told: {message}");
    let json = sim(&place, &["info", "a.msh", "--json"]).exit(0).stdout;
    let read: serde_json::Value = serde_json::from_str(&json).expect("it is JSON all the same");
    assert!(read.to_string().contains("\u{9b}31m"), "{read}");
}

/// A name of as many bytes, so that the lengths of arrays stay as they are.
const NAME: &str = "a body that has a name of very many letters so that there is room for others";

fn evil_name() -> Vec<u8> {
    let mut name = format!("{EVIL}\nforged: all is good").into_bytes();
    assert!(name.len() <= NAME.len());
    name.resize(NAME.len(), b'.');
    name
}

fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(old.len()).position(|window| window == old) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(new);
        rest = &rest[at + old.len()..];
    }
    out.extend_from_slice(rest);
    out
}

/// Changes all files of a folder.
fn change(place: &Place, folder: &str, change: &dyn Fn(&[u8]) -> Vec<u8>) {
    for entry in std::fs::read_dir(place.path(folder)).expect("the run wrote it") {
        let path = entry.expect("it can be read").path();
        if path.is_file() {
            let bytes = std::fs::read(&path).expect("it can be read");
            std::fs::write(&path, change(&bytes)).expect("it can be written");
        }
    }
}

/// What becomes of the bytes of a file.
type Forgery = Box<dyn Fn(&[u8]) -> Vec<u8>>;

#[test]
fn text_of_forged_runs_is_escaped() {
    let place = Place::new(&SCENE.replacen("\"die\"", &format!("{NAME:?}"), 1));
    let fields = ["--set", "output.fields=[VonMises]", "--set", "output.tables=[Bodies]"];
    let evil = String::from_utf8(evil_name()).expect("it is text");
    let escaped = serde_json::to_string(&evil).expect("it is text");
    let json = escaped.trim_matches('"').to_owned();
    let forgeries: [(&str, &str, Forgery); 7] = [
        ("names in frames", "cut/frames", {
            Box::new(|bytes| replaced(bytes, NAME.as_bytes(), &evil_name()))
        }),
        ("names of fields", "cut/frames", {
            Box::new(|bytes| replaced(bytes, b"velocity", b"\x1b[2J\x1b[8m"))
        }),
        (
            "kinds of arrays",
            "cut/frames",
            Box::new(|bytes| replaced(bytes, b"UInt32", b"\x1b[2J\x1b\x1b")),
        ),
        (
            "files of the index",
            "cut/frames",
            Box::new(|bytes| replaced(bytes, b"frame_0", b"\x1b[2J\r_0")),
        ),
        ("the name of the scene", "cut", {
            let json = json.clone();
            Box::new(move |bytes| {
                replaced(bytes, b"\"scene\": \"scene", format!("\"scene\": \"{json}").as_bytes())
            })
        }),
        ("paths and commands", "cut", {
            Box::new(move |bytes| replaced(bytes, b"scene.ron", json.as_bytes()))
        }),
        ("tables", "cut", Box::new(|bytes| replaced(bytes, b"step,", EVIL.as_bytes()))),
    ];
    for (what, folder, forgery) in forgeries {
        let run = ["run", "scene.ron", "--steps", "3", "--force", "-o", "cut", "-q"];
        place.sim(&[&run[..], &fields].concat()).exit(0);
        change(&place, folder, &forgery);
        for arguments in [
            &["verify", "scene.ron", "-o", "cut"][..],
            &["view", "cut", "--no-open"],
            &["render", "cut", "--size", "32x32", "-o", "a.png", "--force"],
            &["render", "cut", "--size", "32x32", "-o", "a.mp4"],
            &["rerun", "cut", "--force"],
            &["run", "scene.ron", "-o", "cut", "--resume", "--steps", "4"],
            &["info", "cut/scene.ron"],
            &["check", "cut/scene.ron"],
        ] {
            is_harmless(&place.sim(arguments), &format!("{what}: {arguments:?}"));
        }
        for format in ["obj", "ply", "pc2", "mdd", "glb", "usda", "csv", "npz"] {
            let export = ["export", "cut", "--format", format, "--force"];
            is_harmless(&place.sim(&export), &format!("{what}: {export:?}"));
        }
    }
}

/// A bar, too: `script` gives the program a terminal.
#[cfg(target_os = "linux")]
#[test]
fn progress_bars_escape_names() {
    let place = Place::new(SCENE);
    let file = format!("{EVIL}.ron");
    place.write(&file, SCENE);
    let sim = env!("CARGO_BIN_EXE_sim");
    place.write("go.sh", &format!("exec {sim} bench ./*owned*.ron --runs 1 --steps 2\n"));
    let mut script = Command::new("script");
    script.args(["-qec", "sh go.sh", "/dev/null"]).current_dir(place.path(""));
    script.env("TERM", "xterm").stdin(Stdio::null());
    // Where there is no such program there is no terminal to be had.
    let Ok(output) = script.output() else { return };
    let said = SimOutput::new(&output).exit(0);
    for command in ["\u{1b}]0;", "\u{9b}", "\u{1b}[8m", "\u{202e}"] {
        assert!(!said.stdout.contains(command), "{:?}", said.stdout);
    }
    assert!(said.stdout.contains("\\u{1b}]0;owned"), "{:?}", said.stdout);
}
