//! Running `sim` in a folder of its own.

use assert_cmd::Command;
#[cfg(unix)]
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::Output;
#[cfg(unix)]
use std::process::{Child, Stdio};
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;
use tempfile::TempDir;

/// A box that falls onto a floor: 24 steps, a fraction of a second.
pub(crate) const SCENE: &str = r#"(
    version: 2,
    materials: {
        "rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3)),
    },
    bodies: [
        (
            name: "die",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
            material: "rubber",
            placement: (translate: (0, 0.06, 0)),
            velocity: (0.5, 0, 0),
            friction: 0.4,
        ),
    ],
    gravity: (0, -9.81, 0),
    obstacles: [
        Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.4),
    ],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: "1/120", duration: 0.2),
)
"#;

/// A shallow truss of two springs on an equilibrium path, for three steps.
pub(crate) const TRUSS: &str = r#"(version: 2, bodies: [(name: "truss",
    shape: Particles(positions: [(-1, 0, 0), (0, 0.5, 0), (1, 0, 0)], masses: [1, 1, 1]),
    terms: [Springs(stiffness: 1000, law: Hooke), Force(force: (0, -1, 0), region: Nodes([1]), start: -1000,
        factor: Table(points: [(-1000, -1000), (1000, 1000)]))],
    hold: [(region: Nodes([0, 2]), motion: Fixed), (region: Nodes([1]), motion: Fixed, axes: "z")])],
    gravity: (0, 0, 0), contact: Off, integrator: ImplicitEuler, analysis: ArcLength(length: 0.01),
    time: (step: 1, duration: 3))"#;

/// A folder with `scene.ron` in it, in which `sim` runs.
#[derive(Debug)]
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new(scene: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        place.write("scene.ron", scene);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("the folder can be written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// A file that is not all text.
    pub(crate) fn read_lossy(&self, name: &str) -> String {
        let path = self.path(name);
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Runs `sim` with these arguments to its end.
    pub(crate) fn sim(&self, arguments: &[&str]) -> SimOutput {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
        command.current_dir(self.folder.path()).args(arguments);
        // A deadline against hanging, far above what any of the runs takes.
        SimOutput::new(
            &command.timeout(Duration::from_secs(300)).output().expect("sim can be started"),
        )
    }

    /// The history without its last column, `seconds`.
    pub(crate) fn history(&self, name: &str) -> Vec<String> {
        let text = self.read(name);
        let kept = |line: &str| line.rsplit_once(',').map(|(kept, _)| kept.to_owned());
        text.lines().map(|line| kept(line).expect("a row has commas")).collect()
    }
}

/// Starts `sim`, which can open no browser.
#[cfg(unix)]
fn spawned(place: &Place, arguments: &[&str]) -> Child {
    std::process::Command::new(env!("CARGO_BIN_EXE_sim"))
        .current_dir(place.path(""))
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("BROWSER")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sim can be started")
}

/// Starts a command that serves a page; and where.
#[cfg(unix)]
pub(crate) fn served(place: &Place, arguments: &[&str]) -> (Child, String) {
    let mut child = spawned(place, arguments);
    let mut lines = BufReader::new(child.stdout.as_mut().expect("it is piped"));
    let mut line = String::new();
    lines.read_line(&mut line).expect("it is text");
    let address = line.split_once("http://").map(|(_, rest)| rest);
    let address = address.and_then(|rest| rest.split_once('/')).map(|(address, _)| address);
    let address = address.unwrap_or_else(|| panic!("no page: {line}")).to_owned();
    (child, address)
}

/// Starts `sim` and waits until a history has so many rows, or a file is there.
#[cfg(unix)]
pub(crate) fn begun(place: &Place, arguments: &[&str], history: &str, rows: usize) -> Child {
    let mut child = spawned(place, arguments);
    let begun = Instant::now();
    let history = place.path(history);
    loop {
        let text = std::fs::read_to_string(&history).unwrap_or_default();
        if text.matches('\n').count() > rows || (rows == 0 && history.exists()) {
            return child;
        }
        let ended = child.try_wait().expect("the child is ours");
        assert!(ended.is_none(), "the run ended by itself: {ended:?}");
        assert!(begun.elapsed() < Duration::from_secs(120), "no progress: {text}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Presses Ctrl-C and waits for the end.
#[cfg(unix)]
pub(crate) fn interrupt(child: Child) -> SimOutput {
    signalled(child, "-INT")
}

/// Sends a signal and waits for the end.
#[cfg(unix)]
pub(crate) fn signalled(child: Child, signal: &str) -> SimOutput {
    let id = child.id().to_string();
    let signal = std::process::Command::new("kill").args([signal, &id]).status();
    assert!(signal.expect("there is a command `kill`").success());
    SimOutput::new(&child.wait_with_output().expect("the child is ours"))
}

/// What a run of the program said.
#[derive(Debug)]
pub(crate) struct SimOutput {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl SimOutput {
    pub(crate) fn new(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// It must have ended with this code.
    #[track_caller]
    pub(crate) fn exit(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }
}
