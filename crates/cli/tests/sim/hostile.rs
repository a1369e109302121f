//! Closed streams, full disks, and numbers and names out of range.

use crate::support::{Place, SCENE, begun};
use std::fs::File;
use std::process::{Command, Stdio};

/// Commands that print results, with the code of each.
const COMMANDS: [(&[&str], i32); 7] = [
    (&["run", "scene.ron", "--steps", "2", "--force"], 0),
    (&["check", "scene.ron"], 0),
    (&["check", "scene.ron", "--json"], 0),
    (&["info", "scene.ron"], 0),
    (&["compare", "scene.ron", "--steps", "2", "--integrators", "ImplicitEuler", "--force"], 0),
    (&["bench", "scene.ron", "--runs", "1", "--steps", "2"], 0),
    (&["verify", "scene.ron"], 0),
];

/// Runs a command with these streams; its exit code.
fn with_streams(place: &Place, arguments: &[&str], out: Stdio, err: Stdio) -> Option<i32> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    command.current_dir(place.path("")).args(arguments).stdin(Stdio::null());
    command.stdout(out).stderr(err).status().expect("sim can be started").code()
}

/// The writing end of a pipe without a reader.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

#[test]
fn closed_output_pipe_is_not_a_failure() {
    let place = Place::new(SCENE);
    for (arguments, code) in COMMANDS {
        let log = File::create(place.path("log")).expect("the folder can be written");
        let ended = with_streams(&place, arguments, closed(), log.into());
        assert_eq!(ended, Some(code), "{arguments:?}: {}", place.read("log"));
        assert!(!place.read("log").contains("panicked"), "{arguments:?}");
        assert_eq!(
            with_streams(&place, arguments, closed(), closed()),
            Some(code),
            "{arguments:?}"
        );
    }
    let wrong = ["run", "scene.ron", "--set", "time.duration=-1"];
    assert_eq!(with_streams(&place, &wrong, closed(), closed()), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_reported_as_a_failure() {
    let place = Place::new(SCENE);
    let full = || Stdio::from(File::options().write(true).open("/dev/full").expect("it is there"));
    for (arguments, _) in COMMANDS {
        let log = File::create(place.path("log")).expect("the folder can be written");
        let ended = with_streams(&place, arguments, full(), log.into());
        let message = place.read("log");
        assert_eq!(ended, Some(1), "{arguments:?}: {message}");
        assert!(
            message.contains("could not be printed") && !message.contains("panicked"),
            "{message}"
        );
        assert_eq!(with_streams(&place, arguments, full(), full()), Some(1), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn endless_scene_is_rejected() {
    let place = Place::new(SCENE);
    let message = place.sim(&["run", "/dev/zero"]).exit(2).stderr;
    assert!(message.contains("longer than 64 MiB"), "{message}");
}

/// Wherever a word of 16 MB stands: it is refused in a few short lines and within 1 GB.
#[cfg(target_os = "linux")]
#[test]
fn huge_token_is_rejected_briefly_and_with_little_memory() {
    let place = Place::new(SCENE);
    let long = "a".repeat(16 << 20);
    for word in ["die", "rubber", "friction", "ASearch", "0.06", "version"] {
        place.write("long.ron", &SCENE.replacen(word, &long, 1));
        let mut shell = Command::new("sh");
        let limited = "ulimit -v 1000000; exec \"$0\" check long.ron --json";
        let sim = shell.args(["-c", limited, env!("CARGO_BIN_EXE_sim")]);
        let said = sim.current_dir(place.path("")).output().expect("there is a shell");
        let message = String::from_utf8_lossy(&said.stdout);
        assert_eq!(said.status.code(), Some(2), "{word}");
        assert!(
            message.contains("a word of 16777"),
            "{word}: {}",
            &message[..message.len().min(2000)]
        );
        assert!(message.len() < 2000, "{word}: {} bytes", message.len());
    }
}

#[test]
fn invalid_utf_8_is_reported_with_its_position() {
    let place = Place::new(SCENE);
    let bytes = SCENE.as_bytes();
    let at = 1 + SCENE.find("\"die\"").expect("a body has that name");
    let spoiled = [&bytes[..at], b"\xe4", &bytes[at..]].concat();
    std::fs::write(place.path("scene.ron"), spoiled).expect("the folder can be written");
    let message = place.sim(&["run", "scene.ron"]).exit(2).stderr;
    assert!(message.contains("scene.ron:8:20: byte 0xe4 is not UTF-8"), "{message}");
}

#[test]
fn absurd_numbers_are_rejected_with_their_position() {
    let place = Place::new(SCENE);
    for (set, place_in_file) in [
        ("gravity=(0, -1e308, 0)", "gravity[1]"),
        ("bodies.die.velocity=(1e9, 0, 0)", "bodies[0].velocity[0]"),
        ("bodies.die.angular_velocity=(0, 1e300, 0)", "bodies[0].angular_velocity[1]"),
        ("bodies.die.placement.translate=(0, 1e10, 0)", "bodies[0].placement.translate[1]"),
        ("bodies.die.shape.size=(1e-13, 1, 1)", "bodies[0].shape.size[0]"),
        ("materials.rubber.model.young=1e30", "materials.rubber.model.young"),
        ("contact.d_hat=1e-200", "contact.d_hat"),
        ("time.step=1e-200", "time.step"),
    ] {
        let message = place.sim(&["run", "scene.ron", "--set", set]).exit(2).stderr;
        assert!(
            message.contains(place_in_file) && message.contains("can be meant"),
            "{set}: {message}"
        );
    }
}

/// A spring whose vibration no step of a second resolves: an explicit method makes its energy
/// infinite while its positions can still be written.
const EXPLODING: &str = r#"(
    version: 2,
    bodies: [(
        name: "spring",
        shape: Particles(positions: [(0, 0, 0), (1.5, 0, 0)], masses: [0.5, 0.5]),
        terms: [Springs(pairs: [(0, 1)], stiffness: 1e5, rest_length: 1, law: Hooke)],
    )],
    gravity: (0, 0, 0),
    contact: Off,
    integrator: Verlet,
    time: (step: 1, duration: 100),
)
"#;

#[test]
fn infinite_energy_fails_the_run_and_keeps_the_last_state() {
    let place = Place::new(EXPLODING);
    let message = place.sim(&["run", "scene.ron", "-o", "cut"]).exit(1).stderr;
    assert!(message.contains("the energy of spring would be infinite"), "{message}");
    assert!(place.read("cut/summary.json").contains("\"status\": \"failed\""));
    for row in place.history("cut/history.csv").iter().skip(1) {
        assert!(!row.contains("inf") && !row.contains("NaN"), "{row}");
    }
}

#[test]
fn names_do_not_escape_the_output_folder() {
    let place = Place::new(SCENE);
    for name in
        ["../../evil", "a/b", "a\\\\b", ".", "..", "a\\n", "\\u{1b}[2J", "CON", "lpt1.x", ""]
    {
        let set = format!("name=\"{name}\"");
        let message = place.sim(&["run", "scene.ron", "--set", &set]).exit(2).stderr;
        assert!(message.contains("the scene's name"), "{name}: {message}");
        assert!(!message.contains('\x1b'), "{name}: {message}");
    }
}

#[test]
fn names_with_commas_and_quotes_are_one_csv_field() {
    let place = Place::new(&SCENE.replace("\"die\"", "\"a,b \\\"q\\\"\""));
    let tables = "output.tables=[Bodies]";
    place.sim(&["run", "scene.ron", "--steps", "2", "--set", tables, "-o", "cut"]).exit(0);
    let text = place.read("cut/bodies.csv");
    let row = text.lines().nth(1).expect("a row");
    assert!(row.contains(",\"a,b \"\"q\"\"\","), "{row}");
    let resume = ["run", "scene.ron", "--steps", "4", "--set", tables, "-o", "cut", "--resume"];
    place.sim(&resume).exit(0);
    let message =
        place.sim(&["run", "scene.ron", "--set", "bodies[0].name=\"a\\nb\""]).exit(2).stderr;
    assert!(message.contains("control character"), "{message}");
}

#[test]
fn error_cause_is_printed_once() {
    let place = Place::new(SCENE);
    place.write("taken", "a file");
    let message = place.sim(&["run", "scene.ron", "-o", "taken"]).exit(2).stderr;
    assert_eq!(message.matches("a file is at this path").count(), 1, "{message}");
    assert!(message.contains("cannot create taken"), "{message}");
}

#[cfg(unix)]
#[test]
fn scene_with_special_characters_in_its_name_has_a_valid_plot() {
    let place = Place::new(SCENE);
    let strange = "a\u{1}<&>\u{fffe}.ron";
    std::fs::rename(place.path("scene.ron"), place.path(strange)).expect("any name will do");
    place.sim(&["run", strange, "--steps", "1", "-o", "cut"]).exit(0);
    let plot = place.read("cut/energy.svg");
    assert!(plot.contains("a\u{fffd}&lt;&amp;&gt;\u{fffd}"), "{plot}");
}

#[test]
fn damaged_folder_is_rejected_as_bad_input() {
    let place = Place::new(SCENE);
    let run = ["run", "scene.ron", "-o", "cut", "-q"];
    place.sim(&[&run[..], &["--steps", "4"]].concat()).exit(0);
    let resume = [&run[..], &["--resume", "--steps", "6"]].concat();
    let row = "\n3,";
    let valid = place.read("cut/history.csv");
    place.write("cut/history.csv", &valid.replacen(row, "\nx,", 1));
    let message = place.sim(&resume).exit(2).stderr;
    assert!(message.contains("history.csv") && message.contains("line 5 is no row"), "{message}");
    place.write("cut/history.csv", &valid);
    std::fs::remove_file(place.path("cut/frames/frame_000001.vtu")).expect("it was written");
    let message = place.sim(&resume).exit(2).stderr;
    assert!(message.contains("frame_000001.vtu is missing"), "{message}");
    place.write("cut/frames/frames.pvd", "");
    let without = [&resume[..], &["--set", "output.formats=[]"]].concat();
    place.sim(&without).exit(0);
}

#[test]
fn overrides_replace_fractions_by_numbers_in_any_notation() {
    let place = Place::new(SCENE);
    for step in ["1e-2", "0.01", "1/100"] {
        let set = format!("time.step={step}");
        place.sim(&["run", "scene.ron", "--steps", "1", "--force", "--set", &set]).exit(0);
    }
}

#[cfg(unix)]
#[test]
fn concurrent_runs_in_one_folder_are_rejected() {
    let place = Place::new(SCENE);
    let long = ["run", "scene.ron", "-o", "cut", "--set", "time.duration=1000"];
    let mut child = begun(&place, &long, "cut/history.csv", 3);
    for how in ["--resume", "--force"] {
        let message = place.sim(&[&long[..], &[how]].concat()).exit(2).stderr;
        assert!(message.contains("being written by another run"), "{how}: {message}");
    }
    child.kill().expect("the child is ours");
    child.wait().expect("the child is ours");
    place.sim(&[&long[..], &["--resume", "--steps", "8"]].concat()).exit(0);
}

#[cfg(target_os = "linux")]
#[test]
fn scene_too_large_for_memory_is_rejected_before_it_is_built() {
    let place = Place::new(SCENE);
    let many = "bodies.die.repeat=Row(count: 100000000, step: (0, 0, 1))";
    for command in [&["check"][..], &["run", "--quiet"], &["info"]] {
        let arguments = [command, &["scene.ron", "--set", many]].concat();
        let message = place.sim(&arguments).exit(2).stderr;
        assert!(
            message.contains("100000000 bodies with 4.8e9 elements: a run needs at least"),
            "{message}"
        );
        assert!(message.contains("scene.ron:"), "{message}");
    }
    let message = place.sim(&["run", "scene.ron", "--memory", "15KiB"]).exit(2).stderr;
    assert!(message.contains("1 body with 48 elements: a run needs at least"), "{message}");
    assert!(!place.path("out").exists());
}

#[cfg(unix)]
#[test]
fn non_utf_8_arguments_and_paths_are_accepted() {
    use crate::support::SimOutput;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let place = Place::new(SCENE);
    let strange = OsStr::from_bytes(b"not \xff utf-8");
    let folder = place.path("").join(strange);
    std::fs::create_dir(&folder).expect("any name will do");
    std::fs::write(folder.join("scene.ron"), SCENE).expect("any name will do");
    let own = folder.join("sim");
    std::fs::copy(env!("CARGO_BIN_EXE_sim"), &own).expect("the program is a file");
    let sim_with = |arguments: &[&OsStr]| {
        let mut command = Command::new(&own);
        let sim_with = command.args(arguments).current_dir(&folder).stdin(Stdio::null()).output();
        let sim_with = SimOutput::new(&sim_with.expect("sim can be started"));
        assert!(!sim_with.stderr.contains("panicked"), "{arguments:?}: {}", sim_with.stderr);
        sim_with
    };
    let scene = folder.join("scene.ron");
    let run = ["run".as_ref(), scene.as_os_str(), "--steps".as_ref(), "2".as_ref()];
    sim_with(&run).exit(0);
    sim_with(&["run".as_ref(), scene.as_os_str(), "--resume".as_ref()]).exit(0);
    sim_with(&["rerun".as_ref(), folder.join("out/scene").as_os_str()]).exit(0);
    sim_with(&["view".as_ref(), folder.join("out/scene").as_os_str(), "--no-open".as_ref()])
        .exit(0);
    sim_with(&["bench", "scene.ron", "--runs", "1", "--steps", "1"].map(OsStr::new)).exit(0);
    sim_with(&["new".as_ref(), strange, "--force".as_ref()]).exit(0);
    std::fs::remove_file(folder.join(strange)).unwrap();
    for command in [
        "run", "rerun", "compare", "bench", "check", "info", "mesh", "study", "verify", "render",
        "view", "live", "export",
    ] {
        sim_with(&[command.as_ref(), strange]).exit(2);
        sim_with(&[command.as_ref(), "scene.ron".as_ref(), "--set".as_ref(), strange]).exit(2);
        sim_with(&[command.as_ref(), "scene.ron".as_ref(), "--no-such".as_ref(), strange]).exit(2);
    }
    sim_with(&[strange]).exit(2);
}
